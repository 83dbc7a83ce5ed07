"""What every game's kernel must do, against the naive referees, on random deals of every house."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from fuzz import HOUSES, House, assert_same_now, assert_same_state, play_both
from worlds import fits, history_of, n_unseen, sampled_worlds, worlds

every_house = pytest.mark.parametrize("house", HOUSES, ids=str)
every_knowledge = pytest.mark.parametrize(  # the target of Apples changes nothing about what a seat knows
    "house", [house for house in HOUSES if house.game == "jass" or not house.odd], ids=str
)


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
    compare_deals(house, 200 if house.game == "jass" else 100, seed=1)


@pytest.mark.slow
@every_house
def test_many_deals_as_the_referee(house: House) -> None:
    compare_deals(house, 20_000, seed=2)


@every_house
def test_perft(house: House) -> None:
    for number in range(12):
        rng = random.Random(f"perft {house} {number}")
        referee, kernel, script = house.start(rng)
        n_cards = rng.randrange(4, 17)
        for _ in play_both(referee, kernel, script, rng):
            if referee.phase == "play" and sum(len(hand) for hand in referee.hands) <= n_cards:
                break
        for depth in range(6):
            if referee.phase == "redeal" or (n_lines := referee.perft(depth)) > 300:
                break
            assert kernel.perft(depth) == n_lines


# ---------------------------------------------------------------------------------- points of view


def check_views(house: House, n_deals: int, n_worlds: int, seed: int, share: float = 1.0) -> int:
    """At every node, for every seat: a world's view is the view, and the world fits all that happened."""
    checked = 0
    for number in range(n_deals):
        rng = random.Random(f"views {house} {seed} {number}")
        referee, kernel, script = house.start(rng)
        for _ in play_both(referee, kernel, script, rng):
            if lost_high_bid(referee):
                break
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
                    assert fits(referee, history_of(kernel.of(world)), seat), where
                    checked += 1
    return checked


def lost_high_bid(referee: Any) -> bool:
    """Apples: a bid of eight or more that was overbid; the kernel may leave it out of account."""
    return any(int(call[:-1]) >= 8 for call in getattr(referee, "calls", [])[:-4] if call != "pass")


@every_knowledge
def test_worlds_fit_what_a_seat_knows(house: House) -> None:
    assert check_views(house, 8, 1, seed=1) > 500


@pytest.mark.slow
@every_knowledge
def test_many_worlds_fit_what_a_seat_knows(house: House) -> None:
    """Well over a hundred thousand worlds of each house, all played through by the referee."""
    assert check_views(house, 200, 100, seed=2, share=0.08) > 100_000


@every_knowledge
def test_a_view_is_what_its_line_says(house: House) -> None:
    for number in range(8):
        rng = random.Random(f"lines {house} {number}")
        referee, kernel, script = house.start(rng)
        for token in play_both(referee, kernel, script, rng):
            for seat in range(4):
                if token and rng.random() < 0.3:
                    assert kernel.from_the_line(referee, seat) == kernel.deal.view(seat), (
                        f"deal lines {house} {number}, seat {seat}, after {referee.moves}"
                    )


@every_knowledge
def test_worlds_fit_what_two_hands_know(house: House) -> None:
    for number in range(6):
        rng = random.Random(f"two {house} {number}")
        referee, kernel, script = house.start(rng)
        for token in play_both(referee, kernel, script, rng):
            if not token or lost_high_bid(referee):
                break
            seats = rng.sample(range(4), 2)
            where = f"deal two {house} {number}, seats {seats}, after {referee.moves}"
            view = kernel.from_the_line(referee, *seats)
            assert view.consistent(), where
            world = view.determinize(number)
            assert world is not None, where
            history = history_of(kernel.of(world))
            assert all(fits(referee, history, seat) for seat in seats), where


# ------------------------------------------------------------------------------ uniform, complete, tight


def endings(house: House, n: int, most: int, seed: int) -> Iterator[tuple[Any, Any, int]]:
    """Late positions in which at most so many cards are hidden from a seat: (referee, kernel, seat)."""
    number = found = 0
    while found < n:
        rng = random.Random(f"endings {house} {seed} {number}")
        number += 1
        referee, kernel, script = house.start(rng)
        for token in play_both(referee, kernel, script, rng):
            if house.game == "apples" and referee.phase == "give" and referee.n > 1:
                break  # the histories of larger piles are too many to count one by one
            seat = rng.randrange(4)
            hidden = n_unseen(referee, seat)
            if not token or referee.phase != "play" or not 2 < hidden <= most or rng.random() >= 0.3:
                continue
            if house.game == "apples" and hidden > 4 and referee.gives[seat] == referee.got[seat]:
                continue  # the same: who else exchanged what remains wide open
            found += 1
            yield referee, kernel, seat
            break


