"""What a tournament is: who plays whom, on which deals, under which limits."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from trickbot.ai.arena.stats import Sequential

Format = Literal["round-robin", "gauntlet", "table"]

_LABELLED = re.compile(r"([\w.\-]+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Player:
    """A label and the spec of its bot; two bots are partners in a team of Jass."""

    label: str
    bots: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Player:
        """From `[LABEL=]SPEC` or `[LABEL=]SPEC + SPEC`. Raises ValueError.

        A spec is a bot with options, `ismcts:movetime=50`, or a program, `cmd:./mybot --game jass`, whose
        options stand before the colon: `cmd,movetime=50,skill=3:./mybot`.
        """
        labelled = _LABELLED.fullmatch(text.strip())
        label, spec = labelled.groups() if labelled else ("", text)
        bots = tuple(each.strip() for each in spec.split(" + "))
        if len(bots) > 2 or not all(bots):
            raise ValueError(f"player {text!r}: must be a spec, or two joined by ' + '")
        return cls(label or " + ".join(bots), bots)

    @property
    def orders(self) -> list[tuple[int, int]]:
        """The bots of its two seats in a team, in every order that differs."""
        return [(0, 0)] if len(self.bots) == 1 or self.bots[0] == self.bots[1] else [(0, 1), (1, 0)]


@dataclass(frozen=True)
class Setup:
    """The settings that decide what is played.

    teams: a player fills a team of Jass; else every player fills seats of its own. blocks: for each pairing,
    0 for as many as it takes. movetime (ms), nodes: for bots whose spec names no limit. margin: ms that an
    external engine may take beyond its movetime. timeout: seconds for its moves without movetime, and
    for all else that it is asked. sprt: the two margins of a sequential test, in points a deal, and its alpha
    and beta.
    """

    game: str
    rules: str
    players: tuple[Player, ...]
    pairings: tuple[tuple[int, ...], ...]
    teams: bool = True
    seed: int = 1
    blocks: int = 0
    matches: bool = False
    deals: str = ""
    movetime: int | None = None
    nodes: int | None = None
    margin: int = 200
    timeout: float = 30.0
    sprt: tuple[float, float, float, float] | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Setup:
        """Back from what JSON made of it."""
        players = tuple(Player(each["label"], tuple(each["bots"])) for each in values["players"])
        pairings = tuple(map(tuple, values["pairings"]))
        sprt = values.get("sprt")
        changed = {"players": players, "pairings": pairings, "sprt": None if sprt is None else tuple(sprt)}
        return cls(**{**values, **changed})

    @property
    def decisive(self) -> Setup:
        """What two runs of one tournament must have in common: the number of blocks, for one, may grow."""
        return replace(self, blocks=0, margin=0, timeout=0.0, sprt=None)

    @property
    def test(self) -> Sequential | None:
        """The sequential test that ends it."""
        return None if self.sprt is None else Sequential(*self.sprt)

    @property
    def limits(self) -> dict[str, int]:
        """The limits for bots that name none."""
        return {key: value for key, value in (("movetime", self.movetime), ("nodes", self.nodes)) if value}

    def local_spec(self, spec: str) -> str:
        """The spec of a bot with these limits, if it has none of its own."""
        name, _, words = spec.partition(":")
        keys = [word.partition("=")[0].lower().replace(" ", "").replace("_", "") for word in words.split(",")]
        if not {"movetime", "nodes"}.isdisjoint(keys):
            return spec
        return ":".join(filter(None, (name, ",".join(filter(None, (words, *_words(self.limits)))))))

    @property
    def labels(self) -> list[str]:
        return [player.label for player in self.players]


def _words(limits: dict[str, int]) -> list[str]:
    return [f"{key}={value}" for key, value in limits.items()]


def make_players(texts: Sequence[str]) -> tuple[Player, ...]:
    """The players of specs. The same spec twice gets a second label. Raises ValueError."""
    players: list[Player] = []
    for text in texts:
        player = Player.parse(text)
        taken = {each.label for each in players}
        label, number = player.label, 2
        while label in taken:
            label, number = f"{player.label} #{number}", number + 1
        players.append(Player(label, player.bots))
    return tuple(players)


def make_pairings(n: int, form: Format) -> tuple[tuple[int, ...], ...]:
    """Who meets whom: all pairs, the first against each other, or all at one table. Raises ValueError."""
    if n < 2:
        raise ValueError(f"{n} players: a tournament needs two")
    if form == "gauntlet":
        return tuple((0, other) for other in range(1, n))
    if form == "table":
        if n > 4:
            raise ValueError(f"{n} players: a table has four seats")
        return (tuple(range(n)),)
    return tuple(itertools.combinations(range(n), 2))
