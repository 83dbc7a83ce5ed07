"""A child process that speaks in lines, as a transport of the client in an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
from collections.abc import Callable, Sequence

LONGEST_LINE = 1 << 20
STDERR_KEPT = 8192
_running: set[int] = set()


def remember(pid: int) -> None:
    _running.add(pid)


def forget(pid: int) -> None:
    _running.discard(pid)


def kill_all() -> None:
    """Kills every process that this one has started as a transport, and what they started."""
    for pid in list(_running):
        kill_session(pid)


def kill_session(pid: int) -> None:
    """Kills a process that leads a session, and all others in it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def words_of(command: str | Sequence[str]) -> list[str]:
    """The words of a command line, as a shell would read it. Raises ValueError where there is none."""
    words = shlex.split(command) if isinstance(command, str) else list(command)
    if not words:
        raise ValueError("the command is empty")
    return words


class Lines:
    """Cuts bytes into lines; wrong UTF-8 is replaced, and a line that is far too long is cut."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._begun = b""

    def feed(self, data: bytes) -> None:
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            self._on_line(line.decode("utf-8", "replace").rstrip("\r"))
        if len(self._begun) > LONGEST_LINE:
            self._on_line(self._begun[:200].decode("utf-8", "replace") + "... (a line without an end)")
            self._begun = b""

    def end(self) -> None:
        """A last line need not be ended."""
        if self._begun:
            self.feed(b"\n")


class ProcessTransport(asyncio.SubprocessProtocol):
    """Calls `on_line` for each line on the process's stdout, and `on_end` once, when it has ended.

    stderr is read all the time; its end is kept. The process has a session of its own, so that whatever it
    started is killed with it.
    """

    def __init__(self, on_line: Callable[[str], None], on_end: Callable[[], None]) -> None:
        self.exit_code: int | None = None
        self._on_end: Callable[[], None] | None = on_end
        self._lines = Lines(on_line)
        self._errors = b""
        self._process: asyncio.SubprocessTransport
        self._input: asyncio.WriteTransport

    @classmethod
    async def start(
        cls,
        command: str | Sequence[str],
        on_line: Callable[[str], None],
        on_end: Callable[[], None],
        cwd: str | None = None,
    ) -> ProcessTransport:
        """Raises OSError where the program cannot be started, ValueError where the command cannot be read."""
        _, protocol = await asyncio.get_running_loop().subprocess_exec(
            lambda: cls(on_line, on_end), *words_of(command), cwd=cwd, start_new_session=True
        )
        return protocol

    @property
    def stderr(self) -> str:
        """The end of what the process wrote to stderr."""
        return self._errors.decode("utf-8", "replace")

    def write(self, *lines: str) -> None:
        """Sends lines; they are lost where the process has ended."""
        if not self._input.is_closing():
            self._input.write(("\n".join(lines) + "\n").encode())

    def close(self) -> None:
        """Ends the process's input."""
        self._input.close()

    def kill(self) -> None:
        """Kills the process and all that it started."""
        if self.exit_code is None:
            kill_session(self._process.get_pid())

    # Called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._process = transport
        pipe = transport.get_pipe_transport(0)
        assert isinstance(pipe, asyncio.WriteTransport)
        self._input = pipe
        remember(transport.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self._errors = (self._errors + data)[-STDERR_KEPT:]
        else:
            self._lines.feed(data)

    def process_exited(self) -> None:
        self.exit_code = self._process.get_returncode()
        forget(self._process.get_pid())
        # What it started may hold its pipes open: do not wait for them for long.
        asyncio.get_running_loop().call_later(0.3, self._lost)

    def connection_lost(self, error: Exception | None) -> None:
        self._lost()

    def _lost(self) -> None:
        if self._on_end is not None:
            self._lines.end()
            self._process.close()
            on_end, self._on_end = self._on_end, None
            on_end()
