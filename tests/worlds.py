"""What a seat cannot tell apart, by the naive referees: histories that fit, and all by brute force."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

from kernel import Kernel
from reference import IllegalError
from reference.apples import ApplesReferee
from reference.jass import JassReferee


@dataclass
class History:
    """A full deal: the hands as dealt, and what only their holders saw (apples)."""

    dealt: list[list[str]]
    gives: list[list[str]]
    got: list[list[str]]
    targets: list[str | None]


def history_of(kernel: Kernel) -> History:
    """What the kernel's full deal says that it was."""
    deal, cards = kernel.deal, kernel.cards
    dealt = [cards.tokens(deal.dealt(seat)) for seat in range(4)]
    if deal.game == "jass":
        return History(dealt, [], [], [])
    return History(
        dealt,
        [cards.tokens(mask or 0) for mask in deal.gives],
        [cards.tokens(mask or 0) for mask in deal.gots],
        [None if card is None else cards.token[card] for card in deal.targets],
    )


def replay(referee: Any, history: History) -> Any:
    """The same calls and cards in another history; None where one of them breaks a rule."""
    fields = {"target": referee.target} if isinstance(referee, ApplesReferee) else {}
    other = type(referee)(history.dealt, referee.first, referee.match, **fields)
    if isinstance(referee, JassReferee):
        other.rules = referee.rules
        other.declared = referee.declared
    try:
        for token in referee.moves:
            word = token.partition("=")[0]
            if word == "give":
                other.play("give=" + ",".join(history.gives[other.to_move]))
            elif word == "pile":
                other.play("pile=" + "|".join(",".join(part) for part in history.got))
            elif word == "target":
                other.play(f"target={history.targets[other.to_move]}")
            else:
                other.play(token)
    except IllegalError:
        return None
    return other


def fits(referee: Any, history: History, seat: int) -> bool:
    """Whether this seat could not tell the history from the true one: the same cards in its own hand at every
    stage, all moves legal, the same announcements, the same points at the same time."""
    other = replay(referee, history)
    return other is not None and seen_by(other, seat) == seen_by(referee, seat)


def seen_by(referee: Any, seat: int) -> list[Any]:
    seen = [referee.phase, referee.to_move, sorted(referee.dealt[seat]), referee.tricks, referee.trick]
    seen += [referee.deal, sorted(referee.hands[seat])]
    if isinstance(referee, JassReferee):
        return [*seen, referee.moves, referee.stoeck, referee.weis_team, referee.told()]
    gave, got = referee.gives[seat], referee.got
    seen += [referee.calls, gave and sorted(gave), got and sorted(got[seat])]
    set_aside = [target is not None for target in referee.targets]
    return [*seen, set_aside, referee.targets if referee.phase == "over" else referee.targets[seat]]


# ------------------------------------------------------------------------------------ by brute force


def n_unseen(referee: Any, seat: int) -> int:
    """Cards in the hidden hands and behind the hidden targets of this seat."""
    targets = getattr(referee, "targets", [None] * 4)
    return sum(
        len(referee.hands[other]) + (targets[other] is not None) for other in range(4) if other != seat
    )


def worlds(referee: Any, seat: int, kernel: Kernel) -> Counter[tuple[int, ...]]:
    """All hands now, as masks by seat, that fit what this seat knows, each with the number of histories that
    it stands for: every deal of the unseen cards is tried."""
    found: Counter[tuple[int, ...]] = Counter()
    apples = isinstance(referee, ApplesReferee)
    hidden = [other for other in range(4) if other != seat]
    unseen = [card for other in hidden for card in referee.hands[other]]
    unseen += [referee.targets[other] for other in hidden] if apples else []
    sizes = [len(referee.hands[other]) for other in hidden] + ([1, 1, 1] if apples else [])
    for parts in allocations(unseen, sizes):
        hands = [list(hand) for hand in referee.hands]
        for other, part in zip(hidden, parts, strict=False):
            hands[other] = part
        if isinstance(referee, JassReferee):
            gone = [
                [card for card in referee.dealt[each] if card not in referee.hands[each]] for each in range(4)
            ]
            dealt = [hands[each] + gone[each] for each in range(4)]
            number = int(fits(referee, History(dealt, [], [], []), seat))
        else:
            targets = list(referee.targets)
            for other, part in zip(hidden, parts[3:], strict=True):
                targets[other] = part[0]
            number = n_histories(referee, seat, hands, targets)
        if number:
            found[tuple(kernel.cards.mask(hand) for hand in hands)] += number
    return found


