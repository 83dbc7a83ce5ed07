"""The checker: our engine keeps to every item, and each fault is found by the items that it breaks."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from trickbot.ai.arena.check import check_engine
from trickbot.ai.arena.commands import check
from trickbot.ai.arena.subject import CHECKS

FAULTY = Path(__file__).parent / "engines" / "faulty.py"
TRICKBOT = f"{sys.executable} -c 'from trickbot.ai.cli import main; main()'"


def test_there_are_more_than_thirty_items_and_each_has_its_name():
    assert len({item.name for item in CHECKS}) == len(CHECKS) > 30


def test_our_engine_keeps_to_every_item():
    for finding in check_engine(TRICKBOT, "jass", timeout=10.0):
        assert not finding.broken, (finding, finding.transcript)


@pytest.mark.parametrize(
    ("fault", "item", "words"),
    [
        ("silent", "greeting", "no uciok in time"),
        ("crash", "one-bestmove", "the process ended"),
        ("illegal", "bestmove-legal", "is not legal"),
        ("foreign", "bestmove-legal", "is not legal"),
        ("nonsense", "whole-deal", "is not legal"),
        ("empty", "whole-deal", "has no move"),
        ("garbage", "infinite", "no bestmove in time"),
        ("twice", "one-bestmove", "nothing was to be said"),
        ("slow", "movetime", "took"),
        ("deaf", "infinite", "no bestmove in time"),
        ("stubborn", "quit", "still runs"),
        ("no-ids", "ids", "not answered"),
        ("noise", "one-bestmove", "'done!'"),
    ],
)
def test_a_fault_is_found(fault, item, words):
    command = f"{sys.executable} {FAULTY} {fault} 1"
    (finding,) = check_engine(command, "jass", timeout=1.0, only=(item,))
    assert words in finding.broken


def test_an_item_that_there_is_not():
    with pytest.raises(ValueError, match="no check 'xyzzy': must be one of greeting"):
        list(check_engine(TRICKBOT, only=("xyzzy",)))


def test_the_command():
    runner = CliRunner()
    good = runner.invoke(check, [TRICKBOT, "--only", "greeting", "--only", "isready"])
    assert (good.exit_code, good.output.splitlines()[-1]) == (0, "2 items, all kept")
    command = f"{sys.executable} {FAULTY} twice 1"
    bad = runner.invoke(check, [command, "--only", "one-bestmove", "--format", "json"])
    assert bad.exit_code == 1
    assert json.loads(bad.output)[0]["name"] == "one-bestmove"
    nothing = runner.invoke(check, ["/no/such/program"])
    assert nothing.exit_code == 1
    assert "/no/such/program" in nothing.output
