"""Position lines with a wrong word somewhere: refused at the same place by the naive referee and by us."""

from random import Random
from typing import Any

import pytest
from reference import RefusedError
from reference.position import set_up
from trickbot.engine.cards import GAMES, cards_in
from trickbot.engine.errors import PositionError
from trickbot.engine.match import Match
from trickbot.engine.notation import CONTRACTS, PILE, notation
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules
from trickbot.engine.state import state

N_DEALS = 60
SUITS = {"jass": "rabs", "apples": "cdhs"}


def played(match: Match, draw: Random) -> Position:
    """A deal played to its end by random legal moves."""
    position = match.deal()
    while position.deal.to_move >= 0 or position.deal.phase == PILE:
        if position.deal.phase == PILE:
            match.shuffle(position)
        else:
            position.play(draw.choice(list(cards_in(position.deal.legal()))))
    return position


def another_word(game: str, draw: Random) -> str:
    """A word that is seldom the right one."""
    names = notation(game)
    cards = [names.card_text(card) for card in cards_in(GAMES[game].pack)]
    if game == "jass":
        return draw.choice([*cards, *CONTRACTS, "push"])
    number = draw.randint(1, 13)
    some = ",".join(draw.sample(cards, draw.randint(1, 4)))
    bid = f"{number}{draw.choice(SUITS[game])}"
    pile = "|".join(",".join(draw.sample(cards, 2)) for _ in range(4))
    return draw.choice(
        [*cards, "pass", bid, bid, f"give={some}", f"target={draw.choice(cards)}", f"pile={pile}"]
    )


KEYS = ("phase", "to_move", "deal", "scores", "winner")


def verdict_of_referee(line: str) -> int | dict[str, Any] | None:
    """The index of the first wrong word, or how the deal stands."""
    try:
        found = set_up(line).state()
    except RefusedError as error:
        return error.index
    return {key: found[key] for key in KEYS}


def verdict(line: str) -> int | dict[str, Any] | None:
    """The same by the engine."""
    try:
        position = Position.parse(line)
    except PositionError as error:
        return error.index
    found = state(position, notation(position.rules.game))
    return {key: found[key] for key in KEYS}


@pytest.mark.parametrize(
    ("game", "preset"), [("jass", "cardavia"), ("jass", "swisslos"), ("apples", "apples")]
)
def test_wrong_words(game: str, preset: str) -> None:
    draw = Random(f"wrong words {preset}")
    refused = 0
    for number in range(N_DEALS):
        match = Match(Rules.parse(game, preset), 1000 + number)
        if number % 3 == 0 and game == "jass":
            match.totals = (draw.randrange(match.rules.target), draw.randrange(match.rules.target))
        position = played(match, draw)
        words = position.tokens
        for _ in range(8):
            at = draw.randrange(len(words) + 1)
            wrong = [*words[:at], another_word(game, draw), *words[at + draw.randint(0, 1) :]]
            start = position.text().partition(" moves ")[0]
            line = f"position {start} moves {' '.join(wrong)}"
            expected = verdict_of_referee(line)
            assert verdict(line) == expected, line
            refused += isinstance(expected, int)
    assert refused > 4 * N_DEALS
