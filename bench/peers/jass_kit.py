"""Agents of jass-kit (pip install jass-kit) as engines of the protocol, for tournaments of Jass.

    trickbot tournament rules 'cmd:python bench/peers/jass_kit.py' --rules hsl

An argument names another agent than the random one, as module:class. Its rules are those of the preset `hsl`,
but that it lets a hand trump lower than the higher of two trumps in the trick: then it is asked again.
"""

import sys
from importlib import import_module

import numpy as np
from jass.game.const import PUSH, card_strings
from jass.game.game_observation import GameObservation
from serve import serve
from trickbot.engine.cards import cards_in
from trickbot.engine.notation import CONTRACT, CONTRACTS, notation
from trickbot.engine.position import Position

SUITS = (1, 3, 0, 2)  # roses, acorns, bells, shields among its diamonds, hearts, spades, clubs
TRUMPS = (*SUITS, 4, 5)  # by our contract
MOST_ASKED = 1000


def their_card(card: int) -> int:
    return 9 * SUITS[card >> 4] + 8 - (card & 15)


def their_seat(seat: int) -> int:
    """Its seats are numbered against the order of play."""
    return -seat % 4


def observation(position: Position) -> GameObservation:
    """The deal as its seat to move knows it."""
    deal, obs = position.deal, GameObservation()
    obs.player = obs.player_view = their_seat(deal.to_move)
    obs.dealer = their_seat(deal.first + 3)
    for card in cards_in(deal.hand(deal.to_move)):
        obs.hand[their_card(card)] = 1
    if deal.phase == CONTRACT:
        obs.forehand = 0 if deal.pushed else -1
        return obs
    obs.trump = TRUMPS[deal.contract]
    obs.forehand = int(not deal.pushed)
    obs.declared_trump = their_seat(deal.declarer)
    tricks = [*deal.tricks, (deal.trick_leader, deal.trick, None, 0)]
    for i, (leader, cards, winner, points) in enumerate(tricks):
        obs.tricks[i, : len(cards)] = [their_card(card) for card in cards]
        obs.trick_first_player[i] = their_seat(leader)
        if winner is not None:
            obs.trick_winner[i] = their_seat(winner)
            obs.trick_points[i] = points
            obs.points[their_seat(winner) % 2] += points
    obs.nr_tricks, obs.nr_cards_in_trick = len(deal.tricks), len(deal.trick)
    obs.nr_played_cards = 4 * obs.nr_tricks + obs.nr_cards_in_trick
    obs.current_trick = obs.tricks[obs.nr_tricks, :]
    return obs


def main() -> None:
    module, _, name = (*sys.argv[1:], "jass.agents.agent_random_schieber:AgentRandomSchieber")[0].partition(
        ":"
    )
    agent = getattr(import_module(module), name)()

    def choose(position: Position, values: dict[str, int]) -> str:
        deal = position.deal
        if hasattr(agent, "_rng"):
            agent._rng = np.random.default_rng([values["seed"], len(position.events)])
        obs = observation(position)
        if deal.phase == CONTRACT:
            trump = agent.action_trump(obs)
            return "push" if trump == PUSH else CONTRACTS[TRUMPS.index(trump)]
        legal = {their_card(card): card for card in cards_in(deal.legal())}
        for _ in range(MOST_ASKED):
            played = int(agent.action_play_card(obs))
            if played in legal:
                return notation("jass").card_text(legal[played])
        raise RuntimeError(f"{name} wants to play nothing but {card_strings[played]}, which is not allowed")

    serve(f"jass-kit {name}", choose)


if __name__ == "__main__":
    main()
