"""What the protocol asks of an engine: the greeting, lines, ids and positions."""

from __future__ import annotations

import json
import re
from typing import Any

from trickbot.ai.arena.conversation import BrokenError, without_id
from trickbot.ai.arena.subject import (
    MOVE_S,
    Subject,
    expect,
    expect_error,
    expect_nothing,
    item,
    view,
)
from trickbot.ai.wire import EngineError, EngineOption
from trickbot.engine.cards import GAMES, cards_in
from trickbot.engine.notation import PLAY
from trickbot.engine.position import legal_words
from trickbot.engine.state import state

OPTIONS = {
    "Game": "combo",
    "Rules": "combo",
    "Bot": "combo",
    "Move Time": "spin",
    "Threads": "spin",
    "Seed": "spin",
    "Hash": "spin",
    "MultiPV": "spin",
    "Skill": "spin",
    "Open Hands": "check",
    "Cards": "combo",
}
COMMANDS = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "quit",
    "legal",
    "state",
    "d",
    "bench",
    "commands",
    "help",
]

# The greeting


@item("uci is answered by id name, id author, protocol 1, options and uciok")
def check_greeting(subject: Subject) -> None:
    talk = subject.reopen()
    talk.send("uci")
    lines = talk.until("uciok")
    for beginning in ("id name ", "id author ", "protocol 1"):
        expect(any(line.startswith(beginning) for line in lines), f"no line {beginning!r}")


@item("every option line can be read, and its default is in its range")
def check_option_lines(subject: Subject) -> None:
    talk = subject.open()
    talk.send("uci")
    lines = [line for line in talk.until("uciok") if line.startswith("option")]
    expect(lines, "no option lines")
    for line in lines:
        try:
            option = EngineOption.parse(line.removeprefix("option "))
            option.word(option.default)
        except EngineError as error:
            raise BrokenError(str(error)) from None


@item("the options of the protocol are there, with their types")
def check_options(subject: Subject) -> None:
    talk = subject.open()
    talk.send("uci")
    found = {}
    for line in talk.until("uciok"):
        if line.startswith("option "):
            option = EngineOption.parse(line.removeprefix("option "))
            found[option.name] = option.type
    for name, kind in OPTIONS.items():
        expect(name in found, f"no option {name}")
        expect(found[name] == kind, f"option {name} is a {found[name]}, should be a {kind}")


@item("isready is answered by readyok")
def check_isready(subject: Subject) -> None:
    talk = subject.open()
    expect_nothing(talk.ask(), "isready")


@item("commands lists the commands on one line")
def check_commands(subject: Subject) -> None:
    lines = subject.open().ask("commands")
    expect(len(lines) == 1 and lines[0].startswith("commands "), f"answered {lines[:3]}")
    missing = [name for name in COMMANDS if name not in lines[0].split()]
    expect(not missing, f"not listed: {' '.join(missing)}")


@item("debug, ucinewgame and an idle stop are silent")
def check_silent_commands(subject: Subject) -> None:
    for line in ("debug on", "debug off", "ucinewgame", "stop"):
        expect_nothing(subject.open().ask(line), line)


# Lines


@item("lines may end in \\r\\n, and words stand apart by any number of blanks")
def check_blanks(subject: Subject) -> None:
    talk = subject.open()
    talk.send("  isready \r")
    expect(talk.until("readyok") == ["readyok"], "isready with blanks: not answered by readyok")
    text = view(subject.position(1, 0)).replace(" ", "   ")
    expect_nothing(talk.ask(f"  position {text}\t\r"), "position with blanks")


@item("empty lines are ignored")
def check_empty_lines(subject: Subject) -> None:
    expect_nothing(subject.open().ask("", "   ", "\r"), "empty lines")


@item("an unknown command is one error line, unknown-command")
def check_unknown_command(subject: Subject) -> None:
    for line in ("joho", "xyzzy isready now"):
        expect_error(subject.open().ask(line), "unknown-command", line)


