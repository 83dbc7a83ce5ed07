"""The rules of Schieber Jass up to the card values, by the naive referee and by the kernel."""

from typing import Any

import pytest
from deals import cards, find_hands, late_line, playable
from kernel import jass_rules
from reference import IllegalError
from reference.jass import CONTRACTS, PACK, PRESETS, JassReferee
from trickbot.engine.rules import Rules

ONE_SUIT_EACH = [[suit + rank for rank in "AKOUB9876"] for suit in "rabs"]


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_those_of_the_rule_text(preset: str) -> None:
    assert Rules.parse("jass", preset).kernel() == jass_rules(preset)


# ------------------------------------------------------------------------------------------- contract


@pytest.mark.parametrize("forehand", range(4))
def test_contract_is_named_by_forehand_or_pushed_to_the_partner(table: Any, forehand: int) -> None:
    deal = table(ONE_SUIT_EACH, forehand)
    assert deal.state()["to_move"] == forehand
    assert set(deal.legal()) == {*CONTRACTS, "push"}
    deal.play("push")
    assert deal.state()["to_move"] == (forehand + 2) % 4
    assert set(deal.legal()) == set(CONTRACTS), "no push back"
    with pytest.raises(IllegalError):
        deal.play("push")
    deal.play("bells")
    state = deal.state()
    assert (state["declarer"], state["pushed"]) == ((forehand + 2) % 4, True)
    assert state["to_move"] == forehand, "forehand leads also when the partner named the contract"


@pytest.mark.parametrize(
    ("rules", "multipliers"), [("cardavia", [1, 1, 2, 2, 3, 4]), ("swisslos", [1] * 6), ("hsl", [1] * 6)]
)
def test_multipliers(table: Any, rules: str, multipliers: list[int]) -> None:
    for contract, multiplier in zip(CONTRACTS, multipliers, strict=True):
        deal = table(ONE_SUIT_EACH, 0, rules=rules)
        deal.play(contract)
        assert deal.state()["multiplier"] == multiplier
        for card in ["rA", "aA", "bA", "sA"]:
            deal.play(card)
        [trick] = deal.state()["tricks"]
        bare = 44 if rules == "cardavia" or contract != "undenufe" else 0
        assert trick["points"] == bare
        weis = [0, 0] if rules == "hsl" else weis_of_one_suit_each(contract, rules)
        points = [
            multiplier * (each + bare * (trick["winner"] % 2 == side)) for side, each in enumerate(weis)
        ]
        assert deal.state()["deal"] == points, "every point is multiplied, once"


def weis_of_one_suit_each(contract: str, rules: str) -> list[int]:
    """Nine cards of one suit for everybody: the trump run, else forehand's, is the strongest."""
    both = 2 * 150 if rules == "cardavia" else 2 * 300
    return [0, both] if contract in ("acorns", "shields") else [both, 0]


# ----------------------------------------------------------------------------- order of the cards, tricks

TRICKS = [
    ("obenabe", "rO rA rK r9", 1),
    ("obenabe", "r7 aA sA r6", 0),
    ("obenabe", "r8 rB r9 rU", 3),
    ("obenabe", "rB r9 r8 rA", 3),
    ("undenufe", "r7 rA r6 r8", 2),
    ("undenufe", "rK a6 s6 rA", 0),
    ("undenufe", "rK rA rO sO", 2),
    ("undenufe", "rB r9 rU rA", 1),
    ("roses", "aA a6 r6 aK", 2),
    ("roses", "aA r6 aK rU", 3),
    ("roses", "r9 rA rU rK", 2),
    ("roses", "rA r9 rK rO", 1),
    ("roses", "rO rK rB r8", 1),
    ("roses", "r6 r7 r8 rB", 3),
    ("bells", "rB r6 sA aA", 0),
    ("shields", "s7 s8 sB aA", 2),
    ("acorns", "aA aK aO a9", 3),
    ("acorns", "s6 a6 a8 s7", 2),
]


@pytest.mark.parametrize(("contract", "trick", "winner"), TRICKS)
def test_winner_of_a_trick(table: Any, contract: str, trick: str, winner: int) -> None:
    line = [contract, *trick.split()]
    given = {seat: [card] for seat, card in enumerate(trick.split())}
    hands = find_hands(PACK, given, lambda hands: playable(JassReferee(hands, rules="hsl"), line))
    deal = table(hands, 0, rules="hsl")
    for token in line:
        deal.play(token)
    assert deal.state()["tricks"][0]["winner"] == winner
    assert deal.state()["to_move"] == winner, "the winner leads next"


