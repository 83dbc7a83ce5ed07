"""What every game's kernel must do, against the naive referees, on random deals of every house."""

import random
from collections import Counter
from typing import Any

import pytest
from fuzz import (
    HOUSES,
    House,
    assert_same_now,
    assert_same_state,
    chi_square,
    fits,
    play_both,
    worlds,
)
from kernel import JASS, Kernel
from trickbot.ext import jass as jass_kernel

every_house = pytest.mark.parametrize("house", HOUSES, ids=str)


def compare_deals(house: House, n: int, seed: int) -> None:
    """Legal moves and points at every decision of n deals, the whole state now and then and at the end."""
    for number in range(n):
        rng = random.Random(f"{house} {seed} {number}")
        referee, kernel, script = house.start(rng)
        try:
            for token in play_both(referee, kernel, script, rng):
                assert_same_now(referee, kernel)
                if not token or rng.random() < 0.05:
                    assert_same_state(referee, kernel)
                    assert kernel.deal.check()
        except AssertionError as wrong:
            raise AssertionError(f"deal {house} {seed} {number}, after {referee.moves}") from wrong


@every_house
def test_deals_as_the_referee(house: House) -> None:
    compare_deals(house, 500, seed=1)


@pytest.mark.slow
@every_house
def test_many_deals_as_the_referee(house: House) -> None:
    compare_deals(house, 20_000, seed=2)


@every_house
def test_perft(house: House) -> None:
    for number in range(12):
        rng = random.Random(f"perft {house} {number}")
        referee, kernel, script = house.start(rng)
        n_moves = rng.randrange(20, 34)
        for token in play_both(referee, kernel, script, rng):
            if not token or len(referee.moves) == n_moves:
                break
        for depth in range(6):
            if (count := referee.perft(depth)) > 300:
                break
            assert perft(kernel, depth) == count


def perft(kernel: Kernel, depth: int) -> int:
    return jass_kernel.perft(kernel.deal, depth)


# ---------------------------------------------------------------------------------- points of view


def check_views(house: House, n_deals: int, n_worlds: int, seed: int, share: float = 1.0) -> int:
    """At every node, for every seat: a world's view is the view, and the world fits all that happened."""
    checked = 0
    for number in range(n_deals):
        rng = random.Random(f"views {house} {seed} {number}")
        referee, kernel, script = house.start(rng)
        for _ in play_both(referee, kernel, script, rng):
            if rng.random() >= share:
                continue
            for seat in range(4):
                where = f"deal views {house} {seed} {number}, seat {seat}, after {referee.moves}"
                view = kernel.deal.view(seat)
                assert view.consistent(), where
                for stream in range(n_worlds):
                    world = view.determinize(number, stream)
                    assert world is not None, where
                    assert world.view(seat) == view, where
                    assert world.check(), where
                    assert fits(referee, [JASS.tokens(world.dealt(each)) for each in range(4)]), where
                    checked += 1
    return checked


@every_house
def test_worlds_fit_what_a_seat_knows(house: House) -> None:
    assert check_views(house, 8, 1, seed=1) > 500


@pytest.mark.slow
@every_house
def test_a_million_worlds_fit(house: House) -> None:
    """A quarter of a million worlds of 2500 views of this house, each played through by the referee."""
    assert check_views(house, 200, 100, seed=2, share=0.09) > 200_000


def known_from_the_line(referee: Any, kernel: Kernel, seat: int) -> Any:
    """The deal as that seat would set it up: own hand, what was told, all moves."""
    deal = kernel.deal
    made = jass_kernel.JassDeal(
        deal.rules,
        referee.first,
        referee.match,
        [deal.dealt(seat) if each == seat else None for each in range(4)],
    )
    for other, melds in enumerate(referee.told()):
        if melds is not None and other != seat:
            made.tell(other, [JASS.mask(meld) for meld in melds])
    for token in referee.moves:
        made.apply(kernel.move(token))
    return made


@every_house
def test_a_view_is_what_its_line_says(house: House) -> None:
    for number in range(8):
        rng = random.Random(f"lines {house} {number}")
        referee, kernel, script = house.start(rng)
        for _ in play_both(referee, kernel, script, rng):
            for seat in range(4):
                if referee.phase == "over":
                    continue
                assert known_from_the_line(referee, kernel, seat) == kernel.deal.view(seat), (
                    f"deal lines {house} {number}, seat {seat}, after {referee.moves}"
                )


# ------------------------------------------------------------------------------ uniform, complete, tight


