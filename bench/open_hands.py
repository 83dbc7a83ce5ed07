"""How much it is worth to see all hands: a bot against itself with all hands open, on mirrored deals of Jass.

    python bench/open_hands.py ismcts:movetime=50 ismcts:movetime=50,beliefs=0,modelothers=false,playouttricks=0 --blocks 300

For each spec the margin of its open-handed twin (or of another bot with open hands), in points a deal, with a 95 %
interval over blocks: the smaller, the closer the bot comes to a player who sees everything. The tournament shows its
players their own view only, so this is a script of its own.
"""

import argparse
import math
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from trickbot.ai.bots import make_bot
from trickbot.engine.rules import Rules
from trickbot.ext.jass import random_deal


def play(deal, bots, seed: int, names=None) -> int:
    """Points of seats 0 and 2 over the others'; bots by side, `names` names the contracts if there is one."""
    while deal.to_move >= 0:
        seed += 1
        bot = names if names and deal.contract < 0 else bots[deal.to_move & 1]
        for move in bot.choose(deal, seed=seed).decision:
            deal.apply(move)
    points = deal.points
    return points[0] - points[1]


def block(spec: str, ceiling: str, names: str | None, rules: str, seed: int) -> float:
    """The open-handed player's mean margin over both seatings of one deal."""
    kernel_rules = Rules.parse("jass", rules).kernel()
    hidden, open_ = make_bot(spec, "jass"), make_bot(ceiling + ",openhands=true", "jass")
    deal = random_deal(kernel_rules, seed % 4, seed)
    namer = make_bot(names, "jass") if names else None
    gain = play(deal.copy(), (open_, hidden), 1000 * seed, namer)
    gain -= play(deal, (hidden, open_), 1000 * seed, namer)
    return gain / 2


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("specs", nargs="+")
    parser.add_argument("--ceiling", help="the bot that sees all hands; else each spec itself does")
    parser.add_argument(
        "--names",
        help="a bot that names all contracts, without seeing: what is left is the gap in the play of the cards",
    )
    parser.add_argument("--rules", default="hsl,target=0")
    parser.add_argument("--blocks", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    seeds = [args.seed * 1_000_003 + number for number in range(args.blocks)]
    with ProcessPoolExecutor(args.jobs) as pool:
        for spec in args.specs:
            n = len(seeds)
            gains = np.array(
                list(
                    pool.map(
                        block,
                        [spec] * n,
                        [args.ceiling or spec] * n,
                        [args.names] * n,
                        [args.rules] * n,
                        seeds,
                    )
                )
            )
            error = 1.96 * gains.std(ddof=1) / math.sqrt(n)
            print(
                f"{spec}: open hands {gains.mean():+.2f} +- {error:.2f} points a deal, {n} blocks", flush=True
            )


if __name__ == "__main__":
    main()
