"""Drives any engine of the protocol from Python, in the manner of chess.engine.

    async with await Engine.popen("trickbot --game jass") as engine:
        result = await engine.play("jass first 0 hands rA,rK,... ? ? ?", Limit(time=0.5))

`SimpleEngine` is the same without async, with time-outs. A position is the text after the word `position`, or
anything whose `text()` gives that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from trickbot.ai.connection import Analysis, Engine, Position
from trickbot.ai.wire import (
    EngineError,
    EngineOption,
    EngineTerminatedError,
    EngineTimeoutError,
    Info,
    Limit,
    PlayResult,
    Value,
)

__all__ = [
    "Analysis",
    "Engine",
    "EngineError",
    "EngineOption",
    "EngineTerminatedError",
    "EngineTimeoutError",
    "Info",
    "Limit",
    "PlayResult",
    "SimpleAnalysis",
    "SimpleEngine",
]

T = TypeVar("T")


class SimpleEngine:
    """`Engine` for programs without async.

    Calls raise EngineTimeoutError when they take `timeout` seconds more than their limit.
    Its event loop runs in the calling thread and only during calls; use it from one thread.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop, timeout: float | None) -> None:
        self.engine = engine
        self.timeout = timeout
        self._loop = loop

    @classmethod
    def popen(
        cls, command: str | Sequence[str], *, timeout: float | None = 10.0, cwd: str | None = None
    ) -> SimpleEngine:
        """Starts a program and greets it."""
        return cls.connect(lambda: Engine.popen(command, timeout=timeout, cwd=cwd), timeout)

    @classmethod
    def connect(
        cls, open_engine: Callable[[], Coroutine[Any, Any, Engine]], timeout: float | None = 10.0
    ) -> SimpleEngine:
        """For an engine that is opened in another way, for instance on a mock transport."""
        loop = asyncio.new_event_loop()
        try:
            return cls(loop.run_until_complete(open_engine()), loop, timeout)
        except BaseException:
            loop.close()
            raise

    @property
    def id(self) -> dict[str, str]:
        return self.engine.id

    @property
    def options(self) -> dict[str, EngineOption]:
        return self.engine.options

    def _run(self, call: Coroutine[Any, Any, T], more: float | None = 0.0) -> T:
        limit = None if self.timeout is None or more is None else self.timeout + more
        try:
            return self._loop.run_until_complete(asyncio.wait_for(call, limit))
        except asyncio.TimeoutError:
            raise EngineTimeoutError(f"no answer within {limit:g} s") from None

    def ping(self) -> None:
        self._run(self.engine.ping())

    def configure(self, options: Mapping[str, Value]) -> None:
        self._run(self.engine.configure(options))

    def new_game(self) -> None:
        self._run(self.engine.new_game())

    def play(self, position: Position, limit: Limit | None = None, *, game: object = None) -> PlayResult:
        return self._run(self.engine.play(position, limit, game=game), _seconds(limit))

    def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
    ) -> list[Info]:
        call = self.engine.analyse(position, limit, multipv=multipv, game=game)
        return self._run(call, _seconds(limit))

    def analysis(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
    ) -> SimpleAnalysis:
        call = self.engine.analysis(position, limit, multipv=multipv, game=game)
        return SimpleAnalysis(self, self._run(call))

    def legal(self, position: Position) -> list[str]:
        return self._run(self.engine.legal(position))

    def state(self, position: Position) -> dict[str, Any]:
        return self._run(self.engine.state(position))

    def quit(self) -> int | None:
        """Ends the engine and returns its exit code."""
        if self._loop.is_closed():
            return self.engine.terminated.exit_code if self.engine.terminated else None
        code = self._loop.run_until_complete(self.engine.quit())
        self._loop.close()
        return code

    def close(self) -> None:
        """Ends the engine by force."""
        if not self._loop.is_closed():
            self.engine.close()
            self._loop.run_until_complete(self.engine._ended.wait())
            self._loop.close()

    def __enter__(self) -> SimpleEngine:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.quit()


def _seconds(limit: Limit | None) -> float:
    return (limit.seconds if limit is not None else None) or 0.0


class SimpleAnalysis:
    """`Analysis` without async."""

    def __init__(self, engine: SimpleEngine, inner: Analysis) -> None:
        self._engine = engine
        self._inner = inner

    @property
    def info(self) -> Info:
        return self._inner.info

    @property
    def multipv(self) -> list[Info]:
        return self._inner.multipv

    def stop(self) -> None:
        self._inner.stop()

    def wait(self) -> PlayResult:
        """The move; the search must be stopped or have a limit."""
        return self._engine._run(self._inner.wait())

    def __iter__(self) -> Iterator[Info]:
        return self

    def __next__(self) -> Info:
        try:
            return self._engine._run(self._inner.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None

    def __enter__(self) -> SimpleAnalysis:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.stop()
