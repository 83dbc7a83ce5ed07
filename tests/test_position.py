"""The position line: its parts, what is refused with which code, points of view, playing on."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trickbot.engine.cards import cards_in
from trickbot.engine.errors import PositionError
from trickbot.engine.match import Match
from trickbot.engine.notation import OVER, PILE, notation
from trickbot.engine.position import Position, legal_words, words_of
from trickbot.engine.rules import Rules
from trickbot.engine.state import describe, state

HANDS = (
    "rA,rK,r6,aA,a6,bA,b6,sA,s6 rO,rU,rB,aK,aO,bK,bO,sK,sO "
    "r9,r8,r7,aU,aB,bU,bB,sU,sB a9,a8,a7,b9,b8,b7,s9,s8,s7"
)
OWN = HANDS.split(maxsplit=1)[0]
APPLES = (
    "cA,cK,cQ,dA,dK,dQ,hA,hK,hQ,sA,sK,sQ,sJ cJ,cT,c9,dJ,dT,d9,hJ,hT,h9,sT,s9,s8,s7 "
    "c8,c7,c6,d8,d7,d6,h8,h7,h6,h5,s6,s5,s4 c5,c4,c3,c2,d5,d4,d3,d2,h4,h3,h2,s3,s2"
)


def refused(line: str, **how: Any) -> PositionError:
    with pytest.raises(PositionError) as wrong:
        Position.parse(line, **how)
    return wrong.value


def test_parts_and_defaults() -> None:
    position = Position.parse(f"JASS First 2 HANDS {HANDS.upper()} Moves ROSES R9")
    assert position.text() == f"jass rules cardavia first 2 hands {HANDS} moves roses r9"
    assert position.match is None
    assert position.deal.match == (0, 0)
    assert position.tokens == ["roses", "r9"]
    assert Position.parse(f"position jass first 0 hands {HANDS}").deal.to_move == 0


def test_usual_rules_hold_where_the_line_has_none() -> None:
    assert str(Position.parse(f"jass first 0 hands {HANDS}", rules="swisslos").rules) == "swisslos"
    assert str(Position.parse(f"jass rules hsl first 0 hands {HANDS}", rules="swisslos").rules) == "hsl"
    assert str(Position.parse(f"apples first 0 hands {APPLES}", rules="swisslos").rules) == "apples"
    line = f"jass rules cardavia,target=2500 match 2499 0 first 0 hands {HANDS}"
    assert Position.parse(line).text() == line


def test_unknown_words_are_skipped_and_told() -> None:
    warnings: list[str] = []
    line = f"jass quickly rules hsl now first 0 please hands {HANDS} moves roses"
    assert (
        Position.parse(line, warnings=warnings).text() == f"jass rules hsl first 0 hands {HANDS} moves roses"
    )
    assert warnings == ["quickly", "now", "please"]


@pytest.mark.parametrize(
    ("line", "code", "named"),
    [
        ("", "bad-argument", "no game ''"),
        ("chess first 0", "bad-argument", "no game 'chess': must be jass or apples"),
        ("jass", "bad-argument", "first is missing"),
        (f"jass hands {HANDS}", "bad-argument", "first is missing"),
        ("jass first 0", "bad-argument", "hands is missing"),
        ("jass first hands", "bad-argument", "first says nothing"),
        (f"jass first 4 hands {HANDS}", "bad-argument", "first '4'"),
        (f"jass first -1 hands {HANDS}", "bad-argument", "first '-1'"),
        (f"jass first ０ hands {HANDS}", "bad-argument", "first '０'"),
        (f"jass first 0 first 0 hands {HANDS}", "bad-argument", "first is out of place"),
        (f"jass hands {HANDS} first 0", "bad-argument", "first is out of place"),
        (f"jass first 0 moves roses hands {HANDS}", "bad-argument", "hands is out of place"),
        (f"jass match 0 0 rules hsl first 0 hands {HANDS}", "bad-argument", "rules is out of place"),
        (f"jass rules house first 0 hands {HANDS}", "bad-argument", "no rules 'house'"),
        (f"jass rules cardavia,aim=3 first 0 hands {HANDS}", "bad-argument", "no field 'aim'"),
        (f"jass match 0 first 0 hands {HANDS}", "bad-argument", "1 totals: must be 2"),
        (f"jass match 0 0 0 first 0 hands {HANDS}", "bad-argument", "3 totals: must be 2"),
        (f"jass match 0 x first 0 hands {HANDS}", "bad-argument", "match 'x'"),
        (f"jass match 0 99999999 first 0 hands {HANDS}", "bad-argument", "match '99999999'"),
        (f"apples match 0 0 first 0 hands {APPLES}", "bad-argument", "2 totals: must be 4"),
        (f"jass match 3000 0 first 0 hands {HANDS}", "bad-position", "3000"),
        (f"jass rules swisslos match 0 1000 first 0 hands {HANDS}", "bad-position", "1000"),
        (f"apples match 250 0 0 0 first 0 hands {APPLES}", "bad-position", "250"),
        ("jass first 0 hands ? ? ?", "bad-argument", "3 hands"),
        (f"jass first 0 hands {HANDS} ?", "bad-argument", "5 hands"),
        (f"jass first 0 hands {HANDS[:-3]} ", "bad-position", "8 cards"),
        (f"jass first 0 hands {OWN} {OWN} ? ?", "bad-position", "another hand"),
        (f"jass first 0 hands {OWN[:-2]}rA ? ? ?", "bad-position", "stands twice"),
        (f"jass first 0 hands {OWN[:-2]}s5 ? ? ?", "bad-position", "'s5' is no card"),
        (f"jass first 0 hands {OWN}, ? ? ?", "bad-position", "'' is no card"),
        (f"apples first 0 hands {HANDS}", "bad-position", "is no card"),
        (f"jass match -1 0 first 0 hands {HANDS}", "bad-position", "less than nothing"),
        (
            f"jass rules hsl first 0 hands {OWN} ? ? ? weis 1=bK,bO,bU",
            "bad-position",
            "none in the rules hsl",
        ),
        (f"apples first 0 hands {APPLES} weis 0=none", "bad-argument", "none in apples"),
        (f"jass first 0 hands {OWN} ? ? ? weis", "bad-argument", "weis says nothing"),
        (f"jass first 0 hands {OWN} ? ? ? weis none", "bad-argument", "weis 'none'"),
        (f"jass first 0 hands {OWN} ? ? ? weis 4=none", "bad-argument", "weis '4=none'"),
        (f"jass first 0 hands {OWN} ? ? ? weis 1=", "bad-argument", "weis '1='"),
        (f"jass first 0 hands {OWN} ? ? ? weis 1=none 1=none", "bad-argument", "seat 1 has told"),
        (f"jass first 0 hands {OWN} ? ? ? weis 1=xx", "bad-position", "'xx' is no card"),
        (f"jass first 0 hands {OWN} ? ? ? weis 1=bK,bO", "bad-position", "no meld"),
        (f"jass first 0 hands {OWN} ? ? ? weis 1=sA,sK,sO", "bad-position", "another hand"),
        (f"jass first 0 hands {OWN} ? ? ? weis 0=sA,sK,sO moves roses", "bad-position", "weis"),
        (f"jass first 0 hands {OWN} ? ? ? moves roses aA rA", "bad-position", "'rA': seat 0 holds"),
        (f"jass first 0 hands {OWN} ? ? ? moves roses aA aK aK", "bad-position", "played before"),
        (f"jass rules hsl first 0 hands {OWN} ? ? ? moves obenabe aA b7 b8 b9", "bad-position", "no deal"),
    ],
)
def test_refused(line: str, code: str, named: str) -> None:
    wrong = refused(line)
    assert (wrong.code, wrong.index) == (code, None)
    assert named in str(wrong)


@pytest.mark.parametrize(
    ("line", "index", "named"),
    [
        (f"jass first 0 hands {HANDS} moves trump", 0, "'trump' is no card"),
        (f"jass first 0 hands {HANDS} moves 3d", 0, "legal: "),
        (f"jass first 0 hands {HANDS} moves push push", 1, "may not push back"),
        (f"jass first 0 hands {HANDS} moves rA", 0, "'rA': fits no decision in phase contract"),
        (f"jass first 0 hands {HANDS} moves ROSES roses", 1, "'roses': fits no decision in phase play"),
        (f"jass first 0 hands {HANDS} moves roses aK", 1, "does not hold"),
        (f"jass first 0 hands {HANDS} moves obenabe aA bK", 2, "legal: aK aO"),
        (f"jass first 0 hands {OWN} ? ? ? moves roses aK", 1, "seat 0 does not hold"),
        (f"jass first 1 hands {OWN} ? ? ? moves push push", 1, "'push'"),
        (f"jass first 1 hands {OWN} ? ? ? moves rO", 0, "fits no decision"),
        (f"apples first 0 hands {APPLES} moves 2h 2d", 1, "legal: "),
        (f"apples first 0 hands ? {APPLES.split()[1]} ? ? moves 2h 2d", 1, "'2d'"),
        (f"apples first 0 hands {APPLES} moves 4c", 0, "'4c'"),
        (f"apples first 0 hands {APPLES} moves 1c pass pass pass give=cA,cK", 4, "2 cards given: must be 1"),
        (f"apples first 0 hands {APPLES} moves 1c pass pass pass give=cA pile=?|?|?|?", 5, "phase give"),
        (f"apples first 0 hands {APPLES} moves 1c pass pass pass targets=cA|?|?|?", 4, "last trick"),
        (f"apples first 0 hands {APPLES} moves 1c pass pass pass give=?", 4, "known"),
    ],
)
def test_illegal_moves(line: str, index: int, named: str) -> None:
    wrong = refused(line)
    assert (wrong.code, wrong.index) == ("illegal-move", index)
    assert str(wrong).startswith(f"index {index}: ")
    assert named in str(wrong)


def test_the_first_wrong_move_counts() -> None:
    line = f"jass rules hsl first 0 hands {OWN} ? ? ? moves obenabe aA b7 aK a7 rA "
    assert refused(line + "bA aQ").code == "bad-position"  # seat 0 holds bA
    assert refused(line + "rO aQ bA").index == 7


def test_refused_words_change_nothing() -> None:
    position = Position.parse(f"apples first 0 hands {APPLES} moves 1c pass pass pass")
    before = position.text(), position.deal.copy()
    for word in ("give=cA,cK", "give=dA", "give=?", "pass", "cA", "xx", "target=cA"):
        with pytest.raises(PositionError):
            position.add_word(word)
        assert (position.text(), position.deal) == before


def test_french_cards() -> None:
    line = "jass first 0 hands HA,HK,H6,CA,C6,DA,D6,SA,S6 ? ? ? moves roses HA"
    position = Position.parse(line, style="french")
    assert position.text() == f"jass rules cardavia first 0 hands {OWN} ? ? ? moves roses rA"
    assert position.text(notation("jass", "french")) == line.replace("jass", "jass rules cardavia")
    assert refused(line).code == "bad-position"
    assert "legal: HA HK H6 CA" in str(refused(line.replace("roses HA", "roses DK"), style="french"))


def test_three_hands_make_the_fourth_known() -> None:
    first, *others = HANDS.split()
    position = Position.parse(f"jass first 0 hands {first} {others[0]} ? {others[2]}")
    assert position.full
    assert position.deal == Position.parse(f"jass first 0 hands {HANDS}").deal


def test_weis_orders_itself_by_the_contract() -> None:
    line = "jass first 0 hands ? {} ? ? weis 0=rA,rK,rO+aA,aK,aO moves undenufe rA"
    hand = "bA,bK,bO,sA,sK,sO,b6,b7,s7"
    assert Position.parse(line.format(hand)).deal.consistent()


def test_silence_says_nothing_where_there_is_no_weis() -> None:
    line = f"jass rules hsl first 0 hands {OWN} ? ? ? weis 1=none moves roses"
    assert Position.parse(line).deal == Position.parse(line.replace(" weis 1=none", "")).deal


def random_position(data: Any, game: str, rules: str) -> tuple[Match, Position]:
    """A position of a random match, played to a random depth by random legal moves."""
    match = Match(Rules.parse(game, rules), data.draw(st.integers(1, 10**6)))
    position = match.deal()
    for choice in data.draw(st.lists(st.integers(0, 1000), max_size=75)):
        if position.deal.phase == PILE:
            match.shuffle(position)
        if position.deal.to_move < 0:
            break
        legal = list(cards_in(position.deal.legal()))
        position.play(legal[choice % len(legal)])
    while position.deal.phase == 2 and position.deal.n_given:  # a give is one word: finish it
        position.play((position.deal.legal() & -position.deal.legal()).bit_length() - 1)
    return match, position


@pytest.mark.parametrize(
    ("game", "rules"), [("jass", "cardavia"), ("jass", "swisslos"), ("jass", "hsl"), ("apples", "apples")]
)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_positions(game: str, rules: str, data: Any) -> None:
    """Lines read back; every seat's view is the line of what it sees; state and legal moves agree."""
    _, position = random_position(data, game, rules)
    names = notation(game)
    assert Position.parse(position.text()).deal == position.deal
    now = json.loads(json.dumps(state(position, names)))
    assert describe(position, names)
    assert now["scores"] == list(position.deal.scores)
    mover = position.deal.to_move
    if mover >= 0:
        words = legal_words(position.deal, names)
        assert now["legal"] == (words[3].split(",") if words[0] == "give" else words)
    if position.deal.phase == OVER:
        return
    for seat in range(4):
        seen = position.view(seat)
        assert seen.deal == position.deal.view(seat)
        assert Position.parse(seen.text()).deal == seen.deal
        assert [word for word in seen.tokens if "=" not in word] == [
            word for word in position.tokens if "=" not in word
        ]
        own = state(seen, names)
        assert own["hands"][seat] == now["hands"][seat]
        assert all(own["hands"][other] is None for other in range(4) if other != seat)
        if mover >= 0 and mover != seat:
            with pytest.raises(PositionError, match="unknown"):
                legal_words(seen.deal, names)
            assert own["legal"] is None


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_words_of_moves(data: Any) -> None:
    _, position = random_position(data, "apples", "apples")
    start = position.copy()
    moves = []
    while position.deal.to_move >= 0 and len(moves) < 20:
        moves.append((position.deal.legal() & -position.deal.legal()).bit_length() - 1)
        position.play(moves[-1])
    words = words_of(start.deal, moves, notation("apples"))
    assert words == position.tokens[len(start.tokens) :][: len(words)]
    assert start.text() == start.copy().text()
