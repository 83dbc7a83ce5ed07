"""Whole tournaments: fairness, resuming after any accident, players that misbehave, and the command."""

import dataclasses
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner
from trickbot.ai.arena.commands import match, progress_line, tournament
from trickbot.ai.arena.log import read_log
from trickbot.ai.arena.pool import ProcessPool
from trickbot.ai.arena.report import make_report, render
from trickbot.ai.arena.setup import Setup, make_pairings, make_players
from trickbot.ai.arena.stats import Moments, Sequential
from trickbot.ai.arena.tournament import Inline, Tournament, TournamentError, read_standings
from trickbot.ai.arena.work import play_items
from trickbot.ai.cli import main
from trickbot.engine.record import read_records

FAULTY = Path(__file__).parent / "engines" / "faulty.py"
TRICKBOT = f"{sys.executable} -c 'from trickbot.ai.cli import main; main()'"
COMMAND = [sys.executable, "-c", "from trickbot.ai.arena.commands import tournament; tournament()"]


def setup_of(*players, game="jass", form="round-robin", **more):
    made = make_players(players)
    more.setdefault("teams", game == "jass")
    return Setup(game, "", made, make_pairings(len(made), form), **{"blocks": 10, **more})


def run(setup, log=None, **more):
    event = Tournament(setup, log, **more)
    assert event.run() == "complete"
    return event.standings


def keys(path):
    """Which deals a log holds, in any order."""
    return sorted(
        (record["players"], record["block"], record["seating"], record.get("match_deal", 0))
        for _, record in read_log(path)
    )


# Fairness


@pytest.mark.parametrize("bot", ["rules", "random", "ismcts:nodes=40", "pimc:nodes=40"])
@pytest.mark.parametrize("teams", [True, False])
def test_a_bot_against_itself_is_even_in_every_block(bot, teams):
    n = 4 if ":" in bot else 20
    standings = run(setup_of(bot, f"twin={bot}", blocks=n, teams=teams))
    pair = standings.pairs[0, 1]
    assert (pair.margin.n, pair.margin.mean, pair.margin.squares) == (n, 0.0, 0.0)
    assert (pair.blocks.won, pair.blocks.even, pair.blocks.lost) == (0, n, 0)
    assert pair.score.mean == 0.5


def test_matches_of_a_bot_against_itself_are_even_too():
    standings = run(setup_of("rules", "twin=rules", blocks=3, matches=True))
    pair = standings.pairs[0, 1]
    assert (pair.margin.mean, pair.margin.squares) == (0.0, 0.0)
    assert (pair.matches.won, pair.matches.lost) == (3, 3)


def test_the_stronger_bot_is_found_whatever_the_seating():
    standings = run(setup_of("random", "rules", blocks=100))
    assert standings.pairs[0, 1].margin.mean < -50
    ratings = make_report(run(setup_of("random", "greedy", "rules", blocks=100)))["players"]
    assert [each["label"] for each in sorted(ratings, key=lambda each: each["rating"]["value"])] == [
        "random",
        "greedy",
        "rules",
    ]


def test_a_program_of_the_protocol_plays_as_the_same_bot_does_in_process():
    bots = ("ismcts:nodes=60", f"program=cmd,nodes=60:{TRICKBOT}")
    standings = run(setup_of(*bots, blocks=2))
    assert (standings.pairs[0, 1].margin.mean, standings.pairs[0, 1].margin.squares) == (0.0, 0.0)
    assert standings.pairs[0, 1].spoilt == 0


# The log


def test_the_log_is_records_that_can_be_replayed(tmp_path):
    log = tmp_path / "log.jsonl"
    standings = run(setup_of("rules", "random", blocks=5), log)
    records = list(read_records(log))
    assert len(records) == standings.n_deals == 10
    assert {tuple(record.players) for record in records} == {
        ("rules", "random", "rules", "random"),
        ("random", "rules", "random", "rules"),
    }


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_the_report_is_computed_from_the_log(tmp_path, form):
    log = tmp_path / "log.jsonl"
    standings = run(setup_of("rules", "random", "greedy", blocks=8), log)
    again, settings, broken = read_standings(log)
    assert (settings["blocks"], broken) == (8, [])
    assert render(make_report(again), form) == render(make_report(standings), form)


