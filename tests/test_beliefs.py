"""Worlds weighted by what the other seats did: consistent, and leaning the way that the choices say."""

import random
import time
from threading import Timer

import pytest
from trickbot.ai.models import table
from trickbot.engine.deal import kernel_of
from trickbot.engine.notation import PILE
from trickbot.engine.rules import Rules
from trickbot.ext.search import Search

TRUMPS = 0x1FF
HOUSES = ("jass", "apples")


def step(deal, kind: str, seed: int) -> None:
    """One decision by a simple player; a bid pile goes round by one seat."""
    if deal.phase == PILE:
        deal.pile([deal.gives[(seat + 1) % 4] for seat in range(4)])
    else:
        deal.apply(kernel_of(deal.game).choose(deal, kind, seed))


def weighted(deal, n_worlds: int = 2000, pool: int = 2000):
    """Worlds as the search of the seat to move imagines them."""
    jass = deal.game == "jass"
    search = Search(
        deal,
        model=table("jass_model") if jass else None,
        contracts=table("jass_contracts") if jass else None,
    )
    search.weigh(pool)
    return [search.world() for _ in range(n_worlds)]


@pytest.mark.parametrize("game", HOUSES)
def test_a_weighted_world_fits_the_view(game: str) -> None:
    kernel = kernel_of(game)
    n_seen = 0
    for number in range(6):
        rng = random.Random(f"beliefs {game} {number}")
        deal = kernel.random_deal(Rules.parse(game).kernel(), number % 4, number)
        while deal.to_move >= 0 or deal.phase == PILE:
            if deal.to_move >= 0 and rng.random() < 0.2:
                view = deal.view(deal.to_move)
                for world in weighted(view, 20, 40):
                    assert world.check()
                    assert world.view(view.to_move) == view
                    n_seen += 1
            step(deal, "rules" if rng.random() < 0.7 else "random", number)
    assert n_seen > 500


def mean_trumps(worlds, seat: int, suit: int) -> float:
    return sum(((world.hand(seat) >> 16 * suit) & TRUMPS).bit_count() for world in worlds) / len(worlds)


@pytest.mark.parametrize("pushed", [False, True])
def test_who_names_a_trump_is_thought_to_hold_it(pushed: bool) -> None:
    kernel = kernel_of("jass")
    for seed in range(4):
        deal = kernel.random_deal(Rules.parse("jass", "hsl").kernel(), 0, seed)
        if pushed:
            deal.apply(15)
        declarer = deal.to_move
        deal.apply(9 + 2)
        deal.apply(kernel.choose(deal, "rules", 1))
        view = deal.view(1)
        known = [view.copy().determinize(number) for number in range(2000)]
        assert mean_trumps(weighted(view), declarer, 2) > mean_trumps(known, declarer, 2) + 0.4


def test_who_pushed_is_thought_to_be_weak() -> None:
    kernel = kernel_of("jass")
    unders = [0, 0]
    for seed in range(20):
        deal = kernel.random_deal(Rules.parse("jass", "hsl").kernel(), 0, seed)
        deal.apply(15)
        view = deal.view(2)
        for which, worlds in enumerate((weighted(view, 500), [view.determinize(n) for n in range(500)])):
            # three or more of a suit with its Under: a hand that names
            unders[which] += sum(
                any(
                    (line := world.hand(0) >> 16 * suit & TRUMPS).bit_count() > 3 and line >> 5 & 1
                    for suit in range(4)
                )
                for world in worlds
            )
    assert unders[0] < 0.7 * unders[1]


def test_the_policy_s_target_is_the_likeliest() -> None:
    """Of the targets that a seat may have set aside, the one that the policy would is thought of far more often."""
    kernel = kernel_of("apples")
    hits = [0, 0]
    for seed in range(30):
        deal = kernel.random_deal(Rules.parse("apples").kernel(), 0, seed)
        while len(deal.tricks) < 6:
            step(deal, "rules", 1)
        view = deal.view(deal.to_move)
        seat = (deal.to_move + 1) & 3
        for which, worlds in enumerate((weighted(view, 400), [view.determinize(n) for n in range(400)])):
            hits[which] += sum(world.targets[seat] == deal.targets[seat] for world in worlds)
    assert hits[0] > 1.8 * hits[1] > 0


@pytest.mark.parametrize("seconds", [None, 1e12])
def test_weighing_ends_by_itself(seconds: float | None) -> None:
    deal = kernel_of("apples").random_deal(Rules.parse("apples").kernel(), 0, 1)
    while not deal.tricks:
        step(deal, "rules", 1)
    for open_hands in (False, True):
        search = Search(deal, open_hands=open_hands)
        search.weigh(100, seconds)
        assert search.n_worlds == (0 if open_hands else 100)


@pytest.mark.parametrize("game", HOUSES)
@pytest.mark.parametrize("stopped", [False, True])
def test_weighing_has_an_end(game: str, stopped: bool) -> None:
    """Worlds may be hard to find: limits and a stop are heard meanwhile."""
    deal = kernel_of(game).random_deal(Rules.parse(game).kernel(), 0, 1)
    while not deal.tricks:
        step(deal, "rules", 1)
    search = Search(deal, model=table("jass_model") if game == "jass" else None)
    if stopped:
        Timer(0.05, search.stop).start()
    started = time.monotonic()
    search.weigh(10_000_000, None if stopped else 0.05)
    assert time.monotonic() - started < 2
    assert 0 < search.n_worlds < 10_000_000
    assert search.world().check()
