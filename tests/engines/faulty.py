"""An engine with one fault: `faulty.py FAULT [N]`, which shows at its Nth `go` (default the third).

Otherwise it is the real engine with the bot `rules`. Faults:
  none, silent, late-start, slow, illegal, foreign, nonsense, empty, crash, garbage, noise, twice, flood,
  deaf, stubborn, hangup, endless, no-ids
"""

import os
import sys
import time

from trickbot.ai.options import Options
from trickbot.ai.protocol import Engine
from trickbot.engine.cards import cards_in
from trickbot.engine.notation import notation

fault = sys.argv[1]
when = int(sys.argv[2]) if len(sys.argv) > 2 else 3
n_go = 0


def say(line: str, droppable: bool = False) -> None:
    # One write for all: two threads speak, and print would let them mix their lines.
    sys.stdout.write("".join(f"{each}\n" for each in changed(line)))
    sys.stdout.flush()


def changed(line: str) -> list[str]:
    """What becomes of a line of the real engine."""
    head, bestmove, move = line.partition("bestmove ")
    if not bestmove or n_go < when:
        return [line]
    if fault == "slow":
        time.sleep(0.7)
    elif fault == "illegal":
        move = other_card(held=True)
    elif fault == "foreign":
        move = other_card(held=False)
    elif fault == "nonsense":
        move = "xyzzy"
    elif fault == "empty":
        move = ""
    elif fault == "garbage":
        return ["\x00\xff what? " * 50]
    elif fault == "noise":
        return ["thinking...", line, "done!"]
    elif fault == "twice":
        return [line, line]
    elif fault == "endless":
        sys.stdout.write("x" * (1 << 21))
        return []
    return [f"{head}bestmove {move}"]


def other_card(held: bool) -> str:
    """A card that may not be played now: one of the own hand where there is one, or one of another hand."""
    deal = engine.position.deal
    hand = deal.hand(deal.to_move)
    every = [16 * suit + rank for suit in range(4) for rank in range(9)]
    own = [card for card in cards_in(hand) if deal.why_illegal(card)]
    others = [card for card in every if not hand >> card & 1]
    names = notation("jass")
    return names.card_text((own if held and own else others)[0])


engine = Engine(say, Options({"Bot": "rules"}))
if fault == "late-start":
    time.sleep(1.0)
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["id"]:
        if fault == "no-ids":
            print("error unknown-command 'id': no such command", flush=True)
            continue
        words = words[2:]
    if fault == "silent":
        continue
    if words[:1] == ["go"]:
        n_go += 1
        if n_go >= when:
            if fault == "crash":
                sys.exit("Segmentation fault (not really)")
            if fault == "hangup":
                os.close(1)
                time.sleep(60)
            if fault == "flood":
                for _ in range(200):
                    sys.stderr.write("help! " * 1000 + "\n")
            if fault == "deaf":
                continue
    if words[:1] == ["quit"] and fault in ("deaf", "stubborn"):
        continue
    if not engine.handle(line):
        break
while fault in ("deaf", "stubborn"):
    time.sleep(1)
