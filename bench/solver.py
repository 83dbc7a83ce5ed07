"""How long an exact solve takes: random deals, played at random until some tricks are left; in Apples by the
rule-based player, the last tricks.

    python bench/solver.py [--deals 300] [--tricks 5 6 7 8 9] [--hash-mib 4] [--kinds trump obenabe undenufe]
    python bench/solver.py --kinds apples --tricks 3 4 5

One core, thread CPU time in milliseconds: median, 95th percentile and maximum of one value, and the mean
of all moves' values over the mean of one value.
"""

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

import trickbot.ext
from trickbot.engine.match import shuffled
from trickbot.engine.notation import PILE, PLAY, REDEAL
from trickbot.ext import apples, jass
from trickbot.ext.apples_solver import ApplesSolver
from trickbot.ext.solver import Solver

CONTRACTS = {"trump": (0, 1, 2, 3), "obenabe": (4,), "undenufe": (5,)}


def jass_position(contract: int, tricks: int, seed: int) -> jass.JassDeal:
    """A random deal with that many tricks left."""
    rng = random.Random(seed)
    deal = jass.random_deal(jass.JassRules(target=0), rng.randrange(4), seed)
    deal.apply(9 + contract)
    while len(deal.tricks) < 9 - tricks:
        deal.apply(rng.choice([card for card in range(64) if deal.legal() >> card & 1]))
    return deal


def apples_position(tricks: int, seed: int) -> apples.ApplesDeal:
    """The same of Apples."""
    rng = random.Random(seed)
    while True:
        deal = apples.random_deal(apples.ApplesRules(), rng.randrange(4), rng.getrandbits(60))
        while deal.phase != REDEAL and (deal.phase != PLAY or len(deal.tricks) < 12 - tricks):
            if deal.phase == PILE:
                deal.pile(shuffled(deal, rng.getrandbits(60)).sets)
            else:
                deal.apply(apples.choose(deal, "rules", rng.getrandbits(60)))
        if deal.phase == PLAY:
            return deal


def timed(work: Callable[[Any], Any], deal: Any) -> tuple[float, Any]:
    """Milliseconds of one call, and what it returned."""
    start = time.thread_time_ns()
    result = work(deal)
    return (time.thread_time_ns() - start) / 1e6, result


def row(kind: str, tricks: int, n: int, hash_mib: float) -> str:
    """The line of the table."""
    seeds = [1000 * tricks + at for at in range(n)]
    solver: Any
    if kind == "apples":
        solver = ApplesSolver(hash_mib)
        deals: list[Any] = [apples_position(tricks, seed) for seed in seeds]
        options = {}
    else:
        solver = Solver(hash_mib)
        contracts = CONTRACTS[kind]
        deals = [jass_position(contracts[at % len(contracts)], tricks, seed) for at, seed in enumerate(seeds)]
        options = {"pv": False}
    one, nodes = [], []
    for deal in deals:
        spent, solution = timed(lambda deal: solver.solve(deal, **options), deal)
        one.append(spent)
        nodes.append(solution.nodes)
    every = [timed(solver.solve_moves, deal)[0] for deal in deals[::4]]
    ratio = sum(every) / sum(one[::4])
    one.sort()
    nodes.sort()
    middle, high = n // 2, n * 95 // 100
    return (
        f"{kind:9}{tricks:3}{one[middle]:11.3f}{one[high]:11.3f}{one[-1]:11.2f}"
        f"{nodes[middle]:12}{nodes[high]:12}{sum(one) / sum(nodes) * 1e6:9.0f}{ratio:8.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--tricks", type=int, nargs="+", default=[5, 6, 7, 8, 9])
    parser.add_argument("--hash-mib", type=float, default=4.0)
    parser.add_argument("--kinds", nargs="+", choices=[*CONTRACTS, "apples"], default=list(CONTRACTS))
    chosen = parser.parse_args()
    print(f"kernel {trickbot.ext.KERNEL}, {chosen.deals} deals, hash {chosen.hash_mib} MiB")
    print(
        f"{'':9}{'n':>3}{'median ms':>11}{'p95':>11}{'max':>11}"
        f"{'nodes':>12}{'p95':>12}{'ns/node':>9}{'all/one':>8}"
    )
    for tricks in chosen.tricks:
        for kind in chosen.kinds:
            print(row(kind, tricks, chosen.deals, chosen.hash_mib), flush=True)


if __name__ == "__main__":
    main()
