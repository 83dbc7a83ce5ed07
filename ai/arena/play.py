"""One deal at the table, and its line in the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, NamedTuple

from trickbot.ai.arena.blocks import Deals, Item
from trickbot.ai.arena.players import LossError, Seat
from trickbot.engine.cards import N_SEATS
from trickbot.engine.match import child_seed
from trickbot.engine.notation import PILE, REDEAL
from trickbot.engine.position import Position
from trickbot.engine.record import Record

MOST_REDEALS = 20  # then a round of Apples that nobody bids for counts as played, without points

Watch = Callable[[Position], None]
"""Called before each event of a deal and after the last, for somebody who looks on."""


class Loss(NamedTuple):
    """Which seat lost the deal other than by its cards, and how."""

    seat: int
    kind: str
    message: str
    transcript: list[str]


@dataclass
class Played:
    """A deal from its first move to its end, or to the loss that ended it."""

    position: Position
    redeals: int = 0
    seconds: list[float] = field(default_factory=lambda: [0.0] * N_SEATS)
    nodes: list[int] = field(default_factory=lambda: [0] * N_SEATS)
    decisions: list[int] = field(default_factory=lambda: [0] * N_SEATS)
    loss: Loss | None = None


def play(deals: Deals, item: Item, seats: Sequence[Seat], watch: Watch | None = None) -> Played:
    """Plays an item's deal to its end."""
    match = deals.match(item)
    played = Played(deals.begin(item, match))
    seat = 0
    try:
        for seat in range(N_SEATS):
            seats[seat].begin(child_seed(match.seed, item.deal, seat))
        while True:
            position = played.position
            deal = position.deal
            seat = deal.to_move
            if watch is not None:
                watch(position)
            if seat >= 0:
                seconds, nodes = seats[seat].act(position, seat)
                played.seconds[seat] += seconds
                played.nodes[seat] += nodes
                played.decisions[seat] += 1
            elif deal.phase == PILE:
                match.shuffle(position)
            elif deal.phase == REDEAL and played.redeals < MOST_REDEALS:
                match.finish(position)
                played.redeals += 1
                played.position = match.deal()
            else:
                break
        for seat in range(N_SEATS):
            seats[seat].finish()
    except LossError as error:
        played.loss = Loss(seat, error.kind, error.message, error.transcript)
        seats[seat].abort()
    return played


def result_of(item: Item, played: Played, labels: Sequence[str], of: int) -> dict[str, Any]:
    """What the standings need to know of a deal; all of it is in the deal's record too.

    `of`: the number of seatings of a block.
    """
    deal = played.position.deal
    result: dict[str, Any] = {
        "game": deal.game,
        "deal": list(deal.points),
        "scores": list(deal.scores),
        "players": list(labels),
        "block": item.block,
        "seating": item.seating,
        "of": of,
        "seconds": [round(seconds, 6) for seconds in played.seconds],
        "nodes": played.nodes,
        "decisions": played.decisions,
    }
    if item.match is not None:
        result["match_deal"] = item.deal
        result["winner"] = None if deal.winner < 0 else deal.winner
    if played.redeals:
        result["redeals"] = played.redeals
    if played.loss is not None:
        result["loss"] = played.loss._asdict()
    return result


def line_of(played: Played, result: dict[str, Any], seed: int) -> str:
    """The deal's line in the log: its record, with the result's own keys among the extra ones."""
    own = {key: value for key, value in result.items() if key not in ("game", "deal", "scores", "players")}
    date = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Record.of(played.position, result["players"], seed, date, **own).to_json()
