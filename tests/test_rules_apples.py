"""The rules of Apples, paragraph by paragraph, played by the naive referee and by the kernel."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from deals import cards, fill
from fuzz import random_token
from reference import IllegalError
from reference.apples import PACK, ApplesReferee, score

THREE_OR_FOUR_OF_EACH = [  # seat 0: three of each suit and the spade jack; the others likewise
    cards("cA,cK,cQ,dA,dK,dQ,hA,hK,hQ,sA,sK,sQ,sJ"),
    cards("cJ,cT,c9,dJ,dT,d9,hJ,hT,h9,sT,s9,s8,s7"),
    cards("c8,c7,c6,d8,d7,d6,h8,h7,h6,h5,s6,s5,s4"),
    cards("c5,c4,c3,c2,d5,d4,d3,d2,h4,h3,h2,s3,s2"),
]
ONE_SUIT_EACH = [[suit + rank for rank in "AKQJT98765432"] for suit in "cdhs"]


def play_all(deal: Any, tokens: str) -> Any:
    for token in tokens.split():
        deal.play(token)
    return deal


# -------------------------------------------------------------------------------------------- auction

ORDER = [
    # bid, bids of seat 1 above it (three of each suit, four spades)
    ("1d", "1h 1c 1s 2d 2h 2c 2s 3d 3h 3c 3s 4s"),
    ("1h", "1c 1s 2d 2h 2c 2s 3d 3h 3c 3s 4s"),
    ("1c", "1s 2d 2h 2c 2s 3d 3h 3c 3s 4s"),
    ("1s", "2d 2h 2c 2s 3d 3h 3c 3s 4s"),
    ("2h", "2c 2s 3d 3h 3c 3s 4s"),
    ("2c", "2s 3d 3h 3c 3s 4s"),
    ("3h", "3c 3s 4s"),
    ("3c", "3s 4s"),
    ("3s", "4s"),
    ("4s", ""),
]


@pytest.mark.parametrize(("bid", "higher"), ORDER)
def test_order_of_bids(table: Any, bid: str, higher: str) -> None:
    """Spades, clubs, hearts, diamonds: clubs above hearts; a higher number is stronger."""
    deal = play_all(table(THREE_OR_FOUR_OF_EACH, 0), bid)
    assert set(deal.legal()) == {"pass", *higher.split()}


def test_a_bid_is_at_most_what_the_bidder_holds(table: Any) -> None:
    assert set(table(THREE_OR_FOUR_OF_EACH, 0).legal()) == {
        "pass", *(f"{n}{suit}" for suit in "cdh" for n in (1, 2, 3)), *(f"{n}s" for n in (1, 2, 3, 4))
    }  # fmt: skip
    deal = table(ONE_SUIT_EACH, 2)
    assert set(deal.legal()) == {"pass", *(f"{n}h" for n in range(1, 14))}
    with pytest.raises(IllegalError):
        deal.play("1s")


@pytest.mark.parametrize(
    ("calls", "bidder"),
    [
        ("1d pass pass pass", 0),
        ("pass pass pass 1d pass pass pass", 3),
        ("1d 1h pass pass pass", 1),
        ("1d pass pass 1h pass pass pass", 3),
        ("1d pass pass 1h 1c pass pass pass", 0),
        ("pass 1d pass pass 1h pass pass pass", 0),  # a player who passed may bid again
        ("1d 1h 1c pass 1s pass pass pass", 0),
    ],
)
@pytest.mark.parametrize("first", range(4))
def test_the_auction_ends_with_three_passes_after_a_bid(
    table: Any, calls: str, bidder: int, first: int
) -> None:
    hands = (
        THREE_OR_FOUR_OF_EACH[-first:] + THREE_OR_FOUR_OF_EACH[:-first] if first else THREE_OR_FOUR_OF_EACH
    )
    deal = table(hands, first)
    seat = first
    for call in calls.split():
        assert (deal.state()["phase"], deal.state()["to_move"]) == ("auction", seat)
        assert deal.state()["trump"] is None
        deal.play(call)
        seat = (seat + 1) % 4
    state = deal.state()
    bids = [call for call in calls.split() if call != "pass"]
    assert (state["phase"], state["bidder"], state["bid"]) == ("give", (first + bidder) % 4, bids[-1])
    assert state["trump"] == bids[-1][-1]
    assert state["to_move"] == state["bidder"]


def test_four_passes_and_the_cards_are_dealt_anew(table: Any) -> None:
    deal = play_all(table(THREE_OR_FOUR_OF_EACH, 3, match=(1, 2, 3, 4)), "pass pass pass")
    assert deal.state()["phase"] == "auction"
    deal.play("pass")
    state = deal.state()
    assert (state["phase"], state["to_move"], state["legal"], state["winner"]) == ("redeal", None, [], None)
    assert state["scores"] == [1, 2, 3, 4]
    with pytest.raises(IllegalError):
        deal.play("1s")


# ----------------------------------------------------------------------------------- bid pile, target


def test_bid_pile(table: Any) -> None:
    deal = play_all(table(THREE_OR_FOUR_OF_EACH, 0), "2h 2c pass pass pass")
    assert deal.legal()["give"] == 2
    assert sorted(deal.legal()["from"]) == ["c9", "cJ", "cT"], "the winner gives trumps"
    for wrong in ("give=cJ,dJ", "give=hJ,hT"):
        with pytest.raises(IllegalError):
            play_all(deal_before_giving(table), wrong)
    deal.play("give=cJ,c9")
    for seat, given in [(2, "give=d8,s6"), (3, "give=c2,c3"), (0, "give=sA,cQ")]:
        state = deal.state()
        assert (state["phase"], state["to_move"]) == ("give", seat)
        assert (state["legal"]["give"], len(state["legal"]["from"])) == (2, 13), "any cards"
        deal.play(given)
    state = deal.state()
    assert (state["phase"], state["to_move"], state["legal"]) == ("give", None, [])
    with pytest.raises(IllegalError):
        deal.play("target=cA")
    deal.play("pile=cJ,sA|c2,d8|cQ,s6|c3,c9")
    state = deal.state()
    assert (state["phase"], state["to_move"]) == ("target", 1)
    assert set(state["hands"][0]) == {*THREE_OR_FOUR_OF_EACH[0], "cJ"} - {"cQ"}
    assert set(state["hands"][1]) == {*THREE_OR_FOUR_OF_EACH[1], "c2", "d8"} - {"cJ", "c9"}
    assert set(state["hands"][2]) == {*THREE_OR_FOUR_OF_EACH[2], "cQ"} - {"d8"}
    assert set(state["hands"][3]) == {*THREE_OR_FOUR_OF_EACH[3], "c9"} - {"c2"}


def deal_before_giving(table: Any) -> Any:
    return play_all(table(THREE_OR_FOUR_OF_EACH, 0), "2h 2c pass pass pass")


@pytest.mark.parametrize(
    "pile",
    ["cJ|c2|cQ,s6|c3,c9,sA,d8", "cJ,sA|c2,d8|cQ,s6|c3,c4", "cJ,sA|c2,d8|cQ,s6|c3,c3", "cJ,sA|c2,d8|cQ,s6"],
)
def test_a_pile_of_other_cards_or_sizes_is_refused(table: Any, pile: str) -> None:
    deal = play_all(deal_before_giving(table), "give=cJ,c9 give=d8,s6 give=c2,c3 give=sA,cQ")
    with pytest.raises(IllegalError):
        deal.play("pile=" + pile)


def test_target_cards(table: Any) -> None:
    deal = play_all(
        deal_before_giving(table), "give=cJ,c9 give=d8,s6 give=c2,c3 give=sA,cQ pile=cJ,sA|c2,d8|cQ,s6|c3,c9"
    )
    for seat, card in [(1, "d8"), (2, "cQ"), (3, "h4"), (0, "sA")]:
        state = deal.state()
        assert (state["phase"], state["to_move"]) == ("target", seat)
        assert set(state["legal"]) == {"target=" + each for each in state["hands"][seat]}
        deal.play("target=" + card)
        assert card not in deal.state()["hands"][seat]
    state = deal.state()
    assert state["targets"] == ["sA", "d8", "cQ", "h4"]
    assert (state["phase"], state["to_move"]) == ("play", 1), "the bid's winner leads"
    assert [len(hand) for hand in state["hands"]] == [12] * 4
    with pytest.raises(IllegalError):
        deal.play("d8")


# ---------------------------------------------------------------------------------------------- tricks

TO_THE_PLAY = "1s pass pass pass"


def at_play(table: Any, hands: list[list[str]], given: list[str], targets: list[str]) -> Any:
    """Spades are trump, seat 0 has bid one: everybody gets back what he gave."""
    deal = play_all(table(hands, 0), TO_THE_PLAY)
    for card in given:
        deal.play("give=" + card)
    deal.play("pile=" + "|".join(given))
    for card in targets:
        deal.play("target=" + card)
    return deal


TRICKS = [
    ("cA cK cQ cJ", 0),
    ("c2 c9 cT c3", 2),
    ("c2 dA hA d3", 0),
    ("c2 s2 cA c3", 1),
    ("c2 s2 s3 cA", 2),
    ("c2 s9 sT sA", 3),
    ("c2 sA sT s9", 1),
    ("sQ sK sJ hA", 1),
    ("s2 cA dA hA", 0),
]


@pytest.mark.parametrize(("trick", "winner"), TRICKS)
def test_winner_of_a_trick(table: Any, trick: str, winner: int) -> None:
    """Seat 0 leads and holds nearly all of the suit; a seat that does not follow sets the rest aside."""
    played = trick.split()
    led = played[0][0]
    free = [seat for seat in (1, 2, 3) if played[seat][0] != led]
    suit = [card for card in PACK if card[0] == led and card not in played]
    given = {seat: [card] for seat, card in enumerate(played)}
    given[0] += suit[:12] if led == "s" else suit[: 12 - len(suit) // 12]
    given[free[0] if free else 1] += [card for card in suit if card not in given[0]]
    given[0] += ["s4"] if led != "s" else []
    hands = fill(PACK, given, random.Random(1))
    spares = [next(card for card in PACK if card in hands[0] and card[0] == "s" and card != played[0])]
    spares += [next(card for card in hands[seat] if card not in played) for seat in (1, 2, 3)]
    targets = [max(hands[seat], key=lambda card: (card not in played) + (card in suit)) for seat in range(4)]
    deal = at_play(table, hands, spares, targets)
    play_all(deal, trick)
    state = deal.state()
    assert (state["tricks"][0]["winner"], state["to_move"]) == (winner, winner)
    assert set(state["piles"][winner]) == set(played)
    assert sum(map(len, state["piles"])) == 4


FOLLOWING = [
    # hand of the next seat, card led, legal cards
    ("c2,c9,s4,hA", "cA", "c2,c9"),
    ("c2,s4,hA", "cA", "c2"),
    ("s4,hA,d2", "cA", "s4,hA,d2"),  # no duty to trump
    ("hA,d2", "cA", "hA,d2"),
    ("s4,hA,d2", "sA", "s4"),
    ("hA,d2,c3", "sA", "hA,d2,c3"),
]


def spare_cards(hands: list[list[str]], kept: set[str]) -> tuple[list[str], list[str]]:
    """A card for the pile (seat 0: a spade) and a target for each seat, not among those to be kept."""
    spade = next(card for card in hands[0] if card[0] == "s" and card not in kept)
    given = [spade, *(next(card for card in hand if card not in kept) for hand in hands[1:])]
    return given, [next(card for card in reversed(hand) if card not in kept) for hand in hands]


@pytest.mark.parametrize(("hand", "led", "legal"), FOLLOWING)
def test_follow_suit_if_you_can_else_any_card(table: Any, hand: str, led: str, legal: str) -> None:
    """Looked for among random rounds: the next seat's twelve cards end up as this hand."""
    kept = {*cards(hand), led}
    n_before = 12 - len(cards(hand))
    rng = random.Random(1)
    for _ in range(20000):
        hands = fill(PACK, {0: [led, "s2"], 1: cards(hand)}, rng)
        referee = at_play(ApplesReferee, hands, *spare_cards(hands, kept))
        while len(referee.tricks) < n_before:
            free = [card for card in referee.legal() if card not in kept]
            if not free:
                break
            referee.play(rng.choice(free))
        if len(referee.tricks) == n_before and referee.to_move == 0:
            break
    deal = table(hands, 0)
    for token in [*referee.moves, led]:
        deal.play(token)
    assert deal.state()["to_move"] == 1
    assert sorted(deal.legal()) == sorted(cards(legal))


