"""A clock of the engine's own: less time for a settled choice, more for an unclear one."""

import time

import pytest
from trickbot.ai import searcher
from trickbot.ai.options import Options
from trickbot.ai.searcher import Limits, Searcher
from trickbot.engine.position import Position

LEAD = "jass rules hsl first 0 hands rU,r9,rA,aA,aK,bB,b9,s7,s6 ? ? ? moves roses"


def seconds(settled: bool, unclear: bool, monkeypatch: pytest.MonkeyPatch) -> float:
    """That a lead takes with two seconds on the clock."""
    monkeypatch.setattr(searcher, "_settled", lambda searches, more: settled or more <= 0)
    monkeypatch.setattr(searcher, "_unclear", lambda searches: unclear)
    started = time.monotonic()
    Searcher(Position.parse(LEAD).deal, Options(seed=1)).run(Limits(time_ms=2000))
    return time.monotonic() - started


def test_more_for_an_unclear_choice_less_for_a_settled_one(monkeypatch: pytest.MonkeyPatch) -> None:
    share = 2.0 / (0.75 * 9 + 0.5)
    assert 0.4 * share < seconds(True, False, monkeypatch) < 0.9 * share
    assert 0.9 * share < seconds(False, False, monkeypatch) < 1.6 * share
    assert 1.8 * share < seconds(False, True, monkeypatch) < 3 * share
