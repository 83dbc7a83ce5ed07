"""Where a tournament stands: the lines of its log, folded into sums that do not grow with the deals."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from trickbot.ai.arena.blocks import Item
from trickbot.ai.arena.stats import Moments, PairSums, Ratio
from trickbot.engine.cards import N_SEATS

_WHOLE = 12  # a player has 1, 2 or 3 seats: in twelfths the means over its seats are whole numbers

Pairing = tuple[int, ...]
Points = tuple[int, ...]  # by seat


@dataclass
class PlayerSums:
    """What is counted for a player over all its seats."""

    deals: int = 0
    seats: int = 0
    points: int = 0
    seconds: float = 0.0
    nodes: int = 0
    decisions: int = 0
    losses: Counter[str] = field(default_factory=Counter)


@dataclass
class Tally:
    """Won, even and lost."""

    won: int = 0
    even: int = 0
    lost: int = 0

    def add(self, difference: float) -> float:
        """Counts by the sign of a difference; returns 1 for won, 1/2 for even, 0 for lost."""
        if difference > 0:
            self.won += 1
            return 1.0
        if difference < 0:
            self.lost += 1
            return 0.0
        self.even += 1
        return 0.5

    @property
    def n(self) -> int:
        return self.won + self.even + self.lost


@dataclass
class PairStanding:
    """The results of two players who met, as the first sees them.

    margin: points a deal, by block. score: share of deals (of matches, where they are played) won, by block.
    spoilt: blocks with a loss other than by the cards; they count in the score but have no margin.
    """

    margin: Moments = field(default_factory=Moments)
    score: Moments = field(default_factory=Moments)
    share: Ratio = field(default_factory=Ratio)
    blocks: Tally = field(default_factory=Tally)
    deals: Tally = field(default_factory=Tally)
    matches: Tally = field(default_factory=Tally)
    spoilt: int = 0


@dataclass
class _Seated:
    """One seating of a block that is not complete: the deals of its match, in order."""

    players: tuple[int, ...]
    points: list[Points] = field(default_factory=list)
    scores: tuple[int, ...] | None = None
    over: bool = False
    winners: frozenset[int] = frozenset()  # seats that won the match
    loser: int | None = None  # the player that lost other than by its cards


class Finished:
    """A set of numbers that are mostly the first ones: up to where, and the few above."""

    def __init__(self) -> None:
        self._below = 0
        self._above: set[int] = set()

    def __contains__(self, number: int) -> bool:
        return number < self._below or number in self._above

    def __len__(self) -> int:
        return self._below + len(self._above)

    def add(self, number: int) -> None:
        self._above.add(number)
        while self._below in self._above:
            self._above.remove(self._below)
            self._below += 1


class Standings:
    """Add the records of a log in the order of their writing; those that were added before are left out.

    labels: of the players. pairings: the players at each table.
    """

    def __init__(self, labels: Sequence[str], pairings: Iterable[Pairing]) -> None:
        self.labels = list(labels)
        self.pairings = list(pairings)
        self.players = [PlayerSums() for _ in labels]
        self.finished = {pairing: Finished() for pairing in self.pairings}
        pairs = {pair for pairing in self.pairings for pair in combinations(pairing, 2)}
        self.pairs = {pair: PairStanding() for pair in sorted(pairs)}
        self.n_deals = 0
        self.game = ""
        self._index = {label: i for i, label in enumerate(self.labels)}
        self._partial: dict[tuple[Pairing, int], dict[int, _Seated]] = {}
        self._pair_index = {pair: i for i, pair in enumerate(self.pairs)}
        several = len(self.pairs) > 1
        self._margins = PairSums(list(self.pairs)) if several else None
        self._scores = PairSums(list(self.pairs)) if several else None
        self._same_deal: dict[int, tuple[int, dict[int, float], dict[int, float]]] = {}

    def add(self, record: dict[str, Any]) -> bool:
        """Whether the record was new. Raises ValueError where it is of another tournament."""
        try:
            players = tuple(self._index[label] for label in record["players"])
        except KeyError as unknown:
            raise ValueError(f"player {unknown} is not in this tournament") from None
        pairing, block, seating = tuple(sorted(set(players))), record["block"], record["seating"]
        if pairing not in self.finished:
            raise ValueError(f"the players {', '.join(sorted(set(record['players'])))} do not meet here")
        if block in self.finished[pairing]:
            return False
        seatings = self._partial.setdefault((pairing, block), {})
        seated = seatings.setdefault(seating, _Seated(players))
        if seated.over or record.get("match_deal", 0) != len(seated.points):
            return False
        self.n_deals += 1
        self.game = record["game"]
        points = _by_seat(record["deal"])
        seated.points.append(points)
        self._count_players(players, points, record)
        loss = record.get("loss")
        if loss is not None:
            seated.loser = players[loss["seat"]]
            self.players[seated.loser].losses[loss["kind"]] += 1
        winner = record.get("winner")
        if winner is not None:
            n_sides = len(record["deal"])
            seated.winners = frozenset(seat for seat in range(N_SEATS) if seat % n_sides == winner)
        seated.scores = tuple(record["scores"])
        seated.over = "match_deal" not in record or winner is not None or loss is not None
        if len(seatings) == record["of"] and all(each.over for each in seatings.values()):
            del self._partial[pairing, block]
            self.finished[pairing].add(block)
            self._fold(pairing, block, list(seatings.values()))
        return True

    def _count_players(self, players: tuple[int, ...], points: Points, record: dict[str, Any]) -> None:
        for player in set(players):
            self.players[player].deals += 1
        zeros = (0,) * N_SEATS
        counts = (record.get(key, zeros) for key in ("seconds", "nodes", "decisions"))
        for player, own, seconds, nodes, decisions in zip(players, points, *counts, strict=True):
            sums = self.players[player]
            sums.seats += 1
            sums.points += own
            sums.seconds += seconds
            sums.nodes += nodes
            sums.decisions += decisions

    def _fold(self, pairing: Pairing, block: int, seatings: list[_Seated]) -> None:
        margins, scores = {}, {}
        for pair in combinations(pairing, 2):
            margin, score = self._fold_pair(self.pairs[pair], pair, seatings)
            scores[self._pair_index[pair]] = score
            if margin is not None:
                margins[self._pair_index[pair]] = margin
        if self._margins is None or self._scores is None:
            return
        n, all_margins, all_scores = self._same_deal.pop(block, (0, {}, {}))
        all_margins |= margins
        all_scores |= scores
        if n + 1 == len(self.pairings):
            self._margins.add(all_margins)
            self._scores.add(all_scores)
        else:
            self._same_deal[block] = n + 1, all_margins, all_scores

    def _fold_pair(
        self, standing: PairStanding, pair: tuple[int, int], seatings: list[_Seated]
    ) -> tuple[float | None, float]:
        """The block's margin (None where it is spoilt) and score."""
        own = other = n_deals = 0
        results = []
        for seated in seatings:
            seats = [[seat for seat, player in enumerate(seated.players) if player == each] for each in pair]
            for points in seated.points:
                means = [_WHOLE * sum(points[seat] for seat in side) // len(side) for side in seats]
                own, other, n_deals = own + means[0], other + means[1], n_deals + 1
                result = 0.5 if seated.loser is not None else standing.deals.add(means[0] - means[1])
            if seated.loser is not None:
                result = float(seated.loser == pair[1]) if seated.loser in pair else 0.5
            elif seated.winners:
                wins = [sum(seat in seated.winners for seat in side) / len(side) for side in seats]
                result = standing.matches.add(wins[0] - wins[1])
            results.append(result)
        score = sum(results) / len(results)
        standing.score.add(score)
        if any(seated.loser is not None for seated in seatings):
            standing.spoilt += 1
            return None, score
        margin = (own - other) / (_WHOLE * n_deals)
        standing.margin.add(margin)
        standing.blocks.add(own - other)
        if self.game == "jass":  # points of Apples may be negative: no shares
            standing.share.add(own / _WHOLE, (own + other) / _WHOLE)
        return margin, score

    def rating_sums(self) -> tuple[PairSums, PairSums] | None:
        """Margins and scores of all pairs over the deals, for ratings; None with a single pair."""
        if self._margins is None or self._scores is None:
            return None
        margins, scores = copy.deepcopy((self._margins, self._scores))
        for _, some_margins, some_scores in self._same_deal.values():
            margins.add(some_margins)
            scores.add(some_scores)
        return margins, scores

    def to_do(self, pairing: Pairing, block: int, of: int, match: tuple[int, ...] | None) -> Iterator[Item]:
        """The items of a block that are not over. `match`: the totals that a match begins with, or None."""
        if block in self.finished[pairing]:
            return
        seatings = self._partial.get((pairing, block), {})
        for seating in range(of):
            seated = seatings.get(seating)
            if seated is None or not seated.points:
                yield Item(pairing, block, seating, 0, match)
            elif not seated.over:
                yield Item(pairing, block, seating, len(seated.points), seated.scores)


def _by_seat(points: Sequence[int]) -> Points:
    return tuple(points[seat % len(points)] for seat in range(N_SEATS))
