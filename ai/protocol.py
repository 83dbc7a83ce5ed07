"""The protocol: reads commands, says answers. What is decided is decided elsewhere.

One command a line, as in UCI. The calling thread reads and answers; a search runs in a thread of its own, and
a third one writes, so that nothing waits for a slow reader. ``Engine.handle`` takes one line, which makes it
usable without pipes.
"""

import json
import os
import signal
import traceback
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import NoReturn

from trickbot.ai.lines import Writer, read_lines
from trickbot.ai.options import OPTIONS, Options
from trickbot.ai.searcher import Limits, Report, Searcher
from trickbot.engine.cards import N_SEATS, side_of
from trickbot.engine.deal import QUICK_DEPTH, count_sequences
from trickbot.engine.errors import Code, TrickbotError, quoted
from trickbot.engine.notation import Notation, notation
from trickbot.engine.position import Position, legal_words, words_of
from trickbot.engine.state import describe, state

VERSION = 1
"""Of the protocol."""

MOST = 10**15  # milliseconds or nodes that a limit may have
MOST_DEPTH = 64
_MOST_WARNINGS = 8
_LONGEST_ID = 100


class CommandError(TrickbotError):
    """A command that cannot be carried out."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class Job:
    """Something that takes its time, in a thread of its own, and can be stopped."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.stopped = Event()
        self.thread: Thread | None = None
        self.on_stop: Callable[[], None] = lambda: None

    def stop(self) -> None:
        self.stopped.set()
        self.on_stop()


