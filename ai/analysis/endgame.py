"""The last tricks of Apples with all hands open, by trying everything.

Four players for themselves: each takes the card that leads to the most for itself, its points less the mean of
the others' (max^n). Of equal cards the first counts, suit by suit and from the top.
"""

from typing import Any

from trickbot.engine.cards import cards_in
from trickbot.engine.notation import OVER

Line = tuple[int, ...]


def solve(deal: Any, others: float) -> tuple[tuple[int, ...], Line]:
    """The points of a full deal by player, and the cards that lead there. ``others``: weight of the others' mean.

    Thinkable for three tricks, a few thousandths of a second; a fourth takes a hundred times as long.
    """
    if deal.phase == OVER:
        return tuple(deal.points), ()
    seat = deal.to_move
    best: tuple[float, tuple[int, ...], Line] | None = None
    for card in cards_in(deal.legal()):
        after = deal.copy()
        after.apply(card)
        points, line = solve(after, others)
        worth = points[seat] - others * (sum(points) - points[seat]) / 3
        if best is None or worth > best[0]:
            best = (worth, points, (card, *line))
    assert best is not None
    return best[1], best[2]
