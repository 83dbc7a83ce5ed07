"""A child process that speaks in lines, read by whoever waits for it."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
from collections.abc import Callable, Sequence
from time import monotonic
from typing import IO, Any

from trickbot.ai.pending import Pending
from trickbot.ai.process import STDERR_KEPT, Lines, forget, kill_session, remember, words_of

_LOOK_S = 0.25  # how often to look whether the process has ended while its pipes are open
_LOOK_CLOSED_S = 0.01


class PipeTransport:
    """As `ProcessTransport`, without an event loop: lines are read in `pump` only."""

    def __init__(
        self,
        command: str | Sequence[str],
        on_line: Callable[[str], None],
        on_end: Callable[[], None],
        cwd: str | None = None,
    ) -> None:
        """Raises OSError where the program cannot be started, ValueError where the command cannot be read."""
        self.exit_code: int | None = None
        self._on_end = on_end
        self._lines = Lines(on_line)
        self._errors = b""
        self._unsent = b""
        self._process = subprocess.Popen(
            words_of(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            start_new_session=True,
        )
        remember(self._process.pid)
        self._input: IO[Any] = _there(self._process.stdin)
        self._poll = select.poll()
        self._outputs: dict[int, IO[Any]] = {}
        for output in (_there(self._process.stdout), _there(self._process.stderr)):
            self._outputs[output.fileno()] = output
            self._poll.register(output.fileno(), select.POLLIN)
        for pipe in (self._input, *self._outputs.values()):
            os.set_blocking(pipe.fileno(), False)
        self._stderr_fd = _there(self._process.stderr).fileno()
        self._input_fd = self._input.fileno()

    @property
    def stderr(self) -> str:
        """The end of what the process wrote to stderr."""
        return self._errors.decode("utf-8", "replace")

    def write(self, *lines: str) -> None:
        """Sends lines, at once or with the next `pump`; they are lost where the process has ended."""
        self.write_bytes(("\n".join(lines) + "\n").encode())

    def write_bytes(self, data: bytes) -> None:
        """The same for bytes as they are."""
        if not self._input.closed:
            self._unsent += data
            self._send()

    def _send(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._input_fd, self._unsent) :]
        except BlockingIOError:
            self._poll.register(self._input_fd, select.POLLOUT)
            return
        except OSError:
            self._unsent = b""
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._input_fd)

    def close(self) -> None:
        """Ends the process's input."""
        if not self._input.closed:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._input_fd)
            self._input.close()

    def kill(self) -> None:
        """Kills the process and all that it started."""
        if self.exit_code is None:
            kill_session(self._process.pid)

    def pump(self, pending: Pending[Any] | None, deadline: float | None) -> None:
        """Reads what the process says until a value is there, a deadline (monotonic) is over, or it ends."""
        while self.exit_code is None and not (pending is not None and pending.done):
            look = _LOOK_S if self._outputs else _LOOK_CLOSED_S
            left = look if deadline is None else min(look, deadline - monotonic())
            if left <= 0:
                return
            events = self._poll.poll(1000 * left)
            for fd, _ in events:
                if fd == self._input_fd:
                    self._send()
                else:
                    self._receive(fd)
            if not events or not self._outputs:
                self._look()

    def _receive(self, fd: int) -> bool:
        """Takes what is there; False at the end."""
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        if not data:
            self._poll.unregister(fd)
            self._outputs.pop(fd).close()
            return False
        if fd == self._stderr_fd:
            self._errors = (self._errors + data)[-STDERR_KEPT:]
        else:
            self._lines.feed(data)
        return True

    def _look(self) -> None:
        """Whether the process has ended: then takes what it has left in its pipes, and lets go of it."""
        code = self._process.poll()
        if code is None:
            return
        for fd in list(self._outputs):
            while fd in self._outputs and self._receive(fd):
                pass
        self._lines.end()
        self.exit_code = code
        forget(self._process.pid)
        self.close()
        for output in self._outputs.values():
            output.close()
        self._outputs.clear()
        self._on_end()


def _there(pipe: IO[Any] | None) -> IO[Any]:
    assert pipe is not None
    return pipe
