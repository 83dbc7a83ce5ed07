"""The course of a deal as an SVG drawing: its value with all hands open, card by card, and the mistakes."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from trickbot.ai.analysis.records import DealReport, Decision, side_name
from trickbot.ai.analysis.values import margin
from trickbot.engine.cards import GAMES, N_SEATS
from trickbot.engine.notation import OVER

Scale = Callable[[float], float]

COLOURS = ("#2f6b8f", "#8a6a12", "#5b4a8f", "#4f7a4a")
"""Of the sides."""

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 1040, 270, 52, 14, 20, 34


def signed(value: float) -> str:
    """A number of points as it is set in print."""
    text = f"{abs(value):.1f}"
    return f"−{text}" if value < 0 and float(text) else text


def chart(report: DealReport) -> str:
    """The value of the deal with open hands, card by card, with the mistakes marked, as SVG."""
    decisions = report.decisions
    if len(decisions) < 2:
        return ""
    deal: Any = report.position.deal
    n_sides = GAMES[report.record.game].n_sides
    points = [each.open_points for each in decisions]
    if deal.phase == OVER:
        points.append(tuple(map(float, deal.points)))
    if n_sides == 2:
        lines = [("", [margin(each, 0) for each in points])]
    else:
        lines = [(report.player(seat), [each[seat] for each in points]) for seat in range(N_SEATS)]
    low = min(0.0, *(min(line) for _, line in lines))
    high = max(0.0, *(max(line) for _, line in lines))
    step = _tick((high - low) or 1.0)
    low, high = step * (low // step), step * -(-high // step)
    high = max(high, low + step)

    def x(at: float) -> float:
        return _LEFT + at * (_WIDTH - _LEFT - _RIGHT) / max(1, len(points) - 1)

    def y(value: float) -> float:
        return _TOP + (high - value) * (_HEIGHT - _TOP - _BOTTOM) / (high - low)

    parts = []
    for number in range(round((high - low) / step) + 1):
        value = low + number * step
        css = "zero" if value == 0 else "grid"
        parts.append(
            f'<path d="M{_LEFT} {y(value):.1f}H{_WIDTH - _RIGHT}" class="{css}"/><text x="{_LEFT - 8}" '
            f'y="{y(value) + 4:.1f}" text-anchor="end">{signed(value).removesuffix(".0")}</text>'
        )
    parts += _trick_marks(decisions, x)
    for (_, line), colour in zip(lines, COLOURS, strict=False):
        path = f"M{x(0):.1f} {y(line[0]):.1f}" + "".join(
            f"H{x(at):.1f}V{y(each):.1f}" for at, each in enumerate(line[1:], 1)
        )
        parts.append(f'<path d="{path}" class="track" stroke="{colour}"/>')
    parts += _mistake_marks(report, lines, x, y)
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Value with open hands over the deal">{"".join(parts)}</svg>{_key(report, lines)}'
    )


def _tick(span: float) -> float:
    """A round distance between grid lines, four to eight of them."""
    step = 1.0
    for factor in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        step = float(factor)
        if span / step <= 7:
            break
    return step


def _trick_marks(decisions: Sequence[Decision], x: Scale) -> list[str]:
    parts = []
    first = [at for at, each in enumerate(decisions) if at == 0 or each.trick != decisions[at - 1].trick]
    for begin, end in zip(first, [*first[1:], len(decisions)], strict=True):
        if begin:
            parts.append(f'<path d="M{x(begin):.1f} {_TOP}V{_HEIGHT - _BOTTOM}" class="grid dashed"/>')
        trick = decisions[begin].trick
        if trick or x(end) - x(begin) > 60:
            parts.append(
                f'<text x="{(x(begin) + x(end)) / 2:.1f}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">'
                f"{f'trick {trick}' if trick == 1 else trick or 'before the play'}</text>"
            )
    return parts


def _mistake_marks(
    report: DealReport, lines: Sequence[tuple[str, list[float]]], x: Scale, y: Scale
) -> list[str]:
    parts = []
    found = [(at, each) for at, each in enumerate(report.decisions) if each.mistake]
    most = max((each.lost for _, each in found), default=1.0)
    for at, each in found:
        line = lines[each.seat if len(lines) > 1 else 0][1]
        value = line[min(at + 1, len(line) - 1)]
        radius = 4 + 6 * (each.lost / most) ** 0.5
        title = f"{report.player(each.seat)}: {each.played}, better {each.best}, lost {each.lost:.1f}"
        parts.append(
            f'<circle cx="{x(at + 1):.1f}" cy="{y(value):.1f}" r="{radius:.1f}" class="mistake">'
            f"<title>{escape(title)}</title></circle>"
        )
    return parts


def _key(report: DealReport, lines: Sequence[tuple[str, list[float]]]) -> str:
    how = "solved" if all(each.open_exact for each in report.decisions) else "partly searched, not solved"
    if len(lines) == 1:
        what = f"Margin of {escape(side_name(report, 0))} with all hands open, after each card ({how})"
    else:
        what = f"Points of each player with all hands open, after each move ({how}):" + "".join(
            f'<span class="dot" style="background:{colour}"></span>{escape(name)}'
            for (name, _), colour in zip(lines, COLOURS, strict=False)
        )
    return f'<p class="key">{what}<span class="dot" style="background:#b3302a"></span>mistake</p>'
