"""What the analysis says a move is worth: the worlds, the values, and how far the errors can be trusted."""

import json
import random
import threading
import time
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from reference.minimax import Ending
from trickbot.ai.analysis.beliefs import beliefs_of
from trickbot.ai.analysis.dealing import Wanted, deals
from trickbot.ai.analysis.values import (
    DEAL,
    Comparison,
    Effort,
    OpenHands,
    Stop,
    Stopped,
    Value,
    Worlds,
    compare,
    draw_worlds,
    estimate,
    margin,
)
from trickbot.ai.options import Options
from trickbot.engine.cards import cards_in
from trickbot.engine.notation import CONTRACTS, notation
from trickbot.engine.position import Position
from trickbot.engine.rules import Rules

ALIKE = Options(beliefs=0)
EXACT = OpenHands(ALIKE, Effort(9, 10**9, 100))
NAMES = notation("jass")
GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "open_values.jsonl").read_text().splitlines()
]


def endings(n: int, tricks: int, seed: int = 7, rules: str = "cardavia") -> list[Position]:
    """Positions with so many tricks left and up to three cards on the table, after random play."""
    rng = random.Random(seed)
    found = []
    wanted = Wanted(Rules.parse("jass", rules), tricks_left=tricks)
    for position in deals(wanted, seed, n, chooser="random"):
        for _ in range(rng.randrange(4)):
            position.play(rng.choice(list(cards_in(position.deal.legal()))))
        found.append(position)
    return found


def choices(position: Position) -> list[tuple[int, ...]]:
    return [(move,) for move in cards_in(position.deal.legal())]


def test_margin() -> None:
    assert margin((100, 57), 0) == 43
    assert margin((10, 20, 30, 70), 3) == 50


def test_estimate_by_hand() -> None:
    found = estimate([2.0, 4.0, 9.0], [1, 2, 1])
    assert found.mean == 4.75
    assert found.error == pytest.approx(stdev([2, 4, 4, 9]) / sqrt(4))
    assert estimate([2.0, 4.0], [1, 1], complete=True).error == 0


def test_all_worlds_are_found_where_there_are_few() -> None:
    for position in endings(30, 2):
        view: Any = position.deal.view(position.deal.to_move)
        worlds = draw_worlds(position.deal, 200, 1, ALIKE)
        assert worlds.complete
        held = {tuple(world.hand(seat) for seat in range(4)) for world in worlds.deals}
        assert len(held) == len(worlds.deals)
        assert held == {tuple(map(int, row)) for row in view.sample(4000, 5)}


def test_drawn_worlds_are_as_many_as_asked() -> None:
    position = endings(1, 6)[0]
    worlds = draw_worlds(position.deal, 40, 3, ALIKE)
    assert not worlds.complete
    assert worlds.n == 40
    assert all(count > 0 for count in worlds.counts)


def test_few_weighted_worlds_are_drawn_more_often() -> None:
    for position in endings(20, 2, seed=9):
        worlds = draw_worlds(position.deal, 100, 1, Options())
        held = {tuple(world.hand(seat) for seat in range(4)) for world in worlds.deals}
        view: Any = position.deal.view(position.deal.to_move)
        assert held <= {tuple(map(int, row)) for row in view.sample(4000, 5)}
        assert worlds.complete == (len(held) == 1)
        assert worlds.n >= 100 or worlds.complete


def test_values_agree_with_minimax() -> None:
    for position in endings(60, 3, rules="hsl"):
        deal: Any = position.deal
        ending = Ending(CONTRACTS[deal.contract], match_bonus=0, ace=0, six=11)
        hands = [frozenset(NAMES.card_list(deal.hand(seat))) for seat in range(4)]
        done = list(deal.points)
        left = ending.score(
            hands, deal.trick_leader, [NAMES.card_text(card) for card in deal.trick], frozenset()
        )
        value = EXACT.best(deal, 1)
        assert value.exact
        assert value.points == (done[0] + left[0], done[1] + left[1])


def test_contract_with_open_hands_is_the_best_one() -> None:
    position = next(iter(deals(Wanted(Rules.parse("jass", "hsl")), 5, 1)))
    valuer = OpenHands(Options(), Effort(0, 0, 300))
    searched = valuer.moves(position.deal, 1)
    assert {move for move, _ in searched} == set(cards_in(position.deal.legal()))
    assert not any(value.exact for _, value in searched)


