"""What is tuned: options of the engine with their ranges, and points among them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from trickbot.ai.options import OPTIONS, Option, Value, find_option
from trickbot.engine.errors import OptionError, quoted

Point = dict[str, Value]
"""A value for each parameter of a space, by the option's key."""

# What is asked of the engine rather than how it searches.
_FIXED = ("Game", "Rules", "Move Time", "Seed", "MultiPV", "Skill", "Open Hands", "Cards")
_FORM = "must be NAME, NAME=LOW:HIGH[:log|linear][:int|float] or NAME=VALUE,VALUE,..."


@dataclass(frozen=True)
class Param:
    """One tuned option: a range of numbers, or `choices` where there are any."""

    key: str
    kind: Literal["int", "float", "choice"]
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    choices: tuple[Value, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Param:
        """From `exploration=0.3:3.0:log`, `iterations=1:64:int`, `bot=ismcts,pimc`, or a bare `exploration`.

        A bare name takes the range and scale of the option. Raises OptionError.
        """
        name, equals, words = text.partition("=")
        option = _tunable(name)
        if not equals:
            return cls._whole(option)
        if ":" not in words:
            return cls.of_choices(option, [word.strip() for word in words.split(",")])
        low, high, *more = words.split(":")
        scale, kind = option.scale, None
        for word in map(str.strip, more):
            if word in ("log", "linear"):
                scale = word  # type: ignore[assignment]
            elif word in ("int", "float"):
                kind = word
            else:
                raise OptionError(
                    f"parameter {quoted(text)}: {quoted(word)} must be log, linear, int or float"
                )
        return cls.of_range(option, low.strip(), high.strip(), scale, kind)

    @classmethod
    def of_table(cls, name: str, entry: Any) -> Param:
        """From an entry of a TOML file: a string as in `parse`, a list of choices, or `{low, high, scale, type}`.

        `true` takes the option's own range. Raises OptionError.
        """
        if entry is True:
            return cls.parse(name)
        if isinstance(entry, str):
            return cls.parse(f"{name}={entry}")
        option = _tunable(name)
        if isinstance(entry, list):
            return cls.of_choices(option, [value_word(each) for each in entry])
        if not isinstance(entry, dict):
            raise OptionError(
                f"parameter {quoted(name)}: {quoted(str(entry))} must be a string, a list or a table"
            )
        known = ("low", "high", "scale", "type", "choices")
        for key in entry:
            if key not in known:
                raise OptionError(
                    f"parameter {quoted(name)}: no key {quoted(key)}: must be {', '.join(known)}"
                )
        if "choices" in entry:
            return cls.of_choices(option, [value_word(each) for each in entry["choices"]])
        for key, allowed in (("scale", ("log", "linear")), ("type", ("int", "float"))):
            if entry.get(key, allowed[0]) not in allowed:
                raise OptionError(
                    f"parameter {quoted(name)}: {key} {quoted(str(entry[key]))} must be {' or '.join(allowed)}"
                )
        ends = [value_word(entry.get(key, end)) for key, end in (("low", option.min), ("high", option.max))]
        return cls.of_range(option, ends[0], ends[1], entry.get("scale", option.scale), entry.get("type"))

    @classmethod
    def _whole(cls, option: Option) -> Param:
        if option.type == "check":
            return cls.of_choices(option, ["false", "true"])
        if option.type == "combo":
            return cls.of_choices(option, list(option.choices))
        return cls.of_range(option, str(option.min), str(option.max), option.scale, None)

    @classmethod
    def of_choices(cls, option: Option, words: Sequence[str]) -> Param:
        values = tuple(option.parse(word) for word in words)
        if len(values) < 2 or len(set(values)) < len(values):
            raise OptionError(
                f"parameter {option.name}: {quoted(','.join(words))} must be two or more values"
            )
        return cls(option.key, "choice", choices=values)

    @classmethod
    def of_range(cls, option: Option, low: str, high: str, scale: str, kind: str | None) -> Param:
        if option.type in ("check", "combo"):
            raise OptionError(
                f"parameter {option.name}: {quoted(f'{low}:{high}')} must be values, not a range"
            )
        own = "int" if option.type == "spin" else "float"
        if (kind or own) == "float" and own == "int":
            raise OptionError(f"parameter {option.name}: 'float' must be int")
        ends = [option.parse(word) for word in (low, high)]
        assert all(isinstance(end, (int, float)) for end in ends)
        first, last = (float(end) for end in ends)
        if not first < last:
            raise OptionError(
                f"parameter {option.name}: {quoted(f'{low}:{high}')} must be a range that rises"
            )
        if scale == "log" and first <= 0:
            raise OptionError(
                f"parameter {option.name}: low end {quoted(low)} must be above 0 on a log scale"
            )
        whole = (kind or own) == "int"
        if whole and (first % 1 or last % 1):
            raise OptionError(f"parameter {option.name}: {quoted(f'{low}:{high}')} must be whole numbers")
        return cls(option.key, "int" if whole else "float", first, last, scale == "log")

    def __contains__(self, value: Value) -> bool:
        if self.kind == "choice":
            return value in self.choices
        whole = self.kind == "float" or float(value) % 1 == 0
        return isinstance(value, (int, float)) and self.low <= value <= self.high and whole

    def unit(self, value: Value) -> float:
        """Where a value is in the range, 0 to 1; of choices its number."""
        if self.kind == "choice":
            return float(self.choices.index(value))
        x, low, high = (math.log(each) if self.log else each for each in (float(value), self.low, self.high))
        return min(1.0, max(0.0, (x - low) / (high - low)))

    def value(self, unit: float, rounding: float = 0.5) -> Value:
        """The value at a place. Ints are rounded up where their fraction is at least `rounding`."""
        if self.kind == "choice":
            return self.choices[int(unit)]
        unit = min(1.0, max(0.0, unit))
        x = self.low + unit * (self.high - self.low)
        if self.log:
            x = math.exp(math.log(self.low) + unit * (math.log(self.high) - math.log(self.low)))
        if self.kind == "int":
            whole = math.floor(x)
            x = whole + (x - whole >= rounding)
            return int(min(self.high, max(self.low, x)))
        return float(f"{min(self.high, max(self.low, x)):.6g}")

    def __str__(self) -> str:
        if self.kind == "choice":
            return f"{_plain(self.key)}={','.join(map(value_word, self.choices))}"
        scale = "log" if self.log else "linear"
        return f"{_plain(self.key)}={self.low:.15g}:{self.high:.15g}:{scale}:{self.kind}"


def _tunable(name: str) -> Option:
    option = find_option(name.strip())
    if option.name in _FIXED:
        possible = ", ".join(each.name for each in OPTIONS if each.name not in _FIXED)
        raise OptionError(f"option {quoted(name.strip())} is not for tuning: must be {possible}")
    return option


def value_word(value: Value) -> str:
    """A value as specs and the protocol take it; floats to six digits."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _plain(key: str) -> str:
    return key.replace("_", "")


@dataclass(frozen=True)
class Space:
    """The parameters of a study."""

    params: tuple[Param, ...]

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Space:
        """Raises OptionError for a wrong parameter, none at all, or one named twice."""
        return cls._checked([Param.parse(text) for text in texts])

    @classmethod
    def read(cls, path: str | Path) -> Space:
        """From a TOML file with a key for each parameter. Raises OptionError, OSError."""
        toml: Any
        if sys.version_info >= (3, 11):
            import tomllib as toml
        else:
            import tomli as toml
        try:
            entries = toml.loads(Path(path).read_text("utf-8"))
        except (toml.TOMLDecodeError, UnicodeDecodeError) as error:
            raise OptionError(f"{path}: {error}") from None
        return cls._checked([Param.of_table(name, entry) for name, entry in entries.items()])

    @classmethod
    def _checked(cls, params: list[Param]) -> Space:
        keys = [param.key for param in params]
        for key in keys:
            if keys.count(key) > 1:
                raise OptionError(f"parameter {quoted(_plain(key))} is named twice")
        if not params:
            raise OptionError("no parameter to tune: name some with --param or --space")
        return cls(tuple(params))

    @property
    def texts(self) -> list[str]:
        """What `parse` takes."""
        return [str(param) for param in self.params]

    def point(self, text: str, base: Mapping[str, Value]) -> Point:
        """From `exploration=0.7,iterations=4`; what is not named is as in `base`. Raises OptionError."""
        point = {param.key: base[param.key] for param in self.params}
        for word in filter(None, map(str.strip, text.split(","))):
            name, _, value = word.partition("=")
            option = find_option(name)
            if option.key not in point:
                raise OptionError(
                    f"point {quoted(text)}: {quoted(name)} must be {', '.join(map(_plain, point))}"
                )
            point[option.key] = option.parse(value)
        for param in self.params:
            if point[param.key] not in param:
                value = value_word(point[param.key])
                raise OptionError(f"point {quoted(text)}: {_plain(param.key)}={value} must be in {param}")
        return point

    def contains(self, point: Mapping[str, Value]) -> bool:
        return all(point[param.key] in param for param in self.params)

    def units(self, point: Mapping[str, Value]) -> list[float]:
        return [param.unit(point[param.key]) for param in self.params]

    def values(self, units: Sequence[float]) -> Point:
        return {param.key: param.value(unit) for param, unit in zip(self.params, units, strict=True)}


def words(point: Mapping[str, Value]) -> str:
    """A point as a bot spec takes it: `exploration=0.7,iterations=4`."""
    return ",".join(f"{_plain(key)}={value_word(value)}" for key, value in point.items())
