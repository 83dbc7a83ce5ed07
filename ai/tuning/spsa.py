"""Simultaneous perturbation stochastic approximation, for many numeric parameters with small effects.

Each step plays the centre shifted one way along every parameter against the centre shifted the other way, and
moves along what won (Spall 1998). Gains fall as in Spall's guidelines; the gradient is scaled by its own root
mean square, so that they need not know how many points the parameters are worth.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any, NamedTuple

from trickbot.ai.tuning.space import Point, Space
from trickbot.engine.errors import OptionError
from trickbot.engine.match import child_seed

_GAIN = 0.06  # of the range, at the first step
_SHIFT = 0.15  # of the range, at the first step
_GAIN_FALL, _SHIFT_FALL = 0.602, 0.101


class Step(NamedTuple):
    """The two points of a step, and the signs of their shift."""

    number: int
    plus: Point
    minus: Point
    signs: tuple[int, ...]
    shift: float


class Spsa:
    """The centre, in units of the ranges, and how it moves. n_steps: that are planned in all.

    Raises OptionError for a space with choices.
    """

    def __init__(self, space: Space, seed: int, n_steps: int, start: Point | None = None) -> None:
        for param in space.params:
            if param.kind == "choice":
                raise OptionError(f"parameter {param}: spsa needs ranges of numbers, try --method tpe")
        self.space = space
        self.units = space.units(start) if start else [0.5] * len(space.params)
        self._seed = seed
        self._number = 0
        self._square = 0.0
        self._delay = max(1.0, 0.1 * n_steps)

    @property
    def point(self) -> Point:
        """The centre."""
        return self.space.values(self.units)

    def resume(self, extra: dict[str, Any]) -> None:
        """Goes on behind a step that was advanced over, perhaps within other ranges. Steps in their order."""
        self._number, self._square = extra["step"] + 1, extra["square"]
        for i, param in enumerate(self.space.params):
            if param.key in extra["next"]:
                self.units[i] = param.unit(extra["next"][param.key])

    def step(self) -> Step:
        """The next two points: the same whenever it is asked for."""
        random = Random(child_seed(self._seed, self._number, 2))
        signs = tuple(random.choice((-1, 1)) for _ in self.units)
        shift = _SHIFT / (self._number + 1) ** _SHIFT_FALL
        # Stochastic rounding: an int moves by fractions of one too, in the mean.
        rounding = [1 - random.random() for _ in self.units]
        plus, minus = (
            {
                param.key: param.value(unit + way * shift * sign, each)
                for param, unit, sign, each in zip(
                    self.space.params, self.units, signs, rounding, strict=True
                )
            }
            for way in (1, -1)
        )
        return Step(self._number, plus, minus, signs, shift)

    def advance(self, step: Step, value: float) -> dict[str, Any]:
        """Moves by what a step came to; returns what `resume` and the model need."""
        self._square += (value * value - self._square) / min(self._number + 1, 50)
        scaled = value / math.sqrt(self._square) if self._square > 0 else 0.0
        gain = _GAIN * ((1 + self._delay) / (self._number + 1 + self._delay)) ** _GAIN_FALL
        moved = [unit + gain * scaled * sign for unit, sign in zip(self.units, step.signs, strict=True)]
        self.units = [min(1.0, max(0.0, unit)) for unit in moved]
        self._number += 1
        return {
            "step": step.number,
            "square": self._square,
            "value": value,
            "plus": step.plus,
            "minus": step.minus,
            "next": {p.key: _exact(p, unit) for p, unit in zip(self.space.params, self.units, strict=True)},
        }


def _exact(param: Any, unit: float) -> float:
    """The value at a place, not rounded: ints move by less than one."""
    if param.log:
        return float(math.exp(math.log(param.low) + unit * (math.log(param.high) - math.log(param.low))))
    return float(param.low + unit * (param.high - param.low))
