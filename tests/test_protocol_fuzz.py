"""Garbage: the engine never dies, never hangs, never answers twice."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from conversation import COMMAND, Conversation
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from trickbot.ai.options import OPTIONS
from trickbot.ai.protocol import Engine

CASES = [
    json.loads(line)["position"]
    for path in sorted((Path(__file__).parent / "data" / "cases").glob("*.jsonl"))
    for line in path.read_text().splitlines()
]
VIEW = "position jass match 0 0 first 0 hands rA,rK,r6,aA,a6,bA,b6,sA,s6 ? ? ? moves obenabe"
LINES = [
    *CASES,
    VIEW,
    *(f"setoption name {option.name} value {option.default}" for option in OPTIONS),
    *("uci", "isready", "ucinewgame", "legal", "state", "d", "commands", "help", "stop", "debug on"),
    *(
        "go nodes 30",
        "go movetime 1",
        "go infinite",
        "go time 5 inc 1",
        "go perft 3",
        "go perft 12",
        "go",
        "bench",
    ),
    *("id 7 go nodes 10", "id x state", "joho debug on", "go depth 0"),
]
WORDS = sorted({word for line in LINES for word in line.split() if len(word) < 30})
CODES = ("unknown-command", "bad-argument", "bad-position", "illegal-move", "no-position", "busy")
KINDS = (
    "id",
    "protocol",
    "option",
    "uciok",
    "readyok",
    "info",
    "bestmove",
    "error",
    "legal",
    "state",
    "perft",
    "commands",
    "bench",
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A line that means something, or did before words or letters of it were changed."""
    line = draw(st.sampled_from(LINES))
    for _ in range(draw(st.integers(0, 4))):
        words = line.split(" ")
        at = draw(st.integers(0, len(words)))
        how = draw(st.sampled_from(["drop", "double", "insert", "swap", "letter", "cut"]))
        if how == "drop":
            words = words[:at] + words[at + 1 :]
        elif how == "double":
            words = words[:at] + words[at : at + 1] * 2 + words[at + 1 :]
        elif how == "insert":
            words.insert(at, draw(st.one_of(st.sampled_from(WORDS), st.text(max_size=6))))
        elif how == "swap":
            words = words[at:] + words[:at]
        elif how == "cut":
            words = words[:at]
        elif line:
            place = draw(st.integers(0, len(line) - 1))
            words = [line[:place] + draw(st.characters(codec="utf-8")) + line[place + 1 :]]
        line = " ".join(words)
    return line.replace("\n", " ")


any_line = st.one_of(
    mutated().map(str.encode),
    st.lists(st.sampled_from(WORDS), max_size=12).map(lambda words: " ".join(words).encode()),
    st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"\0")),
)


def is_quit(line: bytes) -> bool:
    """Whether it is meant to end the engine."""
    words = line.decode("utf-8", "replace").lower().split()
    return words[:1] == ["quit"] or (words[:1] == ["id"] and words[2:3] == ["quit"])


def check_line(line: str) -> None:
    """One line, of a known kind, with or without an id before it."""
    assert len(line.splitlines()) == 1
    words = line.split(" ")
    if words[0] == "id" and words[1] not in ("name", "author"):
        words = words[2:]
    assert words[0] in KINDS, line
    if words[0] == "error":
        assert words[1] in CODES
        assert len(line) < 1500
        assert "Error:" not in line or "MemoryError" in line, line
    if words[0] == "state":
        json.loads(" ".join(words[1:]))


def kinds(lines: list[str], kind: str) -> int:
    """How many lines are of a kind."""
    return sum(kind in line.split(" ")[:3:2] for line in lines)


