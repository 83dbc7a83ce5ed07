"""A conversation with an engine line by line, without any belief in what it answers."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Sequence
from time import monotonic, sleep

from trickbot.ai.pending import Pending
from trickbot.ai.pipe import PipeTransport


class BrokenError(Exception):
    """The engine did something else than the protocol says."""


def without_id(line: str) -> str:
    """A line without the id of its command."""
    words = line.split(" ", 2)
    return words[2] if words[0] == "id" and len(words) > 2 and words[1] not in ("name", "author") else line


def first_word(line: str) -> str:
    return without_id(line).partition(" ")[0]


class Conversation:
    """A process, and the lines between it and us. `timeout`: seconds for whatever should come at once."""

    def __init__(self, command: str | Sequence[str], timeout: float) -> None:
        """Raises OSError, ValueError where the program cannot be started."""
        self.timeout = timeout
        self.transcript: deque[str] = deque(maxlen=60)
        self.ended = False
        self._lines: deque[tuple[float, str]] = deque()
        self._news: Pending[None] = Pending(None)
        self._process = PipeTransport(command, self._on_line, self._on_end)

    def _on_line(self, line: str) -> None:
        self.transcript.append(f"< {line}")
        self._lines.append((monotonic(), line))
        self._news.set(None)

    def _on_end(self) -> None:
        self.ended = True
        self._news.set(None)

    def send(self, *lines: str) -> None:
        self.transcript.extend(f"> {line[:2000]}" for line in lines)
        self._process.write(*lines)

    def send_bytes(self, data: bytes) -> None:
        self.transcript.append(f"> {data[:200]!r}")
        self._process.write_bytes(data)

    def close_input(self) -> None:
        self._process.close()

    def line(self, timeout: float | None = None) -> str | None:
        """The next line; None where none comes in time, or the process has ended."""
        found = self.timed_line(timeout)
        return None if found is None else found[1]

    def timed_line(self, timeout: float | None = None) -> tuple[float, str] | None:
        """The next line and when it came (monotonic seconds)."""
        end = monotonic() + (self.timeout if timeout is None else timeout)
        while not self._lines and not self.ended and monotonic() < end:
            self._news = Pending(None)
            self._process.pump(self._news, end)
        return self._lines.popleft() if self._lines else None

    def until(self, word: str, timeout: float | None = None, unless: str = "") -> list[str]:
        """The lines up to the first that begins with a word, with it.

        Raises BrokenError where it does not come, or one that begins with `unless` comes before.
        """
        end = monotonic() + (self.timeout if timeout is None else timeout)
        lines: list[str] = []
        while not lines or first_word(lines[-1]) != word:
            line = self.line(max(0.0, end - monotonic()))
            if line is None:
                seen = f" after {lines[-1]!r}" if lines else ""
                raise BrokenError(f"the process ended{seen}" if self.ended else f"no {word} in time{seen}")
            if unless and first_word(line) == unless:
                raise BrokenError(f"said {line!r}, where {word} was to come")
            lines.append(line)
        return lines

    def ask(self, *lines: str) -> list[str]:
        """What is answered to lines before the `readyok` that follows them."""
        self.send(*lines, "isready")
        return self.until("readyok")[:-1]

    def silence(self, seconds: float, but: tuple[str, ...] = ()) -> None:
        """Raises BrokenError where a line comes, other than those that begin with one of these words."""
        end = monotonic() + seconds
        while (line := self.line(max(0.0, end - monotonic()))) is not None:
            if first_word(line) not in but:
                raise BrokenError(f"said {line!r}, where nothing was to be said")

    def wait_end(self, timeout: float) -> int | None:
        """The exit code, once the process has ended. Raises BrokenError where it does not."""
        end = monotonic() + timeout
        while not self.ended:
            if monotonic() > end:
                raise BrokenError(f"still runs after {timeout:g} s")
            self.line(0.05)
        return self._process.exit_code

    @property
    def exit_code(self) -> int | None:
        return self._process.exit_code

    def pause(self, seconds: float) -> None:
        """Reads nothing for a while."""
        sleep(seconds)

    def close(self) -> None:
        self._process.kill()
        with contextlib.suppress(BrokenError):
            self.wait_end(2.0)
