"""Records: a line reads back, extra keys stay, and a broken line is reported with its number."""

import json
from pathlib import Path
from typing import Any

import pytest
from trickbot.engine.errors import RecordError
from trickbot.engine.match import Match
from trickbot.engine.record import Record, read_records
from trickbot.engine.rules import Rules

CASES = Path(__file__).parent / "data" / "cases"


def played() -> list[Record]:
    """All full deals of the case files that were played to their end."""
    from trickbot.engine.notation import OVER
    from trickbot.engine.position import Position

    found = []
    for path in sorted(CASES.glob("*score*.jsonl")):
        for line in path.read_text().splitlines():
            position = Position.parse(json.loads(line)["position"])
            if position.full and position.deal.phase == OVER:
                found.append(Record.of(position, ["a", "b", "a", "b"], 7, "2026-01-01", table="Öresund"))
    assert {record.game for record in found} == {"jass", "apples"}
    return found


def test_lines_read_back() -> None:
    for record in played():
        line = record.to_json()
        again = Record.from_json(line)
        assert again == record
        assert again.to_json() == line
        assert again.extra == {"table": "Öresund"}
        assert tuple(again.check().deal.points) == record.deal


def test_a_deal_that_has_only_begun() -> None:
    position = Match(Rules.parse("jass"), 3).deal()
    record = Record.of(position)
    assert Record.from_json(record.to_json()).position().deal == position.deal
    assert "players" not in json.loads(record.to_json())


def test_a_view_is_no_record() -> None:
    with pytest.raises(RecordError, match="four hands"):
        Record.of(Match(Rules.parse("jass"), 3).deal().view(0))


GOOD = json.loads(next(record for record in played() if str(record.rules) == "cardavia").to_json())


def broken(**changes: Any) -> str:
    return json.dumps({key: value for key, value in (GOOD | changes).items() if value != "GONE"})


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no JSON object"),
        (broken(game="chess"), "game 'chess': must be jass or apples"),
        (broken(game="GONE"), "game 'None'"),
        (broken(rules="house"), "no rules 'house'"),
        (broken(rules=5), "'5': must be text"),
        (broken(first=4), "first '4'"),
        (broken(first=1.0), "first '1.0'"),
        (broken(hands=GOOD["hands"][:3]), "must be a list of 4"),
        (broken(hands=[*GOOD["hands"][:3], "?"]), "is no card"),
        (broken(hands=[GOOD["hands"][0]] * 4), "card of another hand"),
        (broken(moves="push"), "moves .* must be a list"),
        (broken(moves=[*GOOD["moves"], "rA"]), f"index {len(GOOD['moves'])}"),
        (broken(deal=[1, 2]), "deal \\[1, 2\\]: the moves give"),
        (broken(scores=[1]), "must be a list of 2"),
        (broken(match=["x", 0]), "must be a whole number"),
        (broken(match=[9999, 0], scores="GONE"), "match 9999 0"),
        (broken(seed="seven"), "seed"),
    ],
)
def test_broken_lines(line: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n\n{line}\n{json.dumps(GOOD)}\n")
    errors: list[RecordError] = []
    assert len(list(read_records(path, errors.append))) == 2
    (error,) = errors
    assert str(error).startswith(f"{path}:3: ")
    with pytest.raises(RecordError, match=named):
        list(read_records(path))
