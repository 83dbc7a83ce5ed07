"""Who sits at the table: bots in this process, and engines in processes of their own."""

from __future__ import annotations

import traceback
from time import perf_counter
from typing import Any, Protocol

from trickbot.ai.arena.setup import Setup
from trickbot.ai.client import (
    Engine,
    EngineError,
    EngineTerminatedError,
    EngineTimeoutError,
    Limit,
    SimpleEngine,
)
from trickbot.ai.wire import Kind, Value
from trickbot.engine.errors import NotationError, PositionError
from trickbot.engine.position import Position

MOST_FAILED_STARTS = 3


class LossError(Exception):
    """A player loses the deal other than by its cards."""

    def __init__(self, kind: Kind, message: str, transcript: list[str] | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.transcript = transcript or []


class Seat(Protocol):
    """A player on a seat of one deal after the other. Every method raises LossError."""

    def begin(self, seed: int) -> None:
        """A new deal."""

    def act(self, position: Position, seat: int) -> tuple[float, int]:
        """Makes the seat's next decision in the position; returns its seconds and nodes."""

    def finish(self) -> None:
        """The deal is over."""

    def abort(self) -> None:
        """The deal was lost: whatever may be out of order begins anew."""

    def close(self) -> None: ...


class Local:
    """A bot in this process. One may sit on several seats: all that it knows is in the view it is given."""

    def __init__(self, bot: Any) -> None:
        self._bot = bot
        self._seed = 0

    def begin(self, seed: int) -> None:
        self._seed = seed

    def act(self, position: Position, seat: int) -> tuple[float, int]:
        deal = position.deal
        begun = perf_counter()
        try:
            report = self._bot.choose(deal.view(seat), seed=self._seed)
        except Exception as error:
            trace = traceback.format_exc().splitlines()
            raise LossError("crash", f"{type(error).__name__}: {error}", trace) from None
        seconds = perf_counter() - begun
        try:
            for move in report.decision:
                position.play(move)
        except ValueError as error:
            raise LossError("illegal", str(error)) from None
        return seconds, report.nodes

    def finish(self) -> None:
        pass

    def abort(self) -> None:
        pass

    def close(self) -> None:
        pass


class External:
    """An engine of the protocol in a process of its own, one for each seat: it cannot know two hands."""

    def __init__(self, spec: str, setup: Setup) -> None:
        head, _, self._command = spec.partition(":")
        self._options = dict(word.partition("=")[::2] for word in head.split(",")[1:])
        by_name = {name.lower().replace(" ", ""): name for name in self._options}
        limits: dict[str, Any] = {
            key: self._options.pop(by_name[key]) for key in ("movetime", "nodes") if key in by_name
        }
        if not limits:
            limits = setup.limits
        try:
            movetime = int(limits["movetime"]) / 1000 if "movetime" in limits else None
            self._limit = Limit(time=movetime, nodes=int(limits["nodes"]) if "nodes" in limits else None)
        except ValueError:
            raise ValueError(f"player {spec!r}: movetime and nodes must be whole numbers") from None
        self._patience = setup.timeout if movetime is None else movetime + setup.margin / 1000
        self._timeout = setup.timeout
        self._engine: SimpleEngine | None = None
        self._failed_starts = 0

    def _loss(self, error: EngineError, when: str) -> LossError:
        """The loss that an engine's error is."""
        if isinstance(error, EngineTerminatedError):
            kind: Kind = "crash"
        elif isinstance(error, EngineTimeoutError):
            garbage = self._engine is not None and self._engine.engine.complaints
            kind = "timeout" if error.late else "protocol" if garbage else "stall"
        else:
            kind = "protocol"
        return self._lost(kind, f"{when}: {error}")

    def _lost(self, kind: Kind, message: str) -> LossError:
        return LossError(kind, message, list(self._engine.engine.transcript)[-40:] if self._engine else [])

    def begin(self, seed: int) -> None:
        engine = self._engine or self._start()
        try:
            engine.new_game(self._seed_option(engine, seed))
        except EngineError as error:
            raise self._loss(error, "new deal") from None

    def _start(self) -> SimpleEngine:
        if self._failed_starts >= MOST_FAILED_STARTS:
            raise LossError("stall", f"withdrawn: failed to start {self._failed_starts} times")
        self._failed_starts += 1
        try:
            engine = self._engine = SimpleEngine.popen(self._command, timeout=self._timeout)
        except EngineError as error:
            raise self._loss(error, "start") from None
        options = {"Threads": "1", **self._options} if "threads" in engine.options else self._options
        try:
            engine.configure(options)
        except EngineError as error:
            self.abort()
            raise ValueError(f"{self._command}: {error}") from None
        self._failed_starts = 0
        return engine

    def _seed_option(self, engine: SimpleEngine, seed: int) -> dict[str, Value]:
        """The option that makes its random choices those of the seat; none where its spec has a seed."""
        if "seed" not in engine.options or "seed" in map(str.lower, self._options):
            return {}
        most = engine.options["seed"].max
        return {"Seed": seed if most is None or seed <= most else seed % most + 1}

    def act(self, position: Position, seat: int) -> tuple[float, int]:
        assert self._engine is not None
        engine = self._engine.engine
        search = engine.play(
            position.view(seat), self._limit, timeout=self._patience, grace=min(2.0, self._timeout)
        )
        try:
            result = self._engine.run(search)
        except EngineError as error:
            raise self._loss(error, "go") from None
        self._check_strays(engine)
        try:
            position.add_word(result.move)
        except (PositionError, NotationError) as error:
            raise self._lost("illegal", str(error)) from None
        return result.seconds, result.info.nodes or 0

    def _check_strays(self, engine: Engine) -> None:
        strays = [line for line in engine.complaints if "bestmove" in line]
        if strays:
            raise self._lost("protocol", f"a second answer: {strays[0]}")

    def finish(self) -> None:
        assert self._engine is not None
        try:
            self._engine.ping()
        except EngineError as error:
            raise self._loss(error, "end of the deal") from None
        self._check_strays(self._engine.engine)

    def abort(self) -> None:
        if self._engine is not None:
            self._engine.quit(timeout=0.0)
            self._engine = None

    def close(self) -> None:
        if self._engine is not None:
            self._engine.quit(timeout=0.5)
            self._engine = None


def is_external(spec: str) -> bool:
    return spec.partition(":")[0].partition(",")[0] == "cmd"
