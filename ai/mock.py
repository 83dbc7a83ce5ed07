"""A scripted engine for tests of programs that use the client: no process, no search.

mock = MockTransport()
mock.expect("uci", ["id name Mock", "uciok"])
mock.expect("id 0 isready")
mock.expect("isready", ["readyok"])
engine = await mock.open()
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from trickbot.ai.client import Engine


class MockTransport:
    """Compares each line it is sent with a script, and answers with that script's replies."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.stderr = ""
        self.engine = Engine()
        self._script: deque[tuple[str, Sequence[str]]] = deque()
        self._failure: AssertionError | None = None

    def expect(self, line: str, replies: Sequence[str] = ()) -> None:
        """The next line of the client must be `line`; it is answered by these lines."""
        self._script.append((line, replies))

    def greet(self, *lines: str) -> None:
        """Expects the usual greeting of an engine that has ids; `lines` are said before `uciok`."""
        self.expect("uci", [*lines, "uciok"])
        self.expect("id 0 isready", ["id 0 readyok"])
        self.expect("isready", ["readyok"])

    async def open(self, timeout: float | None = 5.0) -> Engine:
        """The client's end, after the greeting."""
        return await self.engine.attach(self, timeout)

    def say(self, *lines: str) -> None:
        """The engine says something of its own accord."""
        for line in lines:
            self.engine._line(line)

    def end(self, exit_code: int = 0, stderr: str = "") -> None:
        """The engine ends."""
        if self.exit_code is None:
            self.exit_code, self.stderr = exit_code, stderr
            self.engine._end()

    def assert_done(self) -> None:
        """Raises AssertionError where a line was wrong or the script is not at its end."""
        if self._failure is not None:
            raise self._failure
        assert not self._script, f"still expected: {[line for line, _ in self._script]}"

    # Called by the client

    def write(self, *lines: str) -> None:
        for line in lines:
            expected, replies = self._script.popleft() if self._script else ("nothing", ())
            if line != expected:
                self._failure = self._failure or AssertionError(f"expected {expected!r}, got {line!r}")
                raise self._failure
            if replies:
                asyncio.get_running_loop().call_soon(self.say, *replies)

    def close(self) -> None:
        asyncio.get_running_loop().call_soon(self.end)

    def kill(self) -> None:
        asyncio.get_running_loop().call_soon(self.end, -9)
