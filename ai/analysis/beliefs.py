"""What a seat holds possible: the chance that each hidden card lies with each of the others.

Counted over worlds drawn as the search draws them: every deal that agrees with all hard facts is as likely
as any other.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from trickbot.engine.cards import N_SEATS, cards_in

N_WORLDS = {"jass": 20_000, "apples": 4_000}


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


def beliefs_of(deal: Any, seat: int, seed: int = 1, n_worlds: int | None = None) -> Beliefs:
    """What the seat holds possible. Raises ``ValueError`` where nothing is possible."""
    view = deal.view(seat)
    n = n_worlds or N_WORLDS[view.game]
    places = [Place(each) for each in range(N_SEATS) if each != seat]
    if view.game == "jass":
        counts = _hands(view, n, seed, places)
    else:
        hidden = [each for each in range(N_SEATS) if view.targets[each] is None]
        targets = [Place(each, True) for each in hidden if each != seat]
        counts, some = _hands_and_targets(view, n, seed, places, targets)
        places += targets if some else []
    chances = [{card: times / n for card, times in place.items()} for place in counts[: len(places)]]
    cards = {card for place in chances for card in place}
    return Beliefs(
        view.game, places, [{card: place.get(card, 0.0) for card in cards} for place in chances], n
    )


def _hands(view: Any, n: int, seed: int, places: list[Place]) -> list[dict[int, int]]:
    import numpy as np

    hands = view.sample(n, seed)
    counts = []
    for place in places:
        held = hands[:, place.seat]
        seen = int(np.bitwise_or.reduce(held))
        counts.append({card: int((held >> np.uint64(card) & np.uint64(1)).sum()) for card in cards_in(seen)})
    return counts


def _hands_and_targets(
    view: Any, n: int, seed: int, places: list[Place], targets: list[Place]
) -> tuple[list[dict[int, int]], bool]:
    counts: list[dict[int, int]] = [{} for _ in (*places, *targets)]
    some = False
    for stream in range(n):
        world = view.determinize(seed, stream)
        if world is None:
            raise ValueError("no deal is consistent with what is known")
        for place, count in zip(places, counts, strict=False):
            for card in cards_in(world.hand(place.seat)):
                count[card] = count.get(card, 0) + 1
        for place, count in zip(targets, counts[len(places) :], strict=True):
            card = world.targets[place.seat]
            if card is not None and card >= 0:
                some = True
                count[card] = count.get(card, 0) + 1
    return counts, some