@item("a word that a command does not know is skipped, with info string warning")
def check_unknown_word(subject: Subject) -> None:
    talk = subject.open()
    talk.send("isready xyzzy", "isready")
    lines = [*talk.until("readyok"), *talk.until("readyok")]
    warnings = [line for line in lines if line.startswith("info string warning")]
    expect(len(warnings) == 1 and "xyzzy" in warnings[0], f"isready xyzzy: answered {lines}")


@item("commands and positions are read without regard to case")
def check_case(subject: Subject) -> None:
    talk = subject.open()
    position = subject.position(2)
    expect_nothing(talk.ask(f"POSITION {view(position).upper()}"), "position in capitals")
    lines = talk.ask("Legal")
    expect(lines and lines[0].startswith("legal "), f"Legal: answered {lines[:2]}")


@item("bytes that are no UTF-8 and very long lines do no harm")
def check_bytes(subject: Subject) -> None:
    talk = subject.open()
    for data in (
        b"\xff\xfe\x00\x80 joho\n",
        b"position \xc3\x28\n",
        b"x" * 1_000_000 + b"\n",
        b"setoption name \xff\n",
    ):
        talk.send_bytes(data)
        answered = talk.ask()
        expect(len(answered) <= 1, f"{len(answered)} lines in answer to {data[:30]!r}")


@item("a reader that is slow for a second finds every answer")
def check_slow_reader(subject: Subject) -> None:
    talk = subject.open()
    n = 3000
    talk.send(*["commands"] * n, "isready")
    talk.pause(1.0)
    lines = talk.until("readyok", subject.timeout + 5)
    expect(len(lines) == n + 1, f"{len(lines) - 1} answers to {n} commands")


# Ids


@item("lines that a command with an id causes begin with that id")
def check_ids(subject: Subject) -> None:
    talk = subject.open()
    talk.send("id q1 isready")
    expect(talk.line() == "id q1 readyok", "id q1 isready: not answered by id q1 readyok")
    lines = talk.ask("id q2 joho")
    expect(len(lines) == 1 and lines[0].startswith("id q2 error "), f"id q2 joho: answered {lines[:2]}")
    talk.ask(f"position {view(subject.position(3, 0))}")
    talk.send("id q3 go nodes 200")
    lines = talk.until("bestmove", MOVE_S)
    wrong = [line for line in lines if not line.startswith("id q3 ")]
    expect(not wrong, f"id q3 go: {wrong[:1]} has no id")


# Positions


@item("a good position is taken in silence, full or seen from a seat")
def check_position_silent(subject: Subject) -> None:
    talk = subject.open()
    for position in subject.positions(4, 20):
        for text in (view(position), position.text()):
            expect_nothing(talk.ask(f"position {text}"), f"position {text}")


@item("legal gives the moves that the rules allow")
def check_legal(subject: Subject) -> None:
    talk = subject.open()
    for position in subject.positions(5):
        text = view(position)
        lines = talk.ask(f"position {text}", "legal")
        expect(len(lines) == 1, f"position {text}: legal answered {lines[:3]}")
        expected = ["legal", *legal_words(position.deal, subject.names)]
        same = sorted(lines[0].replace(",", " ").split()) == sorted(
            " ".join(expected).replace(",", " ").split()
        )
        expect(same, f"position {text}: {lines[0]!r}, should be {' '.join(expected)!r}")


def _words(line: str) -> list[str]:
    """The words and cards of a line, in no order."""
    return sorted(line.replace(",", " ").split())


@item("state is one line of JSON and says what the rules say")
def check_state(subject: Subject) -> None:
    talk = subject.open()
    for position in subject.positions(6):
        seen = position.view(position.deal.to_move)
        lines = talk.ask(f"position {seen.text()}", "state")
        expect(len(lines) == 1 and lines[0].startswith("state {"), f"state answered {lines[:2]}")
        try:
            found = json.loads(lines[0].removeprefix("state "))
        except ValueError as error:
            raise BrokenError(f"state is no JSON: {error}") from None
        for key, value in state(seen, subject.names).items():
            if key not in ("rules", "legal"):
                expect(key in found, f"state has no {key}")
                same = _plain(found[key]) == _plain(value)
                expect(same, f"position {seen.text()}: {key} is {found[key]}, should be {value}")