def test_the_report_needs_no_first_line(tmp_path):
    log = tmp_path / "log.jsonl"
    standings = run(setup_of("rules", "random", blocks=8), log)
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(["{torn\n", *lines[1:]]))
    again, settings, broken = read_standings(log)
    assert (settings, broken, again.n_deals) == (None, [1], standings.n_deals - 1)
    assert again.pairs[0, 1].margin.n == 7


def test_a_log_is_not_overwritten(tmp_path):
    log = tmp_path / "log.jsonl"
    run(setup_of("rules", "random", blocks=2), log)
    with pytest.raises(ValueError, match="resume it, or name another"):
        Tournament(setup_of("rules", "random"), log)
    for other in (setup_of("rules", "greedy"), setup_of("rules", "random", seed=2)):
        with pytest.raises(ValueError, match="another tournament"):
            Tournament(other, log, resume=True)


def test_more_blocks_can_be_added_later(tmp_path):
    log = tmp_path / "log.jsonl"
    run(setup_of("rules", "random", blocks=3), log)
    standings = run(setup_of("rules", "random", blocks=7), log, resume=True)
    assert standings.pairs[0, 1].margin.n == 7
    whole = run(setup_of("rules", "random", blocks=7))
    assert whole.pairs[0, 1].margin.mean == pytest.approx(standings.pairs[0, 1].margin.mean)


@pytest.mark.parametrize("matches", [False, True])
def test_resuming_from_a_log_cut_anywhere_loses_nothing(tmp_path, matches):
    setup = setup_of("rules", "random", "greedy", blocks=3, matches=matches)
    whole = tmp_path / "whole.jsonl"
    expected = make_report(run(setup, whole))
    data = whole.read_bytes()
    for share in (0.0, 0.001, 0.3, 0.5, 0.77, 0.999):
        log = tmp_path / f"{share}.jsonl"
        log.write_bytes(data[: int(share * len(data))])
        found = make_report(run(setup, log, resume=True))
        assert keys(log) == keys(whole)
        for pair, other in zip(found["pairs"], expected["pairs"], strict=True):
            assert pair["margin"]["mean"] == pytest.approx(other["margin"]["mean"])
            assert (pair["deals"], pair["matches"]) == (other["deals"], other["matches"])


def test_a_broken_line_in_the_middle_is_played_again(tmp_path):
    log = tmp_path / "log.jsonl"
    setup = setup_of("rules", "random", blocks=6)
    run(setup, log)
    lines = log.read_text().splitlines(keepends=True)
    lines[5] = "garbage\n"
    log.write_text("".join(lines))
    event = Tournament(setup, log, resume=True)
    assert event.broken == [6]
    event.run()
    assert (event.n_played, event.standings.n_deals) == (1, 12)


# Processes


def test_processes_play_the_same_deals(tmp_path):
    setup = setup_of("rules", "random", blocks=60)
    pool = ProcessPool(2)
    try:
        event = Tournament(setup, tmp_path / "log.jsonl")
        assert event.run(pool, 2) == "complete"
    finally:
        pool.kill()
    alone = run(setup)
    assert event.standings.n_deals == alone.n_deals == 120
    assert event.standings.pairs[0, 1].margin.mean == pytest.approx(alone.pairs[0, 1].margin.mean)


class Unreliable(Inline):
    """Loses half of the calls, or their answers, once."""

    def __init__(self):
        self.rng = random.Random(1)
        self.lost = []

    def submit(self, fn, /, *args, **kwargs):
        fate = self.rng.random()
        lose = fate < 0.5 and args[1] not in self.lost
        if not (lose and fate < 0.25):
            future = super().submit(fn, *args, **kwargs)
        if not lose:
            return future
        self.lost.append(args[1])
        return super().submit(divmod, 1, 0)


def test_calls_that_fail_are_made_again(tmp_path):
    log = tmp_path / "log.jsonl"
    setup = setup_of("rules", "random", blocks=10)
    event = Tournament(setup, log)
    executor = Unreliable()
    assert event.run(executor, 2) == "complete"
    assert executor.lost
    assert len(keys(log)) == event.standings.n_deals == 20
    assert len({str(key) for key in keys(log)}) == 20


