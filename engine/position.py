"""Positions: a deal in progress with all that was said and played, as one line.

    jass rules cardavia match 0 0 first 1 hands ? rA,rK,... ? ? weis 0=none moves push obenabe sA ...

``Position.parse`` reads the line and checks every part as far as the known cards allow; ``text`` prints it
back. What is wrong is raised as ``PositionError`` with the protocol's code:

- ``bad-argument``: the form of the line, its game, rules, numbers and seats;
- ``bad-position``: cards, totals, melds or moves of hidden hands that no deal allows;
- ``illegal-move``: a move of a known hand that breaks a rule, or a word that fits no decision; ``index``
  counts the words of ``moves`` from 0.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trickbot.engine.cards import GAMES, JASS, N_SEATS, Game, cards_in
from trickbot.engine.deal import ALL_KNOWN, new_deal
from trickbot.engine.errors import NotationError, PositionError, quoted
from trickbot.engine.notation import (
    AUCTION,
    CONTRACT,
    GIVE,
    OVER,
    PASS_MOVE,
    PHASE_NAMES,
    PILE,
    PLAY,
    TARGET,
    Event,
    Notation,
    notation,
)
from trickbot.engine.rules import Rules

PARTS = ("rules", "match", "first", "hands", "weis", "moves")
"""The parts of a position line after the game, in their order."""

_EVENT_OF_PHASE = {
    CONTRACT: "contract",
    AUCTION: "bid",
    GIVE: "give",
    PILE: "pile",
    TARGET: "target",
    PLAY: "card",
}
_TOTAL = re.compile(r"[+-]?[0-9]{1,7}")

Melds = tuple[int, ...]


class Position:
    """A deal from its start and the events since; grows by ``add`` and ``play``.

    ``hands`` are the dealt hands as they were given, None where unknown; ``deal`` is the kernel's deal as it
    stands now. ``weis`` is what hidden hands have told, by seat: their melds as card masks, empty for a hand
    that announced none. ``match`` None: the totals are not known.
    """

    def __init__(
        self,
        rules: Rules,
        first: int,
        hands: Sequence[int | None],
        match: Sequence[int] | None = None,
        weis: dict[int, Melds] | None = None,
    ) -> None:
        self.rules = rules
        self.first = first
        self.hands: tuple[int | None, ...] = tuple(hands)
        self.match = None if match is None else tuple(match)
        self.weis = dict(weis or {})
        self.events: list[Event] = []
        self._given = 0  # cards of a give that is not complete
        try:
            self.deal = new_deal(rules, first, self.match or (0,) * self.game.n_sides, hands)
        except ValueError as wrong:
            raise PositionError("bad-position", str(wrong)) from None
        if self.weis and not rules["weis"]:
            if any(self.weis.values()):
                raise PositionError("bad-position", f"weis: there is none in the rules {rules}")
            self.weis = {}
        self._tell(self.deal.copy())
        self._check_consistent(self.deal, "hands")

    @property
    def game(self) -> Game:
        """The facts about the game."""
        return GAMES[self.rules.game]

    @property
    def full(self) -> bool:
        """Whether all four hands are known."""
        return bool(self.deal.known == ALL_KNOWN)

    @property
    def playing(self) -> bool:
        """Whether only choices without hidden or random parts are left: cards, and in jass the contract."""
        return self.deal.phase in (CONTRACT, PLAY, OVER)

    def copy(self) -> "Position":
        """The same position, to be played on apart."""
        twin: Position = object.__new__(Position)
        twin.__dict__.update(self.__dict__, events=list(self.events), deal=self.deal.copy())
        return twin

    # Playing on

    def play(self, move: int) -> None:
        """Makes one move of the kernel. ``ValueError`` with the reason if it may not be made."""
        phase, seat = self.deal.phase, self.deal.to_move
        self.deal.apply(move)
        if phase == CONTRACT != self.deal.phase:
            self._tell(self.deal)
        if phase != GIVE:
            self.events.append(Event(_EVENT_OF_PHASE[phase], move))
            return
        self._given |= 1 << move
        if self.deal.to_move != seat:
            self.events.append(Event("give", sets=(self._given,)))
            self._given = 0

    def add(self, event: Event, word: str = "", names: Notation | None = None) -> None:
        """Takes an event; its word is for the message. Raises ``PositionError``, and nothing has changed."""
        deal = self.deal.copy()
        self._apply(deal, event, word, names or notation(self.rules.game))
        if self.deal.phase == CONTRACT != deal.phase:
            self._tell(deal)
        self._check_consistent(deal, quoted(word or notation(self.rules.game).event_text(event)))
        self.deal = deal
        self.events.append(event)

    def _tell(self, deal: Any) -> None:
        """Takes what hands have told into the deal: when the contract is named, for it orders the melds."""
        try:
            for seat, melds in self.weis.items():
                deal.tell(seat, list(melds))
        except ValueError as wrong:
            raise PositionError("bad-position", f"weis: {wrong}") from None

    def _check_consistent(self, deal: Any, what: str) -> None:
        if deal.known != ALL_KNOWN and not deal.consistent():
            raise PositionError("bad-position", f"{what}: no deal of the unseen cards allows that")

    def _apply(self, deal: Any, event: Event, word: str, names: Notation) -> None:
        phase, seat = deal.phase, deal.to_move
        hidden = seat >= 0 and not deal.known >> seat & 1
        try:
            if event.kind == "targets":
                deal.turn_up([None if each is None else next(cards_in(each)) for each in event.sets])
            elif event.kind != _EVENT_OF_PHASE.get(phase):
                raise ValueError(f"fits no decision in phase {PHASE_NAMES[phase]}")
            elif event.kind == "pile":
                deal.pile(list(event.sets))
            elif event.kind == "give":
                self._give(deal, event.sets[0])
            elif event.move < 0:
                deal.target_hidden()
            else:
                deal.apply(event.move)
        except ValueError as wrong:
            place = f"{quoted(word or names.event_text(event))}: {wrong}"
            fits = event.kind == _EVENT_OF_PHASE.get(phase)
            if hidden and fits and event.kind in ("card", "give", "target"):
                raise PositionError("bad-position", place) from None
            raise self._illegal(place, names) from None

    def _illegal(self, message: str, names: Notation) -> PositionError:
        index = len(self.events)
        return PositionError(
            "illegal-move", f"index {index}: {message}{legal_clause(self.deal, names)}", index
        )

    @staticmethod
    def _give(deal: Any, cards: int | None) -> None:
        n = deal.bid[0]
        if cards is None:
            deal.give_hidden(n)
            return
        if cards.bit_count() != n:
            raise ValueError(f"{cards.bit_count()} cards given: must be {n}, as bid")
        for card in cards_in(cards):
            deal.apply(card)

    # Points of view

    def view(self, seat: int) -> "Position":
        """The position as this seat knows it."""
        seen = self.copy()
        seen.deal = self.deal.view(seat)
        seen.hands = tuple(self.deal.dealt(each) if each == seat else None for each in range(N_SEATS))
        seen.events = list(self._events_seen_by(seat))
        if self.rules.game == "jass":
            told = seen.deal.announced
            seen.weis = {
                each: tuple(told[each]) for each in range(N_SEATS) if each != seat and told[each] is not None
            }
        elif seen.deal.phase == OVER and seen.events[-1].kind != "targets":
            seen.events.append(Event("targets", sets=tuple(1 << card for card in seen.deal.targets)))
        return seen

    def _events_seen_by(self, seat: int) -> Iterator[Event]:
        turns = {"give": 0, "target": 0}  # taken so far, from the bid's winner on
        for event in self.events:
            if event.kind == "pile":
                own = tuple(part if each == seat else None for each, part in enumerate(event.sets))
                yield Event("pile", sets=own)
            elif event.kind in turns:
                mover = (self.deal.bidder + turns[event.kind]) % N_SEATS
                turns[event.kind] += 1
                hidden = Event("target") if event.kind == "target" else Event("give", sets=(None,))
                yield event if mover == seat else hidden
            else:
                yield event

    # Words

    def text(self, names: Notation | None = None) -> str:
        """The line, without the word ``position``."""
        names = names or notation(self.rules.game)
        words = [self.rules.game, "rules", str(self.rules)]
        if self.match is not None:
            words += ["match", *map(str, self.match)]
        words += ["first", str(self.first), "hands", *map(names.cards_text, self.hands)]
        if self.weis:
            words.append("weis")
            words += [
                f"{seat}={'+'.join(map(names.cards_text, melds)) or 'none'}"
                for seat, melds in sorted(self.weis.items())
            ]
        if self.events:
            words += ["moves", *map(names.event_text, self.events)]
        return " ".join(words)

    @property
    def tokens(self) -> list[str]:
        """The words of ``moves``."""
        return [notation(self.rules.game).event_text(event) for event in self.events]

    @classmethod
    def parse(
        cls,
        line: str | Sequence[str],
        *,
        rules: str = "",
        style: str = "german",
        warnings: list[str] | None = None,
    ) -> "Position":
        """The position of a line, as text or in words, with or without ``position`` before it.

        ``rules`` holds where the line has none and they are of its game; ``style`` is that of the cards.
        Words that mean nothing are skipped, and put on ``warnings``. Raises ``PositionError``.
        """
        words = line.split() if isinstance(line, str) else list(line)
        if words and words[0].lower() == "position":
            del words[0]
        game = words[0].lower() if words else ""
        if game not in GAMES:
            raise PositionError("bad-argument", f"no game {quoted(game)}: must be {' or '.join(GAMES)}")
        parts = _parts(words[1:], [] if warnings is None else warnings)
        names = notation(game, style)
        melds = _weis(game, parts["weis"], names)
        position = cls(
            _rules(game, parts["rules"], rules),
            _seat(parts["first"]),
            _hands(parts["hands"], names),
            _match(GAMES[game], parts["match"]),
            melds,
        )
        for word in parts["moves"]:
            position.add_word(word, names)
        return position

    def add_word(self, word: str, names: Notation | None = None) -> None:
        """Takes an event by its word. Raises ``PositionError``, and then nothing has changed."""
        names = names or notation(self.rules.game)
        try:
            event = names.event(word)
        except NotationError as wrong:
            raise self._illegal(str(wrong), names) from None
        self.add(event, word, names)


def legal_words(deal: Any, names: Notation) -> list[str]:
    """The legal moves as the command ``legal`` answers them: none when nobody is to move; in a give phase
    ``give n of`` and the cards. ``PositionError`` when the mover's hand is unknown."""
    seat, phase = deal.to_move, deal.phase
    if seat < 0:
        return []
    if not deal.known >> seat & 1:
        raise PositionError("bad-position", f"the hand of seat {seat}, which is to move, is unknown")
    legal = deal.legal()
    if phase == GIVE:
        return ["give", str(deal.bid[0]), "of", names.cards_text(legal)]
    moves: Iterable[int] = cards_in(legal)
    if phase == CONTRACT:
        moves = sorted(moves)
    elif phase == AUCTION:  # pass, then by number
        moves = sorted(moves, key=lambda move: (move != PASS_MOVE, move & 15, move))
    return [names.move_text(phase, move) for move in moves]


