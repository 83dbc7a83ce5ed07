"""What a deal looks like from outside: the answer to ``state``, and the same for people."""

from typing import Any

from trickbot.engine.cards import N_SEATS, side_of
from trickbot.engine.errors import PositionError
from trickbot.engine.notation import AUCTION, CONTRACTS, GIVE, OVER, PHASE_NAMES, PLAY, Notation
from trickbot.engine.position import Position, legal_words


def state(position: Position, names: Notation) -> dict[str, Any]:
    """The deal as it stands, as the JSON object of ``state``: cards as lists of words, None where unknown."""
    deal, game = position.deal, position.rules.game
    mover = _or_none(deal.to_move)
    fields: dict[str, Any] = {
        "game": game,
        "rules": str(position.rules),
        "phase": PHASE_NAMES[deal.phase],
        "to_move": mover,
        "side": None if mover is None else side_of(game, mover),
        "first": deal.first,
        "hands": [_cards(_hand(deal, seat), names) for seat in range(N_SEATS)],
        "trick": _trick(deal, names),
        "tricks": [
            {
                "leader": leader,
                "cards": list(map(names.card_text, cards)),
                "winner": winner,
                "points": points if game == "jass" else None,
            }
            for leader, cards, winner, points in deal.tricks
        ],
        "scores": list(deal.scores),
        "deal": list(deal.points),
        "legal": _legal(deal, names),
        "winner": _or_none(deal.winner),
    }
    return fields | (_jass if game == "jass" else _apples)(position, names)


def _or_none(number: int) -> int | None:
    return None if number < 0 else number


def _hand(deal: Any, seat: int) -> int | None:
    """What is left of a known hand; an unknown one stays unknown when it has played its last card."""
    hand: int | None = deal.hand(seat) if deal.known >> seat & 1 else None
    return hand


def _cards(mask: int | None, names: Notation) -> list[str] | None:
    return None if mask is None else names.card_list(mask)


def _trick(deal: Any, names: Notation) -> dict[str, Any] | None:
    if deal.phase != PLAY and not deal.trick:
        return None
    return {"leader": deal.trick_leader, "cards": list(map(names.card_text, deal.trick))}


def _legal(deal: Any, names: Notation) -> list[str] | None:
    """In a give phase the cards to choose from."""
    try:
        words = legal_words(deal, names)
    except PositionError:
        return None
    return words[-1].split(",") if words and deal.phase == GIVE else words


def _jass(position: Position, names: Notation) -> dict[str, Any]:
    deal = position.deal
    named = deal.contract >= 0
    loser = 1 - deal.winner if deal.winner >= 0 else -1
    return {
        "contract": CONTRACTS[deal.contract] if named else None,
        "declarer": _or_none(deal.declarer),
        "pushed": deal.pushed,
        "multiplier": deal.multiplier if named else None,
        "weis": [
            {"seat": seat, "melds": None if melds is None else [names.card_list(meld) for meld in melds]}
            for seat, melds in enumerate(deal.weis)
        ],
        "weis_team": _or_none(deal.weis_team),
        "stoeck": _or_none(deal.stoeck),
        "schneider": loser >= 0 and 2 * deal.scores[loser] < position.rules.target,
    }


def _apples(position: Position, names: Notation) -> dict[str, Any]:
    deal = position.deal
    bid = None if deal.bid is None else f"{deal.bid[0]}{names.suits[deal.bid[1]]}"
    return {
        "bid": bid,
        "bidder": _or_none(deal.bidder),
        "trump": None if bid is None or deal.phase == AUCTION else bid[-1],
        "targets": [None if card is None else names.card_text(card) for card in deal.targets],
        "piles": [_cards(mask, names) for mask in deal.piles],
    }


def describe(position: Position, names: Notation) -> list[str]:
    """The deal as it stands, for a person: a few lines."""
    deal = position.deal
    now = state(position, names)
    lines = [f"{now['game']}, {now['rules']}, first {now['first']}, phase {now['phase']}"]
    if now["game"] == "jass" and now["contract"]:
        pushed = ", pushed" if now["pushed"] else ""
        lines[0] += f", {now['contract']} by seat {now['declarer']}{pushed}, times {now['multiplier']}"
    elif now["game"] == "apples" and now["bid"]:
        lines[0] += f", bid {now['bid']} by seat {now['bidder']}"
    for seat in range(N_SEATS):
        mask = _hand(deal, seat)
        suits = [[names.card_text(card)[1] for card in _lane(mask or 0, suit)] for suit in range(4)]
        held = "  ".join(
            f"{name} {''.join(ranks) or '-'}" for name, ranks in zip(names.suits, suits, strict=True)
        )
        more = ""
        if now["game"] == "jass" and now["weis"][seat]["melds"]:
            more = "  weis " + " + ".join(",".join(meld) for meld in now["weis"][seat]["melds"])
        elif now["game"] == "apples" and now["targets"][seat]:
            more = f"  target {now['targets'][seat]}"
        lines.append(
            f"seat {seat}{'*' if seat == deal.to_move else ' '} {'?' if mask is None else held}{more}"
        )
    for number, trick in enumerate(now["tricks"], 1):
        points = "" if trick["points"] is None else f", {trick['points']} points"
        cards = " ".join(trick["cards"])
        lines.append(f"trick {number}: seat {trick['leader']} {cards}: seat {trick['winner']}{points}")
    if now["trick"] and now["trick"]["cards"]:
        lines.append(f"on the table: seat {now['trick']['leader']} {' '.join(now['trick']['cards'])}")
    lines.append(f"deal {' '.join(map(str, now['deal']))}, match {' '.join(map(str, now['scores']))}")
    if now["winner"] is not None:
        lines.append(
            f"the match is won by side {now['winner']}" + (", Schneider" if now.get("schneider") else "")
        )
    elif deal.phase != OVER and now["legal"]:
        lines.append(f"to move seat {deal.to_move}: {' '.join(legal_words(deal, names))}")
    return lines


def _lane(mask: int, suit: int) -> list[int]:
    return [16 * suit + rank for rank in reversed(range(16)) if mask >> 16 * suit + rank & 1]
