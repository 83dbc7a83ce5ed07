"""What counts in Schieber Jass and when, by the naive referee and by the kernel."""

from itertools import pairwise
from typing import Any

import pytest
from deals import cards, find_hands
from kernel import JASS, JassKernel
from reference import IllegalError
from reference.jass import CONTRACTS, PACK, JassReferee
from trickbot.ext.jass import card_cells

ONE_SUIT_EACH = [[suit + rank for rank in "AKOUB9876"] for suit in "rabs"]
TOP_DOWN = [suit + rank for rank in "AKOUB9876" for suit in "rabs"]  # seat 0 leads and wins every trick

# ----------------------------------------------------------------------------------------------- Weis

MELDS = [
    # rules, contract, hand, melds (the strongest first)
    ("cardavia", "roses", "rA,rK,r9,aO,aU,a8,b6,s7,s8", ""),
    ("cardavia", "roses", "rA,rK,rO,aO,aU,a8,b6,s7,s8", "rA,rK,rO"),
    ("cardavia", "roses", "rU,rB,r9,r8,aU,a8,b6,s7,s8", "rU,rB,r9,r8"),
    ("cardavia", "roses", "rU,rB,r9,r8,r7,a8,b6,s7,sA", "rU,rB,r9,r8,r7"),
    ("cardavia", "roses", "rU,rB,r9,r8,r7,r6,b6,s7,sA", "rU,rB,r9,r8,r7,r6"),
    ("cardavia", "roses", "rO,rU,rB,r9,r8,r7,r6,s7,sA", "rO,rU,rB,r9,r8,r7,r6"),
    # runs use the plain order in trumps too: U 9 A are not adjacent
    ("cardavia", "roses", "rU,r9,rA,a6,a7,aK,b6,b9,s7", ""),
    # a run is split where that is worth more: of eight cards 100 + 20, of nine 100 + 50
    ("cardavia", "roses", "aA,aK,aO,aU,aB,a9,a8,a7,s6", "aA,aK,aO,aU,aB a9,a8,a7"),
    ("cardavia", "undenufe", "aA,aK,aO,aU,aB,a9,a8,a7,s6", "aB,a9,a8,a7,aU aA,aK,aO"),
    ("cardavia", "roses", "aA,aK,aO,aU,aB,a9,a8,a7,a6", "aA,aK,aO,aU,aB a9,a8,a7,a6"),
    ("cardavia", "undenufe", "aA,aK,aO,aU,aB,a9,a8,a7,a6", "aB,a9,a8,a7,a6 aA,aK,aO,aU"),
    # quartets
    ("cardavia", "roses", "rA,aA,bA,sA,r6,r8,a6,b7,s8", "rA,aA,bA,sA"),
    ("cardavia", "roses", "rB,aB,bB,sB,r6,r8,a6,b7,s8", "rB,aB,bB,sB"),
    ("cardavia", "roses", "rU,aU,bU,sU,r6,r8,a6,b7,s8", "rU,aU,bU,sU"),
    ("cardavia", "roses", "r9,a9,b9,s9,rA,rO,a6,b7,sU", ""),
    ("cardavia", "roses", "r8,a8,b8,s8,rA,rO,a6,bO,sU", ""),
    ("cardavia", "roses", "rA,aA,bA,sA,rO,aO,bO,sO,r6", "rA,aA,bA,sA rO,aO,bO,sO"),
    ("cardavia", "undenufe", "rA,aA,bA,sA,rO,aO,bO,sO,r6", "rO,aO,bO,sO rA,aA,bA,sA"),
    # a card belongs to one meld: runs are cut for a quartet where that is worth more
    ("cardavia", "obenabe", "rU,aU,bU,sU,sA,sK,sO,r6,a8", "rU,aU,bU,sU sA,sK,sO"),
    ("cardavia", "obenabe", "rU,aU,bU,sU,sK,sO,sB,r6,a8", "rU,aU,bU,sU"),
    ("cardavia", "roses", "rB,aB,bB,sB,rA,rK,rO,rU,s6", "rB,aB,bB,sB rA,rK,rO,rU"),
    ("cardavia", "roses", "rB,aB,bB,sB,rO,rU,r9,r8,r7", "rB,aB,bB,sB r9,r8,r7"),
    # a run of seven and a quartet through its third card: 100 + 50 beats 100
    ("cardavia", "roses", "rO,aO,bO,sO,rA,rK,rU,rB,r9", "rO,aO,bO,sO rU,rB,r9"),
    # swisslos: longer runs, more quartets, a card in a run and in a quartet
    ("swisslos", "obenabe", "rU,aU,bU,sU,sA,sK,sO,r6,a8", "rU,aU,bU,sU sA,sK,sO,sU"),
    ("swisslos", "roses", "r9,a9,b9,s9,rA,rO,a6,b7,sU", "r9,a9,b9,s9"),
    ("swisslos", "roses", "r6,a6,b6,s6,rA,rO,aA,b9,sU", "r6,a6,b6,s6"),
    ("swisslos", "roses", "aA,aK,aO,aU,aB,a9,a8,a7,a6", "aA,aK,aO,aU,aB,a9,a8,a7,a6"),
    ("swisslos", "roses", "aA,aK,aO,aU,aB,a9,a8,a7,s6", "aA,aK,aO,aU,aB,a9,a8,a7"),
]


