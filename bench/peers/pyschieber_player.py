"""Players of pyschieber (pip install pyschieber) as engines of the protocol, for tournaments of Jass.

    trickbot tournament rules 'cmd:python bench/peers/pyschieber_player.py challenge' --rules hsl

The argument is random, greedy or challenge. It keeps its own count of points, without melds; undenufe is worth
what it is worth in the preset `swisslos`.
"""

import random
import sys
from typing import Any

from pyschieber.card import Card
from pyschieber.player.challenge_player.challenge_player import ChallengePlayer
from pyschieber.player.greedy_player.greedy_player import GreedyPlayer
from pyschieber.player.random_player import RandomPlayer
from pyschieber.suit import Suit
from pyschieber.trumpf import Trumpf
from serve import serve
from trickbot.engine.cards import cards_in
from trickbot.engine.notation import CONTRACT, CONTRACTS, notation
from trickbot.engine.position import Position

PLAYERS = {"random": RandomPlayer, "greedy": GreedyPlayer, "challenge": ChallengePlayer}
SUITS = ("ROSE", "ACORN", "BELL", "SHIELD")
TRUMPS = (*SUITS, "OBE_ABE", "UNDE_UFE")


def their_card(card: int) -> Card:
    return Card(Suit[SUITS[card >> 4]], (card & 15) + 6)


def our_card(card: Card) -> int:
    return 16 * SUITS.index(card.suit.name) + card.value - 6


def accept(generator: Any, allowed: Any) -> Any:
    """The first of a generator's proposals that is allowed."""
    choice = next(generator)
    while not allowed(choice):
        choice = generator.send(False)
    generator.send(True)
    return choice


class Table:
    """A player on its seat, with the deal told to it from its beginning."""

    def __init__(self, kind: str, position: Position) -> None:
        self.deal = position.deal
        self.seat = self.deal.to_move
        self.player = PLAYERS[kind](name="player")
        self.player.id = self.seat
        for card in cards_in(self.deal.dealt(self.seat)):
            self.player.set_card(their_card(card))
        self.tricks: list[dict[str, Any]] = []
        self.table: list[dict[str, Any]] = []

    def status(self) -> dict[str, Any]:
        return {
            "stiche": list(self.tricks),
            "trumpf": TRUMPS[self.deal.contract],
            "geschoben": self.deal.pushed,
            "point_limit": 1000,
            "table": list(self.table),
            "teams": [{"points": 0}, {"points": 0}],
        }

    def catch_up(self) -> None:
        """Tells the player every card that was played."""
        for leader, cards, winner, _ in self.deal.tricks:
            self.play(leader, cards)
            played, self.table = self.table, []
            trick = {"player_id": winner, "trumpf": TRUMPS[self.deal.contract], "played_cards": played}
            self.tricks.append(trick)
            self.player.stich_over(state=self.status())
        self.play(self.deal.trick_leader, self.deal.trick)

    def play(self, leader: int, cards: Any) -> None:
        for turn, card in enumerate(cards):
            seat, theirs = (leader + turn) % 4, their_card(card)
            if seat == self.seat:
                next(self.player.choose_card(state=self.status()))  # it takes its role from being asked
                self.player.cards.remove(theirs)
            self.player.move_made(seat, theirs, self.status())
            self.table.append({"player_id": seat, "card": str(theirs)})

    def card(self) -> int:
        self.catch_up()
        legal = self.deal.legal()
        choice = accept(
            self.player.choose_card(state=self.status()), lambda card: bool(legal >> our_card(card) & 1)
        )
        return our_card(choice)

    def contract(self) -> str:
        may_push = not self.deal.pushed
        trump = accept(
            self.player.choose_trumpf(geschoben=not may_push),
            lambda trump: may_push or trump != Trumpf.SCHIEBEN,
        )
        return "push" if trump == Trumpf.SCHIEBEN else CONTRACTS[TRUMPS.index(trump.name)]


def main() -> None:
    kind = (*sys.argv[1:], "challenge")[0]

    def choose(position: Position, values: dict[str, int]) -> str:
        random.seed(values["seed"] * 64 + len(position.events))
        table = Table(kind, position)
        if position.deal.phase == CONTRACT:
            return table.contract()
        return notation("jass").card_text(table.card())

    serve(f"pyschieber {kind}", choose)


if __name__ == "__main__":
    main()
