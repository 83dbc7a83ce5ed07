"""Search control: how long to think, in how many threads, and what to say of it meanwhile.

The kernel's ``Search`` thinks in slices; here is who calls it. A ``Searcher`` decides one move of the seat to
move, from what that seat knows.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from trickbot.ai.manners import readable
from trickbot.ai.models import table
from trickbot.ai.options import Options
from trickbot.ai.skill import FULL, blur, iterations_per_world, limit_nodes, remember
from trickbot.engine.cards import cards_in
from trickbot.engine.deal import ALL_KNOWN, choose
from trickbot.engine.errors import PositionError
from trickbot.engine.notation import CONTRACT, GIVE, PLAY

if TYPE_CHECKING:
    from trickbot.ext.search import RootMove

METHODS = ("ismcts", "pimc")  # the bots that search
INFO_S = 0.125  # between two reports of a search that is limited by time
FIRST_INFO_NODES = 1 << 14  # of one limited by nodes: reports come at doubling numbers, whatever the clock
FEWEST_NODES = 32  # of a search without any time
WORLDS_S = 80_000  # worlds weighted for a second of thinking: about a tenth of it
MOST_WEIGHING = 0.25  # of the time, where worlds are hard to find
CLOSE_POINTS = {"tables": 0, "both": 20}  # of the best contract, by the option Contracts, mean multiplier 1
ALL_MOVES = (1 << 64) - 1
MOST_OF_TIME = 0.6  # of what is left on the clock, for one move
MARGIN_S = 0.001  # kept back for the answer
DECK_POINTS = 157  # of a jass deal, unmultiplied: the unit of utility
APPLES_POINTS = 100  # the unit in apples, about the spread of a round's scores


@dataclass(frozen=True)
class Limits:
    """When to stop: whichever comes first. Times in milliseconds; None: no such limit."""

    nodes: int | None = None
    movetime_ms: float | None = None
    time_ms: float | None = None  # left for all further moves of this deal
    inc_ms: float = 0.0
    infinite: bool = False

    @property
    def forever(self) -> bool:
        """Whether only a stop ends it."""
        return self.infinite and self.nodes is None and self.movetime_ms is None and self.time_ms is None


@dataclass(frozen=True)
class Report:
    """What came of a search, or how it stands.

    ``decision`` is the chosen move; in a give phase all cards of the give. ``moves`` are all moves of the
    (last) decision, best first; empty where nothing was searched.
    """

    decision: tuple[int, ...]
    moves: "list[RootMove]" = field(default_factory=list)
    nodes: int = 0
    worlds: int = 0
    time_s: float = 0.0
    hashfull: int = 0  # permille

    @property
    def best(self) -> int:
        """The chosen move, the first of the decision."""
        return self.decision[0]


class Searcher:
    """Decides one move of the seat to move.

    deal: any deal in which that seat's hand is known; the other hands are not looked at unless ``Open
    Hands`` is on. match: whether its totals mean anything. Raises ``PositionError`` when nobody is to move
    or the mover's hand is unknown.
    """

    def __init__(self, deal: Any, options: Options, *, match: bool = True) -> None:
        seat = deal.to_move
        if seat < 0:
            raise PositionError("bad-position", "nobody is to move")
        if not deal.known >> seat & 1:
            raise PositionError("bad-position", f"the hand of seat {seat}, which is to move, is unknown")
        self.open_hands: bool = options.open_hands and deal.known == ALL_KNOWN
        self.deal = deal.copy() if self.open_hands else deal.view(seat)
        self.options = options
        self.match = match and deal.rules.target > 0
        self.seed = options.seed or int.from_bytes(os.urandom(7), "little") + 1
        self._searches: list[Any] = []
        self._stopped = False
        self._lock = Lock()

    def stop(self) -> None:
        """Ends the search, from any thread; ``run`` then answers with what it has."""
        with self._lock:
            self._stopped = True
            for search in self._searches:
                search.stop()

    @property
    def forced(self) -> tuple[int, ...] | None:
        """The decision, where there is but one."""
        legal: int = self.deal.legal()
        return tuple(cards_in(legal)) if legal.bit_count() == _n_moves(self.deal) else None

    def imagination(self) -> Callable[[], Any]:
        """What draws a full deal at each call, as the search imagines it: by weight, see the option ``Beliefs``."""
        world: Callable[[], Any] = self._start(self.deal, 0, None, inf)[0].world
        return world

    def run(self, limits: Limits = Limits(), on_info: Callable[[Report], None] | None = None) -> Report:
        """Thinks within the limits; without any, for the option ``Move Time``.

        ``on_info`` gets the state of the search at most ten times a second. A give of n cards is n searches,
        each with an equal part of what is left.
        """
        started = time.monotonic()
        if self.forced:
            return Report(self.forced)
        if self.options.bot not in METHODS:
            return Report(at_once(self.deal, self.options.bot, self.seed))
        if (by_tables := self._by_tables()).bit_count() == 1:
            return Report(tuple(cards_in(by_tables)))
        until = started + self._seconds(limits)
        managed = limits.time_ms is not None and limits.movetime_ms is None
        most = started + MOST_OF_TIME * (limits.time_ms or 0.0) / 1000 - MARGIN_S
        nodes = limit_nodes(self.options.skill, limits.nodes)
        deal = self.deal.copy()
        report = Report(())
        for left in range(_n_moves(deal), 0, -1):
            now = time.monotonic()
            part = None if nodes is None else (nodes - report.nodes) // left
            end = now + (until - now) / left
            if limits.forever and left > 1:  # only the last card of a give is thought about for ever
                end = now + self.options.move_time / 1000 / left
            searches = self._start(deal, left, part, end - now)
            for _ in self._slices(searches, end, part, min(most, 2 * end - now) if managed else None):
                if on_info and left == 1:
                    on_info(self._report(searches, report, started))
            report = self._report(searches, report, started, self.seed + left)
            deal.apply(report.decision[-1])
        return report

    def _by_tables(self) -> int:
        """Mask of the contracts that the fitted tables leave to choose from; everything where they aren't asked."""
        within = CLOSE_POINTS.get(self.options.contracts)
        if self.deal.phase != CONTRACT or within is None:
            return ALL_MOVES
        from trickbot.ext.jass import contract_worths

        worths = contract_worths(self.deal, table("jass_contracts"))
        multipliers = self.deal.rules.multipliers
        least = max(worths.values()) - within * sum(multipliers) / len(multipliers)
        return sum(1 << move for move, worth in worths.items() if worth >= least)

    def _for_the_match(self, deal: Any) -> bool:
        """Whether the chance to win the match is what counts."""
        return bool(self.match and deal.rules.target - max(deal.match) <= self.options.win_within)

    def _solvable(self, deal: Any) -> bool:
        """Whether worlds are to be solved instead of searched. The solver knows points only, of a deal that is played
        to its end, and plays at full strength."""
        return (
            deal.game == "jass"
            and deal.phase == PLAY
            and deal.hand(deal.to_move).bit_count() <= self.options.solve_tricks
            and self.options.skill == FULL
            and not self._for_the_match(deal)
            and (not deal.rules.target or max(deal.scores) + deal.most_to_come < deal.rules.target)
        )

    def _start(self, deal: Any, stream: int, nodes: int | None, seconds: float) -> list[Any]:
        """A search for each thread, fit for so many iterations or seconds."""
        from trickbot.ai.endings import Ending
        from trickbot.ext.search import Search

        options = self.options
        pimc = options.bot == "pimc"
        iterations = iterations_per_world(
            options.skill, options.pimc_iterations if pimc else options.iterations
        )
        remembered = remember(deal, options.skill, self.seed)
        searches: list[Any] = [
            Search(
                remembered,
                method=options.bot,
                seed=self.seed,
                stream=64 * stream + thread,
                hash_mib=options.hash / options.threads,
                iterations=iterations,
                exploration=options.exploration,
                win=self._for_the_match(deal),
                scale=_scale(deal),
                others=options.others,
                chances=self.match,
                open_hands=self.open_hands,
                only=self._by_tables(),
                **self._imagined(),
            )
            for thread in range(options.threads)
        ]
        if self._solvable(deal):
            searches = [Ending(search, chances=self.match) for search in searches]
        with self._lock:
            self._searches = searches
            if self._stopped:
                for search in searches:
                    search.stop()
        worlds = min(options.beliefs, inf if nodes is None else nodes, seconds * WORLDS_S) / options.threads
        most = None if seconds == inf else MOST_WEIGHING * seconds / options.threads
        for search in searches:
            search.weigh(int(worlds), most)
        return searches

    def _imagined(self) -> dict[str, Any]:
        """How the search imagines the other seats."""
        options = self.options
        jass = self.deal.game == "jass"
        return {
            "model": table("jass_model") if jass else None,
            "contracts": table("jass_contracts") if jass else None,
            "model_others": options.model_others and not self.open_hands,
            "playout_tricks": options.playout_tricks,
        }

    def _slices(
        self, searches: list[Any], until: float, nodes: int | None, longest: float | None
    ) -> Iterator[None]:
        """Thinks until a limit, and yields between whenever something may be said. With a `longest` the time is ours to
        manage: less where the rest of it cannot change the choice, until then where the choice is unclear."""
        done, mark = 0, FIRST_INFO_NODES
        going = True
        started = time.monotonic()
        half = (until - started) / 2
        slice_s = INFO_S if longest is None else min(INFO_S, half / 4)
        while going and (nodes is None or done < nodes):
            now = time.monotonic()
            if now >= until:
                if not done:  # no time at all is still time for a glance
                    _think(searches, FEWEST_NODES if nodes is None else min(nodes, FEWEST_NODES), None)
                    return
                if longest is None or now >= longest or not _unclear(searches):
                    return
                until = min(longest, now + slice_s)
            if until == inf and nodes is not None:
                going = _think(searches, min(nodes, mark) - done, None)
                mark *= 2
            else:
                seconds = min(until - now, slice_s)
                going = _think(searches, None if nodes is None else nodes - done, seconds)
            done = sum(search.nodes for search in searches)
            now = time.monotonic()
            if (
                longest
                and started + half <= now < until
                and _settled(searches, (until - now) / (now - started))
            ):
                return
            if going and (nodes is None or done < nodes) and now < until:
                yield

    def _report(self, searches: list[Any], before: Report, started: float, seed: int | None = None) -> Report:
        """How the searches stand after an earlier part of the decision; with a seed, chosen by skill."""
        from trickbot.ai.endings import root_moves

        moves = root_moves(searches)
        if not moves[0].visits:  # no time at all: what the rules bot would play
            at_once = choose(searches[0].deal, "rules", self.seed)
            moves.sort(key=lambda move: move.move != at_once)
        elif seed is not None:
            if self.options.readable:
                moves = readable(searches[0].deal, moves)
            moves = blur(moves, self.options.skill, seed)
        return Report(
            (*before.decision, moves[0].move),
            moves,
            before.nodes + sum(search.nodes for search in searches),
            before.worlds + sum(search.n_worlds for search in searches),
            time.monotonic() - started,
            max(search.hashfull for search in searches),
        )

    def _seconds(self, limits: Limits) -> float:
        """Seconds for this move; inf: no limit of time."""
        if limits == Limits():
            return float(self.options.move_time) / 1000 - MARGIN_S
        seconds = inf
        if limits.movetime_ms is not None:
            seconds = limits.movetime_ms / 1000
        if limits.time_ms is not None:
            left = (self.deal.hand(self.deal.to_move) or 0).bit_count() + (self.deal.phase != PLAY)
            share = limits.time_ms / (0.75 * left + 0.5) + 0.75 * limits.inc_ms
            seconds = min(seconds, share / 1000, MOST_OF_TIME * limits.time_ms / 1000)
        return max(0.0, seconds - MARGIN_S)


