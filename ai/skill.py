"""Playing below full strength in the manner of a person.

A weaker player imagines fewer deals and looks less far into them, forgets what others have shown, and now
and then takes a move that looks nearly as good. It never breaks a rule and never thinks longer.
"""

from collections.abc import Sequence
from math import exp
from random import Random
from typing import Any

FULL = 20
_FEWEST = 12  # iterations at level 0; each level has half as many again
_GROWTH = 1.5
_LOOSEST = 0.14  # at level 0, in units of utility: how much worse a move may look and still be taken often


def limit_nodes(level: int, nodes: int | None) -> int | None:
    """The iterations that this level may spend on a move."""
    if level >= FULL:
        return nodes
    most = round(_FEWEST * _GROWTH**level)
    return most if nodes is None else min(nodes, most)


def iterations_per_world(level: int, iterations: int) -> int:
    """Iterations that this level spends on one imagined deal."""
    return iterations if level >= FULL else max(iterations, 8 - level // 3)


def remember(deal: Any, level: int, seed: int) -> Any:
    """The deal as this level remembers it."""
    return deal if level >= FULL else deal.forgetful((1 - level / FULL) ** 2, seed)


def blur(moves: Sequence[Any], level: int, seed: int) -> list[Any]:
    """The moves of a search with the one that this level takes in front."""
    if level >= FULL or len(moves) < 2:
        return list(moves)
    looseness = _LOOSEST * (1 - level / FULL) ** 1.7
    seen = [move for move in moves if move.visits] or list(moves)
    best = max(move.value for move in seen)
    weights = [exp((move.value - best) / looseness) for move in seen]
    chosen = Random(seed).choices(seen, weights)[0]
    return [chosen, *(move for move in moves if move is not chosen)]
