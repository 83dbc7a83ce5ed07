"""Drives any engine of the protocol from Python, in the manner of chess.engine.

    async with await Engine.popen("trickbot --game jass") as engine:
        result = await engine.play("jass first 0 hands rA,rK,... ? ? ?", Limit(time=0.5))

`SimpleEngine` is the same without async, with time-outs. A position is the text after the word `position`, or
anything whose `text()` gives that.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from trickbot.ai.connection import Engine, Position
from trickbot.ai.pending import Pump, drive
from trickbot.ai.pipe import PipeTransport
from trickbot.ai.thinking import Analysis
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

    Calls raise EngineTimeoutError when they take `timeout` seconds more than their limit. The engine is read
    from during calls only; use it from one thread.
    """

    def __init__(self, engine: Engine, pump: Pump, timeout: float | None) -> None:
        self.engine = engine
        self.timeout = timeout
        self._pump = pump

    @classmethod
    def popen(
        cls, command: str | Sequence[str], *, timeout: float | None = 10.0, cwd: str | None = None
    ) -> SimpleEngine:
        """Starts a program (shell-like words, or a list) and greets it."""
        engine = Engine()
        try:
            transport = PipeTransport(command, engine._line, engine._end, cwd)
        except (OSError, ValueError) as error:
            raise EngineError(f"cannot start {command!r}: {error}") from None
        return cls(drive(engine.attach(transport, timeout), transport), transport, timeout)

    @property
    def id(self) -> dict[str, str]:
        return self.engine.id

    @property
    def options(self) -> dict[str, EngineOption]:
        return self.engine.options

    def run(self, call: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """What a call of `engine` comes to; EngineTimeoutError after `timeout` seconds."""
        try:
            return drive(call, self._pump, timeout)
        except TimeoutError:
            raise EngineTimeoutError(f"no answer within {timeout:g} s") from None

    def _run(self, call: Coroutine[Any, Any, T], more: float = 0.0) -> T:
        return self.run(call, None if self.timeout is None else self.timeout + more)

    def ping(self) -> None:
        self._run(self.engine.ping())

    def configure(self, options: Mapping[str, Value]) -> None:
        self._run(self.engine.configure(options))

    def new_game(self, options: Mapping[str, Value] | None = None) -> None:
        self._run(self.engine.new_game(options))

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

    def quit(self, timeout: float = 2.0) -> int | None:
        """Ends the engine: politely, after `timeout` seconds by force. Returns its exit code."""
        return drive(self.engine.quit(timeout), self._pump)

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
