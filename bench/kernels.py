"""The kernels' speed on one core, both builds: playouts, worlds, iterations of the search.

    python bench/kernels.py [--repeats 7]

Thread CPU time, the median of the repeats, in millions a second. Run it on a quiet machine.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any


def rate(work: Callable[[], object], n: int, repeats: int) -> float:
    """Millions a second of `work`, which does n things."""
    taken = []
    for _ in range(repeats):
        started = time.thread_time()
        work()
        taken.append((time.thread_time() - started) / n)
    return 1e-6 / median(taken)


def measure(repeats: int) -> None:
    """Prints the table for the build that is loaded."""
    from trickbot.ai.models import table
    from trickbot.engine.deal import kernel_of
    from trickbot.engine.rules import Rules
    from trickbot.ext import KERNEL
    from trickbot.ext.search import Search

    def say(what: str, figure: float) -> None:
        print(f"{KERNEL:9} {what:90} {figure:7.2f}", flush=True)

    jass, apples = kernel_of("jass"), kernel_of("apples")
    rules = Rules.parse("jass", "cardavia").kernel()
    deals: list[Any] = []
    for contract in range(6):
        deal = jass.random_deal(rules, 0, 42 + contract)
        deal.apply(9 + contract)
        deals.append(deal)
    n = 50_000
    figures = [rate(lambda deal=deal: jass.playouts(deal, n, 1), n, repeats) for deal in deals]
    say("jass: random playouts from the first card", 6 / sum(1 / each for each in figures))
    view = deals[0].view(0)
    say("jass: uniform worlds at the first card", rate(lambda: view.sample(n, 1), n, repeats))
    model, contracts = table("jass_model"), table("jass_contracts")
    for nodes in (10_000, 100_000):
        plain = {"exploration": 0.7}
        modelled = {"model": model, "model_others": True}
        for name, more in (
            ("plain", {}),
            ("others by the model", modelled),
            ("others and playouts by the model", {**modelled, "playout_tricks": 12}),
        ):
            figures = []
            for deal in deals:
                scale = 157.0 * deal.multiplier
                searches = [
                    Search(deal, seed=seed, scale=scale, contracts=contracts, **plain, **more)
                    for seed in range(1, repeats + 1)
                ]
                figures.append(rate(lambda s=searches, n=nodes: s.pop().run(nodes=n), nodes, repeats))
            say(
                f"jass: ismcts, a world an iteration, {nodes} iterations, {name}",
                6 / sum(1 / each for each in figures),
            )
    rounds: list[Any] = []
    for seed in range(6):
        rounds.append(play_to_first_card(apples, Rules.parse("apples").kernel(), seed))
    figures = [rate(lambda deal=deal: apples.playouts(deal, n, 1), n, repeats) for deal in rounds]
    say("apples: random playouts from the first card", 6 / sum(1 / each for each in figures))
    figures = [rate(lambda deal=deal: deal.view(deal.to_move).sample(n, 1), n, repeats) for deal in rounds]
    say("apples: uniform worlds at the first card", 6 / sum(1 / each for each in figures))
    for name, more in (
        ("plain", {}),
        ("others and playouts by the policy", {"model_others": True, "playout_tricks": 12}),
    ):
        figures = []
        for deal in rounds:
            searches = [Search(deal, seed=seed, scale=100.0, **more) for seed in range(1, repeats + 1)]
            figures.append(rate(lambda s=searches: s.pop().run(nodes=10_000), 10_000, repeats))
        say(
            f"apples: ismcts, a world an iteration, 10000 iterations, {name}",
            6 / sum(1 / each for each in figures),
        )


def play_to_first_card(apples: Any, rules: Any, seed: int) -> Any:
    """A round up to its first card: the first seat bids one, all give and set aside their lowest card."""
    from trickbot.engine.notation import AUCTION, PILE, PLAY

    deal = apples.random_deal(rules, 0, seed)
    while deal.phase != PLAY:
        if deal.phase == PILE:
            deal.pile([deal.gives[(seat + 1) % 4] for seat in range(4)])
        else:
            moves = deal.legal()
            passing = 1 << 13
            wanted = passing if deal.phase == AUCTION and deal.bid else moves & -moves
            deal.apply(wanted.bit_length() - 1)
    return deal


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        measure(args.repeats)
    else:
        for build in ("portable", "bmi2"):
            command = [sys.executable, __file__, "--here", "--repeats", str(args.repeats)]
            subprocess.run(command, env=os.environ | {"TRICKBOT_KERNEL": build}, check=False)
