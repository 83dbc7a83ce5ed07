"""What a move is worth: the deal is played on in worlds that are common to all moves compared.

The worlds are drawn from what the seat to move knows, as the engine imagines them. In each of them the
choices that are left before the play are made by each seat from its own view, and the play itself with all
hands open: by the exact solver where that is affordable, else by a search. So a value is the mean, over the
deals that may be, of what good players who saw everything would make of the move; moves are compared by the
differences within each world.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import hypot, sqrt
from typing import Any

from trickbot.ai.options import Options
from trickbot.ai.searcher import Limits, Searcher
from trickbot.engine.cards import N_SEATS, cards_in, side_of
from trickbot.engine.match import child_seed, shuffled
from trickbot.engine.notation import CONTRACT, OVER, PILE, PLAY, REDEAL

N_TRICKS = 9  # of jass
N_APPLES_TRICKS = 12
_OBENABE = 4  # the first contract without trump

CHOICE_NODES = 1000
"""Iterations for a choice that a seat makes from its own view on the way to the play."""

_CHOICE_WORTH = 4  # times the iterations for the deal that a choice before the play leads to
_PARTS = 10  # of the worlds, each measured against the best of the others
_DRAWS_A_WORLD = 10  # so many draws for each world seen: one that is missing had a chance of e**-10


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class Value:
    """Points of the whole deal by side, as they enter the match.

    exact: solved, not searched. win: the chance of winning the match by team in jass, None where it was not
    estimated. line: the moves that lead there, from the first that was open.
    """

    points: tuple[float, ...]
    exact: bool
    win: tuple[float, ...] | None = None
    line: tuple[int, ...] = ()


class Stopped(Exception):  # noqa: N818
    """What was asked for was stopped before its end."""


class Stop:
    """Ends work from any thread: what is being solved gives up, and what asks ``check`` raises ``Stopped``."""

    def __init__(self) -> None:
        self.stopped = False
        self._solvers: list[Any] = []

    def stop(self) -> None:
        """Ends the work."""
        self.stopped = True
        for solver in list(self._solvers):
            solver.stop()

    def check(self) -> None:
        """Raises ``Stopped`` when the work is to end."""
        if self.stopped:
            raise Stopped

    @contextmanager
    def during(self, solver: Any) -> Iterator[Any]:
        """While this solver works."""
        self._solvers.append(solver)
        try:
            self.check()
            yield solver
        finally:
            self._solvers.remove(solver)


def margin(points: Sequence[float], side: int) -> float:
    """A side's points less the others', or less their mean in apples."""
    others = [each for at, each in enumerate(points) if at != side]
    return points[side] - sum(others) / len(others)


# Worlds


@dataclass(frozen=True)
class Worlds:
    """Deals that one seat holds possible. ``counts``: how often each was drawn. ``complete``: these are all
    there are, so that nothing is left to chance."""

    deals: list[Any]
    counts: list[int]
    complete: bool

    @property
    def n(self) -> int:
        """Worlds drawn."""
        return sum(self.counts)


def imagination(deal: Any, options: Options, seed: int) -> Callable[[], Any]:
    """What draws full deals of what the seat to move knows, as the engine at full strength imagines them."""
    options = options.copy()
    for name, value in (("Open Hands", False), ("Skill", 20), ("Threads", 1), ("Hash", 1), ("Seed", seed)):
        options.set(name, value)
    return Searcher(deal, options).imagination()


def draw_worlds(deal: Any, n: int, seed: int, options: Options) -> Worlds:
    """``n`` worlds of what the seat to move knows, drawn independently as the engine imagines them.

    Where there are no more than that, they are drawn more often, and the counts say how likely each is: a
    world is valued but once. Where they are known to be equally likely, each then counts one. Raises
    ``ValueError`` if there is none.
    """
    draw = imagination(deal, options, seed)
    places: dict[Any, int] = {}
    deals: list[Any] = []
    drawn: list[int] = []
    while len(drawn) < n or (len(deals) <= n and len(drawn) < _DRAWS_A_WORLD * len(deals)):
        world = draw()
        at = places.setdefault(_key(world), len(deals))
        if at == len(deals):
            deals.append(world)
        drawn.append(at)
    if len(deals) > n:  # they are not all
        counts = Counter(drawn[:n])
        return Worlds([deals[at] for at in counts], list(counts.values()), False)
    if len(deals) == 1 or (deal.game == "jass" and not options.beliefs):
        return Worlds(deals, [1] * len(deals), True)
    counts = Counter(drawn)
    return Worlds(deals, [counts[at] for at in range(len(deals))], False)


def _key(world: Any) -> Any:
    """What of a world makes a difference from here on."""
    hands = tuple(world.hand(seat) for seat in range(N_SEATS))
    return (hands, tuple(world.targets)) if world.game == "apples" else hands


# Values


@dataclass(frozen=True)
class Effort:
    """How much is spent on the value of a deal with open hands.

    tricks: deals with so many left, or fewer, are solved, in jass two more without trump; 0: none.
    solver_nodes: at which the solver gives up. nodes: of the search that then takes its place. apples_tricks: in
    place of tricks in apples, where each one more takes fifty times as long (bench/speed.md).
    """

    tricks: int
    solver_nodes: int
    nodes: int
    apples_tricks: int = 4


EFFORTS = {
    "quick": (Effort(5, 200_000, 500), Effort(7, 2_000_000, 5_000, 5), 20),
    "normal": (Effort(7, 1_000_000, 1_000), Effort(9, 60_000_000, 20_000, 5), 50),
    "deep": (Effort(9, 10_000_000, 4_000, 5), Effort(9, 10**12, 50_000, 6), 200),
}
"""By name: for the worlds that moves are valued in, for the deal that was dealt, and how many worlds."""

WORLD, DEAL, N_WORLDS = EFFORTS["normal"]


class OpenHands:
    """Values deals whose four hands are known, all of them open. ``options`` are those of the engine."""

    def __init__(self, options: Options, effort: Effort, stop: Stop | None = None) -> None:
        self.options = options.copy()
        self._view = options.copy()  # for a seat's own choice
        for name, value in (("Bot", "ismcts"), ("Skill", 20), ("Threads", 1), ("Hash", 4)):
            self._view.set(name, value)
        self._view.set("Open Hands", False)
        self._open = self._view.copy()
        self._open.set("Open Hands", True)
        self._open.set("Seed", 1)
        self.effort = effort
        self.stop = stop or Stop()

    def searching(self) -> "OpenHands":
        """The same without the solver."""
        effort = replace(self.effort, tricks=0, nodes=_CHOICE_WORTH * self.effort.nodes)
        return OpenHands(self.options, effort, self.stop)

    def value(self, world: Any, seed: int) -> Value:
        """What the deal will bring. Choices before the play are made by each seat from its own view."""
        deal = world.copy()
        step = 0
        while deal.phase not in (PLAY, OVER, REDEAL):
            self._choose(deal, child_seed(seed, step))
            step += 1
        return self.best(deal, seed)

    def best(self, world: Any, seed: int) -> Value:
        """What the deal will bring if every seat sees all hands from now on, before the play too."""
        self.stop.check()
        deal = world.copy()
        if deal.phase == CONTRACT and self.effort.tricks:
            return self.moves(deal, seed)[0][1]
        line: list[int] = []
        while deal.phase not in (OVER, REDEAL):
            if deal.phase == PILE:
                deal.pile(shuffled(deal, seed).sets)
                continue
            forced = Searcher(deal, self._open).forced
            if forced is None:
                break
            for move in forced:
                deal.apply(move)
            line += forced
        if deal.phase in (OVER, REDEAL):
            found = Value(tuple(map(float, deal.points)), True, _settled(deal))
        else:
            found = self._solved(deal) or self._searched(deal, seed)
        return replace(found, line=(*line, *found.line))

    def moves(self, deal: Any, seed: int) -> list[tuple[int, Value]]:
        """Every legal move of a full deal with all hands open, best first. Of a give: its last card."""
        if deal.phase not in (CONTRACT, PLAY):
            found, before = self._search(deal, seed)
            return [(each.move, _value(deal, each, before)) for each in found if each.visits]
        valued = {}
        for move in cards_in(deal.legal()):
            after = deal.copy()
            after.apply(move)
            if after.phase == PLAY or not self.effort.tricks:
                value = self.best(after, seed)
                valued[move] = replace(value, line=(move, *value.line))
        side = side_of(deal.game, deal.to_move)
        ranked = sorted(valued.items(), key=lambda each: -margin(each[1].points, side))
        for move in cards_in(deal.legal()):
            if (
                move not in valued
            ):  # push: with all hands open the partner names the best, and the rest is the same
                best = ranked[0][1]
                ranked.insert(1, (move, replace(best, line=(move, *best.line))))
        return ranked

    def _solved(self, deal: Any) -> Value | None:
        """By the solver; None where it is not to be used or gave up."""
        if deal.phase != PLAY:
            return None
        if deal.game == "apples":
            n_left, most = N_APPLES_TRICKS - len(deal.tricks), self.effort.apples_tricks
        else:
            n_left = N_TRICKS - len(deal.tricks)
            most = self.effort.tricks + 2 * (deal.contract >= _OBENABE)
        if not self.effort.tricks or n_left > most:
            return None
        with self.stop.during(_solver(deal.game, self.effort, self._view.others)) as solver:
            solution = solver.solve(deal, max_nodes=self.effort.solver_nodes)
        if solution.value is None:
            self.stop.check()
            return None
        end = deal.copy()
        for move in solution.pv:
            end.apply(move)
            if deal.game == "jass" and end.winner >= 0:  # the match ends: points are not what is played for
                return None
        return Value(tuple(map(float, end.points)), True, None, solution.pv)

    def _searched(self, deal: Any, seed: int) -> Value:
        found, before = self._search(deal, seed)
        return _value(deal, found[0], before)

    def _search(self, deal: Any, seed: int) -> tuple[list[Any], tuple[int, ...]]:
        """The moves of a search with open hands; in a give, of the last card, with the cards before it."""
        options = self._open.copy()
        options.set("Seed", seed)
        found = Searcher(deal, options).run(Limits(nodes=self.effort.nodes))
        return found.moves, found.decision[:-1]

    def _choose(self, deal: Any, seed: int) -> None:
        """Makes the next choice before the play."""
        self.stop.check()
        if deal.phase == PILE:
            deal.pile(shuffled(deal, seed).sets)
            return
        options = self._view.copy()
        options.set("Seed", seed)
        for move in Searcher(deal, options).run(Limits(nodes=CHOICE_NODES)).decision:
            deal.apply(move)


_local = threading.local()


def _solver(game: str, effort: Effort, others: float) -> Any:
    """This thread's solver, with a table for as much as it may do."""
    from trickbot.ext.apples_solver import ApplesSolver
    from trickbot.ext.solver import Solver

    mib = 64.0 if effort.solver_nodes >= 10_000_000 else 4.0
    solvers = _local.__dict__.setdefault("solvers", {})
    key = (game, mib, others)
    if key not in solvers:
        solvers[key] = ApplesSolver(mib, others=others) if game == "apples" else Solver(mib)
    return solvers[key]


