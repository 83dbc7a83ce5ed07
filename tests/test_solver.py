"""The exact solver: against plain minimax, symmetries, limits, golden values."""

import random
import threading
import time
from statistics import median

import pytest
from endings import best_score, by_minimax, changed, ending, made_since
from reference.minimax import CONTRACTS
from trickbot.ext.jass import JassDeal, JassRules, random_deal
from trickbot.ext.solver import Solver

RULES = JassRules(target=0)
SWISSLOS = JassRules(target=0, undenufe_ace=0, undenufe_six=11)
DEAREST = JassRules(target=0, undenufe_ace=99, undenufe_six=99, last_trick=1000, match_bonus=1000)


def agree(solver: Solver, deal: JassDeal, plain: bool) -> None:
    """The solver finds the reference's value of every move, and its main line makes that value."""
    scores = by_minimax(deal, plain)
    best = best_score(scores, deal.to_move)
    solution = solver.solve(deal, plain=plain)
    assert solution.value == solution.at_least == solution.at_most == best
    moves = solver.solve_moves(deal, plain=plain)
    assert dict(moves) == scores
    assert moves[0][1] == best
    n_tricks = len(deal.tricks)
    for card in solution.pv:
        deal.apply(card)
    assert made_since(deal, n_tricks, plain) == best


@pytest.mark.parametrize("style", ["random", "trumps", "sweep"])
@pytest.mark.parametrize("contract", range(6), ids=CONTRACTS)
def test_equals_minimax(contract: int, style: str) -> None:
    solver = Solver(0.5)
    for seed in range(40):
        n_cards = 1 + (7 * seed) % 15
        rules = (RULES, SWISSLOS, DEAREST)[seed % 3]
        agree(solver, ending(contract, n_cards, 100 * contract + seed, rules, style), plain=seed % 4 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("style", ["random", "trumps", "sweep"])
@pytest.mark.parametrize("contract", range(6), ids=CONTRACTS)
def test_equals_minimax_often(contract: int, style: str) -> None:
    solver = Solver(0.5)
    for seed in range(240):
        n_cards = random.Random(seed).choice([5, 8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 16])
        rules = (RULES, SWISSLOS, DEAREST)[seed % 3]
        agree(solver, ending(contract, n_cards, 5000 + 1000 * contract + seed, rules, style), seed % 4 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("contract", range(6), ids=CONTRACTS)
def test_equals_minimax_with_five_tricks_left(contract: int) -> None:
    solver = Solver(0.5)
    for seed in range(12):
        n_cards = 17 + seed % 4
        agree(solver, ending(contract, n_cards, 9000 + 100 * contract + seed, RULES), seed % 4 == 0)


@pytest.mark.parametrize("contract", range(6), ids=CONTRACTS)
def test_suits_and_seats_may_be_swapped(contract: int) -> None:
    solver = Solver(1)
    rng = random.Random(contract)
    for seed in range(5):
        deal = ending(contract, 23 + seed, seed, RULES)
        suits = rng.sample(range(4), 4)
        turn = rng.randrange(4)
        value = solver.solve(deal).value
        assert value is not None
        other = solver.solve(changed(deal, suits, turn)).value
        assert other == (value[::-1] if turn % 2 else value)


def test_the_next_position_is_worth_what_is_left() -> None:
    """Along a line of best moves nothing is lost or won."""
    solver = Solver(1)
    for contract in range(6):
        deal = ending(contract, 28, contract, RULES)
        whole = solver.solve(deal, plain=True)
        n_tricks = len(deal.tricks)
        for card in whole.pv[:-1]:
            deal.apply(card)
            rest = solver.solve(deal, plain=True).value
            made = made_since(deal, n_tricks, plain=True)
            assert whole.value == (made[0] + rest[0], made[1] + rest[1])


def test_limits_leave_bounds_around_the_value() -> None:
    solver = Solver(1)
    for seed in range(6):
        deal = ending(seed, 28, seed, RULES)
        value = Solver(1).solve(deal).value
        assert value is not None
        widths = []
        for max_nodes in (1, 300, 3000):
            stopped = Solver(0.1).solve(deal, max_nodes=max_nodes)
            difference = [a - b for a, b in (stopped.at_least, value, stopped.at_most)]
            assert difference == sorted(difference)
            assert (stopped.value is None) == (stopped.at_least != stopped.at_most)
            assert stopped.nodes <= max_nodes + 1000  # the way out counts too
            widths.append(difference[2] - difference[0])
        assert widths == sorted(widths, reverse=True)
        assert solver.solve_moves(deal, max_nodes=10) == []
        assert solver.solve(deal).value == value  # nothing false was kept


def test_seconds_and_stop() -> None:
    deal = random_deal(RULES, 0, 3)
    deal.apply(9)
    solver = Solver(1)
    delays = []
    for _ in range(5):
        done: list[float] = []

        def run(done: list[float] = done) -> None:
            solver.solve(deal, plain=True)
            done.append(time.perf_counter())

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.02)
        asked = time.perf_counter()
        solver.stop()
        thread.join()
        delays.append(done[0] - asked)
    assert median(delays) < 0.02
    start = time.perf_counter()
    assert solver.solve(deal, seconds=0.01).value is None
    assert time.perf_counter() - start < 0.5


def test_what_cannot_be_solved() -> None:
    solver = Solver()
    deal = random_deal(RULES, 0, 1)
    for method in (solver.solve, solver.solve_moves):
        with pytest.raises(ValueError, match="full deal"):
            method(deal)
    deal.apply(9)
    with pytest.raises(ValueError, match="full deal"):
        solver.solve(deal.view(0))
    with pytest.raises(ValueError, match="hash_mib=0"):
        Solver(0)
    assert Solver(3).hash_mib == 2.0
