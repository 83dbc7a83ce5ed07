"""A page of a review: self-contained HTML with each deal laid out trick by trick."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from trickbot.ai.analysis.chart import chart, signed
from trickbot.ai.analysis.drawings import card_chip, card_svg, suit_svg, symbols
from trickbot.ai.analysis.records import DealReport, Decision, Sum, Summary, biggest, side_name
from trickbot.ai.analysis.text import deal_title
from trickbot.engine.cards import N_SEATS, cards_in
from trickbot.engine.errors import TrickbotError
from trickbot.engine.notation import CONTRACTS, PLAY, notation

_PLACES = {"jass": ("south", "east", "north", "west"), "apples": ("south", "west", "north", "east")}
# Seats go round counter-clockwise in jass, clockwise in apples.


def page(reports: Sequence[DealReport]) -> str:
    """The page of these deals, complete."""
    game = reports[0].record.game
    summary = Summary.of(reports)
    body = [_head(reports), _summary(summary, game), _mistakes(list(reports))]
    body += [_deal(at, report) for at, report in enumerate(reports)]
    style = (files("trickbot.ai") / "data" / "page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(_title(reports))}</title><style>{style}</style></head>"
        f"<body>{symbols()}<main>{''.join(body)}</main></body></html>\n"
    )


def _title(reports: Sequence[DealReport]) -> str:
    game = {"jass": "Schieber Jass", "apples": "Apples"}[reports[0].record.game]
    n = len(reports)
    return f"{game}: {'one deal' if n == 1 else f'{n} deals'} reviewed"


def _head(reports: Sequence[DealReport]) -> str:
    made: Counter[str] = Counter()
    for report in reports:
        for side, points in enumerate(report.position.deal.points):
            made[side_name(report, side)] += points
    score = ", ".join(f"{escape(name)} <b>{points}</b>" for name, points in made.items())
    return (
        f"<header><h1>{escape(_title(reports))}</h1>"
        f'<p class="lead">Made: {score}. Points <i>lost</i> are margin that the best move brings beyond the '
        "one played, for somebody who saw what the player saw: the mean of the differences over deals that "
        "were possible, with its standard error, as the points enter the match. <i>Bad luck</i> is what the "
        "move cost beyond that with all hands open.</p></header>"
    )


def _summary(summary: Summary, game: str) -> str:
    most = max([1.0, *(abs(part.lost) for part in summary.totals.values())])
    most = max(most, *(abs(part.luck) for part in summary.totals.values())) if summary.totals else 1
    rows = []
    for player, total in summary.totals.items():
        kinds = [
            (kind, summary.sums[player, kind])
            for kind in summary.kinds(game)
            if (player, kind) in summary.sums
        ]
        for kind, part in [*kinds, ("all", total)]:
            name = (
                f'<td rowspan="{len(kinds) + 1}"><b>{escape(player)}</b></td>' if kind == kinds[0][0] else ""
            )
            rows.append(f"<tr{_all(kind)}>{name}<td>{kind}</td>{_sums(part, most, kind)}</tr>")
    head = "".join(
        f"<th{' class=n' if at > 1 else ''}>{text}</th>"
        for at, text in enumerate(("player", "kind", "choices", "best move", "mistakes", "lost", "bad luck"))
    )
    return (
        f'<section><h2>Points lost</h2><div class="scroll"><table><tr>{head}<th></th></tr>'
        f"{''.join(rows)}</table>"
        f'</div><p class="key"><span class="dot" style="background:var(--bad);margin-left:0"></span>lost'
        '<span class="dot" style="background:#8fa3b5"></span>bad luck</p></section>'
    )


def _all(kind: str) -> str:
    return ' class="all"' if kind == "all" else ""


def _sums(part: Sum, most: float, kind: str) -> str:
    luck = part.luck
    bars = ""
    if kind == "all":
        bars = (
            f'<span class="bar" style="width:{90 * max(0.0, part.lost) / most:.0f}px"></span> '
            f'<span class="bar luck" style="width:{90 * max(0.0, luck) / most:.0f}px"></span>'
        )
    return (
        f'<td class="n">{part.n}</td><td class="n">{100 * part.n_best / part.n:.0f} %</td>'
        f'<td class="n">{part.n_mistakes}</td><td class="n">{_with_error(part)}</td>'
        f'<td class="n">{signed(luck)}</td><td>{bars}</td>'
    )


def _with_error(each: Decision | Sum) -> str:
    return f'{signed(each.lost)} <span class="pm">±{each.error:.1f}</span>'


def _opened(each: Decision) -> str:
    return "" if each.open_lost is None else signed(each.open_lost)


def _mistakes(reports: list[DealReport]) -> str:
    rows = []
    for at, report, each in biggest(reports, 10):
        place = f"trick {each.trick}" if each.trick else each.kind
        rows.append(
            f'<tr><td><a href="#d{at + 1}t{each.trick}">deal {at + 1}, {place}</a></td>'
            f"<td>{escape(report.player(each.seat))}</td><td>{each.kind}</td>"
            f"<td>{_move(report, each.played)}</td><td>{_move(report, each.best)}</td>"
            f'<td class="n">{_with_error(each)}</td><td class="n">{_opened(each)}</td></tr>'
        )
    if not rows:
        return "<section><h2>Mistakes</h2><p>None beyond doubt.</p></section>"
    return (
        '<section><h2>Biggest mistakes</h2><div class="scroll"><table><tr><th>where</th><th>player</th>'
        '<th>kind</th><th>played</th><th>better</th><th class="n">lost</th>'
        f'<th class="n">lost, open hands</th></tr>{"".join(rows)}</table></div></section>'
    )


def _move(report: DealReport, word: str) -> str:
    """A move for people: its cards drawn small, a call in words."""
    names = notation(report.record.game)
    head, _, rest = word.rpartition("=")
    if head in ("", "give", "target"):
        try:
            cards = list(cards_in(names.cards(rest)))
        except TrickbotError:
            return _call(report, word)
        return "".join(card_chip(report.record.game, card) for card in cards)
    return escape(word)


def _call(report: DealReport, word: str) -> str:
    game = report.record.game
    if game == "jass" and word in CONTRACTS[:4]:
        return f"{suit_svg(game, CONTRACTS.index(word))} {word}"
    if game == "apples" and word[:-1].isdigit():
        return f"{word[:-1]} {suit_svg(game, 'cdhs'.index(word[-1]))}"
    return escape(word)


# A deal


def _deal(at: int, report: DealReport) -> str:
    position = report.position
    deal: Any = position.deal
    title = escape(deal_title(report).partition(", ")[2])
    by_trick: dict[int, list[Decision]] = {}
    for each in report.decisions:
        by_trick.setdefault(each.trick, []).append(each)
    played = list(deal.tricks)
    if deal.trick and deal.phase == PLAY:
        played.append((deal.trick_leader, deal.trick, -1, None))
    tricks = [
        _trick(f"d{at + 1}t{number}", report, trick, by_trick.get(number, []))
        for number, trick in enumerate(played, 1)
    ]
    return (
        f'<section id="d{at + 1}"><h2>Deal {at + 1}</h2><p class="lead">{title}</p>{_hands(report)}'
        f'<div class="choices" id="d{at + 1}t0">{_choices(report, by_trick.get(0, []))}</div>'
        f'{chart(report)}<div class="tricks">{"".join(tricks)}</div><p class="key">\u25b8 leads; a golden '
        "edge wins the trick; a red mark is a mistake: a point or more was lost, and more than two standard "
        "errors.</p></section>"
    )


def _hands(report: DealReport) -> str:
    record, deal = report.record, report.position.deal
    blocks = []
    for seat in range(N_SEATS):
        hand = record.hands[seat]
        words = [f"seat {seat}", _PLACES[record.game][seat]]
        if seat == record.first:
            words.append("begins")
        if record.game == "jass" and deal.phase >= 5 and deal.weis[seat]:
            names = notation("jass")
            words.append("melds " + " and ".join(names.cards_text(meld) for meld in deal.weis[seat]))
        if record.game == "apples" and deal.targets[seat] is not None:
            words.append(f"target {notation('apples').card_text(deal.targets[seat])}")
        cards = "".join(card_svg(record.game, card) for card in cards_in(hand))
        long = " long" if hand.bit_count() > 9 else ""
        blocks.append(
            f'<div class="hand{long}"><h3>{escape(report.player(seat))} <small>{escape(", ".join(words))}'
            f'</small></h3><div class="row">{cards}</div></div>'
        )
    return f'<div class="hands">{"".join(blocks)}</div>'


def _choices(report: DealReport, decisions: list[Decision]) -> str:
    """What was chosen before the play."""
    if not decisions:
        return ""
    items = "".join(_note(report, each, always=True) for each in decisions)
    return f'<h3>Before the play</h3><ul class="notes" style="padding-left:0">{items}</ul>'


def _trick(ident: str, report: DealReport, trick: Any, decisions: list[Decision]) -> str:
    leader, cards, winner, points = trick
    game = report.record.game
    bad = {each.seat for each in decisions if each.mistake}
    seats = []
    for turn, card in enumerate(cards):
        seat = (leader + turn) % N_SEATS
        css = ["seat", _PLACES[game][seat]]
        css += ["led"] * (seat == leader) + ["won"] * (seat == winner) + ["bad"] * (seat in bad)
        seats.append(
            f'<div class="{" ".join(css)}"><span class="who">{escape(report.player(seat))}</span>'
            f"{card_svg(game, card)}{'<i>?</i>' if seat in bad else ''}</div>"
        )
    took = ""
    if winner >= 0:
        took = f" <small>to {escape(report.player(winner))}" + (
            "" if points is None else f", {points} points"
        )
        took += "</small>"
    notes = "".join(_note(report, each) for each in decisions)
    return (
        f'<div class="trick" id="{ident}"><h3>Trick {ident.partition("t")[2]}{took}</h3>'
        f'<div class="felt">{"".join(seats)}</div>'
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + "</div>"
    )


def _note(report: DealReport, each: Decision, *, always: bool = False) -> str:
    """What is to be said of a decision: nothing, where nothing better was found."""
    who = f"<b>{escape(report.player(each.seat))}</b>"
    if each.played == each.best or (not each.mistake and each.lost < max(0.5, each.error)):
        return f"<li>{who}: {_move(report, each.played)}</li>" if always else ""
    css = "mistake" if each.mistake else "doubt"
    hindsight = f"; with open hands {_opened(each)}" if _opened(each) else ""
    return (
        f'<li class="{css}">{who} {_move(report, each.played)}, better {_move(report, each.best)}: '
        f'<span class="lost">{signed(each.lost)}</span> <span class="pm">±{each.error:.1f}</span> lost'
        f"{hindsight}</li>"
    )
