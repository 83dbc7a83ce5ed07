"""Worlds of Apples: uniform over dealt hands, gives, pile and targets, against enumeration.

The enumeration is written from the rules text: it lists hands and targets, then parts of the pile, then
givers, and looks at every condition by itself.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from math import comb, sqrt
from typing import Any

import pytest
from trickbot.ext.apples import ApplesDeal, ApplesRules, random_deal

PASS = 13
AUCTION, GIVE, PILE, TARGET, PLAY, OVER, REDEAL = 1, 2, 3, 4, 5, 6, 7
PACK = frozenset(16 * suit + rank for suit in range(4) for rank in range(13))
Cards = frozenset[int]


def cards(mask: int | None) -> Cards:
    assert mask is not None
    return frozenset(i for i in range(64) if mask >> i & 1)


def mask(of: Any) -> int:
    return sum(1 << card for card in of)


def chi_square(expected: Mapping[Any, float], got: Counter[Any]) -> float:
    """The statistic in standard deviations (Wilson and Hilferty's cube root); rare cells are put together."""
    assert set(got) <= set(expected), "a world that cannot be"
    n, total = sum(got.values()), sum(expected.values())
    cells = [(n * weight / total, got[key]) for key, weight in expected.items()]
    rare = [cell for cell in cells if cell[0] < 8]
    cells = [cell for cell in cells if cell[0] >= 8]
    if sum(e for e, _ in rare) >= 8:
        cells.append((sum(e for e, _ in rare), sum(g for _, g in rare)))
    if len(cells) < 2:
        return 0.0
    k = len(cells) - 1
    statistic = sum((g - e) ** 2 / e for e, g in cells)
    return float(((statistic / k) ** (1 / 3) - (1 - 2 / (9 * k))) / sqrt(2 / (9 * k)))


class Round:
    """A random round, seen by some seats; remembers what the enumeration wants to know."""

    def __init__(self, seed: int, seats: set[int], n: int, tricks: int) -> None:
        rng = random.Random(seed)
        while not self._play(rng, seats, n, tricks):
            pass

    def _play(self, rng: random.Random, seats: set[int], n: int, tricks: int) -> bool:
        full = random_deal(ApplesRules(), rng.randrange(4), rng.getrandbits(60))
        dealt = [full.dealt(seat) for seat in range(4)]
        view = ApplesDeal(
            ApplesRules(), full.first, [0] * 4, [dealt[seat] if seat in seats else None for seat in range(4)]
        )
        self.floors: Counter[tuple[int, int]] = Counter()
        self.voids: set[tuple[int, int]] = set()
        while full.phase == AUCTION:
            legal = [move for move in cards(full.legal()) if move & 15 < n or move == PASS]
            move = rng.choice(legal) if rng.random() < 0.8 else PASS
            if move != PASS:
                self.floors[full.to_move, move >> 4] = (move & 15) + 1
            full.apply(move)
            view.apply(move)
        if full.phase == REDEAL or full.bid is None or full.bid[0] != n:
            return False
        while full.phase == GIVE:
            seat, last = full.to_move, full.n_given == n - 1
            move = rng.choice(sorted(cards(full.legal())))
            full.apply(move)
            if seat in seats:
                view.apply(move)
            elif last:
                view.give_hidden()
        self.given = view.copy()
        pile = sorted(cards(mask(card for give in full.gives for card in cards(give))))
        rng.shuffle(pile)
        parts = [mask(pile[n * seat : n * seat + n]) for seat in range(4)]
        full.pile(parts)
        view.pile([parts[seat] if seat in seats else None for seat in range(4)])
        while full.phase == TARGET:
            seat, move = full.to_move, rng.choice(sorted(cards(full.legal())))
            full.apply(move)
            if seat in seats:
                view.apply(move)
            else:
                view.target_hidden()
        while full.phase == PLAY and len(full.tricks) < tricks:
            seat, move = full.to_move, rng.choice(sorted(cards(full.legal())))
            if full.trick and full.trick[0] >> 4 != move >> 4:
                self.voids.add((seat, full.trick[0] >> 4))
            full.apply(move)
            view.apply(move)
        self.full, self.view, self.n = full, view, n
        self.hidden = [seat for seat in range(4) if seat not in seats]
        return True

    def holdings(self) -> Iterator[tuple[tuple[Cards, ...], tuple[int, ...]]]:
        """Hands and targets of the hidden seats that fit the play."""
        view, hidden = self.view, self.hidden
        unseen = PACK - cards(mask(c for seat in range(4) for c in cards(view.played(seat))))
        for seat in range(4):
            target = view.targets[seat]
            if seat not in hidden:
                unseen -= cards(view.hand(seat)) | ({target} if target is not None else set())
        size = [12 - len(cards(view.played(seat))) for seat in hidden]

        def deal(i: int, left: Cards) -> Iterator[tuple[tuple[Cards, ...], tuple[int, ...]]]:
            if i == len(hidden):
                yield (), ()
                return
            for target in sorted(left):
                for hand in map(frozenset, combinations(sorted(left - {target}), size[i])):
                    if not any((hidden[i], card >> 4) in self.voids for card in hand):
                        for hands, targets in deal(i + 1, left - hand - {target}):
                            yield (hand, *hands), (target, *targets)

        yield from deal(0, unseen)

    def histories(self, whole: tuple[Cards, ...]) -> Iterator[tuple[tuple[Cards, ...], ...]]:
        """What the hidden seats were dealt, gave and got, if after the pile they held these."""
        view, hidden, n = self.view, self.hidden, self.n
        told = frozenset(c for seat in range(4) if seat not in hidden for c in cards(view.gives[seat]))
        seen = frozenset(c for seat in range(4) if seat not in hidden for c in cards(view.gots[seat]))
        trump = view.trump

        def give(i: int, pile: Cards) -> Iterator[tuple[Cards, ...]]:
            if i == len(hidden):
                yield ()
                return
            for gave in map(frozenset, combinations(sorted(pile), n)):
                if hidden[i] != view.bidder or all(card >> 4 == trump for card in gave):
                    for rest in give(i + 1, pile - gave):
                        yield (gave, *rest)

        choices = []
        for hand in whole:
            must = hand & told
            choices.append(
                [must | set(more) for more in combinations(sorted(hand - must), n - len(must))]
                if len(must) <= n
                else []
            )
        for got in product(*choices):
            pile = frozenset().union(seen, *got) - told
            for gave in give(0, pile):
                dealt = tuple(h - p | g for h, p, g in zip(whole, got, gave, strict=True))
                if all(
                    sum(card >> 4 == suit for card in dealt[hidden.index(seat)]) >= least
                    for (seat, suit), least in self.floors.items()
                    if seat in hidden
                ):
                    yield dealt, gave, tuple(map(frozenset, got))


AFTER = [
    # seed, seats whose cards are known, number bid, tricks played
    (1, {0}, 1, 12),
    (4, {0}, 1, 12),
    pytest.param(4, {2}, 1, 11, marks=pytest.mark.slow),
    (1, {0, 3}, 1, 10),
    (4, {1, 2}, 2, 11),
    (3, {0, 2}, 2, 10),
    (6, {0, 2}, 2, 10),
    (1, {0, 1}, 3, 12),
    (3, {0, 1}, 3, 12),
]


@pytest.mark.parametrize(("seed", "seats", "n", "tricks"), AFTER)
def test_after_the_pile(seed: int, seats: set[int], n: int, tricks: int) -> None:
    """Hands and targets; what was given; what was dealt: each in proportion to the worlds that have it."""
    of = Round(seed, seats, n, tricks)
    held: Counter[Any] = Counter()
    gave: Counter[Any] = Counter()
    dealt: Counter[Any] = Counter()
    by_whole: dict[Any, list[Any]] = {}
    for hands, targets in of.holdings():
        whole = tuple(
            hand | {target} | cards(of.view.played(seat))
            for hand, target, seat in zip(hands, targets, of.hidden, strict=True)
        )
        by_whole.setdefault(whole, []).append((hands, targets))
    for whole, holdings in by_whole.items():
        histories = list(of.histories(whole))
        for holding in holdings:
            held[tuple(map(mask, holding[0])), holding[1]] += len(histories)
        for was, given, _ in histories:
            gave[tuple(map(mask, given))] += len(holdings)
            dealt[mask(was[0])] += len(holdings)
    assert len(held) > 1
    assert len(gave) > 20
    got_held: Counter[Any] = Counter()
    got_gave: Counter[Any] = Counter()
    got_dealt: Counter[Any] = Counter()
    for i in range(40_000):
        world = of.view.determinize(seed, i)
        assert world is not None
        if i < 200:
            assert world.check()
            for seat in range(4):
                assert cards(world.dealt(seat)) - cards(world.gives[seat]) | cards(world.gots[seat]) == (
                    cards(world.hand(seat)) | cards(world.played(seat)) | {world.targets[seat]}
                )
        got_held[
            tuple(world.hand(seat) for seat in of.hidden), tuple(world.targets[seat] for seat in of.hidden)
        ] += 1
        got_gave[tuple(world.gives[seat] for seat in of.hidden)] += 1
        got_dealt[world.dealt(of.hidden[0])] += 1
    assert chi_square(held, got_held) < 4
    assert chi_square(gave, got_gave) < 4
    assert chi_square(dealt, got_dealt) < 4


def lengths(sizes: list[int], suits: list[int]) -> Iterator[list[list[int]]]:
    """Every matrix of suit lengths, by hand, of hands of these sizes."""
    if len(sizes) == 1:
        yield [suits]
        return
    for first in product(*(range(min(sizes[0], n) + 1) for n in suits)):
        if sum(first) == sizes[0]:
            for rest in lengths(sizes[1:], [n - k for n, k in zip(suits, first, strict=True)]):
                yield [list(first), *rest]


@pytest.mark.parametrize(
    ("seed", "known", "n", "bid_over"), [(1, 0, 2, True), (2, 3, 4, True), (5, 1, 5, False)]
)
def test_before_the_pile(seed: int, known: int, n: int, bid_over: bool) -> None:
    """Suit lengths of the dealt hands against their exact distribution: bids are floors, and a winner who has
    given counts once for each choice of its trumps."""
    rng = random.Random(seed)
    while True:
        full = random_deal(ApplesRules(), rng.randrange(4), rng.getrandbits(60))
        floors: Counter[tuple[int, int]] = Counter()
        while full.phase == AUCTION and not (not bid_over and len(floors) == 3):
            legal = [move for move in cards(full.legal()) if move & 15 < n or move == PASS]
            move = rng.choice(legal) if rng.random() < 0.7 else PASS
            if move != PASS:
                floors[full.to_move, move >> 4] = (move & 15) + 1
            full.apply(move)
        hidden_bidders = {seat for seat, _ in floors} - {known}
        done = full.phase == (GIVE if bid_over else AUCTION) and full.bid is not None and full.bid[0] == n
        if done and full.bidder != known and len(hidden_bidders) > 1:
            break
    view = full.view(known)
    if bid_over:
        view.give_hidden()
    hidden = [seat for seat in range(4) if seat != known]
    unseen = PACK - cards(full.dealt(known))
    suits = [sum(card >> 4 == suit for card in unseen) for suit in range(4)]
    expected: Counter[Any] = Counter()
    wanted = [(hidden.index(seat), suit) for seat, suit in floors if seat != known]
    for matrix in lengths([13] * 3, suits):
        if all(matrix[hidden.index(s)][suit] >= k for (s, suit), k in floors.items() if s != known):
            weight = 1
            for suit in range(4):
                weight *= comb(suits[suit], matrix[0][suit])
                weight *= comb(suits[suit] - matrix[0][suit], matrix[1][suit])
            if bid_over:
                assert view.bid is not None
                weight *= comb(matrix[hidden.index(view.bidder)][view.bid[1]], view.bid[0])
            expected[tuple(matrix[i][suit] for i, suit in wanted[:3])] += weight
    got: Counter[Any] = Counter()
    given: Counter[int] = Counter()
    for i in range(40_000):
        world = view.determinize(seed, i)
        assert world is not None
        hands = [cards(world.dealt(seat)) for seat in hidden]
        got[tuple(sum(card >> 4 == suit for card in hands[i]) for i, suit in wanted[:3])] += 1
        if bid_over:
            given.update(cards(world.gives[view.bidder]))
            assert world.hand(view.bidder) == world.dealt(view.bidder) ^ world.gives[view.bidder]  # type: ignore[operator]
    assert chi_square(expected, got) < 4
    if bid_over:
        trumps = {card for card in unseen if card >> 4 == view.trump}
        assert chi_square(dict.fromkeys(trumps, 1.0), given) < 4


def test_no_bid_is_forgotten() -> None:
    """In rounds with wild auctions, at every decision, each world has what was bid, seen and given."""
    rng = random.Random(3)
    for _ in range(25):
        of = Round(rng.getrandbits(40), {rng.randrange(4)}, rng.randint(3, 5), rng.randrange(12))
        for view in (of.given, of.view):
            assert view.consistent()
            for i in range(20):
                world = view.determinize(i)
                assert world is not None
                assert world.check()
                for (seat, suit), least in of.floors.items():
                    assert sum(card >> 4 == suit for card in cards(world.dealt(seat))) >= least
                for seat in range(4):
                    assert len(cards(world.gives[seat])) == of.n
                for seat, suit in of.voids if view is of.view else ():
                    assert not any(card >> 4 == suit for card in cards(world.hand(seat)))
                for seat in range(4):
                    assert world.view(seat).determinize(1) is not None


def test_the_fourth_hand_follows_from_three() -> None:
    """Its dealt hand is known, but what it gave is not; then all its history is sampled right."""
    full = random_deal(ApplesRules(), 0, 11)
    view = ApplesDeal(ApplesRules(), 0, [0] * 4, [full.dealt(0), full.dealt(1), None, full.dealt(3)])
    assert view.dealt(2) == full.dealt(2)
    assert view.known == 15
    for move in (3 * 16 + 1, PASS, PASS, PASS):
        full.apply(move)
        view.apply(move)
    rng = random.Random(4)
    while full.phase == GIVE:
        seat, move = full.to_move, rng.choice(sorted(cards(full.legal())))
        full.apply(move)
        if seat != 2:
            view.apply(move)
        elif full.to_move != 2:
            view.give_hidden()
    assert view.known == 0b1011
    told = {give for give in view.gives if give is not None}
    assert len(told) == 3
    gave = Counter(
        cards(world.gives[2]) for world in (view.determinize(5, i) for i in range(20_000)) if world
    )
    assert chi_square({frozenset(two): 1.0 for two in combinations(cards(view.dealt(2)), 2)}, gave) < 4