def _plain(value: Any) -> Any:
    """A value of `state` in which sets of cards compare whatever their order."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return sorted(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: each if key == "cards" else _plain(each) for key, each in value.items()}
    return value


@item("legal for a seat whose hand is unknown is an error, bad-position")
def check_legal_unknown(subject: Subject) -> None:
    position = subject.position(7, phase=PLAY)
    other = position.view((position.deal.to_move + 1) % 4).text()
    expect_error(subject.open().ask(f"position {other}", "legal"), "bad-position", "legal")


@item("perft counts the sequences of moves from a full deal")
def check_perft(subject: Subject) -> None:
    talk = subject.open()
    position = subject.position(8, phase=PLAY)
    deal = position.deal
    first = deal.legal().bit_count()
    second = 0
    for move in cards_in(deal.legal()):
        after = deal.copy()
        after.apply(move)
        second += after.legal().bit_count()
    expect_nothing(talk.ask(f"position {position.text()}"), "position")
    for depth, count in ((1, first), (2, second)):
        talk.send(f"go perft {depth}")
        line = without_id(talk.until("perft", MOVE_S)[-1])
        expect(line == f"perft {depth} {count}", f"answered {line!r}, should be perft {depth} {count}")
    talk.silence(0.1)


# Bad positions


@item("a broken form of a position is an error, bad-argument, and changes nothing")
def check_bad_form(subject: Subject) -> None:
    good = view(subject.position(9, 0))
    bad = {
        "three hands": re.sub(r" \?(?= |$)", "", good, count=1),
        "seat 7": re.sub(r"first \d", "first 7", good),
        "no such preset": re.sub(r"rules \S+", "rules xyzzy", good),
        "one total": re.sub(r"match .* first", "match 1 first", good),
        "no such game": f"xyzzy {good.partition(' ')[2]}",
    }
    _refuses(subject, good, bad, "bad-argument")


@item("impossible cards are an error, bad-position, and change nothing")
def check_bad_cards(subject: Subject) -> None:
    position = subject.position(10, 0)
    good = view(position)
    hand = next(word for word in good.split() if "," in word)
    cards = hand.split(",")
    bad = {
        "a card twice": good.replace(hand, ",".join([cards[0], *cards[:-1]])),
        "a card too few": good.replace(hand, ",".join(cards[1:])),
        "a card of another pack": good.replace(hand, ",".join(["x9", *cards[1:]])),
        "a card in two hands": good.replace(" ?", f" {hand}", 1),
    }
    _refuses(subject, good, bad, "bad-position")


def _refuses(subject: Subject, good: str, bad: dict[str, str], code: str) -> None:
    talk = subject.open()
    before = talk.ask(f"position {good}", "state")
    for what, text in bad.items():
        expect_error(talk.ask(f"position {text}"), code, what)
        expect(talk.ask("state") == before, f"{what}: the position has changed")


@item("a move against the rules is an error, illegal-move, with its index and the legal moves")
def check_illegal_move(subject: Subject) -> None:
    talk = subject.open()
    for seed in range(11, 15):
        position = subject.position(seed, phase=PLAY)
        text = view(position)
        expect_nothing(talk.ask(f"position {text}"), "position")
        before = talk.ask("state")
        hand = position.deal.hand(position.deal.to_move)
        foreign = next(card for card in cards_in(GAMES[subject.game].pack) if not hand >> card & 1)
        message = expect_error(
            talk.ask(f"position {text} {subject.names.card_text(foreign)}"), "illegal-move", "a card not held"
        )
        index = len(position.events)
        expect(re.search(rf"\b{index}\b", message), f"the message has no index {index}: {message!r}")
        for word in legal_words(position.deal, subject.names):
            expect(word in message, f"the message does not name the legal move {word}: {message!r}")
        expect(talk.ask("state") == before, "the position has changed")


@item("a word that fits no decision is an error, illegal-move")
def check_wrong_word(subject: Subject) -> None:
    talk = subject.open()
    text = view(subject.position(15, phase=PLAY))
    for word in ("xyzzy", "give=?", "push" if subject.game == "jass" else "pass"):
        expect_error(talk.ask(f"position {text} {word}"), "illegal-move", word)
