"""Cards as pictures: SVG in the suits that players of each game know.

``symbols`` go into a page once; ``card_svg`` then draws a card of 60 by 92 units by reference to them.
"""

from functools import cache
from html import escape
from importlib.resources import files

from trickbot.engine.cards import GAMES

SUIT_NAMES = {
    "jass": ("roses", "acorns", "bells", "shields"),
    "apples": ("clubs", "diamonds", "hearts", "spades"),
}
RANK_NAMES = {
    "jass": {"A": "Ass", "K": "König", "O": "Ober", "U": "Under", "B": "Banner"},
    "apples": {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"},
}
INKS = {
    "jass": ("#b3202c", "#4d6b1f", "#a86f00", "#27508c"),
    "apples": ("#1d2430", "#c0272d", "#c0272d", "#1d2430"),
}
"""Colours of the ranks, by suit."""


@cache
def symbols() -> str:
    """The definitions that the cards refer to."""
    return (files("trickbot.ai") / "data" / "cards.svg").read_text(encoding="utf-8").replace("\n", "")


_LEFT, _MIDDLE, _RIGHT = 20.0, 30.0, 40.0
_PIPS: dict[str, tuple[tuple[float, float], ...]] = {}
for _rank, _columns, _middle in (
    ("2", (), (26, 66)),
    ("3", (), (26, 46, 66)),
    ("4", (27, 65), ()),
    ("5", (27, 65), (46,)),
    ("6", (27, 46, 65), ()),
    ("7", (27, 46, 65), (36.5,)),
    ("8", (27, 46, 65), (36.5, 55.5)),
    ("9", (25, 39, 53, 67), (46,)),
    ("T", (25, 39, 53, 67), (32, 60)),
):
    _PIPS[_rank] = tuple(
        [(column, float(row)) for row in _columns for column in (_LEFT, _RIGHT)]
        + [(_MIDDLE, float(row)) for row in _middle]
    )


def card_name(game: str, card: int) -> str:
    """A card in words: ``roses Under``, ``10 of hearts``."""
    suit, rank = SUIT_NAMES[game][card >> 4], GAMES[game].ranks[card & 15]
    rank = RANK_NAMES[game].get(rank, rank)
    return f"{suit} {rank}" if game == "jass" else f"{rank} of {suit}"


def card_svg(game: str, card: int, css: str = "card") -> str:
    """A card, face up, as an SVG element."""
    suit = SUIT_NAMES[game][card >> 4]
    rank = GAMES[game].ranks[card & 15]
    ink = INKS[game][card >> 4]
    text = "10" if rank == "T" else rank
    small = ' style="font-size:11px" textLength="12"' if len(text) > 1 else ""
    name = escape(card_name(game, card))
    corner = (
        f'<text x="8.5" y="17" fill="{ink}"{small}>{text}</text>'
        f'<use href="#{suit}" x="4" y="20" width="9" height="9"/>'
    )
    return (
        f'<svg class="{css}" viewBox="0 0 60 92" role="img" aria-label="{name}"><title>{name}</title>'
        f'<rect x="1" y="1" width="58" height="90" rx="6" class="face"/>{corner}'
        f'<g transform="rotate(180 30 46)">{corner}</g>{_middle_of(suit, rank, ink)}</svg>'
    )


def card_chip(game: str, card: int) -> str:
    """A card as small as a word: its rank and the mark of its suit."""
    rank = GAMES[game].ranks[card & 15]
    name = escape(card_name(game, card))
    small = ' textLength="18" lengthAdjust="spacingAndGlyphs"' if rank == "T" else ""
    return (
        f'<svg class="chip" viewBox="0 0 46 30" role="img" aria-label="{name}"><title>{name}</title>'
        '<rect x="1" y="1" width="44" height="28" rx="5" class="face"/>'
        f"{_use(SUIT_NAMES[game][card >> 4], 32, 15, 19)}"
        f'<text x="12" y="22" fill="{INKS[game][card >> 4]}"{small}>{"10" if rank == "T" else rank}</text></svg>'
    )


def _middle_of(suit: str, rank: str, ink: str) -> str:
    if rank in _PIPS:
        size = 11.0
        return "".join(_use(suit, x, y, size) for x, y in _PIPS[rank])
    if rank == "A":
        return _use(suit, 30, 46, 30)
    if rank == "B":
        return _use("banner", 31, 46, 34) + _use(suit, 33, 41, 16)
    if rank == "K" and suit in SUIT_NAMES["jass"]:
        return _use("crown", 30, 34, 22) + _use(suit, 30, 58, 22)
    if rank in "OU" and suit in SUIT_NAMES["jass"]:  # the mark stands above in an Ober, below in an Under
        mark, letter = (31, 73) if rank == "O" else (61, 42)
        return (
            _use(suit, 30, mark, 24) + f'<text x="30" y="{letter}" class="court" fill="{ink}">{rank}</text>'
        )
    crown = _use("crown", 30, 25, 13) if rank in "KQ" else ""
    return f'{crown}<text x="30" y="52" class="court" fill="{ink}">{rank}</text>' + _use(suit, 30, 67, 16)


def _use(name: str, x: float, y: float, size: float) -> str:
    half = size / 2
    return f'<use href="#{name}" x="{x - half:g}" y="{y - half:g}" width="{size:g}" height="{size:g}"/>'


def suit_svg(game: str, suit: int) -> str:
    """The mark of a suit, as high as the text around it."""
    name = SUIT_NAMES[game][suit]
    return (
        f'<svg class="mark" viewBox="0 0 100 100" role="img" aria-label="{name}"><use href="#{name}"/></svg>'
    )
