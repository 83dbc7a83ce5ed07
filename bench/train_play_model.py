"""Trains the play model of Jass (ext/jass_model.pxd) on self-play and writes its tables.

    python bench/train_play_model.py --deals 10000 --nodes 4000 --seed 77 --steps 300 --out ai/data/jass_model.f32

Every unforced card of the self-play is a row: the cells of all legal cards, and which one was chosen. The log-linear
model is fitted by Adam on the likelihood of the choices with a small pull towards zero; every tenth deal is held out.
The file holds the exponentials of the weights, float32, in the order of the kernel's cells.
"""

import argparse
import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from trickbot.ai.models import table
from trickbot.engine.rules import Rules
from trickbot.ext.jass import MODEL_CELLS, card_cells, choose, random_deal
from trickbot.ext.search import Search, root_moves

PRESETS = ("hsl", "cardavia,target=0")
ANY_CONTRACT = 0.25  # share of contracts at random, so that all are seen
ANY_CARD = 0.05  # share of cards at random, so that odd positions are seen


def self_play(seed: int, n_deals: int, nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The cells of all legal cards (n, tables), where each decision starts, the chosen card's place, its deal."""
    rows, starts, chosen, deals = [], [0], [], []
    rng = random.Random(seed)
    model, contracts = table("jass_model"), table("jass_contracts")
    for number in range(n_deals):
        rules = Rules.parse("jass", PRESETS[number % len(PRESETS)]).kernel()
        deal = random_deal(rules, number % 4, rng.getrandbits(60))
        while deal.contract < 0:
            by_chance = rng.random() < ANY_CONTRACT
            deal.apply(9 + rng.randrange(6) if by_chance else choose(deal, "rules", 1))
        while deal.to_move >= 0:
            legal = deal.legal()
            cards = [card for card in range(64) if legal >> card & 1]
            card = cards[0]
            if len(cards) > 1:
                scale = 157.0 * deal.multiplier
                search = Search(
                    deal,
                    seed=rng.getrandbits(60) + 1,
                    scale=scale,
                    exploration=0.7,
                    model=model,
                    contracts=contracts,
                    model_others=True,
                    playout_tricks=3,
                )
                search.weigh(nodes // 8)
                search.run(nodes=nodes)
                card = root_moves([search])[0].move
                rows.append(card_cells(deal))
                starts.append(starts[-1] + len(cards))
                chosen.append(cards.index(card))
                deals.append(number)
                if rng.random() < ANY_CARD:
                    card = rng.choice(cards)
            deal.apply(card)
    return np.concatenate(rows), np.array(starts), np.array(chosen), np.array(deals)


def likelihoods(
    weights: np.ndarray, rows: np.ndarray, starts: np.ndarray, places: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Probability of every card in its decision, and the mean log likelihood of the chosen ones."""
    logits = weights[rows].sum(1)
    logits -= np.repeat(np.maximum.reduceat(logits, starts[:-1]), np.diff(starts))
    odds = np.exp(logits)
    shares = odds / np.repeat(np.add.reduceat(odds, starts[:-1]), np.diff(starts))
    return shares, np.log(shares[places]).mean()


def subset(
    rows: np.ndarray, starts: np.ndarray, chosen: np.ndarray, take: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The decisions to take: rows, starts, places of the chosen cards."""
    sizes = np.diff(starts)
    kept = rows[np.repeat(take, sizes)]
    new_starts = np.concatenate([[0], np.cumsum(sizes[take])])
    return kept, new_starts, new_starts[:-1] + chosen[take]


def fit(
    rows: np.ndarray, starts: np.ndarray, chosen: np.ndarray, deals: np.ndarray, steps: int, pull: float
) -> np.ndarray:
    """The weights (logs), by Adam over the whole sample."""
    held_out = deals % 10 == 9
    train = subset(rows, starts, chosen, ~held_out)
    test = subset(rows, starts, chosen, held_out)
    weights = np.zeros(MODEL_CELLS)
    first, second = np.zeros(MODEL_CELLS), np.zeros(MODEL_CELLS)
    n = len(train[1]) - 1
    seen = np.bincount(train[0].ravel(), minlength=MODEL_CELLS)
    for step in range(1, steps + 1):
        shares, score = likelihoods(weights, *train)
        error = -shares
        error[train[2]] += 1.0
        gradient = np.zeros(MODEL_CELLS)
        for column in range(rows.shape[1]):
            gradient += np.bincount(train[0][:, column], error, minlength=MODEL_CELLS)
        gradient = (gradient - pull * weights) / n
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = 0.1 * (1.0 - step / (steps + 1))
        weights += rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        if step % 50 == 0 or step == steps:
            shares, other = likelihoods(weights, *test)
            best = np.maximum.reduceat(shares, test[1][:-1])
            print(
                f"step {step}: log likelihood {score:.4f}, held out {other:.4f}; "
                f"first choice right {np.mean(shares[test[2]] >= best):.3f}",
                flush=True,
            )
    weights[seen == 0] = 0.0
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=4000)
    parser.add_argument("--nodes", type=int, default=2000, help="iterations for each card of the self-play")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--pull", type=float, default=1.0, help="of the weights towards zero")
    parser.add_argument("--data", type=Path, help="keep the self-play here, and use it if it is there")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if args.data and args.data.exists():
        with np.load(args.data) as kept:
            rows, starts, chosen, deals = (kept[key] for key in ("rows", "starts", "chosen", "deals"))
    else:
        chunk = 100
        seeds = [args.seed * 100_003 + part for part in range(-(-args.deals // chunk))]
        with ProcessPoolExecutor(args.jobs) as pool:
            parts = list(pool.map(self_play, seeds, [chunk] * len(seeds), [args.nodes] * len(seeds)))
        rows = np.concatenate([part[0] for part in parts])
        sizes = np.concatenate([np.diff(part[1]) for part in parts])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        chosen = np.concatenate([part[2] for part in parts])
        deals = np.concatenate([part[3] + chunk * number for number, part in enumerate(parts)])
        if args.data:
            np.savez_compressed(args.data, rows=rows, starts=starts, chosen=chosen, deals=deals)
    print(f"{len(chosen)} decisions", flush=True)
    weights = fit(rows, starts, chosen, deals, args.steps, args.pull)
    np.exp(weights).astype("<f4").tofile(args.out)


if __name__ == "__main__":
    main()
