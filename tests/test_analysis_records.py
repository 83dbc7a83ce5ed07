"""Records analysed move by move: what is counted, how it is kept, and how it is shown."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from trickbot.ai.analysis.page import page
from trickbot.ai.analysis.positions import PositionAnalysis, Settings
from trickbot.ai.analysis.records import (
    DealReport,
    Decision,
    Summary,
    biggest,
    card_kind,
    kept_sides,
    steps_of,
)
from trickbot.ai.analysis.review import Review
from trickbot.ai.analysis.text import decision_from_json, decision_json, table
from trickbot.ai.analysis.values import Effort, margin
from trickbot.ai.cli import main
from trickbot.ai.searcher import Limits
from trickbot.engine.cards import side_of
from trickbot.engine.errors import RecordError
from trickbot.engine.position import Position
from trickbot.engine.record import Record, read_records

DATA = Path(__file__).parent / "data" / "jass_deals.jsonl"
QUICK = Settings(limits=Limits(nodes=300), worlds=6, world=Effort(4, 10**6, 100), deal=Effort(6, 10**6, 300))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return list(read_records(DATA))


@pytest.fixture(scope="module")
def reports(records: list[Record]) -> list[DealReport]:
    review = Review(records, QUICK)
    assert review.run(2)
    return review.reports


def decision(**changes: Any) -> Decision:
    usual = Decision(
        5, 1, "lead", 2, False, "rA", "rK", "rK", 8.0, 1.0, 50, True, (), None, (80.0, 77.0), True, 3.0
    )
    return replace(usual, **changes)


def test_every_decision_is_there(records: list[Record], reports: list[DealReport]) -> None:
    for record, report in zip(records, reports, strict=True):
        assert [each.index for each in report.decisions] == list(range(len(record.moves)))
        assert [each.played for each in report.decisions] == record.moves
        position = Position(record.rules, record.first, record.hands, record.match)
        for each in report.decisions:
            assert each.seat == position.deal.to_move
            assert each.trick == (0 if position.deal.phase != 5 else len(position.deal.tricks) + 1)
            assert each.forced == (position.deal.legal().bit_count() == 1)
            position.add_word(each.played)


def test_forced_moves_lose_nothing(reports: list[DealReport]) -> None:
    forced = [each for report in reports for each in report.decisions if each.forced]
    assert forced
    assert all((each.lost, each.error, each.open_lost, each.n_worlds) == (0, 0, 0, 0) for each in forced)


def test_open_values_are_exact_and_nobody_gains(reports: list[DealReport]) -> None:
    for report in reports:
        for each in report.decisions:
            assert each.open_exact or each.trick < 4
            assert each.open_lost is not None
            assert each.open_lost >= 0 or each.trick < 4


def test_what_open_hands_lost_leads_to_the_result(reports: list[DealReport]) -> None:
    """From a value that is solved, what both sides lost leads to what came of it."""
    for report in reports:
        late = [each for each in report.decisions if each.trick >= 4]
        value = margin(late[0].open_points, 0)
        for each in late:
            assert each.open_lost is not None
            value += each.open_lost * (1 if side_of("jass", each.seat) == 1 else -1)
        assert value == margin(report.position.deal.points, 0)


def test_same_seed_same_analysis_whatever_the_threads(
    records: list[Record], reports: list[DealReport]
) -> None:
    review = Review(records, QUICK)
    review.run(1)
    assert review.reports == reports


def test_kinds_of_cards() -> None:
    begin = (
        "jass rules hsl first 0 hands rA,aK,aO,aU,aB,a9,a8,a7,a6 aA,rK,rO,rU,rB,r9,r8,r7,r6 "
        "bA,bK,bO,bU,bB,b9,b8,b7,b6 sA,sK,sO,sU,sB,s9,s8,s7,s6 moves shields"
    )
    position = Position.parse(begin)
    kinds = []
    for word in ("rA", "rK", "bA", "sA"):
        position_card = position.copy()
        position_card.add_word(word)
        kinds.append(card_kind(position.deal, position_card.events[-1].move))
        position = position_card
    assert kinds == ["lead", "follow", "discard", "trump"]


def test_a_mistake_is_beyond_doubt() -> None:
    assert decision(lost=8.0, error=3.9).mistake
    assert not decision(lost=8.0, error=4.1).mistake
    assert not decision(lost=0.9, error=0.0).mistake


def test_summary_adds_up(records: list[Record]) -> None:
    report = DealReport(
        records[0],
        [
            decision(),
            decision(seat=3, lost=2.0, error=2.0, open_lost=0.0),
            decision(seat=1, kind="follow", lost=0.0, error=0.0, played="rK"),
            decision(seat=1, forced=True),
            decision(seat=1, kind="discard", lost=-1.0, error=2.0, open_lost=None),
        ],
    )
    summary = Summary.of([report])
    names = records[0].players
    total = summary.totals[names[1]]
    assert (total.n, total.n_mistakes, total.n_best, summary.n_forced) == (3, 1, 1, 1)
    assert total.lost == pytest.approx(7.0)
    assert total.error == pytest.approx(5**0.5)
    assert total.luck == pytest.approx(-5.0 + 3.0)  # nothing is known of the last one
    assert summary.sums[names[3], "lead"].n_mistakes == 0
    assert summary.kinds("jass") == ["lead", "follow", "discard"]
    assert [each for _, _, each in biggest([report], 5)] == [report.decisions[0]]


def test_gaps_have_no_open_loss(records: list[Record]) -> None:
    report = DealReport.of(records[0], [decision(index=3, open_lost=None), decision(index=5, open_lost=None)])
    assert [each.open_lost for each in report.decisions] == [None, None]
    report = DealReport.of(
        records[0], [decision(index=4, open_lost=None, open_points=(70.0, 87.0)), decision(index=5)]
    )
    assert report.decisions[0].open_lost == pytest.approx(20.0)  # seat 1 had 17 ahead, then 3 behind


def test_json_of_a_decision_comes_back() -> None:
    for each in (decision(), decision(win_lost=0.25, open_lost=None)):
        assert decision_from_json(json.loads(json.dumps(decision_json(each)))) == each


def test_log_is_taken_up_again(records: list[Record], reports: list[DealReport], tmp_path: Path) -> None:
    log = tmp_path / "log"
    first = Review(records, QUICK, str(log))
    done = 0

    def stop_at_ten() -> None:
        nonlocal done
        done += 1
        if done == 10:
            raise KeyboardInterrupt

    assert not first.run(1, stop_at_ten)
    assert first.n_done == len(log.read_text().splitlines()) == 10
    with log.open("a") as file:
        file.write('{"of": "torn')
    again = Review(records, QUICK, str(log))
    assert again.n_done == 10
    count = 0

    def tell() -> None:
        nonlocal count
        count += 1

    assert again.run(1, tell)
    assert count == again.n_steps - 10
    assert len(log.read_text().splitlines()) == again.n_steps
    assert again.reports == reports  # the fixture's, which no log has seen


def test_log_of_other_settings_is_not_used(records: list[Record], tmp_path: Path) -> None:
    log = tmp_path / "log"
    steps = Review(records[:1], QUICK, str(log))
    steps.steps = steps.steps[-3:]
    steps.run()
    assert Review(records[:1], QUICK, str(log)).n_done == 3
    assert Review(records[:1], replace(QUICK, worlds=7), str(log)).n_done == 0
    assert Review(records[1:], QUICK, str(log)).n_done == 0


def test_other_files_are_not_written_to(records: list[Record], tmp_path: Path) -> None:
    other = tmp_path / "notes"
    other.write_text("my notes\n")
    with pytest.raises(RecordError, match="no analysed decision"):
        Review(records, QUICK, str(other))
    assert other.read_text() == "my notes\n"


def test_kill_and_go_on(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = "from trickbot.ai.cli import main; main()"
    command = [sys.executable, "-c", program, "analyse", str(DATA), "--log", str(log), "--effort", "quick"]
    command += ["--nodes", "200", "--summary"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (log.exists() and log.read_text().count("\n") >= 3):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"go on with --log" in said
    n = log.read_text().count("\n")
    done = subprocess.run(command, capture_output=True, check=True, timeout=300, env=dict(os.environ))
    assert b"By player and kind of decision" in done.stdout
    assert log.read_text().count("\n") > n


def test_a_position_can_be_interrupted() -> None:
    """In the middle of a solve that takes long: what is known by then is shown."""
    [deal] = run_deal("--game", "apples", "--tricks-left", "8", "--seed", "12")
    program = "from trickbot.ai.analysis import values; from trickbot.ai.cli import main; "
    program += "values.EFFORTS['deep'] = (values.WORLD, values.Effort(9, 10**12, 100, 8), 1); "
    program += "print('ready', flush=True); main()"
    command = [sys.executable, "-c", program, "analyse", deal, "--open", "--effort", "deep", "--worlds", "0"]
    process = subprocess.Popen(
        [*command, "--nodes", "500"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(timeout=60)
    assert time.monotonic() - begun < 2
    assert process.returncode == 130
    assert said == "interrupted: not all that was asked for was done\n"
    assert "500 iterations" in shown
    assert "open" not in shown


class Balance(HTMLParser):
    """Tags that must be closed, and what the page refers to."""

    EMPTY = ("meta", "br", "use", "rect", "path", "circle")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.used: set[str] = set()
        self.labels: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        values = dict(attrs)
        if values.get("id"):
            self.ids.add(values["id"])
        if (values.get("href") or "").startswith("#"):
            self.used.add(values["href"][1:])
        if values.get("class") == "card":
            self.labels.append(values["aria-label"])
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


def test_page_is_whole_and_self_contained(reports: list[DealReport]) -> None:
    text = page(reports)
    found = Balance()
    found.feed(text)
    assert found.open == []
    assert found.used <= found.ids
    assert not re.search(r"https?://|<script|<link|@import|url\(", text)
    assert text.count('<div class="trick"') == sum(len(report.position.deal.tricks) for report in reports)
    assert len(found.labels) == len(reports) * 36 + 4 * text.count('<div class="trick"')
    assert set(found.labels) >= {"roses Under", "acorns Ass", "bells 6", "shields Banner"}


def test_page_escapes_names(records: list[Record], reports: list[DealReport]) -> None:
    record = replace(records[0], players=["<b>A&B", "b", "c", "d"])
    text = page([DealReport(record, reports[0].decisions)])
    assert "<b>A&B" not in text
    assert "&lt;b&gt;A&amp;B" in text


def test_players_may_change_seats(records: list[Record], reports: list[DealReport]) -> None:
    """As in a tournament: the points of a player are added up, and a line of a picture stays with its player."""
    changed = [
        DealReport(replace(report.record, players=players), report.decisions)
        for report, players in zip(reports, (["a", "b"] * 2, ["b", "a"] * 2), strict=False)
    ]
    assert kept_sides(changed) == [[0, 1], [1, 0]]
    one, other = (report.position.deal.points for report in changed)
    assert f"Made: a <b>{one[0] + other[1]}</b>, b <b>{one[1] + other[0]}</b>." in page(changed)
    strangers = DealReport(replace(reports[1].record, players=["c", "d"] * 2), [])
    assert kept_sides([changed[0], strangers]) == [[0, 1], [0, 1]]


def test_page_of_a_deal_that_was_broken_off(records: list[Record], reports: list[DealReport]) -> None:
    record = replace(records[0], moves=records[0].moves[:12], deal=None, scores=None)
    found = Balance()
    found.feed(page([DealReport.of(record, reports[0].decisions[:12])]))
    assert found.open == []
    assert len(found.labels) == 36 + len(record.moves) - 1 - (record.moves[0] == "push")


def test_table_lines_up() -> None:
    assert table(["a", "number"], [["bb", "1"], ["c", "23"]], right=[1]) == [
        "a   number",
        "bb       1",
        "c       23",
    ]


# The command


def run(*words: str, code: int = 0) -> Any:
    result = CliRunner().invoke(main, ["analyse", *words])
    assert result.exit_code == code, result.output
    return result


def test_json_of_records() -> None:
    result = run(str(DATA), "--effort", "quick", "--nodes", "200", "--json", "--jobs", "2")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == 3
    assert [len(line["decisions"]) for line in lines[:2]] == [len(each.moves) for each in read_records(DATA)]
    people = lines[2]["summary"]["players"]
    assert set(people) == {"Anna", "Beat", "Carla", "Dani"}
    for parts in people.values():
        assert (
            sum(part["choices"] for kind, part in parts.items() if kind != "all") == parts["all"]["choices"]
        )


def test_broken_records_are_named_and_left_out(tmp_path: Path) -> None:
    _, second = DATA.read_text().splitlines()
    wrong = json.loads(second)
    wrong["moves"][3] = "zz"
    file = tmp_path / "some.jsonl"
    file.write_text(f"{json.dumps(wrong)}\n\nnothing\n")
    result = run(str(file), "--worlds", "2", "--nodes", "50", code=1)
    assert f"{file}:1: " in result.stderr
    assert "'zz' is no card" in result.stderr
    assert f"{file}:3: " in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "a POSITION or a FILE is missing"),
        (["nowhere.txt"], "nowhere.txt: No such file"),
        (["chess", "e4"], "a position begins with jass or apples"),
        (["jass", "first", "9", "hands", "?", "?", "?", "?"], "first '9': must be a seat"),
        (["jass", "first", "0", "hands", "?", "?", "?", "?"], "which is to move, is unknown"),
        (["--batch", "x"], "--batch reads standard input"),
        (["--option", "Speed", "x"], "must be NAME=VALUE"),
        (["--option", "Speed=3", "x"], "no option 'Speed'"),
    ],
)
def test_errors_name_the_word(words: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["analyse", *words])
    assert result.exit_code in (1, 2)
    assert said in result.stderr


@pytest.fixture(scope="module")
def ending() -> str:
    return run_deal("--tricks-left", "4", "--seed", "3", "--contract", "obenabe")[0]


def run_deal(*words: str) -> list[str]:
    result = CliRunner().invoke(main, ["deal", *words])
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_position_as_text(ending: str) -> None:
    text = run(*ending.split(), "--nodes", "500", "--worlds", "20", "--beliefs", "--open").stdout
    assert "common worlds" not in text
    assert re.search(r"played on with open hands in \d+ worlds \((all|drawn)\), solved", text)
    assert "All hands open (exact):" in text
    assert "Where the hidden cards may lie" in text


def test_open_values_that_are_not_exact_are_marked() -> None:
    """Before the contract, undenufe is solved in a quick analysis and trumps are searched."""
    [deal] = run_deal("--seed", "4")
    text = run(deal, "--nodes", "50", "--worlds", "0", "--open", "--effort", "quick").stdout
    assert "All hands open (~: searched, not exact):" in text
    assert re.search(r"^undenufe +\d+.0 : \d+.0 ", text, re.MULTILINE)
    assert re.search(r"^roses +\d+.\d : \d+.\d ~", text, re.MULTILINE)


def test_position_as_json(ending: str) -> None:
    line = run(
        ending, "--nodes", "500", "--worlds", "20", "--beliefs", "--open", "--json", "--multipv", "0"
    ).stdout
    found = json.loads(line)
    position = Position.parse(ending)
    assert found["position"] == ending
    assert found["seat"] == position.deal.to_move
    assert found["best"] == found["moves"][0]["move"]
    assert found["moves"][0]["lost"] == 0
    assert all(move["exact"] for move in found["moves"])
    assert {move["move"] for move in found["open"]} >= {move["move"] for move in found["moves"]}
    assert found["open"][0]["lost"] == 0
    for card in found["beliefs"]["places"][0]["chances"]:
        assert sum(place["chances"][card] for place in found["beliefs"]["places"]) == pytest.approx(
            1, abs=0.001
        )


def test_hidden_hands_make_no_difference_but_for_open(ending: str) -> None:
    position = Position.parse(ending)
    seen = position.view(position.deal.to_move)
    settings = replace(QUICK, beliefs=True)
    full, view = (PositionAnalysis(each, settings).run() for each in (position, seen))
    assert full.moves == view.moves
    assert full.beliefs == view.beliefs
    result = CliRunner().invoke(main, ["analyse", seen.text(), "--open"])
    assert result.exit_code == 1
    assert "hands: all four must be known" in result.stderr


def test_forced_move_is_valued() -> None:
    line = run_deal("--tricks-left", "1", "--seed", "4", "--contract", "roses")[0]
    found = json.loads(run(line, "--json").stdout)
    assert len(found["moves"]) == 1
    assert found["moves"][0]["visits"] == 0
    assert sum(found["moves"][0]["points"]) >= 157


def test_file_of_positions(tmp_path: Path, ending: str) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"{ending}\njass first 0 hands rA\n\nposition {ending}\n")
    result = run(str(file), "--nodes", "200", "--worlds", "5", "--json", code=1)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == 2
    assert lines[0]["moves"] == lines[1]["moves"]
    assert f"{file}:2: " in result.stderr


def test_pictures(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib")
    for name, head in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
        run(ending, "--nodes", "200", "--worlds", "5", "--plot", str(tmp_path / name))
        assert (tmp_path / name).read_bytes().startswith(head)
    log = str(tmp_path / "log")
    files = ["--plot", str(tmp_path / "b.svg"), "--html", str(tmp_path / "b.html")]
    run(str(DATA), "--effort", "quick", "--worlds", "2", "--nodes", "50", "--log", log, *files, "--jobs", "2")
    assert (tmp_path / "b.svg").stat().st_size > 10_000
    assert "Schieber Jass: 2 deals reviewed" in (tmp_path / "b.html").read_text(encoding="utf-8")


def test_picture_of_no_known_kind(ending: str) -> None:
    result = CliRunner().invoke(main, ["analyse", ending, "--plot", "x.bmp"])
    assert result.exit_code == 1
    assert "must end in .png or .svg or .pdf" in result.stderr


def test_steps_leave_out_what_is_no_decision(records: list[Record]) -> None:
    assert [step.index for step in steps_of(records[0])] == list(range(len(records[0].moves)))


APPLES = DATA.with_name("apples_deals.jsonl")


@pytest.fixture(scope="module")
def apples() -> DealReport:
    settings = replace(
        QUICK, worlds=3, world=Effort(0, 0, 50), deal=Effort(0, 0, 50), limits=Limits(nodes=60)
    )
    review = Review(list(read_records(APPLES)), settings)
    assert review.run(2)
    return review.reports[0]


def test_apples_from_the_first_bid(apples: DealReport) -> None:
    moves = apples.record.moves
    assert [each.played for each in apples.decisions] == [word for word in moves if "pile=" not in word]
    kinds = [each.kind for each in apples.decisions]
    before = [kind for kind in kinds if kind in ("bid", "give", "target")]
    assert before == kinds[: len(before)] == sorted(before)
    assert before.count("give") == before.count("target") == 4
    assert {each.forced for each in apples.decisions if each.kind == "give"} == {True, False}
    assert all(len(each.open_points) == 4 for each in apples.decisions)
    assert all(each.open_lost is None for each in apples.decisions if not each.trick and not each.forced)
    for each in apples.decisions:
        if each.kind == "give":
            assert each.best.count(",") == each.played.count(",")


def test_page_and_picture_of_apples(apples: DealReport, tmp_path: Path) -> None:
    found = Balance()
    found.feed(page([apples]))
    assert found.open == []
    assert len(found.labels) == 52 + 48
    pytest.importorskip("matplotlib")
    from trickbot.ai.analysis.plots import plot_deals

    plot_deals([apples], str(tmp_path / "a.svg"))
    assert (tmp_path / "a.svg").stat().st_size > 10_000


def test_beliefs_of_apples_know_of_targets() -> None:
    record = next(iter(read_records(APPLES)))
    position = replace(record, moves=record.moves[:-30], deal=None, scores=None).position()
    line = run(position.text(), "--nodes", "50", "--worlds", "2", "--beliefs", "--json").stdout
    places = json.loads(line)["beliefs"]["places"]
    assert sum(place["target"] for place in places) == 3
    for place in places:
        if place["target"]:
            assert sum(place["chances"].values()) == pytest.approx(1, abs=0.01)
