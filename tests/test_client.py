"""The client: its lines as values, scripted dialogues, and real processes, good and bad."""

import asyncio
import sys
import time
from pathlib import Path

import pytest
from trickbot.ai.client import (
    Engine,
    EngineError,
    EngineOption,
    EngineTerminatedError,
    EngineTimeoutError,
    Info,
    Limit,
    SimpleEngine,
)
from trickbot.ai.mock import MockTransport

TRICKBOT = [sys.executable, "-c", "from trickbot.ai.cli import main; main()"]
FAULTY = str(Path(__file__).parent / "engines" / "faulty.py")
DEAL = "jass first 0 hands rO,rU,rB,r8,r6,aK,bA,b7,sB ? ? ?"
PLAY = f"{DEAL} moves acorns"
ONE_CARD = "jass first 0 hands rA,r9,r7,a8,b9,bU,sK,s9,s6 ? ? ?"


def faulty(fault, when=1):
    return [sys.executable, FAULTY, fault, str(when)]


# Lines as values


def test_an_info_line():
    info = Info.parse(
        "time 120 nodes 96000 nps 800000 worlds 24000 multipv 2 visits 0.71 score 92.4 64.6 error 0.6 "
        "win 0.58 pv rU rA r9 r7"
    )
    assert info == Info(
        time=0.12,
        nodes=96000,
        nps=800000,
        worlds=24000,
        multipv=2,
        visits=0.71,
        score=(92.4, 64.6),
        error=0.6,
        win=0.58,
        pv=("rU", "rA", "r9", "r7"),
    )
    assert Info.parse("string nodes 5 of pv") == Info(string="nodes 5 of pv")


def test_what_cannot_be_read_of_an_info_line_is_left_out(caplog):
    assert Info.parse("time soon nodes 5 depth 3 score 1 2 x error pv") == Info(nodes=5)
    assert len(caplog.records) == 3


def test_an_option_line():
    assert EngineOption.parse("name Move Time type spin default 1000 min 1 max 9") == EngineOption(
        "Move Time", "spin", "1000", 1, 9
    )
    combo = EngineOption.parse("name Style type combo default very bold var very bold var meek")
    assert (combo.default, combo.choices) == ("very bold", ("very bold", "meek"))
    with pytest.raises(EngineError, match="broken option line"):
        EngineOption.parse("name Hash default 3")


@pytest.mark.parametrize(
    ("line", "value", "word"),
    [
        ("name A type spin default 1 min 0 max 9", 9, "9"),
        ("name A type check default true", False, "false"),
        ("name A type combo default x var x var Why", "WHY", "Why"),
        ("name A type string default", 0.5, "0.5"),
    ],
)
def test_an_option_reads_values(line, value, word):
    assert EngineOption.parse(line).word(value) == word


@pytest.mark.parametrize(
    ("line", "value", "possible"),
    [
        ("name A type spin default 1 min 0 max 9", 10, "from 0 to 9"),
        ("name A type spin default 1 min 0 max 9", "many", "a whole number"),
        ("name A type check default true", "maybe", "true or false"),
        ("name A type combo default x var x var y", "z", "x or y"),
        ("name A type string default", "a\nb", "one line"),
    ],
)
def test_an_option_refuses_values_and_says_what_is_possible(line, value, possible):
    with pytest.raises(EngineError, match=possible):
        EngineOption.parse(line).word(value)


def test_a_limit_is_the_words_of_go():
    assert Limit().words == ""
    assert Limit(time=0.05, nodes=9).words == " movetime 50 nodes 9"
    assert Limit(clock=60, increment=0.5).words == " time 60000 inc 500"
    assert (Limit(time=2, clock=1).seconds, Limit(nodes=4).seconds) == (1, None)


# Scripted dialogues


def scripted(dialogue):
    """Runs a dialogue with a mock engine that has greeted."""

    async def run():
        mock = MockTransport()
        mock.greet(
            "id name Mock",
            "protocol 1",
            "option name Seed type spin default 0 min 0 max 99",
            "option name MultiPV type spin default 1 min 1 max 9",
        )
        await dialogue(mock, await mock.open())
        mock.assert_done()

    asyncio.run(run())


def test_the_greeting():
    async def dialogue(mock, engine):
        assert engine.id == {"name": "Mock", "protocol": "1"}
        assert engine.options["seed"].max == 99
        assert engine.ids

    scripted(dialogue)


