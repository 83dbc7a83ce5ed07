"""A scripted engine for tests of programs that use the client: no process, no search.

mock = MockTransport()
mock.expect("uci", ["id name Mock", "uciok"])
mock.expect("id 0 isready")
mock.expect("isready", ["readyok"])
engine = await mock.open()
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from trickbot.ai.client import Engine, SimpleEngine
from trickbot.ai.pending import Pending, drive


class MockTransport:
    """Compares each line it is sent with a script, and answers with that script's replies."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.stderr = ""
        self.engine = Engine()
        self._script: deque[tuple[str, Sequence[str]]] = deque()
        self._failure: AssertionError | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._calls: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()

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
        self._loop = asyncio.get_running_loop()
        return await self.engine.attach(self, timeout, self._loop)

    def open_simple(self, timeout: float | None = 5.0) -> SimpleEngine:
        """The same for programs without async."""
        return SimpleEngine(drive(self.engine.attach(self, timeout), self), self, timeout)

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
                self._soon(self.say, *replies)

    def close(self) -> None:
        self._soon(self.end)

    def kill(self) -> None:
        self._soon(self.end, -9)

    def pump(self, pending: Pending[Any] | None, deadline: float | None) -> None:
        while self._calls and not (pending is not None and pending.done):
            call, args = self._calls.popleft()
            call(*args)
        if not (pending is not None and pending.done):
            if deadline is None:
                raise AssertionError("the client waits, and the script has no more to say")
            time.sleep(max(0.0, deadline - time.monotonic()))

    def _soon(self, call: Callable[..., None], *args: Any) -> None:
        if self._loop is not None:
            self._loop.call_soon(call, *args)
        else:
            self._calls.append((call, args))
