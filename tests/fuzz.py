"""Random deals of every house, the referee and the kernel side by side."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from kernel import PHASES, ApplesKernel, JassKernel
from reference import apples, jass
from reference.apples import ApplesReferee
from reference.jass import JassReferee


@dataclass(frozen=True)
class House:
    """A game and the rules of a house; `odd`: every value of the rules object is drawn for each deal."""

    game: str
    rules: str
    odd: bool = False

    def __str__(self) -> str:
        return f"{self.game}-{'odd' if self.odd else self.rules}"

    @property
    def pack(self) -> list[str]:
        return jass.PACK if self.game == "jass" else apples.PACK

    def start(self, rng: random.Random) -> tuple[Any, Any, list[str]]:
        """The same deal for both, and its first moves: random or clumpy hands, match totals anywhere or near
        the target; in Jass now and then so that a Stöck would win the match at the end of those moves."""
        hands = (
            clumpy_hands(self.pack, rng) if rng.random() < 0.5 else cut(rng.sample(self.pack, len(self.pack)))
        )
        first = rng.randrange(4)
        fields = self.fields(rng)
        if self.game == "apples":
            match = totals(fields.get("target", 250), 120, 4, rng)
            return (
                ApplesReferee(hands, first, match, **fields),
                ApplesKernel(hands, first, match, **fields),
                [],
            )
        target = fields.get("target", jass.PRESETS[self.rules]["target"])
        match = totals(target or 3000, 600, 2, rng)
        script = []
        if target and rng.random() < 0.4:
            trial = JassReferee(hands, first, (0, 0), self.rules, **fields | {"target": 0})
            n_tricks = rng.randint(1, 8)
            while len(trial.tricks) < n_tricks:
                trial.play(random_token(trial, rng))
            script = trial.moves
            if trial.multiplier and trial.rules["stoeck"]:
                close = [rng.randint(1, trial.rules["stoeck"] * trial.multiplier) for _ in range(2)]
                match = tuple(max(0, target - trial.deal[side] - close[side]) for side in range(2))
        return (
            JassReferee(hands, first, match, self.rules, **fields),
            JassKernel(hands, first, match, self.rules, **fields),
            script,
        )

    def fields(self, rng: random.Random) -> dict[str, Any]:
        if not self.odd:
            return {}
        if self.game == "apples":
            return {"target": rng.choice([50, 250, 500])}
        return {
            "target": rng.choice([0, 400, 1000, 2500, 3000]),
            "multipliers": {contract: rng.randint(1, 6) for contract in jass.CONTRACTS},
            "run_points": {length: rng.choice([0, 20, 50, 70, 100, 110, 200]) for length in range(3, 10)},
            "quartet_points": {rank: rng.choice([0, 20, 100, 150, 200]) for rank in jass.PLAIN},
            "undenufe_ace": rng.choice([0, 11]),
            "undenufe_six": rng.choice([0, 11]),
            "shared_cards": rng.random() < 0.5,
            "weis": rng.random() < 0.9,
            "stoeck": rng.choice([0, 20, 50]),
            "match_bonus": rng.choice([0, 100, 257]),
            "last_trick": rng.choice([0, 5, 10]),
        }


HOUSES = [
    House("jass", "cardavia"),
    House("jass", "swisslos"),
    House("jass", "hsl"),
    House("jass", "cardavia", odd=True),
    House("apples", "apples"),
    House("apples", "apples", odd=True),
]


def cut(pack: list[str]) -> list[list[str]]:
    size = len(pack) // 4
    return [pack[size * seat : size * (seat + 1)] for seat in range(4)]


def clumpy_hands(pack: list[str], rng: random.Random) -> list[list[str]]:
    """Hands with long runs, quartets and voids: a pack sorted by suit or rank, disturbed, cut in four."""
    by_rank = [card for rank in range(len(pack) // 4) for card in pack[rank :: len(pack) // 4]]
    made = list(rng.choice([pack, by_rank]))
    for _ in range(rng.randrange(30)):
        one, other = rng.randrange(len(pack)), rng.randrange(len(pack))
        made[one], made[other] = made[other], made[one]
    hands = cut(made)
    rng.shuffle(hands)
    return hands


def totals(target: int, near: int, n_sides: int, rng: random.Random) -> Any:
    reach = rng.choice([target, near])
    return tuple(target - rng.randint(1, min(reach, target)) for _ in range(n_sides))


# ---------------------------------------------------------------------------------- moves at random


def random_token(referee: Any, rng: random.Random) -> str:
    """A legal token for the seat to move, or the pile; mostly low bids."""
    legal = referee.legal()
    if referee.phase == "give":
        if referee.to_move is None:
            return str(referee.pile_token(rng.shuffle))
        return "give=" + ",".join(rng.sample(legal["from"], legal["give"]))
    if referee.phase == "auction":
        bids = [bid for bid in legal if bid != "pass"]
        if not bids or rng.random() < 0.6:
            return "pass"
        least = min(int(bid[:-1]) for bid in bids)
        return str(rng.choice([bid for bid in bids if rng.random() < 0.2 or int(bid[:-1]) == least]))
    return str(rng.choice(legal))


def play_both(referee: Any, kernel: Any, script: list[str], rng: random.Random) -> Iterator[str]:
    """Plays a deal to its end, the moves of the script first, yielding before each token; "" at the end."""
    for number in count():
        if referee.to_move is None and referee.phase != "give":
            break
        token = script[number] if number < len(script) else random_token(referee, rng)
        yield token
        referee.play(token)
        kernel.play(token)
    yield ""


# -------------------------------------------------------------------------------------- comparing


def assert_same_now(referee: Any, kernel: Any) -> None:
    """The quick part, for every node: whose turn, what is legal, points."""
    deal = kernel.deal
    assert PHASES[deal.phase] == referee.phase
    assert deal.to_move == (-1 if referee.to_move is None else referee.to_move)
    legal = referee.legal()
    if isinstance(legal, dict):
        assert deal.legal() == kernel.cards.mask(legal["from"])
    else:
        assert deal.legal() == sum(1 << kernel.move(token) for token in legal)
    assert legal or deal.to_move == -1
    assert list(deal.points) == referee.deal
    assert deal.winner == (-1 if referee.winner is None else referee.winner)


def assert_same_state(referee: Any, kernel: Any) -> None:
    wanted, got = referee.state(), kernel.state()
    if referee.phase == "over":
        del wanted["trick"], got["trick"]
    for state in (wanted, got):
        state["hands"] = [sorted(hand) for hand in state["hands"]]
        if isinstance(state["legal"], list):
            state["legal"] = sorted(state["legal"])
        elif isinstance(state["legal"], dict):
            state["legal"] = state["legal"] | {"from": sorted(state["legal"]["from"])}
        for each in state.get("weis", []):
            each["melds"] = each["melds"] and [sorted(meld) for meld in each["melds"]]
    assert got == wanted
