"""The play model of Jass: what it looks at, against a naive reading of the same table; and that it never peeks."""

import random
from typing import Any

import pytest
from trickbot.ai.models import table
from trickbot.engine.rules import Rules
from trickbot.ext.jass import MODEL_CELLS, card_cells, card_chances, past_chances, random_deal

STRENGTH = {
    "trump": [0, 1, 2, 7, 3, 8, 4, 5, 6],
    "plain": list(range(9)),
    "undenufe": list(range(8, -1, -1)),
}
FEW = [0, 1, 2, 3, 3, 3, 3, 3, 3, 3]
SOME = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]


def cards_of(mask: int) -> set[tuple[int, int]]:
    return {(card >> 4, card & 15) for card in range(64) if mask >> card & 1}


class Table:
    """A deal as one who sits at the table writes it down."""

    def __init__(self, deal: Any) -> None:
        self.contract = deal.contract
        self.me = deal.to_move
        self.hand = cards_of(deal.hand(self.me))
        self.caller = (deal.declarer - self.me) % 4
        self.tricks = [(leader, [(c >> 4, c & 15) for c in cards]) for leader, cards, *_ in deal.tricks]
        self.trick = [(c >> 4, c & 15) for c in deal.trick]
        self.leader = deal.trick_leader
        self.values = deal.rules
        self.played: set[tuple[int, int]] = set()
        self.lacks: list[set[tuple[int, int]]] = [set(), set(), set(), set()]
        self.led = [set(), set(), set(), set()]
        self.shed = [set(), set(), set(), set()]
        for leader, cards in [*self.tricks, (self.leader, self.trick)]:
            for place, card in enumerate(cards):
                self._see((leader + place) % 4, card, cards[:place])
                self.played.add(card)
        everything = {(suit, rank) for suit in range(4) for rank in range(9)}
        self.out = everything - self.hand - self.played
        self.may = [self.out - self.lacks[(self.me + 1 + other) % 4] for other in range(3)]

    def _see(self, seat: int, card: tuple[int, int], before: list[tuple[int, int]]) -> None:
        trumps = {(self.contract, rank) for rank in range(9)} if self.contract < 4 else set()
        if not before:
            self.led[seat].add(card[0])
            return
        suit = before[0][0]
        if card[0] == suit:
            return
        if card not in trumps:
            self.shed[seat].add(card[0])
            self.lacks[seat] |= {(suit, rank) for rank in range(9) if (suit, rank) != (self.contract, 5)}
        elif not self.beats(card, self.best(before)):
            self.lacks[seat] |= {(s, r) for s in range(4) for r in range(9)} - trumps

    def strength(self, card: tuple[int, int]) -> int:
        kind = "trump" if card[0] == self.contract else "undenufe" if self.contract == 5 else "plain"
        return STRENGTH[kind][card[1]]

    def beats(self, card: tuple[int, int], other: tuple[int, int]) -> bool:
        if card[0] == other[0]:
            return self.strength(card) > self.strength(other)
        return card[0] == self.contract

    def best(self, cards: list[tuple[int, int]]) -> tuple[int, int]:
        best = cards[0]
        for card in cards[1:]:
            if self.beats(card, best):
                best = card
        return best

    def who(self, cards: set[tuple[int, int]]) -> int:
        return sum(1 << other for other in range(3) if self.may[other] & cards)

    def cells(self, card: tuple[int, int], value: dict[tuple[int, int], int]) -> list[int]:
        """The card's cell in each table, counted from the table's beginning."""
        suit, rank = card
        trumps = {c for c in self.out if c[0] == self.contract}
        n_trumps = sum(c[0] == self.contract for c in self.hand)
        stage = len(self.tricks) // 3
        plain = self.contract >= 4
        if not self.trick:
            kind, situation, wins, points, beaters = int(suit == self.contract), 0, True, 0, self.out
        else:
            best = self.best(self.trick)
            winner = (self.leader + self.trick.index(best)) % 4
            situation = 2 * len(self.trick) - 2 + (winner % 2 != self.me % 2)
            same = suit == self.trick[0][0]
            kind = 2 + (suit == self.contract) if same else 4 if suit == self.contract else 5
            wins = self.beats(card, best)
            made = sum(value[c] for c in self.trick)
            points = 0 if made < 5 else 1 if made < 11 else 2 if made < 21 else 3
            beaters = {c for c in self.out if self.beats(c, best)}
        here = {c for c in self.out if c[0] == suit}
        own = {c for c in self.hand if c[0] == suit}
        higher = {c for c in here if self.strength(c) > self.strength(card)}
        above, below = FEW[len(higher)], FEW[len(here - higher)]
        held = FEW[len(own) - 1]
        place = (not any(self.strength(c) > self.strength(card) for c in own)) + 2 * (
            not any(self.strength(c) < self.strength(card) for c in own)
        )
        like = {
            c for c in own - {card} if sum(self.strength(o) > self.strength(c) for o in here) == len(higher)
        }
        equals = any(self.strength(c) > self.strength(card) for c in like) + 2 * any(
            self.strength(c) < self.strength(card) for c in like
        )
        worth = value[card]
        worth = [worth >= 2, worth >= 7, worth >= 10, worth >= 11, worth >= 13].count(True)
        n_out = 0 if len(here) < 2 else 1 if len(here) < 4 else 2
        lengths = [sum(c[0] == s for c in self.hand) for s in range(4)]
        shorter = sum(0 < lengths[s] < len(own) for s in range(4) if s != self.contract)
        master = bool(own) and (not here or max(map(self.strength, own)) > max(map(self.strength, here)))
        partner, others = (self.me + 2) % 4, ((self.me + 1) % 4, (self.me + 3) % 4)
        history = (
            (suit in self.led[partner])
            + 2 * any(suit in self.led[seat] for seat in others)
            + 4 * (suit in self.shed[partner])
            + 8 * (suit in self.led[self.me])
        )
        n_trumps_out, n_trumps = SOME[len(trumps)], FEW[n_trumps]
        n_beaters = FEW[min(9, len(beaters))] if self.trick else 0
        at = (plain * 6 + situation) * 6 + kind
        return [
            ((at * 2 + wins) * 4 + above) * 6 + worth,
            (((at * 4 + n_beaters) * 4 + points) * 6 + worth) * 2 + wins,
            ((((kind * 4 + self.caller) * 4 + n_trumps_out) * 4 + n_trumps) * 3 + stage) * 4 + above,
            ((at * 3 + n_out) * 4 + n_trumps_out) * 4 + held,
            (((max(0, self.contract - 3) * 6 + kind) * 3 + stage) * 9 + rank) * 4 + equals,
            ((kind * 6 + situation) * 8 + self.who(beaters)) * 8 + self.who(higher),
            ((kind * 16 + history) * 8 + self.who(here)) * 4 + above,
            (((((plain * 6 + kind) * 4 + held) * 9 + len(self.tricks)) * 2 + (above == 0)) * 4 + below) * 4
            + place,
            ((((plain * 6 + kind) * 4 + shorter) * 2 + master) * 4 + held) * 6 + worth,
        ]


