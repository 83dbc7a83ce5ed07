"""The last tricks of Jass: sampled worlds, each solved exactly with all hands open.

Near the end a deal hides little, and what good players would make of a world counts for more than how a search
would stumble through it: see bench/strength.md. ``Ending`` thinks like the kernel's ``Search`` and can stand in for it.
"""

from collections.abc import Sequence
from math import sqrt
from time import monotonic
from typing import Any

from trickbot.ext.search import RootMove, Search
from trickbot.ext.search import root_moves as searched_moves
from trickbot.ext.solver import Solver

ITERATIONS = (1, 1, 2, 6, 25, 100, 500, 2500)
"""Iterations of the search that take about as long as solving one world, by tricks left."""

_TABLE_MIB = 4.0
_LINE_NODES = 10_000  # for the best play after one move: enough for the last tricks


class Ending:
    """Solves worlds that a search imagines.

    search: of a card to be played, from a hand of seven or fewer; it is asked for worlds only. chances: estimate the
    chance to win the match as well.
    """

    def __init__(self, search: Search, *, chances: bool) -> None:
        self._search = search
        self._solver = Solver(_TABLE_MIB)
        self._chances = chances
        self._stopped = False
        self._last: Any = None
        self.deal = search.deal
        self.nodes = 0
        self.n_worlds = 0
        self.hashfull = 0
        self.sums = {move: _Sums() for move in range(64) if self.deal.legal() >> move & 1}
        self.cost = ITERATIONS[(self.deal.hand(self.deal.to_move) or 0).bit_count()]

    def run(self, nodes: int | None = None, seconds: float | None = None) -> bool:
        """Solves worlds until a limit is reached or `stop` is called; whether more of them may help."""
        until = None if seconds is None else monotonic() + seconds
        done = 0
        while (
            not self._stopped and (nodes is None or done < nodes) and (until is None or monotonic() < until)
        ):
            self._solve()
            done += self.cost if nodes is None else min(self.cost, nodes - done)
        self.nodes += done
        return not self._stopped

    def _solve(self) -> None:
        world: Any = self._search.world()
        values = self._solver.solve_moves(world)
        if not values:  # stopped
            return
        self.n_worlds += 1
        self._last = world
        side = self.deal.to_move % 2
        times = world.multiplier
        before = [
            points + to_come for points, to_come in zip(world.points, world.stoeck_to_come, strict=True)
        ]
        best = max(made[side] for _, made in values)
        n_best = sum(made[side] == best for _, made in values)
        for move, made in values:
            points = (before[0] + times * made[0], before[1] + times * made[1])
            win = world.win_chance(points, side) if self._chances else 0.0
            self.sums[move].add(points, side, 1 / n_best if made[side] == best else 0.0, win)

    def stop(self) -> None:
        """Ends a run, from any thread."""
        self._stopped = True
        self._search.stop()
        self._solver.stop()

    def weigh(self, n: int, seconds: float | None = None) -> None:
        """As the search's."""
        self._search.weigh(n, seconds)

    def world(self) -> Any:
        """A full deal as the search imagines it."""
        return self._search.world()

    def moves(self, others: Sequence["Ending"]) -> list[RootMove]:
        """The moves of the decision, best first, with what others have solved of the same one."""
        found = []
        scale = self._search.scale
        n_all = sum(each.n_worlds for each in (self, *others))
        for move, own in self.sums.items():
            total = _Sums()
            for sums in (own, *(each.sums[move] for each in others)):
                total.merge(sums)
            n = max(1, total.n)
            points = (total.points[0] / n, total.points[1] / n)
            side = self.deal.to_move % 2
            mean = points[side]
            found.append(
                RootMove(
                    move,
                    total.n,
                    total.votes / max(1, n_all),
                    0.5 + 0.5 * (mean - points[1 - side]) / scale,
                    points,
                    sqrt(max(0.0, total.squares / n - mean * mean) / n),
                    total.win / n if self._chances and total.n else None,
                    self._line(move),
                )
            )
        found.sort(key=lambda each: each.value, reverse=True)
        return found

    def _line(self, move: int) -> list[int]:
        """A move and the best play after it in the world that was solved last."""
        if self._last is None:
            return [move]
        after = self._last.copy()
        after.apply(move)
        line = self._solver.solve(after, max_nodes=_LINE_NODES).pv if after.to_move >= 0 else ()
        return [move, *line]


class _Sums:
    """Of one move, over the worlds solved."""

    def __init__(self) -> None:
        self.n = 0
        self.points = [0.0, 0.0]
        self.squares = 0.0
        self.votes = 0.0
        self.win = 0.0

    def add(self, points: tuple[float, float], side: int, votes: float, win: float) -> None:
        self.n += 1
        self.points[0] += points[0]
        self.points[1] += points[1]
        self.squares += points[side] ** 2
        self.votes += votes
        self.win += win

    def merge(self, other: "_Sums") -> None:
        self.n += other.n
        self.points[0] += other.points[0]
        self.points[1] += other.points[1]
        self.squares += other.squares
        self.votes += other.votes
        self.win += other.win


def root_moves(searches: Sequence[Any]) -> list[RootMove]:
    """The moves of the searched decision, best first: several searches of it (one a thread) added up."""
    if isinstance(searches[0], Ending):
        return searches[0].moves(searches[1:])
    return searched_moves(searches)
