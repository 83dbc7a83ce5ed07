"""Every option of the engine, in one table, and their values.

The protocol prints and sets them, bot specs and the tuner name them, and the search reads them, all by
this table. Names pay no heed to case, blanks and underscores: ``Move Time`` is ``movetime`` in a bot spec and
``options.move_time`` in Python.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from trickbot.engine.cards import GAMES
from trickbot.engine.errors import OptionError, quoted
from trickbot.engine.rules import all_presets

Value = bool | int | float | str


@dataclass(frozen=True)
class Option:
    """One option. A ``string`` whose default is a float holds a number from ``min`` to ``max``."""

    name: str
    type: Literal["spin", "check", "combo", "string"]
    default: Value
    help: str
    min: float = 0
    max: float = 0
    choices: tuple[str, ...] = ()
    tunable: bool = False
    scale: Literal["linear", "log"] = "linear"  # how a tuner should walk from min to max

    @property
    def key(self) -> str:
        """The name as a Python word."""
        return re.sub(r" |(?<=[a-z])(?=[A-Z])", "_", self.name).lower()

    def parse(self, word: str) -> Value:
        """The value of a word. Raises ``OptionError`` saying what was possible."""
        if self.type == "check":
            if word.lower() not in ("true", "false"):
                raise self._refused(word, "true or false")
            return word.lower() == "true"
        if self.type == "combo":
            for choice in self.choices:
                if word.lower() == choice.lower():
                    return choice
            raise self._refused(word, " or ".join(self.choices))
        if self.type == "string" and not isinstance(self.default, float):
            return word
        number = float if self.type == "string" else int
        try:
            value = number(word)
        except ValueError:
            value = None
        if value is None or not word.isascii() or "_" in word or not self.min <= value <= self.max:
            raise self._refused(word, f"a number from {self.min} to {self.max}")
        return value

    def _refused(self, word: str, possible: str) -> OptionError:
        return OptionError(f"option {self.name} value {quoted(word)}: must be {possible}")

    def __str__(self) -> str:
        """The protocol's line for it."""
        words = [f"option name {self.name} type {self.type} default {_word(self.default)}"]
        if self.type == "spin":
            words.append(f"min {self.min} max {self.max}")
        words += [f"var {choice}" for choice in self.choices]
        return " ".join(words)


def _word(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


OPTIONS: tuple[Option, ...] = (
    Option("Game", "combo", "jass", "the game, where the position does not say it", choices=tuple(GAMES)),
    Option(
        "Rules", "combo", "cardavia", "the rules, where the position has none", choices=tuple(all_presets())
    ),
    Option(
        "Bot",
        "combo",
        "ismcts",
        "who chooses the moves",
        choices=("ismcts", "pimc", "rules", "greedy", "random"),
    ),
    Option("Move Time", "spin", 1000, "milliseconds for a move when go has no limit", 1, 86_400_000),
    Option("Threads", "spin", 1, "searches side by side", 1, 64),
    Option("Seed", "spin", 0, "of all random choices; 0: from the system", 0, 2**63 - 1),
    Option("Hash", "spin", 64, "bound of the tree's memory in MiB", 1, 65_536),
    Option("MultiPV", "spin", 1, "moves reported in each round", 1, 64),
    Option("Skill", "spin", 20, "20: full strength; below: weaker on purpose, like a person", 0, 20),
    Option("Readable", "check", True, "jass: of cards held equal, the one that tells a partner most"),
    Option("Open Hands", "check", False, "use all hands of a full deal (analysis)"),
    Option("Cards", "combo", "german", "names of the cards of jass", choices=("german", "french")),
    # What the search does with its time
    Option("Exploration", "string", 0.7, "of the confidence bounds", 0.01, 100.0, tunable=True, scale="log"),
    Option("Iterations", "spin", 1, "ismcts: for each sampled world", 1, 65_536, tunable=True, scale="log"),
    Option("Pimc Iterations", "spin", 400, "pimc: for each tree", 1, 1_000_000, tunable=True, scale="log"),
    Option(
        "Win Within",
        "spin",
        400,
        "points to the target from which the match is played for",
        0,
        10_000,
        tunable=True,
    ),
    Option(
        "Contracts",
        "combo",
        "search",
        "jass: what names the contract: the search, the fitted tables, or the search where they find it close",
        choices=("search", "tables", "both"),
    ),
    Option(
        "Beliefs",
        "spin",
        4096,
        "worlds weighted by how likely the others would have done what they did; 0: all alike",
        0,
        65_536,
        tunable=True,
    ),
    Option(
        "Model Others", "check", True, "in the tree the others play by the play model or policy", tunable=True
    ),
    Option(
        "Playout Tricks",
        "spin",
        12,
        "tricks of a playout by the play model (apples: by the policy), the rest at random",
        0,
        12,
        tunable=True,
    ),
    Option(
        "Solve Tricks",
        "spin",
        5,
        "jass: so many last tricks are solved exactly in sampled worlds, unless the match may end; 0: searched",
        0,
        7,  # a world of eight may take half a second, and no limit is heard meanwhile
        tunable=True,
    ),
    Option("Others", "string", 1.0, "apples: weight of the others' mean points", 0.0, 1.0, tunable=True),
)


def _plain(name: str) -> str:
    return name.lower().replace(" ", "").replace("_", "")


_BY_NAME = {_plain(option.name): option for option in OPTIONS}


def find_option(name: str) -> Option:
    """The option of a name. Raises ``OptionError`` listing all names."""
    try:
        return _BY_NAME[_plain(name)]
    except KeyError:
        names = ", ".join(option.name for option in OPTIONS)
        raise OptionError(f"no option {quoted(name)}: must be {names}") from None


class Options:
    """A value for every option: ``Options(threads=2).move_time``.

    Values may be set as Python values or as the words of the protocol, and are checked either way.
    """

    def __init__(self, values: Mapping[str, Value] | None = None, /, **more: Value) -> None:
        self._values = {option.key: option.default for option in OPTIONS}
        for name, value in {**(values or {}), **more}.items():
            self.set(name, value)

    def set(self, name: str, value: Value) -> None:
        """Sets one option. Raises ``OptionError`` and changes nothing when name or value is wrong."""
        option = find_option(name)
        self._values[option.key] = option.parse(_word(value))

    def __getattr__(self, key: str) -> Any:
        option = _BY_NAME.get(_plain(key))
        if option is None:
            raise AttributeError(f"no option {key}")
        return self._values[option.key]

    def __iter__(self) -> Iterator[tuple[Option, Value]]:
        return ((option, self._values[option.key]) for option in OPTIONS)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self._values == other._values

    def as_dict(self) -> dict[str, Value]:
        """The values by the options' names as Python words."""
        return dict(self._values)

    def copy(self) -> "Options":
        """The same values, to be changed apart."""
        twin = Options()
        twin._values.update(self._values)
        return twin
