"""Among moves that the search holds equal, the one that a partner can read."""

import pytest
from trickbot.ai.manners import readable
from trickbot.engine.position import Position
from trickbot.ext.search import RootMove


def moves(*cards: tuple[int, float, int]) -> list[RootMove]:
    return [
        RootMove(card, visits, 0.5, value, (80.0, 77.0), 0.1, None, [card]) for card, value, visits in cards
    ]


def deal(text: str):
    return Position.parse(text).deal


def card(name: str) -> int:
    return 16 * "rabs".index(name[0]) + "6789BUOKA".index(name[1])


# The hand of the seat to move, the moves so far, and which of the equal cards is played
CASES = {
    "of equals the low one before the high one": (
        "jass first 0 hands rO,rK,aA,aK,aO,bB,b9,s7,s6 ? ? ? moves roses",
        ["aA", "aK"],
        "aK",
    ),
    "a low trump before a high one": (
        "jass first 0 hands rU,r9,aA,aK,aO,bB,b9,s7,s6 ? ? ? moves roses",
        ["rU", "r9"],
        "r9",
    ),
    "in undenufe the six is high": (
        "jass first 0 hands r6,r7,aA,aK,aO,bB,b9,s7,s6 ? ? ? moves undenufe",
        ["r6", "r7"],
        "r7",
    ),
    "a lead from the suit that one has more to say in": (
        "jass first 0 hands aA,a7,b8,b7,b6,r6,s9,s8,s7 ? ? ? moves obenabe",
        ["b6", "a7", "s7"],
        "a7",
    ),
    "a discard from the suit that one does not want": (
        "jass first 3 hands aA,a7,b8,b7,b6,sK,s9,s8,s7 ? ? ? moves obenabe rA",
        ["a7", "b6", "s7"],
        "b6",
    ),
}


@pytest.mark.parametrize(("position", "equal", "played"), CASES.values(), ids=CASES.keys())
def test_of_equal_moves(position: str, equal: list[str], played: str) -> None:
    for first in range(len(equal)):
        order = equal[first:] + equal[:first]
        found = readable(deal(position), moves(*((card(name), 0.5, 1000) for name in order)))
        assert found[0].move == card(played)
        assert sorted(found) == sorted(moves(*((card(name), 0.5, 1000) for name in order)))


def test_a_trump_is_not_changed_for_another_suit() -> None:
    position = "jass first 0 hands rU,r9,aA,aK,aO,bB,b9,s7,s6 ? ? ? moves roses"
    for order in (["r9", "s6"], ["s6", "r9"]):
        found = readable(deal(position), moves(*((card(name), 0.5, 1000) for name in order)))
        assert found[0].move == card(order[0])


@pytest.mark.parametrize(("value", "visits"), [(0.495, 1000), (0.5, 100)], ids=["worse", "hardly tried"])
def test_a_move_that_is_not_equal_is_left_alone(value: float, visits: int) -> None:
    position = "jass first 0 hands rO,rK,aA,aK,aO,bB,b9,s7,s6 ? ? ? moves roses"
    found = readable(deal(position), moves((card("aA"), 0.5, 1000), (card("aK"), value, visits)))
    assert [move.move for move in found] == [card("aA"), card("aK")]
