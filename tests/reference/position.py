"""Sets up a referee from a `position` line with full hands."""

import re

from . import IllegalError, RefusedError, apples, jass
from .apples import ApplesReferee
from .jass import JassReferee

Referee = JassReferee | ApplesReferee


def set_up(line: str) -> Referee:
    """The referee after all moves of the line; RefusedError where the line or a move is wrong."""
    words = line.split()
    if words[0] != "position" or words[1].lower() not in ("jass", "apples"):
        raise RefusedError("bad-argument", f"{words[:2]}: position jass or position apples")
    game = words[1].lower()
    parts = split_parts(words[2:])
    pack = jass.PACK if game == "jass" else apples.PACK
    hands = [[jass.normal(card) for card in word.split(",")] for word in parts.get("hands", [])]
    first = int(parts.get("first", ["-1"])[0])
    preset = parts.get("rules", ["cardavia" if game == "jass" else "apples"])[0].lower()
    sides = 2 if game == "jass" else 4
    match = [int(word) for word in parts.get("match", ["0"] * sides)]
    if first not in range(4) or len(hands) != 4 or len(match) != sides:
        raise RefusedError("bad-argument", "first is 0-3, hands are four, match has a total for each side")
    if preset not in (*jass.PRESETS, "apples"):
        raise RefusedError("bad-argument", f"no rules {preset}")
    if sorted(card for hand in hands for card in hand) != sorted(pack):
        raise RefusedError("bad-position", "the hands are not the pack")
    if {len(hand) for hand in hands} != {len(pack) // 4}:
        raise RefusedError("bad-position", f"each hand has {len(pack) // 4} cards")
    referee: Referee = (
        JassReferee(hands, first, (match[0], match[1]), preset)
        if game == "jass"
        else ApplesReferee(hands, first, (match[0], match[1], match[2], match[3]))
    )
    for index, token in enumerate(parts.get("moves", [])):
        try:
            referee.play(token)
        except IllegalError as wrong:
            raise RefusedError("illegal-move", str(wrong), index) from wrong
    return referee


def split_parts(words: list[str]) -> dict[str, list[str]]:
    """{"first": ["0"], "hands": [...], ...}; the moves are all that follows `moves`."""
    parts: dict[str, list[str]] = {}
    name = ""
    for word in words:
        if name != "moves" and re.fullmatch("rules|match|first|hands|weis|moves", word):
            name = word
            parts[name] = []
        else:
            parts[name].append(word)
    return parts
