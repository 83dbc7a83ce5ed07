"""Plain max^n on the last tricks of Apples with all hands open, on the naive referee: every legal card is tried.

Each player is after the most for itself: its points less `others` times the mean of the others'. Of outcomes that
are equal to it a player takes the one with the fewest points for the next player, then for the one after, then
for the third.
"""

from fractions import Fraction

from .apples import ApplesReferee


def liking(points: list[int], seat: int, others: Fraction) -> tuple[Fraction, ...]:
    """What this seat compares outcomes by; higher is better."""
    rest = [points[(seat + place) % 4] for place in (1, 2, 3)]
    return (points[seat] - others * sum(rest) / 3, *(Fraction(-each) for each in rest))


def moves(round_: ApplesReferee, others: Fraction) -> dict[str, list[int]]:
    """The points of the round after each legal card, with best play by all four."""
    found = {}
    for card in round_.legal():
        after = round_.copy()
        after.play(card)
        found[card] = best(after, others)
    return found


def best(round_: ApplesReferee, others: Fraction) -> list[int]:
    """The points of the round with best play by all four."""
    seat = round_.to_move
    if seat is None:
        return round_.deal
    return max(moves(round_, others).values(), key=lambda points: liking(points, seat, others))
