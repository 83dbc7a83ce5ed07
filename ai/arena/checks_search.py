"""What the protocol asks of an engine: searches, what is said of them, options, and the end."""

from __future__ import annotations

import re
from time import monotonic

from trickbot.ai.arena.conversation import Conversation, first_word, without_id
from trickbot.ai.arena.subject import (
    Subject,
    expect,
    expect_error,
    expect_legal,
    expect_nothing,
    item,
    view,
)
from trickbot.ai.wire import EngineOption, Info
from trickbot.engine.cards import GAMES, cards_in
from trickbot.engine.match import Match
from trickbot.engine.notation import AUCTION, CONTRACT, GIVE, PILE, PLAY, REDEAL, TARGET
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules


class Searching:
    """A search without end in a known position; ended, and its bestmove checked, when left."""

    def __init__(self, subject: Subject, go: str = "go infinite") -> None:
        self.subject = subject
        self.go = go
        self.position = subject.position(16, 0)

    def __enter__(self) -> Conversation:
        talk = self.talk = self.subject.open()
        expect_nothing(talk.ask(f"position {view(self.position)}"), "position")
        talk.send(self.go)
        return talk

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is not None:
            return
        self.talk.send("stop")
        found = without_id(self.talk.until("bestmove")[-1])
        expect_legal(found, self.position, self.subject)
        self.talk.silence(0.1)


@item("isready with another id during a search is answered with its own id")
def check_ids_apart(subject: Subject) -> None:
    with Searching(subject, "id s1 go infinite") as talk:
        talk.send("id s2 isready")
        lines = talk.until("readyok")
        expect(lines[-1] == "id s2 readyok", f"answered {lines[-1]!r}")


@item("go without a position is an error, no-position, and no bestmove")
def check_no_position(subject: Subject) -> None:
    talk = subject.reopen()
    expect_error(talk.ask("go nodes 10"), "no-position", "go")
    talk.silence(0.2)


@item("bestmove is a legal move, in every phase, for the seat to move")
def check_bestmove_legal(subject: Subject) -> None:
    positions = subject.positions(17, 20)
    positions += [subject.position(seed, phase=phase) for seed in (18, 19) for phase in phases(subject.game)]
    for position in positions:
        lines = subject.searched(view(position))
        expect_legal(lines[-1], position, subject)


def phases(game: str) -> tuple[int, ...]:
    return (CONTRACT, PLAY) if game == "jass" else (AUCTION, GIVE, TARGET, PLAY)


@item("every go is answered by exactly one bestmove, and nothing after it")
def check_one_bestmove(subject: Subject) -> None:
    for position in subject.positions(20, 5):
        subject.searched(view(position))
        subject.open().silence(0.1)


@item("the only legal move is played at once", timed=True)
def check_forced(subject: Subject) -> None:
    seed = 21_000
    position = subject.position(seed)
    while position.deal.phase != PLAY or position.deal.legal().bit_count() != 1:
        seed += 1
        position = subject.position(seed)
    begun = monotonic()
    subject.searched(view(position), "go movetime 3000", 5.0)
    took = monotonic() - begun
    expect(took < 0.5, f"took {1000 * took:.0f} ms of a movetime of 3000")


@item("a nodes limit ends the search; the last info says the nodes")
def check_nodes(subject: Subject) -> None:
    lines = subject.searched(view(subject.position(22, 0)), "go nodes 500")
    infos = [Info.parse(line.partition(" ")[2]) for line in lines if line.startswith("info ")]
    counted = [info.nodes for info in infos if info.nodes is not None]
    expect(counted, "no info line with nodes")
    expect(counted[-1] <= 600, f"{counted[-1]} nodes, where 500 were asked for")


@item("movetime is kept: the answer comes no more than 100 ms late", timed=True)
def check_movetime(subject: Subject) -> None:
    subject.searched(view(subject.position(23, 0)), "go movetime 50", 5.0)
    for ms in (20, 200):
        begun = monotonic()
        subject.searched(view(subject.position(23, 0)), f"go movetime {ms}", 5.0)
        took = 1000 * (monotonic() - begun)
        expect(took < ms + 100, f"movetime {ms}: took {took:.0f} ms")


@item("a clock is not overrun: time 1000 is answered within it", timed=True)
def check_clock(subject: Subject) -> None:
    for go in ("go time 1000", "go time 400 inc 50"):
        begun = monotonic()
        subject.searched(view(subject.position(24, 0)), go, 3.0)
        took = 1000 * (monotonic() - begun)
        expect(took < int(go.split()[2]), f"{go}: took {took:.0f} ms")


