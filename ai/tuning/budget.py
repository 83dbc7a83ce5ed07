"""Strength by thinking time and by nodes: each budget against the next one, on the same deals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import Any, Literal

from trickbot.ai.arena.setup import Player, Setup
from trickbot.ai.arena.stats import estimate
from trickbot.ai.arena.tournament import Tournament
from trickbot.ai.bots import make_bot
from trickbot.engine.errors import OptionError, quoted
from trickbot.engine.rules import Rules

Unit = Literal["movetime", "nodes"]


def budget_setup(
    game: str, rules: str, base: str, unit: Unit, levels: Sequence[int], blocks: int, seed: int
) -> Setup:
    """The tournament of neighbours. Raises ValueError for a wrong bot or rules, or levels that do not rise."""
    if len(levels) < 2 or any(a >= b for a, b in pairwise(levels)):
        raise ValueError(f"{unit} {','.join(map(str, levels))}: must be two or more rising numbers")
    keys = [
        word.partition("=")[0].strip().lower().replace(" ", "") for word in base.partition(":")[2].split(",")
    ]
    for key in ("movetime", "nodes"):
        if key in keys:
            raise OptionError(f"bot {quoted(base)}: {key} is what varies, leave it out")
    make_bot(base, game)
    joined = base + ("," if ":" in base else ":")
    return Setup(
        game=game,
        rules=str(Rules.parse(game, rules)),
        players=tuple(Player(f"{unit}={level}", (f"{joined}{unit}={level}",)) for level in levels),
        pairings=tuple((i, i + 1) for i in range(len(levels) - 1)),
        teams=game == "jass",
        seed=seed,
        blocks=blocks,
    )


def play_budget(
    setup: Setup,
    unit: Unit,
    levels: Sequence[int],
    *,
    log: Path | None = None,
    resume: bool = False,
    executor: Executor | None = None,
    parallel: int = 1,
    progress: Callable[[Tournament], None] | None = None,
    confidence: float = 0.95,
) -> dict[str, Any]:
    """Plays the tournament and returns its curve, as JSON takes it. Raises TournamentError, ValueError."""
    event = Tournament(setup, log, resume=resume)
    end = event.run(executor, parallel, progress)
    return {"end": end, **curve(event.standings, setup, unit, levels, confidence)}


def curve(
    standings: Any, setup: Setup, unit: Unit, levels: Sequence[int], confidence: float = 0.95
) -> dict[str, Any]:
    """Each level's strength in points a deal above the first, and its gain on the one before, with intervals.

    `enough`: the first level after which the next one's gain is not above zero beyond doubt; None where every
    step still pays. `losses`: deals lost other than by the cards, which count for nothing here.
    """
    means, covariance = _gains(standings)
    width = NormalDist().inv_cdf(0.5 + confidence / 2)
    rows: list[dict[str, Any]] = []
    for i, level in enumerate(levels):
        sums = standings.players[i]
        row: dict[str, Any] = {
            unit: level,
            "strength": _interval(sum(means[:i]), _error(covariance, 0, i), width),
            "gain": _interval(means[i - 1], _error(covariance, i - 1, i), width) if i else None,
            "ms_a_move": 1000 * sums.seconds / sums.decisions if sums.decisions else None,
            "nodes_a_move": sums.nodes / sums.decisions if sums.decisions else None,
        }
        rows.append(row)
    pays = [row["gain"]["low"] > 0 for row in rows[1:]]
    return {
        "game": setup.game,
        "rules": setup.rules,
        "unit": unit,
        "blocks": min(map(len, standings.finished.values())),
        "confidence": confidence,
        "levels": rows,
        "losses": sum(sum(player.losses.values()) for player in standings.players),
        "enough": None if all(pays) else levels[pays.index(False)],
    }


def _gains(standings: Any) -> tuple[list[float], list[list[float]]]:
    """What each level is above the one before, and the covariances: neighbours share deals and players."""
    sums = standings.rating_sums()
    if sums is not None:
        margins = sums[0]
        return [-float(mean) for mean in margins.means], margins.covariance_of_means().tolist()
    found = estimate(next(iter(standings.pairs.values())).margin)
    return [-(found.mean or 0.0)], [[(found.error or 0.0) ** 2]]


def _error(covariance: list[list[float]], first: int, last: int) -> float:
    return math.sqrt(max(0.0, sum(sum(row[first:last]) for row in covariance[first:last])))


def _interval(mean: float, error: float, width: float) -> dict[str, float]:
    return {"mean": mean, "error": error, "low": mean - width * error, "high": mean + width * error}


def render(found: dict[str, Any]) -> str:
    """A curve as a table."""
    unit = found["unit"]
    head: tuple[str, ...] = (
        f"{unit}{' (ms)' if unit == 'movetime' else ''}",
        "above the first",
        "gain",
        "ms a move",
        "nodes a move",
    )
    rows: list[tuple[str, ...]] = [head]
    for row in found["levels"]:
        gain = "" if row["gain"] is None else _pm(row["gain"])
        per_move = [
            "-" if row[key] is None else f"{row[key]:.{digits}f}"
            for key, digits in (("ms_a_move", 2), ("nodes_a_move", 0))
        ]
        rows.append((str(row[unit]), _pm(row["strength"]), gain, *per_move))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.rjust(n) for cell, n in zip(row, widths, strict=True)) for row in rows]
    enough = found["enough"]
    last = found["levels"][-1][unit]
    said = f"every step pays, up to {last}" if enough is None else f"beyond {enough} no gain is shown"
    title = (
        f"{found['game']}, rules {found['rules']}: points a deal by {unit}, {found['blocks']} blocks a pair"
    )
    spoilt = [f"{found['losses']} deals lost other than by the cards, left out"] if found["losses"] else []
    return "\n".join([title, *lines, said, *spoilt])


def _pm(interval: dict[str, float]) -> str:
    return f"{interval['mean'] + 0.0:+.2f} ± {(interval['high'] - interval['low']) / 2:.2f}"
