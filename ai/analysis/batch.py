"""The batch mode: JSON queries in, JSON answers out, one object a line, in no fixed order.

A query names an ``id`` and a ``position`` or ``record``, and is answered for each of its ``turns``: numbers
of words of ``moves`` that have come; by itself all of them, ``"all"`` for every decision. The last answer has
``"final": true``; there is exactly one such for each query, also for one that is wrong or terminated. Partial
answers, warnings and acknowledgements of actions say what they are.
"""

import heapq
import json
import os
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.metadata import version
from threading import Condition, Thread
from typing import Any, NoReturn

from trickbot.ai.analysis.positions import PositionAnalysis, PositionReport, Settings
from trickbot.ai.analysis.text import position_json
from trickbot.ai.lines import Writer, read_lines
from trickbot.engine.cards import N_SEATS
from trickbot.engine.errors import OptionError, TrickbotError, quoted
from trickbot.engine.notation import Notation, notation
from trickbot.engine.position import Position
from trickbot.engine.record import Record

VERSION = 1
"""Of the queries and answers."""

ACTIONS = ("version", "terminate", "terminate_all")
_MOST = 10**15


class QueryError(TrickbotError):
    """A query that cannot be taken, and the field that is to blame."""

    def __init__(self, name: str | None, message: str) -> None:
        super().__init__(message)
        self.name = name


def _whole(least: int) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
            raise QueryError(name, f"{_shown(value)}: must be a whole number from {least} to {_MOST}")
        return value

    return read


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise QueryError(name, f"{_shown(value)}: must be true or false")
    return value


