"""The option table and its values."""

import copy

import pytest
from trickbot.ai.bots import make_bot
from trickbot.ai.options import OPTIONS, Options, find_option
from trickbot.ai.searcher import Limits
from trickbot.engine.errors import OptionError


def test_names_are_read_loosely() -> None:
    options = Options(move_time=50)
    options.set("MULTIPV", "3")
    options.set("open hands", "TRUE")
    options.set("Bot", "PIMC")
    assert (options.move_time, options.multi_pv, options.multipv) == (50, 3, 3)
    assert options.open_hands is True
    assert options.bot == "pimc"
    assert find_option("movetime") is find_option("Move Time")


def test_table() -> None:
    assert len({option.key for option in OPTIONS}) == len(OPTIONS)
    for option in OPTIONS:
        assert option.parse(str(option.default).lower()) == option.default
        assert option.help
        if option.tunable and option.type != "check":
            assert option.min < option.max
            assert option.scale == "linear" or option.min > 0
    assert str(find_option("Move Time")) == "option name Move Time type spin default 1000 min 1 max 86400000"
    assert str(find_option("Open Hands")) == "option name Open Hands type check default false"
    assert str(find_option("Cards")) == "option name Cards type combo default german var german var french"


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("Mood", "good", "no option 'Mood'"),
        ("Seed", "-1", "from 0 to"),
        ("Seed", "1.5", "'1.5'"),
        ("Seed", "1_0", "from 0"),
        ("Seed", "９", "from 0"),
        ("Seed", "", "''"),
        ("Threads", "0", "from 1"),
        ("Skill", "21", "from 0 to 20"),
        ("Bot", "human", "ismcts or pimc or rules or greedy or random"),
        ("Open Hands", "yes", "true or false"),
        ("Exploration", "nan", "a number"),
        ("Exploration", "inf", "a number"),
    ],
)
def test_refused(name: str, value: str, named: str) -> None:
    options = Options()
    with pytest.raises(OptionError, match=named):
        options.set(name, value)
    assert options == Options()


def test_copies_are_apart() -> None:
    one = Options(seed=7)
    for other in (one.copy(), copy.deepcopy(one)):
        assert other == one
        other.set("Seed", 8)
        assert one.seed == 7
    assert Options(one.as_dict()) == one
    with pytest.raises(AttributeError, match="no option mood"):
        print(one.mood)


def test_bot_specs() -> None:
    bot = make_bot("ismcts:movetime=50,exploration=1.5", "jass")
    assert (bot.name, bot.label) == ("ismcts", "ismcts:movetime=50,exploration=1.5")
    assert bot.options.exploration == 1.5
    assert bot.limits == Limits(movetime_ms=50)
    assert make_bot("pimc:nodes=2000", "jass").limits == Limits(nodes=2000)
    assert make_bot("pimc:nodes=2000,Move Time=7", "jass").limits == Limits(nodes=2000, movetime_ms=7)
    assert make_bot("rules", "apples").options.game == "apples"


@pytest.mark.parametrize(
    "spec", ["", "human", "ismcts:fast", "ismcts:nodes=many", "ismcts:mood=good", "ismcts:seed=x"]
)
def test_no_bot_specs(spec: str) -> None:
    with pytest.raises(OptionError):
        make_bot(spec, "jass")
