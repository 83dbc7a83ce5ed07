"""Levels below full strength: fewer iterations, forgetting, small mistakes, all of it legal."""

from collections import Counter
from typing import Any, NamedTuple

import pytest
from trickbot.ai.skill import FULL, blur, iterations_per_world, limit_nodes, remember
from trickbot.engine.cards import cards_in
from trickbot.engine.match import Match
from trickbot.engine.notation import GIVE, PILE
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules


class Move(NamedTuple):
    move: int
    visits: int
    value: float


MOVES = [Move(1, 900, 0.60), Move(2, 80, 0.59), Move(3, 15, 0.30), Move(4, 0, 0.0)]


def test_budget_grows_with_the_level() -> None:
    budgets = [limit_nodes(level, None) or 0 for level in range(FULL)]
    assert budgets == sorted(set(budgets))
    assert budgets[0] > 9
    assert limit_nodes(FULL, None) is None
    assert limit_nodes(FULL, 7) == limit_nodes(0, 7) == 7
    assert limit_nodes(0, 10**6) == budgets[0]
    assert iterations_per_world(FULL, 1) == 1
    assert iterations_per_world(0, 1) > iterations_per_world(10, 1) > 1
    assert iterations_per_world(0, 400) == 400


def test_small_mistakes() -> None:
    assert blur(MOVES, FULL, 1) == MOVES
    shares = {}
    for level in (0, 10, 19):
        chosen = Counter(blur(MOVES, level, seed)[0].move for seed in range(2000))
        assert 4 not in chosen
        shares[level] = chosen[1] / 2000
        assert chosen[1] > chosen[2] >= chosen[3]
    assert 0.4 < shares[0] < shares[10] < shares[19]
    assert sorted(blur(MOVES, 0, 5)) == MOVES


def half_played(game: str, seed: int) -> Position:
    match = Match(Rules.parse(game), seed)
    position = match.deal()
    for turn in range(26 if game == "jass" else 60):
        if position.deal.phase == PILE:
            match.shuffle(position)
        legal = list(cards_in(position.deal.legal()))
        position.play(legal[(seed + turn) % len(legal)])
    assert position.deal.phase != GIVE
    return position


@pytest.mark.parametrize("game", ["jass", "apples"])
def test_what_is_forgotten(game: str) -> None:
    wider = 0
    for seed in range(1, 20):
        deal = half_played(game, seed).deal
        view = deal.view(deal.to_move)
        assert remember(view, FULL, seed) is view
        assert view.forgetful(0.0, seed) == view
        vague = view.forgetful(1.0, seed)
        assert vague.legal() == view.legal()
        assert vague.points == view.points
        assert vague.hand(deal.to_move) == deal.hand(deal.to_move)
        for stream in range(20):
            world = vague.determinize(seed, stream)
            hands = [world.hand(each) for each in range(4)]
            assert [hand.bit_count() for hand in hands] == [deal.hand(each).bit_count() for each in range(4)]
            assert held(world) == held(deal)
            wider += any(hands[each] & ~holdable(view, each) for each in range(4))
    assert wider > 20


def held(deal: Any) -> int:
    """All cards that are still in a hand, or set aside as a target."""
    targets = deal.targets if deal.game == "apples" else []
    return sum(deal.hand(seat) for seat in range(4)) + sum(1 << card for card in targets)


def holdable(view: Any, seat: int) -> int:
    """Cards that some world gives to the seat."""
    mask = 0
    for stream in range(60):
        mask |= view.determinize(3, stream).hand(seat)
    return mask
