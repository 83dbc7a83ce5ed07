"""Blocks: one deal in all its seatings, the unit of every result.

The deals of a tournament are numbered; every pairing of players plays the same ones. In all seatings of a
block the cards, the first seat, the shuffle of the pile and the seeds of the seats are the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from trickbot.ai.arena.setup import Setup
from trickbot.engine.cards import N_SEATS
from trickbot.engine.match import Match, child_seed
from trickbot.engine.position import Position
from trickbot.engine.record import Record, read_records
from trickbot.engine.rules import Rules


class Chair(NamedTuple):
    """Who sits on a seat: a player of the setup, and which of its bots."""

    player: int
    bot: int


Seating = tuple[Chair, ...]


class Item(NamedTuple):
    """One deal to be played. `pairing`: the players at the table. `match`: the totals before, or None."""

    pairing: tuple[int, ...]
    block: int
    seating: int
    deal: int = 0  # of the match
    match: tuple[int, ...] | None = None


def seatings(setup: Setup, pairing: Sequence[int]) -> list[Seating]:
    """All ways in which the players of a pairing can sit at the table, each of them at least once.

    Jass teams: sides swapped, and where a team has two bots both orders of it. Else a player may fill any
    number of seats: 14 seatings of two players, 36 of three, 24 of four.
    """
    if setup.teams:
        first, second = ([(Chair(p, a), Chair(p, b)) for a, b in setup.players[p].orders] for p in pairing)
        return [
            (a[0], b[0], a[1], b[1])
            for one, other in ((first, second), (second, first))
            for a, b in itertools.product(one, other)
        ]
    every = itertools.product(pairing, repeat=N_SEATS)
    return [tuple(Chair(p, 0) for p in seats) for seats in every if set(seats) == set(pairing)]


class Deals:
    """The deals of a setup, by number: shuffled from its seed, or those of a record file, each once."""

    def __init__(self, setup: Setup) -> None:
        """Raises ValueError where the file has no deal of the game, or a broken line."""
        self.setup = setup
        self.rules = Rules.parse(setup.game, setup.rules)
        self._given: list[Record] = []
        if not setup.deals:
            return
        if setup.matches:
            raise ValueError("the deals of a match are shuffled, not read from a file")
        seen = set()
        for record in read_records(setup.deals):
            if record.game == setup.game and (key := (record.first, record.hands, record.match)) not in seen:
                seen.add(key)
                self._given.append(record)
        if not self._given:
            raise ValueError(f"{setup.deals} has no deal of {setup.game}")

    def __len__(self) -> int:
        """How many there are; 0: as many as wanted."""
        return len(self._given)

    def match(self, item: Item) -> Match:
        """The match, perhaps of one deal, that stands where the item's deal begins."""
        first = None if self.setup.matches else item.block % N_SEATS
        match = Match(self.rules, child_seed(self.setup.seed, item.block), first)
        match.n_deals = item.deal
        match.totals = item.match or match.totals
        return match

    def begin(self, item: Item, match: Match) -> Position:
        """The item's deal before its first move."""
        if not self._given:
            return match.deal()
        record = self._given[item.block]
        return Position(self.rules, record.first, record.hands, record.match or match.totals)
