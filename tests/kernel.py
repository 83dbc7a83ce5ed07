"""The kernels behind the referees' interface: the same tokens in, the same `state()` out."""

import copy
from typing import Any

from reference import IllegalError, apples, jass
from trickbot.ext import apples as apples_kernel
from trickbot.ext import jass as jass_kernel
from trickbot.ext.apples import ApplesDeal, ApplesRules
from trickbot.ext.jass import JassDeal, JassRules

PHASES = ["contract", "auction", "give", "give", "target", "play", "over", "redeal"]
PUSH = 15
PASS = 13


class Cards:
    """Cards as tokens, lane ids (16 * suit + rank) and masks."""

    def __init__(self, suits: str, ranks: str) -> None:
        self.token = {16 * s + r: suits[s] + ranks[r] for s in range(4) for r in range(len(ranks))}
        self.id = {token: card for card, token in self.token.items()}

    def mask(self, tokens: list[str]) -> int:
        return sum(1 << self.id[token] for token in tokens)

    def tokens(self, mask: int) -> list[str]:
        return sorted(token for card, token in self.token.items() if mask >> card & 1)


JASS = Cards("rabs", "6789BUOKA")
APPLES = Cards("cdhs", "23456789TJQKA")


def bits(mask: int) -> list[int]:
    return [bit for bit in range(64) if mask >> bit & 1]


def or_none(number: int) -> int | None:
    return None if number < 0 else number


def jass_rules(preset: str = "cardavia", **fields: Any) -> JassRules:
    rules = jass.PRESETS[preset] | fields
    rules["multipliers"] = [rules["multipliers"][contract] for contract in jass.CONTRACTS]
    rules["run_points"] = [rules["run_points"].get(length, 0) for length in range(10)]
    rules["quartet_points"] = [rules["quartet_points"].get(rank, 0) for rank in "6789BUOKA"]
    return JassRules(**rules)


class Kernel:
    """What both games share; `deal` is the kernel's object."""

    cards: Cards
    module: Any

    def __init__(self, deal: Any) -> None:
        self.deal = deal

    def of(self, deal: Any) -> Any:
        """The same adapter for another deal of the game."""
        other = copy.copy(self)
        other.deal = deal
        return other

    def perft(self, depth: int) -> int:
        return int(self.module.perft(self.deal, depth))

    def playouts(self, n: int, seed: int) -> Any:
        return self.module.playouts(self.deal, n, seed)

    def move(self, token: str) -> int:
        raise NotImplementedError

    def token(self, move: int) -> str:
        raise NotImplementedError

    def play(self, token: str) -> None:
        try:
            self.deal.apply(self.move(token))
        except (ValueError, KeyError) as wrong:
            raise IllegalError(f"{token}: {wrong}") from wrong

    def legal(self) -> Any:
        return [self.token(move) for move in bits(self.deal.legal())]

    def common(self) -> dict[str, Any]:
        deal = self.deal
        known = [deal.hand(seat) for seat in range(4)]
        return {
            "phase": PHASES[deal.phase],
            "to_move": or_none(deal.to_move),
            "side": None if deal.to_move < 0 else deal.to_move % deal.n_sides,
            "first": deal.first,
            "hands": [None if hand is None else self.cards.tokens(hand) for hand in known],
            "trick": {"leader": deal.trick_leader, "cards": [self.cards.token[card] for card in deal.trick]},
            "tricks": [
                {
                    "leader": leader,
                    "cards": [self.cards.token[card] for card in played],
                    "winner": winner,
                    "points": points,
                }
                for leader, played, winner, points in deal.tricks
            ],
            "scores": list(deal.scores),
            "deal": list(deal.points),
            "legal": self.legal(),
            "winner": or_none(deal.winner),
        }


