"""Lines over file descriptors: a reader that survives any bytes, a writer that keeps nobody waiting."""

import os
import select
from collections import deque
from collections.abc import Callable, Iterator
from threading import Condition, Thread

MAX_LINE = 1 << 22  # bytes; a longer line is skipped
_DROP_ABOVE = 1 << 20  # bytes waiting for a slow reader: lines that may be dropped are
_WAIT_ABOVE = 1 << 26  # bytes waiting: the writer's callers wait as well


def read_lines(fd: int) -> Iterator[str | None]:
    """The lines of a descriptor up to its end, without line ends; None for one that is too long.

    Wrong UTF-8 is replaced; the last line need not be ended.
    """
    begun = bytearray()
    too_long = False
    while chunk := _read(fd):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            begun += piece
            yield None if too_long or len(begun) > MAX_LINE else _text(begun)
            begun.clear()
            too_long = False
        begun += rest
        if len(begun) > MAX_LINE:
            too_long = True
            begun.clear()
    if begun or too_long:
        yield None if too_long else _text(begun)


def _text(line: bytearray) -> str:
    return line.decode("utf-8", "replace").removesuffix("\r")


def _read(fd: int) -> bytes:
    while True:
        try:
            return os.read(fd, 1 << 16)
        except BlockingIOError:
            select.select([fd], [], [])
        except OSError:  # closed, or never open
            return b""


class Writer:
    """Writes lines to a descriptor from a thread of its own.

    ``on_gone`` is called once, in that thread, when nobody reads any more.
    """

    def __init__(self, fd: int, on_gone: Callable[[], None]) -> None:
        self._fd = fd
        self._on_gone = on_gone
        self._lines: deque[bytes] = deque()
        self._waiting = 0  # bytes not written yet
        self._changed = Condition()
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def write(self, line: str, *, droppable: bool = False) -> None:
        """Adds a line. Waits only when a reader has left 64 MiB unread; drops a line that may be dropped
        above 1 MiB."""
        data = line.encode("utf-8", "replace") + b"\n"
        with self._changed:
            if droppable and self._waiting > _DROP_ABOVE:
                return
            self._changed.wait_for(lambda: self._waiting < _WAIT_ABOVE)
            self._lines.append(data)
            self._waiting += len(data)
            self._changed.notify_all()

    def flush(self, seconds: float) -> bool:
        """Waits until all is written, for so many seconds at most; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting == 0, seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._lines))
                data = b"".join(self._lines)
                self._lines.clear()
            if not self._write(data):
                self._on_gone()
                return
            with self._changed:
                self._waiting -= len(data)
                self._changed.notify_all()

    def _write(self, data: bytes) -> bool:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                select.select([], [self._fd], [])
            except OSError:
                return False
        return True
