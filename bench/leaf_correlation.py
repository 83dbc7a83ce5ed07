"""How much a playout tells: its result against how the deal really ended, by trick.

    python bench/leaf_correlation.py --game apples --deals 300 --nodes 1000

Deals are played by the search. Where a trick begins, the rest is played out from the true hands in two ways, by random
cards and by the simple player's policy, and the side that is to lead is looked at: its points less the mean of the
others'. Printed is Pearson's correlation, over the deals, of one playout with the real end; it is noisy by
1 / sqrt(deals).
"""

import argparse
from collections import defaultdict
from statistics import fmean
from typing import Any

import numpy as np
from trickbot.ai.bots import make_bot
from trickbot.engine.cards import GAMES, side_of
from trickbot.engine.deal import kernel_of
from trickbot.engine.notation import PILE, PLAY
from trickbot.engine.rules import Rules


def margin(scores: Any, side: int) -> float:
    """A side's points less the mean of the others'."""
    return float(scores[side]) - fmean(each for other, each in enumerate(scores) if other != side)


def result(deal: Any) -> Any:
    """Points of a finished deal by side."""
    return deal.scores if deal.game == "apples" else deal.points


def by_policy(deal: Any) -> Any:
    """Result when each seat goes on as the simple player."""
    deal = deal.copy()
    while deal.to_move >= 0:
        deal.apply(kernel_of(deal.game).choose(deal, "rules", 1))
    return result(deal)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=list(GAMES), default="apples")
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--nodes", type=int, default=1000, help="iterations for each decision")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    kernel = kernel_of(args.game)
    rules = Rules.parse(args.game, "" if args.game == "apples" else "hsl,target=0").kernel()
    bot = make_bot(f"ismcts:nodes={args.nodes}", args.game)
    rows = defaultdict(list)  # by tricks played: (random, policy, real)
    for number in range(args.deals):
        seed = args.seed * 1_000_003 + number
        rng = np.random.default_rng(seed)
        deal = kernel.random_deal(rules, number % 4, seed)
        seen = []
        while deal.to_move >= 0 or deal.phase == PILE:
            if deal.phase == PILE:
                cards = rng.permutation(
                    [card for give in deal.gives for card in range(64) if give >> card & 1]
                )
                deal.pile([sum(1 << int(card) for card in part) for part in np.split(cards, 4)])
                continue
            if deal.phase == PLAY and not deal.trick:
                side = side_of(args.game, deal.to_move)
                by_chance = kernel.playouts(deal, 1, seed)[0]
                seen.append((side, margin(by_chance, side), margin(by_policy(deal), side)))
            seed += 1
            for move in bot.choose(deal, seed=seed).decision:
                deal.apply(move)
        for tricks, (side, random, policy) in enumerate(seen):
            rows[tricks].append((random, policy, margin(result(deal), side)))
    print("tricks played   deals   random   policy")
    for tricks, found in rows.items():
        table = np.corrcoef(np.array(found).T)
        print(f"{tricks:13}{len(found):8}{table[0, 2]:9.2f}{table[1, 2]:9.2f}", flush=True)


if __name__ == "__main__":
    main()
