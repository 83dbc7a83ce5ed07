"""Rules as values: presets, single fields, words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trickbot.engine.errors import RulesError
from trickbot.engine.rules import FIELDS, PRESETS, Rules, all_presets


def test_presets() -> None:
    assert all_presets() == ["cardavia", "swisslos", "hsl", "apples"]
    assert Rules.parse("jass") == Rules.parse("jass", "cardavia")
    assert Rules.parse("jass").target == 3000
    assert Rules.parse("jass", "swisslos").target == 1000
    assert Rules.parse("jass", "hsl").target == 0
    assert Rules.parse("apples").target == 250


def test_fields_print_back() -> None:
    rules = Rules.parse("jass", "Cardavia,target=2500,WEIS=no")
    assert str(rules) == "cardavia,target=2500,weis=no"
    assert rules["target"] == 2500
    assert rules["weis"] == 0
    assert Rules.parse("jass", str(rules)) == rules
    assert str(Rules.parse("jass", "cardavia,target=3000")) == "cardavia"


def test_equal_by_value_whatever_the_preset() -> None:
    hsl = Rules.parse("jass", "hsl")
    same = Rules.parse("jass", "swisslos,target=0,weis=no,stoeck=0,match_bonus=0")
    assert same == hsl
    assert hash(same) == hash(hsl)
    assert Rules.parse("jass", str(same)) == same


@given(data=st.data())
def test_any_fields_print_back(data: Any) -> None:
    game = data.draw(st.sampled_from(list(PRESETS)))
    words = [data.draw(st.sampled_from(list(PRESETS[game])))]
    for field in data.draw(st.lists(st.sampled_from(FIELDS[game]))):
        value = data.draw(st.integers(field.minimum, field.maximum))
        words.append(f"{field.name}={('no', 'yes')[value] if isinstance(field.default, bool) else value}")
    rules = Rules.parse(game, ",".join(words))
    assert Rules.parse(game, str(rules)) == rules
    assert rules.game == game


@pytest.mark.parametrize(
    ("game", "text", "named"),
    [
        ("jass", "noswisslos", "cardavia or swisslos or hsl"),
        ("jass", "apples", "'apples'"),
        ("apples", "cardavia", "must be apples"),
        ("jass", "cardavia,", "no field ''"),
        ("jass", ",", "no rules ''"),
        ("jass", "cardavia,aim=3", "no field 'aim'"),
        ("jass", "cardavia,target", "target=''"),
        ("jass", "cardavia,target=-1", "from 0 to 1000000"),
        ("jass", "cardavia,target=1e3", "target='1e3'"),
        ("jass", "cardavia,target=99999999999999999999", "from 0 to"),
        ("jass", "cardavia,roses=0", "from 1 to 100"),
        ("jass", "cardavia,weis=maybe", "yes or no"),
        ("apples", "apples,target=0", "from 1 to"),
    ],
)
def test_refused(game: str, text: str, named: str) -> None:
    with pytest.raises(RulesError, match=named):
        Rules.parse(game, text)


def test_kernel_takes_every_field() -> None:
    rules = Rules.parse("jass", "swisslos,roses=7,run_3=21,quartet_sixes=99,undenufe_six=12,last_trick=6")
    kernel: Any = rules.kernel()
    assert kernel.multipliers == (7, 1, 1, 1, 1, 1)
    assert kernel.run_points == (0, 0, 0, 21, 50, 100, 150, 200, 250, 300)
    assert kernel.quartet_points == (99, 100, 100, 150, 100, 200, 100, 100, 100)
    assert (kernel.undenufe_ace, kernel.undenufe_six, kernel.last_trick) == (0, 12, 6)
    assert kernel.shared_cards
    assert rules.kernel() is kernel
