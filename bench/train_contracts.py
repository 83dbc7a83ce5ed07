"""Fits what each contract is worth to a hand, and writes the tables of the contract choice (ext/jass_policy.pxd).

    python bench/train_contracts.py --deals 120000 --playouts 8 --seed 22 --out ai/data/jass_contracts.f32

Every deal is played out in all six contracts by the play model, each seat by its own hand. The difference of the sides'
card points, and of all nine tricks taken, are fitted by least squares (with a small pull) to the suits of one hand: a
table entry for the 512 holdings of a suit, as trumps, beside trumps, in obenabe and in undenufe; for the forehand's
hand and for the partner's. Half of the deals are held out; errors are clustered by deal.
"""

import argparse
from pathlib import Path

import numpy as np
from trickbot.ext.jass import JassDeal, JassRules, choose, playouts, random_deal

CONTRACTS = 6
HOLDINGS = 512
KINDS = ("trump", "plain", "obenabe", "undenufe")
CARDS_ONLY = JassRules(target=0, multipliers=(1,) * 6, weis=False, stoeck=0, match_bonus=0)


def simulate(n_deals: int, n_playouts: int, seed: int, model: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hands (n, 4) as masks, and (n, 6, 2): mean difference of card points and of matches for seats 0 and 2."""
    hands = np.empty((n_deals, 4), dtype=np.uint64)
    values = np.empty((n_deals, CONTRACTS, 2))
    for number in range(n_deals):
        deal = random_deal(CARDS_ONLY, 0, seed * 1_000_003 + number)
        hands[number] = [deal.hand(seat) for seat in range(4)]
        for contract in range(CONTRACTS):
            named = deal.copy()
            named.apply(9 + contract)
            points = playouts(named, n_playouts, seed + number, model)
            gap = points[:, 0] - points[:, 1]
            values[number, contract] = gap.mean(), (gap == 157).mean() - (gap == -157).mean()
    return hands, values


def holdings(hands: np.ndarray) -> np.ndarray:
    """(n, 4): each suit's cards as nine bits."""
    return np.stack([(hands >> np.uint64(16 * suit)) & np.uint64(511) for suit in range(4)], 1).astype(int)


def columns(suits: np.ndarray, contract: int) -> np.ndarray:
    """(n, 4): the table entry of each suit, in the one array (4, 512) of all kinds."""
    if contract >= 4:
        return suits + HOLDINGS * (contract - 2)
    kinds = np.full((1, 4), 1)
    kinds[0, contract] = 0
    return suits + HOLDINGS * kinds


def fit(suits: np.ndarray, values: np.ndarray, pull: float) -> np.ndarray:
    """Table (4, 512) that predicts values (n, 6) by adding up four entries."""
    size = len(KINDS) * HOLDINGS
    products = np.eye(size) * pull
    targets = np.zeros(size)
    for contract in range(CONTRACTS):
        cells = columns(suits, contract)
        for one in range(4):
            targets += np.bincount(cells[:, one], values[:, contract], minlength=size)
            for other in range(4):
                np.add.at(products, (cells[:, one], cells[:, other]), 1.0)
    return np.linalg.solve(products, targets).reshape(len(KINDS), HOLDINGS)


def predict(table: np.ndarray, suits: np.ndarray) -> np.ndarray:
    """(n, 6) by the table."""
    flat = table.ravel()
    return np.stack([flat[columns(suits, contract)].sum(1) for contract in range(CONTRACTS)], 1)


def worth_of(values: np.ndarray, multipliers: np.ndarray, bonus: float) -> np.ndarray:
    """(n, 6) match points' difference from (n, 6, 2)."""
    return (values[..., 0] + bonus * values[..., 1]) * multipliers


def choice_report(
    name: str, tables: np.ndarray, hands: np.ndarray, values: np.ndarray, rules: JassRules
) -> None:
    """What the fitted choice gains on deals it has not seen, against the counting of `rules`, and a deal's best."""
    multipliers = np.array(rules.multipliers)
    worth = worth_of(values, multipliers, rules.match_bonus)
    n = np.arange(len(hands))
    seen = [
        worth_of(
            np.stack([predict(tables[role, out], holdings(hands[:, seat])) for out in range(2)], -1),
            multipliers,
            rules.match_bonus,
        )
        for role, seat in enumerate((0, 2))
    ]
    partner = seen[1].argmax(1)
    fitted = None
    for threshold in np.arange(-20, 120, 5) * float(multipliers.mean()):
        push = seen[0].max(1) < threshold
        points = worth[n, np.where(push, partner, seen[0].argmax(1))]
        if fitted is None or points.mean() > fitted[1].mean():
            fitted = threshold, points, push
    threshold, points, push = fitted
    counted = []
    for row, cards in zip(n, hands, strict=True):
        deal = JassDeal(rules, 0, (0, 0), [int(each) for each in cards])
        while deal.contract < 0:
            deal.apply(choose(deal, "rules", 1))
        counted.append(worth[row, deal.contract])
    gain = points - np.array(counted)
    error = gain.std(ddof=1) / len(gain) ** 0.5
    named = np.bincount(np.where(push, partner, seen[0].argmax(1)), minlength=CONTRACTS) / len(n)
    print(f"{name}: push below {threshold:.0f} ({push.mean():.0%}), {points.mean():.1f} points a deal, "
          f"rules {np.mean(counted):.1f} (gain {gain.mean():.1f} +- {error:.1f}), "
          f"best in hindsight {worth.max(1).mean():.1f}; contracts {np.round(named, 3).tolist()}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=40_000)
    parser.add_argument("--playouts", type=int, default=8, help="for each contract of a deal")
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--pull", type=float, default=10.0, help="of the entries towards zero")
    parser.add_argument("--sharpness", type=float, default=2.0, help="power of the play model's weights")
    parser.add_argument("--model", type=Path, default=Path("ai/data/jass_model.f32"))
    parser.add_argument("--data", type=Path, help="keep the simulation here, and use it if it is there")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    model = (np.fromfile(args.model, "<f4").astype(np.float64) ** args.sharpness).astype(np.float32)
    if args.data and args.data.exists():
        with np.load(args.data) as kept:
            hands, values = kept["hands"], kept["values"]
    else:
        hands, values = simulate(args.deals, args.playouts, args.seed, model)
        if args.data:
            np.savez_compressed(args.data, hands=hands, values=values)
    half = len(hands) // 2
    tables = np.empty((2, 2, len(KINDS), HOLDINGS), dtype=np.float32)
    for role, seat in enumerate((0, 2)):
        suits = holdings(hands[:, seat])
        for out in range(2):
            tables[role, out] = fit(suits[:half], values[:half, :, out], args.pull)
            rest = values[half:, :, out] - predict(tables[role, out], suits[half:])
            spread = values[half:, :, out].var()
            print(f"{('forehand', 'partner')[role]}, {('card points', 'matches')[out]}: "
                  f"held-out R2 {1 - rest.var() / spread:.3f}, residual sd {rest.std():.2f}")  # fmt: skip
    choice_report("cardavia", tables, hands[half:], values[half:], JassRules(target=0))
    choice_report(
        "hsl", tables, hands[half:], values[half:], JassRules(target=0, multipliers=(1,) * 6, match_bonus=0)
    )
    tables.astype("<f4").tofile(args.out)


if __name__ == "__main__":
    main()
