"""Deals in progress: what the two games' kernels have in common, and how to make one."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from trickbot.engine.cards import N_SEATS, cards_in
from trickbot.engine.rules import Rules

ALL_KNOWN = (1 << N_SEATS) - 1
"""The mask of all seats."""


class Deal(Protocol):
    """A deal in progress as somebody knows it; see the stubs of ``trickbot.ext`` for the games' own parts."""

    game: str
    n_sides: int

    @property
    def first(self) -> int: ...
    @property
    def phase(self) -> int: ...
    @property
    def to_move(self) -> int: ...
    @property
    def known(self) -> int: ...
    @property
    def trick_leader(self) -> int: ...
    @property
    def trick(self) -> Sequence[int]: ...
    @property
    def tricks(self) -> Sequence[tuple[int, Sequence[int], int, int]]: ...
    @property
    def points(self) -> Sequence[int]: ...
    @property
    def scores(self) -> Sequence[int]: ...
    @property
    def winner(self) -> int: ...
    def hand(self, seat: int) -> int | None: ...
    def dealt(self, seat: int) -> int | None: ...
    def legal(self) -> int: ...
    def why_illegal(self, move: int) -> str | None: ...
    def apply(self, move: int) -> None: ...
    def consistent(self) -> bool: ...
    def view(self, seat: int) -> "Deal": ...
    def copy(self) -> "Deal": ...
    def determinize(self, seed: int, stream: int = 0) -> "Deal | None": ...


@cache
def kernel_of(game: str) -> Any:
    """The kernel module of a game, loaded when it is first wanted."""
    return import_module(f"trickbot.ext.{game}")


def new_deal(rules: Rules, first: int, match: Sequence[int], hands: Sequence[int | None]) -> Any:
    """A deal, a ``Deal``, before its first move. ``hands`` are masks by seat as dealt, None where unknown.

    Raises ``ValueError`` for hands that are no deal and totals that end the match.
    """
    return getattr(kernel_of(rules.game), f"{rules.game.title()}Deal")(rules.kernel(), first, match, hands)


def random_hands(rules: Rules, seed: int) -> tuple[int, ...]:
    """Four hands of a shuffled pack, masks by seat; the same for the same seed."""
    deal = kernel_of(rules.game).random_deal(rules.kernel(), 0, seed)
    return tuple(deal.hand(seat) or 0 for seat in range(N_SEATS))


def choose(deal: Any, kind: str, seed: int) -> int:
    """The move of a player that does not search: ``random``, ``greedy`` or ``rules``.

    It looks at the hand of the seat to move and at what all have seen. Raises ``ValueError`` when nobody is
    to move or that hand is unknown.
    """
    return int(kernel_of(deal.game).choose(deal, kind, seed))


QUICK_DEPTH = 6
"""Move sequences of that length are counted in some milliseconds; a longer count is cut into such pieces."""


def count_sequences(deal: Any, depth: int, stopped: Callable[[], bool] = lambda: False) -> int | None:
    """The number of move sequences of that length from a full deal; None when stopped before the end."""
    if depth <= QUICK_DEPTH:
        return int(kernel_of(deal.game).perft(deal, depth))
    total = 0
    for move in cards_in(deal.legal()):
        after = deal.copy()
        after.apply(move)
        count = None if stopped() else count_sequences(after, depth - 1, stopped)
        if count is None:
            return None
        total += count
    return total