def total_of(melds: list[list[str]], rules: str) -> int:
    long = {3: 20, 4: 50, 5: 100} | ({6: 150, 7: 200, 8: 250, 9: 300} if rules == "swisslos" else {})
    four = {"U": 200, "9": 150}
    return sum(
        long.get(len(meld), 100) if len({card[0] for card in meld}) == 1 else four.get(meld[0][1], 100)
        for meld in melds
    )


@pytest.mark.parametrize(("rules", "contract", "hand", "wanted"), MELDS)
def test_melds_of_a_hand(table: Any, rules: str, contract: str, hand: str, wanted: str) -> None:
    def others_have_none(hands: list[list[str]]) -> bool:
        referee = JassReferee(hands, 0, rules=rules)
        referee.play(contract)
        return not any(referee.melds(seat) for seat in (1, 2, 3))

    deal = table(find_hands(PACK, {0: cards(hand)}, others_have_none), 0, rules=rules)
    deal.play(contract)
    told = deal.state()["weis"]
    melds = [sorted(cards(meld)) for meld in wanted.split()]
    assert [sorted(meld) for meld in told[0]["melds"]] == melds
    for _ in range(4):
        deal.play(deal.legal()[0])
    state = deal.state()
    assert state["weis_team"] == (0 if melds else None)
    won = [trick["points"] for trick in state["tricks"] if trick["winner"] % 2 == 0]
    assert state["deal"][0] == (total_of(melds, rules) + sum(won)) * state["multiplier"]


COMPARISONS = [
    # contract, melds of seats 0-3 (forehand 0), the seats whose melds count
    ("roses", ["aA,aK,aO", "bU,bB,b9,b8", "", ""], {1}),  # points
    ("roses", ["aK,aO,aU,aB,a9", "rA,bA,sA,aA", "", ""], {1}),  # type: a quartet over a run of equal points
    ("roses", ["rK,rO,rU,rB,r9,r8", "sA,aA,bA,rA", "", ""], {1}),  # also over a longer run of trumps
    ("roses", ["aK,aO,aU,aB,a9", "bO,bU,bB,b9,b8,b7", "", ""], {1}),  # length
    ("roses", ["aK,aO,aU", "bA,bK,bO", "", ""], {1}),  # rank of the top card
    ("undenufe", ["aA,aK,aO", "bK,bO,bU", "", ""], {1}),  # reversed
    ("undenufe", ["aA,aK,aO,aU", "b9,b8,b7", "", ""], {0}),  # but not the points
    ("undenufe", ["aA,aK,aO,aU,aB,a9", "b9,b8,b7,b6,bB", "", ""], {0}),  # nor the length
    ("roses", ["rK,aK,bK,sK", "rA,aA,bA,sA", "", ""], {1}),  # rank of quartets A K O B
    ("roses", ["rB,aB,bB,sB", "rO,aO,bO,sO", "", ""], {1}),
    ("undenufe", ["rB,aB,bB,sB", "rO,aO,bO,sO", "", ""], {0}),
    ("undenufe", ["rA,aA,bA,sA", "rK,aK,bK,sK", "", ""], {1}),
    ("roses", ["rU,aU,bU,sU", "rA,aA,bA,sA", "", ""], {0}),  # points before rank
    ("bells", ["aA,aK,aO", "bA,bK,bO", "", ""], {1}),  # a run of trumps
    ("acorns", ["aA,aK,aO", "bA,bK,bO", "", ""], {0}),
    ("roses", ["aA,aK,aO", "bA,bK,bO", "", ""], {0}),  # who plays earlier
    ("roses", ["", "aA,aK,aO", "bA,bK,bO", "sA,sK,sO"], {1, 3}),
    ("obenabe", ["r8,r7,r6", "aA,aK,aO", "", "sA,sK,sO"], {1, 3}),  # the partner's melds count too
    ("obenabe", ["r8,r7,r6", "aA,aK,aO", "sU,sB,s9,s8", ""], {0, 2}),
    ("obenabe", ["", "", "", ""], set()),
]


