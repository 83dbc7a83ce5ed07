"""The command `analyse`: positions, records, pictures, pages, and the batch mode."""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
from trickbot.ai.analysis.positions import PositionAnalysis, PositionReport, Settings
from trickbot.ai.analysis.records import DealReport, Summary
from trickbot.ai.analysis.review import Review
from trickbot.ai.analysis.text import (
    NOTES,
    deal_json,
    deal_lines,
    mistake_lines,
    position_json,
    position_lines,
    summary_json,
    summary_lines,
)
from trickbot.ai.analysis.values import EFFORTS
from trickbot.ai.options import Options
from trickbot.ai.searcher import Limits
from trickbot.engine.cards import GAMES
from trickbot.engine.errors import RecordError, TrickbotError, quoted
from trickbot.engine.notation import Notation, notation
from trickbot.engine.position import Position
from trickbot.engine.record import Record

_RECORD_NODES = 50_000  # of the search for a decision of a record, where no limit is given
_BROKEN = 1  # exit code where lines of the input were left out
_INTERRUPTED = 130


@click.command()
@click.argument("words", nargs=-1, metavar="[POSITION | FILE]")
@click.option("--multipv", type=click.IntRange(0), default=5, show_default=True, help="moves shown; 0: all")
@click.option("--movetime", type=click.IntRange(1), help="ms of search for a position [1000 without --nodes]")
@click.option(
    "--nodes", type=click.IntRange(1), help="iterations of search [50000 for a decision of a record]"
)
@click.option(
    "--effort",
    type=click.Choice(list(EFFORTS)),
    default="normal",
    show_default=True,
    help="how much is solved exactly rather than searched, and in how many worlds moves are valued",
)
@click.option(
    "--worlds",
    type=click.IntRange(0, 1_000_000),
    help="in which moves are valued [quick 20, normal 50, deep 200]; 0: the search's own figures (positions)",
)
@click.option("--open", "open_hands", is_flag=True, help="all moves with all four hands open as well")
@click.option("--beliefs", is_flag=True, help="where the hidden cards may lie, by seat, as well")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="of the engine; may be repeated"
)
@click.option("--seed", type=click.IntRange(1), default=1, show_default=True, help="of all random choices")
@click.option(
    "--cards",
    type=click.Choice(["german", "french"]),
    default="german",
    show_default=True,
    help="names in jass",
)
@click.option(
    "--log", type=click.Path(dir_okay=False), help="keep every analysed decision here; go on from it"
)
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="decisions at a time")
@click.option(
    "--mistakes", type=click.IntRange(0), default=10, show_default=True, help="shown, biggest first"
)
@click.option("--summary", "only_summary", is_flag=True, help="records: no line for each decision")
@click.option("--plot", type=click.Path(dir_okay=False), help="draw a picture: .png, .svg or .pdf")
@click.option("--html", type=click.Path(dir_okay=False), help="write one self-contained page (records)")
@click.option("--json", "as_json", is_flag=True, help="one JSON object a line instead of text")
@click.option("--batch", is_flag=True, help="answer JSON queries from standard input, see below")
@click.option("--quiet", is_flag=True, help="no progress bar")
@click.pass_context
def analyse(context: click.Context, /, words: tuple[str, ...], **given: Any) -> None:
    """Says what moves are worth: of a position, of a file of positions, or of a file of records.

    \b
    trickbot analyse jass first 0 hands rA,rK,... '?' '?' '?' moves obenabe rA
    trickbot analyse positions.txt --movetime 200 --json
    trickbot analyse match.jsonl --log match.analysis --html match.html
    trickbot analyse --batch < queries.jsonl

    A POSITION is the text after `position` in the protocol; a FILE has one a line, or records, one JSON
    object a line; `-` is standard input.

    Of a position: its moves in the engine's order. POINTS are the deal's by side, as they enter the match:
    the mean over common worlds in which the deal is played on with open hands. LOST is the margin given up
    against the first move, from the differences within these worlds.

    Of a record: for each decision what was played and what was best for somebody who saw what the player saw,
    the margin LOST with its standard error, and what was lost with all hands open; so skill and luck come
    apart. With --log the work goes on where it was left, also after Ctrl-C.

    \b
    In batch mode a query is one JSON object a line, for instance
      {"id":"a","position":"jass first 0 hands ...","turns":[0,4],"nodes":5000}
    with the fields id, position or record, turns, multipv, movetime, nodes, worlds, open, beliefs, options,
    seed, cards, priority, report_every; or id and action: version, terminate (of: an id), terminate_all.
    Every query has exactly one answer with "final":true.
    """
    if given["batch"]:
        from trickbot.ai.analysis.batch import run

        if words:
            raise click.UsageError("--batch reads standard input: no POSITION or FILE may stand beside it")
        run(_settings(given, None, context.obj), given["jobs"])
        return
    if not words:
        raise click.UsageError("a POSITION or a FILE is missing")
    command = _Command(given, context.obj)
    kind, source = _source(words)
    if kind == "position":
        command.positions([("", source)])
        return
    lines = [(f"{source}:{number}: ", line) for number, line in enumerate(_read(source), 1) if line.strip()]
    if not lines:
        raise click.UsageError(f"{source}: there is nothing in it")
    if lines[0][1].lstrip().startswith("{"):
        command.records(lines)
    else:
        command.positions(lines)


