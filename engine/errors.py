"""The errors that people and programs cause; each says which word was wrong and what was possible."""

from typing import Literal

Code = Literal["unknown-command", "bad-argument", "bad-position", "illegal-move", "no-position", "busy"]
"""The codes of the protocol's ``error`` lines."""


def quoted(word: str) -> str:
    """A word as it stands in an error: on one line, shortened when it is long."""
    text = repr(word[:49])
    return text if len(word) <= 48 else f"{text[:46]}...{text[0]}"


class TrickbotError(ValueError):
    """The root of all of them. ``code`` is the protocol's word for the kind of error."""

    code: Code = "bad-argument"


class NotationError(TrickbotError):
    """A word is no card, set of cards or move of the game."""


class RulesError(TrickbotError):
    """A preset or a field of the rules does not exist, or its value is out of range."""


class OptionError(TrickbotError):
    """An option does not exist, or its value is out of range."""


class RecordError(TrickbotError):
    """A line of a record file is not a record."""


class PositionError(TrickbotError):
    """A position line that cannot be taken: its form, what it claims, or one of its moves.

    ``index`` is the place of the refused word among the moves, from 0, where a move was refused.
    """

    def __init__(self, code: Code, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.index = index