class Engine:
    """One conversation. ``write`` takes each line that is said; the second argument tells lines that may be
    dropped when nobody keeps up with reading."""

    def __init__(self, write: Callable[[str, bool], None], options: Options | None = None) -> None:
        self.options = options or Options()
        self.position: Position | None = None
        self.debug = False
        self._write = write
        self._job: Job | None = None
        self._lock = Lock()  # guards _job, and the order of what is said when it ends
        self.commands: dict[str, Callable[[list[str], str], None]] = {
            "uci": self._uci,
            "debug": self._debug,
            "isready": self._isready,
            "setoption": self._setoption,
            "ucinewgame": self._ucinewgame,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "legal": self._legal,
            "state": self._state,
            "d": self._d,
            "bench": self._bench,
            "commands": self._list_commands,
            "help": self._help,
            "quit": self._quit,
        }

    # The conversation

    def handle(self, line: str | None) -> bool:
        """Carries out one line (None: one that was too long); False when it was ``quit``."""
        tag = ""
        try:
            if line is None:
                raise CommandError("bad-argument", "the line is too long")
            words = line.split()
            if words and words[0].lower() == "id":
                tag, words = _tag(words)
            if not words and tag:
                raise CommandError("bad-argument", "id: a command must follow")
            if not words:
                return True
            name = words[0].lower()
            command = self.commands.get(name)
            if command is None:
                known = " ".join(self.commands)
                raise CommandError("unknown-command", f"{quoted(words[0])}: must be one of {known}")
            command(words[1:], tag)
            return name != "quit"
        except TrickbotError as wrong:
            self._say(tag, f"error {wrong.code} {wrong}")
        except Exception as fault:
            self._say(tag, _fault(fault))
        return True

    def close(self) -> None:
        """Ends a search that runs, with its answer."""
        self._end_job(0.25)

    def _say(self, tag: str, line: str, droppable: bool = False) -> None:
        self._write(f"{tag}{line}", droppable)

    def _warn(self, tag: str, command: str, words: list[str]) -> None:
        if words:
            shown = ", ".join(map(quoted, words[:_MOST_WARNINGS]))
            more = f" and {len(words) - _MOST_WARNINGS} more" if len(words) > _MOST_WARNINGS else ""
            self._say(tag, f"info string warning {command}: skipped {shown}{more}")

    # Jobs

    def _check_idle(self, what: str) -> None:
        if self._job is not None:
            raise CommandError("busy", f"{what}: must wait for the end of the search, or stop it")

    def _begin(self, job: Job, work: Callable[[], list[str]]) -> None:
        """Does work in a thread; the lines that it gives are said when the engine is idle again."""

        def run() -> None:
            try:
                lines = work()
            except Exception as fault:
                lines = [_fault(fault)]
            with self._lock:
                self._job = None
                for line in lines:
                    self._say(job.tag, line)

        job.thread = Thread(target=run, name="search", daemon=True)
        with self._lock:
            self._job = job
        job.thread.start()

    def _end_job(self, seconds: float) -> None:
        job = self._job
        if job is not None and job.thread is not None:
            job.stop()
            job.thread.join(seconds)

    # Commands

    def _uci(self, words: list[str], tag: str) -> None:
        """say who this is, the options, and uciok"""
        self._warn(tag, "uci", words)
        for line in ("id name trickbot", "id author the trickbot maintainers", f"protocol {VERSION}"):
            self._say(tag, line)
        for option in OPTIONS:
            self._say(tag, str(option))
        self._say(tag, "uciok")

    def _debug(self, words: list[str], tag: str) -> None:
        """debug on|off: say the seed of each search and how full its tree is, in permille"""
        if not words or words[0].lower() not in ("on", "off"):
            raise CommandError("bad-argument", f"debug {quoted(' '.join(words))}: must be on or off")
        self._warn(tag, "debug", words[1:])
        self.debug = words[0].lower() == "on"

    def _isready(self, words: list[str], tag: str) -> None:
        """answer readyok"""
        self._warn(tag, "isready", words)
        self._say(tag, "readyok")

    def _setoption(self, words: list[str], tag: str) -> None:
        """setoption name N [value V]: set an option"""
        self._check_idle("setoption")
        lower = [word.lower() for word in words]
        if "name" not in lower:
            raise CommandError("bad-argument", "setoption: name is missing")
        start = lower.index("name")
        end = lower.index("value", start) if "value" in lower[start:] else len(words)
        name, value = " ".join(words[start + 1 : end]), " ".join(words[end + 1 :])
        if not name:
            raise CommandError("bad-argument", "setoption: the name is missing")
        if end == len(words):
            raise CommandError("bad-argument", f"setoption {quoted(name)}: value is missing")
        self.options.set(name, value)
        self._warn(tag, "setoption", words[:start])

    def _ucinewgame(self, words: list[str], tag: str) -> None:
        """a new match begins"""
        self._check_idle("ucinewgame")
        self._warn(tag, "ucinewgame", words)

    def _position(self, words: list[str], tag: str) -> None:
        """position GAME [rules R] [match P ...] first SEAT hands H0 H1 H2 H3 [weis ...] [moves ...]"""
        self._check_idle("position")
        skipped: list[str] = []
        options = self.options
        self.position = Position.parse(words, rules=options.rules, style=options.cards, warnings=skipped)
        self._warn(tag, "position", skipped)

    def _go(self, words: list[str], tag: str) -> None:
        """go [movetime MS] [nodes N] [time MS [inc MS]] [infinite] | go perft D"""
        self._check_idle("go")
        limits, perft, skipped = _limits(words)
        position = self._need_position()
        if perft is not None:
            self._perft(position, perft, skipped, tag)
            return
        searcher = Searcher(position.deal, self.options.copy(), match=position.match is not None)
        self._warn(tag, "go", skipped)
        names = self._names(position)
        if searcher.forced:
            self._say(tag, f"bestmove {words_of(searcher.deal, searcher.forced, names)[0]}")
            return
        job = Job(tag)
        job.on_stop = searcher.stop
        most = self.options.multi_pv

        def work() -> list[str]:
            report = searcher.run(limits, lambda now: self._tell(job.tag, searcher, now, names, most))
            lines = report_lines(searcher, report, names, most)
            if self.debug:
                lines.insert(0, f"info string seed {searcher.seed} hashfull {report.hashfull}")
            if limits.forever:
                job.stopped.wait()
            return [*lines, f"bestmove {words_of(searcher.deal, report.decision, names)[0]}"]

        self._begin(job, work)

    def _tell(self, tag: str, searcher: Searcher, report: Report, names: Notation, most: int) -> None:
        for line in report_lines(searcher, report, names, most):
            self._say(tag, line, True)

    def _perft(self, position: Position, depth: int, skipped: list[str], tag: str) -> None:
        if not position.full or not position.playing:
            raise CommandError(
                "bad-position", "perft: wants all four hands and, in apples, the play of the cards"
            )
        self._warn(tag, "go perft", skipped)
        if depth <= QUICK_DEPTH:
            self._say(tag, f"perft {depth} {count_sequences(position.deal, depth)}")
            return
        job = Job(tag)

        def work() -> list[str]:
            found = count_sequences(position.deal, depth, job.stopped.is_set)
            return ["info string perft stopped" if found is None else f"perft {depth} {found}"]

        self._begin(job, work)

    def _stop(self, words: list[str], tag: str) -> None:
        """end the search with its bestmove"""
        self._warn(tag, "stop", words)
        self._end_job(1.0)

    def _legal(self, words: list[str], tag: str) -> None:
        """say the legal moves"""
        position = self._need_position()
        legal = legal_words(position.deal, self._names(position))
        self._warn(tag, "legal", words)
        self._say(tag, " ".join(["legal", *legal]))

    def _state(self, words: list[str], tag: str) -> None:
        """say how the deal stands, as JSON"""
        position = self._need_position()
        self._warn(tag, "state", words)
        self._say(tag, f"state {json.dumps(state(position, self._names(position)), separators=(',', ':'))}")

    def _d(self, words: list[str], tag: str) -> None:
        """say how the deal stands, for people"""
        position = self._need_position()
        self._warn(tag, "d", words)
        for line in describe(position, self._names(position)):
            self._say(tag, f"info string {line}")

    def _bench(self, words: list[str], tag: str) -> None:
        """search a fixed set of positions and say the signature"""
        self._check_idle("bench")
        from trickbot.ai.bench import run_bench

        self._warn(tag, "bench", words)
        job = Job(tag)

        def work() -> list[str]:
            line = run_bench(lambda line: self._say(tag, f"info string {line}", True), job.stopped.is_set)
            return [line or "info string bench stopped"]

        self._begin(job, work)

    def _list_commands(self, words: list[str], tag: str) -> None:
        """list the commands"""
        self._warn(tag, "commands", words)
        self._say(tag, f"commands {' '.join(self.commands)}")

    def _help(self, words: list[str], tag: str) -> None:
        """say what each command does"""
        for name, command in self.commands.items():
            text = command.__doc__ or ""
            self._say(tag, f"info string {text if text.startswith(f'{name} ') else f'{name}: {text}'}")

    def _quit(self, words: list[str], tag: str) -> None:
        """end the process"""

    def _need_position(self) -> Position:
        if self.position is None:
            raise CommandError("no-position", "a position must be set first")
        return self.position

    def _names(self, position: Position) -> Notation:
        return notation(
            position.rules.game, self.options.cards if position.rules.game == "jass" else "german"
        )