def sampled_worlds(referee: Any, kernel: Kernel, seat: int, seed: int) -> tuple[float, int]:
    """The kernel's samples of this seat's view against all its worlds: chi-square and degrees of freedom.
    Every world must come, and no other."""
    where = f"seat {seat}, after {referee.moves}, dealt {referee.dealt}"
    known = worlds(referee, seat, kernel)
    n_samples = 60 * known.total() // min(known.values())
    counts = Counter(
        tuple(int(hand) for hand in world) for world in kernel.deal.view(seat).sample(n_samples, seed)
    )
    assert set(counts) == set(known), where
    expected = {world: n_samples * weight / known.total() for world, weight in known.items()}
    statistic = sum((counts[world] - mean) ** 2 / mean for world, mean in expected.items())
    assert statistic < len(known) + 7 * (2 * len(known)) ** 0.5 + 15, where
    return statistic, len(known) - 1


def allocations(cards: list[str], sizes: list[int]) -> Iterator[list[list[str]]]:
    """Every way to deal the cards into hands of these sizes."""
    for places in splits(frozenset(range(len(cards))), tuple(sizes)):
        yield [[cards[place] for place in part] for part in places]


@cache
def splits(places: frozenset[int], sizes: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
    if not sizes:
        return [[]]
    return [
        [part, *others]
        for part in combinations(sorted(places), sizes[0])
        for others in splits(places.difference(part), sizes[1:])
    ]


def n_histories(referee: ApplesReferee, seat: int, hands: list[list[str]], targets: list[str]) -> int:
    """How many dealt hands, gives and piles lead to these hands and targets in the play."""
    played = [[card for trick in referee.tricks for card in by_seat(trick, each)] for each in range(4)]
    for place, card in enumerate(referee.trick):
        played[(referee.leader + place) % 4].append(card)
    for each in range(4):
        for number, trick in enumerate([*referee.tricks, {"leader": referee.leader, "cards": referee.trick}]):
            if number >= len(played[each]) or not trick["cards"]:
                continue
            led = trick["cards"][0][0]
            later = played[each][number + 1 :] + hands[each]
            if played[each][number][0] != led and any(card[0] == led for card in later):
                return 0
    whole = tuple(
        frozenset(played[each] + hands[each] + ([targets[each]] if each != seat else [])) for each in range(4)
    )
    assert referee.got is not None
    assert referee.bidder is not None
    given, calls = referee.gives[seat], tuple(referee.calls)
    assert given is not None
    return n_exchanges(
        (referee.first, calls, referee.bidder, referee.trump or ""),
        seat,
        whole,
        frozenset(given),
        frozenset(referee.got[seat]),
    )


def by_seat(trick: dict[str, Any], seat: int) -> list[str]:
    return [trick["cards"][(seat - trick["leader"]) % 4]]


@cache
def n_exchanges(
    auction: tuple[int, tuple[str, ...], int, str],
    seat: int,
    whole: tuple[frozenset[str], ...],
    given: frozenset[str],
    got: frozenset[str],
) -> int:
    """The ways in which the hidden hands' thirteen cards after the exchange came about, one by one."""
    first, calls, bidder, trump = auction
    n = len(given)
    hidden = [each for each in range(4) if each != seat]
    bids = [((first + place) % 4, call) for place, call in enumerate(calls) if call != "pass"]
    promised = [(hidden.index(each), bid[-1], int(bid[:-1])) for each, bid in bids if each != seat]
    possible = [
        [part for part in combinations(sorted(whole[each]), n) if given & whole[each] <= set(part)]
        for each in hidden  # a card that this seat gave was in the pile, wherever it lies now
    ]
    number = 0
    for parts in product(*possible):
        pile = got.union(*parts)
        if not given <= pile or (bidder != seat and sum(card[0] == trump for card in pile - given) < n):
            continue
        for gives in allocations(sorted(pile - given), [n, n, n]):
            if bidder != seat and any(card[0] != trump for card in gives[hidden.index(bidder)]):
                continue
            for place, suit, least in promised:
                dealt = whole[hidden[place]].difference(parts[place]).union(gives[place])
                if sum(card[0] == suit for card in dealt) < least:
                    break
            else:
                number += 1
    return number
