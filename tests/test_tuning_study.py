"""Studies: the top of a noisy hill is found, and no accident loses or doubles a trial."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

pytest.importorskip("optuna")
pytest.importorskip("scipy")

from trickbot.ai.arena.pool import ProcessPool
from trickbot.ai.arena.stats import Sequential
from trickbot.ai.tuning.commands import tune
from trickbot.ai.tuning.model import Landscape, optimum, results_of
from trickbot.ai.tuning.problem import EngineProblem
from trickbot.ai.tuning.space import Space
from trickbot.ai.tuning.store import Store, StudyError, Trial
from trickbot.ai.tuning.study import Study
from trickbot.ai.tuning.validation import fresh_seed, validate
from trickbot.engine.errors import OptionError
from tuning import SPACE, Hill, open_study


def study_of(texts, method="tpe", n_blocks=40, path=None, prune=True, hill=None, **more):
    store = Store(path, Space.parse(texts), {"seed": 1, "method": method})
    return Study(store, hill or Hill(), n_blocks, method=method, prune=prune, **more)


def found(study):
    landscape = Landscape(study.store.space, results_of(study.trials))
    return landscape, optimum(landscape)


def test_trials_find_the_top_and_give_up_the_hopeless():
    hill = Hill(at_once=10)
    study = study_of([*SPACE, "bot=ismcts,pimc"], hill=hill)
    assert study.run(40) == "complete"
    states = Counter(trial.state for trial in study.trials)
    assert states["complete"] + states["pruned"] == 40
    assert states["pruned"] >= 5
    assert study.n_played == sum(len(trial.blocks) for trial in study.trials) < 40 * 40
    landscape, top = found(study)
    assert hill.height(top["point"]) > 8.5
    spread = top["params"]
    assert spread["exploration"]["low"] < 0.8 < spread["exploration"]["high"]
    assert spread["iterations"]["low"] <= 4 <= spread["iterations"]["high"]
    assert spread["bot"]["chances"]["ismcts"] > 0.8
    assert top["value"]["low"] < hill.height(top["point"]) < top["value"]["high"]
    shares = landscape.importance()
    assert shares[0] > shares[1]
    assert shares[0] > shares[2]


def test_steps_find_the_top_from_a_bad_start():
    hill = Hill()
    study = study_of(SPACE, "spsa", 20, start={"exploration": 20.0, "iterations": 64})
    assert study.run(120) == "complete"
    assert hill.height(study.trials[0].point) < -30
    assert hill.height(study.trials[-1].point) > 8
    _, top = found(study)
    assert hill.height(top["point"]) > 8.5
    assert top["value"] is None


def test_the_optimum_is_not_the_luckiest_trial():
    """On a plain, noise alone makes some trial look good; the model must not believe it."""
    random = Random(5)
    trials = [
        Trial(
            i,
            {"exploration": 0.06 * 1.3**i, "model_others": i % 3 == 0},
            {b: random.gauss(0, 10) for b in range(8)},
            "complete",
        )
        for i in range(20)
    ]
    luckiest = max(sum(trial.blocks.values()) / 8 for trial in trials)
    assert luckiest > 5
    _, top = optimum_of(["exploration=0.05:20", "modelothers"], trials)
    assert top["value"]["mean"] < luckiest / 2
    assert top["value"]["low"] < 0 < top["value"]["high"]
    assert top["params"]["exploration"]["high"] > 5 * top["params"]["exploration"]["low"]
    assert 0.1 < top["params"]["model_others"]["chances"]["true"] < 0.9


def optimum_of(texts, trials):
    landscape = Landscape(Space.parse(texts), results_of(trials))
    return landscape, optimum(landscape)


def test_deals_that_all_trials_share_are_no_noise():
    """Without noise of their own, trials compare exactly however much deals differ."""
    hill = Hill(noise=0.0)
    points = [{"exploration": 0.1 * 2**i, "iterations": 4} for i in range(7)]
    n = [30, 30, 12, 30, 9, 30, 30]  # some were given up
    trials = [
        Trial(i, point, {b: hill.value(point, None, b) for b in range(k)}, "complete")
        for i, (point, k) in enumerate(zip(points, n, strict=True))
    ]
    results = results_of(trials)
    apart = [a - b for a, b in pairwise(results.values)]
    heights = [hill.height(point) for point in points]
    expected = [a - b for a, b in pairwise(heights)]
    assert apart == pytest.approx(expected, abs=0.8)


def n_rows(path, table):
    """How much the file holds, while another process writes it."""
    with contextlib.closing(sqlite3.connect(path, timeout=10)) as connection:
        try:
            return connection.execute(f"select count(*) from {table}").fetchone()[0]
        except sqlite3.OperationalError:  # not there yet
            return 0


def wait_for(path, table, n):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and n_rows(path, table) < n:
        time.sleep(0.05)


def kill_in_the_middle(path, method, table, n):
    program = Path(__file__).parent / "tuning.py"
    with subprocess.Popen(
        [sys.executable, program, path, method], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "begun\n"
        wait_for(path, table, n)
        process.kill()


def test_kill_and_resume(tmp_path):
    path = tmp_path / "study.db"
    for n in (9, 20):
        kill_in_the_middle(path, "tpe", "trial_intermediate_values", n)
    study = open_study(path, "tpe", 6)
    before = {trial.number: dict(trial.blocks) for trial in study.trials}
    points = {trial.number: trial.point for trial in study.trials if len(trial.point) == 2}
    n_wanted = len(before) + 2
    assert len(before) > 1
    assert study.run(n_wanted) == "complete"
    study.store.close()
    store = Store(path)
    trials = store.trials()
    store.close()
    assert [trial.number for trial in trials] == list(range(n_wanted))
    hill = Hill()
    for trial in trials:
        assert trial.state == "complete"
        assert trial.point == points.get(trial.number, trial.point)
        assert trial.blocks == {b: hill.value(trial.point, None, b) for b in range(6)}
    kept = sum(map(len, before.values()))
    assert study.n_played == 6 * n_wanted - kept  # nothing was played again
    assert len({str(trial.point) for trial in trials}) > n_wanted / 2  # the sampler does not repeat itself


@pytest.mark.slow
def test_kill_and_resume_steps(tmp_path):
    path = tmp_path / "study.db"
    kill_in_the_middle(path, "spsa", "trials", 3)
    study = open_study(path, "spsa", 6)
    assert len(study.trials) > 1
    n_wanted = len(study.trials) + 3
    study.run(n_wanted)
    undisturbed = open_study(None, "spsa", 6)
    undisturbed.run(n_wanted)
    # The gain depends on how many steps are planned, which the killed run did differently: signs do not.
    assert [t.extra["step"] for t in study.trials] == list(range(n_wanted))
    study.store.close()
    store = Store(path)
    assert [t.extra["step"] for t in store.trials()] == list(range(n_wanted))
    store.close()


def test_one_process_at_a_time(tmp_path):
    study = open_study(tmp_path / "study.db", "tpe", 6)
    with pytest.raises(StudyError, match="in use by another process"):
        open_study(tmp_path / "study.db", "tpe", 6)
    study.store.close()


def test_a_file_of_another_kind(tmp_path):
    path = tmp_path / "study.db"
    path.write_text("joho" * 500)
    with pytest.raises(StudyError, match="is not a study"):
        Store(path)


def test_ranges_change(tmp_path):
    path = tmp_path / "study.db"
    study = study_of(SPACE, n_blocks=4, path=path)
    study.run(12)
    study.store.close()
    base = {"exploration": 0.7, "iterations": 1, "beliefs": 4096}
    narrow = Space.parse(["exploration=0.2:4:log", "iterations=1:64", "beliefs=0:8192"])
    store = Store(path, narrow, None, base)
    inside = [trial for trial in study.trials if 0.2 <= trial.point["exploration"] <= 4]
    carried = store.trials()
    assert [t.point for t in carried] == [{**t.point, "beliefs": 4096} for t in inside]
    assert [t.blocks for t in carried] == [t.blocks for t in inside]
    assert store.n_left_out == 12 - len(inside)
    more = Study(store, Hill(), 4)
    more.run(len(inside) + 3)
    store.close()
    again = Store(path)
    assert again.space == narrow
    assert len(again.trials()) == len(inside) + 3
    again.close()


def test_two_workers(tmp_path):
    pool = ProcessPool(2)
    study = study_of(SPACE, n_blocks=6, path=tmp_path / "study.db", hill=Hill(at_once=2))
    steps = study_of(SPACE, "spsa", 6, hill=Hill(at_once=2))
    try:
        assert study.run(6, pool, 2) == "complete"
        assert steps.run(4, pool, 2) == "complete"
    finally:
        pool.kill()
        study.store.close()
    alone = study_of(SPACE, "spsa", 6)
    alone.run(4)
    assert [t.point for t in steps.trials] == [t.point for t in alone.trials]
    assert all(trial.state in ("complete", "pruned") for trial in study.trials)


def test_interrupted_and_resumed(tmp_path):
    path = tmp_path / "study.db"
    study = study_of(SPACE, n_blocks=6, path=path, prune=False, hill=Hill(at_once=2))

    def interrupt(event):
        if event.n_played == 8:
            raise KeyboardInterrupt

    assert study.run(5, progress=interrupt) == "interrupted"
    study.store.close()
    study = study_of(SPACE, n_blocks=6, path=path, prune=False)
    assert [len(trial.blocks) for trial in study.trials] == [6, 2]
    assert study.run(5) == "complete"
    assert study.n_played == 5 * 6 - 8
    study.store.close()


def test_a_point_that_crashes_is_failed_and_named():
    study = study_of(["exploration=0.05:20:log", "iterations=1:64"], n_blocks=4, hill=Hill(unplayable=5.0))
    for exploration in (6.0, 1.0, 7.0, 8.0, 2.0):
        study.store.enqueue({"exploration": exploration, "iterations": 4})
    study.run(2)
    assert [trial.state for trial in study.trials] == ["failed", "complete"]
    assert "it crashed" in study.store.trials()[0].error
    for exploration in (9.0, 10.0):
        study.store.enqueue({"exploration": exploration, "iterations": 4})
    study.run(5)
    with pytest.raises(StudyError, match="3 trials in a row failed"):
        study_of(["exploration=5:20", "iterations=1:64"], n_blocks=4, hill=Hill(unplayable=5.0)).run(9)


def test_steps_refuse_choices():
    with pytest.raises(OptionError, match="bot=ismcts,pimc: spsa needs ranges"):
        study_of([*SPACE, "bot=ismcts,pimc"], "spsa").run(3)


# With the engine


def test_the_default_against_itself_is_even():
    problem = EngineProblem("jass", "hsl", nodes=10)
    same = problem.play({"iterations": 1}, None, range(3), 1e9)
    assert same == [(0, 0.0), (1, 0.0), (2, 0.0)]
    assert problem.play({"bot": "random"}, {"bot": "rules"}, [7], 1)[0][1] < 0
    assert EngineProblem("jass", "hsl", nodes=10).play({}, None, range(5), 0.0) == [
        (0, 0.0)
    ]  # one is the least
    assert problem.play({}, None, [], 1.0) == []


def test_specs_of_points():
    problem = EngineProblem("jass", "", base="ismcts:beliefs=0,exploration=2,nodes=50")
    assert problem.spec({"exploration": 0.5}) == "ismcts:beliefs=0,nodes=50,exploration=0.5"
    assert problem.spec({"bot": "pimc", "beliefs": 9}) == "pimc:exploration=2,nodes=50,beliefs=9"
    with pytest.raises(OptionError, match="no option 'joho'"):
        EngineProblem("jass", "", base="ismcts:joho=1")
    with pytest.raises(OptionError, match="must be a bot"):
        EngineProblem("jass", "", base="cmd:./mybot")


def test_validation_confirms_the_better_and_refuses_the_same(tmp_path):
    problem = EngineProblem("jass", "hsl", base="rules", opponent="random", seed=3)
    test = Sequential(0, 5)
    log = tmp_path / "log.jsonl"
    result = validate(problem, {}, test, 500, log=log)
    assert (result["end"], result["confirmed"]) == ("h1", True)
    again = validate(problem, {}, test, 500, log=log)
    assert again["pair"] == result["pair"]
    assert json.loads(log.read_text().splitlines()[0])["seed"] == fresh_seed(3) != 3
    same = validate(EngineProblem("jass", "hsl", base="rules", opponent="rules"), {}, test, 500)
    assert (same["end"], same["confirmed"]) == ("h0", False)


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    path = tmp_path / "study.db"
    problem = EngineProblem("jass", "hsl", nodes=10)
    store = Store(path, Space.parse(["exploration=0.1:9:log"]), {"seed": 1})
    study = Study(store, problem, 10, prune=False)
    killed = []
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):

        def kill_one(event):
            if event.n_played > 5 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        executor = client.get_executor(pure=False, retries=2)
        assert study.run(6, executor, 2, kill_one) == "complete"
        executor.shutdown(wait=False)
    store.close()
    assert killed
    assert [len(trial.blocks) for trial in study.trials] == [10] * 6
    assert study.n_played == 60
    trial = study.trials[-1]
    assert trial.blocks == dict(problem.play(trial.point, None, range(10), 1e9))


COMMON = ["--rules", "hsl", "--nodes", "8", "--blocks", "2", "--quiet"]


def run(*words, code=0):
    result = CliRunner().invoke(tune, list(map(str, words)))
    assert result.exit_code == code, result.output
    return result


def test_the_command(tmp_path):
    path = tmp_path / "study.db"
    run("--study", path, "--param", "exploration=0.1:9", *COMMON, "--trials", 3, "--validate", 2)
    output = run("--study", path, "--param", "exploration", *COMMON, code=1).output
    assert "holds a study: go on with --resume" in output
    assert "--nodes 8, not 9" in run("--study", path, "--resume", "--nodes", 9, code=1).output
    result = run("--study", path, "--resume", "--trials", 4, "--validate", 2, "--json", "--quiet")
    report = json.loads(result.stdout)
    assert sum(report["trials"].values()) == 4
    assert report["validation"]["end"] == "complete"
    assert report["options"] is None  # undecided: nothing to paste
    assert "optimum of the model: exploration=" in run("report", path).stdout
    assert "no option 'joho'" in run("--study", tmp_path / "b", "--param", "joho=1:2", code=1).output
    assert "no parameter to tune" in run("--study", tmp_path / "b", code=1).output
    assert (
        "no rules 'joho'"
        in run("--study", tmp_path / "b", "--param", "bot", "--rules", "joho", code=1).output
    )
    assert not (tmp_path / "b").exists()


def test_confirmed_options_are_ready_to_paste(tmp_path):
    path = tmp_path / "study.db"
    words = ["--param", "bot=rules,greedy", "--opponent", "random", "--base", "rules"]
    words += ["--rules", "hsl", "--blocks", "8", "--trials", "4", "--quiet"]
    output = run("--study", path, *words).stdout
    assert ": confirmed" in output
    assert output.splitlines()[-1] == "setoption name Bot value rules"


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "study.db"
    study = study_of(["exploration=0.05:20:log", "iterations=1,4,16"], n_blocks=4, path=path)
    study.run(4)
    study.store.close()
    run("report", path, "--plot", tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 5000
    assert "joho" in run("report", path, "--plot", tmp_path / "a.joho", code=1).output


def test_budgets(tmp_path):
    words = ["budget", "--movetime", "", "--blocks", "2", "--quiet", "--log", tmp_path / "log", "--json"]
    result = run(*words, "--nodes", "4,9,20", "--rules", "hsl", "--game", "jass")
    curve = json.loads(result.stdout)[0]
    assert [row["nodes"] for row in curve["levels"]] == [4, 9, 20]
    first, second, third = curve["levels"]
    assert first["strength"] == {"mean": 0.0, "error": 0.0, "low": 0.0, "high": 0.0}
    assert third["strength"]["mean"] == pytest.approx(second["gain"]["mean"] + third["gain"]["mean"])
    assert (first["nodes_a_move"], curve["blocks"]) < (second["nodes_a_move"], 3)
    again = run(*words, "--nodes", "4,9,20", "--rules", "hsl", "--game", "jass", "--resume")
    assert json.loads(again.stdout)[0]["levels"] == curve["levels"]
    table = run(
        "budget", "--movetime", "1,2", "--nodes", "", "--blocks", "2", "--quiet", "--game", "apples"
    ).stdout
    assert "points a deal by movetime, 2 blocks a pair" in table
    for wrong, says in (
        (["--nodes", "4,x"], "'x' must be a whole number"),
        (["--nodes", "9,4"], "must be two or more rising numbers"),
        (["--nodes", "9"], "must be two or more rising numbers"),
        (["--bot", "ismcts:nodes=3"], "nodes is what varies"),
        (["--rules", "hsl"], "of one game"),
    ):
        result = CliRunner().invoke(tune, ["budget", *wrong])
        assert result.exit_code != 0
        assert says in result.output


@pytest.mark.slow
def test_the_interrupt_key_leaves_a_study(tmp_path):
    path = tmp_path / "study.db"
    program = [sys.executable, "-c", "from trickbot.ai.cli import main; main()"]
    words = ["tune", "--study", path, "--param", "exploration", "--nodes", "40", "--blocks", "500"]
    with subprocess.Popen([*program, *words], stderr=subprocess.PIPE, text=True) as process:
        wait_for(path, "trial_intermediate_values", 1)
        os.kill(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert f"go on with --study {path} --resume" in error
    store = Store(path)
    assert store.trials()
    store.close()
