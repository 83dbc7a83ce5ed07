"""A deal for a person to watch, as it is played."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click
from trickbot.engine.cards import GAMES, N_SEATS, cards_in, side_of
from trickbot.engine.notation import CONTRACTS, OVER, REDEAL, notation
from trickbot.engine.position import Position


class Show:
    """Prints what is new each time it is called. `labels`: by seat. `pause`: seconds after each move."""

    def __init__(self, labels: Sequence[str], pause: float = 0.0) -> None:
        self._width = max(map(len, labels))
        self._labels = labels
        self._pause = pause
        self._position: Position | None = None
        self._mover = -1
        self._n_events = self._n_tricks = 0
        self._told: list[Any] = [None] * N_SEATS

    def __call__(self, position: Position) -> None:
        if position is not self._position:
            self._begin(position)
        words = notation(position.rules.game)
        for event in position.events[self._n_events :]:
            who = self._seat(self._mover) if self._mover >= 0 else " " * (self._width + 2)
            click.echo(f"  {who}  {words.event_text(event)}")
            time.sleep(self._pause)
        self._n_events = len(position.events)
        if position.rules.game == "jass":
            self._show_melds(position)
        self._show_trick(position)
        self._mover = position.deal.to_move
        if position.deal.phase in (OVER, REDEAL):
            self._end(position)

    def _seat(self, seat: int) -> str:
        return f"{seat} {self._labels[seat].ljust(self._width)}"

    def _begin(self, position: Position) -> None:
        self._position, self._n_events, self._n_tricks, self._mover = position, 0, 0, -1
        words = notation(position.rules.game)
        game = GAMES[position.rules.game]
        scores = " ".join(map(str, position.deal.match))
        click.echo(f"{game.name}, rules {position.rules}, match {scores}, seat {position.first} begins")
        lanes = [0xFFFF << 16 * suit for suit in range(len(game.suits))]
        hands = [[" ".join(words.card_list((hand or 0) & lane)) for lane in lanes] for hand in position.hands]
        widths = [max(map(len, suit)) for suit in zip(*hands, strict=True)]
        for seat, hand in enumerate(hands):
            cards = "  ".join(suit.ljust(width) for suit, width in zip(hand, widths, strict=True))
            click.echo(f"  {self._seat(seat)}  {cards.rstrip()}")

    def _show_melds(self, position: Position) -> None:
        words = notation("jass")
        for seat, told in enumerate(position.deal.announced):
            if told and told != self._told[seat]:
                melds = " and ".join(words.cards_text(meld) for meld in told)
                click.echo(f"  {self._seat(seat)}  has {melds}")
            self._told[seat] = told

    def _show_trick(self, position: Position) -> None:
        deal = position.deal
        tricks = deal.tricks
        if len(tricks) == self._n_tricks:
            return
        self._n_tricks = len(tricks)
        _, cards, winner, points = tricks[-1]
        names = " ".join(map(notation(position.rules.game).card_text, cards))
        worth = "" if points is None else f", {points} points"
        scores = " ".join(map(str, deal.scores))
        so_far = f"; {scores}" if position.rules.game == "jass" else ""
        click.echo(f"trick {len(tricks)}: {names} to {self._labels[winner]} on seat {winner}{worth}{so_far}")

    def _end(self, position: Position) -> None:
        deal = position.deal
        if deal.phase == REDEAL:
            click.echo("all passed: dealt anew")
            return
        sides: dict[int, list[str]] = {}
        for seat, label in enumerate(self._labels):
            names = sides.setdefault(side_of(position.rules.game, seat), [])
            if label not in names:
                names.append(label)
        if position.rules.game == "jass" and deal.contract >= 0:
            click.echo(f"{CONTRACTS[deal.contract]}, every point times {deal.multiplier}")
        if position.rules.game == "apples":
            words = notation("apples")
            for seat, target in enumerate(deal.targets):
                pile = " ".join(words.card_text(card) for card in cards_in(deal.piles[seat]))
                click.echo(f"  {self._seat(seat)}  target {words.card_text(target)}, pile {pile or 'empty'}")
        for side, names in sides.items():
            click.echo(f"{' and '.join(names)}: {deal.points[side]} points, {deal.scores[side]} in all")