def test_a_deal_that_fails_again_and_again_ends_the_tournament():
    class Hopeless(Inline):
        def submit(self, fn, /, *args, **kwargs):
            return super().submit(divmod, 1, 0)

    with pytest.raises(TournamentError, match=r"block 0, seating . failed 3 times"):
        Tournament(setup_of("rules", "random")).run(Hopeless())


def start(*args):
    return subprocess.Popen(
        [*COMMAND, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


PROMPT_S = 2.0  # a second, and another for a machine that has more to do


def wait_for_lines(path, n):
    for _ in range(6000):
        if path.exists() and path.read_bytes().count(b"\n") >= n:
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} has no {n} lines after 60 s")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_tournament_that_is_ended_from_outside_resumes(tmp_path, how):
    log = tmp_path / "log.jsonl"
    args = ("ismcts:movetime=5", "rules", "random", "--blocks", 4, "--jobs", 2, "--log", log)
    with start(*args) as process:
        wait_for_lines(log, 5)
        begun = time.monotonic()
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
        took = time.monotonic() - begun
    if how != signal.SIGKILL:
        assert took < PROMPT_S
        assert process.returncode == 130
        assert "interrupted" in err
        assert "points a deal" in out
    assert 5 <= len(keys(log)) < 24
    with start("--log", log, "--resume", "--quiet") as process:
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert len(keys(log)) == 24
    assert len({str(key) for key in keys(log)}) == 24
    standings, _, broken = read_standings(log)
    assert (standings.n_deals, broken) == (24, [])


def test_a_long_search_does_not_delay_the_end(tmp_path):
    log = tmp_path / "log.jsonl"
    players = ("rules", "random", "slow=ismcts:movetime=60000")
    with start(*players, "--blocks", 1, "--jobs", 1, "--log", log) as process:
        wait_for_lines(log, 2)  # then a third deal is begun, whose first player thinks for a minute
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert time.monotonic() - begun < PROMPT_S
    assert process.returncode == 130


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_plays_every_deal_once(tmp_path):
    distributed = pytest.importorskip("distributed")
    log = tmp_path / "log.jsonl"
    setup = setup_of("ismcts:movetime=2", "rules", blocks=40)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        event = Tournament(setup, log)
        killed = []

        def kill_one(event):
            if event.n_played > 10 and not killed:
                killed.extend(islice(client.run(os.getpid).values(), 1))
                os.kill(killed[0], signal.SIGKILL)

        executor = client.get_executor(pure=False, retries=2)
        assert event.run(executor, 2, kill_one) == "complete"
        executor.shutdown(wait=False)
    assert killed
    assert len(keys(log)) == 80
    assert len({str(key) for key in keys(log)}) == 80
    assert event.standings.pairs[0, 1].margin.n == 40


# Stop rules


def test_the_sequential_test_stops_a_clear_case():
    sprt = Sequential(0, 100)
    event = Tournament(setup_of("rules", "random", blocks=0), sprt=sprt)
    assert event.run() == "h1"
    assert event.standings.pairs[0, 1].margin.n == 50
    report = make_report(event.standings, sprt=sprt)
    assert report["sprt"]["accepted"] == "h1"
    assert "accepted the second" in render(report, "table")
    event = Tournament(setup_of("rules", "twin=rules", blocks=0), sprt=Sequential(0, 2))
    assert event.run() == "h0"


def test_a_sequential_test_needs_two_players():
    with pytest.raises(ValueError, match="between two players"):
        Tournament(setup_of("rules", "random", "greedy"), sprt=Sequential(0, 2))


# Words instead of nan


@pytest.mark.parametrize(("blocks", "words"), [(1, "one block: no interval"), (0, "no block yet")])
def test_a_report_of_little_says_so(blocks, words):
    event = Tournament(setup_of("rules", "random", "greedy", blocks=1))
    if blocks:
        event.run()
    report = make_report(event.standings)
    for form in ("table", "json", "csv", "markdown"):
        text = render(report, form).lower()
        assert "nan" not in text
        assert "inf" not in text.replace("info", "")
    assert words in render(report, "table")


# Players that misbehave


def kinds(fault, when=2, **more):
    """The losses of an engine with a fault in a block against the rules bot."""
    bad = f"bad=cmd,movetime=20:{sys.executable} {FAULTY} {fault} {when}"
    if fault not in ("slow", "deaf", "hangup", "garbage"):
        more.setdefault("margin", 5000)  # nothing is to be late because the machine is busy
    event = Tournament(setup_of(bad, "rules", **{"blocks": 1, "timeout": 1.0, **more}))
    assert event.run() == "complete"
    assert not event.standings.players[1].losses
    return dict(event.standings.players[0].losses), event.standings


@pytest.mark.parametrize("fault", ["none", "noise", "flood", "late-start", "no-ids", "stubborn"])
def test_what_does_no_harm_is_no_loss(fault):
    losses, standings = kinds(fault, timeout=10.0)
    assert losses == {}
    assert standings.pairs[0, 1].margin.n == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("silent", "stall"),
        ("slow", "timeout"),
        ("illegal", "illegal"),
        ("foreign", "illegal"),
        ("nonsense", "illegal"),
        ("empty", "protocol"),
        ("crash", "crash"),
        ("garbage", "protocol"),
        ("twice", "protocol"),
        ("deaf", "stall"),
        ("hangup", "stall"),
    ],
)
def test_each_fault_is_a_loss_of_its_kind_and_the_rest_goes_on(fault, kind):
    losses, standings = kinds(fault)
    assert losses == {kind: 2}
    pair = standings.pairs[0, 1]
    assert (pair.spoilt, pair.margin.n, pair.score.mean) == (1, 0, 0.0)


