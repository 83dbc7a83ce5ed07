"""Checks an engine against the protocol, item by item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trickbot.ai.arena import checks_lines, checks_search  # noqa: F401 (they add their items to the list)
from trickbot.ai.arena.conversation import BrokenError
from trickbot.ai.arena.subject import CHECKS, Check, Subject


@dataclass(frozen=True)
class Finding:
    """What one item came to. `broken`: what the engine did instead; empty where it did well."""

    name: str
    says: str
    broken: str
    transcript: tuple[str, ...] = ()


def check_engine(
    command: str, game: str = "jass", *, timeout: float = 5.0, only: tuple[str, ...] = ()
) -> Iterator[Finding]:
    """The findings of all items, or of those in `only`, as they come.

    Raises OSError, ValueError where the program cannot be started; ValueError for an item that there is not.
    """
    subject = Subject(command, game, timeout)
    try:
        for check in chosen(only):
            yield _find(check, subject)
    finally:
        subject.close()


def chosen(only: tuple[str, ...]) -> list[Check]:
    """The items with these names; all where there is none."""
    names = [check.name for check in CHECKS]
    for name in only:
        if name not in names:
            raise ValueError(f"no check {name!r}: must be one of {', '.join(names)}")
    return [check for check in CHECKS if not only or check.name in only]


def _find(check: Check, subject: Subject, tries: int = 3) -> Finding:
    try:
        check.run(subject)
    except BrokenError as broken:
        transcript = tuple(subject.talk.transcript)[-12:] if subject.talk is not None else ()
        subject.close()  # what follows begins with a new process
        if check.timed and tries > 1:
            return _find(check, subject, tries - 1)
        return Finding(check.name, check.says, str(broken), transcript)
    return Finding(check.name, check.says, "")
