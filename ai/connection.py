"""An engine at the other end of a transport: what it is told, and what becomes of its lines."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from trickbot.ai.process import ProcessTransport
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

log = logging.getLogger(__name__)


class Transport(Protocol):
    """Where an engine's lines go: a process, or a script (`trickbot.ai.mock`)."""

    exit_code: int | None

    @property
    def stderr(self) -> str: ...
    def write(self, *lines: str) -> None: ...
    def close(self) -> None:
        """Ends the engine's input."""

    def kill(self) -> None: ...


class HasText(Protocol):
    def text(self) -> str: ...


Position = str | HasText


class Analysis:
    """A search in progress: an async iterator of its infos. End it with `stop()`; `wait()` gives its move."""

    def __init__(self, engine: Engine, stream: bool, tag: str = "", position_tag: str = "") -> None:
        self._engine = engine
        self._tag = tag
        self._position_tag = position_tag
        self._refused: EngineError | None = None  # the position was: the search that goes on is of another
        self._raw: deque[str] = deque(maxlen=64)
        self._stream: asyncio.Queue[Info | None] | None = asyncio.Queue() if stream else None
        self._rounds: dict[int, Info] = {}
        self._started = time.perf_counter()
        self._stopped = False
        self._done: asyncio.Future[PlayResult] = asyncio.get_running_loop().create_future()

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
        return not self._done.done()

    def stop(self) -> None:
        """Asks the engine to end the search; does nothing where it has ended."""
        if self.running and not self._stopped:
            self._stopped = True
            self._engine._write("stop")

    async def wait(self) -> PlayResult:
        """The move. Raises EngineError where there is none."""
        return await asyncio.shield(self._done)

    def __aiter__(self) -> AsyncIterator[Info]:
        return self

    async def __anext__(self) -> Info:
        if self._stream is None:
            raise StopAsyncIteration
        info = await self._stream.get()
        if info is None:
            self._stream.put_nowait(None)
            raise StopAsyncIteration
        return info

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
            self._stream.put_nowait(Info.parse(text))

    def _end(self, move: str) -> None:
        if self._refused is not None:
            self._fail(self._refused)
            return
        self._finish()
        if self.running:
            self._done.set_result(PlayResult(move, self.info, time.perf_counter() - self._started))

    def _fail(self, error: EngineError) -> None:
        self._finish()
        if self.running:
            self._done.set_exception(error)
            self._done.exception()  # whoever waits sees it; nobody need wait

    def _finish(self) -> None:
        if self._stream is not None:
            self._stream.put_nowait(None)


