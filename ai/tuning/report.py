"""What a study found: one structure of numbers, and its text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from trickbot.ai.arena.report import elo_words, with_error
from trickbot.ai.options import find_option
from trickbot.ai.tuning.model import Landscape, optimum, results_of
from trickbot.ai.tuning.space import Point, Space, value_word, words
from trickbot.ai.tuning.store import Trial


def make_report(
    space: Space, settings: Mapping[str, Any], trials: Sequence[Trial], confidence: float = 0.95
) -> tuple[dict[str, Any], Landscape | None]:
    """Everything that a study says, as JSON takes it, and the landscape; no optimum with fewer than two trials."""
    states = [trial.state for trial in trials]
    report: dict[str, Any] = {
        "settings": dict(settings),
        "space": space.texts,
        "trials": {state: states.count(state) for state in ("complete", "pruned", "failed", "running")},
        "blocks": sum(len(trial.blocks) or trial.extra.get("n", 0) for trial in trials),
        "failures": [{"point": trial.point, "error": trial.error} for trial in trials if trial.error],
        "confidence": confidence,
        "optimum": None,
        "importance": None,
        "validation": None,
        "options": None,
    }
    try:
        landscape = Landscape(space, results_of(trials))
    except ValueError as few:
        report["words"] = str(few)
        return report, None
    report["optimum"] = optimum(landscape, confidence)
    shares = landscape.importance()
    report["importance"] = {param.key: share for param, share in zip(space.params, shares, strict=True)}
    return report, landscape


def add_validation(report: dict[str, Any], validation: dict[str, Any]) -> None:
    """The validation, and the options to paste where it confirms the optimum."""
    report["validation"] = validation
    if validation["confirmed"]:
        report["options"] = {
            "spec": validation["spec"],
            "setoption": [
                f"setoption name {find_option(key).name} value {value_word(value)}"
                for key, value in report["optimum"]["point"].items()
            ],
        }


def render(report: dict[str, Any]) -> str:
    """The report for people."""
    n = report["trials"]
    counts = ", ".join(f"{count} {state}" for state, count in n.items() if count)
    parts = [f"{report['settings'].get('game', '')}: trials: {counts}; {report['blocks']} blocks"]
    parts += [f"failed at {words(each['point'])}: {each['error']}" for each in report["failures"][:5]]
    found = report["optimum"]
    if found is None:
        return "\n\n".join([*parts, report["words"]])
    parts.append(_headline(report))
    parts.append(_table(report))
    if report["validation"] is not None:
        parts += _validation(report)
    return "\n\n".join(parts)


def _headline(report: dict[str, Any]) -> str:
    found = report["optimum"]
    line = f"optimum of the model: {words(found['point'])}"
    value = found["value"]
    if value is None:
        return line
    unit = "% of matches above the half" if report["settings"].get("matches") else "points a deal"
    return f"{line}\n{value['mean']:+.2f} ({value['low']:+.2f} to {value['high']:+.2f}) {unit} against the opponent"


def _table(report: dict[str, Any]) -> str:
    rows = [("parameter", "optimum", f"{100 * report['confidence']:g} % interval", "importance")]
    point: Point = report["optimum"]["point"]
    for key, spread in report["optimum"]["params"].items():
        if "chances" in spread:
            text = ", ".join(f"{name} {100 * share:.0f} %" for name, share in spread["chances"].items())
        else:
            text = f"{spread['low']} to {spread['high']}"
        rows.append(
            (find_option(key).name, value_word(point[key]), text, f"{100 * report['importance'][key]:.0f} %")
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _validation(report: dict[str, Any]) -> list[str]:
    found = report["validation"]
    said = {
        "h1": "confirmed",
        "h0": "not confirmed: keep the options as they are",
        "complete": "undecided: keep the options as they are, or validate with more blocks",
        "interrupted": "interrupted: resume it",
    }[found["end"]]
    pair, test = found["pair"], found["sprt"]
    lines = [
        f"validation on fresh deals against {found['opponent']}: {said}",
        f"{with_error(pair['margin'])} points a deal in {pair['score']['n']} blocks, Elo {elo_words(pair['elo'])}; "
        f"test of {test['h0']:g} against {test['h1']:g}: llr {test['llr']:.2f} "
        f"({test['low']:.2f} to {test['high']:.2f})",
    ]
    parts = ["\n".join(lines)]
    if report["options"] is not None:
        parts.append("\n".join([report["options"]["spec"], *report["options"]["setoption"]]))
    return parts


def progress_line(study: Any, seconds: float, n_before: int) -> str:
    """How far a study is, its rate in blocks a second, the time left, and the best so far."""
    done, wanted = study.n_finished, study.n_wanted
    rate = study.n_played / seconds if seconds > 0 else 0.0
    parts = [f"trial {done}/{wanted}", f"{rate:.1f} blocks/s"]
    if done > n_before:
        left = round(seconds * (wanted - done) / (done - n_before))
        parts.append(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left")
    if study.method == "spsa":
        if study.trials:
            parts.append(f"at {words(study.trials[-1].point)}")
        return "  ".join(parts)
    best = max((trial for trial in study.trials if trial.state == "complete"), key=_sure, default=None)
    if best is not None:
        mean = sum(best.blocks.values()) / len(best.blocks)
        parts.append(f"best so far {mean:+.2f} at {words(best.point)}")
    return "  ".join(parts)


def _sure(trial: Trial) -> float:
    """The mean less its standard error."""
    values = list(trial.blocks.values())
    mean = sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values)
    return mean - math.sqrt(squares / max(1, len(values) - 1) / len(values))