@pytest.mark.parametrize(("contract", "melds", "counting"), COMPARISONS)
def test_comparison_of_melds(table: Any, contract: str, melds: list[str], counting: set[int]) -> None:
    wanted = [[sorted(cards(meld))] if meld else [] for meld in melds]

    def as_wanted(hands: list[list[str]]) -> bool:
        referee = JassReferee(hands, 0)
        referee.play(contract)
        return all([sorted(meld) for meld in referee.melds(seat)] == wanted[seat] for seat in range(4))

    given = {seat: cards(meld) for seat, meld in enumerate(melds)}
    deal = table(find_hands(PACK, given, as_wanted), 0)
    deal.play(contract)
    for _ in range(4):
        assert deal.state()["weis_team"] is None, "melds are scored after trick 1"
        assert deal.state()["deal"] == [0, 0]
        deal.play(deal.legal()[0])
    state = deal.state()
    team = {seat % 2 for seat in counting}
    assert state["weis_team"] == (team.pop() if team else None)
    points = [0, 0]
    for seat in counting:
        points[seat % 2] += total_of(wanted[seat], "cardavia")
    for trick in state["tricks"]:
        points[trick["winner"] % 2] += trick["points"]
    assert state["deal"] == [each * state["multiplier"] for each in points]


# ------------------------------------------------------------------------------- the dearest cards

DEAREST: dict[str, Any] = {
    "undenufe_ace": 99,
    "undenufe_six": 99,
    "last_trick": 1000,
    "match_bonus": 1000,
    "multipliers": dict.fromkeys(CONTRACTS, 100),
    "target": 1_000_000,
}


def test_the_dearest_cards_are_counted(table: Any) -> None:
    deal = table(ONE_SUIT_EACH, 0, rules="hsl", **DEAREST)
    for token in ["undenufe", *TOP_DOWN]:
        deal.play(token)
    state = deal.state()
    assert [trick["points"] for trick in state["tricks"]] == [396, 16, 12, 8, 40, 0, 32, 0, 1396]
    assert state["deal"] == [100 * (900 + 1000 + 1000), 0]


def test_the_dearest_cards_in_the_search() -> None:
    """Playouts count them, and they are a cell of the play model like other dear cards."""
    dear, plain = (JassKernel(ONE_SUIT_EACH, 0, rules="hsl", **fields) for fields in (DEAREST, {}))
    for deal in (dear, plain):
        deal.play("undenufe")
    for made in dear.playouts(200, 1):
        assert sum(made) == 100 * (900 + 1000) + 100 * 1000 * (0 in made)
    trump = JassKernel(ONE_SUIT_EACH, 0)
    trump.play("roses")
    of_nine, of_under = (card_cells(trump.deal)[JASS.id[card], 8] % 6 for card in ("r9", "rU"))
    for card in ("rA", "r6"):
        assert card_cells(dear.deal)[JASS.id[card], 8] % 6 == of_nine == of_under
    others = [JASS.id[card] for card in ("rK", "r9", "r8")]
    assert (card_cells(dear.deal)[others] == card_cells(plain.deal)[others]).all()