def words_of(deal: Any, moves: Sequence[int], names: Notation) -> list[str]:
    """The words of moves that follow each other in a deal, as far as they are known and complete."""
    deal = deal.copy()
    words = []
    given = 0
    for move in moves:
        phase, seat = deal.phase, deal.to_move
        if seat < 0 or deal.why_illegal(move) is not None:
            break
        deal.apply(move)
        if phase != GIVE:
            words.append(names.move_text(phase, move))
            continue
        given |= 1 << move
        if deal.to_move != seat:
            words.append(names.event_text(Event("give", sets=(given,))))
            given = 0
    return words


def legal_clause(deal: Any, names: Notation) -> str:
    """The legal moves as the end of an error message."""
    try:
        return f"; legal: {' '.join(legal_words(deal, names)) or 'nothing, nobody is to move'}"
    except PositionError as unknown:
        return f"; {unknown}"


# The parts of a line


def _parts(words: Sequence[str], warnings: list[str]) -> dict[str, list[str]]:
    """The words of each part. Raises for parts that are missing, doubled or out of order."""
    parts: dict[str, list[str]] = {part: [] for part in PARTS}
    seen: list[str] = []
    for word in words:
        lower = word.lower()
        if lower in parts:
            if any(PARTS.index(lower) <= PARTS.index(each) for each in seen):
                order = " ".join(PARTS)
                raise PositionError(
                    "bad-argument", f"{lower} is out of place: the parts are {order}, each once"
                )
            seen.append(lower)
        elif seen and (seen[-1] not in ("rules", "first") or not parts[seen[-1]]):
            parts[seen[-1]].append(word)
        else:
            warnings.append(word)
    for part in ("first", "hands"):
        if part not in seen:
            raise PositionError("bad-argument", f"{part} is missing")
    for part in seen:
        if part != "moves" and not parts[part]:
            raise PositionError("bad-argument", f"{part} says nothing")
    return parts


