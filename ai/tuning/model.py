"""The landscape behind the results: a Gaussian process that knows how noisy each of them is.

Trials play the same deals, so what a deal is worth to all of them is taken out first, and the rest of the
spread is each trial's noise. The optimum is that of the process's mean, not the luckiest trial; its intervals
are those of landscapes drawn from the process (Rasmussen and Williams 2006, chapters 2 and 5).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from trickbot.ai.tuning.space import Param, Point, Space, value_word
from trickbot.ai.tuning.store import Trial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_MOST = 400  # results that the process takes, the last ones
_N_DRAWN = 400  # landscapes behind an interval
_N_PRIOR = 4  # degrees of freedom with which a trial's spread leans to that of all


P = ParamSpec("P")
T = TypeVar("T")


def _one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Linear algebra in one thread: where cores are busy, more of them only wait for each other."""

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        threads: Any = import_module("threadpoolctl")
        with threads.threadpool_limits(1):
            return function(*args, **kwargs)

    return called


@dataclass
class Results:
    """Values with the variances of their noise. `minus`: a point whose value was taken off, else None.

    level: the variance that all values have in common, of the luck of the deals.
    """

    plus: list[Point]
    minus: list[Point] | None
    values: Array
    variances: Array
    level: float


def results_of(trials: Sequence[Trial]) -> Results:
    """What the trials that ended say. Raises ValueError for fewer than two."""
    import numpy as np

    ended = [trial for trial in trials if trial.state in ("complete", "pruned")]
    if len(ended) < 2:
        raise ValueError(f"{len(ended)} trials have ended: a model needs two")
    if "plus" in ended[0].extra:
        last = [trial.extra for trial in ended[-_MOST:]]
        pooled = float(np.mean([each["variance"] for each in last])) or 1e-12
        n = np.array([each["n"] for each in last], dtype=float)
        values = np.array([each["value"] for each in last])
        return Results([e["plus"] for e in last], [e["minus"] for e in last], values, pooled / n, 0.0)
    ended = ended[-_MOST:]
    blocks = sorted({block for trial in ended for block in trial.blocks})
    column = {block: i for i, block in enumerate(blocks)}
    table = np.full((len(ended), len(blocks)), np.nan)
    for row, trial in zip(table, ended, strict=True):
        for block, value in trial.blocks.items():
            row[column[block]] = value
    return _two_way([trial.point for trial in ended], table)


def _two_way(points: list[Point], table: Array) -> Results:
    """Trials without the deals' own effect, which is shrunk as a random one. nan: not played."""
    import numpy as np

    played = ~np.isnan(table)
    n = played.sum(axis=1)
    deal = np.zeros(table.shape[1])
    for _ in range(100):
        value = np.nanmean(table - deal, axis=1)
        shift = np.nansum(table - value[:, None], axis=0) / (played.sum(axis=0) + 1)
        shift -= shift.mean()
        if abs(shift - deal).max() < 1e-9:
            break
        deal = shift
    rest = table - deal - value[:, None]
    squares = np.nansum(rest**2, axis=1)
    freedom = max(1, int(played.sum()) - sum(table.shape) + 1)
    pooled = float(squares.sum()) / freedom or 1e-12
    variances = (squares + _N_PRIOR * pooled) / np.maximum(1, n - 1 + _N_PRIOR)
    # A deal's mean over trials moves all values alike. It holds their noise too, which is taken off.
    level = max(0.0, float(deal.var(ddof=1)) - pooled / len(points)) if len(deal) > 1 else 0.0
    return Results(points, None, value, variances / n, level / max(1, len(deal)))