def test_a_loss_keeps_its_deal_and_transcript(tmp_path):
    log = tmp_path / "log.jsonl"
    bad = f"bad=cmd,movetime=20:{sys.executable} {FAULTY} foreign 2"
    Tournament(setup_of(bad, "rules", blocks=1, margin=5000), log).run()
    record = next(record for _, record in read_log(log))
    assert record["loss"]["kind"] == "illegal"
    assert record["players"][record["loss"]["seat"]] == "bad"
    assert "legal: " in record["loss"]["message"]
    assert record["loss"]["transcript"][-1].startswith("< id ")
    assert any("position jass" in line for line in record["loss"]["transcript"])
    assert record["moves"]


def test_an_engine_that_never_starts_is_withdrawn():
    begun = time.monotonic()
    losses, _ = kinds("silent", blocks=20, timeout=0.3)
    assert losses == {"stall": 40}
    assert time.monotonic() - begun < 8


def test_no_process_is_left_behind():
    kinds("stubborn", timeout=10.0)
    kinds("deaf")
    play_items(setup_of("rules", "random"), [], 0.0)  # lets go of the last tournament's engines
    listed = subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True, check=True).stdout
    assert f"{FAULTY} stubborn" not in listed
    assert f"{FAULTY} deaf" not in listed


# The commands


