"""OpenSpiel's Python ISMCTS (pip install open_spiel) on our kernel, as an engine of the protocol.

    trickbot tournament ismcts:nodes=400 'cmd,nodes=400:python bench/peers/openspiel_ismcts.py --game jass'

The search is OpenSpiel's; rules, worlds and playouts are ours. Its states are the decisions of our kernel, its
nodes are told apart by what the seat to move knows.
"""

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from serve import serve
from trickbot.engine.cards import cards_in
from trickbot.engine.deal import kernel_of
from trickbot.engine.notation import GIVE, Event, notation
from trickbot.engine.position import Position

NODES = 400  # where `go` does not say
UCT_C = 1.0


class Game:
    """What the bot asks of a game."""

    def get_type(self) -> Any:
        return self

    dynamics = pyspiel.GameType.Dynamics.SEQUENTIAL
    information = pyspiel.GameType.Information.IMPERFECT_INFORMATION


class State:
    """A deal in the form that the bot takes. `moves`: since the root."""

    def __init__(self, deal: Any, moves: tuple[int, ...] = ()) -> None:
        self.deal = deal
        self.moves = moves

    def get_game(self) -> Game:
        return Game()

    def current_player(self) -> int:
        return int(self.deal.to_move)

    def legal_actions(self) -> list[int]:
        return list(cards_in(self.deal.legal()))

    def is_terminal(self) -> bool:
        return self.deal.to_move < 0

    def is_chance_node(self) -> bool:
        return False

    def information_state_string(self) -> str:
        return f"{self.deal.dealt(self.deal.to_move)} {self.moves}"

    def apply_action(self, action: int) -> None:
        self.deal.apply(action)
        self.moves = (*self.moves, action)

    def returns(self) -> list[float]:
        return utilities(np.asarray(self.deal.points, dtype=float))


def utilities(points: np.ndarray) -> list[float]:
    """By seat, about -1 to 1: the difference of the sides in Jass, the lead over the others' mean in Apples."""
    if len(points) == 2:
        lead = (points[0] - points[1]) / 314
        return [lead, -lead, lead, -lead]
    others = (points.sum() - points) / 3
    return list((points - others) / 150)


class Playouts:
    """The bot's evaluator: one random playout of the kernel."""

    def __init__(self, kernel: Any, seed: int) -> None:
        self.kernel = kernel
        self.rng = np.random.default_rng(seed)

    def prior(self, state: State) -> list[tuple[int, float]]:
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]

    def evaluate(self, state: State) -> list[float]:
        return utilities(self.kernel.playouts(state.deal, 1, int(self.rng.integers(2**62)))[0])


def search(deal: Any, nodes: int, seed: int) -> int:
    """The bot's move."""
    bot = ISMCTSBot(
        Game(),
        Playouts(kernel_of(deal.game), seed),
        UCT_C,
        nodes,
        random_state=np.random.RandomState(seed % 2**32),
    )
    seeds = np.random.default_rng(seed)
    bot.set_resampler(lambda state, _: State(state.deal.determinize(int(seeds.integers(2**62)))))
    return int(bot.step(State(deal)))


def choose(position: Position, values: dict[str, int]) -> str:
    deal, words = position.deal, notation(position.rules.game)
    given = 0
    while True:
        phase, seat = deal.phase, deal.to_move
        move = search(deal, values.get("nodes", NODES), values["seed"] + len(position.events))
        if phase != GIVE:
            return words.move_text(phase, move)
        given |= 1 << move
        deal.apply(move)
        if deal.to_move != seat:
            return words.event_text(Event("give", sets=(given,)))


if __name__ == "__main__":
    serve("OpenSpiel ISMCTS", choose)
