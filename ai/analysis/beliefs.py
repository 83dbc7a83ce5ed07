"""What a seat holds possible: the chance that each hidden card lies with each of the others.

Counted over worlds that are drawn as the engine imagines them: in jass weighted by how likely the others would
have played as they did (option ``Beliefs``), in apples all that agree with the hard facts alike.
"""

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from typing import Any

from trickbot.ai.analysis.values import imagination
from trickbot.ai.options import Options
from trickbot.engine.cards import N_SEATS, cards_in

N_WORLDS = 4_000


@dataclass(frozen=True)
class Place:
    """Where a hidden card may be: a seat's hand, or in apples the card it has set aside."""

    seat: int
    target: bool = False

    def __str__(self) -> str:
        return f"target of seat {self.seat}" if self.target else f"seat {self.seat}"


@dataclass(frozen=True)
class Beliefs:
    """chances[i][card]: that the card lies in places[i]; sums to 1 over the places for each hidden card."""

    game: str
    places: list[Place]
    chances: list[dict[int, float]]
    n_worlds: int

    @property
    def error(self) -> float:
        """The largest standard error that a chance may have."""
        return sqrt(0.25 / self.n_worlds)

    @property
    def cards(self) -> list[int]:
        """The hidden cards, suit by suit, the highest first."""
        return list(cards_in(sum(1 << card for card in set().union(*self.chances))))


def beliefs_of(deal: Any, options: Options, *, seed: int = 1, n_worlds: int = N_WORLDS) -> Beliefs:
    """What the seat to move holds possible. Raises ``ValueError`` where nothing is."""
    draw = imagination(deal, options, seed)
    counts: dict[Place, Counter[int]] = {}
    seats = [seat for seat in range(N_SEATS) if seat != deal.to_move]
    view = deal.view(deal.to_move)
    for _ in range(n_worlds):
        world = draw()
        for seat in seats:
            counts.setdefault(Place(seat), Counter()).update(cards_in(world.hand(seat)))
        if view.game == "apples":
            for seat in seats:
                card = world.targets[seat]
                if card is not None and view.targets[seat] is None:
                    counts.setdefault(Place(seat, True), Counter())[card] += 1
    cards = set().union(*counts.values())
    places = sorted(counts, key=lambda place: (place.target, place.seat))
    chances = [{card: counts[place][card] / n_worlds for card in cards} for place in places]
    return Beliefs(view.game, places, chances, n_worlds)
