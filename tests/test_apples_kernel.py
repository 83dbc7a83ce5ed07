"""The kernel of Apples against the case files, the naive referee and enumeration."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from reference.apples import PACK, ApplesReferee, score
from trickbot.ext.apples import ApplesDeal, ApplesRules, perft, playouts, random_deal

RULES = ApplesRules()
PASS = 13
AUCTION, GIVE, PILE, TARGET, PLAY, OVER, REDEAL = 1, 2, 3, 4, 5, 6, 7
CASES = [
    case
    for path in sorted((Path(__file__).parent / "data" / "cases").glob("*.jsonl"))
    for case in map(json.loads, path.read_text().splitlines())
    if case["position"].startswith("position apples")
]


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=f"{case['id']}: {case['note']}") for case in cases]


class Refused(Exception):  # noqa: N818
    def __init__(self, code: str, index: int | None = None) -> None:
        super().__init__(code, index)
        self.code, self.index = code, index


def card_id(text: str) -> int:
    return 16 * "cdhs".index(text[0]) + "23456789TJQKA".index(text[1])


def mask(text: str) -> int:
    return sum(1 << card_id(card) for card in text.split(","))


def cards(mask: int) -> list[str]:
    return sorted("cdhs"[i >> 4] + "23456789TJQKA"[i & 15] for i in range(64) if mask >> i & 1)


def move_id(deal: ApplesDeal, token: str) -> int:
    if token == "pass":
        return PASS
    if deal.phase == AUCTION:
        return 16 * "cdhs".index(token[-1]) + int(token[:-1]) - 1
    return card_id(token.removeprefix("target="))


def play_token(deal: ApplesDeal, token: str) -> None:
    """One word of `moves`; ValueError or IndexError where it does not fit."""
    word, equals, rest = token.partition("=")
    if equals and word in ("pile", "targets"):
        parts = rest.split("|")
        if word == "pile":
            deal.pile([None if part == "?" else mask(part) for part in parts])
        else:
            deal.turn_up([None if part == "?" else card_id(part) for part in parts])
    elif word == "give" and rest == "?":
        deal.give_hidden()
    elif word == "target" and rest == "?":
        deal.target_hidden()
    elif word == "give":
        seat = deal.to_move
        given = rest.split(",")
        if deal.phase != GIVE or deal.bid is None or len(given) != deal.bid[0]:
            raise ValueError(token)
        for card in given:
            if deal.to_move != seat:
                raise ValueError(token)
            deal.apply(card_id(card))
    else:
        if (word == "target") != (deal.phase == TARGET):
            raise ValueError(token)
        deal.apply(move_id(deal, token))


def set_up(position: str) -> ApplesDeal:
    words = position.split()
    assert words[:2] == ["position", "apples"]
    at = {word: i for i, word in enumerate(words) if word in ("match", "first", "hands", "moves")}
    match = [int(word) for word in words[at["match"] + 1 : at["first"]]] if "match" in at else [0] * 4
    try:
        hands = [None if word == "?" else mask(word) for word in words[at["hands"] + 1 : at["hands"] + 5]]
        deal = ApplesDeal(RULES, int(words[at["first"] + 1]), match, hands)
    except ValueError as wrong:
        raise Refused("bad-position") from wrong
    for index, token in enumerate(words[at["moves"] + 1 :] if "moves" in at else []):
        seat = deal.to_move
        try:
            play_token(deal, token)
        except ValueError as wrong:
            unknown = seat >= 0 and not deal.known >> seat & 1
            raise Refused("bad-position" if unknown else "illegal-move", index) from wrong
    if not deal.consistent():
        raise Refused("bad-position")
    return deal


def legal_of(deal: ApplesDeal) -> Any:
    legal = deal.legal()
    if deal.phase == GIVE and legal:
        assert deal.bid is not None
        return {"give": deal.bid[0], "from": cards(legal)}
    if deal.phase == AUCTION:
        return sorted(
            ["pass"]
            + [f"{n}{s}" for n in range(1, 14) for s in "cdhs" if legal >> move_id(deal, f"{n}{s}") & 1]
        )
    return [("target=" if deal.phase == TARGET else "") + card for card in cards(legal)]


def state_of(deal: ApplesDeal) -> dict[str, Any]:
    """The keys of the protocol's `state`, from the deal's own attributes."""
    names = {AUCTION: "auction", GIVE: "give", PILE: "give", TARGET: "target", PLAY: "play", OVER: "over"}
    hands = [deal.hand(seat) for seat in range(4)]
    mover_known = deal.to_move < 0 or deal.known >> deal.to_move & 1
    return {
        "phase": names.get(deal.phase, "redeal"),
        "to_move": deal.to_move if deal.to_move >= 0 else None,
        "side": deal.to_move if deal.to_move >= 0 else None,
        "first": deal.first,
        "hands": [None if hand is None else cards(hand) for hand in hands],
        "trick": {"leader": deal.trick_leader, "cards": [cards(1 << card)[0] for card in deal.trick]},
        "tricks": [
            {"leader": leader, "cards": [cards(1 << c)[0] for c in trick], "winner": winner, "points": points}
            for leader, trick, winner, points in deal.tricks
        ],
        "scores": list(deal.scores),
        "deal": list(deal.points),
        "legal": legal_of(deal) if mover_known else None,
        "winner": deal.winner if deal.winner >= 0 else None,
        "bid": f"{deal.bid[0]}{'cdhs'[deal.bid[1]]}" if deal.bid else None,
        "bidder": deal.bidder if deal.bidder >= 0 else None,
        "trump": "cdhs"[deal.trump] if deal.trump >= 0 else None,
        "targets": [None if target is None else cards(1 << target)[0] for target in deal.targets],
        "piles": [cards(pile) for pile in deal.piles],
    }


def comparable(key: str, value: Any) -> Any:
    if key == "legal":
        return (
            {**value, "from": sorted(value["from"])} if isinstance(value, dict) else value and sorted(value)
        )
    if key == "tricks":
        return [{name: part for name, part in trick.items() if name != "points"} for trick in value]
    if key in ("hands", "piles"):
        return [part if part is None else sorted(part) for part in value]
    return value


def check_state(deal: ApplesDeal, expected: dict[str, Any]) -> None:
    state = state_of(deal)
    for key, value in expected.items():
        if key != "game":
            assert comparable(key, state[key]) == comparable(key, value), key


@pytest.mark.parametrize("case", named([case for case in CASES if "error" not in case]))
def test_case(case: dict[str, Any]) -> None:
    deal = set_up(case["position"])
    check_state(deal, case.get("state", {}))
    if "legal" in case:
        assert comparable("legal", legal_of(deal)) == comparable("legal", case["legal"])
    if "legal_error" in case:
        with pytest.raises(ValueError, match="unknown"):
            deal.legal()
    for depth, number in case.get("perft", {}).items():
        assert perft(deal, int(depth)) == number


@pytest.mark.parametrize("case", named([case for case in CASES if "error" in case]))
def test_refused(case: dict[str, Any]) -> None:
    codes = [case["error"]] if isinstance(case["error"], str) else case["error"]
    if "bad-argument" in codes:
        pytest.skip("a word that no move id can name: the parser's matter")
    with pytest.raises(Refused) as refused:
        set_up(case["position"])
    assert refused.value.code in codes
    if refused.value.code == "illegal-move":
        assert refused.value.index == case["index"]


@pytest.mark.parametrize("seed", range(150))
def test_random_rounds_against_the_referee(seed: int) -> None:
    """At every decision the same legal moves and the same state, and every other move is refused."""
    rng = random.Random(seed)
    deck = list(PACK)
    rng.shuffle(deck)
    hands = [deck[13 * seat : 13 * seat + 13] for seat in range(4)]
    match = (rng.randint(-50, 240), 0, rng.randint(-50, 240), 17)
    referee = ApplesReferee(hands, seed % 4, match)
    deal = ApplesDeal(RULES, seed % 4, match, [mask(",".join(hand)) for hand in hands])
    eager = rng.random()
    while referee.phase not in ("over", "redeal"):
        check_state(deal, referee.state())
        assert deal.check()
        legal = referee.legal()
        if referee.to_move is None:
            token = referee.pile_token(rng.shuffle)
        elif isinstance(legal, dict):
            token = "give=" + ",".join(rng.sample(legal["from"], legal["give"]))
        elif referee.phase == "auction" and rng.random() > eager:
            token = "pass"
        else:
            token = rng.choice(legal)
        allowed = deal.legal()
        for move in range(-1, 65):
            assert (deal.why_illegal(move) is None) == (0 <= move < 64 and allowed >> move & 1 == 1)
        referee.play(token)
        play_token(deal, token)
    check_state(deal, referee.state())
    assert deal.legal() == 0
    assert deal.check()


def test_score_against_the_referee() -> None:
    """Every number of cards of every rank, as target and not, through rounds that end that way."""
    rng = random.Random(5)
    for _ in range(300):
        deal = random_deal(RULES, 0, rng.getrandbits(60))
        play_token(deal, "pass")
        while deal.to_move >= 0:
            moves = [i for i in range(64) if deal.legal() >> i & 1]
            deal.apply(rng.choice([move for move in moves if move != PASS]) if deal.bid is None else PASS)
            if deal.phase == GIVE:
                break
        while deal.phase != OVER:
            if deal.phase == PILE:
                pile = [i for i in range(64) if sum(give or 0 for give in deal.gives) >> i & 1]
                rng.shuffle(pile)
                n = len(pile) // 4
                deal.pile([sum(1 << card for card in pile[n * seat : n * seat + n]) for seat in range(4)])
            else:
                deal.apply(rng.choice([i for i in range(64) if deal.legal() >> i & 1]))
        for seat in range(4):
            target = deal.targets[seat]
            assert target is not None
            assert deal.points[seat] == score(cards(deal.piles[seat]), cards(1 << target)[0])


def test_playouts_have_the_mean_of_naive_random_play() -> None:
    case = next(case for case in CASES if case["id"] == "s-perft-0006")
    deal = set_up(case["position"])
    fast = playouts(deal, 40000, 1)
    rng = random.Random(1)
    slow = []
    for _ in range(1500):
        copy = deal.copy()
        while copy.phase == PLAY:
            copy.apply(rng.choice([i for i in range(64) if copy.legal() >> i & 1]))
        slow.append(copy.points)
    for seat in range(4):
        mean = sum(points[seat] for points in slow) / len(slow)
        sd = (sum((points[seat] - mean) ** 2 for points in slow) / len(slow)) ** 0.5
        assert abs(mean - fast[:, seat].mean()) < 4.5 * sd / len(slow) ** 0.5
        assert 0.9 < sd / fast[:, seat].std() < 1.1
