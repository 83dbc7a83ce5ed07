"""The command `deal`: random deals by seed that are as wanted, for test sets."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import click
from trickbot.ai.bots import make_bot
from trickbot.engine.cards import GAMES, N_SEATS, Game, cards_in, mask_of
from trickbot.engine.errors import NotationError, OptionError, TrickbotError, quoted
from trickbot.engine.match import child_seed, shuffled
from trickbot.engine.notation import CONTRACT, CONTRACTS, OVER, PILE, PLAY, PUSH, REDEAL, notation
from trickbot.engine.position import Position
from trickbot.engine.record import Record
from trickbot.engine.rules import Rules

_LENGTH = re.compile(r"([a-z])(\d+)(?:-(\d+))?(\+?)")


class NoDealError(TrickbotError):
    """What is wanted of a deal cannot be, or was not found."""


@dataclass
class Wanted:
    """What deals must be like.

    match: totals before the deal, by side. held: cards that a seat must hold, masks by seat; whole: seats
    whose hand is just that. lengths: least and most cards of a suit by (seat, suit). contract: the word of
    the contract or bid; a suit alone in apples: the trump. tricks_left: when the deal is given out, None:
    before its play.
    """

    rules: Rules
    first: int | None = None
    match: tuple[int, ...] | None = None
    held: list[int] = field(default_factory=lambda: [0] * N_SEATS)
    whole: set[int] = field(default_factory=set)
    lengths: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    contract: str | None = None
    pushed: bool | None = None
    tricks_left: int | None = None

    @property
    def game(self) -> Game:
        """The facts about the game."""
        return GAMES[self.rules.game]

    def check(self) -> None:
        """Raises ``NoDealError`` where no deal can be like that, naming what stands against it."""
        names = notation(self.rules.game)
        n = self.game.n_dealt
        taken = 0
        for seat, cards in enumerate(self.held):
            if cards & taken:
                raise NoDealError(f"{names.cards_text(cards & taken)}: wanted in two hands")
            taken |= cards
            if cards.bit_count() > n:
                raise NoDealError(f"seat {seat}: {cards.bit_count()} cards wanted, a hand has {n}")
            if seat in self.whole and cards.bit_count() != n:
                raise NoDealError(f"seat {seat}: a hand has {n} cards, {cards.bit_count()} are named")
        for (seat, suit), (least, most) in self.lengths.items():
            has = (self.held[seat] >> 16 * suit & 0xFFFF).bit_count()
            if has > most or (seat in self.whole and has < least):
                raise NoDealError(
                    f"seat {seat}: {has} cards of suit {names.suits[suit]} are named, "
                    f"{least} to {most} are wanted"
                )
        for seat in range(N_SEATS):
            least = sum(low for (at, _), (low, _) in self.lengths.items() if at == seat)
            if least > n:
                raise NoDealError(f"seat {seat}: {least} cards wanted by suit, a hand has {n}")
        for suit in range(4):
            least = sum(low for (_, at), (low, _) in self.lengths.items() if at == suit)
            if least > n:
                raise NoDealError(f"suit {names.suits[suit]}: {least} cards wanted, there are {n}")

    def hands(self, random: Random) -> tuple[int, ...]:
        """Random hands with the cards that are to be held, each such deal as likely as any other."""
        taken = sum(self.held)
        rest = list(cards_in(self.game.pack & ~taken))
        random.shuffle(rest)
        hands = []
        for cards in self.held:
            n = self.game.n_dealt - cards.bit_count()
            hands.append(cards | mask_of(rest[:n]))
            del rest[:n]
        return tuple(hands)

    def fits(self, hands: tuple[int, ...]) -> bool:
        """Whether the suits are as long as wanted."""
        return all(
            least <= (hands[seat] >> 16 * suit & 0xFFFF).bit_count() <= most
            for (seat, suit), (least, most) in self.lengths.items()
        )

    @property
    def plays(self) -> bool:
        """Whether moves must be made before the deal is given out."""
        return self.contract is not None or self.pushed is not None or self.tricks_left is not None

    def named(self, deal: Any) -> bool:
        """Whether the contract or bid is as wanted, in a deal that has one."""
        if self.pushed is not None and deal.pushed != self.pushed:
            return False
        if self.contract is None:
            return True
        if self.rules.game == "jass":
            return CONTRACTS[deal.contract] == self.contract
        number, suit = deal.bid
        return self.contract in (f"{number}{'cdhs'[suit]}", "cdhs"[suit])


def deals(
    wanted: Wanted,
    seed: int,
    n: int,
    *,
    chooser: str = "rules",
    force: bool = False,
    tries: int = 100_000,
) -> Iterator[Position]:
    """``n`` deals as wanted. chooser: the bot that makes the moves before; force: the contract is named
    whatever the hands. Raises ``NoDealError`` when ``tries`` deals in a row were not."""
    wanted.check()
    bot = make_bot(chooser, wanted.rules.game)
    at = 0
    for number in range(n):
        for _ in range(tries):
            own = child_seed(seed, at)
            at += 1
            position = _deal(wanted, own, bot, force)
            if position is not None:
                yield position
                break
        else:
            raise NoDealError(f"none of {tries} deals in a row was as wanted, after {number} that were")


def _deal(wanted: Wanted, seed: int, bot: Any, force: bool) -> Position | None:
    """The deal of a seed, None if it is not as wanted."""
    random = Random(seed)
    first = random.randrange(N_SEATS)
    hands = wanted.hands(random)
    if not wanted.fits(hands):
        return None
    position = Position(wanted.rules, first if wanted.first is None else wanted.first, hands, wanted.match)
    if not wanted.plays:
        return position
    step = 0
    while True:
        deal: Any = position.deal
        left = wanted.game.n_dealt - (wanted.rules.game == "apples") - len(deal.tricks)
        if deal.phase == REDEAL:
            return None
        if deal.phase in (PLAY, OVER):
            if not wanted.named(deal):
                return None
            if wanted.tricks_left is None or (left <= wanted.tricks_left and not deal.trick):
                return None if deal.phase == OVER and wanted.tricks_left else position
        if deal.phase == PILE:
            position.add(shuffled(deal, child_seed(seed, step)))
        elif force and deal.phase == CONTRACT and wanted.contract:
            position.add_word(PUSH if wanted.pushed and not deal.pushed else wanted.contract)
        else:
            for move in bot.choose(deal, seed=child_seed(seed, step)).decision:
                position.play(move)
        step += 1


# The command


@click.command()
@click.option("--game", type=click.Choice(list(GAMES)), help="what is played [jass]")
@click.option("-n", "--count", type=click.IntRange(1), default=1, show_default=True, help="deals")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="same seed, same deals")
@click.option("--rules", default="", help="a preset, and fields: cardavia,target=2500")
@click.option("--first", type=click.IntRange(0, 3), help="who begins [drawn for each deal]")
@click.option("--match", "totals", metavar="P,P", help="totals of the match before the deal, by side")
@click.option("--hand", "hands", multiple=True, metavar="SEAT=CARDS", help="just this hand; may be repeated")
@click.option("--hold", "held", multiple=True, metavar="SEAT=CARDS", help="these cards; may be repeated")
@click.option(
    "--length",
    "lengths",
    multiple=True,
    metavar="SEAT=SUITn[-m|+]",
    help="cards of a suit: 0=r4-6, 2=s0, 1=b5+",
)
@click.option("--contract", help="jass: roses ... undenufe; apples: a bid 3d, or its suit d")
@click.option("--pushed/--not-pushed", default=None, help="jass: whether forehand has pushed")
@click.option("--force", is_flag=True, help="jass: --contract is named whatever the hands")
@click.option("--tricks-left", type=click.IntRange(1), help="play on until so many tricks are left")
@click.option("--chooser", default="rules", show_default=True, metavar="BOT", help="who makes the moves")
@click.option(
    "--seat",
    "view",
    type=click.Choice(["0", "1", "2", "3", "mover"]),
    help="show what this seat knows, or the one to move, not all hands",
)
@click.option(
    "--format", "form", type=click.Choice(["position", "record"]), default="position", show_default=True
)
@click.option("--cards", type=click.Choice(["german", "french"]), default="german", show_default=True)
@click.option("--tries", type=click.IntRange(1), default=100_000, show_default=True, help="before giving up")
@click.pass_context
def deal(context: click.Context, /, game: str | None, **given: Any) -> None:
    """Makes random deals, one a line, as positions or records.

    Without filters every deal is as likely as any other. Cards that are held are dealt first and the rest at
    random; suit lengths, contracts and tricks left are looked for. --contract and --tricks-left let BOT make
    the moves so far, and the line has them.

    \b
    trickbot deal -n 100 --seed 7 > deals.txt
    trickbot deal --hold 0=rU,r9 --length 0=r4+ --contract roses
    trickbot deal -n 50 --contract obenabe --tricks-left 5 --seat mover
    trickbot deal --game apples --contract 5d --format record
    """
    game = game or context.obj or "jass"
    wanted = _wanted(game, given)
    names = notation(game, given["cards"] if game == "jass" else "german")
    if given["view"] is not None and given["form"] == "record":
        raise click.UsageError("--seat: a record has all hands, it must be --format position")
    more = {name: given[name] for name in ("chooser", "force", "tries")}
    found = deals(wanted, given["seed"], given["count"], **more)
    for position in found:
        if given["form"] == "record":
            click.echo(Record.of(position, seed=given["seed"]).to_json())
        else:
            click.echo(_shown(position, given["view"]).text(names))
        sys.stdout.flush()


def _shown(position: Position, view: str | None) -> Position:
    deal: Any = position.deal
    if view is None or (view == "mover" and deal.to_move < 0):
        return position
    return position.view(deal.to_move if view == "mover" else int(view))


def _wanted(game: str, given: dict[str, Any]) -> Wanted:
    wanted = Wanted(Rules.parse(game, given["rules"]), given["first"])
    names = notation(game, given["cards"] if game == "jass" else "german")
    if given["totals"]:
        totals = given["totals"].split(",")
        if len(totals) != wanted.game.n_sides or not all(re.fullmatch(r"-?\d{1,7}", each) for each in totals):
            raise NoDealError(f"--match {quoted(given['totals'])}: must be {wanted.game.n_sides} totals: 0,0")
        wanted.match = tuple(map(int, totals))
    for option in ("hand", "hold"):
        for word in given["hands" if option == "hand" else "held"]:
            seat, cards = _at_seat(option, word)
            try:
                held = names.cards(cards)
            except NotationError as wrong:
                raise NoDealError(f"--{option} {quoted(word)}: {wrong}") from None
            if option == "hand":
                if seat in wanted.whole:
                    raise NoDealError(f"--hand {quoted(word)}: seat {seat} has a hand already")
                wanted.whole.add(seat)
            wanted.held[seat] |= held
    for word in given["lengths"]:
        seat, rest = _at_seat("length", word)
        for part in rest.split(","):
            suit, least, most = _length(word, part, names)
            wanted.lengths[seat, suit] = (least, most)
    _contract(wanted, given, names)
    left = given["tricks_left"]
    most_left = wanted.game.n_dealt - (game == "apples")
    if left is not None and left > most_left:
        raise NoDealError(f"--tricks-left {left}: must be at most {most_left} in {game}")
    wanted.tricks_left = left
    return wanted


def _at_seat(option: str, word: str) -> tuple[int, str]:
    seat, equals, rest = word.partition("=")
    if seat not in ("0", "1", "2", "3") or not equals or not rest:
        raise NoDealError(f"--{option} {quoted(word)}: must be SEAT=..., the seat 0 to 3")
    return int(seat), rest


def _length(word: str, part: str, names: Any) -> tuple[int, int, int]:
    found = _LENGTH.fullmatch(part.lower())
    suits = names.suits.lower()
    if not found or found[1] not in suits or (found[3] and found[4]):
        raise NoDealError(
            f"--length {quoted(word)}: {quoted(part)} must be a suit of {names.suits} "
            "and a number: r4, r4-6, r4+"
        )
    least = int(found[2])
    most = names.game.n_dealt if found[4] else int(found[3] or least)
    if not least <= most <= names.game.n_dealt:
        raise NoDealError(
            f"--length {quoted(word)}: {quoted(part)} must be from 0 to {names.game.n_dealt}, "
            "the smaller first"
        )
    return suits.index(found[1]), least, most


def _contract(wanted: Wanted, given: dict[str, Any], names: Any) -> None:
    word, game = given["contract"], wanted.rules.game
    if game == "jass":
        if word is not None and word.lower() not in CONTRACTS:
            raise NoDealError(f"--contract {quoted(word)}: must be {' or '.join(CONTRACTS)}")
        if given["force"] and word is None:
            raise OptionError("--force: --contract is missing")
    else:
        for option in ("pushed", "force"):
            if given[option]:
                raise OptionError(f"--{option}: there is none in apples")
        if word is not None and not re.fullmatch(r"([1-9]|1[0-3])?[cdhs]", word.lower()):
            raise NoDealError(f"--contract {quoted(word)}: must be a bid, 3d, or a suit of {names.suits}")
    wanted.contract = None if word is None else word.lower()
    wanted.pushed = given["pushed"]