@item("go infinite ends only with stop, and then within 100 ms", timed=True)
def check_infinite(subject: Subject) -> None:
    position = subject.position(16, 0)
    talk = subject.open()
    expect_nothing(talk.ask(f"position {view(position)}"), "position")
    talk.send("go infinite")
    talk.silence(0.7, but=("info",))
    begun = monotonic()
    talk.send("stop")
    line = without_id(talk.until("bestmove")[-1])
    took = 1000 * (monotonic() - begun)
    expect(took < 100, f"bestmove {took:.0f} ms after stop")
    expect_legal(line, position, subject)


@item("a stop while nothing is searched does not end the next search")
def check_stale_stop(subject: Subject) -> None:
    subject.open().ask("stop")
    with Searching(subject) as talk:
        talk.silence(0.3, but=("info",))


@item("isready is answered while searching", timed=True)
def check_isready_searching(subject: Subject) -> None:
    with Searching(subject) as talk:
        begun = monotonic()
        talk.send("isready")
        talk.until("readyok")
        took = 1000 * (monotonic() - begun)
        expect(took < 100, f"readyok after {took:.0f} ms")


@item("position, setoption and go while searching are errors, busy, and the search goes on")
def check_busy(subject: Subject) -> None:
    other = view(subject.position(25))
    with Searching(subject) as talk:
        for line in (f"position {other}", "setoption name Seed value 5", "go nodes 10"):
            lines = [each for each in talk.ask(line) if first_word(each) != "info"]
            expect_error(lines, "busy", line.partition(" ")[0])
        talk.silence(0.2, but=("info",))


@item("go where nobody is to move, or the mover's hand is unknown, is an error, bad-position")
def check_nobody_to_move(subject: Subject) -> None:
    position = subject.position(26, phase=PLAY)
    other = position.view((position.deal.to_move + 1) % 4).text()
    talk = subject.open()
    expect_error(talk.ask(f"position {other}", "go nodes 10"), "bad-position", "go for an unknown hand")
    while position.deal.to_move >= 0:
        position.play(next(cards_in(position.deal.legal())))
    expect_error(talk.ask(f"position {position.text()}", "go nodes 10"), "bad-position", "go after the end")
    talk.silence(0.1)


@item("limits that are no numbers are an error, bad-argument")
def check_bad_limits(subject: Subject) -> None:
    talk = subject.open()
    talk.ask(f"position {view(subject.position(27, 0))}")
    for line in ("go nodes many", "go movetime -5", "go nodes"):
        expect_error(talk.ask(line), "bad-argument", line)
    talk.silence(0.1)


# What is said of a search


@item("info lines can be read; the last round is complete and its first line is the bestmove")
def check_info(subject: Subject) -> None:
    sides = GAMES[subject.game].n_sides
    for position in subject.positions(28, 8):
        lines = subject.searched(view(position), "go nodes 300")
        infos = [line for line in lines if line.startswith("info ") and not line.startswith("info string")]
        if not infos:
            expect(position.deal.legal().bit_count() == 1, "no info line about a search")
            continue
        for line in infos:
            _expect_info(line, sides)
        last = Info.parse(infos[-1].removeprefix("info "))
        expect(last.multipv == 1, f"multipv {last.multipv} where one line was asked for")
        expect(
            last.pv[0] == lines[-1].split()[1],
            f"the last pv begins with {last.pv[0]}, {lines[-1]} was played",
        )


def _expect_info(line: str, sides: int) -> None:
    info = Info.parse(line.removeprefix("info "))
    for key in ("time", "nodes", "nps", "worlds", "visits", "error"):
        expect(getattr(info, key) is not None, f"no {key} in {line!r}")
    expect(len(info.score) == sides, f"{len(info.score)} scores in {line!r}, should be {sides}")
    expect(info.pv, f"no pv in {line!r}")
    expect(0 <= (info.visits or 0) <= 1, f"visits is no share in {line!r}")
    expect(info.win is None or 0 <= info.win <= 1, f"win is no probability in {line!r}")


@item("with MultiPV every round has a line for each of the best moves, and no move twice")
def check_multipv(subject: Subject) -> None:
    talk = subject.open()
    expect_nothing(talk.ask("setoption name MultiPV value 3"), "setoption")
    lines = subject.searched(view(subject.position(29, 0)), "go nodes 2000")
    expect_nothing(talk.ask("setoption name MultiPV value 1"), "setoption")
    infos = [Info.parse(line.partition(" ")[2]) for line in lines if line.startswith("info time")]
    last = infos[-3:]
    expect(
        [info.multipv for info in last] == [1, 2, 3], f"the last round is {[info.multipv for info in last]}"
    )
    expect(len({info.pv[0] for info in last}) == 3, "a move stands twice in a round")


@item("no more than ten rounds of info a second", timed=True)
def check_info_rate(subject: Subject) -> None:
    lines = subject.searched(view(subject.position(30, 0)), "go movetime 1000", 5.0)
    n = sum(line.startswith("info time") for line in lines)
    expect(n <= 12, f"{n} rounds in a second")


