"""The command `tune`."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack, closing
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any, Literal

import click
from click.core import ParameterSource
from trickbot.ai.arena.commands import progress_line as match_line
from trickbot.ai.arena.setup import Player
from trickbot.ai.arena.stats import Sequential
from trickbot.ai.arena.tournament import TournamentError
from trickbot.ai.tuning.problem import EngineProblem
from trickbot.ai.tuning.space import Space
from trickbot.engine.cards import GAMES
from trickbot.engine.rules import Rules

_INTERRUPTED = 130
_UNITS: tuple[Literal["movetime"], Literal["nodes"]] = ("movetime", "nodes")
# What a study is about: it cannot be another when it is resumed.
_SETTINGS = ("game", "rules", "base", "opponent", "seed", "movetime", "nodes", "matches", "blocks", "method")


class _TuneGroup(click.Group):
    """A group whose command may be left out: `tune --param ...` runs a study."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "-h")):
            args = ["run", *args]
        return super().parse_args(context, args)


@click.group(cls=_TuneGroup)
def tune() -> None:
    """Finds the options that make the search strongest.

    \b
    trickbot tune --study FILE --param NAME=LOW:HIGH ...   runs a study (trickbot tune run --help)
    trickbot tune report FILE                              what a study says
    trickbot tune budget                                   strength by thinking time and by nodes
    """


_WORKERS = [
    click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="processes"),
    click.option("--scheduler", help="play on the Dask cluster at this address instead"),
]


def workers(command: Any) -> Any:
    for option in reversed(_WORKERS):
        command = option(command)
    return command


@tune.command()
@click.option("--study", type=click.Path(dir_okay=False), required=True, help="the study's file (SQLite)")
@click.option("--resume", is_flag=True, help="go on with the study; --param then changes its ranges")
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME[=RANGE]",
    help="exploration=0.3:3.0:log, iterations=1:64:int, bot=ismcts,pimc, or a bare name; may be repeated",
)
@click.option("--space", "toml", type=click.Path(exists=True, dir_okay=False), help="the parameters, as TOML")
@click.option(
    "--point", "points", multiple=True, metavar="NAME=VALUE,...", help="to be tried first; may be repeated"
)
@click.option("--game", type=click.Choice(list(GAMES)), default="jass", show_default=True)
@click.option("--rules", default="", help="a preset, and fields: cardavia,target=2500")
@click.option("--base", default="ismcts", show_default=True, help="the bot that is tuned, with fixed options")
@click.option("--opponent", default="ismcts", show_default=True, help="a player as in tournaments")
@click.option("--movetime", type=click.IntRange(1), help="ms a move, for bots that name no limit")
@click.option("--nodes", type=click.IntRange(1), help="iterations a move, for bots that name no limit")
@click.option("--matches", is_flag=True, help="count matches won instead of points a deal")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--blocks",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="deals of a trial, in all seatings",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="in all, with those of earlier runs",
)
@click.option(
    "--method",
    type=click.Choice(["tpe", "spsa"]),
    default="tpe",
    show_default=True,
    help="spsa: for many numeric parameters with small effects; a trial is a step",
)
@click.option("--no-prune", is_flag=True, help="play all blocks of hopeless trials too")
@workers
@click.option(
    "--validate",
    type=click.IntRange(0),
    default=2000,
    show_default=True,
    help="blocks at most of the match that confirms the optimum; 0: none",
)
@click.option(
    "--sprt",
    nargs=2,
    type=float,
    default=(0.0, 2.0),
    show_default=True,
    help="the margins, in points a deal, that the match decides between",
)
@click.option("--confidence", type=click.FloatRange(0, 1, True, True), default=0.95, show_default=True)
@click.option("--plot", type=click.Path(dir_okay=False), help="draw the landscape to this .svg, .png or .pdf")
@click.option("--json", "as_json", is_flag=True, help="the report for programs")
@click.option("--quiet", is_flag=True, help="no progress line")
@click.pass_context
def run(context: click.Context, /, **options: Any) -> None:
    """Runs a study, or goes on with one, and validates what it finds on fresh deals."""
    from trickbot.ai.tuning.report import add_validation, make_report
    from trickbot.ai.tuning.store import StudyError
    from trickbot.ai.tuning.validation import log_of, validate

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        test = Sequential(*options["sprt"])
        with ExitStack() as stack:
            study, problem = _open(context, options, stack)
            executor, parallel = executor_of(options, stack)
            n_before = study.n_finished
            with ProgressLine(options["quiet"], lambda event, s: _study_line(event, s, n_before)) as line:
                end = study.run(options["trials"], executor, parallel, line)
            if end == "interrupted":
                _interrupted(options["study"])
            space, settings = study.store.space, study.store.settings
            report, landscape = make_report(space, settings, study.trials, options["confidence"])
            if options["validate"] and landscape is not None:
                point = report["optimum"]["point"]
                with ProgressLine(options["quiet"], match_line) as line:
                    validation = validate(
                        problem,
                        point,
                        test,
                        options["validate"],
                        log=log_of(options["study"], problem, point),
                        executor=executor,
                        parallel=parallel,
                        progress=line,
                    )
                add_validation(report, validation)
            _show(report, landscape, study.trials, options)
    except (ValueError, OSError, StudyError, TournamentError) as error:
        raise click.ClickException(str(error)) from None
    if report["validation"] is not None and report["validation"]["end"] == "interrupted":
        _interrupted(options["study"])