def _source(words: tuple[str, ...]) -> tuple[str, str]:
    """Whether the words are a position or the name of a file."""
    first = words[0].lower()
    if first in (*GAMES, "position") and len(words) + len(words[0].split()) > 2:
        return "position", " ".join(words)
    if len(words) == 1 and words[0].split()[:1] and words[0].split()[0].lower() in (*GAMES, "position"):
        return "position", words[0]
    if len(words) > 1:
        raise click.UsageError(
            f"{quoted(words[0])}: a position begins with {' or '.join(GAMES)}, and only one FILE may be named"
        )
    return "file", words[0]


def _read(path: str) -> list[str]:
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8", "replace").splitlines()
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as wrong:
        raise click.UsageError(
            f"{path}: {wrong.strerror}; a position begins with {' or '.join(GAMES)}"
        ) from None


def _settings(given: dict[str, Any], usual_nodes: int | None, game: str | None) -> Settings:
    options = Options(game=game or "jass")
    for word in given["options"]:
        name, equals, value = word.partition("=")
        if not equals:
            raise click.UsageError(f"--option {quoted(word)}: must be NAME=VALUE")
        options.set(name, value)
    nodes, movetime = given["nodes"], given["movetime"]
    if nodes is None and movetime is None:
        nodes = usual_nodes
        movetime = None if usual_nodes else options.move_time
    world, deal, n_worlds = EFFORTS[given["effort"]]
    return Settings(
        options,
        Limits(nodes, movetime),
        given["multipv"],
        n_worlds if given["worlds"] is None else given["worlds"],
        world,
        deal,
        open_hands=given["open_hands"],
        beliefs=given["beliefs"],
        seed=given["seed"],
    )


