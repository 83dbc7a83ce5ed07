"""The log of a tournament: one record a line, appended as each deal ends, and readable after any accident."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


class Log:
    """Appends lines to a file that nobody else is writing.

    Lines go to the system as soon as they are given. A last line that was torn, as by a kill in the middle of
    a write, is cut off when the log is opened again.
    """

    def __init__(self, path: str | Path) -> None:
        """Raises ValueError where another tournament writes this log, OSError where it cannot be written."""
        self.path = Path(path)
        self._file = open(self.path, "a+b", buffering=0)  # noqa: SIM115
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise ValueError(f"{path}: another tournament is writing it") from None
        self._file.truncate(_whole(self._file.fileno()))

    def append(self, lines: Iterable[str]) -> None:
        text = "".join(f"{line}\n" for line in lines).encode()
        while text:
            text = text[self._file.write(text) :]

    def close(self) -> None:
        self._file.close()


def _whole(fd: int) -> int:
    """Length of the file up to the end of its last complete line."""
    end = os.fstat(fd).st_size
    while end:
        begin = max(0, end - 65536)
        place = os.pread(fd, end - begin, begin).rfind(b"\n")
        if place >= 0:
            return begin + place + 1
        end = begin
    return 0


def read_log(path: str | Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """The lines of a log with their numbers; None for one that is no record of a tournament.

    A last line without an end is not a line yet.
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith("\n"):
                return
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            yield number, record if isinstance(record, dict) and _belongs(record) else None


def _belongs(record: dict[str, Any]) -> bool:
    return all(key in record for key in ("deal", "players", "block", "seating", "of"))
