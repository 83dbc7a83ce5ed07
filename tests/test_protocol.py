"""The protocol, with the real process."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conversation import COMMAND, Conversation
from trickbot.ai.options import OPTIONS
from trickbot.ai.protocol import Engine
from trickbot.engine.match import Match
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules

HERE = Path(__file__).parent
PAGE = (HERE.parent / "ai" / "PROTOCOL.md").read_text(encoding="utf-8")
TRANSCRIPTS = {
    path.stem: path.read_text() for path in sorted((HERE / "data" / "transcripts").glob("*.txt"))
} | {
    f"page {number}": block.partition("```")[0]
    for number, block in enumerate(PAGE.split("```transcript\n"))
    if number
}
OWN = "rA,rK,r6,aA,a6,bA,b6,sA,s6"
VIEW = f"position jass match 0 0 first 0 hands {OWN} ? ? ? moves obenabe"
FORCED = "position jass first 3 hands rA,rK,r6,aA,a6,bA,b8,b6,s6 ? ? ? moves obenabe sK"


@pytest.fixture
def engine() -> Iterator[Conversation]:
    with Conversation() as conversation:
        yield conversation


@pytest.fixture(scope="module")
def shared() -> Iterator[Conversation]:
    """One engine for all tests that leave it as it was."""
    with Conversation() as conversation:
        yield conversation


def fields(line: str) -> dict[str, list[str]]:
    """An info line by its keys."""
    found: dict[str, list[str]] = {}
    keys = ("time", "nodes", "nps", "worlds", "multipv", "visits", "score", "error", "win", "pv")
    key = ""
    for word in line.split()[1:]:
        if word in keys and key != "pv":
            key = word
            found[key] = []
        else:
            found[key].append(word)
    return found


# Transcripts


def matches(pattern: str, line: str) -> bool:
    """Whether a line is as the transcript has it; `*` stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), line) is not None


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts(name: str, engine: Conversation) -> None:
    """`> ` is sent; `< ` is the engine's next line; `<<` are any lines up to the next that is written."""
    skipping = False
    for number, line in enumerate(TRANSCRIPTS[name].splitlines(), 1):
        if line.startswith("> "):
            engine.send(line[2:])
        elif line == "<<":
            skipping = True
        elif line.startswith("< "):
            said = engine.line()
            while skipping and not matches(line[2:], said):
                said = engine.line()
            skipping = False
            assert matches(line[2:], said), f"{name}:{number}: {said}"


def test_the_page_has_every_option_and_command() -> None:
    for option in OPTIONS:
        choices = f" ({', '.join(f'`{choice}`' for choice in option.choices)})" if option.choices else ""
        assert f"| `{option.name}` | `{str(option.default).lower()}` | {option.help}{choices} |\n" in PAGE
    for name in Engine(lambda line, droppable: None).commands:
        assert f"`{name}" in PAGE or f"{name} " in PAGE, name


# Hello


def test_uci(shared: Conversation) -> None:
    shared.send("uci")
    lines = shared.until("uciok")
    assert lines[:3] == ["id name trickbot", "id author the trickbot maintainers", "protocol 1"]
    assert lines[3:-1] == [str(option) for option in OPTIONS]
    assert lines[-1] == "uciok"


def test_commands_and_help(shared: Conversation) -> None:
    (line,) = shared.ask("commands")
    names = line.split()[1:]
    assert line.startswith("commands ")
    for name in (
        "uci",
        "isready",
        "setoption",
        "position",
        "go",
        "stop",
        "quit",
        "legal",
        "state",
        "d",
        "bench",
    ):
        assert name in names
    assert len(shared.ask("help")) == len(names)
    assert all(line.startswith("info string ") for line in shared.ask("help", "debug on", "debug off"))