def _rules(game: str, words: list[str], usual: str) -> Rules:
    try:
        if not words:
            try:
                return Rules.parse(game, usual)
            except ValueError:  # the usual rules are another game's
                return Rules.parse(game)
        return Rules.parse(game, words[0])
    except ValueError as wrong:
        raise PositionError("bad-argument", str(wrong)) from None


def _seat(words: list[str]) -> int:
    if words[0] not in ("0", "1", "2", "3"):
        raise PositionError("bad-argument", f"first {quoted(words[0])}: must be a seat, 0 to 3")
    return int(words[0])


def _match(game: Game, words: list[str]) -> tuple[int, ...] | None:
    if not words:
        return None
    for word in words:
        if not _TOTAL.fullmatch(word):
            raise PositionError("bad-argument", f"match {quoted(word)}: must be a number of points")
    if len(words) != game.n_sides:
        raise PositionError("bad-argument", f"match has {len(words)} totals: must be {game.n_sides}, by side")
    totals = tuple(map(int, words))
    if game is JASS and min(totals) < 0:
        raise PositionError("bad-position", f"match {' '.join(words)}: no side of jass has less than nothing")
    return totals


def _hands(words: list[str], names: Notation) -> list[int | None]:
    if len(words) != N_SEATS:
        raise PositionError(
            "bad-argument", f"{len(words)} hands: must be {N_SEATS}, by seat, ? where unknown"
        )
    try:
        return [None if word == "?" else names.cards(word) for word in words]
    except NotationError as wrong:
        raise PositionError("bad-position", f"hands: {wrong}") from None


def _weis(game: str, words: list[str], names: Notation) -> dict[int, Melds]:
    if words and game != "jass":
        raise PositionError("bad-argument", f"weis: there is none in {game}")
    weis: dict[int, Melds] = {}
    for word in words:
        seat, _, melds = word.lower().partition("=")
        if seat not in ("0", "1", "2", "3") or not melds:
            raise PositionError("bad-argument", f"weis {quoted(word)}: must be SEAT=none or SEAT=CARDS+CARDS")
        if int(seat) in weis:
            raise PositionError("bad-argument", f"weis {quoted(word)}: seat {seat} has told already")
        try:
            weis[int(seat)] = () if melds == "none" else tuple(names.cards(meld) for meld in melds.split("+"))
        except NotationError as wrong:
            raise PositionError("bad-position", f"weis {quoted(word)}: {wrong}") from None
    return weis
