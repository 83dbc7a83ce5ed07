"""The engine that is checked, the list of items, and what the items share."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from trickbot.ai.arena.conversation import BrokenError, Conversation, without_id
from trickbot.engine.cards import cards_in
from trickbot.engine.match import Match
from trickbot.engine.notation import GIVE, PILE, REDEAL, notation
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules

N_POSITIONS = 40
MOVE_S = 20.0  # for a search by nodes
PASS_MOVE = 13


class Subject:
    """The engine that is checked: `talk` is a conversation with it."""

    def __init__(self, command: str, game: str, timeout: float) -> None:
        self.command = command
        self.game = game
        self.timeout = timeout
        self.talk: Conversation | None = None
        self.names = notation(game)

    def open(self) -> Conversation:
        """The conversation, after `uci`; a new one where there is none."""
        if self.talk is None or self.talk.ended:
            self.reopen()
            assert self.talk is not None
            self.talk.send("uci")
            self.talk.until("uciok")
        return self.talk

    def reopen(self) -> Conversation:
        """A new process, to which nothing was said."""
        self.close()
        self.talk = Conversation(self.command, self.timeout)
        return self.talk

    def close(self) -> None:
        if self.talk is not None:
            self.talk.close()
            self.talk = None

    def searched(self, position: str, go: str = "go nodes 50", timeout: float = MOVE_S) -> list[str]:
        """What is said from `go` to its bestmove."""
        talk = self.open()
        expect_nothing(talk.ask(f"position {position}"), f"position {position}")
        talk.send(go)
        return [without_id(line) for line in talk.until("bestmove", timeout, unless="error")]

    def positions(self, seed: int, n: int = N_POSITIONS) -> list[Position]:
        """Full deals where somebody is to move, of all phases; each after random moves."""
        return [self.position(seed * 1000 + i) for i in range(n)]

    def position(self, seed: int, n_moves: int | None = None, phase: int | None = None) -> Position:
        """A full deal after `n_moves` random decisions, or where a phase begins."""
        rng = Random(seed)
        match = Match(Rules.parse(self.game), seed, seed % 4)
        position = match.deal()
        left = rng.randrange(36 if self.game == "jass" else 52) if n_moves is None else n_moves
        while True:
            deal = position.deal
            if deal.phase == PILE:
                match.shuffle(position)
            elif deal.phase == REDEAL:
                match.finish(position)
                position = match.deal()
            elif deal.to_move < 0:
                return self.position(seed + 1, n_moves, phase)
            elif (left <= 0 and deal.phase != GIVE) if phase is None else deal.phase == phase:
                return position
            else:
                legal = list(cards_in(deal.legal()))
                passes = (
                    [move for move in legal if move == 13] if deal.phase == 1 and rng.random() < 0.6 else []
                )
                position.play((passes or legal)[0 if passes else rng.randrange(len(legal))])
                left -= 1


class Check(NamedTuple):
    """One item: `run` raises BrokenError where the engine breaks it. `timed`: a busy machine may be to blame."""

    name: str
    says: str
    run: Callable[[Subject], None]
    timed: bool


CHECKS: list[Check] = []


def item(says: str, timed: bool = False) -> Callable[[Callable[[Subject], None]], Callable[[Subject], None]]:
    """Makes a function an item of the list."""

    def add(run: Callable[[Subject], None]) -> Callable[[Subject], None]:
        name = run.__name__.removeprefix("check_").replace("_", "-")
        CHECKS.append(Check(name, says, run, timed))
        return run

    return add


def expect(condition: Any, message: str) -> None:
    if not condition:
        raise BrokenError(message)


def expect_nothing(lines: list[str], what: str) -> None:
    expect(not lines, f"{what}: answered {lines[0] if lines else ''!r}, should be silent")


def expect_error(lines: list[str], codes: str, what: str) -> str:
    """The message of the one error line that is expected, with one of these codes."""
    expect(lines, f"{what}: no error line")
    expect(len(lines) == 1, f"{what}: {len(lines)} lines, should be one: {lines[:3]}")
    word, code, *rest = [*without_id(lines[0]).split(" ", 2), "", ""]
    expect(word == "error", f"{what}: answered {lines[0]!r}, should be an error line")
    expect(code in codes.split(), f"{what}: error {code!r}, should be {codes.replace(' ', ' or ')}")
    return rest[0]


def view(position: Position) -> str:
    """The position as the seat to move knows it."""
    return position.view(position.deal.to_move).text()


def expect_legal(bestmove: str, position: Position, subject: Subject) -> None:
    words = bestmove.split()
    expect(len(words) >= 2, f"{bestmove!r} has no move")
    after = position.copy()
    try:
        after.add_word(words[1])
    except ValueError as error:
        raise BrokenError(f"position {position.text()}: {bestmove!r} is not legal: {error}") from None