def test_stopped_work_ends() -> None:
    position = endings(1, 5)[0]
    stop = Stop()
    valuer = OpenHands(Options(), DEAL, stop)
    stop.stop()
    with pytest.raises(Stopped):
        compare(position.deal, choices(position), valuer, n_worlds=10, seed=1)


def test_end_of_the_match_is_searched() -> None:
    """Where the match ends on the way, points are not what is played for."""
    text = (
        "jass rules cardavia match 2990 2990 first 0 hands rA,rK,rO,rU,rB,r9,r8,r7,r6 "
        "aA,aK,aO,aU,aB,a9,a8,a7,a6 bA,bK,bO,bU,bB,b9,b8,b7,b6 sA,sK,sO,sU,sB,s9,s8,s7,s6 moves obenabe"
    )
    value = EXACT.best(Position.parse(text).deal, 1)
    assert not value.exact
    assert value.win == (1.0, 0.0)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.slow] if case["slow"] else [], id=str(at))
        for at, case in enumerate(GOLDEN)
    ],
)
def test_stored_deals_have_the_same_exact_value(case: dict[str, Any]) -> None:
    from trickbot.ext.solver import Solver

    deal = Position.parse(case["position"]).deal
    solution = Solver(64).solve(deal)
    assert list(solution.value or ()) == case["to_come"]
    for card in solution.pv:
        deal.apply(card)
    assert list(deal.points) == case["points"]


def of_margins(rows: list[list[float]], counts: list[int] | None = None) -> Comparison:
    """A comparison whose decisions have these margins, a row a world."""
    worlds = Worlds([None] * len(rows), counts or [1] * len(rows), False)
    return Comparison(0, worlds, [[Value((each, 0.0), True) for each in row] for row in rows])


def test_best_of_equals_is_the_one_asked_for() -> None:
    found = of_margins([[1.0, 3.0, 3.0], [3.0, 1.0, 1.0]])
    assert found.best(0) == 0
    assert found.best(2) == 2
    assert found.lost_to_best(0).mean == pytest.approx(-1.0)  # the first world against the best of the second


def test_a_world_in_all_is_unknown() -> None:
    found = of_margins([[1.0, 1.0], [3.0, 3.0], [5.0, 5.0], [7.0, 7.0]])
    assert found.lost(0, 1).mean == 0
    assert found.lost(0, 1).error == pytest.approx(stdev([1, 3, 5, 7]) / 4)
    assert found.lost(1, 1).error == 0


def test_counts_weigh() -> None:
    found = of_margins([[0.0, 10.0], [0.0, -4.0]], [1, 3])
    assert found.lost(0, 1).mean == pytest.approx(-0.5)
    assert found.best(1) == 0


def test_taking_the_best_does_not_flatter_it() -> None:
    """Among equal moves nothing is lost on average, although one of them always looks better."""
    rng = random.Random(3)
    fair, naive = [], []
    for _ in range(600):
        found = of_margins([[rng.gauss(0, 10) for _ in range(4)] for _ in range(20)])
        fair.append(found.lost_to_best(0).mean)
        naive.append(found.lost(0, found.best(0)).mean)
    assert abs(mean(fair)) < 4 * stdev(fair) / sqrt(len(fair))
    assert mean(naive) > 1.5


@pytest.fixture(scope="module")
def measured() -> list[tuple[Comparison, Comparison]]:
    """Decisions of endings, valued exactly in all their worlds and in 50 drawn ones."""
    pairs = []
    for at, position in enumerate(endings(320, 3)):
        deal: Any = position.deal
        moves = choices(position)
        if len(moves) > 1 and len(draw_worlds(deal, 100, 1, ALIKE).deals) > 60:
            every = compare(deal, moves, EXACT, n_worlds=3000, seed=1)
            assert every.worlds.complete
            pairs.append((every, compare(deal, moves, EXACT, n_worlds=50, seed=1000 + at)))
    assert len(pairs) > 80
    return pairs


def covered(deviations: list[tuple[float, float]], errors: float) -> float:
    return mean(abs(off) <= errors * error + 1e-9 for off, error in deviations)


