"""The bench: fixed positions, seeds and node counts, and a signature of all that the search made of them.

The signature depends on nothing but the code's behaviour. A change that means to leave the play as it is
leaves the signature; any other states the new one, and why.
"""

import time
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files

import click
from trickbot.ai.options import Options
from trickbot.ai.searcher import METHODS, Limits, Searcher
from trickbot.engine.notation import notation
from trickbot.engine.position import Position, words_of

NODES = 10_000  # for each position and method


def positions() -> list[Position]:
    """The positions of the bench, of both games, seen from the seat to move."""
    text = (files("trickbot.ai") / "data" / "bench.txt").read_text(encoding="ascii")
    return [Position.parse(line) for line in text.splitlines()]


def run_bench(say: Callable[[str], None], stopped: Callable[[], bool] = lambda: False) -> str | None:
    """Searches every position by every method; what is found is said. The line with the signature; None when
    stopped before the end."""
    signature = sha256()
    nodes = 0
    started = time.perf_counter()
    for number, position in enumerate(positions(), 1):
        names = notation(position.rules.game)
        for method in METHODS:
            if stopped():
                return None
            searcher = Searcher(position.deal, Options(bot=method, seed=number, hash=8))
            report = searcher.run(Limits(nodes=NODES))
            nodes += report.nodes
            words = " ".join(words_of(position.deal, report.decision, names))
            visits = " ".join(
                f"{move.move}:{move.visits}" for move in sorted(report.moves, key=lambda each: each.move)
            )
            say(f"bench {number} {position.rules.game} {method} {words}")
            signature.update(f"{words} {report.nodes} {report.worlds} {visits}\n".encode())
    seconds = time.perf_counter() - started
    found = signature.hexdigest()[:16]
    return f"bench signature {found} nodes {nodes} time {int(seconds * 1000)} nps {int(nodes / seconds)}"


@click.command()
def bench() -> None:
    """Search a fixed set of positions and print the signature."""
    click.echo(run_bench(click.echo))