# ------------------------------------------------------------------------------------ score of a round

SCORES = [
    # pile, target, points
    ("c3,d3,c4,c6,c9,d9,cJ,dJ,hJ,cQ,cA,dA", "cT", 25),  # the rules' example
    ("c4,d4,cT,dT", "h4", 50),  # the rules' example
    ("", "cA", 0),
    ("dA", "cA", 15),
    ("dA,hA", "cA", 40),
    ("dA,hA,sA", "cA", 80),
    ("dA,hA,sA", "c2", 30),
    ("cA,dA,hA,sA", "c2", 60),
    ("c2", "d2", -15),  # two of the target's rank count as any
    ("c2,h2", "d2", 40),
    ("c2,h2,s2", "d2", 80),
    ("c2,h2,s2", "dA", -30),
    ("c2,h2,s2,d2", "dA", -60),
    ("c6,d6", "cA", 5),
    ("c7,d7,h7", "cA", 10),
    ("c8,d8,h8,s8", "cA", 20),
    ("cT,dT", "cA", 10),
    ("cJ,dJ,hJ", "cA", 20),
    ("cQ,dQ,hQ,sQ", "cA", 40),
    ("cK,dK,hK", "sK", 80),
    ("c5,d5,h5,c4,d4,c3,d3", "cA", -60),
]


