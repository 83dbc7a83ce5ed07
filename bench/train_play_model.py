"""Trains the play model of Jass (ext/jass_model.pxd) on self-play and writes its tables.

    python bench/train_play_model.py --deals 12000 --nodes 4000 --seed 3 --out ai/data/jass_model.f32

Every unforced card of the self-play is a row: the cells of all legal cards, which one was chosen, and what the search
thought each of them worth. The log-linear model is fitted by Adam on the likelihood of the choices, each softened to half
by the values, as the search might as well have chosen what it held nearly as good, with a small pull towards zero; every
tenth deal is held out. The file holds the exponentials of the weights, float32, in the order of the kernel's cells.
"""

import argparse
import json
import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from trickbot.ai.bots import make_bot
from trickbot.engine.cards import cards_in
from trickbot.engine.rules import Rules
from trickbot.ext.jass import MODEL_CELLS, card_cells, choose, random_deal

PRESETS = ("hsl", "cardavia,target=0")
ANY_CONTRACT = 0.2  # share of contracts at random, so that all are seen
RULES_CONTRACT = 0.1  # by `rules`
ANY_CARD = 0.05  # share of cards at random, so that odd positions are seen
CLOSE = 0.006  # of utility, in which the search may as well choose another card
SOFT = 0.5  # how much of the likelihood goes by the values
CHUNK = 50  # deals of a task


def self_play(seed: int, n_deals: int, nodes: int) -> list[str]:
    """Deals as JSON lines: preset, forehand, seed of the deal, contract moves, and of each card [played, chosen,
    [move, visits, value] of all legal moves or null]."""
    rng = random.Random(seed)
    bot = make_bot(f"ismcts:nodes={nodes}", "jass")
    lines = []
    for number in range(n_deals):
        deal_seed = rng.getrandbits(60)
        deal = _deal(number % len(PRESETS), number % 4, deal_seed)
        contract = []
        while deal.contract < 0:
            at = rng.random()
            if at < ANY_CONTRACT:
                move = 9 + rng.randrange(6)
            elif at < ANY_CONTRACT + RULES_CONTRACT:
                move = choose(deal, "rules", 1)
            else:
                move = bot.choose(deal, seed=rng.getrandbits(60) + 1).best
            contract.append(move)
            deal.apply(move)
        cards = []
        while deal.to_move >= 0:
            legal = sorted(cards_in(deal.legal()))
            if len(legal) == 1:
                played = legal[0]
                cards.append([played, 0, None])
            else:
                report = bot.choose(deal, seed=rng.getrandbits(60) + 1)
                played = rng.choice(legal) if rng.random() < ANY_CARD else report.best
                values = [[move.move, move.visits, round(move.value, 5)] for move in report.moves]
                cards.append([played, report.best, values])
            deal.apply(played)
        lines.append(json.dumps([number % len(PRESETS), number % 4, deal_seed, contract, cards]))
    return lines


def _deal(preset: int, first: int, seed: int):
    return random_deal(Rules.parse("jass", PRESETS[preset]).kernel(), first, seed)


@dataclass
class Sample:
    """Decisions: of all their legal cards the cells (n, tables) and the wanted probability, where each decision starts,
    and the row of the chosen card."""

    rows: np.ndarray
    wanted: np.ndarray
    starts: np.ndarray
    chosen: np.ndarray


def sample(lines: list[str]) -> Sample:
    """The unforced cards of the deals."""
    rows, wanted, starts, chosen = [], [], [0], []
    for line in lines:
        preset, first, seed, contract, cards = json.loads(line)
        deal = _deal(preset, first, seed)
        for move in contract:
            deal.apply(move)
        for played, best, values in cards:
            if values is not None:
                legal = sorted(cards_in(deal.legal()))
                worth = {move: value for move, _, value in values}
                worths = np.array([worth[card] for card in legal])
                soft = np.exp((worths - worths.max()) / CLOSE)
                soft *= SOFT / soft.sum()
                soft[legal.index(best)] += 1.0 - SOFT
                rows.append(card_cells(deal))
                wanted.append(soft)
                chosen.append(starts[-1] + legal.index(best))
                starts.append(starts[-1] + len(legal))
            deal.apply(played)
    return Sample(np.concatenate(rows), np.concatenate(wanted), np.array(starts), np.array(chosen))


def likelihoods(weights: np.ndarray, of: Sample) -> tuple[np.ndarray, float]:
    """Probability of every card in its decision, and the mean log likelihood of the chosen ones."""
    sizes = np.diff(of.starts)
    logits = weights[of.rows].sum(1)
    logits -= np.repeat(np.maximum.reduceat(logits, of.starts[:-1]), sizes)
    odds = np.exp(logits)
    shares = odds / np.repeat(np.add.reduceat(odds, of.starts[:-1]), sizes)
    return shares, float(np.log(shares[of.chosen]).mean())


def fit(train: Sample, test: Sample, steps: int, pull: float) -> np.ndarray:
    """The weights (logs), by Adam over the whole sample."""
    weights, first, second = np.zeros(MODEL_CELLS), np.zeros(MODEL_CELLS), np.zeros(MODEL_CELLS)
    n = len(train.chosen)
    for step in range(1, steps + 1):
        shares, score = likelihoods(weights, train)
        gradient = np.zeros(MODEL_CELLS)
        for column in train.rows.T:
            gradient += np.bincount(column, train.wanted - shares, minlength=MODEL_CELLS)
        gradient = (gradient - pull * weights) / n
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = 0.1 * (1.0 - step / (steps + 1))
        weights += rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        if step % 50 == 0 or step == steps:
            shares, other = likelihoods(weights, test)
            best = np.maximum.reduceat(shares, test.starts[:-1])
            print(
                f"step {step}: log likelihood {score:.4f}, held out {other:.4f}; "
                f"first choice right {np.mean(shares[test.chosen] >= best):.3f}",
                flush=True,
            )
    weights[np.bincount(train.rows.ravel(), minlength=MODEL_CELLS) == 0] = 0.0
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=4000)
    parser.add_argument("--nodes", type=int, default=4000, help="iterations for each card of the self-play")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--pull", type=float, default=1.0, help="of the weights towards zero")
    parser.add_argument("--games", type=Path, help="keep the self-play here, and use it if it is there")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if args.games and args.games.exists():
        lines = args.games.read_text().splitlines()
    else:
        n = -(-args.deals // CHUNK)
        seeds = [args.seed * 100_003 + part for part in range(n)]
        with ProcessPoolExecutor(args.jobs) as pool:
            lines = [
                line for part in pool.map(self_play, seeds, [CHUNK] * n, [args.nodes] * n) for line in part
            ]
        if args.games:
            args.games.write_text("\n".join(lines) + "\n")
    train = sample([line for number, line in enumerate(lines) if number % 10 != 9])
    test = sample(lines[9::10])
    print(f"{len(train.chosen)} decisions, {len(test.chosen)} held out", flush=True)
    weights = fit(train, test, args.steps, args.pull)
    np.exp(weights).astype("<f4").tofile(args.out)


if __name__ == "__main__":
    main()
