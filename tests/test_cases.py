"""The case files, played against the engine's own parts: position, legal moves, state, counts, errors."""

import json
from pathlib import Path
from typing import Any

import pytest
from trickbot.engine.deal import count_sequences
from trickbot.engine.errors import PositionError
from trickbot.engine.notation import OVER, notation
from trickbot.engine.position import Position, legal_words
from trickbot.engine.state import state

FILES = sorted((Path(__file__).parent / "data" / "cases").glob("*.jsonl"))
CASES = [json.loads(line) for path in FILES for line in path.read_text().splitlines() if line.strip()]


def params(key: str) -> Any:
    found = [case for case in CASES if key in case]
    assert found
    return pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in found])


def words_of(case: dict[str, Any]) -> tuple[Position, list[str]]:
    position = Position.parse(case["position"])
    return position, legal_words(position.deal, notation(position.rules.game))


@params("legal")
def test_legal(case: dict[str, Any]) -> None:
    _, legal = words_of(case)
    expected = case["legal"]
    if isinstance(expected, dict):
        assert legal[:3] == ["give", str(expected["give"]), "of"]
        assert sorted(legal[3].split(",")) == sorted(expected["from"])
    else:
        assert sorted(legal) == sorted(expected)


@params("legal_error")
def test_legal_error(case: dict[str, Any]) -> None:
    with pytest.raises(PositionError) as wrong:
        words_of(case)
    assert wrong.value.code in case["legal_error"]


def plain(value: Any) -> Any:
    """Sets of cards without their order; of the melds only what is compared."""
    if isinstance(value, list):
        value = [plain(each) for each in value]
        if all(isinstance(each, (str, list)) for each in value):
            return sorted(value, key=str)
    return value


@params("state")
def test_state(case: dict[str, Any]) -> None:
    position = Position.parse(case["position"])
    got = state(position, notation(position.rules.game))
    for key, expected in case["state"].items():
        if key in ("hands", "piles"):
            assert list(map(plain, got[key])) == list(map(plain, expected)), key
        elif key == "legal":
            assert plain(got[key]) == plain(expected)
        elif key == "weis":
            for each in expected:
                assert plain(got["weis"][each["seat"]]["melds"]) == plain(each["melds"])
        elif key == "trick":
            assert got[key] == expected | {"cards": expected["cards"]}
        elif key == "tricks":
            for one, other in zip(got[key], expected, strict=True):
                assert {name: one[name] for name in other} == other
        else:
            assert got[key] == expected, key


@params("perft")
def test_perft(case: dict[str, Any]) -> None:
    deal = Position.parse(case["position"]).deal
    assert {depth: count_sequences(deal, int(depth)) for depth in case["perft"]} == case["perft"]


@params("error")
def test_error(case: dict[str, Any]) -> None:
    with pytest.raises(PositionError) as wrong:
        Position.parse(case["position"])
    codes = [case["error"]] if isinstance(case["error"], str) else case["error"]
    assert wrong.value.code in codes
    if wrong.value.code == "illegal-move" and "index" in case:
        assert wrong.value.index == case["index"]
        assert f"index {case['index']}:" in str(wrong.value)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES if "error" not in case])
def test_text_reads_back(case: dict[str, Any]) -> None:
    """A position printed and read again is the same; so is what each seat sees of it.

    (Not when a Stoeck claimed early has ended the match: the line of a view does not say so.)
    """
    position = Position.parse(case["position"])
    again = Position.parse(position.text())
    assert again.text() == position.text()
    assert again.deal == position.deal
    for seat in range(4):
        if position.deal.known >> seat & 1 and position.deal.phase != OVER:
            seen = position.view(seat)
            assert Position.parse(seen.text()).deal == seen.deal == position.deal.view(seat)
