"""Matches: who begins, the totals, redeals, the end; and the same seed gives the same match."""

import pytest
from trickbot.engine.deal import Deal
from trickbot.engine.match import Match, child_seed
from trickbot.engine.notation import PILE, REDEAL, parse_card
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules


def lowest(deal: Deal) -> int:
    return (deal.legal() & -deal.legal()).bit_length() - 1


def play(match: Match, position: Position) -> None:
    """To the end of the deal by the lowest legal moves."""
    while position.deal.to_move >= 0 or position.deal.phase == PILE:
        if position.deal.phase == PILE:
            match.shuffle(position)
        else:
            position.play(lowest(position.deal))


def whole(match: Match) -> list[str]:
    texts = []
    while not match.over:
        position = match.deal()
        play(match, position)
        texts.append(position.text())
        match.finish(position)
    return texts


@pytest.mark.parametrize(
    ("game", "rules"), [("jass", "cardavia"), ("jass", "swisslos"), ("apples", "apples")]
)
def test_whole_matches(game: str, rules: str) -> None:
    match = Match(Rules.parse(game, rules), 11)
    before = match.totals
    texts = whole(match)
    assert match.totals[match.winner] >= match.rules.target
    assert len(texts) >= match.n_deals > 1
    assert whole(Match(Rules.parse(game, rules), 11)) == texts
    assert whole(Match(Rules.parse(game, rules), 12)) != texts
    assert set(before) == {0}
    for text in texts:
        assert Position.parse(text).text() == text


def test_forehand_by_the_seven_of_roses_then_round_the_table() -> None:
    begins = set()
    for seed in range(12):
        match = Match(Rules.parse("jass"), seed)
        position = match.deal()
        assert position.deal.hand(match.first) >> parse_card("jass", "r7") & 1
        begins.add(match.first)
        for turn in range(4):
            position = match.deal()
            assert position.first == match.first
            play(match, position)
            match.finish(position)
            assert match.first == (position.first + 1) % 4
            assert match.n_deals == turn + 1
    assert begins == {0, 1, 2, 3}


def test_totals_carry_over() -> None:
    match = Match(Rules.parse("jass"), 1)
    position = match.deal()
    play(match, position)
    match.finish(position)
    assert match.deal().match == tuple(position.deal.scores) == match.totals
    assert sum(match.totals) > 0


def test_one_deal_without_a_target() -> None:
    match = Match(Rules.parse("jass", "hsl"), 5)
    assert len(whole(match)) == 1
    assert match.over
    assert match.winner == -1


def test_redeal() -> None:
    match = Match(Rules.parse("apples"), 5)
    position = match.deal()
    for _ in range(4):
        position.add_word("pass")
    assert position.deal.phase == REDEAL
    match.finish(position)
    again = match.deal()
    assert again.first == position.first
    assert again.hands != position.hands
    assert match.n_deals == 0
    assert match.totals == (0, 0, 0, 0)


def test_a_deal_must_be_over() -> None:
    match = Match(Rules.parse("apples"), 5, first=2)
    position = match.deal()
    assert position.first == 2
    with pytest.raises(ValueError, match="not over"):
        match.finish(position)
    with pytest.raises(ValueError, match="no pile"):
        match.shuffle(position)


def test_child_seeds_differ() -> None:
    seeds = {
        child_seed(seed, *path)
        for seed in range(20)
        for path in [(), *((i, j) for i in range(8) for j in range(8))]
    }
    assert len(seeds) == 20 * 65
    assert all(0 < seed < 1 << 63 for seed in seeds)