def _seconds(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86_400:
        raise QueryError(name, f"{_shown(value)}: must be a number of seconds above 0, 86400 at most")
    return float(value)


def _cards(name: str, value: Any) -> str:
    if value not in ("german", "french"):
        raise QueryError(name, f'{_shown(value)}: must be "german" or "french"')
    return str(value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise QueryError(name, f"{_shown(value)}: must be text")
    return value


def _object(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise QueryError(name, f"{_shown(value)}: must be an object")
    return value


def _as_it_is(name: str, value: Any) -> Any:
    return value


FIELDS: dict[str, Callable[[str, Any], Any]] = {
    "id": _as_it_is,
    "position": _text,
    "record": _object,
    "turns": _as_it_is,
    "multipv": _whole(0),
    "movetime": _whole(1),
    "nodes": _whole(1),
    "worlds": _whole(0),
    "open": _truth,
    "beliefs": _truth,
    "options": _object,
    "seed": _whole(1),
    "cards": _cards,
    "priority": _whole(-_MOST),
    "report_every": _seconds,
}
"""The fields of a query, and how each is read."""


@dataclass
class Query:
    """A query that was taken. ``left``: turns not answered yet."""

    id: Any
    settings: Settings
    names: Notation
    positions: list[tuple[int, Position]]
    priority: int
    report_every: float | None
    left: int
    terminated: bool = False
    running: list[PositionAnalysis] = field(default_factory=list)


class Batch:
    """Takes lines and answers them from threads of its own. ``write`` takes each answer; its second argument
    tells those that may be dropped when nobody keeps up with reading."""

    def __init__(self, write: Callable[[str, bool], None], settings: Settings, jobs: int = 1) -> None:
        self._write = write
        self._settings = settings
        self._changed = Condition()  # guards what follows
        self._waiting: list[tuple[int, int, int, Query]] = []  # a heap: -priority, number, place, query
        self._queries: list[Query] = []
        self._number = 0
        self._closed = False
        self._threads = [Thread(target=self._work, daemon=True) for _ in range(jobs)]
        for thread in self._threads:
            thread.start()

    # Lines

    def handle(self, line: str | None) -> None:
        """Takes one line (None: one that was too long)."""
        if line is not None and not line.strip():
            return
        ident = None
        try:
            query = _json(line)
            ident = query.get("id")
            if isinstance(ident, bool) or not isinstance(ident, str | int):
                ident = None
                raise QueryError("id", f"{_shown(query.get('id'))}: must be text or a whole number")
            if "action" in query:
                self._action(ident, query)
            else:
                self._take(self._read(ident, query))
        except TrickbotError as wrong:
            self._refuse(ident, getattr(wrong, "name", None), wrong)

    def finish(self) -> None:
        """Waits for the answers to all that was asked."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _say(self, ident: Any, droppable: bool = False, **fields: Any) -> None:
        self._write(json.dumps({"id": ident, **fields}, separators=(",", ":")), droppable)

    def _refuse(self, ident: Any, name: str | None, wrong: TrickbotError) -> None:
        self._say(ident, error=str(wrong), code=wrong.code, field=name, final=True)

    def _warn(self, ident: Any, query: dict[str, Any], known: list[str]) -> None:
        for name in query:
            if name not in known:
                close = get_close_matches(name, known, 1)
                more = f"; did you mean {close[0]}?" if close else f": must be one of {', '.join(known)}"
                self._say(ident, warning=f"unknown field {quoted(name)} is not looked at{more}", field=name)

    # Queries

    def _read(self, ident: Any, query: dict[str, Any]) -> Query:
        given = {
            name: read(name, query[name]) for name, read in FIELDS.items() if query.get(name) is not None
        }
        style = given.get("cards", "german")
        whole = _position(given, style)
        positions = _turns(whole, given.get("turns"))
        settings = self._overridden(given, whole.rules.game)
        for turn, position in positions:
            try:
                PositionAnalysis(position, settings)
            except TrickbotError as wrong:
                error = QueryError("turns" if "turns" in given else "position", f"turn {turn}: {wrong}")
                error.code = wrong.code
                raise error from None
        self._warn(ident, query, list(FIELDS))
        names = notation(whole.rules.game, style if whole.rules.game == "jass" else "german")
        return Query(
            ident,
            settings,
            names,
            positions,
            given.get("priority", 0),
            given.get("report_every"),
            len(positions),
        )

    def _overridden(self, given: dict[str, Any], game: str) -> Settings:
        usual = self._settings
        options = usual.options.copy()
        options.set("Game", game)
        for name, value in given.get("options", {}).items():
            if not isinstance(value, bool | int | float | str):
                raise QueryError("options", f"{name} {_shown(value)}: must be a value")
            try:
                options.set(name, value)
            except OptionError as wrong:
                raise QueryError("options", str(wrong)) from None
        limits = usual.limits
        if "nodes" in given or "movetime" in given:
            limits = replace(limits, nodes=given.get("nodes"), movetime_ms=given.get("movetime"))
        return replace(
            usual,
            options=options,
            limits=limits,
            multipv=given.get("multipv", usual.multipv),
            worlds=given.get("worlds", usual.worlds),
            open_hands=given.get("open", usual.open_hands),
            beliefs=given.get("beliefs", usual.beliefs),
            seed=given.get("seed", usual.seed),
        )

    def _take(self, query: Query) -> None:
        with self._changed:
            self._queries.append(query)
            for place in range(len(query.positions)):
                self._number += 1
                heapq.heappush(self._waiting, (-query.priority, self._number, place, query))
            self._changed.notify_all()

    # Actions

    def _action(self, ident: Any, query: dict[str, Any]) -> None:
        action = query["action"]
        if action not in ACTIONS:
            raise QueryError("action", f"{_shown(action)}: must be one of {', '.join(ACTIONS)}")
        known = ["id", "action", "of"] if action == "terminate" else ["id", "action"]
        if action == "terminate" and "of" not in query:
            raise QueryError("of", "is missing: must be the id of a query")
        self._warn(ident, query, known)
        if action == "version":
            about: Any = {"name": "trickbot", "version": version("trickbot"), "batch": VERSION}
            self._say(ident, action=action, **about, final=True)
            return
        n = self._terminate(None if action == "terminate_all" else [query["of"]])
        of = {} if action == "terminate_all" else {"of": query["of"]}
        self._say(ident, action=action, **of, queries=n, final=True)

    def _terminate(self, idents: list[Any] | None) -> int:
        """Ends queries, all or those of an id; how many."""
        with self._changed:
            ended = [query for query in self._queries if idents is None or query.id in idents]
            for query in ended:
                query.terminated = True
                for analysis in query.running:
                    analysis.stop()
            dropped = sorted(each for each in self._waiting if each[3].terminated)
            self._waiting = [each for each in self._waiting if not each[3].terminated]
            heapq.heapify(self._waiting)
            for _, _, place, query in dropped:
                self._answer(query, query.positions[place][0], {"terminated": True})
        return len(ended)

    # Work

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting) or self._closed)
                if not self._waiting:
                    return
                _, _, place, query = heapq.heappop(self._waiting)
                turn, position = query.positions[place]
                analysis = PositionAnalysis(position, query.settings, query.names)
                query.running.append(analysis)
            try:
                fields = position_json(self._run(query, turn, analysis), query.names)
            except Exception as fault:
                traceback.print_exception(fault)
                fields = {"error": f"{type(fault).__name__}: {fault}", "code": "fault", "field": None}
            with self._changed:
                query.running.remove(analysis)
                if query.terminated:
                    fields["terminated"] = True
                self._answer(query, turn, fields)

    def _run(self, query: Query, turn: int, analysis: PositionAnalysis) -> PositionReport:
        if query.report_every is None:
            return analysis.run()
        due = time.monotonic() + query.report_every

        def tell(report: PositionReport) -> None:
            nonlocal due
            if query.report_every is not None and time.monotonic() >= due:
                due = time.monotonic() + query.report_every
                fields = position_json(report, query.names)
                self._say(query.id, True, turn=turn, partial=True, final=False, **fields)

        return analysis.run(tell)

    def _answer(self, query: Query, turn: int, fields: dict[str, Any]) -> None:
        """Says the answer for a turn. To be called with the lock held."""
        query.left -= 1
        if not query.left:
            self._queries.remove(query)
        self._say(query.id, turn=turn, partial=False, final=not query.left, **fields)


def _json(line: str | None) -> dict[str, Any]:
    if line is None:
        raise QueryError(None, "the line is too long")
    try:
        query = json.loads(line)
    except (ValueError, RecursionError) as wrong:
        raise QueryError(None, f"no JSON: {wrong}") from None
    if not isinstance(query, dict):
        raise QueryError(None, f"{_shown(query)}: must be a JSON object")
    return query


def _shown(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else quoted(json.dumps(value))[1:-1]


def _position(given: dict[str, Any], style: str) -> Position:
    """The deal of a query after all its moves."""
    if ("position" in given) == ("record" in given):
        raise QueryError("position", "either position or record must be given, and not both")
    name = "position" if "position" in given else "record"
    try:
        if name == "position":
            return Position.parse(given[name], style=style)
        record = Record.from_json(json.dumps(given[name]))
        return record.position()
    except TrickbotError as wrong:
        error = QueryError(name, str(wrong))
        error.code = wrong.code
        raise error from None


def _turns(whole: Position, wanted: Any) -> list[tuple[int, Position]]:
    """The deal as it stood at each of the turns."""
    n = len(whole.events)
    if wanted is None:
        return [(n, whole)]
    everything = wanted == "all"
    if everything:
        wanted = list(range(n + 1))
    if not isinstance(wanted, list) or not wanted:
        raise QueryError("turns", f'{_shown(wanted)}: must be a list of numbers, or "all"')
    for turn in wanted:
        if isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn <= n:
            raise QueryError("turns", f"{_shown(turn)}: must be a number from 0 to {n}, the words of moves")
    position = Position(whole.rules, whole.first, whole.hands, whole.match, whole.weis)
    stood = {0: position.copy()}
    for turn, event in enumerate(whole.events, 1):
        position.add(event)
        stood[turn] = position.copy()
    if not everything:
        return [(turn, stood[turn]) for turn in dict.fromkeys(wanted)]
    decided = [(turn, each) for turn, each in stood.items() if _decides(each.deal)]
    if not decided:
        raise QueryError("turns", '"all": no decision of a known hand is there')
    return decided


def _decides(deal: Any) -> bool:
    return 0 <= deal.to_move < N_SEATS and bool(deal.known >> deal.to_move & 1)


def run(settings: Settings, jobs: int) -> NoReturn:
    """Answers the queries of standard input, and ends the process when all are answered."""
    writer = Writer(1, lambda: os._exit(0))
    batch = Batch(lambda line, droppable: writer.write(line, droppable=droppable), settings, jobs)
    code = 0
    try:
        for line in read_lines(0):
            batch.handle(line)
        batch.finish()
    except KeyboardInterrupt:
        code = 130
    writer.flush(600.0 if code == 0 else 1.0)
    os._exit(code)  # at once: whatever still runs is not waited for
