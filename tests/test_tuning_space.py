"""What may be tuned and how it is written."""

import pytest
from trickbot.ai.options import OPTIONS, Options
from trickbot.ai.tuning.space import Param, Space, words
from trickbot.engine.errors import OptionError


@pytest.mark.parametrize(
    ("text", "param"),
    [
        ("exploration=0.3:3.0:log", Param("exploration", "float", 0.3, 3.0, True)),
        ("Exploration = 0.3:3:linear", Param("exploration", "float", 0.3, 3.0, False)),
        ("exploration", Param("exploration", "float", 0.01, 100.0, True)),
        ("exploration=1:4:int", Param("exploration", "int", 1, 4, True)),
        ("iterations=1:64", Param("iterations", "int", 1, 64, True)),
        ("iterations=1:64:int:linear", Param("iterations", "int", 1, 64, False)),
        ("iterations=1,4,16", Param("iterations", "choice", choices=(1, 4, 16))),
        ("pimciterations=10:90", Param("pimc_iterations", "int", 10, 90, True)),
        ("bot=ismcts,pimc", Param("bot", "choice", choices=("ismcts", "pimc"))),
        ("model others", Param("model_others", "choice", choices=(False, True))),
        ("modelothers=true,false", Param("model_others", "choice", choices=(True, False))),
    ],
)
def test_parameters(text, param):
    assert Param.parse(text) == param
    assert Param.parse(str(param)) == param


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.tunable], ids=lambda o: o.key)
def test_every_tunable_option_by_its_bare_name(option):
    param = Param.parse(option.name)
    assert option.default in param
    if param.kind != "choice":
        assert param.value(0.0) == param.low
        assert param.value(1.0) == pytest.approx(param.high)
        middle = param.value(0.5)
        assert param.low < middle < param.high
        assert param.value(param.unit(middle)) == pytest.approx(middle, rel=1e-4)
    else:
        assert [param.value(param.unit(each)) for each in param.choices] == list(param.choices)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("explore=1:2", "no option 'explore': must be Game"),
        ("seed=1:2", "option 'seed' is not for tuning: must be Bot"),
        ("exploration=3:0.3", "'3:0.3' must be a range that rises"),
        ("exploration=0:3", "option Exploration value '0': must be a number from 0.01 to 100.0"),
        ("exploration=a:3", "value 'a'"),
        ("exploration=nan:3", "value 'nan'"),
        ("exploration=0.3:3:cubic", "'cubic' must be log, linear, int or float"),
        ("exploration=0.5:3:int", "must be whole numbers"),
        ("iterations=1:64:float", "'float' must be int"),
        ("beliefs=0:64:log", "low end '0' must be above 0"),
        ("bot=ismcts", "'ismcts' must be two or more values"),
        ("bot=ismcts,ismcts", "must be two or more values"),
        ("bot=ismcts,stockfish", "option Bot value 'stockfish': must be ismcts or pimc"),
        ("modelothers=0:1", "'0:1' must be values, not a range"),
        ("exploration=", "option Exploration value ''"),
    ],
)
def test_wrong_parameters(text, says):
    with pytest.raises(OptionError) as caught:
        Param.parse(text)
    assert says in str(caught.value)


def test_a_space_has_something_and_nothing_twice():
    with pytest.raises(OptionError, match="no parameter"):
        Space.parse([])
    with pytest.raises(OptionError, match="'exploration' is named twice"):
        Space.parse(["exploration=1:2", "Exploration=1:3"])


TOML = """
exploration = { low = 0.3, high = 3.0, scale = "log" }
iterations = "1:64:int"
bot = ["ismcts", "pimc"]
"Model Others" = true
pimciterations = { choices = [10, 100] }
"""


def test_a_space_from_toml(tmp_path):
    path = tmp_path / "space.toml"
    path.write_text(TOML)
    assert Space.read(path) == Space.parse(
        [
            "exploration=0.3:3:log",
            "iterations=1:64",
            "bot=ismcts,pimc",
            "modelothers",
            "pimciterations=10,100",
        ]
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("exploration = ", "space.toml"),
        ("exploration = { lo = 1 }", "no key 'lo': must be low, high"),
        ("exploration = { scale = 'cubic' }", "scale 'cubic' must be log or linear"),
        ("exploration = 3", "'3' must be a string, a list or a table"),
        ("", "no parameter"),
    ],
)
def test_wrong_toml(tmp_path, text, says):
    path = tmp_path / "space.toml"
    path.write_text(text)
    with pytest.raises(OptionError) as caught:
        Space.read(path)
    assert says in str(caught.value)


def test_points():
    space = Space.parse(["exploration=0.3:3", "iterations=1:64", "modelothers"])
    base = Options().as_dict()
    point = space.point("exploration=2,Model Others=false", base)
    assert point == {"exploration": 2.0, "iterations": 1, "model_others": False}
    assert words(point) == "exploration=2,iterations=1,modelothers=false"
    for text, says in (
        ("exploration=20", "exploration=20 must be in exploration=0.3:3:log:float"),
        ("threads=2", "'threads' must be exploration, iterations, modelothers"),
        ("joho=2", "no option 'joho'"),
    ):
        with pytest.raises(OptionError) as caught:
            space.point(text, base)
        assert says in str(caught.value)