VALUES = [  # A K O U B 9 8 7 6
    ("cardavia", "bells", "b", [11, 4, 3, 20, 10, 14, 0, 0, 0]),
    ("cardavia", "bells", "r", [11, 4, 3, 2, 10, 0, 0, 0, 0]),
    ("cardavia", "obenabe", "r", [11, 4, 3, 2, 10, 0, 8, 0, 0]),
    ("cardavia", "undenufe", "s", [11, 4, 3, 2, 10, 0, 8, 0, 0]),
    ("swisslos", "roses", "r", [11, 4, 3, 20, 10, 14, 0, 0, 0]),
    ("swisslos", "obenabe", "r", [11, 4, 3, 2, 10, 0, 8, 0, 0]),
    ("swisslos", "undenufe", "r", [0, 4, 3, 2, 10, 0, 8, 0, 11]),
    ("hsl", "undenufe", "a", [0, 4, 3, 2, 10, 0, 8, 0, 11]),
    ("hsl", "acorns", "a", [11, 4, 3, 20, 10, 14, 0, 0, 0]),
]


@pytest.mark.parametrize(("rules", "contract", "suit", "values"), VALUES)
def test_card_values(table: Any, rules: str, contract: str, suit: str, values: list[int]) -> None:
    """Everybody holds one suit and plays the same rank: each trick has that rank of every suit."""
    others = [other for other in "rabs" if other != suit]
    plain = values if contract in ("obenabe", "undenufe") else [11, 4, 3, 2, 10, 0, 0, 0, 0]
    trump = {"roses": "r", "acorns": "a", "bells": "b", "shields": "s"}.get(contract)
    deal = table(ONE_SUIT_EACH, 0, rules=rules, target=0)
    deal.play(contract)
    trumps = [11, 4, 3, 20, 10, 14, 0, 0, 0]
    wanted = []
    for place, value in enumerate(values):
        rest = [trumps[place] if other == trump else plain[place] for other in others]
        wanted.append(value + sum(rest))
    for rank in "AKOUB9876":
        leader = deal.state()["to_move"]
        for seat in range(4):
            deal.play("rabs"[(leader + seat) % 4] + rank)
    got = [trick["points"] for trick in deal.state()["tricks"]]
    wanted[8] += 5
    assert got == wanted
    assert sum(got) == 157


# ------------------------------------------------------------------------------------ playing a card

LEGAL = [
    # contract, trick so far, hand, legal cards
    ("obenabe", "rA", "r6,rK,aA,s6", "r6,rK"),
    ("obenabe", "rA", "aA,bK,s6", "aA,bK,s6"),
    ("undenufe", "r6 rA", "r9,a6,a7", "r9"),
    ("undenufe", "rU", "b6,b7,s6", "b6,b7,s6"),
    # a plain suit is led: the suit or a trump at any time
    ("roses", "aA", "a6,aU,r6,rA,s9", "a6,aU,r6,rA"),
    ("roses", "aA", "r6,rA,s9", "r6,rA,s9"),
    ("roses", "aA", "b7,s9", "b7,s9"),
    ("roses", "aA", "a6,b7,s9", "a6"),
    # no undertrumping
    ("roses", "aA r9", "aK,a6,rU,rA", "aK,a6,rU"),
    ("roses", "aA r9", "aK,rA,rK", "aK"),
    ("roses", "aA r9", "b6,rA,rU", "b6,rU"),
    ("roses", "aA r9", "b6,rA,r8", "b6"),
    ("roses", "aA r7 r9", "a6,r8,rU", "a6,rU"),
    ("roses", "aA r9 a7", "s6,r8,rU", "s6,rU"),
    ("roses", "aA rO", "s6,rB,rK,r9", "s6,rK,r9"),
    # nothing but trumps: any trump
    ("roses", "aA r9", "rA,r8,rK", "rA,r8,rK"),
    ("roses", "aA r9", "r8,rU", "r8,rU"),
    ("bells", "s6 bU", "b6", "b6"),
    # a trump is led
    ("roses", "r6", "r7,rU,aA,s9", "r7,rU"),
    ("roses", "r6", "rA,aA,s9", "rA"),
    ("roses", "r6", "rU,aA,s9", "rU,aA,s9"),
    ("roses", "rU", "r6,aA", "r6"),
    ("roses", "r6", "aA,s9", "aA,s9"),
    ("roses", "r6", "aU,r7,s9", "r7"),
    ("roses", "rA r9", "r7,r8,a9", "r7,r8"),
    ("shields", "s7", "sU", "sU"),
    # a lead is free
    ("acorns", "", "a6,rU,s9", "a6,rU,s9"),
]


@pytest.mark.parametrize(("contract", "trick", "hand", "legal"), LEGAL)
def test_legal_cards(table: Any, contract: str, trick: str, hand: str, legal: str) -> None:
    hands, line = late_line(contract, trick.split(), cards(hand))
    deal = table(hands, 0, rules="hsl")
    for token in line:
        deal.play(token)
    assert sorted(deal.legal()) == sorted(cards(legal))
    for card in set(cards(hand)) - set(cards(legal)):
        with pytest.raises(IllegalError):
            deal.play(card)
