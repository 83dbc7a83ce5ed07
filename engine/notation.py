"""Words for cards, moves and events, as in the position line.

``Notation`` reads and writes one game's words in one style of cards; it knows no rules. What a word means
in a deal, and whether it is allowed there, is settled by ``trickbot.engine.position``.
"""

from functools import cache
from typing import NamedTuple

from trickbot.engine.cards import GAMES, N_SEATS, cards_in
from trickbot.engine.errors import NotationError, OptionError, quoted

CONTRACTS = ("roses", "acorns", "bells", "shields", "obenabe", "undenufe")
PUSH = "push"
PASS = "pass"

# The holes of lane 0 above its cards hold the moves that are no cards.
_CONTRACT_0 = 9
PUSH_MOVE = _CONTRACT_0 + len(CONTRACTS)
PASS_MOVE = 13

# Phases that moves are made in, numbered as in ext/phase.pxd, with their names for people and programs.
CONTRACT, AUCTION, GIVE, PILE, TARGET, PLAY, OVER, REDEAL = range(8)
PHASE_NAMES = ("contract", "auction", "give", "give", "target", "play", "over", "redeal")


class Event(NamedTuple):
    """One word of ``moves``: a decision, or what happened at the table between decisions."""

    kind: str  # contract, bid, card, give, target, pile or targets
    move: int = -1  # the kernel's move id, for the kinds that are one move; -1: hidden
    sets: tuple[int | None, ...] = ()  # give: one set; pile, targets: one by seat; None: unknown


class Notation:
    """Reads and writes the words of one game.

    ``style`` says how the cards of jass are named: ``german`` (``rU``) or ``french`` (``HJ``). Reading pays
    no heed to case. Every reader raises ``NotationError`` with the word and what was possible.
    """

    def __init__(self, game: str, style: str = "german") -> None:
        self.game = GAMES[game]
        self.suits, self.ranks = self.game.suits, self.game.ranks
        if game == "jass" and style == "french":
            self.suits, self.ranks = "HCDS", "6789TJQKA"
        elif style not in ("german", "french"):
            raise OptionError(f"cards {quoted(style)}: must be german or french")
        self._names = {
            16 * s + r: suit + rank for s, suit in enumerate(self.suits) for r, rank in enumerate(self.ranks)
        }
        self._cards = {name.lower(): card for card, name in self._names.items()}

    # Cards

    def card(self, word: str) -> int:
        """The card of a word."""
        try:
            return self._cards[word.lower()]
        except KeyError:
            raise NotationError(
                f"{quoted(word)} is no card: a suit of {self.suits} and a rank of {self.ranks[::-1]}"
            ) from None

    def cards(self, words: str) -> int:
        """The set of a comma list without blanks; no card may stand there twice."""
        mask = 0
        for word in words.split(","):
            bit = 1 << self.card(word)
            if mask & bit:
                raise NotationError(f"{quoted(word)} stands twice in {quoted(words)}")
            mask |= bit
        return mask

    def card_text(self, card: int) -> str:
        """The word of a card."""
        return self._names[card]

    def card_list(self, mask: int) -> list[str]:
        """The words of a set, suit by suit, the highest rank first."""
        return [self._names[card] for card in cards_in(mask)]

    def cards_text(self, mask: int | None) -> str:
        """A set as a comma list; ``?`` for an unknown one."""
        return "?" if mask is None else ",".join(self.card_list(mask))

    # Moves and events

    def event(self, word: str) -> Event:
        """What a word of ``moves`` says."""
        lower = word.lower()
        head, equals, rest = lower.partition("=")
        if self.game.name == "jass":
            if lower in CONTRACTS:
                return Event("contract", _CONTRACT_0 + CONTRACTS.index(lower))
            if lower == PUSH:
                return Event("contract", PUSH_MOVE)
        elif equals:
            return self._table_event(word, head, rest)
        elif lower == PASS:
            return Event("bid", PASS_MOVE)
        elif lower[:-1].isascii() and lower[:-1].isdigit():
            return Event("bid", self._bid(word))
        return Event("card", self.card(word))

    def _bid(self, word: str) -> int:
        number, suit = word[:-1], self.suits.find(word[-1].lower())
        if suit < 0 or len(number) > 2 or not 1 <= int(number) <= self.game.n_dealt:
            raise NotationError(
                f"{quoted(word)} is no bid: a number from 1 to {self.game.n_dealt} and a suit of {self.suits}"
            )
        return 16 * suit + int(number) - 1

    def _table_event(self, word: str, head: str, rest: str) -> Event:
        if head == "give":
            return Event("give", sets=(None if rest == "?" else self.cards(rest),))
        if head == "target":
            return Event("target", -1 if rest == "?" else self.card(rest))
        if head in ("pile", "targets"):
            parts = rest.split("|")
            if len(parts) != N_SEATS:
                raise NotationError(f"{quoted(word)} has {len(parts)} parts divided by |: must be 4, by seat")
            read = self.cards if head == "pile" else lambda part: 1 << self.card(part)
            return Event(head, sets=tuple(None if part == "?" else read(part) for part in parts))
        raise NotationError(f"{quoted(word)}: before = must stand give, pile, target or targets")

    def event_text(self, event: Event) -> str:
        """The word of an event."""
        if event.kind == "card":
            return self._names[event.move]
        if event.kind == "contract":
            return self.move_text(CONTRACT, event.move)
        if event.kind == "bid":
            return self.move_text(AUCTION, event.move)
        if event.kind == "target":
            return "target=?" if event.move < 0 else self.move_text(TARGET, event.move)
        return event.kind + "=" + "|".join(map(self.cards_text, event.sets))

    def move_text(self, phase: int, move: int) -> str:
        """The word of a move made in a phase; a card given to the pile is ``give=`` and that card alone."""
        if phase == PLAY:
            return self._names[move]
        if phase == CONTRACT:
            return PUSH if move == PUSH_MOVE else CONTRACTS[move - _CONTRACT_0]
        if phase == AUCTION:
            return PASS if move == PASS_MOVE else f"{(move & 15) + 1}{self.suits[move >> 4]}"
        if phase in (GIVE, TARGET):
            return f"{PHASE_NAMES[phase]}={self._names[move]}"
        raise NotationError(f"no move is made in phase {PHASE_NAMES[phase]}")


@cache
def notation(game: str, style: str = "german") -> Notation:
    """The notation of a game, made once."""
    return Notation(game, style)


def parse_card(game: str, word: str) -> int:
    """The card of a word."""
    return notation(game).card(word)


def card_text(game: str, card: int) -> str:
    """The word of a card."""
    return notation(game).card_text(card)