class Landscape:
    """The process that fits the results in a space. Its values are as the results', for instance points a deal."""

    @_one_thread
    def __init__(self, space: Space, results: Results) -> None:
        import numpy as np

        self.space = space
        self.results = results
        self._kinds = np.array([param.kind == "choice" for param in space.params])
        self._points = self.encode([*results.plus, *(results.minus or [])])
        self._centre = (
            0.0 if results.minus else float(np.average(results.values, weights=1 / results.variances))
        )
        self._box: tuple[Array, Array] | None = None
        if results.minus:
            half = len(results.plus) // 2
            last = self.encode([*results.plus[half:], *results.minus[half:]])
            self._box = last.min(axis=0), last.max(axis=0)
        noise = float(np.median(results.variances))
        signal = float(np.var(results.values)) - noise
        self._scale = math.sqrt(max(signal, 0.1 * noise, 1e-12))
        self._y = (results.values - self._centre) / self._scale
        self._noise = results.variances / self._scale**2 + 1e-8
        self._fit()

    def encode(self, points: Sequence[Point]) -> Array:
        """The points in units, a row each."""
        import numpy as np

        return np.array([self.space.units(point) for point in points], dtype=float)

    def _kernel(self, a: Array, b: Array, hyper: Array) -> Array:
        """Matern 5/2 by a length for each parameter, and a level that is free. hyper: logs."""
        import numpy as np

        lengths = np.exp(hyper[1:])
        square = np.zeros((len(a), len(b)))
        for i, length in enumerate(lengths):
            apart = a[:, i, None] - b[None, :, i]
            square += ((apart != 0) if self._kinds[i] else apart * apart) / length**2
        r = np.sqrt(5 * square)
        smooth = math.exp(2 * hyper[0]) * (1 + r + r * r / 3) * np.exp(-r)
        return smooth if self.results.minus else smooth + 4.0

    def _off(self, rows: Array) -> Array:
        """A row for each result from one for each of its points."""
        n = len(self.results.values)
        return rows if self.results.minus is None else rows[:n] - rows[n:]

    def _posed(self, hyper: Array) -> tuple[Array, Array]:
        """The factor of the results' covariance, and their weights."""
        import numpy as np

        covariance = self._off(self._off(self._kernel(self._points, self._points, hyper)).T)
        factor: Array = np.asarray(np.linalg.cholesky(covariance + np.diag(self._noise)), dtype=np.float64)
        return factor, np.linalg.solve(factor.T, np.linalg.solve(factor, self._y))

    def _badness(self, hyper: Array) -> float:
        """Minus the log of the likelihood and of what is thought of lengths beforehand: about half the range."""
        import numpy as np

        factor, weights = self._posed(hyper)
        fit = float(0.5 * self._y @ weights + np.log(factor.diagonal()).sum())
        return (
            fit + 0.5 * float((((hyper[1:] - math.log(0.5)) / 0.8) ** 2).sum()) + 0.5 * float(hyper[0] ** 2)
        )

    def _fit(self) -> None:
        import numpy as np

        minimize: Any = import_module("scipy.optimize").minimize
        d = len(self.space.params)
        bounds = [(-3.0, 3.0)] + [(math.log(0.05), math.log(10.0))] * d
        starts = [np.array([0.0] + [math.log(length)] * d) for length in (0.25, 1.0)]
        fits = [minimize(self._badness, start, method="L-BFGS-B", bounds=bounds) for start in starts]
        self._hyper = min(fits, key=lambda each: float(each.fun)).x
        self._factor, self._weights = self._posed(self._hyper)

    def predict(self, units: Array) -> tuple[Array, Array]:
        """Mean and standard error of the landscape at rows of units (without the level's)."""
        import numpy as np

        cross = self._off(self._kernel(self._points, units, self._hyper))
        own = math.exp(2 * self._hyper[0]) + (0.0 if self.results.minus else 4.0)
        explained = np.linalg.solve(self._factor, cross)
        error: Array = np.sqrt(np.maximum(0.0, own - (explained * explained).sum(axis=0)))
        mean: Array = self._centre + self._scale * (cross.T @ self._weights)
        return mean, self._scale * error

    def draw(self, units: Array, n: int, seed: int = 0) -> Array:
        """Landscapes drawn from the process: n rows, a column for each row of units."""
        import numpy as np

        cross = self._off(self._kernel(self._points, units, self._hyper))
        explained = np.linalg.solve(self._factor, cross)
        covariance = self._kernel(units, units, self._hyper) - explained.T @ explained
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        noise = np.random.default_rng(seed).standard_normal((n, len(units)))
        return self._centre + self._scale * (cross.T @ self._weights + noise @ root.T)  # type: ignore[no-any-return]

    def random_units(self, n: int, random: np.random.Generator) -> Array:
        """Random legal places, a row each."""
        rows = random.random((n, len(self.space.params)))
        return self._legal(rows * [len(param.choices) or 1 for param in self.space.params])

    def _legal(self, rows: Array) -> Array:
        """The nearest places that values can have."""
        import numpy as np

        columns = []
        for column, param in zip(rows.T, self.space.params, strict=True):
            if param.kind == "int":
                columns.append(np.array([param.unit(param.value(float(unit))) for unit in column]))
            elif param.kind == "choice":
                columns.append(np.floor(column).clip(0, len(param.choices) - 1))
            else:
                columns.append(column.clip(0, 1))
        return np.stack(columns, axis=1)

    def candidates(self, seed: int = 0) -> Array:
        """Places where the optimum may be: random ones, those that were played, and around the best of both."""
        import numpy as np

        random = np.random.default_rng(seed)
        found = np.vstack([self.random_units(2000, random), self._points])
        choices = np.array([len(param.choices) for param in self.space.params])
        for width in (0.15, 0.05, 0.02):
            inside = self.allowed(found)
            best = inside[np.argsort(-self.predict(inside)[0])[:30]]
            near = np.repeat(best, 10, axis=0)
            moved = near + width * random.standard_normal(near.shape)
            other = random.random(near.shape) * choices
            swap = random.random(near.shape) < 0.1
            moved = np.where(self._kinds, np.where(swap, other, near), moved)
            found = np.vstack([found, self._legal(moved)])
        return self.allowed(np.unique(found, axis=0))

    def allowed(self, rows: Array) -> Array:
        """Those rows of units where the optimum may be said to be."""
        return rows if self._box is None else rows[self._within(rows)]

    def _within(self, rows: Array) -> NDArray[np.bool_]:
        """Which rows are in the box that was played last: differences say nothing of what is far from it."""
        import numpy as np

        assert self._box is not None
        inside: NDArray[np.bool_] = np.all((rows >= self._box[0]) & (rows <= self._box[1]), axis=1)
        return inside

    @_one_thread
    def importance(self, seed: int = 0, n: int = 1000) -> list[float]:
        """The share of the landscape's variance that goes with each parameter, alone or with others.

        Total Sobol indices of the mean, by Jansen's estimator (Saltelli et al. 2010). Zeros where it is flat.
        """
        import numpy as np

        random = np.random.default_rng(seed)
        one, two = self.random_units(n, random), self.random_units(n, random)
        base = self.predict(one)[0]
        variance = float(base.var())
        shares = []
        for i in range(one.shape[1]):
            mixed = one.copy()
            mixed[:, i] = two[:, i]
            changed = self.predict(mixed)[0]
            shares.append(float(((base - changed) ** 2).mean()) / 2 / variance if variance > 1e-18 else 0.0)
        return shares


