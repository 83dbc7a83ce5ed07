"""What a tournament's blocks say: intervals, Elo, ratings and a sequential test. Pure functions.

The unit is the block: one deal played in all its seatings. Its margin is in points a deal, its score is the
share of its deals that were won (a tie is half a win). Nothing here returns nan: what cannot be said is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ELO_SCALE = 400 / math.log(10)


@dataclass
class Moments:
    """Count, mean and sum of squared deviations of the numbers added so far (Welford 1962)."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, x: float) -> None:
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.squares += delta * (x - self.mean)

    @property
    def variance(self) -> float | None:
        """The unbiased variance; None with fewer than two numbers."""
        return self.squares / (self.n - 1) if self.n > 1 else None


@dataclass(frozen=True)
class Estimate:
    """A mean over `n` blocks with its standard error and interval; None where `n` does not allow it."""

    n: int
    mean: float | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def words(self) -> str:
        """Why there is no ordinary interval, in words; empty when there is one."""
        if self.n == 0:
            return "no block yet"
        if self.n == 1:
            return "one block: no interval"
        return "every block the same" if self.error == 0 else ""


def estimate(moments: Moments, confidence: float = 0.95) -> Estimate:
    """The mean with Student's interval."""
    if moments.n == 0:
        return Estimate(0)
    if moments.variance is None:
        return Estimate(1, moments.mean)
    return _interval(moments.n, moments.mean, math.sqrt(moments.variance / moments.n), confidence)


def _interval(n: int, mean: float, error: float, confidence: float) -> Estimate:
    width = t_quantile(0.5 + confidence / 2, n - 1) * error
    return Estimate(n, mean, error, mean - width, mean + width)


@dataclass
class Ratio:
    """The ratio of two sums over blocks, for instance own points to all points."""

    n: int = 0
    part: float = 0.0
    whole: float = 0.0
    part_part: float = 0.0
    part_whole: float = 0.0
    whole_whole: float = 0.0

    def add(self, part: float, whole: float) -> None:
        self.n += 1
        self.part += part
        self.whole += whole
        self.part_part += part * part
        self.part_whole += part * whole
        self.whole_whole += whole * whole

    def estimate(self, confidence: float = 0.95) -> Estimate:
        """The ratio with the interval of the linearised ratio estimator (Cochran 1977, section 6.4)."""
        if self.n == 0 or self.whole == 0:
            return Estimate(0)
        share = self.part / self.whole
        if self.n == 1:
            return Estimate(1, share)
        residual = self.part_part - 2 * share * self.part_whole + share * share * self.whole_whole
        if residual <= 1e-12 * self.part_part:  # what rounding leaves of an exact zero
            residual = 0.0
        error = math.sqrt(residual / (self.n - 1) * self.n) / abs(self.whole)
        return _interval(self.n, share, error, confidence)


@lru_cache(maxsize=1024)
def t_quantile(p: float, dof: int) -> float:
    """Student's t quantile for `p` in (0.5, 1), `dof` >= 1; to 1e-6.

    Up to 100 degrees of freedom by bisection of the finite series of the distribution (Abramowitz and Stegun
    26.7.3, 26.7.4), above by its expansion around the normal quantile (26.7.5).
    """
    if not (0.5 < p < 1 and dof >= 1):
        raise ValueError(f"no t quantile for p = {p}, {dof} degrees of freedom")
    z = NormalDist().inv_cdf(p)
    if dof > 100:
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * dof**3)
        return z + (z**3 + z) / (4 * dof) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * dof**2) + third
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if _t_within(middle, dof) < 2 * p - 1:
            low = middle
        else:
            high = middle
    return math.sqrt(dof) * math.tan(low)


