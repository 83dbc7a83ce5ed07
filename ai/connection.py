"""An engine at the other end of a transport: what it is told, and what becomes of its lines."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from trickbot.ai.pending import Pending
from trickbot.ai.process import ProcessTransport
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
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pongs: deque[Pending[None]] = deque()
        self._request: tuple[str, str, Pending[str]] | None = None  # tag, first word, answer
        self._errors: dict[str, EngineError] = {}
        self._tag = 0
        self._ended: Pending[None] = Pending(None)
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
        return await engine.attach(transport, timeout, asyncio.get_running_loop())

    async def attach(
        self,
        transport: Transport,
        timeout: float | None = 10.0,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> Engine:
        """Greets the engine at the other end of a transport. `loop`: in which it is used; None: by hand."""
        self._transport = transport
        self._loop = loop
        self._ended = Pending(loop)
        try:
            greeting = self._send("uci", "uciok")
            if not await greeting.settled(timeout):
                raise EngineTimeoutError(f"the engine did not answer uci within {timeout:g} s")
            await greeting.get()
            self._request = None
            pong = self._await_pong()
            self._write("id 0 isready", "isready")  # an engine without ids answers the second alone
            if not await pong.settled(timeout):
                raise EngineTimeoutError(f"the engine did not answer isready within {timeout:g} s")
            await pong.get()
        except EngineError:
            await self.quit(timeout=0.0)
            raise
        return self

    async def quit(self, timeout: float = 2.0) -> int | None:
        """Ends the engine: politely, after `timeout` seconds by force. Returns its exit code."""
        if self.terminated is None:
            self._write("quit")
            assert self._transport is not None
            self._transport.close()
        if not await self._ended.settled(timeout):
            self.close()
            await self._ended.get()
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
        await pong.get()

    async def configure(self, options: Mapping[str, Value]) -> None:
        """Sets options. Raises EngineError for an unknown name, a value out of range, or a refusal."""
        lines = self._setoptions(options)
        if lines:
            await self._idle()
            await self._tell(*lines)

    def _setoptions(self, options: Mapping[str, Value]) -> list[str]:
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
        return lines

    async def new_game(self, options: Mapping[str, Value] | None = None) -> None:
        """Tells the engine to forget what it knows of earlier deals, and sets options."""
        lines = self._setoptions(options or {})
        await self._idle()
        await self._tell("ucinewgame", *lines)

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
            search._multipv_after = self._multipv or self.options["multipv"].default
        return search

    async def _wait(self, search: Analysis, timeout: float | None, grace: float) -> PlayResult:
        outcome = search._outcome
        try:
            if not await outcome.settled(timeout):
                search.stop()
                if not await outcome.settled(grace):
                    raise EngineTimeoutError(f"no bestmove after {timeout:g} s, nor {grace:g} s after stop")
                await outcome.get()
                raise EngineTimeoutError(
                    f"no bestmove after {timeout:g} s, only when told to stop", late=True
                )
        except (asyncio.CancelledError, TimeoutError):
            search.stop()
            raise
        return await outcome.get()

    async def _idle(self) -> None:
        """Ends a search that still runs."""
        if self._search is not None:
            self._search.stop()
            await self._search._outcome.settled()
        self._check_alive()

    async def _ask_at(self, position: Position, word: str) -> str:
        await self._idle()
        await self._tell(f"position {_text(position)}")
        return await self._ask(word, word)

    async def _ask(self, command: str, word: str) -> str:
        """The rest of the line that answers a command, beginning with `word`."""
        answer = self._send(command, word)
        try:
            return await answer.get()
        finally:
            self._request = None

    def _send(self, command: str, word: str) -> Pending[str]:
        self._check_alive()
        answer: Pending[str] = Pending(self._loop)
        tag = self._next_tag() if self.ids else ""
        self._request = tag, word, answer
        self._write(f"id {tag} {command}" if tag else command)
        return answer

    async def _tell(self, *commands: str) -> None:
        """Sends commands that are answered only where they are refused."""
        self._check_alive()
        tag = self._next_tag() if self.ids else ""
        self._errors.pop(tag, None)
        pong = self._await_pong()
        self._write(*(f"id {tag} {command}" if tag else command for command in commands), "isready")
        await pong.get()
        error = self._errors.pop(tag, None)
        if error is not None:
            raise error

    def _await_pong(self) -> Pending[None]:
        self._check_alive()
        pong: Pending[None] = Pending(self._loop)
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
                self._pongs.popleft().set(None)
        elif word == "error":
            self._refusal(tag, rest)
        elif self._request is not None and (tag, word) == self._request[:2]:
            self._request[2].set(rest)
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
            self._request[2].fail(error)
        elif tag or self._pongs:
            self._errors.setdefault(tag, error)
        else:
            self.complaints.append(f"error {rest}")

    def _end(self) -> None:
        assert self._transport is not None
        self.terminated = EngineTerminatedError(self._transport.exit_code, self._transport.stderr)
        self._ended.set(None)
        for pong in self._pongs:
            pong.fail(self.terminated)
        if self._request is not None:
            self._request[2].fail(self.terminated)
        if self._search is not None:
            self._search._fail(self.terminated)
            self._search = None


def _text(position: Position) -> str:
    text = position if isinstance(position, str) else position.text()
    return text.removeprefix("position ")