def invoke(*args, command=tournament, code=0):
    result = CliRunner().invoke(command, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result.output


def test_the_command_plays_and_reports(tmp_path):
    log = tmp_path / "log.jsonl"
    played = invoke("rules", "b=random", "--blocks", 5, "--log", log, "--format", "json")
    assert played.count('"blocks"') == 1
    assert json.loads(played) == json.loads(invoke("report", log, "--format", "json"))
    assert "accepted" in invoke("report", log, "--sprt", 0, 5) or "undecided" in invoke(
        "report", log, "--sprt", 0, 5
    )


def test_a_log_remembers_its_test_and_takes_another(tmp_path):
    log = tmp_path / "log.jsonl"
    played = invoke("rules", "random", "--sprt", 0, 100, "--log", log)
    assert "test of 0 against 100 points a deal: accepted the second" in played
    assert invoke("--log", log, "--resume") == played == invoke("report", log)
    more = invoke("--log", log, "--resume", "--sprt", 0, 1, "--blocks", 60)
    assert "test of 0 against 1 points a deal" in more
    assert "jass: 120 deals" in more


def test_the_deals_of_a_log_can_be_played_again(tmp_path):
    log = tmp_path / "log.jsonl"
    invoke("rules", "random", "--blocks", 4, "--seed", 3, "--log", log)
    again = json.loads(invoke("rules", "random", "--deals", log, "--format", "json"))
    assert again["pairs"][0]["margin"]["n"] == 4


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("rules",), "a tournament needs two"),
        (("rules", "xyzzy"), "xyzzy"),
        (("rules", "ismcts:contempt=1"), "contempt"),
        (("rules", "cmd:/no/such/program"), "there is no program '/no/such/program'"),
        (("rules", "random", "--rules", "xyzzy"), "xyzzy"),
        (("rules", "random", "--rules", "hsl", "--matches"), "no target"),
        (("rules", "random", "--sprt", 2, 0), "above the first"),
        (("rules", "random", "--matches", "--deals", __file__), "not read from a file"),
        (("rules", "random", "greedy", "--sprt", 0, 2), "between two players"),
        (("rules + random", "greedy", "--mixed"), "only a team"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_line(args, message):
    output = invoke(*args, code=1)
    assert message in output
    assert output.count("\n") == 1


def test_a_player_that_fails_makes_the_exit_code_unless_it_is_forgiven():
    bad = f"bad=cmd,movetime=20:{sys.executable} {FAULTY} crash"
    output = invoke("rules", bad, "--blocks", 1, code=3)
    assert "2 crash" in output
    invoke("rules", bad, "--blocks", 1, "--forgive", code=0)


def test_a_deal_is_shown_as_it_is_played():
    output = invoke("rules", "random", command=match)
    assert output.count("trick ") == 9
    assert output.splitlines()[-1].startswith("random: ")
    assert output == invoke("rules", "random", command=match)


def test_the_progress_line_says_how_far_how_fast_and_what_so_far():
    event = Tournament(setup_of("rules", "random", blocks=4), sprt=Sequential(0, 5))
    assert progress_line(event, 0.0) == "block 0/4  0 deals  0.0/s  llr +0.00 (-2.94 to 2.94)"
    lines = []
    event.run(progress=lambda event: lines.append(progress_line(event, 2.0)))
    assert lines[-1].startswith("block 4/4  8 deals  4.0/s  0:00:00 left  rules - random: ")
    assert " ± " in lines[-1]


def test_the_game_may_be_named_before_the_command():
    result = CliRunner().invoke(main, ["--game", "apples", "match", "ismcts:nodes=60"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("apples, rules apples")
    assert "target " in result.output


def test_apples_is_fair_and_resumes(tmp_path):
    setup = setup_of("ismcts:nodes=60", "twin=ismcts:nodes=60", game="apples", blocks=1, seed=3)
    whole = tmp_path / "whole.jsonl"
    standings = run(setup, whole)
    assert (standings.n_deals, standings.pairs[0, 1].margin) == (14, Moments(1, 0.0, 0.0))
    assert len(list(read_records(whole))) == 14
    part = tmp_path / "part.jsonl"
    data = whole.read_bytes()
    part.write_bytes(data[: len(data) // 2])
    assert run(setup, part, resume=True).pairs[0, 1].margin == Moments(1, 0.0, 0.0)
    assert keys(part) == keys(whole)


def test_four_players_at_one_table_are_all_compared():
    bots = [f"ismcts:nodes={n}" for n in (60, 70, 80, 90)]
    standings = run(setup_of(*bots, game="apples", form="table", blocks=1))
    report = make_report(standings)
    assert (len(report["pairs"]), report["deals"]) == (6, 24)
    assert all(pair["margin"]["n"] == 1 for pair in report["pairs"])


def test_the_size_of_the_standings_does_not_grow_with_the_deals():
    setup = setup_of("rules", "random", "greedy", blocks=0)
    sizes = []
    event = Tournament(setup)
    for blocks in (20, 200):
        event.setup = dataclasses.replace(setup, blocks=blocks)
        event.run()
        sizes.append(len(pickle.dumps(event.standings)))
    assert event.standings.n_deals == 1200
    assert sizes[1] < 1.1 * sizes[0]
