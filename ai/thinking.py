"""A search that an engine is engaged in."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from trickbot.ai.pending import Pending
from trickbot.ai.wire import EngineError, Info, PlayResult

if TYPE_CHECKING:
    from trickbot.ai.connection import Engine


class Analysis:
    """A search in progress: an async iterator of its infos. End it with `stop()`; `wait()` gives its move."""

    def __init__(self, engine: Engine, stream: bool, tag: str = "", position_tag: str = "") -> None:
        self._engine = engine
        self._tag = tag
        self._position_tag = position_tag
        self._refused: EngineError | None = None  # the position was: the search that goes on is of another
        self._raw: deque[str] = deque(maxlen=64)
        self._stream: deque[Info] | None = deque() if stream else None
        self._news: Pending[None] = Pending(engine._loop)
        self._rounds: dict[int, Info] = {}
        self._multipv_after = ""  # the option is set back to this
        self._started = time.perf_counter()
        self._stopped = False
        self._outcome: Pending[PlayResult] = Pending(engine._loop)

    @property
    def multipv(self) -> list[Info]:
        """The latest info of each reported move, best first."""
        self._read()
        return [self._rounds[k] for k in sorted(self._rounds)]

    @property
    def info(self) -> Info:
        """The latest info about the best move."""
        self._read()
        return self._rounds.get(1, Info())

    @property
    def running(self) -> bool:
        return not self._outcome.done

    def stop(self) -> None:
        """Asks the engine to end the search; does nothing where it has ended."""
        if self.running and not self._stopped:
            self._stopped = True
            self._engine._write("stop")

    async def wait(self) -> PlayResult:
        """The move. Raises EngineError where there is none."""
        return await self._outcome.get()

    def __aiter__(self) -> AsyncIterator[Info]:
        return self

    async def __anext__(self) -> Info:
        while self._stream is not None:
            if self._stream:
                return self._stream.popleft()
            if not self.running:
                break
            self._news = Pending(self._engine._loop)
            await self._news.settled()
        raise StopAsyncIteration

    async def __aenter__(self) -> Analysis:
        return self

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        self.stop()

    # Called by the engine

    def _read(self) -> None:
        while self._raw:
            info = Info.parse(self._raw.popleft())
            if info.string is None:
                self._rounds[info.multipv] = info

    def _info(self, text: str) -> None:
        self._raw.append(text)
        if self._stream is not None:
            self._read()
            self._stream.append(Info.parse(text))
            self._news.set(None)

    def _end(self, move: str) -> None:
        if self._refused is not None:
            self._fail(self._refused)
        elif self.running:
            self._outcome.set(PlayResult(move, self.info, time.perf_counter() - self._started))
            self._close()

    def _fail(self, error: EngineError) -> None:
        if self.running:
            self._outcome.fail(error)
            self._close()

    def _close(self) -> None:
        self._news.set(None)
        if self._multipv_after and self._engine.terminated is None:
            self._engine._write(f"setoption name MultiPV value {self._multipv_after}")
