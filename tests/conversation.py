"""A conversation with a real engine process, line by line."""

import contextlib
import os
import queue
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from types import TracebackType

COMMAND = str(Path(sys.executable).parent / "trickbot")


class Conversation:
    """The engine in a process of its own. Every wait has an end."""

    def __init__(self, game: str = "jass", reading: bool = True, **environment: str) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "--game", game],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | environment,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._n_asked = 0
        self._reader = Thread(target=self._read, daemon=True)
        if reading:
            self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode("utf-8").removesuffix("\n"))
        self._lines.put(None)

    def start_reading(self) -> None:
        self._reader.start()

    def send(self, *lines: str | bytes) -> None:
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self.process.stdin.flush()

    def line(self, seconds: float = 10.0) -> str:
        """The next line of the engine."""
        line = self._lines.get(timeout=seconds)
        assert line is not None, "the engine has ended"
        return line

    def until(self, last: str, seconds: float = 10.0) -> list[str]:
        """All lines up to the first that begins with `last`, with it."""
        end = time.monotonic() + seconds
        lines = [self.line(seconds)]
        while not lines[-1].startswith(last):
            lines.append(self.line(max(0.0, end - time.monotonic())))
        return lines

    def ask(self, *lines: str | bytes, seconds: float = 10.0) -> list[str]:
        """Sends lines, and gives all that is said before the answer to an isready after them."""
        self._n_asked += 1
        self.send(*lines, f"id ask{self._n_asked} isready")
        return self.until(f"id ask{self._n_asked} readyok", seconds)[:-1]

    def close(self, code: int = 0) -> bytes:
        """Ends the input; what the engine said on stderr. It must end by itself, with this exit code."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            assert self.process.wait(5) == code
            return self.process.stderr.read()
        finally:
            self.process.kill()
            self.process.wait()
            if self._reader.ident is not None:
                self._reader.join(5)
            for stream in (self.process.stdout, self.process.stderr):
                if stream is not None:
                    stream.close()

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stderr = self.close()
        if kind is None:
            assert stderr == b""
