"""The players of other projects play whole deals through the protocol, where they are installed."""

import sys
from pathlib import Path

import pytest
from trickbot.ai.arena.setup import Setup, make_pairings, make_players
from trickbot.ai.arena.tournament import Tournament

PEERS = Path(__file__).parent.parent / "bench" / "peers"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "program", "game", "blocks"),
    [
        ("jass.agents", "jass_kit.py", "jass", 30),
        ("pyschieber", "pyschieber_player.py random", "jass", 5),
        ("pyschieber", "pyschieber_player.py greedy", "jass", 5),
        ("pyschieber", "pyschieber_player.py challenge", "jass", 5),
        ("pyspiel", "openspiel_ismcts.py", "jass", 1),
    ],
)
def test_a_peer_plays_without_a_fault(module, program, game, blocks):
    pytest.importorskip(module)
    players = make_players(["rules", f"peer=cmd,nodes=30:{sys.executable} {PEERS}/{program}"])
    rules = "hsl" if game == "jass" else ""
    setup = Setup(game, rules, players, make_pairings(2, "round-robin"), teams=game == "jass", blocks=blocks)
    event = Tournament(setup)
    assert event.run() == "complete"
    assert not event.standings.players[1].losses
    assert event.standings.pairs[0, 1].margin.n == blocks