@item("the same seed, nodes and one thread give the same output but for times")
def check_seed(subject: Subject) -> None:
    talk = subject.open()
    position = view(subject.position(31, 0))
    expect_nothing(talk.ask("setoption name Seed value 12345"), "setoption")
    outputs = []
    for _ in range(2):
        talk.ask("ucinewgame")
        lines = subject.searched(position, "go nodes 1000")
        outputs.append([re.sub(r"\b(time|nps) \d+", "", line) for line in lines])
    expect_nothing(talk.ask("setoption name Seed value 0"), "setoption")
    expect(outputs[0] == outputs[1], f"{outputs[0][-2:]}, then {outputs[1][-2:]}")


@item("hidden cards of a full deal change no answer")
def check_no_peek(subject: Subject) -> None:
    talk = subject.open()
    expect_nothing(talk.ask("setoption name Seed value 12345"), "setoption")
    for seed in (32, 33, 34):
        position = subject.position(seed, 0)
        mover = position.deal.to_move
        hands = list(position.hands)
        answers = []
        for _ in range(3):
            full = Position(position.rules, position.first, hands, position.match)
            lines = subject.searched(full.text(), "go nodes 500")
            answers.append([re.sub(r"\b(time|nps) \d+", "", line) for line in lines])
            hidden = [seat for seat in range(4) if seat != mover]
            hands[hidden[0]], hands[hidden[1]], hands[hidden[2]] = (hands[hidden[i]] for i in (1, 2, 0))
        expect(
            answers[0] == answers[1] == answers[2], f"position {position.text()}: {[a[-1] for a in answers]}"
        )
    expect_nothing(talk.ask("setoption name Seed value 0"), "setoption")


# Options


@item("option names and values are read without regard to case")
def check_option_case(subject: Subject) -> None:
    talk = subject.open()
    for line in ("setoption name mOVE tIME value 1000", "SetOption Name multipv Value 1"):
        expect_nothing(talk.ask(line), line)


@item("an unknown option, and a value out of range, is an error, bad-argument")
def check_bad_option(subject: Subject) -> None:
    for line in (
        "setoption name Contempt value 5",
        "setoption name MultiPV value 0",
        "setoption name Threads value many",
        "setoption name Bot value xyzzy",
        "setoption name Open Hands value maybe",
    ):
        expect_error(subject.open().ask(line), "bad-argument", line)


@item("every bot of the option Bot plays legal moves")
def check_bots(subject: Subject) -> None:
    talk = subject.open()
    talk.send("uci")
    options = [line for line in talk.until("uciok") if line.startswith("option name Bot ")]
    expect(options, "no option Bot")
    bot = EngineOption.parse(options[0].removeprefix("option "))
    for choice in bot.choices:
        expect_nothing(talk.ask(f"setoption name Bot value {choice}"), f"Bot {choice}")
        for position in subject.positions(35, 6):
            expect_legal(subject.searched(view(position))[-1], position, subject)
    expect_nothing(talk.ask(f"setoption name Bot value {bot.default}"), "Bot")


@item("at every level of Skill the moves are legal")
def check_skill(subject: Subject) -> None:
    talk = subject.open()
    for level in (0, 10, 20):
        expect_nothing(talk.ask(f"setoption name Skill value {level}"), f"Skill {level}")
        for position in subject.positions(36, 4):
            expect_legal(subject.searched(view(position))[-1], position, subject)


# The end


@item("quit ends the process with exit code 0, also while it searches", timed=True)
def check_quit(subject: Subject) -> None:
    for searching in (False, True):
        talk = subject.open()
        if searching:
            Searching(subject).__enter__()
        talk.send("quit")
        code = talk.wait_end(1.0)
        subject.close()
        expect(code == 0, f"exit code {code}")


@item("the end of input ends the process with exit code 0, also while it searches", timed=True)
def check_end_of_input(subject: Subject) -> None:
    for searching in (False, True):
        talk = subject.open()
        if searching:
            Searching(subject).__enter__()
        talk.close_input()
        code = talk.wait_end(1.0)
        subject.close()
        expect(code == 0, f"exit code {code}")


@item("a whole deal is played without a fault")
def check_whole_deal(subject: Subject) -> None:
    match = Match(Rules.parse(subject.game), 37)
    position = match.deal()
    subject.open().ask("ucinewgame")
    while True:
        if position.deal.phase == PILE:
            match.shuffle(position)
        elif position.deal.phase == REDEAL:
            match.finish(position)
            position = match.deal()
        elif position.deal.to_move < 0:
            return
        else:
            bestmove = subject.searched(view(position))[-1]
            expect_legal(bestmove, position, subject)
            position.add_word(bestmove.split()[1])
