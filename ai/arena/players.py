"""Who sits at the table: bots in this process, and engines in processes of their own."""

from __future__ import annotations

import asyncio
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
    PlayResult,
)
from trickbot.ai.wire import Kind
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

    def __init__(self, spec: str, setup: Setup, loop: asyncio.AbstractEventLoop) -> None:
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
        self._loop = loop
        self._engine: Engine | None = None
        self._failed_starts = 0

    def _run(self, call: Any) -> Any:
        return self._loop.run_until_complete(call)

    def _loss(self, error: EngineError, when: str) -> LossError:
        """The loss that an engine's error is."""
        if isinstance(error, EngineTerminatedError):
            kind: Kind = "crash"
        elif isinstance(error, EngineTimeoutError):
            garbage = self._engine is not None and self._engine.complaints
            kind = "timeout" if error.late else "protocol" if garbage else "stall"
        else:
            kind = "protocol"
        return self._lost(kind, f"{when}: {error}")

    def _lost(self, kind: Kind, message: str) -> LossError:
        return LossError(kind, message, list(self._engine.transcript)[-40:] if self._engine else [])

    def begin(self, seed: int) -> None:
        if self._engine is None:
            self._start()
        try:
            self._run(asyncio.wait_for(self._prepare(seed), self._timeout))
        except EngineError as error:
            raise self._loss(error, "new deal") from None
        except asyncio.TimeoutError:
            raise self._loss(EngineTimeoutError("no readyok"), "new deal") from None

    def _start(self) -> None:
        if self._failed_starts >= MOST_FAILED_STARTS:
            raise LossError("stall", f"withdrawn: failed to start {self._failed_starts} times")
        self._failed_starts += 1
        try:
            engine = self._engine = self._run(Engine.popen(self._command, timeout=self._timeout))
        except EngineError as error:
            raise self._loss(error, "start") from None
        options = {"Threads": "1", **self._options}
        if "threads" not in engine.options and "Threads" not in self._options:
            del options["Threads"]
        try:
            self._run(asyncio.wait_for(engine.configure(options), self._timeout))
        except (EngineError, asyncio.TimeoutError) as error:
            self.abort()
            raise ValueError(f"{self._command}: {error or 'no answer to setoption'}") from None
        self._failed_starts = 0

    async def _prepare(self, seed: int) -> None:
        assert self._engine is not None
        await self._engine.new_game()
        if "seed" in self._engine.options and "seed" not in map(str.lower, self._options):
            most = self._engine.options["seed"].max
            await self._engine.configure({"Seed": seed if most is None or seed <= most else seed % most + 1})

    def act(self, position: Position, seat: int) -> tuple[float, int]:
        engine = self._engine
        assert engine is not None
        try:
            result: PlayResult = self._run(
                engine.play(
                    position.view(seat), self._limit, timeout=self._patience, grace=min(2.0, self._timeout)
                )
            )
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
            self._run(asyncio.wait_for(self._engine.ping(), self._timeout))
        except EngineError as error:
            raise self._loss(error, "end of the deal") from None
        except asyncio.TimeoutError:
            raise self._lost("stall", "end of the deal: no readyok") from None
        self._check_strays(self._engine)

    def abort(self) -> None:
        if self._engine is not None:
            self._run(self._engine.quit(timeout=0.0))
            self._engine = None

    def close(self) -> None:
        if self._engine is not None:
            self._run(self._engine.quit(timeout=0.5))
            self._engine = None


def is_external(spec: str) -> bool:
    return spec.partition(":")[0].partition(",")[0] == "cmd"