# ---------------------------------------------------------------------------------------------- Stöck


def after_each_card(table: Any, contract: str, rules: str = "cardavia", **more: Any) -> list[dict[str, Any]]:
    deal = table(ONE_SUIT_EACH, 0, rules=rules, **more)
    deal.play(contract)
    states = [deal.state()]
    for card in TOP_DOWN:
        deal.play(card)
        states.append(deal.state())
    return states


@pytest.mark.parametrize(("contract", "factor"), [("roses", 1), ("bells", 2)])
def test_stoeck_counts_with_the_second_card_at_once(table: Any, contract: str, factor: int) -> None:
    """Seat 0 leads roses throughout; in bells seat 2 trumps each trick with the same rank."""
    deal = table(ONE_SUIT_EACH, 0)
    deal.play(contract)
    holder = 0 if contract == "roses" else 2
    before = 0
    for number, rank in enumerate("AKOUB9876"):
        leader = deal.state()["to_move"]
        for place in range(4):
            seat = (leader + place) % 4
            before = deal.state()["deal"][0]
            deal.play("rabs"[seat] + rank)
            if rank == "O" and seat == holder:
                assert deal.state()["stoeck"] == holder
                assert deal.state()["deal"][0] == before + 20 * factor, "before the trick is finished"
            elif number < 2:
                assert deal.state()["stoeck"] is None


@pytest.mark.parametrize("contract", ["obenabe", "undenufe"])
def test_no_stoeck_without_trumps(table: Any, contract: str) -> None:
    deal = table(ONE_SUIT_EACH, 0, match=(2990, 0), target=9000)
    deal.play(contract)
    for card in TOP_DOWN:
        deal.play(card)
    assert deal.state()["stoeck"] is None


def test_no_stoeck_for_a_king_and_an_ober_of_two_hands(table: Any) -> None:
    hands = [list(hand) for hand in ONE_SUIT_EACH]
    hands[0].remove("rO")
    hands[1].remove("aO")
    hands[0].append("aO")
    hands[1].append("rO")
    deal = table(hands, 0)
    for token in ["roses", "rK", "rO", "bA", "sA"]:
        deal.play(token)
    assert deal.state()["stoeck"] is None


def test_king_and_ober_may_belong_to_melds_and_count_whoever_wins_the_weis(table: Any) -> None:
    """Roses: seat 0 melds A K O of trumps and has Stöck; seat 1's four Under win the Weis."""
    given = {0: cards("rA,rK,rO"), 1: cards("rU,aU,bU,sU")}

    def others_have_none(hands: list[list[str]]) -> bool:
        referee = JassReferee(hands, 0)
        referee.play("roses")
        return [len(referee.melds(seat)) for seat in range(4)] == [1, 1, 0, 0]

    hands = find_hands(PACK, given, others_have_none)
    deal = table(hands, 0)
    for token in ["roses", "rK"]:
        deal.play(token)
    while len(deal.state()["tricks"]) < 1:
        deal.play(deal.legal()[0])
    assert deal.state()["weis_team"] == 1
    while deal.state()["phase"] == "play":
        seat = deal.state()["to_move"]
        legal = deal.legal()
        deal.play("rO" if "rO" in legal else legal[0])
        if seat == 0 and "rO" not in deal.state()["hands"][0]:
            break
    state = deal.state()
    assert state["stoeck"] == 0
    in_tricks = sum(trick["points"] for trick in state["tricks"] if trick["winner"] % 2 == 0)
    assert state["deal"][0] == in_tricks + 20


# ------------------------------------------------------------------------------------ end of the match