@pytest.mark.parametrize(("pile", "target", "points"), SCORES)
def test_score_of_a_pile(pile: str, target: str, points: int) -> None:
    assert score(cards(pile), target) == points


def test_score_of_rounds(table: Any) -> None:
    """Random rounds, rank by rank: every number of every value must come, with the target and without."""
    worth = {2: 1, 3: 2, 4: 4}
    seen: Counter[tuple[int, int, bool]] = Counter()
    for number in range(150):
        rng = random.Random(f"score {number}")
        referee = ApplesReferee(fill(PACK, {}, rng))
        deal = table(referee.hands, 0)
        while referee.phase not in ("over", "redeal"):
            token = random_token(referee, rng)
            referee.play(token)
            deal.play(token)
        state = deal.state()
        if state["phase"] == "redeal":
            continue
        for seat in range(4):
            total = 0
            own = state["targets"][seat]
            by_rank = Counter(card[1] for card in [*state["piles"][seat], own])
            for rank, many in by_rank.items():
                value = -15 if rank in "2345" else 5 if rank in "6789" else 15 if rank == "A" else 10
                seen[value, many, rank == own[1]] += 1
                if rank == own[1] and many >= 3:
                    total += 40 if many == 3 else 80
                elif many >= 2:
                    total += worth[many] * value
            assert state["deal"][seat] == total
    assert {(v, n, False) for v in (-15, 5, 10, 15) for n in (1, 2, 3, 4)} <= set(seen)
    assert {(v, n, True) for v in (-15, 5, 10) for n in (1, 2, 3)} <= set(seen)
    assert {n for _, n, own in seen if own} == {1, 2, 3, 4}


