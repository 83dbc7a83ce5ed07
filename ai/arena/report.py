"""What a tournament came to: one structure of numbers, and its forms for people and programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from trickbot.ai.arena.standings import PairStanding, Standings, Tally
from trickbot.ai.arena.stats import (
    Elo,
    Estimate,
    Rating,
    Sequential,
    elo,
    elo_ratings,
    estimate,
    margin_ratings,
)

Form = Literal["table", "json", "csv", "markdown"]
Report = dict[str, Any]


def make_report(
    standings: Standings,
    *,
    confidence: float = 0.95,
    sprt: Sequential | None = None,
    broken: Sequence[int] = (),
) -> Report:
    """Everything that the standings say, as JSON takes it: numbers, or null where there is none.

    margin: points a deal, first minus second. share: of the points of both. elo: from the deals (or matches)
    that were won. Each has its interval over blocks.
    """
    sums = standings.rating_sums()
    ratings = [(None, None)] * len(standings.labels) if sums is None else _ratings(standings, *sums)
    return {
        "game": standings.game,
        "deals": standings.n_deals,
        "confidence": confidence,
        "players": [
            {"label": label, **_player(standings, i), "rating": ratings[i][0], "elo": ratings[i][1]}
            for i, label in enumerate(standings.labels)
        ],
        "pairs": [
            {"first": standings.labels[i], "second": standings.labels[j], **_pair(pair, confidence)}
            for (i, j), pair in standings.pairs.items()
        ],
        "sprt": None if sprt is None else _sprt(sprt, next(iter(standings.pairs.values()))),
        "broken_lines": list(broken),
    }


def _ratings(standings: Standings, margins: Any, scores: Any) -> list[tuple[Any, Any]]:
    n = len(standings.labels)
    both: tuple[list[Rating], list[Rating]] = margin_ratings(n, margins), elo_ratings(n, scores)
    return [(asdict(a), asdict(b)) for a, b in zip(*both, strict=True)]


def _player(standings: Standings, player: int) -> dict[str, Any]:
    sums = standings.players[player]
    return {
        "deals": sums.deals,
        "points_a_deal": sums.points / sums.seats if sums.seats else None,
        "ms_a_move": 1000 * sums.seconds / sums.decisions if sums.decisions else None,
        "nodes_a_second": sums.nodes / sums.seconds if sums.nodes and sums.seconds else None,
        "losses": dict(sorted(sums.losses.items())),
    }


def _pair(pair: PairStanding, confidence: float) -> dict[str, Any]:
    return {
        "blocks": asdict(pair.blocks),
        "deals": asdict(pair.deals),
        "matches": asdict(pair.matches),
        "spoilt_blocks": pair.spoilt,
        "margin": _estimate(estimate(pair.margin, confidence)),
        "share": _estimate(pair.share.estimate(confidence)),
        "score": _estimate(estimate(pair.score, confidence)),
        "elo": asdict(elo(pair.score, confidence)),
    }


def _estimate(found: Estimate) -> dict[str, Any]:
    return {**asdict(found), "words": found.words}


def _sprt(sprt: Sequential, pair: PairStanding) -> dict[str, Any]:
    low, high = sprt.bounds
    return {
        "h0": sprt.h0,
        "h1": sprt.h1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "llr": sprt.llr(pair.margin),
        "low": low,
        "high": high,
        "accepted": sprt.decision(pair.margin),
    }


def render(report: Report, form: Form) -> str:
    """The report as text."""
    if form == "json":
        return json.dumps(report, indent=1, ensure_ascii=False)
    if form == "csv":
        return _csv(report)
    table = _markdown if form == "markdown" else _aligned
    parts = [_headline(report), table(*_pair_table(report)), table(*_player_table(report))]
    if len(report["players"]) > 2:
        parts.insert(2, table(*_crosstable(report)))
    parts += _remarks(report)
    return "\n\n".join(parts)


def with_error(estimate: dict[str, Any], digits: int = 2, unit: float = 1.0) -> str:
    """`+3.20 ± 1.05`: the mean and half its interval, or what can be said instead."""
    if estimate["mean"] is None:
        return "no block yet"
    text = f"{unit * estimate['mean'] + 0.0:+.{digits}f}"  # + 0.0: no -0
    if estimate["low"] is None:
        return f"{text} (one block)"
    return f"{text} ± {unit * (estimate['high'] - estimate['low']) / 2:.{digits}f}"


def elo_words(found: dict[str, Any] | Elo) -> str:
    """`+35 (+12 to +58)`, or what can be said instead."""
    value, low, high = found.values() if isinstance(found, dict) else (found.value, found.low, found.high)
    if value is None and low is None and high is None:
        return "-"
    if value is None:
        return f"above {low:+.0f}" if low is not None else f"below {high:+.0f}"
    if low is None and high is None:
        return f"{value:+.0f}"
    ends = ["open" if end is None else f"{end:+.0f}" for end in (low, high)]
    return f"{value:+.0f} ({' to '.join(ends)})"


def _tally(tally: dict[str, int]) -> str:
    won, even, lost = Tally(**tally).won, tally["even"], tally["lost"]
    return f"{won}-{even}-{lost}"


def _headline(report: Report) -> str:
    confidence = f"{100 * report['confidence']:g}"
    return f"{report['game']}: {report['deals']} deals; intervals of {confidence} % over blocks"


def _pair_table(report: Report) -> tuple[list[str], list[list[str]]]:
    pairs = report["pairs"]
    matches = any(sum(pair["matches"].values()) for pair in pairs)
    shares = any(pair["share"]["mean"] is not None for pair in pairs)
    head = ["first", "second", "blocks", "points a deal"]
    head += ["share %"] if shares else []
    head += ["Elo", "blocks + = -", "deals + = -"]
    head += ["matches + = -"] if matches else []
    rows = []
    for pair in pairs:
        row = [pair["first"], pair["second"], str(pair["score"]["n"]), with_error(pair["margin"])]
        row += [with_error(pair["share"], unit=100).lstrip("+")] if shares else []
        row += [elo_words(pair["elo"]), _tally(pair["blocks"]), _tally(pair["deals"])]
        row += [_tally(pair["matches"])] if matches else []
        rows.append(row)
    return head, rows


def _player_table(report: Report) -> tuple[list[str], list[list[str]]]:
    several = len(report["pairs"]) > 1
    head = ["player"]
    head += ["rating, points a deal", "rating, Elo"] if several else []
    head += ["deals", "points a deal", "ms a move", "nodes/s", "losses"]
    players = report["players"]
    if several:
        players = sorted(players, key=lambda player: -player["rating"]["value"])
    rows = []
    for player in players:
        row = [player["label"]]
        row += [_rating(player["rating"], 2), _rating(player["elo"], 0)] if several else []
        row += [str(player["deals"])]
        row += [
            "-" if player[key] is None else f"{player[key]:.{digits}f}"
            for key, digits in (("points_a_deal", 2), ("ms_a_move", 3), ("nodes_a_second", 0))
        ]
        row.append(", ".join(f"{n} {kind}" for kind, n in player["losses"].items()) or "-")
        rows.append(row)
    return head, rows


def _rating(rating: dict[str, Any], digits: int) -> str:
    error = "" if rating["error"] is None else f" ± {1.96 * rating['error']:.{digits}f}"
    return f"{rating['value']:+.{digits}f}{error}"


def _crosstable(report: Report) -> tuple[list[str], list[list[str]]]:
    """Mean margins, row against column."""
    labels = [player["label"] for player in report["players"]]
    margins = {(pair["first"], pair["second"]): pair["margin"]["mean"] for pair in report["pairs"]}
    rows = []
    for row in labels:
        cells = []
        for column in labels:
            mean, sign = margins.get((row, column)), 1
            if mean is None:
                mean, sign = margins.get((column, row)), -1
            cells.append("" if mean is None else f"{sign * mean + 0.0:+.2f}")
        rows.append([row, *cells])
    return ["points a deal against", *labels], rows


def _remarks(report: Report) -> list[str]:
    remarks = []
    for pair in report["pairs"]:
        who = f"{pair['first']} against {pair['second']}"
        if pair["margin"]["words"]:
            remarks.append(f"{who}: {pair['margin']['words']}")
        if pair["spoilt_blocks"]:
            n = pair["spoilt_blocks"]
            remarks.append(f"{who}: {n} blocks with a loss other than by the cards, counted in the Elo only")
    groups = {player["rating"]["group"] for player in report["players"] if player["rating"]}
    if len(groups) > 1:
        remarks.append("some players never met, not even through others: their ratings do not compare")
    sprt = report["sprt"]
    if sprt is not None:
        said = {None: "undecided", "h0": "accepted the first", "h1": "accepted the second"}[sprt["accepted"]]
        remarks.append(
            f"sequential test of {sprt['h0']:g} against {sprt['h1']:g} points a deal: {said}, "
            f"log likelihood ratio {sprt['llr']:.2f} ({sprt['low']:.2f} to {sprt['high']:.2f})"
        )
    if report["broken_lines"]:
        remarks.append(f"lines that could not be read: {', '.join(map(str, report['broken_lines'][:20]))}")
    return remarks


def _aligned(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(n) for cell, n in zip(row[1:], widths[1:], strict=True))]
        )
        for row in (head, *rows)
    )


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _csv(report: Report) -> str:
    """A line for each pair."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    estimates = [
        (key, part) for key in ("margin", "share", "score") for part in ("mean", "error", "low", "high")
    ]
    tallies = [(key, part) for key in ("blocks", "deals", "matches") for part in ("won", "even", "lost")]
    columns = [*estimates, *(("elo", part) for part in ("value", "low", "high")), *tallies]
    writer.writerow(["first", "second", *("_".join(column) for column in columns), "spoilt_blocks"])
    for pair in report["pairs"]:
        cells = [pair[key][part] for key, part in columns]
        writer.writerow([pair["first"], pair["second"], *cells, pair["spoilt_blocks"]])
    return out.getvalue().rstrip("\n")
