"""The last tricks of Jass as the engine plays them: sampled worlds, each solved."""

import random

import pytest
from trickbot.ai.endings import Ending, root_moves
from trickbot.ai.options import Options
from trickbot.ai.searcher import Limits, Searcher
from trickbot.engine.rules import Rules
from trickbot.ext.jass import choose, random_deal
from trickbot.ext.search import Search
from trickbot.ext.solver import Solver


def ending(rules: str, seed: int, n_tricks: int):
    """A deal with so many tricks played, some of it badly; not over."""
    deal = random_deal(Rules.parse("jass", rules).kernel(), seed % 4, seed)
    rng = random.Random(seed)
    while len(deal.tricks) < n_tricks:
        deal.apply(choose(deal, "random" if rng.random() < 0.5 else "rules", rng.randrange(1, 99)))
    return deal


@pytest.mark.parametrize("rules", ["hsl,target=0", "cardavia,target=0", "swisslos,target=0"])
def test_points_with_open_hands_are_those_of_the_deal_played_out(rules: str) -> None:
    for seed in range(25):
        deal = ending(rules, seed, 4 + seed % 4)
        search = Ending(Search(deal, open_hands=True), chances=False)
        search.run(nodes=1)
        for move in root_moves([search]):
            after = deal.copy()
            for card in move.pv:
                after.apply(card)
            assert after.to_move < 0
            assert move.points == after.points


def test_a_world_s_share_goes_to_its_best_moves() -> None:
    deal = ending("hsl,target=0", 3, 5)
    search = Ending(Search(deal, seed=2), chances=False)
    search.run(nodes=50 * search.cost)
    moves = root_moves([search])
    assert search.n_worlds == 50
    assert sum(move.share for move in moves) == pytest.approx(1)
    assert all(move.visits == 50 for move in moves)
    assert [move.value for move in moves] == sorted((move.value for move in moves), reverse=True)


def test_two_threads_add_up() -> None:
    deal = ending("hsl,target=0", 5, 5)
    apart = [Ending(Search(deal, seed=2, stream=stream), chances=False) for stream in range(2)]
    for search in apart:
        search.run(nodes=20 * search.cost)
    one, other = ({move.move: move for move in root_moves([search])} for search in apart)
    for move in root_moves(apart):
        parts = one[move.move], other[move.move]
        assert move.visits == sum(part.visits for part in parts)
        assert move.points[0] == pytest.approx(sum(part.points[0] for part in parts) / 2)


@pytest.mark.parametrize("tricks", [0, 2, 5])
def test_the_option_says_from_where_on(tricks: int) -> None:
    for n_tricks in range(3, 8):
        deal = ending("hsl,target=0", 8, n_tricks)
        report = Searcher(deal, Options(solve_tricks=tricks, seed=1)).run(Limits(nodes=400))
        solved = 9 - n_tricks <= tricks
        assert (len({move.visits for move in report.moves}) == 1) == solved


def test_the_match_is_searched_where_it_is_played_for() -> None:
    """The solver knows points only: near the target the search goes on."""
    rules = Rules.parse("jass", "cardavia").kernel()
    deal = random_deal(rules, 0, 4, match=(2900, 2800))
    while len(deal.tricks) < 5:
        deal.apply(choose(deal, "rules", 1))
    report = Searcher(deal, Options(seed=1)).run(Limits(nodes=400))
    assert len({move.visits for move in report.moves}) > 1


def test_a_deal_that_may_end_the_match_is_searched() -> None:
    """The match ends in the middle of a deal, which the solver plays on."""
    rules = Rules.parse("jass", "cardavia,last_trick=1000,weis=no").kernel()
    for seed in range(10):
        deal = random_deal(rules, 0, seed, match=(2300, 2350))
        while len(deal.tricks) < 5:
            deal.apply(choose(deal, "rules", 1))
        report = Searcher(deal, Options(win_within=0, seed=1)).run(Limits(nodes=400))
        assert len(report.moves) < 2 or len({move.visits for move in report.moves}) > 1
        assert all(move.win is None or 0 <= move.win <= 1 for move in report.moves)


@pytest.mark.parametrize("rules", ["cardavia", "swisslos", "hsl", "cardavia,last_trick=900,undenufe_ace=99"])
def test_no_deal_makes_more_than_the_most_to_come(rules: str) -> None:
    for seed in range(40):
        deal = random_deal(Rules.parse("jass", f"{rules},target=0").kernel(), 0, seed)
        bounds = []
        while deal.to_move >= 0:
            if deal.contract >= 0:
                view = deal.view(deal.to_move)
                bounds.append([made + view.most_to_come for made in view.points])
            deal.apply(choose(deal, "random" if deal.contract >= 0 else "rules", seed + len(bounds)))
        for side in range(2):
            assert deal.points[side] <= min(bound[side] for bound in bounds)


def test_the_chance_to_win_comes_with_it() -> None:
    rules = Rules.parse("jass", "cardavia").kernel()
    deal = random_deal(rules, 0, 4, match=(900, 1800))
    while len(deal.tricks) < 5:
        deal.apply(choose(deal, "rules", 1))
    for move in Searcher(deal, Options(seed=1)).run(Limits(nodes=4000)).moves:
        assert move.win is not None
        assert 0 < move.win < 1


def test_no_time_is_time_for_a_world() -> None:
    deal = ending("hsl,target=0", 3, 5)
    report = Searcher(deal, Options(seed=1)).run(Limits(movetime_ms=0))
    assert report.moves[0].visits > 0


def test_the_lines_are_told_after_a_stop() -> None:
    search = Ending(Search(ending("hsl,target=0", 3, 5), seed=2), chances=False)
    search.run(nodes=search.cost)
    search.stop()
    assert all(len(move.pv) > 4 for move in root_moves([search]))


def test_solved_by_hand() -> None:
    """With open hands the choice is the exact one."""
    for seed in range(20):
        deal = ending("hsl,target=0", seed, 5)
        if deal.legal().bit_count() < 2:
            continue
        best = Solver().solve_moves(deal)[0][1]
        report = Searcher(deal, Options(open_hands=True, seed=1)).run(Limits(nodes=1000))
        made = dict(Solver().solve_moves(deal))
        assert made[report.best] == best
