"""Deals with given cards, and lines that reach a given late hand."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from reference import IllegalError, jass
from reference.jass import JassReferee


def cards(text: str) -> list[str]:
    """`rA,rK` as a list; no text, no cards."""
    return text.split(",") if text else []


def fill(pack: Sequence[str], given: dict[int, list[str]], rng: random.Random) -> list[list[str]]:
    """Four hands with the given cards and random others."""
    size = len(pack) // 4
    held = [list(given.get(seat, [])) for seat in range(4)]
    taken = {card for hand in held for card in hand}
    assert len(taken) == sum(len(hand) for hand in held), "a card is given twice"
    rest = [card for card in pack if card not in taken]
    rng.shuffle(rest)
    for hand in held:
        while len(hand) < size:
            hand.append(rest.pop())
    return held


def find_hands(
    pack: Sequence[str],
    given: dict[int, list[str]],
    good: Callable[[list[list[str]]], bool],
    tries: int = 5000,
) -> list[list[str]]:
    """Four hands with the given cards that are `good`: the first ones of a fixed random sequence."""
    rng = random.Random(1)
    for _ in range(tries):
        hands = fill(pack, given, rng)
        if good(hands):
            return hands
    raise AssertionError(f"no such deal in {tries}: {given}")


def playable(referee: Any, tokens: Iterable[str]) -> bool:
    """Whether all tokens are legal one after the other (they are played)."""
    try:
        for token in tokens:
            referee.play(token)
    except IllegalError:
        return False
    return True


def late_line(
    contract: str, trick: list[str], hand: list[str], tries: int = 5000
) -> tuple[list[list[str]], list[str]]:
    """Hands and moves of a Jass deal (forehand 0) at whose end the cards of `trick` lie and the next seat
    holds exactly `hand`: random play that keeps those cards back."""
    rng = random.Random(1)
    kept = {*trick, *hand}
    n_before = 9 - len(hand)
    for _ in range(tries):
        leader = rng.randrange(4)
        given = {(leader + place) % 4: [card] for place, card in enumerate(trick)}
        given[(leader + len(trick)) % 4] = list(hand)
        hands = fill(jass.PACK, given, rng)
        referee = JassReferee(hands, rules="hsl")
        referee.play(contract)
        while len(referee.tricks) < n_before:
            free = [card for card in referee.legal() if card not in kept]
            if not free:
                break
            referee.play(rng.choice(free))
        if len(referee.tricks) == n_before and referee.to_move == leader and playable(referee, trick):
            return hands, referee.moves
    raise AssertionError(f"no line in {tries} to {trick} {hand}")
