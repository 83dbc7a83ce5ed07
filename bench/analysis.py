"""How often the errors of an analysis cover the truth, on endings of three tricks solved exactly in all worlds.

    python bench/analysis.py [endings]

For each number of worlds: how many decisions, and the share whose loss lies within one and within two of the
errors given; then what the best moves seem to have lost, which should be 0.
"""

import sys
from random import Random
from statistics import mean, stdev

from trickbot.ai.analysis.dealing import Wanted, deals
from trickbot.ai.analysis.values import Effort, OpenHands, compare
from trickbot.ai.options import Options
from trickbot.engine.cards import cards_in
from trickbot.engine.rules import Rules

TRICKS = 3
ALL = 3000  # more worlds than such an ending has


def main(n: int) -> None:
    rng = Random(1)
    exact = OpenHands(Options(beliefs=0), Effort(9, 10**9, 100))
    off: dict[int, list[tuple[float, float]]] = {20: [], 50: [], 100: []}
    lost: dict[int, list[float]] = {20: [], 50: [], 100: []}
    for position in deals(Wanted(Rules.parse("jass"), tricks_left=TRICKS), 11, n, chooser="random"):
        for _ in range(rng.randrange(4)):
            position.play(rng.choice(list(cards_in(position.deal.legal()))))
        moves = [(move,) for move in cards_in(position.deal.legal())]
        every = compare(position.deal, moves, exact, n_worlds=ALL, seed=1)
        for n_worlds, pairs in off.items():
            if len(moves) < 2 or every.worlds.n <= 1.2 * n_worlds:
                continue
            drawn = compare(position.deal, moves, exact, n_worlds=n_worlds, seed=rng.randrange(1, 1 << 40))
            for move in range(len(moves)):
                found, truth = drawn.lost_to_best(move), every.lost_to_best(move).mean
                pairs.append((abs(found.mean - truth), found.error))
            lost[n_worlds].append(drawn.lost_to_best(every.best()).mean)
    for n_worlds, pairs in off.items():
        within = [mean(far <= times * error + 1e-9 for far, error in pairs) for times in (1, 2)]
        best = lost[n_worlds]
        print(
            f"{n_worlds:4} worlds: {len(pairs)} moves, "
            f"within one error {within[0]:.3f}, within two {within[1]:.3f}; "
            f"best moves lost {mean(best):.2f} +-{stdev(best) / len(best) ** 0.5:.2f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
