"""The house rules of a game: presets, single fields, and the words for them.

``Rules.parse("jass", "cardavia,target=2500")`` and ``str(rules)`` are each other's inverse. The rules
themselves stand in ``trickbot.ext``; here is the value of every field that houses disagree about.

The presets of jass: ``cardavia``, a match to 3000 with multipliers, is the default; ``swisslos`` plays to
1000 without them; ``hsl`` is that without Weis, Stoeck, match bonus and target, which research on card
play measures with. Apples has one, ``apples``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from trickbot.engine.cards import GAMES
from trickbot.engine.errors import RulesError, quoted
from trickbot.engine.notation import CONTRACTS

if TYPE_CHECKING:
    from trickbot.ext.apples import ApplesRules
    from trickbot.ext.jass import JassRules


class Field(NamedTuple):
    """One thing that houses disagree about. A field whose default is a bool is read as yes or no."""

    name: str
    default: int  # of the game's first preset
    maximum: int
    help: str
    minimum: int = 0


_RUNS = tuple(f"run_{length}" for length in range(3, 10))
_QUARTETS = tuple(
    f"quartet_{rank}"
    for rank in ("sixes", "sevens", "eights", "nines", "banners", "unders", "obers", "kings", "aces")
)

FIELDS: dict[str, tuple[Field, ...]] = {
    "jass": (
        Field("target", 3000, 1_000_000, "match points that end the match; 0: one deal at a time"),
        *(
            Field(name, times, 100, f"multiplier of every point when the contract is {name}", 1)
            for name, times in zip(CONTRACTS, (1, 1, 2, 2, 3, 4), strict=True)
        ),
        Field("undenufe_ace", 11, 99, "value of an ace in undenufe"),
        Field("undenufe_six", 0, 99, "value of a six in undenufe"),
        Field("last_trick", 5, 1000, "points for the last trick"),
        Field("match_bonus", 100, 1000, "points for taking all nine tricks"),
        Field("stoeck", 20, 1000, "points for king and Ober of trump in one hand; 0: none"),
        Field("weis", True, 1, "whether melds are announced and scored"),
        Field("shared_cards", False, 1, "whether a card may count in a run and in a quartet"),
        *(
            Field(name, points, 1000, f"points for a run of {name[-1]}")
            for name, points in zip(_RUNS, (20, 50, 100, 100, 100, 100, 100), strict=True)
        ),
        *(
            Field(name, points, 1000, f"points for four {name.partition('_')[2]}")
            for name, points in zip(_QUARTETS, (0, 0, 0, 0, 100, 200, 100, 100, 100), strict=True)
        ),
    ),
    "apples": (Field("target", 250, 10_000, "points that end the match", 1),),
}

_SWISSLOS = {
    "target": 1000,
    **dict.fromkeys(CONTRACTS, 1),
    "undenufe_ace": 0,
    "undenufe_six": 11,
    "shared_cards": True,
    **dict(zip(_RUNS[2:], (100, 150, 200, 250, 300), strict=True)),
    **dict.fromkeys(_QUARTETS[:3], 100),
    "quartet_nines": 150,
}

PRESETS: dict[str, dict[str, dict[str, int]]] = {
    "jass": {
        "cardavia": {},
        "swisslos": _SWISSLOS,
        "hsl": {**_SWISSLOS, "target": 0, "weis": False, "stoeck": 0, "match_bonus": 0},
    },
    "apples": {"apples": {}},
}
"""What each preset of a game sets other than the fields' defaults; the first is the game's default."""


@dataclass(frozen=True)
class Rules:
    """The rules of one game, complete: a value that compares, hashes and prints back."""

    game: str
    values: tuple[int, ...]  # in the order of FIELDS[game]
    preset: str = field(compare=False)  # the one that they were made from

    @classmethod
    def parse(cls, game: str, text: str = "") -> "Rules":
        """The rules of a preset and single fields, ``cardavia,target=2500``; of nothing: the default.

        Raises ``RulesError`` naming the word and what was possible.
        """
        presets, fields = PRESETS[game], FIELDS[game]
        head, *changes = text.lower().split(",") if text else [next(iter(presets))]
        if head not in presets:
            raise RulesError(f"no rules {quoted(head)} for {game}: must be {' or '.join(presets)}")
        values = {each.name: each.default for each in fields} | presets[head]
        by_name = {each.name: each for each in fields}
        for change in changes:
            name, _, word = change.partition("=")
            if name not in by_name:
                raise RulesError(
                    f"no field {quoted(name)} in the rules of {game}: must be {', '.join(by_name)}"
                )
            values[name] = _value(by_name[name], word)
        return cls(game, tuple(values[each.name] for each in fields), head)

    def __str__(self) -> str:
        usual = {each.name: each.default for each in FIELDS[self.game]} | PRESETS[self.game][self.preset]
        return ",".join(
            [self.preset, *(f"{name}={_word(value)}" for name, value in self if value != usual[name])]
        )

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """The fields, by name."""
        return iter([(each.name, value) for each, value in zip(FIELDS[self.game], self.values, strict=True)])

    def __getitem__(self, name: str) -> int:
        return dict(self)[name]

    @property
    def target(self) -> int:
        """Points that end the match; 0: there is no match."""
        return self.values[0]

    def kernel(self) -> "JassRules | ApplesRules":
        """The rules as the kernels take them."""
        return _kernel(self)


def _word(value: int) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _value(each: Field, word: str) -> int:
    if isinstance(each.default, bool):
        for value, words in enumerate((("no", "false", "off", "0"), ("yes", "true", "on", "1"))):
            if word in words:
                return bool(value)
        raise RulesError(f"{each.name}={quoted(word)}: must be yes or no")
    if not (
        word.isascii() and word.isdigit() and len(word) < 10 and each.minimum <= int(word) <= each.maximum
    ):
        raise RulesError(
            f"{each.name}={quoted(word)}: must be a number from {each.minimum} to {each.maximum}"
        )
    return int(word)


@cache
def _kernel(rules: Rules) -> "JassRules | ApplesRules":
    values: dict[str, Any] = dict(rules)
    if rules.game == "apples":
        from trickbot.ext.apples import ApplesRules

        return ApplesRules(**values)
    from trickbot.ext.jass import JassRules

    return JassRules(
        multipliers=[values.pop(name) for name in CONTRACTS],
        run_points=[0, 0, 0, *(values.pop(name) for name in _RUNS)],
        quartet_points=[values.pop(name) for name in _QUARTETS],
        **values,
    )


def all_presets() -> list[str]:
    """The presets of all games."""
    return [name for game in GAMES for name in PRESETS[game]]
