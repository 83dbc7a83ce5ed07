"""The work of one process: deals in, lines of the log and results out."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Sequence
from time import monotonic
from typing import Any, NamedTuple

from trickbot.ai.arena.blocks import Deals, Item, Seating, seatings
from trickbot.ai.arena.play import Watch, line_of, play, result_of
from trickbot.ai.arena.players import External, Local, Seat, is_external
from trickbot.ai.arena.setup import Setup


class Done(NamedTuple):
    """A deal that was played: its item, the line for the log, and what the standings take."""

    item: Item
    line: str
    result: dict[str, Any]


class Worker:
    """Plays a setup's deals. Bots and engines live as long as it does."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.deals = Deals(setup)
        self._bots: dict[str, Any] = {}
        self._seats: dict[tuple[str, int], Seat] = {}
        self._seatings: dict[tuple[int, ...], list[Seating]] = {}

    def seatings(self, pairing: tuple[int, ...]) -> list[Seating]:
        if pairing not in self._seatings:
            self._seatings[pairing] = seatings(self.setup, pairing)
        return self._seatings[pairing]

    def play(self, item: Item, watch: Watch | None = None) -> Done:
        """Plays one deal."""
        every = self.seatings(item.pairing)
        chairs = every[item.seating]
        slots: Counter[str] = Counter()
        seats = []
        for chair in chairs:
            spec = self.setup.players[chair.player].bots[chair.bot]
            seats.append(self._seat(spec, slots[spec]))
            slots[spec] += 1
        played = play(self.deals, item, seats, watch)
        labels = [self.setup.players[chair.player].label for chair in chairs]
        result = result_of(item, played, labels, len(every))
        return Done(item, line_of(played, result, self.setup.seed), result)

    def _seat(self, spec: str, slot: int) -> Seat:
        key = spec, slot
        if key not in self._seats:
            self._seats[key] = self._make_seat(spec)
        return self._seats[key]

    def _make_seat(self, spec: str) -> Seat:
        if is_external(spec):
            return External(spec, self.setup)
        if spec not in self._bots:
            from trickbot.ai.bots import make_bot

            self._bots[spec] = make_bot(self.setup.local_spec(spec), self.setup.game)
        return Local(self._bots[spec])

    def close(self) -> None:
        """Ends the engines."""
        for seat in self._seats.values():
            seat.close()


def next_item(done: Done) -> Item | None:
    """The deal that follows in the match; None where it is over, or there is none."""
    item, result = done.item, done.result
    if item.match is None or result["winner"] is not None or "loss" in result:
        return None
    return item._replace(deal=item.deal + 1, match=tuple(result["scores"]))


_mine = threading.local()


def play_items(setup: Setup, items: Sequence[Item], budget: float) -> tuple[list[Done], list[Item], float]:
    """Plays items, and what follows in their matches, until `budget` seconds are over; at least one deal.

    Returns the deals that were played, the items that were not, and the seconds it took. The thread keeps its
    bots and engines for the next call with the same setup. An item may be played again after an accident: it
    is the same deal then, and the caller sees to it that none is counted twice.
    """
    worker = getattr(_mine, "worker", None)
    if worker is None or worker.setup != setup:
        close_worker()
        worker = _mine.worker = Worker(setup)
    begun = monotonic()
    waiting, done = deque(items), list[Done]()
    while waiting and not (done and monotonic() > begun + budget):
        result = worker.play(waiting.popleft())
        done.append(result)
        following = next_item(result)
        if following is not None:
            waiting.appendleft(following)
    return done, list(waiting), monotonic() - begun


def close_worker() -> None:
    """Ends this thread's engines."""
    worker = getattr(_mine, "worker", None)
    if worker is not None:
        worker.close()
        _mine.worker = None