def test_starts_in_a_moment() -> None:
    """Processor seconds from the start of the process to uciok, the median of seven."""
    times = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([COMMAND, "--game", "jass"], input=b"uci\nquit\n", check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert sorted(times)[3] < 0.150


@pytest.mark.parametrize("game", ["jass", "apples"])
def test_numpy_is_not_wanted(game: str) -> None:
    position = Match(Rules.parse(game), 1).deal()
    program = f"""
import sys
from trickbot.ai.options import Options
from trickbot.ai.protocol import Engine
engine = Engine(lambda line, droppable: print(line), Options(game={game!r}))
for line in ("uci", "position {position.text()}", "legal", "state", "d"):
    engine.handle(line)
print([name for name in sys.modules if name.partition(".")[0] in ("numpy", "asyncio", "hypothesis")])
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_line_ends_blanks_and_case(shared: Conversation) -> None:
    assert shared.ask("", "   ", "\r", "\t", "ISREADY\r", "  isready  ") == ["readyok", "readyok"]


def test_last_line_without_an_end() -> None:
    done = subprocess.run([COMMAND], input=b"uci\nisready", check=True, capture_output=True)
    assert done.stdout.endswith(b"uciok\nreadyok\n")
    assert done.stderr == b""


# Ids, warnings, errors


def test_ids(engine: Conversation) -> None:
    lines = engine.ask(
        "id a uci", "id b legal", f"id c {VIEW}", "id d legal", "id é state now", "id f", "id", "id g xx"
    )
    assert [line for line in lines if not line.startswith("id a ")] == [
        "id b error no-position a position must be set first",
        "id d legal rA rK r6 aA a6 bA b6 sA s6",
        "id é info string warning state: skipped 'now'",
        next(line for line in lines if line.startswith("id é state {")),
        "id f error bad-argument id: a command must follow",
        "error bad-argument id: after it must stand a word of at most 100 characters",
        next(
            line for line in lines if line.startswith("id g error unknown-command 'xx': must be one of uci ")
        ),
    ]
    engine.send("id 17 go movetime 300", "id 18 isready")
    lines = engine.until("id 17 bestmove")
    assert {line.split()[1] for line in lines} == {"17", "18"}
    engine.send("id 19 go infinite", "id 20 stop")
    assert engine.until("id 19 bestmove")[-1].startswith("id 19 bestmove ")


def test_warnings(engine: Conversation) -> None:
    lines = engine.ask("isready please", VIEW.replace("jass", "jass really"), "go depth 5 nodes 100 quickly")
    lines += engine.until("bestmove") if not any("bestmove" in line for line in lines) else []
    assert lines[:4] == [
        "info string warning isready: skipped 'please'",
        "readyok",
        "info string warning position: skipped 'really'",
        "info string warning go: skipped 'depth', '5', 'quickly'",
    ]
    (line,) = engine.ask("commands " + "x " * 100)[:1]
    assert line.endswith(", 'x' and 92 more")


ERRORS = [
    ("joho debug on", "unknown-command 'joho': must be one of"),
    ("\x00", "unknown-command '\\x00'"),
    (b"\xff\xfe", "unknown-command '\ufffd\ufffd'"),
    ("debug", "bad-argument debug"),
    ("debug maybe", "bad-argument debug 'maybe': must be on or off"),
    ("setoption", "bad-argument setoption: name"),
    ("setoption name", "bad-argument setoption"),
    ("setoption name Seed", "bad-argument setoption 'Seed': value"),
    ("setoption name Mood value good", "bad-argument no option 'Mood': must be Game, Rules"),
    ("setoption name Seed value x", "bad-argument option Seed value 'x': must be a number from 0"),
    ("setoption name Threads value 0", "bad-argument option Threads"),
    ("setoption name Bot value human", "bad-argument option Bot value 'human': must be ismcts or pimc"),
    ("position", "bad-argument no game ''"),
    ("position jass first 9 hands ? ? ? ?", "bad-argument first '9'"),
    (f"position jass first 0 hands {OWN} {OWN} ? ?", "bad-position"),
    (f"{VIEW} xx", "illegal-move index 1: 'xx'"),
    (f"{VIEW} bK", "illegal-move index 1: 'bK': seat 0 does not hold that card; legal: rA rK"),
    ("go movetime", "bad-argument go movetime '': must be a number from 0"),
    ("go movetime -1", "bad-argument go movetime '-1'"),
    ("go nodes x", "bad-argument go nodes 'x'"),
    ("go nodes 99999999999999999999", "bad-argument go nodes"),
    ("go inc 5", "bad-argument go inc: needs time"),
    ("go perft", "bad-argument go perft"),
    ("go perft 65", "bad-argument go perft '65': must be a number from 0 to 64"),
    ("go perft 1", "bad-position perft"),
]


@pytest.mark.parametrize(("line", "error"), ERRORS)
def test_errors_change_nothing(line: str | bytes, error: str, shared: Conversation) -> None:
    before = shared.ask(VIEW, "state", "uci")
    assert shared.ask(line)[0].startswith(f"error {error}")
    assert len(shared.ask(line)) == 1
    assert shared.ask("state", "uci") == before


@pytest.mark.parametrize("command", ["go", "go infinite", "legal", "state", "d", "go perft 1"])
def test_no_position(command: str, engine: Conversation) -> None:
    assert engine.ask(command) == ["error no-position a position must be set first"]


@pytest.mark.parametrize("command", ["go", "go infinite", "legal"])
def test_another_seat_is_to_move(command: str, shared: Conversation) -> None:
    said = shared.ask(f"{VIEW} rA", command)
    assert said == ["error bad-position the hand of seat 1, which is to move, is unknown"]


def test_long_lines(shared: Conversation) -> None:
    million = b"x" * (1 << 20)
    assert [line[:40] for line in shared.ask(million)] == ["error unknown-command 'xxxxxxxxxxxxxxxxx"]
    (line,) = shared.ask(VIEW.encode() + b" " + million)
    assert line.startswith("error illegal-move index 1: 'xxxx")
    assert len(line) < 400
    (line,) = shared.ask(b"isready " * (1 << 17))[:1]
    assert line.startswith("info string warning isready: skipped")
    assert shared.ask(b"y" * (5 << 20)) == ["error bad-argument the line is too long"]
    assert shared.ask(b"id " + million + b" isready")[0].startswith("error bad-argument id: ")


# Searching


@pytest.mark.parametrize(
    "limits", ["nodes 0", "movetime 0", "nodes 1", "time 0", "time 1 inc 0", "depth 0 nodes 5"]
)
def test_hardly_any_time(limits: str, shared: Conversation) -> None:
    shared.send(VIEW, f"go {limits}")
    lines = [line for line in shared.until("bestmove") if not line.startswith("info")]
    assert len(lines) == 1
    assert lines[0].split()[1] in ("rA", "rK", "r6", "aA", "a6", "bA", "b6", "sA", "s6")
    assert shared.ask("stop") == []


@pytest.mark.parametrize("limits", ["", "infinite", "movetime 60000"])
def test_one_legal_move_is_answered_at_once(limits: str, shared: Conversation) -> None:
    assert shared.ask(FORCED, "legal") == ["legal s6"]
    assert shared.ask(f"go {limits}") == ["bestmove s6"]
    assert shared.ask("stop") == []


def test_nobody_is_to_move(shared: Conversation) -> None:
    hands = "rA,rK,rO,rU,rB,r9,r8,r7,r6 aA,aK,aO,aU,aB,a9,a8,a7,a6 bA,bK,bO,bU,bB,b9,b8,b7,b6"
    over = f"position jass match 2985 2999 first 0 hands {hands} ? moves roses rA aA bA sA"
    said = shared.ask(over, "legal", "go", "go perft 1", "go perft 0")
    assert said[:2] == ["legal", "error bad-position nobody is to move"]
    assert said[2:] == ["perft 1 0", "perft 0 1"]


def test_reading_goes_on_while_searching(engine: Conversation) -> None:
    engine.send(VIEW, "state")
    before = engine.line()
    engine.send("go infinite")
    said = engine.ask("isready", "state", "legal", "uci", "debug on", "debug off", seconds=3)
    said = [line for line in said if not line.startswith(("info time", "option ", "id "))]
    assert said == ["readyok", before, "legal rA rK r6 aA a6 bA b6 sA s6", "protocol 1", "uciok"]
    for line in (
        FORCED,
        "setoption name Seed value 1",
        "ucinewgame",
        "go nodes 5",
        "bench",
        "go perft 1",
        "position",
    ):
        (answer,) = [each for each in engine.ask(line) if not each.startswith("info time")]
        assert answer.startswith("error busy "), line
    time.sleep(0.3)
    engine.send("state")
    assert engine.until("state ")[-1] == before
    said = engine.ask("stop", "stop", FORCED, "legal")
    assert [line for line in said if not line.startswith("info time")][1:] == ["legal s6"]
    assert sum(line.startswith("bestmove ") for line in said) == 1


def test_a_stop_before_does_not_end_the_next_search(engine: Conversation) -> None:
    assert engine.ask("stop", VIEW, "stop") == []
    engine.send("go movetime 300")
    started = time.monotonic()
    engine.until("bestmove")
    assert time.monotonic() - started > 0.25


def test_info_lines(engine: Conversation) -> None:
    engine.send("setoption name MultiPV value 3", VIEW, "go movetime 1500")
    *infos, best = engine.until("bestmove")
    rounds = [fields(line) for line in infos]
    assert [int(each["multipv"][0]) for each in rounds] == [1, 2, 3] * (len(rounds) // 3)
    assert 3 <= len(rounds) // 3 <= 16
    for each in rounds:
        assert len(each["score"]) == 2
        assert 0 <= float(each["visits"][0]) <= 1
        assert 0 <= float(each["win"][0]) <= 1
        assert float(each["error"][0]) >= 0
        Position.parse(f"{VIEW} {' '.join(each['pv'])}")
    assert rounds[-3]["pv"][0] == best.split()[1]
    assert int(rounds[-1]["nodes"][0]) > int(rounds[0]["nodes"][0]) > 0
    assert len({line.split(" multipv")[0] for line in infos[-3:]}) == 1
    engine.send(VIEW.replace("match 0 0 ", ""), "go nodes 1000")
    assert "win" not in fields(engine.until("bestmove")[-2])


def test_debug_tells_the_seed(engine: Conversation) -> None:
    engine.ask("debug on", VIEW)
    engine.send("go nodes 3000")
    *_, said, info, best = engine.until("bestmove")
    assert re.fullmatch(r"info string seed [1-9]\d* hashfull \d+", said)
    engine.ask("debug off", f"setoption name Seed value {said.split()[3]}")
    engine.send("go nodes 3000")
    assert masked(engine.until("bestmove")) == masked([info, best])


def test_score_is_the_movers_first(shared: Conversation) -> None:
    """All honours and the lead: the mover's side must be far ahead, whichever seat it is."""
    strong = "rU,r9,rA,rK,rO,rB,aA,bA,sA"
    for seat in range(4):
        hands = " ".join(strong if each == seat else "?" for each in range(4))
        shared.send(f"position jass first {seat} hands {hands} moves roses", "go nodes 2000")
        score = fields(shared.until("bestmove")[-2])["score"]
        assert float(score[0]) > float(score[1]) + 50


@pytest.mark.parametrize("milliseconds", [50, 200])
def test_movetime_is_kept(milliseconds: int, shared: Conversation) -> None:
    """Within 20 ms of its limit, in the best of five (the machine may be busy)."""
    late = []
    for _ in range(5):
        shared.ask(VIEW)
        started = time.monotonic()
        shared.send(f"go movetime {milliseconds}")
        shared.until("bestmove")
        late.append(time.monotonic() - started - milliseconds / 1000)
    assert -0.02 < min(late, key=abs) < 0.02


def test_stop_is_quick(shared: Conversation) -> None:
    late = []
    for _ in range(5):
        shared.send(VIEW, "go infinite")
        time.sleep(0.1)
        shared.ask()
        started = time.monotonic()
        shared.send("stop")
        shared.until("bestmove")
        late.append(time.monotonic() - started)
    assert min(late) < 0.02


def test_time_for_the_rest_of_the_deal(shared: Conversation) -> None:
    shared.send(VIEW)
    for limits, most in (("time 1000", 400), ("time 100 inc 100", 100), ("time 60000 movetime 50", 70)):
        started = time.monotonic()
        shared.send(f"go {limits}")
        used = int(fields(shared.until("bestmove")[-2])["time"][0])
        assert used < most
        assert time.monotonic() - started < most / 1000 + 2


def masked(lines: list[str]) -> list[str]:
    return [re.sub(r"\b(time|nps) \d+", r"\1 *", line) for line in lines]


@pytest.mark.parametrize("bot", ["ismcts", "pimc", "rules", "greedy", "random"])
def test_same_seed_same_output(bot: str) -> None:
    said = []
    for _ in range(2):
        with Conversation() as engine:
            engine.send(f"setoption name Bot value {bot}", "setoption name Seed value 7", VIEW)
            for _ in range(2):
                engine.send("setoption name MultiPV value 9", "go nodes 40000")
                said.append(masked(engine.until("bestmove")))
    assert said[0] == said[1] == said[2] == said[3]


def test_seeds_and_threads_count(engine: Conversation) -> None:
    infos = []
    for seed, threads in ((1, 1), (2, 1), (1, 2)):
        engine.send(
            f"setoption name Seed value {seed}",
            f"setoption name Threads value {threads}",
            VIEW,
            "go nodes 5000",
        )
        infos.append(masked(engine.until("bestmove"))[-2])
    assert len(set(infos)) == 3
    assert all(int(fields(info)["nodes"][0]) == 5000 for info in infos)


# Points of view


@pytest.mark.parametrize("bot", ["ismcts", "pimc", "rules", "greedy", "random"])
@pytest.mark.parametrize("game", ["jass"])
def test_no_peek(bot: str, game: str) -> None:
    """Whoever holds the hidden cards, and whether they are told or not, the output is the same."""
    with Conversation(game) as engine:
        engine.send(f"setoption name Bot value {bot}", "setoption name Seed value 3")
        for number in range(6):
            position = Match(Rules.parse(game, "hsl" if number % 2 else ""), 50 + number).deal()
            for choice in range(3 * number):
                legal = position.deal.legal()
                position.play((legal & -legal).bit_length() - 1 if choice else 9 + number)
            said = set()
            seat = position.deal.to_move
            for world in (position, *hidden_cards_elsewhere(position), position.view(seat)):
                engine.send(f"position {world.text()}", "go nodes 3000")
                said.add("\n".join(masked(engine.until("bestmove"))))
            assert len(said) == 1


def hidden_cards_elsewhere(position: Position) -> Iterator[Position]:
    """The same deal with what is hidden from the seat to move dealt otherwise, as far as it has shown."""
    seat = position.deal.to_move
    view = position.deal.view(seat)
    for seed in range(1, 5):
        world = view.determinize(seed)
        hands = [world.dealt(each) for each in range(4)]
        yield Position.parse(with_hands(position, hands))


def with_hands(position: Position, hands: list[int]) -> str:
    other = position.copy()
    other.hands = tuple(hands)
    return other.text()


def test_open_hands_do_look(engine: Conversation) -> None:
    position = Match(Rules.parse("jass", "hsl"), 4).deal()
    position.add_word("obenabe")
    engine.send("setoption name Seed value 3", f"position {position.text()}", "go nodes 3000")
    closed = masked(engine.until("bestmove"))
    engine.send("setoption name Open Hands value true", "go nodes 3000")
    assert masked(engine.until("bestmove")) != closed


@pytest.mark.parametrize("level", [0, 10, 19])
def test_skill_is_legal_and_quick(level: int, engine: Conversation) -> None:
    engine.send(f"setoption name Skill value {level}")
    for number in range(2):
        position = Match(Rules.parse("jass"), 60 + number).deal()
        while position.deal.to_move >= 0:
            started = time.monotonic()
            engine.send(f"position {position.view(position.deal.to_move).text()}", "go movetime 20000")
            position.add_word(engine.until("bestmove")[-1].split()[1])
            assert time.monotonic() - started < 2


def test_french_cards(engine: Conversation) -> None:
    engine.ask("setoption name Cards value french", "setoption name Seed value 1")
    line = "position jass first 0 hands HA,HK,H6,CA,C6,DA,D6,SA,S6 ? ? ? moves roses"
    legal, state = engine.ask(line, "legal", "state")
    assert legal == "legal HA HK H6 CA C6 DA D6 SA S6"
    assert json.loads(state[6:])["hands"][0] == ["HA", "HK", "H6", "CA", "C6", "DA", "D6", "SA", "S6"]
    engine.send("go nodes 1000")
    assert engine.until("bestmove")[-1].split()[1][0] in "HCDS"
    assert engine.ask(VIEW)[0].startswith("error bad-position")


# Counting


def test_perft(shared: Conversation) -> None:
    hands = "rA,rK,rO,rU,rB,r9,r8,r7,r6 aA,aK,aO,aU,aB,a9,a8,a7,a6 bA,bK,bO,bU,bB,b9,b8,b7,b6 ?"
    said = shared.ask(f"position jass rules hsl first 0 hands {hands} moves obenabe")
    for depth, count in enumerate((1, 9, 81, 729, 6561, 52488, 419904, 3359232)):
        shared.send(f"go perft {depth}")
        said.append(shared.line())
        assert said == [f"perft {depth} {count}"]
        said.clear()
    shared.send("go perft 30")
    time.sleep(0.1)
    assert shared.ask("isready", "legal", "go nodes 1", "stop", seconds=3) == [
        "readyok",
        "legal rA rK rO rU rB r9 r8 r7 r6",
        "error busy go: must wait for the end of the search, or stop it",
        "info string perft stopped",
    ]


def test_bench(shared: Conversation) -> None:
    shared.send("bench", "isready")
    lines = shared.until("bench signature", 60)
    assert "readyok" in lines[:5]
    assert re.fullmatch(r"bench signature [0-9a-f]{16} nodes \d+ time \d+ nps \d+", lines[-1])
    shared.send("bench")
    shared.line()
    assert shared.ask("stop")[-1] == "info string bench stopped"


def test_bench_is_the_same_on_both_builds() -> None:
    found = set()
    for kernel in ("portable", "bmi2"):
        done = subprocess.run(
            [COMMAND, "bench"],
            capture_output=True,
            text=True,
            env=os.environ | {"TRICKBOT_KERNEL": kernel},
            check=False,
        )
        if kernel == "bmi2" and "not installed" in done.stderr:
            pytest.skip("this processor has one build only")
        found.add(done.stdout.splitlines()[-1].split()[2])
    assert len(found) == 1


# Ends


LONG = ["go infinite", "go perft 40", "bench", "isready"]


def full_deal() -> str:
    return Match(Rules.parse("jass"), 1).deal().text() + " moves obenabe"


@pytest.mark.parametrize("command", LONG)
@pytest.mark.parametrize("end", ["quit now", ""])
def test_quit_and_end_of_input(command: str, end: str) -> None:
    """At once, with exit code 0 and nothing on stderr, whatever runs; a search says its move."""
    engine = Conversation()
    engine.ask(f"position {full_deal()}", command)
    started = time.monotonic()
    if end:
        engine.send(end)
        engine.process.wait(5)
    assert engine.close() == b""
    assert time.monotonic() - started < 1
    if command == "go infinite":
        assert engine.until("bestmove")[-1].startswith("bestmove ")


@pytest.mark.parametrize("command", LONG)
def test_reader_gone(command: str) -> None:
    """At the next line that it says, quietly."""
    ours, its = os.pipe()
    process = subprocess.Popen([COMMAND], stdin=subprocess.PIPE, stdout=its, stderr=subprocess.PIPE)
    os.close(its)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(f"position {full_deal()}\nisready\n".encode())
    process.stdin.flush()
    assert os.read(ours, 100) == b"readyok\n"
    os.close(ours)
    process.stdin.write(f"{command}\nisready\n".encode())
    process.stdin.flush()
    try:
        assert process.wait(5) == 0
        assert process.stderr.read() == b""
    finally:
        process.kill()
        process.stdin.close()
        process.stderr.close()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_from_the_start(closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" {closed}', COMMAND],
        input=b"uci\n",
        capture_output=True,
        timeout=10,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_interrupt() -> None:
    engine = Conversation()
    engine.ask(f"position {full_deal()}", "go infinite")
    engine.process.send_signal(signal.SIGINT)
    assert engine.close(-signal.SIGINT) == b""


def test_a_slow_reader_keeps_nobody_waiting() -> None:
    """Two seconds without reading, far more said than a pipe holds: all is answered, and in order."""
    engine = Conversation(reading=False)
    engine.send(f"position {full_deal()}", "setoption name MultiPV value 9", "go infinite")
    started = time.monotonic()
    for number in range(2000):
        engine.send(f"id {number} state")
    engine.send("stop", "id end isready")
    assert time.monotonic() - started < 2
    time.sleep(2)
    engine.start_reading()
    lines = engine.until("id end readyok")
    states = [line for line in lines if " state {" in line]
    assert [int(line.split()[1]) for line in states] == list(range(2000))
    assert sum(line.startswith("bestmove ") for line in lines) == 1
    assert int(fields([line for line in lines if line.startswith("info")][-1])["time"][0]) < 2000
    assert engine.close() == b""
