"""The naive referees against the case files: legal moves, states, counts of sequences, refusals."""

import json
from pathlib import Path
from typing import Any

import pytest
from reference import RefusedError
from reference.position import set_up

CASES = [
    json.loads(line)
    for path in sorted((Path(__file__).parent / "data" / "cases").glob("*.jsonl"))
    for line in path.read_text().splitlines()
]
FULL = [case for case in CASES if "?" not in case["position"].partition(" moves ")[0]]
SETS = {"hands", "piles"}


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=f"{case['id']}: {case['note']}") for case in cases]


def comparable(key: str, value: Any) -> Any:
    """The value without what the protocol leaves open: the order of sets."""
    if value is None:
        return None
    if key in SETS:
        return [sorted(cards) for cards in value]
    if key == "legal":
        return [*sorted(value["from"]), value["give"]] if isinstance(value, dict) else sorted(value)
    if key == "weis":
        return {each["seat"]: sorted(sorted(meld) for meld in each["melds"]) for each in value}
    return value


def check(key: str, expected: Any, got: Any) -> None:
    if key == "tricks" and expected is not None:
        got = [{name: trick[name] for name in wanted} for wanted, trick in zip(expected, got, strict=True)]
    if key == "weis":
        got = [each for each in got if each["seat"] in {wanted["seat"] for wanted in expected}]
    assert comparable(key, got) == comparable(key, expected), key


@pytest.mark.parametrize("case", named([case for case in FULL if "error" not in case]))
def test_case(case: dict[str, Any]) -> None:
    referee = set_up(case["position"])
    state = referee.state()
    for key, expected in case.get("state", {}).items():
        check(key, expected, state[key])
    if "legal" in case:
        check("legal", case["legal"], referee.legal())
    for depth, count in case.get("perft", {}).items():
        if count < 12_000:
            assert referee.perft(int(depth)) == count, depth


@pytest.mark.parametrize("case", named([case for case in FULL if "error" in case]))
def test_refused(case: dict[str, Any]) -> None:
    codes = [case["error"]] if isinstance(case["error"], str) else case["error"]
    with pytest.raises(RefusedError) as refused:
        set_up(case["position"])
    assert refused.value.code in codes
    if refused.value.code == "illegal-move":
        assert refused.value.index == case["index"]


@pytest.mark.slow
@pytest.mark.parametrize("case", named([case for case in CASES if "perft" in case]))
def test_perft(case: dict[str, Any]) -> None:
    referee = set_up(case["position"])
    for depth, count in case["perft"].items():
        assert referee.perft(int(depth)) == count, depth
