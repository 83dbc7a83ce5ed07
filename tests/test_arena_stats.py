"""The statistics of the arena: known values, edge cases, and what they promise, checked by simulation."""

import math

import numpy as np
import pytest
from trickbot.ai.arena import stats
from trickbot.ai.arena.stats import Moments, PairSums, Ratio, Sequential


def moments(values):
    result = Moments()
    for value in values:
        result.add(value)
    return result


@pytest.mark.parametrize(
    ("p", "dof", "value"),
    [
        (0.975, 1, 12.706205),
        (0.975, 2, 4.302653),
        (0.975, 3, 3.182446),
        (0.975, 10, 2.228139),
        (0.95, 29, 1.699127),
        (0.995, 30, 2.749996),
        (0.975, 100, 1.983972),
        (0.975, 101, 1.983731),
        (0.995, 500, 2.585698),
    ],
)
def test_students_quantile_is_that_of_the_tables(p, dof, value):
    assert stats.t_quantile(p, dof) == pytest.approx(value, abs=2e-6)


def test_moments_are_those_of_the_numbers():
    values = [3.0, -1.5, 8.25, 0.0, 100.0]
    found = moments(values)
    assert (found.n, found.mean) == (5, pytest.approx(np.mean(values)))
    assert found.variance == pytest.approx(np.var(values, ddof=1))


@pytest.mark.parametrize(
    ("values", "mean", "words"),
    [
        ([], None, "no block yet"),
        ([7.0], 7.0, "one block: no interval"),
        ([5.0] * 9, 5.0, "every block the same"),
    ],
)
def test_an_estimate_without_spread_says_so(values, mean, words):
    found = stats.estimate(moments(values))
    assert (found.mean, found.words) == (mean, words)
    assert found.low == found.high == (5.0 if len(values) == 9 else None)


def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(1)
    for n in (2, 5, 30, 200):
        inside = 0
        for draw in rng.normal(3.0, 20.0, (1000, n)):
            found = stats.estimate(moments(draw.tolist()))
            inside += found.low < 3.0 < found.high
        assert 0.925 < inside / 1000 < 0.975


def test_a_share_is_covered_too():
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(1000):
        ratio = Ratio()
        whole = rng.choice([157.0, 314.0, 471.0], 100)
        part = whole * rng.beta(6, 4, 100)
        for a, b in zip(part, whole, strict=True):
            ratio.add(a, b)
        found = ratio.estimate()
        inside += found.low < 0.6 < found.high
    assert 0.925 < inside / 1000 < 0.975


def test_a_share_without_spread():
    ratio = Ratio()
    assert ratio.estimate().words == "no block yet"
    ratio.add(30.0, 157.0)
    assert (ratio.estimate().mean, ratio.estimate().error) == (pytest.approx(30 / 157), None)
    for _ in range(500):
        ratio.add(30.0, 157.0)
    assert ratio.estimate().error == 0.0
    empty = Ratio()
    empty.add(0.0, 0.0)
    assert empty.estimate().mean is None


def test_elo_of_known_scores():
    assert stats.elo_of(0.5) == 0
    assert stats.elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert stats.elo_of(0.0) is stats.elo_of(1.0) is None
    found = stats.elo(moments([0.5, 1.0, 0.5, 0.0, 1.0, 1.0, 0.5, 0.5]))
    assert found.low < found.value < found.high


def test_elo_at_its_ends_has_the_inner_bound_only():
    won = stats.elo(moments([1.0] * 20))
    assert (won.value, won.high) == (None, None)
    assert 1 / (1 + 10 ** (-won.low / 400)) == pytest.approx(0.025 ** (1 / 20))
    lost = stats.elo(moments([0.0] * 20))
    assert (lost.value, lost.low, lost.high) == (None, None, -won.low)
    assert stats.elo(moments([])) == stats.Elo(None, None, None)
    assert stats.elo(moments([0.5])) == stats.Elo(0.0, None, None)
    assert stats.elo(moments([0.5, 0.5])) == stats.Elo(0.0, 0.0, 0.0)


PAIRS = [(0, 1), (0, 2), (1, 2), (2, 3)]
TRUTH = np.array([6.0, 1.0, -2.0, -5.0])