def test_play_sends_position_and_go_at_once_under_ids():
    async def dialogue(mock, engine):
        mock.expect("id 1 position X")
        mock.expect("id 2 go nodes 5", ["id 2 info nodes 5 score 80 77", "id 2 bestmove rU"])
        result = await engine.play("X", Limit(nodes=5))
        assert (result.move, result.info.nodes, result.info.score) == ("rU", 5, (80, 77))

    scripted(dialogue)


def test_a_new_game_is_told_once():
    async def dialogue(mock, engine):
        game = object()
        mock.expect("id 1 ucinewgame")
        mock.expect("id 1 position X")
        mock.expect("id 2 go", ["id 2 bestmove rU"])
        mock.expect("id 3 position Y")
        mock.expect("id 4 go", ["id 4 bestmove rA"])
        await engine.play("X", game=game)
        await engine.play("Y", game=game)

    scripted(dialogue)


def test_a_refused_position_is_an_error_and_the_search_of_the_old_one_is_ended():
    async def dialogue(mock, engine):
        mock.expect("id 1 position X", ["id 1 error bad-position 'X' is no position"])
        mock.expect("id 2 go")
        mock.expect("stop", ["id 2 bestmove r6"])
        with pytest.raises(EngineError, match="no position") as caught:
            await engine.play("X")
        assert caught.value.code == "bad-position"
        mock.expect("id 3 position Y")
        mock.expect("id 4 go", ["id 4 bestmove rA"])
        assert (await engine.play("Y")).move == "rA"
        assert not engine.complaints

    scripted(dialogue)


def test_a_late_answer_is_not_taken_for_the_next():
    async def dialogue(mock, engine):
        mock.expect("id 1 position X")
        mock.expect("id 2 go", ["id 2 bestmove r6", "id 2 bestmove r6"])
        mock.expect("id 3 position Y")
        mock.expect("id 4 go", ["id 2 bestmove r7", "id 4 bestmove rA"])
        assert (await engine.play("X")).move == "r6"
        assert (await engine.play("Y")).move == "rA"
        assert list(engine.complaints) == ["id 2 bestmove r6", "id 2 bestmove r7"]

    scripted(dialogue)


def test_configure_checks_names_and_values_before_it_sends_them():
    async def dialogue(mock, engine):
        with pytest.raises(EngineError, match="no option 'Contempt'; it has Seed, MultiPV"):
            await engine.configure({"Seed": 1, "Contempt": 1})
        with pytest.raises(EngineError, match="from 0 to 99"):
            await engine.configure({"SEED": 100})
        mock.expect("id 1 setoption name Seed value 7", ["id 1 error busy not now"])
        mock.expect("isready", ["readyok"])
        with pytest.raises(EngineError, match="not now"):
            await engine.configure({"seed": 7})

    scripted(dialogue)


def test_analyse_sets_multipv_for_the_time_being():
    async def dialogue(mock, engine):
        mock.expect("id 1 setoption name MultiPV value 2")
        mock.expect("id 1 position X")
        mock.expect(
            "id 2 go nodes 9",
            [
                "id 2 info multipv 1 score 1 2 pv rU",
                "id 2 info multipv 2 score 0 3 pv rA",
                "id 2 info string done",
                "id 2 info multipv 1 score 2 1 pv rU",
                "id 2 bestmove rU",
            ],
        )
        mock.expect("setoption name MultiPV value 1")
        infos = await engine.analyse("X", Limit(nodes=9), multipv=2)
        assert [(info.pv, info.score) for info in infos] == [(("rU",), (2, 1)), (("rA",), (0, 3))]

    scripted(dialogue)


def test_analysis_streams_until_it_is_stopped():
    async def dialogue(mock, engine):
        mock.expect("id 1 position X")
        mock.expect("id 2 go infinite", ["id 2 info nodes 1", "id 2 info nodes 2"])
        mock.expect("stop", ["id 2 info nodes 3", "id 2 bestmove rU"])
        nodes = []
        async with await engine.analysis("X") as analysis:
            async for info in analysis:
                nodes.append(info.nodes)
                if info.nodes == 2:
                    analysis.stop()
        assert nodes == [1, 2, 3]
        assert (await analysis.wait()).move == "rU"
        assert not analysis.running

    scripted(dialogue)


