"""What a card proves about the hand that played it: sampled worlds against all worlds, for every seat."""

import random
from collections.abc import Callable

import pytest
from deals import cards, late_line, playable
from fuzz import House, play_both
from kernel import JASS, JassKernel
from reference.jass import JassReferee
from trickbot.engine.notation import PLAY
from trickbot.engine.position import Position
from worlds import n_unseen, sampled_worlds, worlds

PROVES = [
    # contract, trick so far, hand of the next seat, its card, cards of the pack that it cannot hold any more
    ("roses", "aA r9", "r6,r7", "r6", lambda card: card[0] != "r"),  # an undertrump: nothing but trumps
    ("roses", "aA r9 rU", "r6,r7", "r6", lambda card: card[0] != "r"),
    ("roses", "aA rK", "rO,rB", "rB", lambda card: card[0] != "r"),
    ("bells", "s6 bU s7", "b9,b7", "b9", lambda card: card[0] != "b"),
    ("roses", "aA r9", "rU,r6", "rU", lambda card: False),  # an overtrump: nothing
    ("roses", "aA", "r6,s7", "r6", lambda card: False),  # a ruff: nothing
    ("roses", "aA", "r6,a7", "r6", lambda card: False),
    ("roses", "aA", "b6,s7", "b6", lambda card: card[0] == "a"),  # a discard: none of the suit
    ("roses", "aA r9", "b6,rA", "b6", lambda card: card[0] == "a"),  # perhaps trumps that are too low
    ("roses", "rA", "rU,s9", "s9", lambda card: card[0] == "r" and card[1] != "U"),  # perhaps the lone Under
    ("roses", "rA", "b6,s9", "s9", lambda card: card[0] == "r" and card[1] != "U"),
    ("roses", "rA r9", "rU,s9", "s9", lambda card: card[0] == "r" and card[1] != "U"),
    ("obenabe", "aA", "b6,s9", "s9", lambda card: card[0] == "a"),
    ("undenufe", "a6 aU", "bU,s9", "s9", lambda card: card[0] == "a"),
]


@pytest.mark.parametrize(("contract", "trick", "hand", "card", "impossible"), PROVES)
def test_what_a_card_proves(
    contract: str, trick: str, hand: str, card: str, impossible: Callable[[str], bool]
) -> None:
    hands, line = late_line(contract, trick.split(), cards(hand))
    referee, kernel = JassReferee(hands, rules="hsl"), JassKernel(hands, rules="hsl")
    for token in line:
        referee.play(token)
        kernel.play(token)
    mover = referee.to_move
    assert mover is not None
    referee.play(card)
    kernel.play(card)
    total, freedom = 0.0, 0
    for seat in range(4):
        if seat == mover:
            continue
        possible = {held for world in worlds(referee, seat, kernel) for held in JASS.tokens(world[mover])}
        assert not any(impossible(held) for held in possible)
        statistic, more = sampled_worlds(referee, kernel, seat, 1)
        total += statistic
        freedom += more
    assert freedom > 0
    assert abs(total - freedom) < 5 * (2 * freedom) ** 0.5 + 5


@pytest.mark.parametrize("house", [House("jass", "cardavia"), House("jass", "swisslos")], ids=str)
def test_announcements_and_silence_leave_fewer_worlds(house: House) -> None:
    """Positions in which what was said, or not said, about melds rules out worlds that the cards allow."""
    total, freedom, n_found, number = 0.0, 0, 0, 0
    while n_found < 8:
        rng = random.Random(f"told {house} {number}")
        number += 1
        referee, kernel, script = house.start(rng)
        for _ in play_both(referee, kernel, script, rng):
            if referee.phase == "play" and n_unseen(referee, 0) in (3, 4, 5):
                break
        else:
            continue
        bare = JassReferee(referee.dealt, referee.first, rules="hsl")
        assert playable(bare, referee.moves)
        if len(worlds(referee, 0, kernel)) < len(worlds(bare, 0, kernel)):
            n_found += 1
            statistic, more = sampled_worlds(referee, kernel, 0, number)
            total += statistic
            freedom += more
    assert abs(total - freedom) < 5 * (2 * freedom) ** 0.5 + 5


def test_worlds_whose_melds_would_have_ended_the_match_are_none() -> None:
    """Nothing was said about melds, and the match goes on: so no hidden hand has those that would have ended it."""
    text = "jass match 2500 2400 first 0 hands rA,rK,r6,aA,a6,bA,b6,sA,s6 ? ? ? moves obenabe aA a7 aK a8"
    deal = Position.parse(text).deal
    free = Position.parse(text.replace("match 2500 2400 ", "")).deal
    worlds = [deal.determinize(seed) for seed in range(600)]
    assert {(world.phase, world.winner) for world in worlds} == {(PLAY, -1)}
    assert any(2500 + free.determinize(seed).points[0] >= 3000 for seed in range(600))