LIVE = [
    # one suit each, forehand 0, roses, each trick one rank from the ace down: team 0 gets all.
    # Stöck 20, Weis 2 x 150, trick 1: 44
    # match totals, cards played, deal points, Stöck scored by, Weis scored by, winner
    ((2980, 0), 4, ([20, 0], 0, None, 0)),  # (a) the Stöck alone is enough: the Weis does not count any more
    ((2979, 0), 4, ([300, 0], None, 0, 0)),  # (b) the Weis, the Stöck not needed
    ((2700, 0), 4, ([300, 0], None, 0, 0)),  # exactly 3000
    ((2699, 0), 4, ([320, 0], 0, 0, 0)),  # the Weis, then the Stöck early
    ((2680, 0), 4, ([320, 0], 0, 0, 0)),
    ((2679, 0), 4, ([344, 0], None, 0, 0)),  # (c) the trick
    ((2656, 0), 4, ([344, 0], None, 0, 0)),
    ((2655, 0), 4, ([364, 0], 0, 0, 0)),  # the trick, then the Stöck early
    ((2636, 0), 4, ([364, 0], 0, 0, 0)),
    # trick 2 has 16 (K): 360 without the Stöck
    ((2635, 0), 8, ([380, 0], 0, 0, 0)),
    ((2620, 0), 8, ([380, 0], 0, 0, 0)),
    ((2619, 0), 12, ([392, 0], 0, 0, 0)),  # Stöck with its second card, 2999, then trick 3
    # trick 3: 12 (O), 4: 26 (U), 5: 40 (B), 6: 14 (9), 7-9: 0, last trick 5
    ((2608, 0), 12, ([392, 0], 0, 0, 0)),
    ((2607, 0), 16, ([418, 0], 0, 0, 0)),
    ((2542, 0), 20, ([458, 0], 0, 0, 0)),
    ((2541, 0), 24, ([472, 0], 0, 0, 0)),
    ((2528, 0), 24, ([472, 0], 0, 0, 0)),
    (
        (2527, 0),
        36,
        ([477, 0], 0, 0, 0),
    ),  # the ninth trick and its 5: the match bonus does not count any more
    ((2523, 0), 36, ([477, 0], 0, 0, 0)),
    ((2522, 0), 36, ([577, 0], 0, 0, 0)),  # the match bonus
    ((2423, 0), 36, ([577, 0], 0, 0, 0)),
    ((2422, 2999), 36, ([577, 0], 0, 0, None)),
]


@pytest.mark.parametrize(("match", "n_cards", "wanted"), LIVE)
def test_points_count_live(table: Any, match: tuple[int, int], n_cards: int, wanted: tuple[Any, ...]) -> None:
    deal = table(ONE_SUIT_EACH, 0, match=match)
    deal.play("roses")
    for card in TOP_DOWN[:n_cards]:
        assert deal.state()["phase"] == "play"
        assert deal.state()["winner"] is None
        deal.play(card)
    state = deal.state()
    assert state["phase"] == "over"
    assert state["to_move"] is None
    assert state["legal"] == []
    assert (state["deal"], state["stoeck"], state["weis_team"], state["winner"]) == wanted
    assert state["scores"] == [match[0] + state["deal"][0], match[1]]
    with pytest.raises(IllegalError):
        deal.play(TOP_DOWN[n_cards % 36])


OTHERS_FIRST = [
    # roses led, acorns trump: seat 1 holds the Stöck and the strongest run; team 1 gets all
    ((2999, 2980), ([0, 20], 1, None, 1)),  # a Stöck comes before everything
    ((2999, 2979), ([0, 300], None, 1, 1)),
    ((2999, 2699), ([0, 320], 1, 1, 1)),
    ((2999, 2655), ([0, 364], 1, 1, 1)),
    ((2980, 2635), ([0, 344], None, 1, None)),
]


@pytest.mark.parametrize(("match", "wanted"), OTHERS_FIRST)
def test_order_of_the_additions_of_both_teams(
    table: Any, match: tuple[int, int], wanted: tuple[Any, ...]
) -> None:
    deal = table(ONE_SUIT_EACH, 0, match=match)
    for token in ["acorns", "rA", "aA", "bA", "sA"]:
        deal.play(token)
    state = deal.state()
    assert (state["deal"], state["stoeck"], state["weis_team"], state["winner"]) == wanted


