"""A partner that people can read: among moves that the search holds equal, the one that tells what players expect.

What a card tells at the tables where Jass is learnt: of equals the low one comes before the high one; a discard shows
the suit that one does not want (Verwerfen); a lead from a suit shows that one has more to say there (Anziehen).
"""

from collections.abc import Sequence
from typing import Any

from trickbot.engine.cards import cards_in
from trickbot.engine.notation import PLAY

EQUAL = 0.001  # in units of utility: some 0.3 points of a deal, about what a search of 50 ms can tell apart
TRIED = 0.5  # of the best move's visits, so that its value is known as well


def readable(deal: Any, moves: Sequence[Any]) -> list[Any]:
    """The moves of a search, best first, with the most readable of the equally good in front.

    deal: from the chooser's view, a card of jass to be played; any other decision is left alone. A trump is never
    changed for another suit, or the other way: drawing trumps, or not, tells more than a small card.
    """
    if deal.game != "jass" or deal.phase != PLAY or len(moves) < 2:
        return list(moves)
    best = moves[0]
    equals = [
        move
        for move in moves
        if move.visits >= TRIED * best.visits
        and abs(move.value - best.value) <= EQUAL
        and (move.move >> 4 == deal.contract) == (best.move >> 4 == deal.contract)
    ]
    chosen = min(equals, key=lambda move: _order(deal, move.move), default=best)
    return [chosen, *(move for move in moves if move is not chosen)]


def _order(deal: Any, card: int) -> tuple[int, int]:
    """What is played first: discards from the weakest suit, leads from the strongest, low before high."""
    from trickbot.ext.jass import n_higher

    contract = deal.contract
    own = n_higher(contract, card)
    others = [
        n_higher(contract, other) for other in cards_in(deal.hand(deal.to_move)) if other >> 4 == card >> 4
    ]
    if not deal.trick:
        return min((n for n in others if n != own), default=9), -own
    discards = deal.trick[0] >> 4 != card >> 4
    return -min(others) if discards else 0, -own