def _interrupted(path: str) -> None:
    click.echo(f"interrupted; go on with --study {path} --resume", err=True)
    sys.exit(_INTERRUPTED)


def _study_line(study: Any, seconds: float, n_before: int) -> str:
    from trickbot.ai.tuning.report import progress_line

    return progress_line(study, seconds, n_before)


def _show(report: dict[str, Any], landscape: Any, trials: Any, options: dict[str, Any]) -> None:
    from trickbot.ai.tuning.report import render

    if options["plot"] and landscape is not None:
        from trickbot.ai.tuning.plots import draw_study

        draw_study(report, landscape, trials, options["plot"])
    click.echo(json.dumps(report, indent=1, ensure_ascii=False) if options["as_json"] else render(report))


def _open(context: click.Context, options: dict[str, Any], stack: ExitStack) -> tuple[Any, EngineProblem]:
    """The study that the options name. Raises ValueError, StudyError."""
    from trickbot.ai.tuning.store import Store, StudyError
    from trickbot.ai.tuning.study import Study

    path = Path(options["study"])
    held = path.exists() and path.stat().st_size > 0
    if held and not options["resume"]:
        raise StudyError(f"{path} holds a study: go on with --resume, or name another file")
    given = bool(options["params"] or options["toml"])
    if given and options["params"] and options["toml"]:
        raise click.UsageError("the parameters come from --param or --space, not both")
    space = None
    if given or not held:
        space = Space.read(options["toml"]) if options["toml"] else Space.parse(options["params"])
    settings = {key: options[key] for key in _SETTINGS}
    settings["rules"] = str(Rules.parse(options["game"], options["rules"]))
    if held:
        _check_same(context, path, settings)
        with closing(Store(path)) as old:
            settings = old.settings
    problem = _problem(settings)
    _check_player(settings["opponent"], settings["game"])
    base = problem.base_options()
    tried = [space.point(text, base) for text in options["points"]] if space is not None else []
    if space is not None and settings["method"] == "spsa":
        from trickbot.ai.tuning.spsa import Spsa

        Spsa(space, 0, 1)  # refuses choices before a file is written
    store = Store(path, space, settings, base)
    stack.callback(store.close)
    if space is None:
        tried = [store.space.point(text, base) for text in options["points"]]
    if store.n_left_out:
        click.echo(f"{store.n_left_out} trials outside the new ranges are left out", err=True)
    if settings["method"] == "tpe":
        for point in tried:
            store.enqueue(point)
    study = Study(
        store,
        problem,
        settings["blocks"],
        method=settings["method"],
        prune=not options["no_prune"],
        start=tried[0] if tried else None,
    )
    return study, problem


def _check_same(context: click.Context, path: Path, settings: dict[str, Any]) -> None:
    """Raises ValueError where a setting is given that is not the study's."""
    from trickbot.ai.tuning.store import Store

    with closing(Store(path)) as store:
        for key, value in settings.items():
            asked = context.get_parameter_source(key) is not ParameterSource.DEFAULT
            if asked and store.settings[key] != value:
                raise ValueError(f"{path} is a study with --{key} {store.settings[key]}, not {value}")


def _problem(settings: dict[str, Any]) -> EngineProblem:
    return EngineProblem(**{key: settings[key] for key in _SETTINGS if key not in ("blocks", "method")})


def _check_player(text: str, game: str) -> None:
    from trickbot.ai.arena.players import is_external
    from trickbot.ai.bots import make_bot

    for spec in Player.parse(text).bots:
        if not is_external(spec):
            make_bot(spec, game)


def executor_of(options: dict[str, Any], stack: ExitStack) -> tuple[Executor, int]:
    """Where to play, and how many tasks at a time; ended when the stack is."""
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


class ProgressLine:
    """One line on stderr, written over itself on a terminal, now and then elsewhere."""

    def __init__(self, quiet: bool, line: Callable[[Any, float], str]) -> None:
        self._line = line
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._every = 0.5 if self._terminal else 10.0
        self._begun = monotonic()
        self._next = self._begun + self._every

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._terminal and not self._quiet:
            click.echo("\r\x1b[K", err=True, nl=False)

    def __call__(self, event: Any) -> None:
        now = monotonic()
        if self._quiet or now < self._next:
            return
        self._next = now + self._every
        line = self._line(event, now - self._begun)
        click.echo(f"\r\x1b[K{line}" if self._terminal else line, err=True, nl=not self._terminal)