class Talk:
    """An engine without pipes, and what it has said."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.engine = Engine(lambda line, droppable: self.said.append(line))

    def handle(self, line: bytes) -> list[str]:
        """What a line causes at once."""
        begin = len(self.said)
        assert self.engine.handle(line.decode("utf-8", "replace"))
        return self.said[begin:]

    def wait(self, seconds: float = 10) -> None:
        """Until nothing runs any more."""
        end = time.monotonic() + seconds
        while self.engine._job is not None:
            assert time.monotonic() < end
            Event().wait(0.001)


FUZZ = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=300)


@FUZZ
@given(lines=st.lists(any_line, max_size=12))
@example(lines=[VIEW.encode(), b"go nodes 0", b"go infinite"])
def test_each_line_has_its_answer(lines: list[bytes]) -> None:
    """Lines one by one, each stopped before the next: one bestmove at most, errors change nothing."""
    talk = Talk()
    for line in lines:
        if is_quit(line):
            continue
        before = talk.handle(b"state"), talk.engine.options.copy()
        begin = len(talk.said)
        talk.handle(line)
        talk.handle(b"stop")
        talk.wait()
        said = talk.said[begin:]
        for each in said:
            check_line(each)
        assert kinds(said, "bestmove") + kinds(said, "error") <= 1
        if kinds(said, "error"):
            assert len(said) == 1
            assert (talk.handle(b"state"), talk.engine.options) == before


@FUZZ
@given(lines=st.lists(any_line, max_size=12), game=st.sampled_from([VIEW]))
def test_mid_search(lines: list[bytes], game: str) -> None:
    """Whatever is said while a search runs, it ends with one bestmove, when it is stopped."""
    talk = Talk()
    talk.handle(game.encode())
    state = talk.handle(b"state")
    talk.handle(b"id search go infinite")
    for line in lines:
        words = line.decode("utf-8", "replace").lower().split()
        if not is_quit(line) and "stop" not in words[:3]:
            talk.handle(line)
    assert kinds(talk.said, "bestmove") == 0
    assert [line for line in talk.handle(b"state") if "info" not in line] == state
    talk.handle(b"stop")
    assert [line for line in talk.said if "bestmove" in line.split()[:3]] == [
        next(line for line in talk.said if line.startswith("id search bestmove "))
    ]
    for line in talk.said:
        check_line(line)


@pytest.fixture(scope="module")
def engine() -> Iterator[Conversation]:
    with Conversation() as conversation:
        yield conversation


@settings(FUZZ, max_examples=80)
@given(lines=st.lists(any_line, max_size=30), ends=st.sampled_from([b"", b"\r", b" \t"]))
def test_through_pipes(lines: list[bytes], ends: bytes, engine: Conversation) -> None:
    """All at once, over a real pipe, one process for all examples."""
    wanted = [line + ends for line in lines if not is_quit(line)]
    said = engine.ask(*wanted, "stop", seconds=30)
    for line in said:
        check_line(line)
    assert kinds(said, "bestmove") <= sum(b"go" in line.lower() for line in wanted)


@settings(FUZZ, max_examples=10)
@given(data=st.binary(min_size=1, max_size=50), copies=st.sampled_from([1 << 15, 1 << 16]))
def test_long_garbage(data: bytes, copies: int, engine: Conversation) -> None:
    """Lines of a MiB and more, of any bytes."""
    line = b"position " + data.replace(b"\n", b"\r") * copies
    said = engine.ask(line, b"id x " + line, line + b"\0", seconds=30)
    assert len(said) == kinds(said, "error") == 3


@settings(FUZZ, max_examples=25)
@given(
    lines=st.lists(any_line, max_size=8),
    how=st.sampled_from(["end", "reader"]),
    torn=st.binary(max_size=9),
)
def test_pipes_closed_anywhere(lines: list[bytes], how: str, torn: bytes) -> None:
    """Input that ends, in the middle of a line or not, and output that nobody reads: exit code 0, no word."""
    process = subprocess.Popen(
        [COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        if how != "end":
            process.stdout.close()
        try:
            process.stdin.write(b"\n".join([VIEW.encode(), b"go infinite", *lines, torn]))
            process.stdin.close()
        except BrokenPipeError:
            assert how != "end" or any(map(is_quit, lines))
        if how == "end":
            for line in process.stdout.read().decode().splitlines():
                check_line(line)
        assert process.wait(5) == 0
        assert process.stderr.read() == b""
    finally:
        process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()


def test_flood() -> None:
    """Many commands faster than they are answered, and nobody reads meanwhile."""
    talk = Conversation(reading=False)
    talk.send(VIEW, "go infinite", *["d"] * 20_000, "stop", "id last isready")
    talk.start_reading()
    lines = talk.until("id last readyok", 30)
    assert sum(line.startswith("info string to move") for line in lines) == 20_000
    assert kinds(lines, "bestmove") == 1
    assert talk.close() == b""


def test_memory_stays() -> None:
    """Thousands of searches and refused lines do not add up."""

    def resident(pid: int) -> int:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    with Conversation() as talk:
        sizes = []
        for _ in range(3):
            for _ in range(10):
                talk.ask(*[VIEW, "go nodes 20", "stop", "position jass " + "x" * 10_000, "state"] * 20)
            sizes.append(resident(talk.process.pid))
        assert sizes[2] - sizes[1] < 4 << 20
