"""A naive referee of Apples: full deals, tokens, lists and sets; slow on purpose."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

from . import IllegalError

SUITS = "cdhs"
RANKS = "AKQJT98765432"  # high to low
PACK = [suit + rank for suit in SUITS for rank in RANKS]
AUCTION_ORDER = "dhcs"  # weakest first: clubs above hearts
VALUES = dict.fromkeys("2345", -15) | dict.fromkeys("6789", 5) | dict.fromkeys("TJQK", 10) | {"A": 15}


def normal(card: str) -> str:
    return card[0].lower() + card[1:].upper()


def card_list(text: str) -> list[str]:
    return [normal(card) for card in text.split(",") if card]


def bid_strength(bid: str) -> tuple[int, int]:
    return int(bid[:-1]), AUCTION_ORDER.index(bid[-1])


def score(pile: list[str], target: str) -> int:
    """The points of a round: the cards won, and the own target card."""
    total = 0
    for rank in RANKS:
        number = sum(card[1] == rank for card in [*pile, target])
        factor = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4}[number]
        if rank == target[1] and number >= 3:
            total += {3: 40, 4: 80}[number]
        else:
            total += factor * VALUES[rank]
    return total


class ApplesReferee:
    """One round from full hands: `play` tokens, ask `legal`, `state`, `perft`."""

    def __init__(
        self,
        hands: list[list[str]],
        first: int = 0,
        match: tuple[int, int, int, int] = (0, 0, 0, 0),
        rules: str = "apples",
        target: int = 250,
    ) -> None:
        assert rules == "apples"
        self.target = target
        self.first = first
        self.match = list(match)
        self.dealt = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.moves: list[str] = []
        self.calls: list[str] = []
        self.gives: list[list[str] | None] = [None] * 4
        self.got: list[list[str]] | None = None
        self.targets: list[str | None] = [None] * 4
        self.leader = first
        self.trick: list[str] = []
        self.tricks: list[dict[str, Any]] = []
        self.piles: list[list[str]] = [[], [], [], []]
        self.deal = [0, 0, 0, 0]

    # ---------------------------------------------------------------- the auction

    @property
    def bid(self) -> str | None:
        bids = [call for call in self.calls if call != "pass"]
        return bids[-1] if bids else None

    @property
    def bidder(self) -> int | None:
        if self.bid is None:
            return None
        return (self.first + self.calls.index(self.bid)) % 4

    @property
    def auction_is_over(self) -> bool:
        return self.bid is not None and self.calls[-3:] == ["pass"] * 3

    @property
    def n(self) -> int:
        """The number bid."""
        assert self.bid is not None
        return int(self.bid[:-1])

    @property
    def trump(self) -> str | None:
        return self.bid[-1] if self.bid and self.auction_is_over else None

    # ---------------------------------------------------------------- whose turn, what is legal

    @property
    def phase(self) -> str:
        if self.calls == ["pass"] * 4:
            return "redeal"
        if not self.auction_is_over:
            return "auction"
        if self.got is None:
            return "give"
        if None in self.targets:
            return "target"
        return "over" if len(self.tricks) == 12 else "play"

    @property
    def to_move(self) -> int | None:
        if self.phase == "auction":
            return (self.first + len(self.calls)) % 4
        if self.phase in ("give", "target"):
            assert self.bidder is not None
            done: list[Any] = self.gives if self.phase == "give" else self.targets
            for place in range(4):
                seat = (self.bidder + place) % 4
                if done[seat] is None:
                    return seat
            return None  # all gave: the pile is to be dealt back
        if self.phase == "play":
            return (self.leader + len(self.trick)) % 4
        return None

    def legal(self) -> Any:
        """Tokens; when cards are to be given: {"give": n, "from": cards}."""
        seat = self.to_move
        if seat is None:
            return []
        hand = self.hands[seat]
        if self.phase == "auction":
            bids = [
                f"{number}{suit}"
                for suit in SUITS
                for number in range(1, 14)
                if number <= sum(card[0] == suit for card in hand)
            ]
            if self.bid is not None:
                bids = [bid for bid in bids if bid_strength(bid) > bid_strength(self.bid)]
            return ["pass", *bids]
        if self.phase == "give":
            own = [card for card in hand if card[0] == self.trump] if seat == self.bidder else list(hand)
            return {"give": self.n, "from": own}
        if self.phase == "target":
            return ["target=" + card for card in hand]
        if self.trick:
            return [card for card in hand if card[0] == self.trick[0][0]] or list(hand)
        return list(hand)

    # ---------------------------------------------------------------- a move or an event

    def play(self, token: str) -> None:
        word, equals, rest = token.partition("=")
        word = word.lower() + equals
        seat = self.to_move
        if word == "give=" and self.phase == "give" and seat is not None:
            self._give(seat, card_list(rest))
        elif word == "pile=" and self.phase == "give" and seat is None:
            self._pile([card_list(part) for part in rest.split("|")])
        elif word == "targets=" and self.phase == "over":
            if rest.split("|") != self.targets:
                raise IllegalError(f"{token}: the targets are {self.targets}")
        else:
            move = word + normal(rest) if equals else (word if self.phase == "auction" else normal(word))
            if seat is None or self.phase == "give" or move not in self.legal():
                raise IllegalError(f"{token}: legal is {self.legal()}")
            if self.phase == "auction":
                self.calls.append(move)
                if self.auction_is_over:
                    assert self.bidder is not None
                    self.leader = self.bidder
            elif self.phase == "target":
                card = move.removeprefix("target=")
                self.hands[seat].remove(card)
                self.targets[seat] = card
            else:
                self._card(seat, move)
        self.moves.append(token)

    def _give(self, seat: int, cards: list[str]) -> None:
        legal = self.legal()
        if len(cards) != self.n or len(set(cards)) != self.n or not set(cards) <= set(legal["from"]):
            raise IllegalError(f"give={','.join(cards)}: legal is {self.n} of {legal['from']}")
        self.gives[seat] = cards
        self.hands[seat] = [card for card in self.hands[seat] if card not in cards]

    def _pile(self, parts: list[list[str]]) -> None:
        given = [card for cards in self.gives for card in cards or []]
        got = [card for part in parts for card in part]
        if [len(part) for part in parts] != [self.n] * 4 or sorted(got) != sorted(given):
            raise IllegalError(f"pile={parts}: the pile is {given}, {self.n} each")
        self.got = parts
        self.hands = [hand + part for hand, part in zip(self.hands, parts, strict=True)]

    def pile_token(self, shuffle: Callable[[list[str]], None]) -> str:
        """The event that deals the pile back, after a shuffle in place."""
        pile = [card for cards in self.gives for card in cards or []]
        shuffle(pile)
        return "pile=" + "|".join(",".join(pile[seat * self.n : (seat + 1) * self.n]) for seat in range(4))

    def _card(self, seat: int, card: str) -> None:
        self.hands[seat].remove(card)
        self.trick.append(card)
        if len(self.trick) == 4:
            suit = self.trump if any(card[0] == self.trump for card in self.trick) else self.trick[0][0]
            places = [place for place in range(4) if self.trick[place][0] == suit]
            best = min(places, key=lambda place: RANKS.index(self.trick[place][1]))
            winner = (self.leader + best) % 4
            self.tricks.append({"leader": self.leader, "cards": self.trick, "winner": winner, "points": None})
            self.piles[winner] += self.trick
            self.trick = []
            self.leader = winner
            if len(self.tricks) == 12:
                for each in range(4):
                    target = self.targets[each]
                    assert target is not None
                    self.deal[each] = score(self.piles[each], target)

    # ---------------------------------------------------------------- the whole

    @property
    def scores(self) -> list[int]:
        return [before + now for before, now in zip(self.match, self.deal, strict=True)]

    @property
    def winner(self) -> int | None:
        highest = max(self.scores)
        if self.phase != "over" or highest < self.target or self.scores.count(highest) > 1:
            return None
        return self.scores.index(highest)

    def state(self) -> dict[str, Any]:
        return {
            "game": "apples",
            "phase": self.phase,
            "to_move": self.to_move,
            "side": self.to_move,
            "first": self.first,
            "hands": [sorted(hand) for hand in self.hands],
            "trick": {"leader": self.leader, "cards": list(self.trick)},
            "tricks": [dict(trick) for trick in self.tricks],
            "scores": self.scores,
            "deal": list(self.deal),
            "legal": self.legal(),
            "winner": self.winner,
            "bid": self.bid,
            "bidder": self.bidder,
            "trump": self.trump,
            "targets": list(self.targets),
            "piles": [sorted(pile) for pile in self.piles],
        }

    def copy(self) -> "ApplesReferee":
        other = ApplesReferee.__new__(ApplesReferee)
        other.__dict__ |= self.__dict__
        other.hands = [list(hand) for hand in self.hands]
        other.moves = list(self.moves)
        other.calls = list(self.calls)
        other.gives = list(self.gives)
        other.targets = list(self.targets)
        other.trick = list(self.trick)
        other.tricks = list(self.tricks)
        other.piles = [list(pile) for pile in self.piles]
        other.deal = list(self.deal)
        return other

    def tokens(self) -> list[str]:
        """Legal moves as whole tokens, in the give phase every choice of cards."""
        legal = self.legal()
        if isinstance(legal, dict):
            return ["give=" + ",".join(cards) for cards in combinations(legal["from"], legal["give"])]
        return list(legal)

    def perft(self, depth: int) -> int:
        """The number of sequences of `depth` moves from here."""
        if depth <= 1:
            return len(self.tokens()) if depth == 1 else 1
        total = 0
        for move in self.tokens():
            after = self.copy()
            after.play(move)
            total += after.perft(depth - 1)
        return total