@tune.command("report")
@click.argument("study", type=click.Path(exists=True, dir_okay=False))
@click.option("--confidence", type=click.FloatRange(0, 1, True, True), default=0.95, show_default=True)
@click.option("--plot", type=click.Path(dir_okay=False), help="draw the landscape to this .svg, .png or .pdf")
@click.option("--json", "as_json", is_flag=True, help="the report for programs")
def report_command(**options: Any) -> None:
    """What a STUDY says, computed anew from its trials."""
    from trickbot.ai.tuning.report import make_report
    from trickbot.ai.tuning.store import Store, StudyError

    try:
        with closing(Store(options["study"])) as store:
            trials = store.trials()
            report, landscape = make_report(store.space, store.settings, trials, options["confidence"])
            _show(report, landscape, trials, options)
    except (ValueError, OSError, StudyError) as error:
        raise click.ClickException(str(error)) from None


def _levels(context: Any, param: Any, text: str) -> tuple[int, ...]:
    """Numbers joined by commas."""
    words = [word.strip() for word in text.split(",")] if text else []
    for word in words:
        if not (word.isascii() and word.isdigit() and int(word) > 0):
            raise click.BadParameter(f"{word!r} must be a whole number above 0")
    return tuple(map(int, words))


@tune.command()
@click.option("--game", "games", type=click.Choice(list(GAMES)), multiple=True, help="may be repeated [both]")
@click.option("--rules", default="", help="a preset, and fields; of one --game")
@click.option("--bot", "base", default="ismcts", show_default=True, help="with its options, but no limit")
@click.option(
    "--movetime",
    callback=_levels,
    default="1,3,10,30,100,300,1000,2000",
    show_default=True,
    help="ms; '': none",
)
@click.option(
    "--nodes",
    callback=_levels,
    default="100,300,1000,3000,10000,30000,100000",
    show_default=True,
    help="'': none",
)
@click.option(
    "--blocks", type=click.IntRange(2), default=200, show_default=True, help="deals of each pair of levels"
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--log", help="write deals to LOG.GAME.UNIT.jsonl as they end")
@click.option("--resume", is_flag=True, help="go on with what the logs hold")
@workers
@click.option("--confidence", type=click.FloatRange(0, 1, True, True), default=0.95, show_default=True)
@click.option("--plot", type=click.Path(dir_okay=False), help="draw the curves to this .svg, .png or .pdf")
@click.option("--json", "as_json", is_flag=True, help="the curves for programs")
@click.option("--quiet", is_flag=True, help="no progress line")
def budget(**options: Any) -> None:
    """Strength by thinking time and by nodes, and where more stops paying.

    Every level plays the next one; all pairs play the same deals.
    """
    from trickbot.ai.tuning.budget import budget_setup, play_budget, render
    from trickbot.ai.tuning.store import StudyError

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if options["resume"] and not options["log"]:
        raise click.UsageError("--resume needs --log")
    games = options["games"] or tuple(GAMES)
    curves: list[dict[str, Any]] = []
    try:
        if options["rules"] and len(games) > 1:
            raise ValueError(f"rules {options['rules']!r} are of one game: name it with --game")
        plans = [
            (
                budget_setup(
                    game, options["rules"], options["base"], unit, levels, options["blocks"], options["seed"]
                ),
                unit,
            )
            for game in games
            for unit in _UNITS
            if (levels := options[unit])
        ]
        if not plans:
            raise ValueError("nothing to measure: name levels of --movetime or --nodes")
        with ExitStack() as stack:
            executor, parallel = executor_of(options, stack)
            for setup, unit in plans:
                log = Path(f"{options['log']}.{setup.game}.{unit}.jsonl") if options["log"] else None
                with ProgressLine(options["quiet"], match_line) as line:
                    found = play_budget(
                        setup,
                        unit,
                        options[unit],
                        log=log,
                        resume=options["resume"],
                        executor=executor,
                        parallel=parallel,
                        progress=line,
                        confidence=options["confidence"],
                    )
                curves.append(found)
                if not options["as_json"]:
                    click.echo(render(found) + "\n")
                if found["end"] == "interrupted":
                    more = f"; go on with --log {options['log']} --resume" if options["log"] else ""
                    click.echo(f"interrupted{more}", err=True)
                    sys.exit(_INTERRUPTED)
        if options["as_json"]:
            click.echo(json.dumps(curves, indent=1))
        if options["plot"]:
            from trickbot.ai.tuning.plots import draw_budgets

            draw_budgets(curves, options["plot"])
    except (ValueError, OSError, StudyError, TournamentError) as error:
        raise click.ClickException(str(error)) from None
