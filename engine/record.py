"""Records: one deal a JSON line, as every command that writes or reads games does it.

    {"game":"jass","rules":"cardavia","first":1,"match":[0,0],"hands":["rA,...","...","...","..."],
     "moves":["push","obenabe","sA"],"deal":[471,0],"scores":[471,0],"players":["a","b","a","b"],"seed":7}

The words are those of positions. Keys that are not known here are kept as they are.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from trickbot.engine.cards import GAMES, N_SEATS
from trickbot.engine.errors import RecordError, TrickbotError, quoted
from trickbot.engine.notation import notation
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules


@dataclass
class Record:
    """A deal that was played, or the part of it that was.

    hands: dealt, masks by seat. match, deal, scores: by side, None where the record does not say. moves: the
    words since the deal. players: by seat.
    """

    rules: Rules
    first: int
    hands: tuple[int, ...]
    moves: list[str] = field(default_factory=list)
    match: tuple[int, ...] | None = None
    deal: tuple[int, ...] | None = None
    scores: tuple[int, ...] | None = None
    players: list[str] = field(default_factory=list)
    seed: int | None = None
    date: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.rules.game

    @classmethod
    def of(
        cls,
        position: Position,
        players: Sequence[str] = (),
        seed: int | None = None,
        date: str | None = None,
        **extra: Any,
    ) -> "Record":
        """The record of a full deal as it stands."""
        if None in position.hands:
            raise RecordError("a record wants all four hands")
        return cls(
            position.rules,
            position.first,
            tuple(hand for hand in position.hands if hand is not None),
            position.tokens,
            position.match,
            tuple(position.deal.points),
            tuple(position.deal.scores),
            list(players),
            seed,
            date,
            extra,
        )

    def position(self) -> Position:
        """The deal after all moves. Raises ``PositionError`` where one is not possible."""
        position = Position(self.rules, self.first, self.hands, self.match)
        for word in self.moves:
            position.add_word(word)
        return position

    # JSON

    def to_json(self) -> str:
        """The record as one line, without its end."""
        names = notation(self.game)
        values = {
            "game": self.game,
            "rules": str(self.rules),
            "first": self.first,
            "match": self.match,
            "hands": list(map(names.cards_text, self.hands)),
            "moves": self.moves,
            "deal": self.deal,
            "scores": self.scores,
            "players": self.players or None,
            "seed": self.seed,
            "date": self.date,
        }
        said = {key: value for key, value in values.items() if value is not None}
        return json.dumps(said | self.extra, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> "Record":
        """The record of a line. Raises ``RecordError`` naming what is wrong in it."""
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as wrong:
            raise RecordError(f"no JSON: {wrong}") from None
        if not isinstance(values, dict):
            raise RecordError("no JSON object")
        take = values.pop
        game = take("game", None)
        if game not in GAMES:
            raise RecordError(f"game {quoted(str(game))}: must be {' or '.join(GAMES)}")
        try:
            rules = Rules.parse(game, _text(take("rules", "")))
            names = notation(game)
            hands = [names.cards(_text(hand)) for hand in _list("hands", take("hands", None), N_SEATS)]
        except TrickbotError as wrong:
            raise RecordError(str(wrong)) from None
        first = take("first", None)
        if not isinstance(first, int) or first not in range(N_SEATS):
            raise RecordError(f"first {quoted(str(first))}: must be a seat, 0 to 3")
        sides = GAMES[game].n_sides
        return cls(
            rules,
            first,
            tuple(hands),
            [_text(word) for word in _list("moves", take("moves", []))],
            _points("match", take("match", None), sides),
            _points("deal", take("deal", None), sides),
            _points("scores", take("scores", None), sides),
            [_text(player) for player in _list("players", take("players", []))],
            _whole("seed", take("seed", None)),
            None if (date := take("date", None)) is None else _text(date),
            values,
        )

    def check(self) -> Position:
        """The deal after all moves. Raises ``RecordError`` for impossible moves and for other points."""
        try:
            position = self.position()
        except TrickbotError as wrong:
            raise RecordError(str(wrong)) from None
        for key, said, found in (
            ("deal", self.deal, position.deal.points),
            ("scores", self.scores, position.deal.scores),
        ):
            if said is not None and said != tuple(found):
                raise RecordError(f"{key} {list(said)}: the moves give {list(found)}")
        return position


def read_records(
    path: str | PathLike[str], on_error: Callable[[RecordError], None] | None = None
) -> Iterator[Record]:
    """The records of a file, checked. Empty lines are skipped.

    A broken line is told to ``on_error``, with its number, and skipped; without ``on_error`` it raises.
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                record = Record.from_json(line)
                record.check()
            except RecordError as wrong:
                error = RecordError(f"{path}:{number}: {wrong}")
                if on_error is None:
                    raise error from None
                on_error(error)
            else:
                yield record


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise RecordError(f"{quoted(json.dumps(value))}: must be text")
    return value


def _list(key: str, value: Any, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(value)):
        many = "" if length is None else f" of {length}"
        raise RecordError(f"{key} {quoted(json.dumps(value))}: must be a list{many}")
    return value


def _points(key: str, value: Any, n_sides: int) -> tuple[int, ...] | None:
    if value is None:
        return None
    points = _list(key, value, n_sides)
    return tuple(_whole(key, each) or 0 for each in points)


def _whole(key: str, value: Any) -> int | None:
    if value is not None and (not isinstance(value, int) or abs(value) >= 1 << 64):
        raise RecordError(f"{key} {quoted(json.dumps(value))}: must be a whole number")
    return value
