"""What a tournament costs beside the thinking of its players. Run it from anywhere: python bench/arena.py

Times are of the processor, so that they mean the same on a busy machine; the rate is what two free cores come to.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from trickbot.ai.arena.blocks import Item
from trickbot.ai.arena.setup import Setup, make_pairings, make_players
from trickbot.ai.arena.work import close_worker, play_items

ENGINE = f"{sys.executable} -c 'from trickbot.ai.cli import main; main()'"
TOURNAMENT = [sys.executable, "-c", "from trickbot.ai.arena.commands import tournament; tournament()"]


def tournament(*args: str) -> tuple[float, int]:
    """Seconds of all its processes, and the most memory (KiB) that one of them took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    script = (
        "import os, resource, subprocess, sys; r = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
    )
    script += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(r.returncode)"
    command = [sys.executable, "-c", script, *TOURNAMENT, *args, "--quiet"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(out)


def rate() -> None:
    """Deals a second of `random` players, and memory, at two lengths."""
    with tempfile.TemporaryDirectory() as folder:
        runs = {}
        for blocks in (500, 10_500):
            log = str(Path(folder, f"{blocks}.jsonl"))
            runs[blocks] = tournament(
                "random", "b=random", "--blocks", str(blocks), "--jobs", "2", "--log", log
            )
    (few_s, few_kib), (many_s, many_kib) = runs.values()
    each = (many_s - few_s) / 20_000
    print(f"random players: {1e6 * each:.0f} us a deal, {2 / each:.0f} deals a second on two cores")
    print(
        f"memory of the largest process: {few_kib >> 10} MiB at 1,000 deals, {many_kib >> 10} MiB at 21,000"
    )


def setup(*players: str) -> Setup:
    made = make_players(players)
    return Setup("jass", "", made, make_pairings(2, "round-robin"))


def beside_thinking() -> None:
    """Processor time of a worker beside its bots' thinking, at movetime=10."""
    event = setup("ismcts:movetime=10", "b=ismcts:movetime=10")
    shares = []
    play_items(event, [Item((0, 1), 0, 0)], 0.0)
    for block in range(10):
        begun = time.perf_counter()
        done, _, _ = play_items(event, [Item((0, 1), block, 0)], 0.0)
        took = time.perf_counter() - begun
        shares.append(took / sum(done[0].result["seconds"]) - 1)
    print(f"beside thinking at movetime=10: {100 * statistics.median(shares):.2f} %")
    close_worker()


def external() -> None:
    """Processor time of a worker for each move of an external engine, with all that a deal costs besides."""
    event = setup(f"a=cmd,bot=rules,nodes=1:{ENGINE}", f"b=cmd,bot=rules,nodes=1:{ENGINE}")
    costs, walls = [], []
    play_items(event, [Item((0, 1), 0, 0)], 0.0)
    for block in range(60):
        begun, begun_wall = time.thread_time(), time.perf_counter()
        done, _, _ = play_items(event, [Item((0, 1), block, 0)], 0.0)
        n_moves = sum(done[0].result["decisions"])
        costs.append((time.thread_time() - begun) / n_moves)
        walls.append((time.perf_counter() - begun_wall) / n_moves)
    middle = 1e6 * statistics.median(costs)
    print(f"external engine: {middle:.0f} us a move (best deal {1e6 * min(costs):.0f}); ", end="")
    print(f"by the clock, the engine's own work included: {1e6 * min(walls):.0f} us in the best deal")
    close_worker()


if __name__ == "__main__":
    print(json.dumps({"cores": os.cpu_count(), "load": os.getloadavg()[0]}))
    rate()
    beside_thinking()
    external()