@_one_thread
def optimum(landscape: Landscape, confidence: float = 0.95, seed: int = 0) -> dict[str, Any]:
    """Where the landscape is highest, as JSON takes it.

    `value` has the interval of the landscape there with the luck of the deals; it is None where only
    differences were played. Each parameter has the interval (choices: the chances) of the drawn optima.
    """
    import numpy as np

    places = landscape.candidates(seed)
    means, errors = landscape.predict(places)
    best = int(means.argmax())
    # Candidates crowd around the best: where else the optimum may be is asked of places from everywhere.
    wide = landscape.random_units(600, np.random.default_rng(seed + 1))
    likely = landscape.allowed(np.vstack([places[np.argsort(-means)[:200]], wide]))
    drawn = likely[landscape.draw(likely, _N_DRAWN, seed).argmax(axis=1)]
    space = landscape.space
    point = space.values(places[best].tolist())
    width = NormalDist().inv_cdf(0.5 + confidence / 2)
    error = math.sqrt(float(errors[best]) ** 2 + landscape.results.level)
    mean = float(means[best])
    return {
        "point": point,
        "value": None
        if landscape.results.minus
        else {"mean": mean, "error": error, "low": mean - width * error, "high": mean + width * error},
        "params": {
            param.key: _spread(param, column, confidence)
            for param, column in zip(space.params, drawn.T, strict=True)
        },
    }


def _spread(param: Param, column: Array, confidence: float) -> dict[str, Any]:
    import numpy as np

    if param.kind == "choice":
        shares = [float((column == i).mean()) for i in range(len(param.choices))]
        return {"chances": dict(zip(map(value_word, param.choices), shares, strict=True))}
    tail = (1 - confidence) / 2
    low, high = (param.value(float(each)) for each in np.quantile(column, (tail, 1 - tail)))
    return {"low": low, "high": high}