def test_ratings_and_their_errors_hold_with_pairs_that_share_their_deals():
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(300):
        sums = PairSums(PAIRS)
        for _ in range(60):
            luck = rng.normal(0, 12, 4)
            margins = {
                k: TRUTH[i] - TRUTH[j] + luck[i] - luck[j] + rng.normal(0, 6)
                for k, (i, j) in enumerate(PAIRS)
                if rng.random() < 0.9
            }
            sums.add(margins)
        ratings = stats.margin_ratings(4, sums)
        assert sum(r.value for r in ratings) == pytest.approx(0, abs=1e-9)
        inside += sum(abs(r.value - t) < 1.96 * r.error for r, t in zip(ratings, TRUTH, strict=True))
    assert 0.92 < inside / 1200 < 0.975


def test_elo_ratings_and_their_errors_hold():
    rng = np.random.default_rng(4)
    truth = np.array([150.0, 50.0, -20.0, -180.0])
    inside = 0
    for _ in range(200):
        sums = PairSums(PAIRS)
        for _ in range(200):
            chance = {k: 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400)) for k, (i, j) in enumerate(PAIRS)}
            sums.add({k: rng.binomial(2, p) / 2 for k, p in chance.items()})
        ratings = stats.elo_ratings(4, sums)
        inside += sum(abs(r.value - t) < 1.96 * r.error for r, t in zip(ratings, truth, strict=True))
    assert 0.92 < inside / 800 < 0.975


def test_ratings_of_bots_that_never_met_are_in_groups_of_their_own():
    sums = PairSums([(0, 1), (2, 3)])
    sums.add({0: 4.0, 1: 10.0})
    sums.add({0: 6.0, 1: 10.0})
    found = stats.margin_ratings(4, sums)
    assert [r.group for r in found] == [0, 0, 2, 2]
    assert [r.value for r in found] == pytest.approx([2.5, -2.5, 5.0, -5.0])
    assert found[2].error == 0.0


def test_ratings_without_results_are_zero_and_of_one_block_have_no_error():
    sums = PairSums([(0, 1), (1, 2)])
    assert [r.value for r in stats.margin_ratings(3, sums)] == [0.0, 0.0, 0.0]
    assert [r.value for r in stats.elo_ratings(3, sums)] == [0.0, 0.0, 0.0]
    sums.add({0: 3.0})
    assert [r.error for r in stats.margin_ratings(3, sums)] == [None, None, None]
    assert all(math.isfinite(r.value) for r in stats.elo_ratings(3, sums))


def test_a_bot_that_won_everything_has_a_finite_elo():
    sums = PairSums([(0, 1)])
    for _ in range(50):
        sums.add({0: 1.0})
    first, second = stats.elo_ratings(2, sums)
    assert 400 < first.value - second.value < 1200


def error_rate(sprt, draw, truth, runs=600):
    """How often the test accepts the hypothesis that is not `truth`."""
    wrong = 0
    for _ in range(runs):
        margin = Moments()
        while (found := sprt.decision(margin)) is None and margin.n < 20_000:
            margin.add(draw())
        wrong += found != truth
    return wrong / runs


@pytest.mark.parametrize(("h0", "h1"), [(0.0, 4.0), (-3.0, 3.0)])
@pytest.mark.parametrize("shape", ["normal", "mostly zero with long tails"])
def test_the_sequential_test_errs_as_seldom_as_it_promises(h0, h1, shape):
    rng = np.random.default_rng(5)

    def noise():
        if shape == "normal":
            return rng.normal(0, 20)
        return (1, 1, 2, 3, 4)[int(rng.integers(5))] * rng.normal(0, 25) if rng.random() < 0.35 else 0.0

    sprt = Sequential(h0, h1)
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)
    assert error_rate(sprt, lambda: h0 + noise(), "h0") < limit
    assert error_rate(sprt, lambda: h1 + noise(), "h1") < limit


def test_the_sequential_test_ends_where_nothing_differs():
    sprt = Sequential(0.0, 2.0)
    assert sprt.llr(Moments()) == 0.0
    assert sprt.decision(moments([0.0] * 49)) is None
    assert sprt.decision(moments([0.0] * 50)) == "h0"
    assert sprt.decision(moments([5.0] * 50)) == "h1"
    assert math.isfinite(sprt.llr(moments([2.0] * 1000)))


def test_the_hypotheses_must_be_in_order():
    with pytest.raises(ValueError, match="2 0"):
        Sequential(2, 0)