SIZES = [2 * 36 * 48, 2 * 36 * 192, 6 * 768, 2 * 36 * 48, 18 * 108, 36 * 64, 6 * 512, 12 * 1152, 12 * 192]


@pytest.mark.parametrize("preset", ["hsl", "cardavia"])
@pytest.mark.parametrize("contract", range(6))
def test_the_cells_are_what_a_player_sees(preset: str, contract: int) -> None:
    assert sum(SIZES) == MODEL_CELLS
    rules = Rules.parse("jass", preset)
    values = rules.kernel()
    n_seen = 0
    for seed in range(12):
        deal = random_deal(values, seed % 4, 97 * seed + contract)
        rng = random.Random(f"{preset} {contract} {seed}")
        if seed % 3 == 0:
            deal.apply(15)
        deal.apply(9 + contract)
        while deal.to_move >= 0:
            legal = sorted(card for card in range(64) if deal.legal() >> card & 1)
            at = Table(deal.view(deal.to_move))
            wanted = [at.cells((card >> 4, card & 15), card_values(values, contract)) for card in legal]
            starts = [sum(SIZES[:number]) for number in range(len(SIZES))]
            found = [
                [int(cell) - start for cell, start in zip(row, starts, strict=True)]
                for row in card_cells(deal)
            ]
            assert found == wanted
            assert (card_cells(deal.view(deal.to_move)) == card_cells(deal)).all()
            n_seen += len(legal)
            deal.apply(rng.choice(legal))
    assert n_seen > 1000


def card_values(rules: Any, contract: int) -> dict[tuple[int, int], int]:
    """From the rule text's table."""
    ace, six = (rules.fields["undenufe_ace"], rules.fields["undenufe_six"]) if contract == 5 else (11, 0)
    of = [six, 0, 8 if contract >= 4 else 0, 0, 10, 2, 3, 4, ace]
    values = {(suit, rank): of[rank] for suit in range(4) for rank in range(9)}
    if contract < 4:
        values[contract, 3], values[contract, 5] = 14, 20
    return values


def test_what_was_chosen_before_is_weighed_as_it_was_seen_then() -> None:
    """The chance of a card in hindsight is the one at the time, had the hand been that of the world."""
    model = table("jass_model")
    n_seen = 0
    for seed in range(30):
        deal = random_deal(Rules.parse("jass").kernel(), seed % 4, seed)
        rng = random.Random(seed)
        deal.apply(9 + seed % 6)
        then: list[tuple[int, float]] = []
        while deal.to_move >= 0:
            if rng.random() < 0.3:
                me = deal.to_move
                hindsight = past_chances(deal.view(me), deal, model)
                assert hindsight == pytest.approx([chance for seat, chance in then if seat != me])
                n_seen += len(hindsight)
            legal = sorted(card for card in range(64) if deal.legal() >> card & 1)
            chances = card_chances(deal, model)
            assert sum(chances) == pytest.approx(1.0, abs=1e-5)
            card = rng.choice(legal)
            then.append((deal.to_move, chances[legal.index(card)]))
            deal.apply(card)
    assert n_seen > 1000


def test_a_model_of_another_size_is_refused() -> None:
    deal = random_deal(Rules.parse("jass").kernel(), 0, 1)
    deal.apply(9)
    with pytest.raises(ValueError, match=f"a play model of 10 entries: must be {MODEL_CELLS}"):
        card_chances(deal, table("jass_model")[:10])