class JassKernel(Kernel):
    cards = JASS
    module = jass_kernel

    def __init__(
        self,
        hands: list[list[str]],
        first: int = 0,
        match: tuple[int, int] = (0, 0),
        rules: str = "cardavia",
        **fields: Any,
    ) -> None:
        made = jass_rules(rules, **fields)
        super().__init__(JassDeal(made, first, list(match), [JASS.mask(hand) for hand in hands]))

    def move(self, token: str) -> int:
        if token == "push":
            return PUSH
        return 9 + jass.CONTRACTS.index(token) if token in jass.CONTRACTS else JASS.id[token]

    def token(self, move: int) -> str:
        if self.deal.phase == 0:
            return [*jass.CONTRACTS, "push"][move - 9]
        return JASS.token[move]

    def from_the_line(self, referee: Any, *seats: int) -> JassDeal:
        """The deal as these seats would set it up: their own hands, what was told, all moves."""
        hands = [self.deal.dealt(each) if each in seats else None for each in range(4)]
        made = JassDeal(self.deal.rules, referee.first, referee.match, hands)
        for other, melds in enumerate(referee.told()):
            if melds is not None and other not in seats:
                made.tell(other, [JASS.mask(meld) for meld in melds])
        for token in referee.moves:
            made.apply(self.move(token))
        return made

    def state(self) -> dict[str, Any]:
        deal = self.deal
        named = deal.contract >= 0
        return self.common() | {
            "game": "jass",
            "contract": jass.CONTRACTS[deal.contract] if named else None,
            "declarer": or_none(deal.declarer),
            "pushed": bool(deal.pushed),
            "multiplier": deal.multiplier if named else None,
            "weis": [
                {
                    "seat": seat,
                    "melds": None if melds is None else [JASS.tokens(meld) for meld in melds],
                }
                for seat, melds in enumerate(deal.weis)
            ],
            "weis_team": or_none(deal.weis_team),
            "stoeck": or_none(deal.stoeck),
            "schneider": deal.winner >= 0 and deal.scores[1 - deal.winner] * 2 < deal.rules.target,
        }


class ApplesKernel(Kernel):
    cards = APPLES
    module = apples_kernel

    def __init__(
        self,
        hands: list[list[str]],
        first: int = 0,
        match: tuple[int, int, int, int] = (0, 0, 0, 0),
        rules: str = "apples",
        target: int = 250,
    ) -> None:
        made = ApplesRules(target=target)
        super().__init__(ApplesDeal(made, first, list(match), [APPLES.mask(hand) for hand in hands]))

    def move(self, token: str) -> int:
        if token == "pass":
            return PASS
        if token[0].isdigit():
            return 16 * apples.SUITS.index(token[-1]) + int(token[:-1]) - 1
        return APPLES.id[token.removeprefix("target=")]

    def token(self, move: int) -> str:
        if self.deal.phase == 1:
            return "pass" if move == PASS else f"{move % 16 + 1}{apples.SUITS[move // 16]}"
        return ("target=" if self.deal.phase == 4 else "") + APPLES.token[move]

    def play(self, token: str) -> None:
        word, _, rest = token.partition("=")
        if word == "give":
            for card in rest.split(","):
                super().play(card)
        elif word == "pile":
            parts = [APPLES.mask(part.split(",")) for part in rest.split("|")]
            try:
                self.deal.pile(parts)
            except ValueError as wrong:
                raise IllegalError(f"{token}: {wrong}") from wrong
        else:
            super().play(token)

    def legal(self) -> Any:
        if self.deal.phase == 2 and self.deal.to_move >= 0:
            return {"give": self.deal.bid[0], "from": APPLES.tokens(self.deal.legal())}
        return super().legal()

    def from_the_line(self, referee: Any, *seats: int) -> ApplesDeal:
        """The round as these seats would set it up: their own cards at every stage, all calls and plays."""
        hands = [self.deal.dealt(each) if each in seats else None for each in range(4)]
        made = ApplesDeal(self.deal.rules, referee.first, referee.match, hands)
        for token in referee.moves:
            word, _, rest = token.partition("=")
            if word == "pile":
                made.pile(
                    [
                        APPLES.mask(part.split(",")) if i in seats else None
                        for i, part in enumerate(rest.split("|"))
                    ]
                )
            elif word == "give" and made.to_move not in seats:
                made.give_hidden(referee.n)
            elif word == "target" and made.to_move not in seats:
                made.target_hidden()
            else:
                self.of(made).play(token)
        return made

    def state(self) -> dict[str, Any]:
        deal = self.deal
        return self.common() | {
            "game": "apples",
            "bid": f"{deal.bid[0]}{apples.SUITS[deal.bid[1]]}" if deal.bid else None,
            "bidder": or_none(deal.bidder),
            "trump": apples.SUITS[deal.trump] if deal.trump >= 0 else None,
            "targets": [None if card is None else APPLES.token[card] for card in deal.targets],
            "piles": [APPLES.tokens(pile) for pile in deal.piles],
        }