def _tag(words: list[str]) -> tuple[str, list[str]]:
    """The prefix of the answers to a command with an id, and the command."""
    if len(words) < 2 or not words[1].isprintable() or len(words[1]) > _LONGEST_ID:
        raise CommandError(
            "bad-argument", f"id: after it must stand a word of at most {_LONGEST_ID} characters"
        )
    return f"id {words[1]} ", words[2:]


def _fault(fault: Exception) -> str:
    """The answer when the engine itself fails; the place goes to stderr."""
    traceback.print_exception(fault)
    return f"error bad-argument {type(fault).__name__}: {quoted(str(fault))}"


def _limits(words: list[str]) -> tuple[Limits, int | None, list[str]]:
    """What the words of ``go`` ask for: limits, the depth of perft, words without meaning."""
    numbers: dict[str, int] = {}
    infinite = False
    skipped = []
    rest = iter(words)
    for word in rest:
        name = word.lower()
        if name == "infinite":
            infinite = True
        elif name in ("movetime", "nodes", "time", "inc", "perft"):
            numbers[name] = _number(f"go {name}", next(rest, ""), MOST_DEPTH if name == "perft" else MOST)
        else:
            skipped.append(word)
    if "inc" in numbers and "time" not in numbers:
        raise CommandError("bad-argument", "go inc: needs time")
    limits = Limits(
        numbers.get("nodes"), numbers.get("movetime"), numbers.get("time"), numbers.get("inc", 0), infinite
    )
    return limits, numbers.get("perft"), skipped


def _number(what: str, word: str, most: int) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 19 and int(word) <= most):
        raise CommandError("bad-argument", f"{what} {quoted(word)}: must be a number from 0 to {most}")
    return int(word)


def report_lines(searcher: Searcher, report: Report, names: Notation, most: int) -> list[str]:
    """A round of ``info`` lines, one for each of the best moves; none where nothing was searched."""
    seat = searcher.deal.to_move
    sides = [side_of(searcher.deal.game, (seat + turn) % N_SEATS) for turn in range(searcher.deal.n_sides)]
    n_ms = int(report.time_s * 1000)
    nps = int(report.nodes / max(report.time_s, 1e-6))
    lines = []
    for number, move in enumerate(report.moves[:most], 1):
        if not move.visits:
            break
        score = " ".join(f"{move.points[side]:.1f}" for side in sides)
        win = "" if move.win is None else f" win {move.win:.3f}"
        pv = words_of(searcher.deal, [*report.decision[:-1], *move.pv], names)
        lines.append(
            f"info time {n_ms} nodes {report.nodes} nps {nps} worlds {report.worlds} multipv {number} "
            f"visits {move.share:.3f} score {score} error {move.error:.2f}{win} pv {' '.join(pv)}"
        )
    return lines


def run(game: str) -> NoReturn:
    """Speaks the protocol over stdin and stdout; ends the process at their end, with exit code 0."""
    writer = Writer(1, lambda: os._exit(0))
    engine = Engine(lambda line, droppable: writer.write(line, droppable=droppable), Options(game=game))
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own handler may wait for the next line
    for line in read_lines(0):
        if not engine.handle(line):
            break
    engine.close()
    writer.flush(1.0)
    os._exit(0)  # at once: whatever still runs is not waited for