def at_once(deal: Any, kind: str, seed: int) -> tuple[int, ...]:
    """The decision of a bot that does not search."""
    if deal.phase != GIVE:
        return (choose(deal, kind, seed),)
    deal = deal.copy()
    given: tuple[int, ...] = ()
    for stream in range(_n_moves(deal)):
        given = (*given, choose(deal, kind, seed + stream))
        deal.apply(given[-1])
    return given


def _n_moves(deal: Any) -> int:
    """The kernel's moves that the next decision takes: what is left of a give, else one."""
    return int(deal.bid[0] - deal.n_given) if deal.phase == GIVE else 1


def _think(searches: list[Any], nodes: int | None, seconds: float | None) -> bool:
    """Runs all searches side by side, the nodes divided; whether more thinking may help."""
    n = len(searches)
    parts = [None if nodes is None else nodes // n + (each < nodes % n) for each in range(n)]
    answers = [False] * n

    def run(each: int) -> None:
        answers[each] = searches[each].run(parts[each], seconds)

    threads = [Thread(target=run, args=(each,), daemon=True) for each in range(1, n)]
    for thread in threads:
        thread.start()
    run(0)
    for thread in threads:
        thread.join()
    return all(answers)


def _unclear(searches: list[Any]) -> bool:
    """Whether another move than the most visited has the highest value."""
    from trickbot.ai.endings import root_moves

    moves = root_moves(searches)
    return moves[0].value < max(move.value for move in moves if move.visits)


def _settled(searches: list[Any], more: float) -> bool:
    """Whether no other move can be the most visited after so many more iterations, in parts of those so far."""
    from trickbot.ai.endings import root_moves

    moves = root_moves(searches)
    return moves[0].visits - moves[1].visits > more * sum(move.visits for move in moves)


def _scale(deal: Any) -> float:
    """Points of a deal that make the whole range of utility."""
    if deal.game == "apples":
        return APPLES_POINTS
    times = max(deal.rules.multipliers) if deal.phase == CONTRACT else deal.multiplier
    return float(DECK_POINTS * times)
