"""Plain minimax on endings of Jass with all hands open, written from the rules text alone.

Cards are two letters, suit and rank: ``rU``. Nothing clever: every legal card is tried; only whole
positions between two tricks are remembered, so that endings of five tricks end in a second.
"""

from collections.abc import Sequence

SUITS = "rabs"
RANKS = "6789BUOKA"
CONTRACTS = ("roses", "acorns", "bells", "shields", "obenabe", "undenufe")

Hand = frozenset[str]
Score = tuple[int, int]

PLAIN_VALUES = {"A": 11, "K": 4, "O": 3, "U": 2, "B": 10}
TRUMP_VALUES = {"U": 20, "9": 14, "A": 11, "K": 4, "O": 3, "B": 10}
TRUMP_ORDER = "6789BUOKA".replace("U", "").replace("9", "") + "9U"


def winning(trick: Sequence[str], trump: str, contract: str) -> int:
    """The place in the trick (0 to 3) of the card that wins it so far."""
    trumps = [card for card in trick if card[0] == trump]
    if trumps:
        return trick.index(max(trumps, key=lambda card: TRUMP_ORDER.index(card[1])))
    followers = [card for card in trick if card[0] == trick[0][0]]
    if contract == "undenufe":
        return trick.index(min(followers, key=lambda card: RANKS.index(card[1])))
    return trick.index(max(followers, key=lambda card: RANKS.index(card[1])))


def allowed(hand: Hand, trick: Sequence[str], trump: str) -> list[str]:
    """The cards of the hand that may be played to the trick."""
    if not trick:
        return sorted(hand)
    led = trick[0][0]
    follow = [card for card in hand if card[0] == led]
    if led == trump:
        if not follow or follow == [trump + "U"]:
            return sorted(hand)
        return sorted(follow)
    may = []
    trumps_there = [TRUMP_ORDER.index(card[1]) for card in trick if card[0] == trump]
    only_trumps = all(card[0] == trump for card in hand)
    for card in sorted(hand):
        if card[0] == trump:
            under = bool(trumps_there) and TRUMP_ORDER.index(card[1]) < max(trumps_there)
            if not under or only_trumps:
                may.append(card)
        elif not follow or card[0] == led:
            may.append(card)
    return may


class Ending:
    """An ending under one contract. Scores are what is still to come, by team, unmultiplied.

    ``match_bonus`` 0 is the plain count; ``ace`` and ``six`` are those cards' values in undenufe.
    """

    def __init__(
        self, contract: str, *, match_bonus: int = 100, last: int = 5, ace: int = 11, six: int = 0
    ) -> None:
        self.contract = contract
        self.trump = contract[0] if contract in CONTRACTS[:4] else ""
        self.match_bonus = match_bonus
        self.last = last
        self.values = {}
        for suit in SUITS:
            for rank in RANKS:
                value = (TRUMP_VALUES if suit == self.trump else PLAIN_VALUES).get(rank, 0)
                if not self.trump and rank == "8":
                    value = 8
                if contract == "undenufe" and rank in "A6":
                    value = ace if rank == "A" else six
                self.values[suit + rank] = value
        self.known: dict[tuple[tuple[Hand, ...], int, frozenset[int]], Score] = {}

    def moves(
        self, hands: Sequence[Hand], leader: int, trick: Sequence[str], sweepers: frozenset[int]
    ) -> dict[str, Score]:
        """The score after each legal card. ``sweepers``: the teams that have won every trick so far."""
        seat = (leader + len(trick)) % 4
        result = {}
        for card in allowed(hands[seat], trick, self.trump):
            after = list(hands)
            after[seat] = hands[seat] - {card}
            played = [*trick, card]
            if len(played) < 4:
                result[card] = self.score(after, leader, played, sweepers)
                continue
            winner = (leader + winning(played, self.trump, self.contract)) % 4
            team = winner % 2
            gain = [0, 0]
            gain[team] = sum(self.values[each] for each in played)
            still = sweepers & {team}
            if any(after):
                rest = self.score(after, winner, (), still)
            else:
                gain[team] += self.last
                if still:
                    gain[team] += self.match_bonus
                rest = (0, 0)
            result[card] = (gain[0] + rest[0], gain[1] + rest[1])
        return result

    def score(
        self, hands: Sequence[Hand], leader: int, trick: Sequence[str], sweepers: frozenset[int]
    ) -> Score:
        """The score with best play by all four, each team after the greatest difference."""
        key = (tuple(hands), leader, sweepers)
        if not trick and key in self.known:
            return self.known[key]
        seat = (leader + len(trick)) % 4
        scores = self.moves(hands, leader, trick, sweepers).values()
        best = (max if seat % 2 == 0 else min)(scores, key=lambda score: score[0] - score[1])
        if not trick:
            self.known[key] = best
        return best
