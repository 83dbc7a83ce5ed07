"""Pictures of a study and of budgets, with the extra trickbot[plot]."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trickbot.ai.options import find_option
from trickbot.ai.tuning.model import Landscape, optimum, results_of
from trickbot.ai.tuning.store import StudyError, Trial

_N_PAST = 6  # refits of the optimum over time


def _figure(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """A figure without any window behind it, and its axes. Raises StudyError without the extra."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise StudyError(f"plots need the extra trickbot[plot]: {error}") from None
    figure = Figure(figsize=(4.5 * n_columns, 3.2 * n_rows), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def _save(figure: Any, path: str | Path) -> None:
    try:
        figure.savefig(path)
    except ValueError as error:  # an ending that it does not know; it lists those that it does
        raise ValueError(f"{path}: {error}") from None


def draw_study(
    report: dict[str, Any], landscape: Landscape, trials: Sequence[Trial], path: str | Path
) -> None:
    """The landscape along each parameter, the optimum's course, and the landscape over the two that matter most."""
    params = landscape.space.params
    figure, axes = _figure(2 + (len(params) > 1), len(params))
    for i, axis in enumerate(axes[0]):
        _slice(axis, landscape, report, i)
    _course(axes[1], landscape, trials)
    if len(params) > 1:
        _plane(axes[2][0], figure, landscape, report)
        for axis in axes[2][1:]:
            axis.set_axis_off()
    _save(figure, path)


def _slice(axis: Any, landscape: Landscape, report: dict[str, Any], i: int) -> None:
    """The landscape along one parameter, the others at the optimum, and the trials."""
    import numpy as np

    param = landscape.space.params[i]
    best = landscape.space.units(report["optimum"]["point"])
    grid = np.arange(len(param.choices), dtype=float) if param.choices else np.linspace(0, 1, 101)
    rows = np.tile(np.array(best), (len(grid), 1))
    rows[:, i] = grid
    mean, error = landscape.predict(rows)
    xs = [
        param.choices.index(param.value(u)) if param.choices else param.value(u, 2.0) for u in grid.tolist()
    ]
    if param.choices:
        axis.errorbar(xs, mean, 1.96 * error, fmt="o")
        axis.set_xticks(xs, list(map(str, param.choices)))
    else:
        axis.plot(xs, mean)
        axis.fill_between(xs, mean - 1.96 * error, mean + 1.96 * error, alpha=0.2)
        axis.axvline(report["optimum"]["point"][param.key], linestyle=":", color="black")
        if param.log:
            axis.set_xscale("log")
    if landscape.results.minus is None:
        results = landscape.results
        at = [param.choices.index(p[param.key]) if param.choices else p[param.key] for p in results.plus]
        axis.errorbar(at, results.values, results.variances**0.5, fmt=".", color="gray", alpha=0.4, zorder=0)
    axis.set_xlabel(find_option(param.key).name)
    axis.set_ylabel("points a deal")


def _course(axes: Any, landscape: Landscape, trials: Sequence[Trial]) -> None:
    """The optimum, as it was thought to be after so many trials."""
    params = landscape.space.params
    ended = [trial for trial in trials if trial.state in ("complete", "pruned")]
    counts = sorted({max(2, len(ended) * (k + 1) // _N_PAST) for k in range(_N_PAST)})
    past = [optimum(Landscape(landscape.space, results_of(ended[:n]))) for n in counts]
    for axis, param in zip(axes, params, strict=True):
        if param.choices:
            axis.plot(counts, [param.choices.index(found["point"][param.key]) for found in past], marker="o")
            axis.set_yticks(range(len(param.choices)), list(map(str, param.choices)))
        else:
            spreads = [found["params"][param.key] for found in past]
            axis.plot(counts, [found["point"][param.key] for found in past], marker="o")
            axis.fill_between(counts, [s["low"] for s in spreads], [s["high"] for s in spreads], alpha=0.2)
            if param.log:
                axis.set_yscale("log")
        axis.set_xlabel("trials")
        axis.set_ylabel(find_option(param.key).name)


def _plane(axis: Any, figure: Any, landscape: Landscape, report: dict[str, Any]) -> None:
    """The landscape over the two parameters of most importance, the others at the optimum, in units of ranges."""
    import numpy as np

    space = landscape.space
    shares = report["importance"]
    order = sorted(range(len(space.params)), key=lambda i: -shares[space.params[i].key])[:2]
    best = landscape.space.units(report["optimum"]["point"])
    sides = [
        np.arange(len(p.choices), dtype=float) if p.choices else np.linspace(0, 1, 41)
        for p in (space.params[i] for i in order)
    ]
    x, y = np.meshgrid(*sides)
    rows = np.tile(np.array(best), (x.size, 1))
    rows[:, order[0]], rows[:, order[1]] = x.ravel(), y.ravel()
    drawn = axis.pcolormesh(x, y, landscape.predict(rows)[0].reshape(x.shape), shading="nearest")
    figure.colorbar(drawn, ax=axis, label="points a deal")
    axis.plot(best[order[0]], best[order[1]], "w*")
    for i, name in zip(order, ("x", "y"), strict=True):
        param = space.params[i]
        ticks = list(range(len(param.choices))) if param.choices else [0.0, 0.5, 1.0]
        labels = [str(param.value(tick)) for tick in ticks]
        getattr(axis, f"set_{name}ticks")(ticks, labels)
        getattr(axis, f"set_{name}label")(find_option(param.key).name)


def draw_budgets(curves: Sequence[dict[str, Any]], path: str | Path) -> None:
    """Strength over budget, a picture for each curve."""
    figure, axes = _figure(1, len(curves))
    for axis, found in zip(axes[0], curves, strict=True):
        unit = found["unit"]
        xs = [row[unit] for row in found["levels"]]
        ys = [row["strength"]["mean"] for row in found["levels"]]
        errors = [(row["strength"]["high"] - row["strength"]["low"]) / 2 for row in found["levels"]]
        axis.errorbar(xs, ys, errors, marker="o", capsize=3)
        axis.set_xscale("log")
        axis.set_xlabel("ms a move" if unit == "movetime" else "nodes a move")
        axis.set_ylabel("points a deal above the first")
        axis.set_title(found["game"])
    _save(figure, path)