def endings(house: House, n: int, most: int, seed: int) -> Any:
    """Late positions in which a seat's hidden hands hold `most` cards at most: (referee, kernel, seat)."""
    number = 0
    found = 0
    while found < n:
        rng = random.Random(f"endings {house} {seed} {number}")
        number += 1
        referee, kernel, script = house.start(rng)
        for token in play_both(referee, kernel, script, rng):
            seat = rng.randrange(4)
            n_hidden = sum(len(referee.hands[each]) for each in range(4) if each != seat)
            if token and 2 < n_hidden <= most and rng.random() < 0.3:
                found += 1
                yield referee, kernel, seat
                break


def check_uniform(house: House, n: int, most: int, seed: int) -> tuple[float, int]:
    """Samples against all worlds by brute force; the sum of chi-squares and of degrees of freedom."""
    total, freedom = 0.0, 0
    for number, (referee, kernel, seat) in enumerate(endings(house, n, most, seed)):
        where = f"{house}, seat {seat}, after {referee.moves}, dealt {referee.dealt}"
        known = worlds(referee, seat)
        sampled = kernel.deal.view(seat).sample(60 * len(known), number)
        counts = Counter(tuple(int(hand) for hand in world) for world in sampled)
        assert set(counts) == set(known), where
        statistic = chi_square(list(counts.values()), 60)
        assert statistic < len(known) + 7 * (2 * len(known)) ** 0.5 + 15, where
        total += statistic
        freedom += len(known) - 1
    return total, freedom


@every_house
def test_worlds_are_uniform(house: House) -> None:
    total, freedom = check_uniform(house, 40, 5, seed=1)
    assert freedom > 50
    assert abs(total - freedom) < 4.5 * (2 * freedom) ** 0.5


@pytest.mark.slow
@every_house
def test_many_worlds_are_uniform(house: House) -> None:
    total, freedom = check_uniform(house, 400, 7, seed=2)
    assert abs(total - freedom) < 4.5 * (2 * freedom) ** 0.5


@every_house
def test_a_hidden_hand_may_play_what_some_world_allows(house: House) -> None:
    """Every unseen card, for a hidden seat to move: refused, or inconsistent, unless a world has it legal."""
    refused = 0
    for referee, kernel, seat in endings(house, 40, 5, seed=3):
        mover = referee.to_move
        if mover == seat:
            continue
        possible = set()
        for world in worlds(referee, seat):
            hands = [JASS.tokens(mask) for mask in world]
            other = referee.copy()
            other.hands = hands
            possible |= set(other.legal())
        for other in range(4):
            for card in referee.hands[other]:
                view = kernel.deal.view(seat)
                move = kernel.move(card)
                allowed = view.why_illegal(move) is None
                if allowed:
                    view.apply(move)
                    allowed = view.consistent()
                assert allowed == (card in possible), (
                    f"{house}, seat {seat}, {card} after {referee.moves}, dealt {referee.dealt}"
                )
                refused += not allowed
    assert refused > 20


# --------------------------------------------------------------------------------------- the object


@every_house
def test_copies_are_independent(house: House) -> None:
    rng = random.Random(5)
    referee, kernel, script = house.start(rng)
    for token in play_both(referee, kernel, script, rng):
        if token:
            before, after = kernel.deal.copy(), kernel.deal.copy()
            assert before == after
            after.apply(kernel.move(token))
            assert before == kernel.deal
            assert after != before


@every_house
def test_points_add_up(house: House) -> None:
    for number in range(100):
        rng = random.Random(f"sums {house} {number}")
        referee, kernel, script = house.start(rng)
        for _ in play_both(referee, kernel, script, rng):
            pass
        deal = kernel.deal
        if len(deal.tricks) == 9:
            in_cards = sum(points for _, _, _, points in deal.tricks)
            aces = 4 * (deal.rules.undenufe_ace + deal.rules.undenufe_six - 11) if deal.contract == 5 else 0
            assert in_cards == 152 + aces + deal.rules.last_trick
            assert sum(deal.points) % deal.multiplier == 0


@every_house
def test_playouts_are_uniform_random_moves(house: House) -> None:
    """The mean of the playouts against the mean over all lines of an ending, each weighted by its chance."""
    for referee, kernel, _ in endings(house, 12, 8, seed=4):
        mean, square = expected_points(referee)
        n = 4000
        points = jass_kernel.playouts(kernel.deal, n, 1)
        error = ((square - mean * mean) / n) ** 0.5
        assert abs(float(points[:, 0].mean()) - mean) <= 5 * error + 1e-9, f"after {referee.moves}"


def expected_points(referee: Any) -> tuple[float, float]:
    """Mean and mean square of the first side's points under uniform random legal moves."""
    legal = referee.legal()
    if not legal:
        return referee.deal[0], referee.deal[0] ** 2
    mean = square = 0.0
    for move in legal:
        after = referee.copy()
        after.play(move)
        one, two = expected_points(after)
        mean += one / len(legal)
        square += two / len(legal)
    return mean, square
