"""Late positions of Jass for the solver's tests, as kernel deals and as the plain minimax sees them."""

import random

from kernel import JASS, bits
from reference.minimax import CONTRACTS, Ending, Score
from trickbot.ext.jass import JassDeal, JassRules, random_deal


def ending(contract: int, n_cards: int, seed: int, rules: JassRules, style: str = "random") -> JassDeal:
    """A deal played until n_cards are left. Styles: `random`; `trumps` keeps the trumps back; `sweep` lets
    team 0 win what it can, so that the match bonus is still open more often."""
    rng = random.Random(seed)
    deal = random_deal(rules, rng.randrange(4), seed)
    deal.apply(9 + contract)
    while sum((deal.hand(seat) or 0).bit_count() for seat in range(4)) > n_cards:
        moves = bits(deal.legal())
        if style == "trumps":
            moves = [card for card in moves if card >> 4 != contract] or moves
        if style == "sweep":
            moves.sort(key=lambda card: (card >> 4 == contract, card & 15), reverse=deal.to_move % 2 == 0)
            moves = moves[:1]
        deal.apply(rng.choice(moves))
    return deal


def by_minimax(deal: JassDeal, plain: bool) -> dict[int, Score]:
    """The score after each legal card, by plain minimax."""
    fields = deal.rules.fields
    reference = Ending(
        CONTRACTS[deal.contract],
        match_bonus=0 if plain else fields["match_bonus"],
        last=fields["last_trick"],
        ace=fields["undenufe_ace"],
        six=fields["undenufe_six"],
    )
    winners = {winner % 2 for _, _, winner, _ in deal.tricks}
    sweepers = frozenset({0, 1} if not winners else winners if len(winners) == 1 else ())
    hands = [frozenset(JASS.tokens(deal.hand(seat) or 0)) for seat in range(4)]
    trick = [JASS.token[card] for card in deal.trick]
    moves = reference.moves(hands, deal.trick_leader, trick, sweepers)
    return {JASS.id[token]: score for token, score in moves.items()}


def best_score(scores: dict[int, Score], seat: int) -> Score:
    """The score that the team of this seat likes best."""
    return (max if seat % 2 == 0 else min)(scores.values(), key=lambda score: score[0] - score[1])


def made_since(deal: JassDeal, n_tricks: int, plain: bool) -> Score:
    """What the teams made in the tricks after the first n_tricks of a finished deal, unmultiplied."""
    made = [0, 0]
    for _, _, winner, points in deal.tricks[n_tricks:]:
        made[winner % 2] += points
    winners = {winner % 2 for _, _, winner, _ in deal.tricks}
    if len(winners) == 1 and not plain:
        made[winners.pop()] += deal.rules.fields["match_bonus"]
    return made[0], made[1]


def changed(deal: JassDeal, suits: list[int], turn: int) -> JassDeal:
    """The same deal with other suits (suit s becomes suits[s]) and every seat moved on by `turn`."""

    def card_of(card: int) -> int:
        return 16 * suits[card >> 4] + (card & 15)

    hands = [0, 0, 0, 0]
    for seat in range(4):
        hands[(seat + turn) % 4] = sum(1 << card_of(card) for card in bits(deal.dealt(seat) or 0))
    other = JassDeal(deal.rules, (deal.first + turn) % 4, (0, 0), hands)
    other.apply(9 + (suits[deal.contract] if deal.contract < 4 else deal.contract))
    for _, trick, _, _ in deal.tricks:
        for card in trick:
            other.apply(card_of(card))
    for card in deal.trick:
        other.apply(card_of(card))
    return other
