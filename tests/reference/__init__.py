"""Naive referees of both games, written from the rules text alone, on tokens and lists.

They import nothing of the project: they are there to disagree with it.
"""


class IllegalError(Exception):
    """The token is no legal move; the message says why."""


class RefusedError(Exception):
    """A position line that cannot be set up: `code` as in the protocol, `index` of an illegal move."""

    def __init__(self, code: str, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.index = index