def _t_within(angle: float, dof: int) -> float:
    """P(|T| <= t) for t = sqrt(dof) tan(angle)."""
    odd = dof % 2
    cosine = math.cos(angle)
    term = cosine if odd else 1.0
    total = term if dof > 1 else 0.0
    for k in range(2 + odd, dof - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    total *= math.sin(angle)
    return (angle + total) * 2 / math.pi if odd else total


@dataclass(frozen=True)
class Elo:
    """An Elo difference; None for a bound (or a value) that is beyond all numbers."""

    value: float | None
    low: float | None
    high: float | None


def elo(score: Moments, confidence: float = 0.95) -> Elo:
    """The Elo difference that the mean block score (0..1) stands for.

    Where every block was won (or lost) only the inner bound exists: the score that would do so with
    probability (1 - confidence) / 2.
    """
    if score.n == 0:
        return Elo(None, None, None)
    if score.mean in (0.0, 1.0):
        bound = elo_of(((1 - confidence) / 2) ** (1 / score.n))
        assert bound is not None
        return Elo(None, bound, None) if score.mean == 1 else Elo(None, None, -bound)
    found = estimate(score, confidence)
    low, high = (None if x is None else elo_of(x) for x in (found.low, found.high))
    return Elo(elo_of(score.mean), low, high)


def elo_of(score: float) -> float | None:
    """400 log10(score / (1 - score)); None outside (0, 1)."""
    return ELO_SCALE * math.log(score / (1 - score)) if 0 < score < 1 else None


@dataclass(frozen=True)
class Rating:
    """A rating against the mean of the bots it is connected with; its standard error (None: unknown)."""

    value: float
    error: float | None
    group: int


@dataclass
class PairSums:
    """Sums over deals of one number for each pair of bots, with the covariances of pairs that shared a deal.

    The same deals are played by every pair, so the pairs are not independent: errors of ratings must know it.
    """

    pairs: Sequence[tuple[int, int]]
    _joint: NDArray[np.float64] = field(init=False)
    _sum: NDArray[np.float64] = field(init=False)
    _product: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        import numpy as np

        size = len(self.pairs)
        self._joint, self._sum, self._product = (np.zeros((size, size)) for _ in range(3))

    def add(self, values: Mapping[int, float]) -> None:
        """One deal's numbers, by index of the pair."""
        import numpy as np

        index = np.fromiter(values, dtype=np.intp)
        x = np.fromiter(values.values(), dtype=float)
        cells = np.ix_(index, index)
        self._joint[cells] += 1
        self._sum[cells] += x[:, None]
        self._product[cells] += np.outer(x, x)

    @property
    def counts(self) -> NDArray[np.float64]:
        return self._joint.diagonal().copy()

    @property
    def means(self) -> NDArray[np.float64]:
        result: NDArray[np.float64] = self._sum.diagonal() / self.counts.clip(1)
        return result

    def covariance_of_means(self) -> NDArray[np.float64]:
        """Zero for pairs with fewer than two deals in common."""
        n = self._joint.clip(2)
        covariance = (self._product - self._sum * self._sum.T / n) / (n - 1)
        covariance[self._joint < 2] = 0.0
        counts = self.counts.clip(1)
        result: NDArray[np.float64] = covariance * self._joint / counts[:, None] / counts[None, :]
        return result


def margin_ratings(n_bots: int, sums: PairSums) -> list[Rating]:
    """Least-squares ratings, in points a deal, from the mean margins of all pairs."""
    import numpy as np

    design, counts = _design(n_bots, sums)
    pull = np.linalg.pinv(design.T * counts @ design, hermitian=True) @ (design.T * counts)
    return _ratings(pull @ sums.means, pull, sums)


def elo_ratings(n_bots: int, sums: PairSums) -> list[Rating]:
    """Bradley-Terry ratings, in Elo, from the mean block scores of all pairs.

    Each pair that met is given one drawn block more, so that a bot that won everything has a finite rating.
    """
    import numpy as np

    design, counts = _design(n_bots, sums)
    met = counts > 0
    weight = counts + met
    score = (counts * sums.means + 0.5 * met) / weight.clip(1)
    strength = np.zeros(n_bots)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-(design @ strength)))
        curvature = np.linalg.pinv(design.T * (weight * chance * (1 - chance)) @ design, hermitian=True)
        step = curvature @ (design.T @ (weight * (score - chance)))
        strength += step.clip(-1, 1)
        if abs(step).max() < 1e-10:
            break
    return _ratings(ELO_SCALE * strength, ELO_SCALE * curvature @ (design.T * counts), sums)


def _design(n_bots: int, sums: PairSums) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    design = np.zeros((len(sums.pairs), n_bots))
    for row, (i, j) in enumerate(sums.pairs):
        design[row, i], design[row, j] = 1, -1
    return design, sums.counts


def _ratings(values: NDArray[np.float64], pull: NDArray[np.float64], sums: PairSums) -> list[Rating]:
    """`pull`: how the ratings move with the pairs' means."""
    groups = _connected(len(values), [pair for pair, n in zip(sums.pairs, sums.counts, strict=True) if n])
    variances = (pull @ sums.covariance_of_means() @ pull.T).diagonal().clip(0)
    few = {bot for pair, n in zip(sums.pairs, sums.counts, strict=True) if n < 2 for bot in pair}
    few -= {bot for pair, n in zip(sums.pairs, sums.counts, strict=True) if n > 1 for bot in pair}
    return [
        Rating(float(value), None if bot in few else math.sqrt(variance), groups[bot])
        for bot, (value, variance) in enumerate(zip(values, variances, strict=True))
    ]


def _connected(n: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """For each bot the lowest bot that it has met, by itself or through others."""
    group = list(range(n))
    for _ in range(n):
        for i, j in pairs:
            group[i] = group[j] = min(group[i], group[j])
    return group


Decision = Literal["h0", "h1"]
"""Which hypothesis was accepted."""


@dataclass(frozen=True)
class Sequential:
    """A sequential test between two block margins, in points a deal, with unknown spread.

    The generalised likelihood ratio of normal margins, n/2 ln(v0 / v1), v_k the mean squared distance from
    hypothesis k, against Wald's bounds. One pseudo-block at distance h1 - h0 keeps the spread above zero, so
    that margins which never differ lead to an answer as well.
    """

    h0: float
    h1: float
    alpha: float = 0.05
    beta: float = 0.05
    min_blocks: int = 50

    def __post_init__(self) -> None:
        if not self.h0 < self.h1:
            raise ValueError(f"the second hypothesis must be above the first: {self.h0:g} {self.h1:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, margin: Moments) -> float:
        """The log likelihood ratio of h1 to h0; 0 without a block."""
        spread = (margin.squares + (self.h1 - self.h0) ** 2) / (margin.n + 1)
        v0, v1 = (spread + (margin.mean - h) ** 2 for h in (self.h0, self.h1))
        return margin.n / 2 * math.log(v0 / v1) if margin.n else 0.0

    def decision(self, margin: Moments) -> Decision | None:
        """`h0` or `h1` once it is accepted, None while the test goes on."""
        if margin.n < self.min_blocks:
            return None
        low, high = self.bounds
        llr = self.llr(margin)
        return "h0" if llr <= low else "h1" if llr >= high else None
