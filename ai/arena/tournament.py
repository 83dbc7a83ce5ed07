"""Runs a tournament: hands out its deals, writes its log, and stops when it has its answer."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal

from trickbot.ai.arena.blocks import Deals, Item, seatings
from trickbot.ai.arena.log import Log, read_log
from trickbot.ai.arena.setup import Setup
from trickbot.ai.arena.standings import Standings
from trickbot.ai.arena.stats import Decision, Sequential
from trickbot.ai.arena.work import Done, close_worker, play_items
from trickbot.engine.cards import GAMES

SETTINGS = "tournament"  # the key of the settings, which the first line of a log has
TASK_S = 0.2  # a task of a worker should take about so long, where deals are quicker
_MOST_ITEMS = 512
_MOST_TRIES = 3

End = Literal["complete", "interrupted"] | Decision


class TournamentError(RuntimeError):
    """The tournament cannot go on; its log can be resumed."""


class Inline(Executor):
    """Calls in this thread, at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the engines that the calls have started."""
        close_worker()


class Tournament:
    """A tournament in progress. `standings` is what its log says, `broken` the numbers of unreadable lines.

    log: a path; None keeps none. resume: go on with what the log holds; else it must be new or empty.
    sprt: a test that ends it, if it is not that of the setup. Raises ValueError where the log is of another
    tournament, and for settings that do not go together.
    """

    def __init__(
        self,
        setup: Setup,
        log: str | Path | None = None,
        *,
        resume: bool = False,
        sprt: Sequential | None = None,
    ) -> None:
        sprt = sprt or setup.test
        if sprt is not None and (len(setup.pairings) > 1 or len(setup.pairings[0]) > 2):
            raise ValueError("a sequential test is between two players")
        self.setup = setup
        self.sprt = sprt
        self.standings = Standings(setup.labels, setup.pairings)
        self.broken: list[int] = []
        self.n_played = 0
        self._deals = Deals(setup)
        self._seatings = {pairing: len(seatings(setup, pairing)) for pairing in setup.pairings}
        self.n_resumed = 0  # blocks that the log held
        self._log = None if log is None else Log(log)
        self._headed = False  # the settings are in the log
        if self._log is not None:
            try:
                self._read(self._log.path, resume)
            except ValueError:
                self._log.close()
                raise

    def _read(self, path: Path, resume: bool) -> None:
        for number, record in read_log(path):
            if not resume:
                raise ValueError(f"{path} holds a tournament: resume it, or name another log")
            if record is None:
                self.broken.append(number)
                continue
            begun = record.get(SETTINGS)
            if begun is not None:
                self._headed = True
                if Setup.from_dict(begun).decisive != self.setup.decisive:
                    raise ValueError(f"{path} is the log of another tournament (line {number})")
            self.standings.add(record)
        self.n_resumed = self.n_finished

    @property
    def n_finished(self) -> int:
        """Complete blocks of all pairings."""
        return sum(map(len, self.standings.finished.values()))

    @property
    def n_blocks(self) -> int:
        """Blocks of each pairing; 0: until the sequential test ends."""
        return min((n for n in (self.setup.blocks, len(self._deals)) if n), default=0)

    def _items(self) -> Iterator[Item]:
        zero = (0,) * GAMES[self.setup.game].n_sides if self.setup.matches else None
        for block in range(self.n_blocks) if self.n_blocks else count():
            for pairing in self.setup.pairings:
                yield from self.standings.to_do(pairing, block, self._seatings[pairing], zero)

    @property
    def decision(self) -> Decision | None:
        """What the sequential test says."""
        if self.sprt is None:
            return None
        return self.sprt.decision(next(iter(self.standings.pairs.values())).margin)

    def run(
        self,
        executor: Executor | None = None,
        parallel: int = 1,
        progress: Callable[[Tournament], None] | None = None,
    ) -> End:
        """Plays until the blocks are complete or the test is decided; returns which.

        executor: where deals are played, `parallel` at a time; None: in this thread. On KeyboardInterrupt the
        deals that are not over are left, and the end is `interrupted`. Raises TournamentError, ValueError.
        """
        if executor is None:
            with Inline() as inline:
                return self.run(inline, 1, progress)
        running: dict[Future[Any], list[Item]] = {}
        try:
            return self._run(executor, parallel, running, progress or (lambda _: None))
        except KeyboardInterrupt:
            for future in running:
                if future.done() and not future.cancelled() and future.exception() is None:
                    self._take(future.result()[0])
            return "interrupted"
        finally:
            if self._log is not None:
                self._log.close()

    def _run(
        self,
        executor: Executor,
        parallel: int,
        running: dict[Future[Any], list[Item]],
        progress: Callable[[Tournament], None],
    ) -> End:
        fresh = self._items()
        again: deque[Item] = deque()
        alone: deque[Item] = deque()  # was in a task that failed
        tries: Counter[Item] = Counter()
        size = 1
        while True:
            decision = self.decision
            if decision is not None:
                return decision
            while len(running) < 2 * parallel:
                items = [alone.popleft()] if alone else _next_items(again, fresh, size)
                if not items:
                    break
                running[executor.submit(play_items, self.setup, items, TASK_S)] = items
            if not running:
                return "complete"
            ready, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ready:
                items = running.pop(future)
                error = future.exception()
                if error is not None:
                    self._failed(error, items, tries)
                    alone.extend(items)
                    continue
                done, left, seconds = future.result()
                again.extendleft(reversed(left))
                size = max(1, min(_MOST_ITEMS, int(TASK_S * len(done) / max(seconds, 1e-9)), 2 * size))
                self._take(done)
            progress(self)

    def _take(self, done: list[Done]) -> None:
        """Writes deals to the log and folds them into the standings, up to the decision of the test."""
        lines = []
        for each in done:
            if self.decision is not None:
                break
            if self.standings.add(each.result):
                lines.append(each.line)
        self.n_played += len(lines)
        if lines and not self._headed:
            self._headed = True
            lines[0] = f'{lines[0][:-1]},"{SETTINGS}":{json.dumps(self.setup.as_dict())}}}'
        if self._log is not None and lines:
            self._log.append(lines)

    @staticmethod
    def _failed(error: BaseException, items: list[Item], tries: Counter[Item]) -> None:
        """Counts a task that failed; raises where trying again is of no use."""
        if isinstance(error, ValueError):
            raise error
        if len(items) > 1:  # they are tried again one by one, to find out which it was
            return
        item = items[0]
        tries[item] += 1
        if tries[item] >= _MOST_TRIES:
            where = f"block {item.block}, seating {item.seating}"
            raise TournamentError(f"{where} failed {tries[item]} times: {error}") from error


def _next_items(first: deque[Item], then: Iterator[Item], n: int) -> list[Item]:
    items = [first.popleft() for _ in range(min(n, len(first)))]
    return items + list(islice(then, n - len(items)))


def read_standings(path: str | Path) -> tuple[Standings, dict[str, Any] | None, list[int]]:
    """The standings that a log holds, its settings, and the numbers of its lines that cannot be read.

    Raises ValueError where it holds no deal of a tournament.
    """
    settings = None
    labels: dict[str, None] = {}
    tables: dict[tuple[str, ...], None] = {}
    for _, record in read_log(path):
        if record is not None:
            settings = settings or record.get(SETTINGS)
            if settings is not None:
                break
            labels |= dict.fromkeys(record["players"])
            tables[tuple(sorted(set(record["players"])))] = None
    if settings is not None:
        setup = Setup.from_dict(settings)
        standings = Standings(setup.labels, setup.pairings)
    elif labels:
        index = {label: i for i, label in enumerate(labels)}
        pairings = [tuple(sorted(index[label] for label in table)) for table in tables]
        standings = Standings(list(labels), pairings)
    else:
        raise ValueError(f"{path} holds no deal of a tournament")
    broken = []
    for number, record in read_log(path):
        if record is None:
            broken.append(number)
        else:
            standings.add(record)
    return standings, settings, broken