def some_endings(house: House, seed: int) -> Iterator[tuple[Any, Any, int]]:
    return endings(house, 30, 5 if house.game == "jass" else 6, seed)


def check_uniform(positions: Iterator[tuple[Any, Any, int]]) -> tuple[float, int]:
    """Samples against all worlds by brute force; the sum of chi-squares and of degrees of freedom."""
    total, freedom = 0.0, 0
    for number, (referee, kernel, seat) in enumerate(positions):
        statistic, more = sampled_worlds(referee, kernel, seat, number)
        total += statistic
        freedom += more
    return total, freedom


@every_knowledge
def test_worlds_are_uniform(house: House) -> None:
    """Over all histories that the seat cannot tell apart."""
    total, freedom = check_uniform(some_endings(house, seed=1))
    assert freedom > 50
    assert abs(total - freedom) < 4.5 * (2 * freedom) ** 0.5


@pytest.mark.slow
@every_knowledge
def test_many_worlds_are_uniform(house: House) -> None:
    total, freedom = check_uniform(endings(house, 400, 7 if house.game == "jass" else 5, seed=2))
    assert abs(total - freedom) < 4.5 * (2 * freedom) ** 0.5


@every_knowledge
def test_a_hidden_hand_may_play_what_some_world_allows(house: House) -> None:
    """Every unseen card, for a hidden seat to move: refused, or inconsistent, unless a world has it legal."""
    refused = 0
    for referee, kernel, seat in some_endings(house, seed=3):
        if referee.to_move == seat:
            continue
        possible = set()
        for world in worlds(referee, seat, kernel):
            other = referee.copy()
            other.hands = [kernel.cards.tokens(mask) for mask in world]
            possible |= set(other.legal())
        for card in (card for each in range(4) for card in referee.hands[each]):
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
    assert refused > 3


# --------------------------------------------------------------------------------------- the object


@every_house
def test_copies_are_independent(house: House) -> None:
    rng = random.Random(5)
    referee, kernel, script = house.start(rng)
    for token in play_both(referee, kernel, script, rng):
        if token:
            before, after = kernel.deal.copy(), kernel.deal.copy()
            assert before == after
            kernel.of(after).play(token)
            assert before == kernel.deal
            assert after != before


@every_house
def test_points_add_up(house: House) -> None:
    whole = 0
    for number in range(50):
        rng = random.Random(f"sums {house} {number}")
        referee, kernel, script = house.start(rng)
        for _ in play_both(referee, kernel, script, rng):
            pass
        deal = kernel.deal
        if house.game == "jass" and len(deal.tricks) == 9:
            in_cards = sum(points for _, _, _, points in deal.tricks)
            more = 4 * (deal.rules.undenufe_ace + deal.rules.undenufe_six - 11) if deal.contract == 5 else 0
            assert in_cards == 152 + more + deal.rules.last_trick
            assert sum(deal.points) % deal.multiplier == 0
            whole += 1
        if house.game == "apples" and len(deal.tricks) == 12:
            assert sum(deal.piles) + sum(1 << card for card in deal.targets) == kernel.cards.mask(house.pack)
            whole += 1
    assert whole > 10


@every_house
def test_playouts_are_uniform_random_moves(house: House) -> None:
    """The mean of the playouts against the mean over all lines of an ending, each weighted by its chance."""
    for referee, kernel, _ in endings(house, 12, 8 if house.game == "jass" else 9, seed=4):
        n = 4000
        points = kernel.playouts(n, 1)
        for side, (mean, square) in enumerate(expected_points(referee)):
            error = (max(0.0, square - mean * mean) / n) ** 0.5
            assert abs(float(points[:, side].mean()) - mean) <= 5 * error + 1e-9, f"after {referee.moves}"


def expected_points(referee: Any) -> list[tuple[float, float]]:
    """By side mean and mean square of the points under uniform random legal moves."""
    legal = referee.legal()
    if not legal:
        return [(points, points**2) for points in referee.deal]
    sums = [(0.0, 0.0)] * len(referee.deal)
    for move in legal:
        after = referee.copy()
        after.play(move)
        sums = [
            (mean + one / len(legal), square + two / len(legal))
            for (mean, square), (one, two) in zip(sums, expected_points(after), strict=True)
        ]
    return sums