def test_a_command_during_a_search_ends_it_first():
    async def dialogue(mock, engine):
        mock.expect("id 1 position X")
        mock.expect("id 2 go infinite")
        mock.expect("isready", ["readyok"])
        mock.expect("stop", ["id 2 bestmove rU"])
        mock.expect("id 3 position Y")
        mock.expect("id 4 go", ["id 4 bestmove rA"])
        analysis = await engine.analysis("X")
        await engine.ping()
        assert analysis.running
        assert (await engine.play("Y")).move == "rA"

    scripted(dialogue)


def test_a_cancelled_play_stops_the_search():
    async def dialogue(mock, engine):
        mock.expect("id 1 position X")
        mock.expect("id 2 go")
        mock.expect("stop", ["id 2 bestmove rU"])
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(engine.play("X"), 0.05)
        mock.expect("id 3 position Y")
        mock.expect("id 4 go", ["id 4 bestmove rA"])
        assert (await engine.play("Y")).move == "rA"

    scripted(dialogue)


def test_an_end_in_the_middle_fails_what_waits():
    async def dialogue(mock, engine):
        mock.expect("id 1 position X")
        mock.expect("id 2 go")
        asyncio.get_running_loop().call_later(0.02, mock.end, 3, "Traceback\nKeyError: 'x'\n")
        with pytest.raises(EngineTerminatedError, match="exit code 3: KeyError: 'x'"):
            await engine.play("X")
        with pytest.raises(EngineTerminatedError):
            await engine.ping()

    scripted(dialogue)


def test_an_engine_without_ids_is_asked_step_by_step():
    async def run():
        mock = MockTransport()
        mock.expect("uci", ["uciok"])
        mock.expect("id 0 isready", ["error unknown-command id"])
        mock.expect("isready", ["readyok"])
        engine = await mock.open()
        assert not engine.ids
        mock.expect("position X")
        mock.expect("isready", ["readyok"])
        mock.expect("go", ["bestmove rU"])
        assert (await engine.play("X")).move == "rU"
        mock.expect("position Y", ["error bad-position no"])
        mock.expect("isready", ["readyok"])
        with pytest.raises(EngineError, match="no"):
            await engine.play("Y")
        mock.assert_done()

    asyncio.run(run())


def test_the_mock_says_where_a_dialogue_leaves_its_script():
    async def dialogue(mock, engine):
        mock.expect("id 1 position X")
        with pytest.raises(AssertionError, match="expected 'id 1 position X', got 'id 1 position Y'"):
            await engine.play("Y")
        mock._failure = None
        mock.expect("more")
        with pytest.raises(AssertionError, match="still expected"):
            mock.assert_done()
        mock._script.clear()

    scripted(dialogue)


# Real engines


@pytest.fixture(scope="module")
def engine():
    with SimpleEngine.popen(TRICKBOT) as engine:
        yield engine


def test_a_real_engine_plays(engine):
    assert engine.id["name"] == "trickbot"
    assert engine.engine.ids
    result = engine.play(PLAY, Limit(nodes=200))
    assert result.move in engine.legal(PLAY)
    assert result.info.nodes == 200
    assert engine.state(PLAY)["contract"] == "acorns"


def test_a_real_engine_analyses(engine):
    infos = engine.analyse(PLAY, Limit(nodes=500), multipv=3)
    assert [info.multipv for info in infos] == [1, 2, 3]
    assert len(engine.analyse(PLAY, Limit(nodes=500))) == 1
    with engine.analysis(PLAY) as analysis:
        for info in analysis:
            if info.nodes and info.nodes > 1000:
                break
    assert analysis.wait().move in engine.legal(PLAY)


def test_a_real_engine_refuses_and_goes_on(engine):
    with pytest.raises(EngineError, match="b6") as caught:
        engine.play(f"{PLAY} b6", Limit(nodes=10))
    assert caught.value.code == "illegal-move"
    engine.configure({"Seed": 5})
    moves = {engine.play(PLAY, Limit(nodes=100)).info for _ in range(2)}
    assert len({(info.nodes, info.score) for info in moves}) == 1
    engine.configure({"Seed": 0})
    engine.ping()