def _value(deal: Any, move: Any, before: tuple[int, ...]) -> Value:
    """A move of a search as a value."""
    win = None
    if move.win is not None and deal.n_sides == 2:
        win = (move.win, 1 - move.win)[:: 1 - 2 * side_of(deal.game, deal.to_move)]
    return Value(tuple(move.points), False, win, (*before, *move.pv))


def _settled(deal: Any) -> tuple[float, ...] | None:
    """The chances in a match that this deal has ended."""
    if deal.n_sides != 2 or deal.winner < 0:
        return None
    return (1.0, 0.0) if deal.winner == 0 else (0.0, 1.0)


# Comparing decisions


@dataclass(frozen=True)
class Comparison:
    """Decisions of one seat valued in common worlds: ``values[w][d]`` of decision d in world w.

    What is rare among the worlds may be missing from those drawn, most of all where two moves seldom differ.
    So the error of a difference counts one world in all those drawn as unknown: to the error of the mean
    comes, in squares, the spread of the decision's margin over the number of worlds. With that, two errors
    cover the truth 94 to 95 times in 100 on endings solved exactly (bench/analysis.py).
    """

    side: int
    worlds: Worlds
    values: list[list[Value]]

    @property
    def exact(self) -> bool:
        """Whether all values are solved."""
        return all(value.exact for row in self.values for value in row)

    def points(self, decision: int) -> tuple[Estimate, ...]:
        """Expected points of the deal after a decision, by side."""
        return tuple(
            self._estimate([row[decision].points[side] for row in self.values])
            for side in range(len(self.values[0][0].points))
        )

    def lost(self, decision: int, best: int) -> Estimate:
        """How much more margin the decision ``best`` brings: the mean of the differences within worlds."""
        if decision == best:
            return Estimate(0.0, 0.0)
        return self._difference(decision, [best] * len(self.values))

    def best(self, rather: int = 0) -> int:
        """The decision of the highest mean margin; of equals the one asked for, else the first."""
        return self._best(range(len(self.values)), rather)

    def lost_to_best(self, decision: int) -> Estimate:
        """How much margin a decision loses against the best one.

        Taking the highest of several means for the best flatters it. So the worlds are divided, and each part
        is measured against the best decision of all other parts (cross-fitting): what is not worse loses 0 on
        average.
        """
        n = len(self.values)
        if n < 2 or (self.worlds.complete and self.exact):
            return self.lost(decision, self.best(decision))
        parts = min(n, _PARTS)
        of_others = [
            self._best([at for at in range(n) if at % parts != part], decision) for part in range(parts)
        ]
        return self._difference(decision, [of_others[at % parts] for at in range(n)])

    def _best(self, places: Sequence[int], rather: int) -> int:
        counts, side = self.worlds.counts, self.side
        sums = [
            sum(counts[at] * margin(self.values[at][each].points, side) for at in places)
            for each in range(len(self.values[0]))
        ]
        most = max(sums)
        return rather if sums[rather] >= most - 1e-9 * (1 + abs(most)) else sums.index(most)

    def _difference(self, decision: int, best: Sequence[int]) -> Estimate:
        """Of a decision from those that are best in each of the worlds."""
        own = [margin(row[decision].points, self.side) for row in self.values]
        found = self._estimate(
            [
                margin(row[each].points, self.side) - each_own
                for row, each, each_own in zip(self.values, best, own, strict=True)
            ]
        )
        unseen = self._estimate(own).error / sqrt(self.worlds.n)
        return Estimate(found.mean, hypot(found.error, unseen))

    def win_lost(self, decision: int, best: int) -> Estimate | None:
        """The same of the chance to win the match; None where it was not estimated."""
        wins = [(row[best].win, row[decision].win) for row in self.values]
        found = [one[self.side] - other[self.side] for one, other in wins if one and other]
        return self._estimate(found) if len(found) == len(wins) else None

    def _estimate(self, samples: Sequence[float]) -> Estimate:
        return estimate(samples, self.worlds.counts, complete=self.worlds.complete and self.exact)


