"""The last word on an optimum: a match on fresh deals with a sequential test."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from trickbot.ai.arena.report import make_report
from trickbot.ai.arena.stats import Sequential
from trickbot.ai.arena.tournament import Tournament
from trickbot.ai.tuning.problem import EngineProblem
from trickbot.ai.tuning.space import Point
from trickbot.engine.match import child_seed


def fresh_seed(seed: int) -> int:
    """The seed of the deals of validation, other ones than those of the trials."""
    return child_seed(seed, 0, 1)


def log_of(study: str | Path, problem: EngineProblem, point: Point) -> Path:
    """The log of the validation of a point, beside the study: another point has another log."""
    setup = problem.setup(point, seed=fresh_seed(problem.seed))
    text = json.dumps(setup.as_dict(), sort_keys=True)
    return Path(f"{study}.{hashlib.sha256(text.encode()).hexdigest()[:8]}.jsonl")


def validate(
    problem: EngineProblem,
    point: Point,
    test: Sequential,
    most_blocks: int,
    *,
    log: Path | None = None,
    executor: Executor | None = None,
    parallel: int = 1,
    progress: Callable[[Tournament], None] | None = None,
) -> dict[str, Any]:
    """Plays the point against the opponent until the test is decided or `most_blocks` are played.

    With a log it goes on where it was. Returns `end`, one of h0, h1, complete (undecided) and interrupted,
    whether the point is `confirmed` (h1), the spec, and the pair's figures as in a tournament's report.
    Raises TournamentError, ValueError.
    """
    setup = problem.setup(point, seed=fresh_seed(problem.seed), blocks=most_blocks)
    event = Tournament(setup, log, resume=True, sprt=test)
    end = event.run(executor, parallel, progress)
    report = make_report(event.standings, sprt=test)
    return {
        "end": end,
        "confirmed": end == "h1",
        "spec": problem.spec(point),
        "opponent": problem.opponent,
        "deals": report["deals"],
        "pair": report["pairs"][0],
        "sprt": report["sprt"],
    }
