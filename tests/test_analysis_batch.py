"""The batch mode: every query is answered, once, whatever it is."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from typing import Any

import pytest
from trickbot.ai.analysis.batch import FIELDS, Batch
from trickbot.ai.analysis.dealing import Wanted, deals
from trickbot.ai.analysis.positions import Settings
from trickbot.ai.analysis.values import EFFORTS
from trickbot.ai.searcher import Limits
from trickbot.engine.position import Position
from trickbot.engine.record import Record
from trickbot.engine.rules import Rules

WORLD, DEAL, _ = EFFORTS["quick"]
QUICK = Settings(limits=Limits(nodes=200), worlds=3, world=WORLD, deal=DEAL)
LONG = {"movetime": 3_600_000}


@pytest.fixture(scope="module")
def position() -> Position:
    return next(iter(deals(Wanted(Rules.parse("jass"), tricks_left=5, contract="obenabe"), 4, 1)))


class Table:
    """A batch whose answers are kept."""

    def __init__(self, jobs: int = 2) -> None:
        self.answers: list[dict[str, Any]] = []
        self.changed = threading.Condition()
        self.batch = Batch(self._take, QUICK, jobs)

    def _take(self, line: str, droppable: bool) -> None:
        with self.changed:
            self.answers.append(json.loads(line))
            self.changed.notify_all()

    def ask(self, **query: Any) -> None:
        self.batch.handle(json.dumps(query))

    def wait(self, ready: Any, seconds: float = 60) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: ready(self.answers), seconds), self.answers

    def finish(self) -> list[dict[str, Any]]:
        self.batch.finish()
        return self.answers

    def final(self, ident: Any) -> dict[str, Any]:
        found = [each for each in self.answers if each["id"] == ident and each.get("final")]
        assert len(found) == 1, found
        return found[0]


def test_a_query_is_answered(position: Position) -> None:
    table = Table()
    table.ask(id="a", position=position.text(), multipv=2, open=True, beliefs=True)
    (answer,) = table.finish()
    assert answer["final"] is True
    assert answer["partial"] is False
    assert answer["turn"] == len(position.events)
    assert answer["position"] == position.text()
    assert answer["nodes"] == 200
    assert answer["valued_worlds"] == 3
    assert len(answer["moves"]) <= 2
    assert answer["open"][0]["exact"]
    assert {"places", "worlds"} == set(answer["beliefs"])


def test_several_positions_of_a_deal(position: Position) -> None:
    table = Table()
    table.ask(id=7, position=position.text(), turns=[3, 5, 4, 3])
    table.ask(id="all", position=position.text(), turns="all")
    answers = table.finish()
    own = [each for each in answers if each["id"] == 7]
    assert sorted(each["turn"] for each in own) == [3, 4, 5]
    assert [each["final"] for each in own] == [False, False, True]
    words = position.text().split()
    start = words.index("moves")
    for each in own:
        assert each["position"].split() == words[: start + 1 + each["turn"]]
    every = [each["turn"] for each in answers if each["id"] == "all"]
    assert sorted(every) == list(range(len(position.events) + 1))
    assert table.final("all")


def test_a_record_may_stand_for_the_position(position: Position) -> None:
    table = Table()
    record = json.loads(Record.of(position).to_json())
    table.ask(id="r", record=record)
    table.ask(id="p", position=position.text())
    table.finish()
    ours, theirs = table.final("r"), table.final("p")
    assert ours["moves"] == theirs["moves"]


def test_overrides(position: Position) -> None:
    table = Table()
    table.ask(
        id="n", position=position.text(), nodes=700, worlds=0, options={"Exploration": 2.5, "bot": "pimc"}
    )
    table.ask(id="s", position=position.text(), seed=9)
    table.finish()
    assert table.final("n")["nodes"] == 700
    assert table.final("n")["valued_worlds"] == 0
    assert table.final("s")["moves"]


def test_french_cards(position: Position) -> None:
    table = Table()
    table.ask(id="g", position=position.text())
    table.finish()
    line = table.final("g")["position"]
    for german, french in zip("rabs", "HCDS", strict=True):
        for old, new in zip("AKOUB9876", "AKQJT9876", strict=True):
            line = line.replace(f"{german}{old}", f"{french}{new}")
    table = Table()
    table.ask(id="f", position=line, cards="french")
    table.finish()
    assert table.final("f")["position"] == line
    assert table.final("f")["best"][0] in "HCDS"


@pytest.mark.parametrize(
    ("query", "field", "said"),
    [
        ({"id": "x"}, "position", "either position or record"),
        ({"id": "x", "position": 3}, "position", "must be text"),
        ({"id": "x", "position": "jass"}, "position", "first is missing"),
        ({"id": "x", "position": "POSITION rX"}, "position", "index 15: 'rX' is no card"),
        ({"id": "x", "position": "POSITION", "nodes": 0}, "nodes", "0: must be a whole number from 1"),
        ({"id": "x", "position": "POSITION", "nodes": True}, "nodes", "true: must be a whole number"),
        ({"id": "x", "position": "POSITION", "movetime": "9"}, "movetime", "'9': must be a whole number"),
        ({"id": "x", "position": "POSITION", "open": 1}, "open", "1: must be true or false"),
        ({"id": "x", "position": "POSITION", "cards": "swiss"}, "cards", "must be"),
        ({"id": "x", "position": "POSITION", "turns": [99]}, "turns", "99: must be a number from 0 to"),
        ({"id": "x", "position": "POSITION", "turns": []}, "turns", "must be a list"),
        ({"id": "x", "position": "POSITION", "report_every": 0}, "report_every", "above 0"),
        ({"id": "x", "position": "POSITION", "options": {"Hash": 0}}, "options", "option Hash value '0'"),
        ({"id": "x", "position": "POSITION", "options": {"Speed": 1}}, "options", "no option 'Speed'"),
        ({"id": "x", "position": "POSITION", "options": {"Hash": [1]}}, "options", "Hash [1]"),
        ({"id": "x", "record": {"game": "chess"}}, "record", "game 'chess'"),
        ({"id": "x", "action": "stop"}, "action", "'stop': must be one of version"),
        ({"id": "x", "action": "terminate"}, "of", "is missing"),
        ({"id": None, "action": "version"}, "id", "must be text or a whole number"),
        ({"position": "POSITION"}, "id", "must be text or a whole number"),
    ],
)
def test_errors_name_the_field(position: Position, query: dict[str, Any], field: str, said: str) -> None:
    table = Table(1)
    text = position.text()
    table.batch.handle(json.dumps(query).replace("POSITION", text))
    (answer,) = table.finish()
    assert answer["final"] is True
    assert answer["field"] == field
    assert answer["code"]
    said = said.replace("index 15", f"index {len(position.events)}")
    assert said in answer["error"]
    assert answer["id"] == ("x" if query.get("id") else None)


def test_lines_that_are_no_queries() -> None:
    table = Table(1)
    lines = ["{", "[]", "7", '"x"', "null", "[" * 100_000, '{"id":"\ud800"}', None, "  ", ""]
    for line in lines:
        table.batch.handle(line)
    answers = table.finish()
    assert len(answers) == len(lines) - 2
    assert all("error" in each and each["final"] for each in answers)


def test_unknown_fields_are_warned_of(position: Position) -> None:
    table = Table(1)
    table.ask(id="w", position=position.text(), mulitpv=3, colour="red")
    answers = table.finish()
    warned = [each for each in answers if "warning" in each]
    assert [each["field"] for each in warned] == ["mulitpv", "colour"]
    assert "did you mean multipv?" in warned[0]["warning"]
    assert "must be one of id, position" in warned[1]["warning"]
    assert not any("final" in each for each in warned)
    assert table.final("w")["moves"]


def test_terminate_one(position: Position) -> None:
    table = Table(1)
    table.ask(id="long", position=position.text(), turns=[4, 5, 6], **LONG)
    table.ask(id="next", position=position.text())
    table.ask(id="end", action="terminate", of="long")
    table.finish()
    own = [each for each in table.answers if each["id"] == "long"]
    assert len(own) == 3
    assert all(each["terminated"] for each in own)
    assert table.final("long")
    assert "terminated" not in table.final("next")
    assert table.final("end")["queries"] == 1


def test_terminate_while_it_runs(position: Position) -> None:
    table = Table(1)
    table.ask(id="long", position=position.text(), report_every=0.05, **LONG)
    table.wait(lambda answers: any(each.get("partial") for each in answers))
    begun = time.monotonic()
    table.ask(id="end", action="terminate_all")
    table.wait(lambda answers: any(each["id"] == "long" and each["final"] for each in answers))
    assert time.monotonic() - begun < 5
    table.finish()
    answer = table.final("long")
    assert answer["terminated"]
    assert answer["moves"]
    assert table.final("end")["queries"] == 1


def test_partial_reports(position: Position) -> None:
    table = Table(1)
    table.ask(id="p", position=position.text(), movetime=1500, report_every=0.2)
    answers = table.finish()
    partial = [each for each in answers if each["partial"]]
    assert 2 <= len(partial) <= 8
    assert all(not each["final"] and each["moves"] for each in partial)
    assert answers[-1] == table.final("p")


def test_priorities(position: Position) -> None:
    table = Table(1)
    table.ask(id="first", position=position.text(), report_every=0.05, **LONG)
    table.wait(bool)
    for ident, priority in (("low", -1), ("usual", 0), ("high", 5), ("usual too", 0)):
        table.ask(id=ident, position=position.text(), priority=priority)
    table.ask(id="end", action="terminate", of="first")
    answers = table.finish()
    order = [each["id"] for each in answers if each.get("final") and each["id"] not in ("first", "end")]
    assert order == ["high", "usual", "usual too", "low"]


def test_version() -> None:
    table = Table(1)
    table.ask(id="v", action="version")
    table.finish()
    assert table.final("v")["name"] == "trickbot"


def test_every_query_has_one_final_answer(position: Position) -> None:
    """Random queries, right and wrong, with terminations among them."""
    rng = random.Random(5)
    odd: list[Any] = [None, True, 0, -3, 2.5, "x", [], {}, [1], "all", 10**30]
    table = Table(2)
    asked: Counter[Any] = Counter()
    for number in range(150):
        query: dict[str, Any] = {
            "id": f"q{number % 120}",
            "position": position.text(),
            "nodes": 50,
            "worlds": 1,
        }
        if rng.random() < 0.5:
            query[rng.choice([name for name in FIELDS if name != "id"])] = rng.choice(odd)
        if rng.random() < 0.2:
            query = {"id": query["id"], "action": rng.choice(["terminate", "terminate_all", "x"]), "of": "q3"}
        asked[query["id"]] += 1
        table.ask(**query)
    answers = table.finish()
    final = Counter(each["id"] for each in answers if each.get("final"))
    assert final == asked


PROGRAM = [sys.executable, "-c", "from trickbot.ai.cli import main; main()", "analyse", "--batch"]


def test_process(position: Position) -> None:
    lines = [
        json.dumps({"id": number, "position": position.text(), "nodes": 100, "worlds": 2})
        for number in range(20)
    ]
    text = "\n".join([*lines, "nothing", '{"id":"v","action":"version"}'])
    done = subprocess.run(
        [*PROGRAM, "--jobs", "2"], input=text.encode(), capture_output=True, timeout=120, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert Counter(each["id"] for each in answers) == Counter([*range(20), None, "v"])
    assert done.stderr == b""


def test_process_ends_when_nobody_reads(position: Position) -> None:
    with subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdout.close()
        query = json.dumps({"id": 1, "position": position.text(), "nodes": 100, "worlds": 2})
        process.stdin.write(f"{query}\n".encode())
        process.stdin.flush()
        assert process.wait(60) == 0
        process.stdin.close()


def test_process_is_interrupted_at_once(position: Position) -> None:
    import signal

    with subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        query = json.dumps({"id": 1, "position": position.text(), "report_every": 0.1, **LONG})
        process.stdin.write(f"{query}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline()
        begun = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(30) == 130
        assert time.monotonic() - begun < 5