def estimate(samples: Sequence[float], counts: Sequence[int], *, complete: bool = False) -> Estimate:
    """The mean of samples by their counts and its standard error; none where the samples are all there is."""
    n = sum(counts)
    mean = sum(count * each for count, each in zip(counts, samples, strict=True)) / n
    if complete:
        return Estimate(mean, 0.0)
    squares = sum(count * (each - mean) ** 2 for count, each in zip(counts, samples, strict=True))
    return Estimate(mean, sqrt(squares / max(1, n - 1) / n))


def compare(
    deal: Any, decisions: Sequence[Sequence[int]], valuer: OpenHands, *, n_worlds: int, seed: int
) -> Comparison:
    """Values decisions of the seat to move in common worlds of what it knows.

    A decision is its moves: one, or in a give phase all cards of the give.
    """
    seat = deal.to_move
    if deal.phase != PLAY:  # contracts must all be valued in the same way
        valuer = valuer.searching()
    worlds = draw_worlds(deal, n_worlds, child_seed(seed, 1), valuer.options)
    rows = []
    for at, world in enumerate(worlds.deals):
        row = []
        for moves in decisions:
            after = world.copy()
            for move in moves:
                after.apply(move)
            row.append(valuer.value(after, child_seed(seed, 2, at)))
        rows.append(row)
    return Comparison(side_of(deal.game, seat), worlds, rows)
