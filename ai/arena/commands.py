"""The commands `tournament`, `match` and `check`."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sys
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any

import click
from trickbot.ai.arena.report import Form, make_report, render, with_error
from trickbot.ai.arena.setup import Format, Player, Setup, make_pairings, make_players
from trickbot.ai.arena.stats import Sequential, estimate
from trickbot.ai.arena.tournament import Tournament, TournamentError, read_standings
from trickbot.engine.cards import GAMES, N_SEATS
from trickbot.engine.rules import Rules

FORMS = click.Choice(["table", "json", "csv", "markdown"])
_FAILED = 3  # exit code where a player lost a deal other than by its cards


def _game() -> str:
    """The game that `trickbot --game` named before the command."""
    return click.get_current_context().obj or "jass"


_GAME = click.option("--game", type=click.Choice(list(GAMES)), default=_game, show_default="jass")
_COMMON = [
    _GAME,
    click.option("--rules", default="", help="a preset, and fields: cardavia,target=2500"),
    click.option("--seed", type=int, default=1, show_default=True, help="of the deals and of all choices"),
    click.option("--movetime", type=click.IntRange(1), help="ms a move, for players that name no limit"),
    click.option("--nodes", type=click.IntRange(1), help="iterations a move, for players that name no limit"),
    click.option("--mixed", is_flag=True, help="Jass: a player fills single seats, not a team"),
]


def common(command: Any) -> Any:
    for option in reversed(_COMMON):
        command = option(command)
    return command


class _TournamentGroup(click.Group):
    """A group whose command may be left out: `tournament A B` plays, `tournament report LOG` reports."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "-h")):
            args = ["play", *args]
        return super().parse_args(context, args)


@click.group(cls=_TournamentGroup)
def tournament() -> None:
    """Bots against each other, so that the result can be trusted.

    \b
    trickbot tournament PLAYER PLAYER ... [OPTIONS]   plays (trickbot tournament play --help)
    trickbot tournament report LOG                    what a log says
    """


@tournament.command()
@click.argument("players", nargs=-1)
@common
@click.option("--blocks", type=click.IntRange(0), help="deals, each in all seatings, for each pair [100]")
@click.option("--matches", is_flag=True, help="whole matches to the target instead of single deals")
@click.option("--deals", type=click.Path(exists=True, dir_okay=False), help="take them from records")
@click.option(
    "--pairings",
    "pairings",
    type=click.Choice(["round-robin", "gauntlet", "table"]),
    default="round-robin",
    show_default=True,
    help="all pairs; the first against each other; three or four at one table",
)
@click.option(
    "--sprt", nargs=2, type=float, help="stop when one of two margins, in points a deal, is accepted"
)
@click.option("--alpha", type=click.FloatRange(0, 0.5, True, True), default=0.05, show_default=True)
@click.option("--beta", type=click.FloatRange(0, 0.5, True, True), default=0.05, show_default=True)
@click.option("--log", type=click.Path(dir_okay=False), help="write every deal to this file as it ends")
@click.option(
    "--resume", is_flag=True, help="go on with what the log holds; its settings if no player is named"
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="processes")
@click.option("--scheduler", help="play on the Dask cluster at this address instead")
@click.option(
    "--margin",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    help="ms that cmd: may take beyond movetime",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="s for any other answer of cmd:",
)
@click.option("--forgive", is_flag=True, help="exit with 0 although a player broke the rules or failed")
@click.option("--confidence", type=click.FloatRange(0, 1, True, True), default=0.95, show_default=True)
@click.option("--format", "form", type=FORMS, default="table", show_default=True)
@click.option("--quiet", is_flag=True, help="no progress line")
def play(players: tuple[str, ...], **options: Any) -> None:
    """Plays a tournament of PLAYERS.

    \b
    A player is [LABEL=]SPEC, where SPEC is
      a bot with options         ismcts:movetime=50   new=pimc:nodes=2000,exploration=1.0
      a program of the protocol  cmd:./mybot --game jass   cmd,movetime=50:./mybot
      two partners in Jass       'ismcts:movetime=50 + rules'
    """
    log, resume = options["log"], options["resume"]
    if resume and not log:
        raise click.UsageError("--resume needs --log")
    try:
        setup = _resumed(Path(log), options) if resume and not players else _setup(players, options)
        event = Tournament(setup, log, resume=resume)
        with ExitStack() as stack:
            executor, parallel = _executor(options, stack)
            progress = _Progress(event, options["quiet"])
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            end = event.run(executor, parallel, progress)
            progress.clear()
    except (ValueError, OSError, TournamentError) as error:
        raise click.ClickException(str(error)) from None
    report = make_report(
        event.standings, confidence=options["confidence"], sprt=event.sprt, broken=event.broken
    )
    click.echo(render(report, options["form"]))
    if end == "interrupted":
        click.echo(f"interrupted; go on with --log {log} --resume" if log else "interrupted", err=True)
        sys.exit(130)
    if any(player["losses"] for player in report["players"]) and not options["forgive"]:
        sys.exit(_FAILED)


