"""A landscape with a known top, and a study of it as a program of its own, to be killed."""

import math
import sys
import time
from dataclasses import dataclass
from random import Random

from trickbot.ai.tuning.space import Space
from trickbot.ai.tuning.store import Store
from trickbot.ai.tuning.study import Study

SPACE = ["exploration=0.05:20:log", "iterations=1:64"]


@dataclass(frozen=True)
class Hill:
    """10 at exploration 0.8, iterations 4; pimc is 3 below. Deals differ by 5, and the noise of each is `noise`."""

    noise: float = 10.0
    at_once: int = 1000  # blocks of a call
    delay: float = 0.0
    unplayable: float = math.inf  # exploration from which bots crash

    def height(self, point):
        far = math.log10(point["exploration"] / 0.8) ** 2
        return (
            10 - 20 * far - (math.log2(point["iterations"] / 4) / 1.1) ** 2 - 3 * (point.get("bot") == "pimc")
        )

    def value(self, point, other, block):
        random = Random(f"{block} {point} {other}")
        level = Random(block).gauss(0, 5) if other is None else -self.height(other)
        return self.height(point) + level + random.gauss(0, self.noise)

    def play(self, point, other, blocks, seconds):
        time.sleep(self.delay)
        if point["exploration"] >= self.unplayable:
            raise RuntimeError("it crashed")
        return [(block, self.value(point, other, block)) for block in blocks[: self.at_once]]


def open_study(path, method, n_blocks, **more):
    store = Store(path, Space.parse(SPACE), {"seed": 1, "method": method})
    return Study(store, Hill(**more), n_blocks, method=method, prune=False)


if __name__ == "__main__":
    study = open_study(sys.argv[1], sys.argv[2], 6, at_once=1, delay=0.01)
    print("begun", flush=True)
    study.run(10**6)
