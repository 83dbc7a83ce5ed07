"""What the analyses say, as text for people and as JSON for programs."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from trickbot.ai.analysis.beliefs import Beliefs
from trickbot.ai.analysis.positions import PositionReport
from trickbot.ai.analysis.records import DealReport, Decision, Summary, biggest, side_name
from trickbot.engine.cards import GAMES, N_SEATS, side_of
from trickbot.engine.notation import PHASE_NAMES, PLAY, Notation, notation

SUITS = {"jass": ("roses", "acorns", "bells", "shields"), "apples": ("clubs", "diamonds", "hearts", "spades")}


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Lines of a table; the columns in ``right`` end at the same place, the others begin there."""
    right = set(right)
    lines = [list(head), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def with_error(mean: float, error: float, digits: int = 1) -> str:
    """``12.3 ±0.4``"""
    return f"{_number(mean, digits)} ±{error:.{digits}f}"


def _number(value: float, digits: int = 1) -> str:
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _points(points: Sequence[float]) -> str:
    return " : ".join(_number(each) for each in points)


# Positions


def position_lines(report: PositionReport, names: Notation) -> list[str]:
    """A position's analysis for people."""
    deal: Any = report.position.deal
    game = deal.game
    phase = "card" if deal.phase == PLAY else PHASE_NAMES[deal.phase]
    who = f"{phase} of seat {report.seat}"
    if game == "jass":
        who += f" (team {side_of(game, report.seat)})"
    lines = [f"{who}: {report.best}"]
    if report.nodes:
        lines[0] += f"   {report.nodes:,} iterations, {report.worlds:,} worlds, {report.time_s:.2f} s"
    rows = []
    for move in report.moves:
        lost = "" if move.lost is None else "-" if move is report.moves[0] else with_error(*_pair(move.lost))
        rows.append(
            [
                move.word,
                _points(move.points) or "-",
                f"±{move.error:.1f}",
                lost,
                "" if move.win is None else f"{100 * move.win:.1f} %",
                f"{move.visits:,}",
                f"{100 * move.share:.1f} %",
                " ".join(move.line[1:]),
            ]
        )
    sides = "team 0 : 1" if game == "jass" else "seat 0 : 1 : 2 : 3"
    lines += table(
        ["move", sides, "error", "lost", "win", "visits", "share", "then"], rows, right=range(1, 7)
    )
    if report.n_worlds:
        how = "all" if report.complete else "drawn"
        exact = all(move.exact for move in report.moves)
        lines.append(
            f"Points: the deal's, played on with open hands in {report.n_worlds} worlds ({how}), "
            f"{'solved' if exact else 'searched'}. Lost: margin against the first move in the same worlds."
        )
    if report.open_moves is not None:
        lines += ["", *_open_lines(report)]
    if report.beliefs is not None:
        lines += ["", *belief_lines(report.beliefs, names)]
    return lines


def _pair(estimate: Any) -> tuple[float, float]:
    return estimate.mean, estimate.error


def _open_lines(report: PositionReport) -> list[str]:
    moves = report.open_moves or []
    exact = {move.exact for move in moves}
    how = (
        "exact"
        if exact == {True}
        else "searched, not exact"
        if exact == {False}
        else "~: searched, not exact"
    )
    rows = [
        [
            move.word,
            _points(move.points) + ("" if move.exact or len(exact) < 2 else " ~"),
            _number(move.lost),
            " ".join(move.line[1:]),
        ]
        for move in moves
    ]
    head = f"All hands open ({how}):"
    return [head, *table(["move", "points", "lost", "then"], rows, right=(1, 2))]


def belief_lines(beliefs: Beliefs, names: Notation) -> list[str]:
    """The chance of each hidden card by place, in per cent: a block for each place, a line for each suit."""
    lines = [f"Where the hidden cards may lie, per cent of {beliefs.n_worlds:,} deals:"]
    ranks = names.ranks[::-1]
    for place, chances in zip(beliefs.places, beliefs.chances, strict=True):
        lines.append(f"{place!s:<18}" + "".join(f"{rank:>5}" for rank in ranks))
        for suit, name in enumerate(SUITS[beliefs.game]):
            cells = []
            for rank in reversed(range(len(ranks))):
                chance = chances.get(16 * suit + rank)
                cells.append("" if chance is None else percent(chance))
            lines.append(f"  {name:<16}" + "".join(f"{cell:>5}" for cell in cells))
    return [line.rstrip() for line in lines]


def percent(chance: float) -> str:
    """A chance in per cent; a small one that is not 0 does not look like it."""
    if chance <= 0:
        return "-"
    return "<1" if chance < 0.005 else ">99" if 0.995 < chance < 1 else f"{100 * chance:.0f}"


def position_json(report: PositionReport, names: Notation) -> dict[str, Any]:
    """The same for programs."""
    game = report.position.rules.game
    fields: dict[str, Any] = {
        "position": report.position.text(names),
        "seat": report.seat,
        "side": side_of(game, report.seat),
        "best": report.best,
        "nodes": report.nodes,
        "worlds": report.worlds,
        "time_ms": round(1000 * report.time_s),
        "valued_worlds": report.n_worlds,
        "complete": report.complete,
        "moves": [
            {
                "move": move.word,
                "visits": move.visits,
                "share": round(move.share, 4),
                "points": [round(each, 2) for each in move.points],
                "error": round(move.error, 3),
                "lost": None if move.lost is None else round(move.lost.mean, 3),
                "lost_error": None if move.lost is None else round(move.lost.error, 3),
                "win": None if move.win is None else round(move.win, 4),
                "exact": move.exact,
                "line": move.line,
            }
            for move in report.moves
        ],
    }
    if report.open_moves is not None:
        fields["open"] = [
            {
                "move": move.word,
                "points": [round(each, 2) for each in move.points],
                "lost": round(move.lost, 2),
                "exact": move.exact,
                "line": move.line,
            }
            for move in report.open_moves
        ]
    if report.beliefs is not None:
        fields["beliefs"] = beliefs_json(report.beliefs, names)
    return fields


def beliefs_json(beliefs: Beliefs, names: Notation) -> dict[str, Any]:
    """``places``, each with its seat and the chance of each hidden card."""
    return {
        "worlds": beliefs.n_worlds,
        "places": [
            {
                "seat": place.seat,
                "target": place.target,
                "chances": {names.card_text(card): round(chances[card], 4) for card in beliefs.cards},
            }
            for place, chances in zip(beliefs.places, beliefs.chances, strict=True)
        ],
    }


# Records


def deal_title(report: DealReport) -> str:
    """What was played: rules, contract or bid, points."""
    record, deal = report.record, report.position.deal
    words = [record.game, str(record.rules)]
    if record.game == "jass" and deal.contract >= 0:
        pushed = ", pushed" if deal.pushed else ""
        contract = notation("jass").move_text(0, 9 + deal.contract)
        words.append(f"{contract} by {report.player(deal.declarer)} (seat {deal.declarer}{pushed})")
        words.append(f"times {deal.multiplier}")
    elif record.game == "apples" and deal.bid is not None:
        number, suit = deal.bid
        words.append(f"bid {number}{'cdhs'[suit]} by {report.player(deal.bidder)} (seat {deal.bidder})")
    words.append("points " + " : ".join(map(str, deal.points)))
    return ", ".join(words)


def deal_lines(report: DealReport) -> list[str]:
    """A deal's analysis for people: a line for each decision that was a choice."""
    n_sides = GAMES[report.record.game].n_sides
    lines = [deal_title(report)]
    rows = []
    for each in report.decisions:
        if each.forced:
            continue
        same = each.played == each.best
        rows.append(
            [
                f"{each.trick or ''}",
                f"{each.seat}",
                report.player(each.seat),
                each.kind,
                each.played,
                "" if same else each.best,
                "" if same and abs(each.lost) < 0.05 else with_error(each.lost, each.error),
                "" if each.open_lost is None else _number(each.open_lost),
                _points(each.open_points) + ("" if each.open_exact else " ~"),
                "?" * (1 + (each.lost > _big(report))) if each.mistake else "",
            ]
        )
    sides = "open, " + ("team 0 : 1" if n_sides == 2 else "seat 0 : 1 : 2 : 3")
    head = ["trick", "seat", "player", "kind", "played", "best", "lost", "open lost", sides, ""]
    return [*lines, *table(head, rows, right=(0, 1, 6, 7, 8))]


def _big(report: DealReport) -> float:
    """Points lost that make a mistake a big one: those of two good cards."""
    return 20.0 * max(1, report.position.deal.multiplier) if report.record.game == "jass" else 20.0


NOTES = [
    "best: of the move played and the engine's first choices, the one of the highest mean in deals that were",
    "possible for the player, played on with open hands. lost: margin it brings beyond the move played,",
    "with its standard error; around 0 where nothing was lost. open lost: with all four hands open; bad",
    "luck: open lost beyond lost. ~: searched, not solved. ?: a mistake: a point and two standard errors.",
]
"""What the columns mean."""


def mistake_lines(reports: list[DealReport], n: int) -> list[str]:
    """The biggest mistakes of all deals."""
    found = biggest(reports, n)
    if not found:
        return ["No mistake beyond doubt."]
    rows = [
        [
            f"{at + 1}",
            f"{each.trick or ''}",
            report.player(each.seat),
            each.kind,
            each.played,
            each.best,
            with_error(each.lost, each.error),
            "" if each.open_lost is None else _number(each.open_lost),
        ]
        for at, report, each in found
    ]
    head = ["deal", "trick", "player", "kind", "played", "better", "lost", "open lost"]
    return ["Biggest mistakes", *table(head, rows, right=(0, 1, 6, 7))]


def summary_lines(summary: Summary, game: str) -> list[str]:
    """Points lost by player and kind of decision."""
    kinds = summary.kinds(game)
    rows = []
    for player, total in summary.totals.items():
        for kind in [*kinds, "all"]:
            part = total if kind == "all" else summary.sums.get((player, kind))
            if part is None:
                continue
            rows.append(
                [
                    player if kind == (kinds[0] if (player, kinds[0]) in summary.sums else kind) else "",
                    kind,
                    f"{part.n}",
                    f"{100 * part.n_best / part.n:.0f} %",
                    f"{part.n_mistakes}",
                    with_error(part.lost, part.error),
                    _number(part.lost / part.n, 2),
                    _number(part.lost + part.luck),
                    _number(part.luck),
                ]
            )
    shown = ""
    for row in rows:  # a player's name once
        row[0], shown = ("" if row[0] in ("", shown) else row[0]), row[0] or shown
    head = ["player", "kind", "choices", "best", "mistakes", "lost", "each", "open lost", "bad luck"]
    return ["By player and kind of decision", *table(head, rows, right=range(2, 9))]


def decision_json(decision: Decision) -> dict[str, Any]:
    """A decision for programs, and for the log."""
    return {
        key: [round(each, 4) for each in value]
        if isinstance(value, tuple)
        else round(value, 4)
        if isinstance(value, float)
        else value
        for key, value in asdict(decision).items()
    }


def decision_from_json(fields: dict[str, Any]) -> Decision:
    """The inverse of ``decision_json``. Raises ``TypeError`` and ``KeyError`` for anything else."""
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
    }
    return Decision(**values)


def deal_json(report: DealReport) -> dict[str, Any]:
    """A deal's analysis for programs."""
    record = report.record
    return {
        "game": record.game,
        "rules": str(record.rules),
        "players": [report.player(seat) for seat in range(N_SEATS)],
        "deal": list(report.position.deal.points),
        "sides": [side_name(report, side) for side in range(GAMES[record.game].n_sides)],
        "decisions": [decision_json(each) | {"mistake": each.mistake} for each in report.decisions],
    }


def summary_json(summary: Summary) -> dict[str, Any]:
    """The sums by player and kind, kind ``all`` with them."""
    return {
        "deals": summary.n_deals,
        "forced": summary.n_forced,
        "players": {
            player: {
                kind: {
                    "choices": part.n,
                    "best": part.n_best,
                    "mistakes": part.n_mistakes,
                    "lost": round(part.lost, 3),
                    "error": round(part.error, 3),
                    "luck": round(part.luck, 3),
                }
                for kind, part in [
                    *((kind, part) for (who, kind), part in summary.sums.items() if who == player),
                    ("all", total),
                ]
            }
            for player, total in summary.totals.items()
        },
    }
