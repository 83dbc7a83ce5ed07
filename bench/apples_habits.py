"""What four equal bots do at the table of Apples: bids, targets, scores.

    python bench/apples_habits.py ismcts:nodes=4000 --rounds 400 --jobs 2

Rounds that all pass are counted and dealt anew. Scores are points of a round; errors are one standard error over rounds.
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from trickbot.ai.bots import make_bot
from trickbot.engine.cards import APPLES
from trickbot.engine.deal import kernel_of
from trickbot.engine.notation import PILE
from trickbot.engine.rules import Rules


class Round(NamedTuple):
    """A round as it ended: scores and target cards from the bidder's seat on; no bid where all passed."""

    bid: tuple[int, int] | None
    scores: tuple[int, ...]
    targets: tuple[int, ...]
    held: tuple[int, ...]  # cards of the target's rank in the seat's pile, the target among them


def play(spec: str, seed: int) -> Round:
    """One round of four bots of that spec."""
    kernel = kernel_of("apples")
    bot = make_bot(spec, "apples")
    deal: Any = kernel.random_deal(Rules.parse("apples").kernel(), seed % 4, seed)
    rng = np.random.default_rng(seed)
    decision = 1000 * seed
    while deal.to_move >= 0 or deal.phase == PILE:
        if deal.phase == PILE:
            cards = rng.permutation([card for give in deal.gives for card in range(64) if give >> card & 1])
            deal.pile([sum(1 << int(card) for card in part) for part in np.split(cards, 4)])
            continue
        decision += 1
        for move in bot.choose(deal, seed=decision).decision:
            deal.apply(move)
    if deal.bid is None:
        return Round(None, (), (), ())
    seats = [(deal.bidder + i) % 4 for i in range(4)]
    ranks = sum(1 << 16 * suit for suit in range(4))
    held = [(deal.piles[seat] >> (deal.targets[seat] & 15) & ranks).bit_count() + 1 for seat in seats]
    return Round(
        deal.bid,
        tuple(deal.scores[seat] for seat in seats),
        tuple(deal.targets[seat] for seat in seats),
        tuple(held),
    )


def share(counts: Counter[Any], order: Any, name: Any) -> str:
    total = sum(counts.values())
    return "  ".join(f"{name(each)} {100 * counts[each] / total:.1f}" for each in order if counts[each])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("spec")
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    seeds = range(args.seed * 1_000_003, args.seed * 1_000_003 + args.rounds)
    with ProcessPoolExecutor(args.jobs) as pool:
        rounds = list(pool.map(play, repeat(args.spec), seeds, chunksize=4))
    played = [each for each in rounds if each.bid]
    scores = np.array([each.scores for each in played], dtype=float)
    error = scores.std(axis=0, ddof=1) / len(played) ** 0.5
    print(f"{len(played)} rounds played, {len(rounds) - len(played)} passed by all")
    print(f"mean score {scores.mean():.1f} (sd {scores.std():.1f}); from the bidder's seat on: "
          + ", ".join(f"{mean:.1f} +- {e:.1f}" for mean, e in zip(scores.mean(axis=0), error, strict=True)))  # fmt: skip
    by_level = Counter(each.bid[0] for each in played if each.bid)
    print("bid, %: ", share(by_level, range(1, 14), str))
    suits = Counter(each.bid[1] for each in played if each.bid)
    print("trumps, %: ", share(suits, range(4), lambda suit: APPLES.suits[suit]))
    for level in sorted(by_level):
        own = [each.scores[0] for each in played if each.bid and each.bid[0] == level]
        print(f"  bid of {level}: {len(own)} rounds, the bidder's mean score {np.mean(own):.1f}")
    targets = Counter(target & 15 for each in played for target in each.targets)
    print("target, %: ", share(targets, range(13), lambda rank: APPLES.ranks[rank]))
    reached = Counter(held for each in played for held in each.held)
    print("cards of the target's rank at the end, %: ", share(reached, range(1, 5), str))
    trump = np.mean([each.bid[1] == target >> 4 for each in played if each.bid for target in each.targets])
    print(f"targets that are trumps: {100 * trump:.1f} %")


if __name__ == "__main__":
    main()