def test_quit_gives_the_exit_code():
    engine = SimpleEngine.popen(TRICKBOT)
    assert engine.quit() == 0
    assert engine.quit() == 0


def test_a_program_that_does_not_exist():
    with pytest.raises(EngineError, match="cannot start"):
        SimpleEngine.popen("/no/such/program")
    with pytest.raises(EngineError, match="cannot start"):
        SimpleEngine.popen("")


def test_a_silent_engine_is_given_up():
    begun = time.monotonic()
    with pytest.raises(EngineTimeoutError, match="did not answer uci"):
        SimpleEngine.popen(faulty("silent"), timeout=0.3)
    assert time.monotonic() - begun < 3


def test_a_crash_is_told_with_its_last_words():
    with (
        SimpleEngine.popen(faulty("crash")) as engine,
        pytest.raises(EngineTerminatedError, match="exit code 1: Segmentation fault"),
    ):
        engine.play(DEAL, Limit(nodes=10))


def test_a_flood_on_stderr_does_no_harm():
    with SimpleEngine.popen(faulty("flood")) as engine:
        for _ in range(3):
            assert engine.play(DEAL, Limit(nodes=10)).move


def test_noise_between_lines_is_kept_as_a_complaint():
    with SimpleEngine.popen(faulty("noise")) as engine:
        assert engine.play(DEAL, Limit(nodes=10)).move
        engine.ping()
        assert "thinking..." in engine.engine.complaints


def test_a_line_without_end_is_cut():
    with SimpleEngine.popen(faulty("endless"), timeout=1.0) as engine:
        with pytest.raises(EngineTimeoutError):
            engine.play(DEAL, Limit(nodes=10))
        assert any("a line without an end" in line for line in engine.engine.complaints)


def test_an_engine_that_ignores_stop_and_quit_is_killed():
    async def run():
        engine = await Engine.popen(faulty("deaf"))
        with pytest.raises(EngineTimeoutError, match="after stop"):
            await engine.play(DEAL, Limit(time=0.1), timeout=0.2, grace=0.2)
        begun = time.monotonic()
        assert await engine.quit(timeout=0.3) == -9
        assert time.monotonic() - begun < 2

    asyncio.run(run())


def test_an_answer_after_stop_is_late():
    async def run():
        async with await Engine.popen(faulty("slow")) as engine:
            with pytest.raises(EngineTimeoutError) as caught:
                await engine.play(DEAL, Limit(time=0.1), timeout=0.2)
            assert caught.value.late

    asyncio.run(run())


def test_the_mock_serves_programs_without_async_too():
    mock = MockTransport()
    mock.greet("id name Mock")
    engine = mock.open_simple(timeout=0.2)
    mock.expect("id 1 position X")
    mock.expect("id 2 go", ["id 2 bestmove rU"])
    assert engine.play("X").move == "rU"
    mock.expect("isready")
    with pytest.raises(EngineTimeoutError, match="no answer within"):
        engine.ping()
    mock.expect("quit")
    assert engine.quit() == 0
    mock.assert_done()


def test_real_engines_are_driven_in_an_event_loop_as_well():
    async def run():
        async with await Engine.popen(TRICKBOT) as engine:
            assert (await engine.play(PLAY, Limit(nodes=100))).info.nodes == 100
            async with await engine.analysis(PLAY) as analysis:
                async for info in analysis:
                    if info.nodes and info.nodes > 1000:
                        break
            assert (await analysis.wait()).move in await engine.legal(PLAY)
            with pytest.raises(EngineError, match="b6"):
                await engine.state(f"{PLAY} b6")
            assert "go" in await engine.commands()
        assert engine.terminated.exit_code == 0
        with pytest.raises(EngineTerminatedError, match="Segmentation"):
            await (await Engine.popen(faulty("crash"))).play(DEAL)
        with pytest.raises(EngineTimeoutError):
            await Engine.popen(faulty("silent"), timeout=0.3)

    asyncio.run(run())


def test_the_example_of_the_documentation_runs(capsys, monkeypatch):
    page = Path(__file__).parent.parent.joinpath("ai", "TOURNAMENTS.md").read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    popen = SimpleEngine.popen
    monkeypatch.setattr(SimpleEngine, "popen", lambda command: popen(TRICKBOT))
    exec(code, {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert len(lines[0].split()) == 3
