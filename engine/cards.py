"""Cards, sets of cards and the facts about the two games that need no rules.

A card is its lane id, ``16 * suit + rank``; a set of cards is a 64-bit mask of lane ids, so that every
suit has a lane of sixteen bits. The kernels in ``trickbot.ext`` use the same numbers.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

N_SEATS = 4


class Game(NamedTuple):
    """What is fixed about a game before its rules."""

    name: str
    suits: str  # one letter each, lane 0 to 3
    ranks: str  # one letter each, lowest first, as in the plain order
    n_sides: int  # that score: teams of two, or players

    @property
    def n_dealt(self) -> int:
        """Cards in a hand at the deal."""
        return len(self.ranks)

    @property
    def pack(self) -> int:
        """Every card of the game, a mask."""
        return sum(((1 << len(self.ranks)) - 1) << 16 * suit for suit in range(len(self.suits)))


JASS = Game("jass", "rabs", "6789BUOKA", 2)
APPLES = Game("apples", "cdhs", "23456789TJQKA", 4)
GAMES = {game.name: game for game in (JASS, APPLES)}


def side_of(game: str, seat: int) -> int:
    """The side that a seat scores for: its team in jass, itself in apples."""
    return seat % GAMES[game].n_sides


def cards_in(mask: int) -> Iterator[int]:
    """The cards of a set as people list them: suit by suit, the highest rank first."""
    for suit in range(4):
        lane = mask >> 16 * suit & 0xFFFF
        while lane:
            rank = lane.bit_length() - 1
            lane ^= 1 << rank
            yield 16 * suit + rank


def mask_of(cards: Iterable[int]) -> int:
    """The set of these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask
