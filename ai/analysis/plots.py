"""Pictures of analyses. They need matplotlib, the extra ``plot``."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from trickbot.ai.analysis.beliefs import Beliefs
from trickbot.ai.analysis.chart import COLOURS
from trickbot.ai.analysis.positions import PositionReport
from trickbot.ai.analysis.records import DealReport, Summary, kept_sides, side_name
from trickbot.ai.analysis.text import SUITS, percent
from trickbot.ai.analysis.values import margin
from trickbot.engine.cards import GAMES, N_SEATS
from trickbot.engine.errors import OptionError, quoted
from trickbot.engine.notation import notation

FORMATS = ("png", "svg", "pdf")
_SKILL, _LUCK, _INK, _SOFT, _GRID = "#b3302a", "#8fa3b5", "#23211d", "#6d675c", "#e6dfcf"
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": _INK,
    "axes.edgecolor": _SOFT,
    "axes.labelcolor": _SOFT,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _SOFT,
    "ytick.color": _SOFT,
    "figure.facecolor": "#fffdf8",
    "axes.facecolor": "#fffdf8",
    "savefig.facecolor": "#fffdf8",
    "svg.hashsalt": "trickbot",
}


def check(path: str) -> None:
    """Raises ``OptionError`` where no picture can be drawn to this file."""
    form = Path(path).suffix.lstrip(".").lower()
    if form not in FORMATS:
        raise OptionError(f"--plot {quoted(path)}: must end in .{' or .'.join(FORMATS)}")
    try:
        import_module("matplotlib")
    except ImportError:
        raise OptionError("--plot: needs the extra plot: pip install trickbot[plot]") from None


def _figure(width: float, height: float) -> Any:
    """A figure that no window knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.14, h_pad=0.12)  # type: ignore[union-attr, call-arg]
    FigureCanvasAgg(figure)
    return figure


def _save(figure: Any, path: str) -> None:
    figure.savefig(path, dpi=160)


# Deals


def plot_deals(reports: Sequence[DealReport], path: str) -> None:
    """The course of the deals with the mistakes marked, above the points lost by player."""
    check(path)
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        n_players = len(Summary.of(reports).totals) or 1
        n_moves = sum(len(report.decisions) for report in reports)
        height = 0.42 * n_players + 1.3
        figure = _figure(min(24.0, max(10.0, 0.05 * n_moves + 6)), 4.6 + height)
        top, bottom = figure.subplots(2, 1, height_ratios=[4.4, height])
        _course(top, reports)
        _losses(bottom, Summary.of(reports))
        _save(figure, path)


def _course(axes: Any, reports: Sequence[DealReport]) -> None:
    teams = GAMES[reports[0].record.game].n_sides == 2

    def shown(points: Sequence[float], side: int) -> float:
        return margin(points, side) if teams else points[side]

    begin = 0
    starts: list[int] = []
    marks: list[_Mistake] = []
    ticks: list[tuple[float, str]] = []
    for report, order in zip(reports, kept_sides(reports), strict=True):
        starts.append(begin)
        values = [each.open_points for each in report.decisions]
        deal: Any = report.position.deal
        if deal.to_move < 0:
            values.append(tuple(map(float, deal.points)))
        for place, side in enumerate(order[:1] if teams else order):
            line = [shown(each, side) for each in values]
            name = None if begin or teams else _seat_name(report, side)
            at = range(begin, begin + len(line))
            axes.step(at, line, where="post", color=COLOURS[place], lw=1.8, label=name)
        for number, each in enumerate(report.decisions):
            if number == 0 or each.trick != report.decisions[number - 1].trick:
                ticks.append((begin + number, str(each.trick) if each.trick else ""))
            if each.mistake:
                after = values[min(number + 1, len(values) - 1)]
                side = order[0] if teams else each.seat
                value = shown(after, side)
                fell = shown(values[number], side) > value
                words = each.kind if "=" in each.played else f"{each.played} \u2192 {each.best}"
                marks.append((begin + number + 1, value, each.lost, words, fell))
        begin += len(values) + 1
    axes.axhline(0, color=_SOFT, lw=0.8, zorder=0)
    axes.grid(axis="y", color=_GRID, lw=0.8)
    axes.set_axisbelow(True)
    axes.margins(x=0.01, y=0.14)
    _mark(axes, marks)
    if len(reports) == 1:
        axes.set_xticks([at for at, _ in ticks], [text for _, text in ticks])
        axes.set_xlabel("trick")
    else:
        axes.set_xticks(starts, [f"{number + 1}" for number in range(len(starts))])
        axes.set_xlabel("deal")
        for start in starts[1:]:
            axes.axvline(start - 1, color=_GRID, lw=1)
    if teams:
        axes.set_title("With all hands open: the margin of " + side_name(reports[0], 0))
        axes.set_ylabel("points")
    else:
        axes.set_title("With all hands open: points by player", pad=28)
        axes.legend(frameon=False, ncols=N_SEATS, loc="lower left", bbox_to_anchor=(-0.01, 0.99), fontsize=9)


def _seat_name(report: DealReport, seat: int) -> str:
    """The player's name, with the seat where it plays several."""
    name = report.player(seat)
    return f"{name} (seat {seat})" if report.record.players.count(name) > 1 else name


_Mistake = tuple[float, float, float, str, bool]  # place, value, lost, words, whether the value fell there


def _mark(axes: Any, marks: Sequence[_Mistake]) -> None:
    """The mistakes as dots by size; the biggest with words, where these do not come too near others."""
    if not marks:
        return
    most = max(lost for _, _, lost, *_ in marks)
    axes.scatter(
        [at for at, *_ in marks],
        [value for _, value, *_ in marks],
        s=[25 + 130 * lost / most for _, _, lost, *_ in marks],
        color=_SKILL,
        edgecolor="white",
        lw=0.8,
        zorder=5,
        alpha=0.9,
    )
    low, high = axes.get_xlim()
    taken: list[float] = []
    for at, value, lost, words, fell in sorted(marks, key=lambda mark: -mark[2])[:8]:
        if any(abs(at - other) < (high - low) / 11 for other in taken):
            continue
        taken.append(at)
        text = f"{words}\n{lost:.0f} lost"
        place = (
            "left"
            if at < low + 0.06 * (high - low)
            else "right"
            if at > high - 0.06 * (high - low)
            else "center"
        )
        axes.annotate(
            text,
            (at, value),
            (0, -11 if fell else 11),
            textcoords="offset points",
            ha=place,
            va="top" if fell else "bottom",
            fontsize=8.5,
            color=_SKILL,
            linespacing=1.1,
            bbox={"boxstyle": "round,pad=0.15", "fc": "#fffdf8", "ec": "none", "alpha": 0.8},
            zorder=6,
        )


def _losses(axes: Any, summary: Summary) -> None:
    players = list(summary.totals)
    lost = [summary.totals[player].lost for player in players]
    luck = [summary.totals[player].luck for player in players]
    errors = [summary.totals[player].error for player in players]
    at = range(len(players))
    axes.barh(
        [each - 0.2 for each in at], lost, 0.36, color=_SKILL, label="lost (skill)", xerr=errors, ecolor=_INK
    )
    axes.barh([each + 0.2 for each in at], luck, 0.36, color=_LUCK, label="bad luck")
    axes.set_yticks(list(at), players)
    axes.invert_yaxis()
    axes.axvline(0, color=_SOFT, lw=0.8)
    axes.grid(axis="x", color=_GRID, lw=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0, labelcolor=_INK)
    axes.set_title("Points lost by player")
    axes.set_xlabel("points of margin")
    axes.legend(frameon=False, ncols=2, loc="upper right", bbox_to_anchor=(1, 1.28), fontsize=9)


# Positions


def plot_positions(reports: Sequence[PositionReport], path: str) -> None:
    """The moves of each position and where the hidden cards may lie; one picture a position."""
    check(path)
    import matplotlib as mpl

    file = Path(path)
    with mpl.rc_context(_STYLE):
        for number, report in enumerate(reports, 1):
            name = path if len(reports) == 1 else str(file.with_name(f"{file.stem}-{number}{file.suffix}"))
            _save(_position(report), name)


def _position(report: PositionReport) -> Any:
    beliefs = report.beliefs
    hidden = beliefs is not None and bool(beliefs.cards)
    n_places = len(beliefs.places) if beliefs and hidden else 0
    rows = 0.34 * len(report.moves) + 1.5
    columns = min(3, n_places) or 1
    lines = -(-n_places // columns) if n_places else 0
    n_ranks = len(GAMES[report.position.rules.game].ranks)
    figure = _figure(max(9.0, columns * (0.36 * n_ranks + 1.1)), rows + 2.35 * lines)
    if not hidden or beliefs is None:
        _moves(figure.subplots(), report)
        return figure
    top, bottom = figure.subfigures(2, 1, height_ratios=[rows, 2.35 * lines])
    _moves(top.subplots(), report)
    _heat(bottom, beliefs, lines, columns)
    return figure


def _moves(axes: Any, report: PositionReport) -> None:
    side = report.seat % GAMES[report.position.rules.game].n_sides
    moves = [move for move in report.moves if move.points]
    paired = all(move.lost for move in moves)
    values = [-move.lost.mean if move.lost and paired else move.points[side] for move in moves]
    errors = [move.lost.error if move.lost and paired else move.error for move in moves]
    at = list(range(len(moves)))
    if paired:
        axes.axvline(0, color=_SOFT, lw=0.8)
    axes.errorbar(values, at, xerr=errors, fmt="none", ecolor=_SOFT, elinewidth=1.6, capsize=4, zorder=2)
    colours = [_SKILL if number else "#2d6a4f" for number in at]
    axes.scatter(values, at, s=[40 + 160 * move.share for move in moves], color=colours, zorder=3)
    axes.set_yticks(at, [f"{move.word}   {move.points[side]:.1f}" for move in moves])
    axes.invert_yaxis()
    axes.margins(x=0.12, y=0.16)
    axes.grid(axis="x", color=_GRID, lw=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0, labelcolor=_INK)
    axes.set_title(f"Moves of seat {report.seat}, with the points that its side may expect")
    what = "margin against the first move in common worlds" if paired else "expected points"
    axes.set_xlabel(f"{what}, with standard error; the larger the dot, the more visits")


def _heat(figure: Any, beliefs: Beliefs, lines: int, columns: int) -> None:
    """Where the hidden cards may lie: a panel a place, a row a suit, a column a rank."""
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    paper = LinearSegmentedColormap.from_list("felt", ["#fbf7ec", "#9cc7a8", "#1f5a40"])
    names = notation(beliefs.game)
    ranks = names.ranks[::-1]
    figure.suptitle("Where the hidden cards may lie, per cent", x=0.01, ha="left", fontsize=13, weight="bold")
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    for panel in panels[len(beliefs.places) :]:
        panel.set_visible(False)
    for panel, place, chances in zip(panels, beliefs.places, beliefs.chances, strict=False):
        grid = np.full((4, len(ranks)), np.nan)
        for card, chance in chances.items():
            grid[card >> 4, len(ranks) - 1 - (card & 15)] = chance
        panel.imshow(grid, cmap=paper, vmin=0, vmax=1, aspect="equal")
        for card, chance in chances.items():
            column, row = len(ranks) - 1 - (card & 15), card >> 4
            colour = "#fffdf8" if chance > 0.55 else _INK if chance > 0 else "#b7ad98"
            panel.text(column, row, percent(chance), ha="center", va="center", fontsize=8, color=colour)
        panel.set_xticks(range(len(ranks)), list(ranks))
        panel.set_yticks(range(4), SUITS[beliefs.game])
        panel.tick_params(length=0, labelcolor=_INK)
        panel.xaxis.tick_top()
        panel.set_xticks([each - 0.5 for each in range(1, len(ranks))], minor=True)
        panel.set_yticks([0.5, 1.5, 2.5], minor=True)
        panel.grid(which="minor", color="#fffdf8", lw=2)
        panel.tick_params(which="minor", length=0)
        for spine in panel.spines.values():
            spine.set_visible(False)
        panel.set_title(str(place), fontsize=10.5, weight="normal", loc="left", pad=6)
