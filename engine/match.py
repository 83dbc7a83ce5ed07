"""Matches: deals in sequence, who begins each, the totals, and the end."""

from random import Random
from typing import Any

from trickbot.engine.cards import N_SEATS, cards_in, mask_of
from trickbot.engine.deal import random_hands
from trickbot.engine.notation import OVER, PILE, REDEAL, Event, parse_card
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules

_MASK = (1 << 64) - 1


def child_seed(seed: int, *path: int) -> int:
    """A seed for each part of something that has one: 1 to 2**63 - 1, the same everywhere (splitmix64)."""
    for step in (0, *path):
        seed = (seed + 0x9E3779B97F4A7C15 * (step + 1)) & _MASK
        seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        seed = (seed ^ seed >> 27) * 0x94D049BB133111EB & _MASK
        seed ^= seed >> 31
    return seed >> 1 or 1


def shuffled(deal: Any, seed: int) -> Event:
    """The bid pile of apples, dealt back."""
    n = deal.bid[0]
    pile = [card for given in deal.gives for card in cards_in(given)]
    Random(seed).shuffle(pile)
    return Event("pile", sets=tuple(mask_of(pile[n * seat : n * seat + n]) for seat in range(N_SEATS)))


class Match:
    """Deals until somebody has won; everything that is drawn comes from the seed.

        match = Match(rules, seed=7)
        while not match.over:
            position = match.deal()
            ...play it to its end, match.shuffle(position) for the bid pile of apples...
            match.finish(position)

    ``totals`` are by side. Under rules without a target a match is one deal.
    """

    def __init__(self, rules: Rules, seed: int, first: int | None = None) -> None:
        """first: who begins the first deal; None: in jass the holder of the 7 of roses, in apples drawn."""
        self.rules = rules
        self.seed = seed
        self.totals = (0,) * (2 if rules.game == "jass" else N_SEATS)
        self.n_deals = 0
        self.winner = -1  # side
        self._redeals = 0
        self._first = self._first_to_begin() if first is None else first

    def _first_to_begin(self) -> int:
        if self.rules.game != "jass":
            return child_seed(self.seed) % N_SEATS
        seven = parse_card("jass", "r7")
        return next(seat for seat, hand in enumerate(self._hands()) if hand >> seven & 1)

    def _hands(self) -> tuple[int, ...]:
        return random_hands(self.rules, child_seed(self.seed, self.n_deals, self._redeals))

    @property
    def over(self) -> bool:
        """Whether no deal follows."""
        return self.winner >= 0 or (self.rules.target == 0 and self.n_deals > 0)

    @property
    def first(self) -> int:
        """Who begins the next deal."""
        return (self._first + self.n_deals) % N_SEATS

    def deal(self) -> Position:
        """The next deal, before its first move; the same until it is finished."""
        return Position(self.rules, self.first, self._hands(), self.totals)

    def shuffle(self, position: Position) -> None:
        """Deals the bid pile of apples back."""
        if position.deal.phase != PILE:
            raise ValueError("there is no pile to deal back")
        position.add(shuffled(position.deal, child_seed(self.seed, self.n_deals, self._redeals, 1)))

    def finish(self, position: Position) -> None:
        """Counts a deal that has ended; after four passes the same seat begins another."""
        deal = position.deal
        if deal.phase == REDEAL:
            self._redeals += 1
            return
        if deal.phase != OVER:
            raise ValueError("the deal is not over")
        self.totals = tuple(deal.scores)
        self.winner = deal.winner
        self.n_deals += 1
        self._redeals = 0