def test_errors_of_differences_cover_the_truth(measured: list[tuple[Comparison, Comparison]]) -> None:
    """One standard error at least 68 times in 100, two about 95."""
    off = []
    for every, drawn in measured:
        best = every.best()
        for move in range(len(every.values[0])):
            if move != best:
                found = drawn.lost(move, best)
                off.append((found.mean - every.lost(move, best).mean, found.error))
    assert len(off) > 150
    assert 0.64 < covered(off, 1) < 0.88
    assert covered(off, 2) > 0.89


def test_errors_of_points_cover_the_truth(measured: list[tuple[Comparison, Comparison]]) -> None:
    off = [
        (found.mean - true.mean, found.error)
        for every, drawn in measured
        for true, found in zip(every.points(0), drawn.points(0), strict=True)
    ]
    assert 0.60 < covered(off, 1) < 0.80
    assert covered(off, 2) > 0.89


def test_errors_of_what_was_lost_cover_the_truth(measured: list[tuple[Comparison, Comparison]]) -> None:
    off = []
    for every, drawn in measured:
        for move in range(len(every.values[0])):
            found = drawn.lost_to_best(move)
            off.append((found.mean - every.lost_to_best(move).mean, found.error))
    assert 0.64 < covered(off, 1) < 0.88
    assert covered(off, 2) > 0.89


def test_best_moves_lose_nothing_on_average(measured: list[tuple[Comparison, Comparison]]) -> None:
    lost = [drawn.lost_to_best(every.best()).mean for every, drawn in measured]
    assert -1 < mean(lost) < 3 * stdev(lost) / sqrt(len(lost))


def test_beliefs_are_the_shares_of_worlds() -> None:
    for position in endings(12, 3):
        deal: Any = position.deal
        seat = deal.to_move
        beliefs = beliefs_of(deal, ALIKE, n_worlds=8_000)
        every = draw_worlds(deal, 3000, 1, ALIKE)
        assert every.complete
        assert [place.seat for place in beliefs.places] == [each for each in range(4) if each != seat]
        for place, chances in zip(beliefs.places, beliefs.chances, strict=True):
            for card, chance in chances.items():
                share = mean(world.hand(place.seat) >> card & 1 for world in every.deals)
                assert abs(chance - share) < 5 * beliefs.error
        for card in beliefs.cards:
            assert sum(chances[card] for chances in beliefs.chances) == pytest.approx(1)


def apples_endings(n: int, tricks: int) -> list[Position]:
    """Positions of Apples with so many tricks left, after random play."""
    return list(deals(Wanted(Rules.parse("apples"), tricks_left=tricks), 3, n, chooser="ismcts:nodes=16"))


def by_hand(deal: Any) -> list[float]:
    """What each player makes of the rest, when all are after their margin, and of equal outcomes take the one
    that leaves the next players least: the plainest way."""
    if deal.to_move < 0:
        return list(deal.points)
    seat, found = deal.to_move, []
    for move in cards_in(deal.legal()):
        after = deal.copy()
        after.apply(move)
        found.append(by_hand(after))
    return max(
        found,
        key=lambda points: (round(margin(points, seat), 6), *(-points[(seat + i) % 4] for i in (1, 2, 3))),
    )


def test_last_tricks_of_apples_are_solved() -> None:
    for position in apples_endings(6, 2):
        value = EXACT.best(position.deal, 1)
        assert value.exact
        assert list(value.points) == by_hand(position.deal)
        end: Any = position.deal.copy()
        for card in value.line:
            end.apply(card)
        assert tuple(end.points) == value.points
    assert EXACT.best(apples_endings(1, 4)[0].deal, 1).exact
    assert not EXACT.best(apples_endings(1, 5)[0].deal, 1).exact


def test_apples_are_searched_where_the_solver_gives_up() -> None:
    position = apples_endings(1, 4)[0]
    assert not OpenHands(ALIKE, Effort(9, 5, 100)).best(position.deal, 1).exact


def test_a_solve_is_stopped_at_once() -> None:
    position = next(iter(deals(Wanted(Rules.parse("jass"), contract="roses"), 3, 1, force=True)))
    stop = Stop()
    valuer = OpenHands(ALIKE, Effort(9, 10**12, 100), stop)
    threading.Timer(0.3, stop.stop).start()

    def go_on() -> None:
        while True:
            valuer.best(position.deal, 1)

    begun = time.monotonic()
    with pytest.raises(Stopped):
        go_on()
    assert time.monotonic() - begun < 5
