"""Serves a player that is not ours as an engine of the protocol, as far as a tournament needs it."""

import sys
from collections.abc import Callable

from trickbot.engine.errors import TrickbotError
from trickbot.engine.position import Position

Choose = Callable[[Position, dict[str, int]], str]
"""A move's word for a position seen from the seat to move; limits and options by name, `seed` and `nodes` too."""


def serve(name: str, choose: Choose, options: dict[str, int] | None = None) -> None:
    """Answers stdin on stdout until `quit` or its end. `options`: further spin options with their defaults."""
    values = {"seed": 0, **{key.lower(): default for key, default in (options or {}).items()}}
    position: Position | None = None
    for line in sys.stdin:
        words = line.split()
        tag = ""
        if words[:1] == ["id"]:
            tag, words = f"id {words[1]} ", words[2:]
        match words:
            case ["uci", *_]:
                answer = [f"id name {name}", "protocol 1"]
                for key, default in {"Seed": 0, **(options or {})}.items():
                    answer.append(f"option name {key} type spin default {default} min 0 max {2**63 - 1}")
                answer.append("uciok")
            case ["isready", *_]:
                answer = ["readyok"]
            case ["setoption", "name", key, "value", value]:
                values[key.lower()] = int(value)
                answer = []
            case ["position", *rest]:
                answer = []
                try:
                    position = Position.parse(rest)
                except TrickbotError as error:
                    answer = [f"error {error.code} {error}"]
            case ["go", *limits] if position is not None:
                given = dict(zip(limits[::2], map(int, limits[1::2]), strict=True))
                answer = [f"bestmove {choose(position, values | given)}"]
            case ["quit", *_]:
                return
            case _:
                answer = []
        for each in answer:
            print(f"{tag}{each}")
        sys.stdout.flush()