class Engine:
    """One engine. Every call raises EngineTerminatedError once the engine has ended.

    `id`: what it says of itself (name, author, protocol). `options`: by lower-case name. `ids`: whether it
    marks its answers with the id of their command. `transcript`: the last lines in both directions.
    `complaints`: lines that break the protocol, such as a second bestmove.
    """

    def __init__(self) -> None:
        self.id: dict[str, str] = {}
        self.options: dict[str, EngineOption] = {}
        self.ids = False
        self.transcript: deque[str] = deque(maxlen=100)
        self.complaints: deque[str] = deque(maxlen=20)
        self.terminated: EngineTerminatedError | None = None
        self._transport: Transport | None = None
        self._search: Analysis | None = None
        self._pongs: deque[asyncio.Future[None]] = deque()
        self._request: tuple[str, str, asyncio.Future[str]] | None = None  # tag, first word, answer
        self._errors: dict[str, EngineError] = {}
        self._tag = 0
        self._ended: asyncio.Event = asyncio.Event()
        self._multipv: str | None = None
        self._game: object = None

    # Beginning and end

    @classmethod
    async def popen(
        cls, command: str | Sequence[str], *, timeout: float | None = 10.0, cwd: str | None = None
    ) -> Engine:
        """Starts a program (shell-like words, or a list) and greets it.

        Raises EngineError, and EngineTimeoutError for one that does not answer.
        """
        engine = cls()
        try:
            transport = await ProcessTransport.start(command, engine._line, engine._end, cwd)
        except (OSError, ValueError) as error:
            raise EngineError(f"cannot start {command!r}: {error}") from None
        return await engine.attach(transport, timeout)

    async def attach(self, transport: Transport, timeout: float | None = 10.0) -> Engine:
        """Greets the engine at the other end of a transport."""
        self._transport = transport
        try:
            await asyncio.wait_for(self._greet(), timeout)
        except (asyncio.TimeoutError, EngineError) as error:
            await self.quit(timeout=0.0)
            if isinstance(error, EngineError):
                raise
            raise EngineTimeoutError(f"the engine did not answer uci within {timeout:g} s") from None
        return self

    async def _greet(self) -> None:
        await self._ask("uci", "uciok")
        pong = self._await_pong()
        self._write("id 0 isready", "isready")  # an engine without ids answers the second alone
        await pong

    async def quit(self, timeout: float = 2.0) -> int | None:
        """Ends the engine: politely, after `timeout` seconds by force. Returns its exit code."""
        if self.terminated is None:
            self._write("quit")
            assert self._transport is not None
            self._transport.close()
        try:
            await asyncio.wait_for(self._ended.wait(), timeout)
        except asyncio.TimeoutError:
            self.close()
            await self._ended.wait()
        return self.terminated.exit_code if self.terminated else None

    def close(self) -> None:
        """Ends the engine by force, at once."""
        if self._transport is not None:
            self._transport.kill()

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        await self.quit()

    # Verbs

    async def ping(self) -> None:
        """Returns when the engine has answered `isready`, also during a search."""
        pong = self._await_pong()
        self._write("isready")
        await pong

    async def configure(self, options: Mapping[str, Value]) -> None:
        """Sets options. Raises EngineError for an unknown name, a value out of range, or a refusal."""
        lines = []
        for name, value in options.items():
            option = self.options.get(name.lower())
            if option is None:
                known = ", ".join(each.name for each in self.options.values())
                raise EngineError(f"the engine has no option {name!r}; it has {known or 'none'}")
            word = option.word(value)
            if option.name.lower() == "multipv":
                self._multipv = word
            lines.append(f"setoption name {option.name} value {word}")
        if lines:
            await self._idle()
            await self._tell(*lines)

    async def new_game(self) -> None:
        """Tells the engine to forget what it knows of earlier deals."""
        await self._idle()
        await self._tell("ucinewgame")

    async def play(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        game: object = None,
        timeout: float | None = None,
        grace: float = 2.0,
    ) -> PlayResult:
        """The engine's move. Another `game` than at the last call: `ucinewgame` first.

        After `timeout` seconds the engine is told to stop; EngineTimeoutError follows when it did, or after
        `grace` more. EngineError: the engine refused the position or the search.
        """
        search = await self._go(position, (limit or Limit()).words, game, stream=False)
        return await self._wait(search, timeout, grace)

    async def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        timeout: float | None = None,
    ) -> list[Info]:
        """What the engine thinks of its moves, best first, `multipv` many."""
        search = await self._go(position, (limit or Limit()).words, game, stream=False, multipv=multipv)
        await self._wait(search, timeout, 2.0)
        return search.multipv

    async def analysis(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
    ) -> Analysis:
        """The same as a stream that runs until it is stopped, or the limit is reached."""
        words = limit.words if limit is not None else ""
        return await self._go(position, words or " infinite", game, stream=True, multipv=multipv)

    async def legal(self, position: Position) -> list[str]:
        """The words of the engine's `legal` line."""
        return (await self._ask_at(position, "legal")).split()

    async def state(self, position: Position) -> dict[str, Any]:
        """The engine's `state`, read from JSON."""
        try:
            found: dict[str, Any] = json.loads(await self._ask_at(position, "state"))
        except ValueError as error:
            raise EngineError(f"the engine's state is no JSON: {error}") from None
        return found

    async def commands(self) -> list[str]:
        """The engine's commands."""
        await self._idle()
        return (await self._ask("commands", "commands")).split()

    # Within

    async def _go(
        self, position: Position, limit: str, game: object, *, stream: bool, multipv: int | None = None
    ) -> Analysis:
        if self._search is not None or self._request is not None:
            await self._idle()
        self._check_alive()
        before = []
        if game is not self._game:
            self._game = game
            before.append("ucinewgame")
        wanted = self._multipv if multipv is None else str(multipv)
        if multipv is not None and "multipv" not in self.options:
            raise EngineError("the engine has no option MultiPV")
        if multipv is not None and wanted != self._multipv:
            before.append(f"setoption name MultiPV value {wanted}")
        before.append(f"position {_text(position)}")
        if self.ids:
            first, tag = self._next_tag(), self._next_tag()
            search = self._search = Analysis(self, stream, tag, first)
            self._write(*[f"id {first} {line}" for line in before], f"id {tag} go{limit}")
        else:  # without ids an answer to the position must be awaited: it could not be told from the search's
            await self._tell(*before)
            search = self._search = Analysis(self, stream)
            self._write(f"go{limit}")
        if multipv is not None and wanted != self._multipv:
            back = self._multipv or self.options["multipv"].default
            search._done.add_done_callback(lambda _: self._restore_multipv(back))
        return search

    def _restore_multipv(self, value: str) -> None:
        if self.terminated is None:
            self._write(f"setoption name MultiPV value {value}")

    async def _wait(self, search: Analysis, timeout: float | None, grace: float) -> PlayResult:
        if timeout is None:
            try:
                return await search.wait()
            except asyncio.CancelledError:
                search.stop()
                raise
        loop = asyncio.get_running_loop()
        silent = EngineTimeoutError(f"no bestmove after {timeout:g} s, nor {grace:g} s after stop")
        timers = [
            loop.call_later(timeout, search.stop),
            loop.call_later(timeout + grace, search._fail, silent),
        ]
        try:
            result = await search.wait()
        except asyncio.CancelledError:
            search.stop()
            raise
        finally:
            for timer in timers:
                timer.cancel()
        if search._stopped:
            raise EngineTimeoutError(f"no bestmove after {timeout:g} s, only when told to stop", late=True)
        return result

    async def _idle(self) -> None:
        """Ends a search that still runs."""
        if self._search is not None:
            self._search.stop()
            await asyncio.wait([self._search._done])
        self._check_alive()

    async def _ask_at(self, position: Position, word: str) -> str:
        await self._idle()
        await self._tell(f"position {_text(position)}")
        return await self._ask(word, word)

    async def _ask(self, command: str, word: str) -> str:
        """The rest of the line that answers a command, beginning with `word`."""
        self._check_alive()
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        tag = self._next_tag() if self.ids else ""
        self._request = tag, word, answer
        self._write(f"id {tag} {command}" if tag else command)
        try:
            return await answer
        finally:
            self._request = None

    async def _tell(self, *commands: str) -> None:
        """Sends commands that are answered only where they are refused."""
        self._check_alive()
        tag = self._next_tag() if self.ids else ""
        self._errors.pop(tag, None)
        pong = self._await_pong()
        self._write(*(f"id {tag} {command}" if tag else command for command in commands), "isready")
        await pong
        error = self._errors.pop(tag, None)
        if error is not None:
            raise error

    def _await_pong(self) -> asyncio.Future[None]:
        self._check_alive()
        pong: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pongs.append(pong)
        return pong

    def _next_tag(self) -> str:
        self._tag += 1
        return str(self._tag)

    def _check_alive(self) -> None:
        if self.terminated is not None:
            raise self.terminated

    def _write(self, *lines: str) -> None:
        self._check_alive()
        assert self._transport is not None
        self.transcript.extend(f"> {line}" for line in lines)
        self._transport.write(*lines)

    # Called by the transport

    def _line(self, line: str) -> None:
        self.transcript.append(f"< {line}")
        word, _, rest = line.partition(" ")
        tag = ""
        if word == "id":
            second, _, after = rest.partition(" ")
            if second in ("name", "author"):
                self.id[second] = after
                return
            tag = second
            word, _, rest = after.partition(" ")
        if word == "info":
            if self._search is not None and tag == self._search._tag:
                self._search._info(rest)
        elif word == "bestmove":
            self._bestmove(tag, rest, line)
        elif word == "readyok":
            self.ids |= tag == "0"
            if tag != "0" and self._pongs:
                pong = self._pongs.popleft()
                if not pong.done():
                    pong.set_result(None)
        elif word == "error":
            self._refusal(tag, rest)
        elif self._request is not None and (tag, word) == self._request[:2]:
            if not self._request[2].done():
                self._request[2].set_result(rest)
        elif word == "option":
            try:
                option = EngineOption.parse(rest)
            except EngineError as error:
                log.warning("%s", error)
            else:
                self.options[option.name.lower()] = option
        elif word == "protocol":
            self.id["protocol"] = rest
        elif word:
            self.complaints.append(line)

    def _bestmove(self, tag: str, rest: str, line: str) -> None:
        search, words = self._search, rest.split()
        if search is None or tag != search._tag:
            self.complaints.append(line)
            return
        self._search = None
        if words:
            search._end(words[0])
        else:
            search._fail(EngineError("the engine sent a bestmove without a move"))

    def _refusal(self, tag: str, rest: str) -> None:
        code, _, message = rest.partition(" ")
        error = EngineError(message or code, code)
        search = self._search
        if search is not None and tag == search._tag:
            self._search = None
            search._fail(search._refused or error)
        elif search is not None and tag and tag == search._position_tag:
            search._refused = search._refused or error
            search.stop()
        elif self._request is not None and tag == self._request[0]:
            if not self._request[2].done():
                self._request[2].set_exception(error)
        elif tag or self._pongs:
            self._errors.setdefault(tag, error)
        else:
            self.complaints.append(f"error {rest}")

    def _end(self) -> None:
        assert self._transport is not None
        self.terminated = EngineTerminatedError(self._transport.exit_code, self._transport.stderr)
        self._ended.set()
        waiting: list[asyncio.Future[Any]] = list(self._pongs)
        if self._request is not None:
            waiting.append(self._request[2])
        for future in waiting:
            if not future.done():
                future.set_exception(self.terminated)
                future.exception()
        if self._search is not None:
            self._search._fail(self.terminated)
            self._search = None


def _text(position: Position) -> str:
    text = position if isinstance(position, str) else position.text()
    return text.removeprefix("position ")
