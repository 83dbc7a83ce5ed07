"""Deals that were played, looked at move by move: what was played, what was better, what it cost.

Two measures stand beside each other. ``lost`` is skill: how much more margin the best move brings than the
one played, for somebody who saw what the player saw. The move played and the engine's first choices are
valued in the same worlds; the best is the one of the highest mean, and lost the mean of the differences,
each tenth of the worlds measured against the best move of the others, so that on average it is 0 or less
where nothing was lost (and now and then below). ``open_lost`` is what the move gave up with all four hands
open: what that is beyond skill was luck.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from math import sqrt
from typing import Any

from trickbot.ai.analysis.positions import Settings
from trickbot.ai.analysis.values import Estimate, OpenHands, Stop, compare, margin
from trickbot.ai.searcher import Report, Searcher
from trickbot.engine.cards import GAMES, N_SEATS, cards_in, side_of
from trickbot.engine.match import child_seed
from trickbot.engine.notation import AUCTION, CONTRACT, GIVE, OVER, TARGET, Event, notation
from trickbot.engine.position import Position, words_of
from trickbot.engine.record import Record

KINDS = {
    "jass": ("contract", "lead", "follow", "trump", "discard"),
    "apples": ("bid", "give", "target", "lead", "follow", "trump", "discard"),
}
"""The kinds of decision: ``trump`` is trumping in, ``discard`` any other card that does not follow."""

_CHOICES = {CONTRACT: "contract", AUCTION: "bid", GIVE: "give", TARGET: "target"}

SURE = 2.0
"""A mistake has lost more than this many standard errors, and a point at least."""


@dataclass(frozen=True)
class Decision:
    """One decision of a record.

    index: among the record's moves. trick: from 1 in the play, else 0. best: from the player's view; engine:
    the engine's choice. lost, error: see above; points of margin, as they enter the match. n_worlds: those
    that they rest on; 0 for a forced move. expected: points of the deal by side after the best move.
    win_lost: chance to win the match given up, where the match was in reach. open_points: of the deal by side
    before the move, all hands open. open_lost: what the move gave up of them; None where the value after it
    is not known, and before the play of apples, where chance comes in between.
    """

    index: int
    seat: int
    kind: str
    trick: int
    forced: bool
    played: str
    best: str
    engine: str
    lost: float
    error: float
    n_worlds: int
    exact: bool
    expected: tuple[float, ...]
    win_lost: float | None
    open_points: tuple[float, ...]
    open_exact: bool
    open_lost: float | None = None

    @property
    def mistake(self) -> bool:
        """Whether points were lost beyond doubt."""
        return not self.forced and self.lost >= 1 and self.lost > SURE * self.error

    @property
    def luck(self) -> float:
        """What the move lost with open hands beyond what its player could know; 0 where that is not known."""
        return 0.0 if self.open_lost is None else self.open_lost - self.lost


@dataclass(frozen=True)
class Step:
    """A decision that is still to be analysed: the position before it and the event that came."""

    position: Position
    event: Event
    index: int


@dataclass
class DealReport:
    """A record with its decisions, in order."""

    record: Record
    decisions: list[Decision] = field(default_factory=list)

    @classmethod
    def of(cls, record: Record, decisions: Iterable[Decision]) -> "DealReport":
        """The report of these decisions, in any order, with what each lost with open hands."""
        found = sorted(decisions, key=lambda each: each.index)
        end = record.position().deal
        values = {each.index: each.open_points for each in found}
        if end.phase == OVER:
            values[len(record.moves)] = tuple(map(float, end.points))
        for at, each in enumerate(found):
            follows = values.get(each.index + 1)
            if each.forced:
                found[at] = replace(each, open_lost=0.0)
            elif follows is not None and (each.trick or each.kind == "contract"):
                side = side_of(record.game, each.seat)
                found[at] = replace(each, open_lost=margin(each.open_points, side) - margin(follows, side))
        return cls(record, found)

    @property
    def position(self) -> Position:
        """The deal after all moves."""
        return self.record.position()

    def player(self, seat: int) -> str:
        """The name of a player."""
        return self.record.players[seat] if len(self.record.players) > seat else f"seat {seat}"


def steps_of(record: Record) -> Iterator[Step]:
    """The decisions of a record."""
    position = Position(record.rules, record.first, record.hands, record.match)
    for index, word in enumerate(record.moves):
        before = position.copy()
        position.add_word(word)
        event = position.events[-1]
        if event.kind not in ("pile", "targets"):
            yield Step(before, event, index)


def analyse_step(step: Step, settings: Settings, seed: int, stop: Stop | None = None) -> Decision:
    """Looks at one decision. Raises ``Stopped`` when stopped."""
    deal: Any = step.position.deal
    seat, game = deal.to_move, deal.game
    names = notation(game)
    played = tuple(cards_in(step.event.sets[0] or 0)) if step.event.kind == "give" else (step.event.move,)
    n_legal = deal.legal().bit_count()
    best, engine, expected = played, played, tuple[float, ...]()
    lost, n_worlds, exact, win_lost = Estimate(0.0, 0.0), 0, False, None
    if n_legal > len(played):
        options = settings.options.copy()
        options.set("Open Hands", False)
        options.set("Seed", child_seed(seed, 1))
        found = Searcher(deal, options, match=step.position.match is not None).run(settings.limits)
        engine = found.decision
        choices = _candidates(played, found, settings.candidates)
        valuer = OpenHands(settings.options, settings.world, stop)
        compared = compare(deal, choices, valuer, n_worlds=settings.worlds, seed=child_seed(seed, 2))
        at = compared.best(0)
        best, lost = choices[at], compared.lost_to_best(0)
        n_worlds, exact = compared.worlds.n, compared.exact
        expected = tuple(each.mean for each in compared.points(at))
        win = compared.win_lost(0, at)
        win_lost = None if win is None else win.mean
    opened = OpenHands(settings.options, settings.deal, stop).best(deal, child_seed(seed, 3))
    return Decision(
        step.index,
        seat,
        _CHOICES.get(deal.phase) or card_kind(deal, played[0]),
        0 if deal.phase in _CHOICES else len(deal.tricks) + 1,
        n_legal <= len(played),
        words_of(deal, played, names)[0],
        words_of(deal, best, names)[0],
        words_of(deal, engine, names)[0],
        lost.mean,
        lost.error,
        n_worlds,
        exact,
        expected,
        win_lost,
        opened.points,
        opened.exact,
    )


def _candidates(played: tuple[int, ...], found: Report, n: int) -> list[tuple[int, ...]]:
    """What is compared: the decision that was made, and the first choices of the engine."""
    first = [(*found.decision[:-1], move.move) for move in found.moves if move.visits][:n] or [found.decision]
    return [played, *(each for each in first if set(each) != set(played))]


def card_kind(deal: Any, card: int) -> str:
    """Which kind of decision a card is, in a deal before it is played."""
    if not deal.trick:
        return "lead"
    if card >> 4 == deal.trick[0] >> 4:
        return "follow"
    trump = deal.contract if deal.game == "jass" else deal.trump
    return "trump" if card >> 4 == trump else "discard"


def key_of(record: Record, settings: Settings) -> str:
    """Says whether an analysis was of this record and with these settings."""
    record = Record(record.rules, record.first, record.hands, record.moves, record.match)
    how = {
        "limits": asdict(settings.limits),
        "worlds": settings.worlds,
        "efforts": [asdict(settings.world), asdict(settings.deal), settings.candidates],
        "seed": settings.seed,
        "options": sorted(settings.options.as_dict().items()),
    }
    return sha256(f"{record.to_json()} {how}".encode()).hexdigest()[:16]


def seed_of(settings: Settings, deal: int, index: int) -> int:
    """The seed of a decision: the same whoever analyses it, and when."""
    return child_seed(settings.seed, deal, index)


# Sums


@dataclass
class Sum:
    """What some decisions lost together; ``error`` is that of ``lost``."""

    n: int = 0
    n_mistakes: int = 0
    n_best: int = 0
    lost: float = 0.0
    squares: float = 0.0
    luck: float = 0.0

    def add(self, decision: Decision) -> None:
        """Counts one more."""
        self.n += 1
        self.n_mistakes += decision.mistake
        self.n_best += decision.played == decision.best
        self.lost += decision.lost
        self.squares += decision.error**2
        self.luck += decision.luck

    @property
    def error(self) -> float:
        """Standard error of ``lost``."""
        return sqrt(self.squares)


@dataclass
class Summary:
    """All decisions of some deals by player and kind; ``forced`` ones do not count."""

    sums: dict[tuple[str, str], Sum] = field(default_factory=dict)
    totals: dict[str, Sum] = field(default_factory=dict)
    n_forced: int = 0
    n_deals: int = 0

    @classmethod
    def of(cls, reports: Iterable[DealReport]) -> "Summary":
        """The summary of these deals, the players in order of their seats."""
        summary = cls()
        seats: dict[str, None] = {}
        for report in reports:
            summary.n_deals += 1
            seats |= dict.fromkeys(map(report.player, range(N_SEATS)))
            for decision in report.decisions:
                summary.add(report.player(decision.seat), decision)
        summary.totals = {player: summary.totals[player] for player in seats if player in summary.totals}
        return summary

    def add(self, player: str, decision: Decision) -> None:
        """Counts one more decision."""
        if decision.forced:
            self.n_forced += 1
            return
        self.sums.setdefault((player, decision.kind), Sum()).add(decision)
        self.totals.setdefault(player, Sum()).add(decision)

    def kinds(self, game: str) -> list[str]:
        """The kinds that occur, in the order of a deal."""
        return [kind for kind in KINDS[game] if any(key[1] == kind for key in self.sums)]


def biggest(reports: list[DealReport], n: int) -> list[tuple[int, DealReport, Decision]]:
    """The worst mistakes, with their deals: (number of the deal from 0, deal, decision)."""
    found = [
        (at, report, decision)
        for at, report in enumerate(reports)
        for decision in report.decisions
        if decision.mistake
    ]
    return sorted(found, key=lambda each: -each[2].lost)[:n]


def side_name(report: DealReport, side: int) -> str:
    """How people call a side: the players of a team, or the player."""
    n_sides = GAMES[report.record.game].n_sides
    seats = range(side, 4, n_sides)
    names = [report.player(seat) for seat in seats]
    return names[0] if len(set(names)) == 1 else " & ".join(names)


def kept_sides(reports: Sequence[DealReport]) -> list[list[int]]:
    """The sides of each deal, those of the same players at the same place although they change seats; in their
    own order where others play."""
    names = [
        [side_name(report, side) for side in range(GAMES[report.record.game].n_sides)] for report in reports
    ]
    kept = []
    for own in names:
        order = list(range(len(own)))
        if sorted(own) == sorted(names[0]):
            free = list(order)
            order = [free.pop([own[side] for side in free].index(name)) for name in names[0]]
        kept.append(order)
    return kept
