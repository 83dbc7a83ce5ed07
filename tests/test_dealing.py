"""Random deals: same seed, same deals; every filter holds; wrong wishes are named."""

import json
from collections import Counter
from typing import Any

import pytest
from click.testing import CliRunner
from trickbot.ai.analysis.dealing import NoDealError, Wanted, deals
from trickbot.ai.cli import main
from trickbot.engine.notation import CONTRACTS, notation
from trickbot.engine.position import Position
from trickbot.engine.record import Record
from trickbot.engine.rules import Rules

JASS = Rules.parse("jass")


def run(*words: str) -> list[str]:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


@pytest.mark.parametrize("game", ["jass", "apples"])
def test_positions_and_records_are_the_same_deals(game: str) -> None:
    lines = run("--game", game, "deal", "-n", "20", "--seed", "5")
    assert len(set(lines)) == 20
    assert lines == run("deal", "--game", game, "-n", "20", "--seed", "5")
    assert lines != run("deal", "--game", game, "-n", "20", "--seed", "6")
    records = run("deal", "--game", game, "-n", "20", "--seed", "5", "--format", "record")
    for line, text in zip(lines, records, strict=True):
        record = Record.from_json(text)
        record.check()
        assert record.position().text() == Position.parse(line).text()
        assert json.loads(text)["seed"] == 5
    assert len({Position.parse(line).first for line in lines}) == 4


def test_any_card_is_as_likely_anywhere() -> None:
    held: Counter[int] = Counter()
    n = 1200
    for position in deals(Wanted(JASS), 3, n):
        for card in range(9):
            held[card] += (position.hands[2] or 0) >> card & 1
    for count in held.values():
        assert abs(count - n / 4) < 5 * (n * 3 / 16) ** 0.5


def test_held_cards_and_the_rest_at_random() -> None:
    names = notation("jass")
    wanted = Wanted(JASS)
    wanted.held[1] = names.cards("rU,r9")
    wanted.held[3] = names.cards("sA")
    ace = names.card("rA")
    seats: Counter[int] = Counter()
    n = 1500
    for position in deals(wanted, 8, n):
        hands = [hand or 0 for hand in position.hands]
        assert hands[1] & wanted.held[1] == wanted.held[1]
        assert hands[3] & wanted.held[3] == wanted.held[3]
        seats[next(seat for seat in range(4) if hands[seat] >> ace & 1)] += 1
    for seat, room in ((0, 9), (1, 7), (2, 9), (3, 8)):
        assert abs(seats[seat] - n * room / 33) < 5 * (n * room / 33) ** 0.5


def test_whole_hand_and_lengths() -> None:
    hand = "rA,rK,rO,rU,rB,a9,a8,b7,s6"
    for line in run("deal", "-n", "15", "--hand", f"2={hand}", "--length", "0=a3-4,s0", "--length", "1=b2+"):
        position = Position.parse(line)
        hands = [notation("jass").card_list(each or 0) for each in position.hands]
        assert hands[2] == hand.split(",")
        assert sum(card[0] == "a" for card in hands[0]) in (3, 4)
        assert not any(card[0] == "s" for card in hands[0])
        assert sum(card[0] == "b" for card in hands[1]) >= 2


@pytest.mark.parametrize("contract", CONTRACTS)
def test_contracts_are_chosen_or_forced(contract: str) -> None:
    for line in run("deal", "-n", "3", "--contract", contract, "--pushed"):
        assert line.split()[-2:] == ["push", contract]
    forced = run("deal", "-n", "3", "--contract", contract, "--force", "--first", "2")
    assert [line.split()[-1] for line in forced] == [contract] * 3
    assert forced[0].split()[:8] == run("deal", "-n", "3", "--first", "2")[0].split()[:8]


def test_tricks_left_for_the_one_to_move() -> None:
    for line in run("deal", "-n", "6", "--contract", "obenabe", "--tricks-left", "4", "--seat", "mover"):
        position = Position.parse(line)
        deal: Any = position.deal
        assert len(deal.tricks) == 5
        assert not deal.trick
        assert deal.known == 1 << deal.to_move
        assert deal.contract == 4


def test_match_totals_and_rules() -> None:
    (line,) = run("deal", "--match", "900,20", "--rules", "swisslos", "--cards", "french")
    position = Position.parse(line, style="french")
    assert position.match == (900, 20)
    assert str(position.rules) == "swisslos"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hold", "0=rX"], "--hold '0=rX': 'rX' is no card"),
        (["--hold", "4=rA"], "--hold '4=rA': must be SEAT=..., the seat 0 to 3"),
        (["--hold", "0=rA", "--hold", "1=rA"], "rA: wanted in two hands"),
        (["--hand", "0=rA,rK"], "a hand has 9 cards, 2 are named"),
        (["--hand", "0=rA", "--hand", "0=rK"], "seat 0 has a hand already"),
        (["--length", "0=q3"], "'q3' must be a suit of rabs"),
        (["--length", "0=r10"], "'r10' must be from 0 to 9"),
        (["--length", "0=r5-3"], "must be from 0 to 9"),
        (["--length", "0=r6", "--length", "1=r4"], "suit r: 10 cards wanted, there are 9"),
        (["--length", "0=r6,a4"], "seat 0: 10 cards wanted by suit"),
        (["--hold", "0=rA,rK", "--length", "0=r1"], "2 cards of suit r are named, 1 to 1 are wanted"),
        (["--contract", "foo"], "--contract 'foo': must be roses or acorns"),
        (["--force"], "--contract is missing"),
        (["--tricks-left", "10"], "--tricks-left 10: must be at most 9"),
        (["--match", "1"], "--match '1': must be 2 totals"),
        (["--match", "3000,0"], "the match to 3000 is over"),
        (["--rules", "foo"], "no rules 'foo'"),
        (["--chooser", "foo", "--contract", "roses"], "must be"),
        (["--game", "apples", "--contract", "14d"], "must be a bid, 3d, or a suit of cdhs"),
        (["--game", "apples", "--pushed"], "--pushed: there is none in apples"),
        (["--seat", "1", "--format", "record"], "a record has all hands"),
    ],
)
def test_wrong_wishes_are_named(words: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["deal", *words])
    assert result.exit_code in (1, 2)
    assert said in result.stderr


def test_gives_up() -> None:
    wanted = Wanted(JASS, lengths={(0, 0): (8, 9), (2, 0): (1, 1)})
    with pytest.raises(NoDealError, match="none of 50 deals in a row was as wanted, after 0 that were"):
        next(deals(wanted, 1, 1, tries=50))
