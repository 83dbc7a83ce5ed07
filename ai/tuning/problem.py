"""What a point is worth: blocks of mirrored deals against a fixed opponent, the same deals for every point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol

from trickbot.ai.arena.blocks import Item, seatings
from trickbot.ai.arena.setup import Player, Setup
from trickbot.ai.arena.standings import Standings
from trickbot.ai.arena.work import play_items
from trickbot.ai.options import Options, Value, find_option
from trickbot.ai.tuning.space import Point, words
from trickbot.engine.cards import GAMES
from trickbot.engine.errors import OptionError, quoted

Results = list[tuple[int, float]]
"""Blocks and what came out of them."""


class Problem(Protocol):
    """What a study asks. It goes to other processes, so it must pickle."""

    def play(self, point: Point, other: Point | None, blocks: Sequence[int], seconds: float) -> Results:
        """The values of blocks, at least one, until `seconds` are over; of a point against `other`.

        None: against the fixed opponent. More is better. Raises RuntimeError where the point cannot be played.
        """


class PointFailedError(RuntimeError):
    """A bot lost a deal other than by its cards, so its point has no value."""


@dataclass(frozen=True)
class EngineProblem:
    """The engine's own bots. Values are margins in points a deal, or percent of matches won above the half.

    base: the spec that points are added to. opponent: a player as in tournaments. movetime (ms), nodes: a
    move, for bots that name no limit.
    """

    game: str
    rules: str
    base: str = "ismcts"
    opponent: str = "ismcts"
    seed: int = 1
    movetime: int | None = None
    nodes: int | None = None
    matches: bool = False

    def __post_init__(self) -> None:
        self.base_options()

    def base_options(self) -> dict[str, Value]:
        """The values of all options in the base. Raises OptionError."""
        from trickbot.ai.bots import make_bot

        if self.base.startswith("cmd"):
            raise OptionError(
                f"base {quoted(self.base)}: must be a bot with options, as in 'ismcts:threads=2'"
            )
        options: Options = make_bot(self.base, self.game).options
        return options.as_dict()

    def spec(self, point: Mapping[str, Value]) -> str:
        """The bot of a point."""
        name, _, own = self.base.partition(":")
        keys = set(point)
        kept = [word for word in filter(None, map(str.strip, own.split(","))) if _key(word) not in keys]
        rest = {key: value for key, value in point.items() if key != "bot"}
        return ":".join(
            filter(None, (str(point.get("bot", name)), ",".join(filter(None, (*kept, words(rest))))))
        )

    def setup(self, point: Point, other: Point | None = None, **more: Any) -> Setup:
        """The tournament of a point, the player `tuned`, against `other` or the opponent."""
        against = Player.parse(self.opponent) if other is None else Player("other", (self.spec(other),))
        return Setup(
            game=self.game,
            rules=self.rules,
            players=(Player("tuned", (self.spec(point),)), Player("opponent", against.bots)),
            pairings=((0, 1),),
            teams=self.game == "jass",
            matches=self.matches,
            **{"seed": self.seed, "movetime": self.movetime, "nodes": self.nodes, **more},
        )

    def play(self, point: Point, other: Point | None, blocks: Sequence[int], seconds: float) -> Results:
        setup = self.setup(point, other)
        end = monotonic() + seconds
        results: Results = []
        for block in blocks:
            results.append((block, _play_block(setup, block)))
            if monotonic() >= end:
                break
        return results


def _key(word: str) -> str:
    name = word.partition("=")[0]
    return name if name == "nodes" else find_option(name).key


def _play_block(setup: Setup, block: int) -> float:
    pairing = setup.pairings[0]
    zero = (0,) * GAMES[setup.game].n_sides if setup.matches else None
    items = [Item(pairing, block, seating, 0, zero) for seating in range(len(seatings(setup, pairing)))]
    standings = Standings(setup.labels, setup.pairings)
    for done in play_items(setup, items, math.inf)[0]:
        loss = done.result.get("loss")
        if loss is not None:
            player = done.result["players"][loss["seat"]]
            raise PointFailedError(f"{player}, {loss['kind']} in block {block}: {loss['message']}")
        standings.add(done.result)
    pair = standings.pairs[0, 1]
    return 100 * pair.score.mean - 50 if setup.matches else pair.margin.mean
