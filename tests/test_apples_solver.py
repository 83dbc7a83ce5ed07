"""The exact solver of Apples: against plain max^n on the naive referee, small tables, limits."""

import random
import threading
import time
from fractions import Fraction
from statistics import median

import pytest
from fuzz import House, play_both
from kernel import APPLES, ApplesKernel
from reference import maxn
from reference.apples import ApplesReferee
from trickbot.ext.apples import ApplesDeal
from trickbot.ext.apples_solver import ApplesSolver

HOUSE = House("apples", "apples")
WEIGHTS = [Fraction(1), Fraction(0), Fraction(1, 2), Fraction(1, 4)]


def ending(n_cards: int, seed: int) -> tuple[ApplesReferee, ApplesDeal]:
    """A round played at random until so many cards are left, for both."""
    rng = random.Random(seed)
    while True:
        referee, kernel, script = HOUSE.start(rng)
        for _ in play_both(referee, kernel, script, rng):
            if referee.phase == "play" and sum(map(len, referee.hands)) == n_cards:
                return referee, kernel.deal


def agree(n_cards: int, seed: int, others: Fraction) -> None:
    """The solver finds the reference's value of every card, and its main line makes the best of them."""
    referee, deal = ending(n_cards, seed)
    solver = ApplesSolver(0.1, others=float(others))
    seat = deal.to_move
    wanted = {APPLES.id[card]: tuple(points) for card, points in maxn.moves(referee, others).items()}
    moves = solver.solve_moves(deal)
    assert dict(moves) == wanted
    order = [maxn.liking(list(points), seat, others) for _, points in moves]
    assert order == sorted(order, reverse=True)
    solution = solver.solve(deal)
    assert solution.value == moves[0][1]
    for card in solution.pv:
        deal.apply(card)
    assert deal.points == solution.value


@pytest.mark.parametrize("others", WEIGHTS, ids=str)
def test_equals_plain_maxn(others: Fraction) -> None:
    for seed in range(48):
        agree(1 + seed % 10, seed, others)


@pytest.mark.slow
@pytest.mark.parametrize("others", WEIGHTS, ids=str)
def test_equals_plain_maxn_often(others: Fraction) -> None:
    for seed in range(120):
        agree(8 + seed % 5, 1000 + seed, others)


def test_equal_outcomes_go_against_the_next_player() -> None:
    """There are such, and the reference's rule decides them: of the same for itself, less for the next."""
    found = 0
    for seed in range(60):
        _, deal = ending(8, seed)
        seat = deal.to_move
        moves = ApplesSolver(others=0).solve_moves(deal)
        equal = [points for _, points in moves if points[seat] == moves[0][1][seat]]
        found += len(set(equal)) > 1
        next_points = [points[(seat + 1) % 4] for points in equal]
        assert next_points == sorted(next_points)
    assert found > 5


def test_a_small_table_changes_nothing() -> None:
    small = ApplesSolver(0.001)
    assert small.hash_mib == 0.0625
    for seed in range(8):
        _, deal = ending(16, seed)
        assert small.solve_moves(deal) == ApplesSolver(16).solve_moves(deal)


def test_seats_may_be_turned() -> None:
    for seed in range(6):
        rng = random.Random(seed)
        referee, deal = ending(16, seed)
        turn = rng.randrange(1, 4)
        hands = [referee.dealt[(seat - turn) % 4] for seat in range(4)]
        turned = ApplesKernel(hands, (referee.first + turn) % 4, referee.match)
        for token in referee.moves:
            word, _, rest = token.partition("=")
            parts = rest.split("|")
            turned.play(
                token if word != "pile" else "pile=" + "|".join(parts[(i - turn) % 4] for i in range(4))
            )
        value, other = ApplesSolver().solve(deal).value, ApplesSolver().solve(turned.deal).value
        assert value is not None
        assert other == tuple(value[(seat - turn) % 4] for seat in range(4))


def test_limits() -> None:
    _, deal = ending(32, 1)
    solver = ApplesSolver(1)
    for limit in ({"max_nodes": 5000}, {"seconds": 0.02}):
        begun = time.perf_counter()
        solution = solver.solve(deal, **limit)  # type: ignore[arg-type]
        assert (solution.value, solution.pv) == (None, ())
        assert solver.solve_moves(deal, **limit) == []  # type: ignore[arg-type]
        assert time.perf_counter() - begun < 0.5
    assert solver.solve(deal, max_nodes=5000).nodes <= 5001
    _, late = ending(12, 1)
    assert solver.solve(late) == ApplesSolver(1).solve(late)  # nothing false was kept


def test_stop() -> None:
    _, deal = ending(32, 2)
    solver = ApplesSolver(1)
    delays = []
    for _ in range(5):
        done: list[float] = []

        def run(done: list[float] = done) -> None:
            assert solver.solve(deal).value is None
            done.append(time.perf_counter())

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.02)
        asked = time.perf_counter()
        solver.stop()
        thread.join()
        delays.append(done[0] - asked)
    assert median(delays) < 0.02


def test_what_cannot_be_solved() -> None:
    solver = ApplesSolver()
    for n_cards in (33, 40):
        with pytest.raises(ValueError, match="8 tricks left"):
            solver.solve(ending(n_cards, 1)[1])
    referee, deal = ending(8, 1)
    for wrong in (deal.view(deal.to_move), ApplesKernel(referee.dealt).deal):
        with pytest.raises(ValueError, match="full deal"):
            solver.solve(wrong)
        with pytest.raises(ValueError, match="full deal"):
            solver.solve_moves(wrong)
    with pytest.raises(ValueError, match="others=2"):
        ApplesSolver(others=2)
    with pytest.raises(ValueError, match="hash_mib=0"):
        ApplesSolver(0)