def test_stoeck_of_one_team_before_the_weis_of_the_other(table: Any) -> None:
    """Forehand's team has the Weis (four Under), the others the Stöck: with both enough, the Stöck wins."""
    given = {0: cards("rU,aU,bU,sU"), 1: cards("rK,rO")}
    hands = find_hands(PACK, given, lambda _: True)
    for match, winner, stoeck in [((2900, 2980), 1, 1), ((2900, 2979), 0, None), ((2700, 2980), 1, 1)]:
        deal = table(hands, 0, match=match)
        deal.play("roses")
        for _ in range(4):
            deal.play(deal.legal()[0])
        assert (deal.state()["winner"], deal.state()["stoeck"]) == (winner, stoeck)


@pytest.mark.parametrize(
    ("contract", "match", "points"), [("bells", (2960, 0), [40, 0]), ("bells", (2959, 0), [600, 0])]
)
def test_early_stoeck_is_multiplied(
    table: Any, contract: str, match: tuple[int, int], points: list[int]
) -> None:
    deal = table(ONE_SUIT_EACH, 0, match=match)
    for token in [contract, "rA", "aA", "bA", "sA"]:
        deal.play(token)
    assert deal.state()["deal"] == points


@pytest.mark.parametrize(
    ("loser", "rules", "fields", "schneider"),
    [
        (1499, "cardavia", {}, True),
        (1500, "cardavia", {}, False),
        (0, "cardavia", {}, True),
        (499, "swisslos", {}, True),
        (500, "swisslos", {}, False),
        (1249, "cardavia", {"target": 2500}, True),
        (1250, "cardavia", {"target": 2500}, False),
    ],
)
def test_schneider_is_under_half_the_target(
    table: Any, loser: int, rules: str, fields: dict[str, int], schneider: bool
) -> None:
    target = fields.get("target", 1000 if rules == "swisslos" else 3000)
    deal = table(ONE_SUIT_EACH, 0, match=(target - 1, loser), rules=rules, **fields)
    for token in ["obenabe", "rA", "aA", "bA", "sA"]:
        assert deal.state()["schneider"] is False
        deal.play(token)
    assert deal.state()["winner"] == 0
    assert deal.state()["schneider"] is schneider


# --------------------------------------------------------------------------------- last trick and presets


@pytest.mark.parametrize(
    ("rules", "fields", "points"),
    [
        ("cardavia", {"target": 0}, [157 + 300 + 20 + 100, 0]),
        ("swisslos", {"target": 0}, [157 + 600 + 20 + 100, 0]),
        ("hsl", {}, [157, 0]),
        ("cardavia", {"target": 0, "match_bonus": 0}, [157 + 300 + 20, 0]),
        ("cardavia", {"target": 0, "stoeck": 0}, [157 + 300 + 100, 0]),
        ("cardavia", {"target": 0, "weis": False}, [157 + 20 + 100, 0]),
        ("hsl", {"weis": True}, [157 + 600, 0]),
    ],
)
def test_a_whole_deal(table: Any, rules: str, fields: dict[str, Any], points: list[int]) -> None:
    states = after_each_card(table, "roses", rules, **fields)
    last = states[-1]
    assert (last["phase"], last["winner"], last["schneider"]) == ("over", None, False)
    assert last["deal"] == points
    assert [trick["points"] for trick in last["tricks"]] == [44, 16, 12, 26, 40, 14, 0, 0, 5]
    for one, other in pairwise(states):
        assert all(before <= after for before, after in zip(one["deal"], other["deal"], strict=True))


def test_no_match_bonus_when_the_others_made_a_trick(table: Any) -> None:
    hands = [list(hand) for hand in ONE_SUIT_EACH]
    hands[0].remove("r6")
    hands[3].remove("s6")
    hands[0].append("s6")
    hands[3].append("r6")
    deal = table(hands, 0, rules="cardavia", target=0, weis=False, stoeck=0)
    deal.play("obenabe")
    while deal.state()["phase"] == "play":
        seat = deal.state()["to_move"]
        legal = deal.legal()
        late = "s6" if seat == 0 else "r6"
        deal.play(next((card for card in legal if card != late), late))
    points = deal.state()["deal"]
    assert sum(points) == 157 * 3
    assert min(points) > 0


def test_scores_before_the_deal_count(table: Any) -> None:
    deal = table(ONE_SUIT_EACH, 0, match=(12, 34))
    assert deal.state()["scores"] == [12, 34]
    assert deal.state()["deal"] == [0, 0]
