"""Words for cards, moves and events: they round trip, and what is none is refused with its name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trickbot.engine.cards import APPLES, GAMES, JASS, cards_in, mask_of
from trickbot.engine.errors import NotationError, OptionError, quoted
from trickbot.engine.notation import AUCTION, CONTRACT, CONTRACTS, GIVE, PLAY, REDEAL, TARGET, notation

STYLES = [("jass", "german"), ("jass", "french"), ("apples", "german")]


def test_packs() -> None:
    assert JASS.pack.bit_count() == 36
    assert APPLES.pack.bit_count() == 52
    assert JASS.n_dealt == 9
    assert APPLES.n_dealt == 13


@pytest.mark.parametrize(("game", "style"), STYLES)
def test_cards_round_trip_in_any_case(game: str, style: str) -> None:
    names = notation(game, style)
    words = [names.card_text(card) for card in cards_in(GAMES[game].pack)]
    assert len(set(words)) == GAMES[game].pack.bit_count()
    for word in words:
        for written in (word, word.lower(), word.upper()):
            assert names.card_text(names.card(written)) == word


def test_french_names() -> None:
    german, french = notation("jass"), notation("jass", "french")
    for one, other in (("rU", "HJ"), ("a9", "C9"), ("bB", "DT"), ("sO", "SQ"), ("sA", "SA"), ("r6", "H6")):
        assert german.card(one) == french.card(other)
        assert french.card_text(german.card(one)) == other
    with pytest.raises(NotationError, match="'rU' is no card: a suit of HCDS"):
        french.card("rU")


def test_unknown_style() -> None:
    with pytest.raises(OptionError, match="english"):
        notation("jass", "english")


@given(mask=st.integers(0, (1 << 64) - 1).map(lambda mask: mask & JASS.pack).filter(bool))
def test_sets_round_trip(mask: int) -> None:
    names = notation("jass")
    assert names.cards(names.cards_text(mask)) == mask
    assert mask_of(cards_in(mask)) == mask


def test_sets_list_the_highest_first() -> None:
    names = notation("jass")
    assert names.cards_text(names.cards("s7,rA,rK,r6")) == "rA,rK,r6,s7"
    assert names.cards_text(None) == "?"


@pytest.mark.parametrize("words", ["", "rA,", "rA,,rK", "rA,rA", "rA rK", "?", "rT", "r10", "xA", "r", "rAA"])
def test_no_sets(words: str) -> None:
    with pytest.raises(NotationError):
        notation("jass").cards(words)


JASS_WORDS = [*CONTRACTS, "push", "rA", "s6"]
APPLES_WORDS = [
    "pass",
    "1c",
    "13s",
    "give=cA,c9,c5",
    "give=?",
    "pile=?|cA,d9,h5|?|?",
    "target=h7",
    "target=?",
    "targets=h7|c2|sA|d9",
    "targets=h7|?|?|d9",
    "hT",
]


@pytest.mark.parametrize(
    ("game", "word"), [("jass", w) for w in JASS_WORDS] + [("apples", w) for w in APPLES_WORDS]
)
def test_events_round_trip_in_any_case(game: str, word: str) -> None:
    names = notation(game)
    assert names.event_text(names.event(word)) == word
    assert names.event(word.upper()) == names.event(word)


NO_JASS_WORDS = ["pass", "3d", "give=?", "target=h7", "xx", "rosess", "", "=", "rA="]
NO_APPLES_WORDS = [
    *("roses", "push", "0d", "14d", "3x", "d3x", "003d", "3", "３d", "drop=cA", "=", "cA="),
    *("give=", "give=cA,cA", "give=rU", "target=", "target=cA,c2", "targets=cA", "targets=?|?|?|cA,c2"),
    *("pile=?|?|?", "pile=?|?|?|?|?", "pile=cA"),
]


@pytest.mark.parametrize(
    ("game", "word"), [("jass", w) for w in NO_JASS_WORDS] + [("apples", w) for w in NO_APPLES_WORDS]
)
def test_no_events(game: str, word: str) -> None:
    with pytest.raises(NotationError):
        notation(game).event(word)


def test_moves_by_phase() -> None:
    jass, apples = notation("jass"), notation("apples")
    assert [jass.move_text(CONTRACT, move) for move in range(9, 16)] == [*CONTRACTS, "push"]
    assert jass.move_text(PLAY, jass.card("rU")) == "rU"
    assert apples.move_text(AUCTION, 13) == "pass"
    assert apples.move_text(AUCTION, 16 * 1 + 2) == "3d"
    assert apples.move_text(GIVE, apples.card("c5")) == "give=c5"
    assert apples.move_text(TARGET, apples.card("h7")) == "target=h7"
    with pytest.raises(NotationError, match="redeal"):
        apples.move_text(REDEAL, 0)


def test_quoted_words_stay_short_and_on_one_line() -> None:
    assert quoted("xx") == "'xx'"
    assert quoted("a\nb\x00") == "'a\\nb\\x00'"
    assert len(quoted("x" * 1_000_000)) < 60