def _sprt(options: dict[str, Any]) -> tuple[float, float, float, float] | None:
    sprt = options.get("sprt")
    return (*sprt, options["alpha"], options["beta"]) if sprt else None


def _setup(players: tuple[str, ...], options: dict[str, Any]) -> Setup:
    game = options["game"]
    rules = Rules.parse(game, options["rules"])
    if options.get("matches") and not rules.target:
        raise ValueError(f"rules {rules}: there is no target, so there are no matches")
    parsed = make_players(players)
    form: Format = options.get("pairings", "round-robin")
    teams = game == "jass" and not options["mixed"]
    for player in parsed:
        if len(player.bots) > 1 and not teams:
            raise ValueError(f"player {player.label}: only a team of Jass has two bots")
        for spec in player.bots:
            _check_spec(spec, game)
    if form == "table" and teams:
        raise ValueError("a table of single players in Jass needs --mixed")
    blocks = options.get("blocks")
    if blocks is None:
        blocks = 0 if options.get("sprt") or options.get("deals") else 100
    return Setup(
        game=game,
        rules=str(rules),
        players=parsed,
        pairings=make_pairings(len(parsed), form),
        teams=teams,
        seed=options["seed"],
        blocks=blocks,
        matches=options.get("matches", False),
        deals=options.get("deals") or "",
        movetime=options["movetime"],
        nodes=options["nodes"],
        margin=options.get("margin", 200),
        timeout=options.get("timeout", 30.0),
        sprt=_sprt(options),
    )


def _check_spec(spec: str, game: str) -> None:
    """Raises ValueError for a bot that does not exist, before anything is played."""
    from trickbot.ai.arena.players import is_external

    if not is_external(spec):
        from trickbot.ai.bots import make_bot

        make_bot(spec, game)
        return
    words = shlex.split(spec.partition(":")[2])
    if not words or shutil.which(words[0]) is None:
        raise ValueError(f"player {spec!r}: there is no program {words[0] if words else ''!r}")


def _resumed(log: Path, options: dict[str, Any]) -> Setup:
    """The setup of a log, with more blocks or another test where they are asked for."""
    settings = read_standings(log)[1]
    if settings is None:
        raise ValueError(f"{log} has lost its first line: name the players and settings again")
    changes = {"blocks": options["blocks"], "sprt": _sprt(options)}
    wanted = {key: value for key, value in changes.items() if value is not None}
    return replace(Setup.from_dict(settings), **wanted)


def _executor(options: dict[str, Any], stack: ExitStack) -> tuple[Executor, int]:
    """Where to play, and how many deals at a time; ended when the stack is."""
    if options["scheduler"]:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise ValueError("--scheduler needs the extra trickbot[cluster]") from None
        client = stack.enter_context(distributed.Client(options["scheduler"], timeout=10))
        executor = client.get_executor(pure=False, retries=2)
        stack.callback(executor.shutdown, wait=False, cancel_futures=True)
        return executor, max(1, sum(client.nthreads().values()))
    from trickbot.ai.arena.pool import ProcessPool

    pool = ProcessPool(options["jobs"])
    stack.callback(pool.kill)
    return pool, options["jobs"]


class _Progress:
    """One line on stderr: how far, how fast, how long still, and the result so far."""

    def __init__(self, event: Any, quiet: bool) -> None:
        self._begun = monotonic()
        self._terminal = sys.stderr.isatty()
        self._every = 0.5 if self._terminal else 10.0
        self._next = self._begun + self._every
        self._quiet = quiet

    def __call__(self, event: Any) -> None:
        now = monotonic()
        if self._quiet or now < self._next:
            return
        self._next = now + self._every
        line = progress_line(event, now - self._begun)
        click.echo(f"\r\x1b[K{line}" if self._terminal else line, err=True, nl=not self._terminal)

    def clear(self) -> None:
        if self._terminal and not self._quiet:
            click.echo("\r\x1b[K", err=True, nl=False)


