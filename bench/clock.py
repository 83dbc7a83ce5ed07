"""What managing a clock is worth: a bot with so much time for its cards of a deal, against itself with an equal part of it
for every decision, on mirrored deals of Jass.

    python bench/clock.py --time 450 --blocks 300 --seed 1

Each seat has a clock of its own. Where only one card may be played neither uses time; the equal part is the time over the
decisions that a seat has in a deal on average. Points a deal with a 95 % interval over blocks, and the time that each of
them used.
"""

import argparse
import math
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from trickbot.ai.bots import make_bot
from trickbot.ai.searcher import Limits
from trickbot.engine.rules import Rules
from trickbot.ext.jass import random_deal

DECISIONS = 6.7  # with a choice, of a seat in a deal


def play(deal, managing: int, spec: str, clock_ms: float, seed: int) -> tuple[int, float, float]:
    """Points of the managing side over the other, and the ms that each used."""
    bot = make_bot(spec, "jass")
    left, used = [clock_ms] * 4, [0.0, 0.0]
    while deal.to_move >= 0:
        seed += 1
        seat = deal.to_move
        managed = seat & 1 == managing
        limits = Limits(time_ms=left[seat]) if managed else Limits(movetime_ms=clock_ms / DECISIONS)
        started = time.monotonic()
        for move in bot.choose(deal, limits, seed).decision:
            deal.apply(move)
        spent = 1000 * (time.monotonic() - started)
        left[seat] = max(0.0, left[seat] - spent)
        used[not managed] += spent
    points = deal.points
    return points[managing] - points[1 - managing], *used


def block(spec: str, rules: str, clock_ms: float, seed: int) -> tuple[float, float, float]:
    """The managing side's mean over both seatings of one deal."""
    deal = random_deal(Rules.parse("jass", rules).kernel(), seed % 4, seed)
    first = play(deal.copy(), 0, spec, clock_ms, 1000 * seed)
    second = play(deal, 1, spec, clock_ms, 1000 * seed)
    return tuple((a + b) / 2 for a, b in zip(first, second, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spec", default="ismcts")
    parser.add_argument("--time", type=float, default=450, help="ms of each seat for a deal")
    parser.add_argument("--rules", default="hsl,target=0")
    parser.add_argument("--blocks", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    n = args.blocks
    seeds = [args.seed * 1_000_003 + number for number in range(n)]
    with ProcessPoolExecutor(args.jobs) as pool:
        found = np.array(list(pool.map(block, [args.spec] * n, [args.rules] * n, [args.time] * n, seeds)))
    error = 1.96 * found[:, 0].std(ddof=1) / math.sqrt(n)
    managed, equal = found[:, 1:].mean(0) / 2
    print(
        f"managed {found[:, 0].mean():+.2f} +- {error:.2f} points a deal, {n} blocks; "
        f"ms used by a seat: managed {managed:.0f}, equal parts {equal:.0f}"
    )


if __name__ == "__main__":
    main()
