"""How long an exact solve takes: random deals, played at random until some tricks are left.

    python bench/solver.py [--deals 300] [--tricks 5 6 7 8 9] [--hash-mib 4]

One core, thread CPU time in milliseconds: median, 95th percentile and maximum of one value, and the mean
of all moves' values over the mean of one value.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import trickbot.ext
from trickbot.ext.jass import JassDeal, JassRules, random_deal
from trickbot.ext.solver import Solver

T = TypeVar("T")
CONTRACTS = {"trump": (0, 1, 2, 3), "obenabe": (4,), "undenufe": (5,)}


def position(contract: int, tricks: int, seed: int) -> JassDeal:
    """A random deal with that many tricks left."""
    rng = random.Random(seed)
    deal = random_deal(JassRules(target=0), rng.randrange(4), seed)
    deal.apply(9 + contract)
    while len(deal.tricks) < 9 - tricks:
        deal.apply(rng.choice([card for card in range(64) if deal.legal() >> card & 1]))
    return deal


def timed(work: Callable[[JassDeal], T], deal: JassDeal) -> tuple[float, T]:
    """Milliseconds of one call, and what it returned."""
    start = time.thread_time_ns()
    result = work(deal)
    return (time.thread_time_ns() - start) / 1e6, result


def row(name: str, contracts: Sequence[int], tricks: int, deals: int, hash_mib: float) -> str:
    solver = Solver(hash_mib)
    one, every, nodes = [], [], []
    for seed in range(deals):
        deal = position(contracts[seed % len(contracts)], tricks, 1000 * tricks + seed)
        spent, solution = timed(lambda deal: solver.solve(deal, pv=False), deal)
        one.append(spent)
        nodes.append(solution.nodes)
    for seed in range(0, deals, 4):
        deal = position(contracts[seed % len(contracts)], tricks, 1000 * tricks + seed)
        every.append(timed(solver.solve_moves, deal)[0])
    ratio = sum(every) / len(every) / (sum(one[::4]) / len(one[::4]))
    one.sort()
    nodes.sort()
    middle, high = deals // 2, deals * 95 // 100
    return (
        f"{name:9}{tricks:3}{one[middle]:11.3f}{one[high]:11.3f}{one[-1]:11.2f}"
        f"{nodes[middle]:12}{nodes[high]:12}{sum(one) / sum(nodes) * 1e6:9.0f}{ratio:8.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--tricks", type=int, nargs="+", default=[5, 6, 7, 8, 9])
    parser.add_argument("--hash-mib", type=float, default=4.0)
    parser.add_argument("--contracts", nargs="+", choices=list(CONTRACTS), default=list(CONTRACTS))
    chosen = parser.parse_args()
    print(f"kernel {trickbot.ext.KERNEL}, {chosen.deals} deals, hash {chosen.hash_mib} MiB")
    print(
        f"{'contract':9}{'n':>3}{'median ms':>11}{'p95':>11}{'max':>11}"
        f"{'nodes':>12}{'p95':>12}{'ns/node':>9}{'all/one':>8}"
    )
    for tricks in chosen.tricks:
        for name in chosen.contracts:
            print(row(name, CONTRACTS[name], tricks, chosen.deals, chosen.hash_mib), flush=True)


if __name__ == "__main__":
    main()