# -------------------------------------------------------------------------------------- end of the match


def example_of_the_rules() -> ApplesReferee:
    """The whole round of the case file whose points are 50, 170, 0 and 0."""
    from reference.position import set_up

    path = Path(__file__).parent / "data" / "cases" / "apples-score.jsonl"
    case = json.loads(path.read_text().splitlines()[0])
    referee = set_up(case["position"])
    assert isinstance(referee, ApplesReferee)
    return referee


@pytest.mark.parametrize(
    ("match", "target", "winner"),
    [
        ((0, 0, 0, 0), 250, None),
        ((200, 79, 0, 0), 250, 0),
        ((199, 79, 0, 0), 250, None),
        ((200, 80, 0, 0), 250, None),  # the highest is shared: another round
        ((200, 81, 0, 0), 250, 1),  # the highest total wins
        ((0, 80, 249, 249), 250, 1),
        ((250, 0, 250, 0), 250, 0),  # it was shared before
        ((0, 0, 260, 260), 250, None),
        ((200, 81, 0, 0), 500, None),
        ((450, 329, -20, 0), 500, 0),
        ((-300, 79, 249, 0), 250, None),
        ((-300, 80, 249, 0), 250, 1),
        ((0, 0, 0, 0), 170, 1),
        ((0, 0, 0, 0), 171, None),
    ],
)
def test_end_of_the_match(
    table: Any, match: tuple[int, int, int, int], target: int, winner: int | None
) -> None:
    example = example_of_the_rules()
    deal = table(example.dealt, example.first, match=match, target=target)
    for token in example.moves:
        assert deal.state()["winner"] is None
        assert deal.state()["deal"] == [0, 0, 0, 0], "nothing is scored before the round's end"
        deal.play(token)
    state = deal.state()
    assert (state["phase"], state["to_move"], state["legal"]) == ("over", None, [])
    assert state["deal"] == [50, 170, 0, 0]
    assert state["scores"] == [before + now for before, now in zip(match, [50, 170, 0, 0], strict=True)]
    assert state["winner"] == winner
