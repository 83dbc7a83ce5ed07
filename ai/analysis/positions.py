"""One decision looked at from all sides: its moves in order, the same with open hands, and beliefs."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from trickbot.ai.analysis.beliefs import Beliefs, beliefs_of
from trickbot.ai.analysis.values import (
    DEAL,
    N_WORLDS,
    WORLD,
    Effort,
    Estimate,
    OpenHands,
    Stop,
    Stopped,
    compare,
    margin,
)
from trickbot.ai.options import Options
from trickbot.ai.searcher import Limits, Report, Searcher
from trickbot.engine.cards import side_of
from trickbot.engine.errors import PositionError
from trickbot.engine.match import child_seed
from trickbot.engine.notation import Notation, notation
from trickbot.engine.position import Position, words_of


@dataclass(frozen=True)
class Settings:
    """How much is looked at, and how closely.

    options: of the engine. limits: of the search. multipv: moves reported, 0: all. worlds: drawn for the
    values of the moves, 0: the search's own figures are taken; world: what is spent on each. candidates: of
    the engine's choices, that the move of a record is compared with.
    """

    options: Options = field(default_factory=Options)
    limits: Limits = field(default_factory=lambda: Limits(movetime_ms=1000))
    multipv: int = 5
    worlds: int = N_WORLDS
    world: Effort = WORLD
    deal: Effort = DEAL
    candidates: int = 4
    open_hands: bool = False
    beliefs: bool = False
    seed: int = 1


@dataclass(frozen=True)
class MoveReport:
    """One move, or a whole give.

    points: expected of the whole deal, by side; error: standard error of the mover's side's; exact: whether
    they rest on solved worlds. lost: margin given up against the first move, None where that was not valued.
    win: chance to win the match. line: how it may go on.
    """

    word: str
    visits: int
    share: float
    points: tuple[float, ...]
    error: float
    win: float | None
    line: list[str]
    lost: Estimate | None = None
    exact: bool = False


@dataclass(frozen=True)
class OpenMove:
    """A move with all hands open: points of the deal by side, and the margin that it gives up."""

    word: str
    points: tuple[float, ...]
    lost: float
    exact: bool
    line: list[str]


@dataclass(frozen=True)
class PositionReport:
    """What is known of a decision. The values of the moves rest on ``n_worlds`` common worlds, which are all
    there are if ``complete``; 0: on the search alone."""

    position: Position
    seat: int
    best: str
    moves: list[MoveReport]
    nodes: int = 0
    worlds: int = 0
    time_s: float = 0.0
    n_worlds: int = 0
    complete: bool = False
    open_moves: list[OpenMove] | None = None
    beliefs: Beliefs | None = None


class PositionAnalysis:
    """Looks at one position. Raises ``PositionError`` when nobody is to move, the mover's hand is unknown, or
    open hands are wanted of a position that does not have all four."""

    def __init__(self, position: Position, settings: Settings, names: Notation | None = None) -> None:
        options = settings.options.copy()
        options.set("Open Hands", False)
        if not options.seed:
            options.set("Seed", child_seed(settings.seed))
        self.position = position
        self.settings = settings
        self.names = names or notation(position.rules.game)
        self._stop = Stop()
        self._searcher = Searcher(position.deal, options, match=position.match is not None)
        if settings.open_hands and not position.full:
            raise PositionError("bad-position", "hands: all four must be known to look at them open")

    def stop(self) -> None:
        """Ends the work soon, from any thread; ``run`` then reports what there is."""
        self._stop.stop()
        self._searcher.stop()

    def run(self, on_report: Callable[[PositionReport], None] | None = None) -> PositionReport:
        """The whole report; ``on_report`` gets what the search has so far, some times a second."""
        settings, deal = self.settings, self.position.deal
        found = self._searcher.run(
            settings.limits, (lambda now: on_report(self._report(now))) if on_report else None
        )
        report = self._report(found)
        try:
            if settings.worlds:
                report = self._valued(report, found)
            if settings.beliefs:
                report = replace(report, beliefs=beliefs_of(deal, settings.options, seed=settings.seed))
            if settings.open_hands:
                report = replace(report, open_moves=self._open_moves())
        except Stopped:
            pass
        return report

    def _report(self, found: Report) -> PositionReport:
        """What the search alone says."""
        deal = self._searcher.deal
        word = self._word(found.decision)
        if not found.moves:  # a forced move, or a player that does not search
            only = MoveReport(word, 0, 1.0, (), 0.0, None, [word])
            return PositionReport(self.position, deal.to_move, word, [only])
        moves = [
            MoveReport(
                self._word(decision),
                move.visits,
                move.share,
                tuple(move.points),
                move.error,
                move.win,
                words_of(deal, [*decision[:-1], *move.pv], self.names),
            )
            for decision, move in zip(self._decisions(found), found.moves, strict=False)
        ]
        return PositionReport(
            self.position,
            deal.to_move,
            word,
            moves,
            found.nodes,
            found.worlds,
            found.time_s,
        )

    def _decisions(self, found: Report) -> list[tuple[int, ...]]:
        if not found.moves:
            return [found.decision]
        seen = [move for move in found.moves if move.visits][: self.settings.multipv or None]
        return [(*found.decision[:-1], move.move) for move in seen]

    def _valued(self, report: PositionReport, found: Report) -> PositionReport:
        """The report with its moves valued in common worlds."""
        settings = self.settings
        compared = compare(
            self.position.deal,
            self._decisions(found),
            self._valuer(settings.world),
            n_worlds=settings.worlds,
            seed=settings.seed,
        )
        moves = []
        for at, move in enumerate(report.moves):
            points = compared.points(at)
            moves.append(
                replace(
                    move,
                    points=tuple(each.mean for each in points),
                    error=points[compared.side].error,
                    lost=compared.lost(at, 0),
                    exact=compared.exact,
                )
            )
        return replace(report, moves=moves, n_worlds=compared.worlds.n, complete=compared.worlds.complete)

    def _open_moves(self) -> list[OpenMove]:
        deal: Any = self.position.deal
        side = side_of(deal.game, deal.to_move)
        valued = self._valuer(self.settings.deal).moves(deal, child_seed(self.settings.seed, 3))
        most = max(margin(value.points, side) for _, value in valued)
        return [
            OpenMove(words[0], value.points, most - margin(value.points, side), value.exact, words)
            for words, value in ((words_of(deal, value.line, self.names), value) for _, value in valued)
        ]

    def _valuer(self, effort: Effort) -> OpenHands:
        return OpenHands(self.settings.options, effort, self._stop)

    def _word(self, decision: tuple[int, ...]) -> str:
        """A decision as it stands in a position."""
        return words_of(self._searcher.deal, decision, self.names)[0]