def progress_line(event: Any, seconds: float) -> str:
    """How far a tournament is, its rate in deals a second, the time left, and its result so far."""

    standings = event.standings
    rate = event.n_played / seconds if seconds > 0 else 0.0
    done = event.n_finished
    total = event.n_blocks * len(event.setup.pairings)
    parts = [f"block {done}/{total or '?'}", f"{standings.n_deals} deals", f"{rate:.1f}/s"]
    fresh = done - event.n_resumed
    if total and fresh > 0:
        left = round(seconds * (total - done) / fresh)
        parts.append(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left")
    (i, j), pair = next(iter(standings.pairs.items()))
    found = estimate(pair.margin)
    if found.mean is not None:
        margin = with_error({"mean": found.mean, "low": found.low, "high": found.high})
        parts.append(f"{standings.labels[i]} - {standings.labels[j]}: {margin}")
    if event.sprt is not None:
        low, high = event.sprt.bounds
        parts.append(f"llr {event.sprt.llr(pair.margin):+.2f} ({low:.2f} to {high:.2f})")
    losses = sum(sum(player.losses.values()) for player in standings.players)
    if losses:
        parts.append(f"{losses} other losses")
    return "  ".join(parts)


@tournament.command("report")
@click.argument("log", type=click.Path(exists=True, dir_okay=False))
@click.option("--format", "form", type=FORMS, default="table", show_default=True)
@click.option("--confidence", type=click.FloatRange(0, 1, True, True), default=0.95, show_default=True)
@click.option("--sprt", nargs=2, type=float, help="two margins in points a deal: what the test says of them")
def report_command(log: str, form: Form, confidence: float, sprt: tuple[float, float] | None) -> None:
    """What the LOG of a tournament says, computed anew from its deals."""

    try:
        standings, settings, broken = read_standings(log)
        test = Sequential(*sprt) if sprt else Setup.from_dict(settings).test if settings else None
        if test is not None and len(standings.pairs) > 1:
            raise ValueError("a sequential test is between two players")
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from None
    report = make_report(standings, confidence=confidence, sprt=test, broken=broken)
    click.echo(render(report, form))
    if broken:
        sys.exit(1)


@click.command()
@click.argument("command")
@_GAME
@click.option("--only", multiple=True, metavar="ITEM", help="this item alone; may be given again")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=5.0, show_default=True)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def check(command: str, game: str, only: tuple[str, ...], timeout: float, form: str) -> None:
    """Checks an engine, the program of COMMAND, against the protocol, item by item.

    Exit code 0: it keeps to every item, 1: it does not.
    """
    from trickbot.ai.arena.check import check_engine

    findings = []
    try:
        for finding in check_engine(command, game, timeout=timeout, only=only):
            findings.append(finding)
            if form == "table":
                _show_finding(finding)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    n_broken = sum(bool(finding.broken) for finding in findings)
    if form == "json":
        click.echo(json.dumps([vars(finding) for finding in findings], indent=1, ensure_ascii=False))
    else:
        click.echo(
            f"{len(findings)} items, {n_broken} broken" if n_broken else f"{len(findings)} items, all kept"
        )
    sys.exit(1 if n_broken else 0)


def _show_finding(finding: Any) -> None:
    click.echo(f"{'BROKEN' if finding.broken else 'ok    '}  {finding.name}: {finding.says}")
    if finding.broken:
        click.echo(f"        {finding.broken[:1000]}")
        for line in finding.transcript:
            click.echo(f"        {line[:300]}")


@click.command()
@click.argument("players", nargs=-1, required=True)
@common
@click.option(
    "--deal", "number", type=click.IntRange(0), default=0, show_default=True, help="which of the seed"
)
@click.option("--deals", type=click.Path(exists=True, dir_okay=False), help="take it from records")
@click.option("--pause", type=click.FloatRange(0), default=0.0, show_default=True, help="s between moves")
def match(players: tuple[str, ...], number: int, pause: float, **options: Any) -> None:
    """Plays one deal between PLAYERS and shows it as it is played.

    One player plays all seats, two play every second one, four a seat each, in order of play from seat 0.
    """
    from trickbot.ai.arena.blocks import Item
    from trickbot.ai.arena.show import Show
    from trickbot.ai.arena.work import Worker

    if len(players) > N_SEATS:
        raise click.UsageError(f"{len(players)} players: a table has {N_SEATS} seats")
    try:
        seated = [players[seat % len(players)] for seat in range(N_SEATS)]
        setup = _setup(tuple(seated), {**options, "mixed": True, "pairings": "table"})
        worker = Worker(setup)
        try:
            show = Show([Player.parse(text).label for text in seated], pause)
            done = worker.play(Item((0, 1, 2, 3), number, 0), show)
        finally:
            worker.close()
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from None
    loss = done.result.get("loss")
    if loss is not None:
        click.echo(f"seat {loss['seat']} loses by {loss['kind']}: {loss['message']}")
        for line in loss["transcript"]:
            click.echo(f"  {line}")
        sys.exit(_FAILED)