class _Command:
    """What the options ask for, done with the input."""

    def __init__(self, given: dict[str, Any], game: str | None) -> None:
        self.given = given
        self.broken = 0
        self.of_positions = _settings(given, None, game)
        self.of_records = _settings(given, _RECORD_NODES, game)
        if given["plot"]:
            from trickbot.ai.analysis.plots import check

            check(given["plot"])

    def _complain(self, message: str) -> None:
        click.echo(f"Error: {message}", err=True)
        self.broken += 1

    def _end(self) -> None:
        if self.broken:
            sys.exit(_BROKEN)

    def _names(self, game: str) -> Notation:
        return notation(game, self.given["cards"] if game == "jass" else "german")

    def _bar(self, length: int, label: str) -> Any:
        if self.given["quiet"] or length < 2 or not sys.stderr.isatty():
            return nullcontext(SimpleNamespace(update=lambda n: None))
        return click.progressbar(
            length=length, label=label, file=sys.stderr, show_pos=True, update_min_steps=1
        )

    # Positions

    def positions(self, lines: list[tuple[str, str]]) -> None:
        """Analyses positions: (where it stands, its text)."""
        given = self.given
        for option in ("html", "log"):
            if given[option]:
                raise click.UsageError(f"--{option} is for records, these are positions")
        settings = self.of_positions
        reports = []
        complete = True
        with self._bar(len(lines), "positions") as bar:
            for where, line in lines:
                try:
                    report, complete = _to_the_end(self._position(line, settings))
                except TrickbotError as wrong:
                    if not where:
                        raise
                    self._complain(f"{where}{wrong}")
                else:
                    reports.append(report)
                    self._show(report, len(lines) > 1)
                if not complete:
                    break
                bar.update(1)
        if given["plot"]:
            from trickbot.ai.analysis.plots import plot_positions

            plot_positions(reports, given["plot"])
        if not complete:
            click.echo("interrupted: not all that was asked for was done", err=True)
            sys.exit(_INTERRUPTED)
        self._end()

    def _position(self, line: str, settings: Settings) -> PositionAnalysis:
        skipped: list[str] = []
        position = Position.parse(line, style=self.given["cards"], warnings=skipped)
        if skipped:
            click.echo(f"Warning: skipped {', '.join(map(quoted, skipped))}", err=True)
        if self.given["plot"]:
            settings = replace(settings, beliefs=True)
        return PositionAnalysis(position, settings, self._names(position.rules.game))

    def _show(self, report: PositionReport, many: bool) -> None:
        names = self._names(report.position.rules.game)
        if self.given["as_json"]:
            click.echo(json.dumps(position_json(report, names), separators=(",", ":")))
            return
        if many:
            click.echo(report.position.text(names))
        click.echo("\n".join(position_lines(report, names)) + ("\n" if many else ""))

    # Records

    def records(self, lines: list[tuple[str, str]]) -> None:
        """Analyses records: (where it stands, its JSON)."""
        given = self.given
        records = list(self._records(lines))
        if not records:
            self._end()
        settings = self.of_records
        if not settings.worlds:
            raise click.UsageError("--worlds 0: the decisions of records are valued in worlds, at least one")
        review = Review(records, settings, given["log"])
        complete = self._run(review)
        reports = review.reports
        self._print(reports)
        self._draw(reports)
        if not complete:
            more = (
                f"go on with --log {given['log']}" if given["log"] else "with --log it could go on from here"
            )
            click.echo(f"interrupted after {review.n_done} of {review.n_steps} decisions; {more}", err=True)
            sys.exit(_INTERRUPTED)
        self._end()

    def _records(self, lines: list[tuple[str, str]]) -> Iterator[Record]:
        game = None
        for where, line in lines:
            try:
                record = Record.from_json(line)
                record.check()
                if game not in (None, record.game):
                    raise RecordError(f"game {record.game}: must be {game}, as in the first record")
            except RecordError as wrong:
                self._complain(f"{where}{wrong}")
            else:
                game = record.game
                yield record

    def _run(self, review: Review) -> bool:
        with self._bar(review.n_steps, "decisions") as bar:
            if review.n_done:
                bar.update(review.n_done)
            return review.run(self.given["jobs"], lambda: bar.update(1))

    def _print(self, reports: list[DealReport]) -> None:
        game = reports[0].record.game
        summary = Summary.of(reports)
        if self.given["as_json"]:
            for report in reports:
                click.echo(json.dumps(deal_json(report), separators=(",", ":")))
            click.echo(json.dumps({"summary": summary_json(summary)}, separators=(",", ":")))
            return
        if not self.given["only_summary"]:
            for at, report in enumerate(reports):
                title, *lines = deal_lines(report)
                click.echo("\n".join([f"deal {at + 1}: {title}", *lines, ""]))
        if summary.totals:
            blocks = [mistake_lines(reports, self.given["mistakes"]), summary_lines(summary, game), NOTES]
            click.echo("\n\n".join("\n".join(block) for block in blocks))

    def _draw(self, reports: list[DealReport]) -> None:
        if self.given["plot"]:
            from trickbot.ai.analysis.plots import plot_deals

            plot_deals(reports, self.given["plot"])
        if self.given["html"]:
            from trickbot.ai.analysis.page import page

            Path(self.given["html"]).write_text(page(reports), encoding="utf-8")


def _to_the_end(analysis: PositionAnalysis) -> tuple[PositionReport, bool]:
    """What an analysis found, and whether nobody interrupted it from the keyboard. In a thread: the kernels do not
    listen to the keyboard."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(analysis.run)
        try:
            return running.result(), True
        except KeyboardInterrupt:
            analysis.stop()
            return running.result(), False
