"""The exact value of the last tricks of Apples with all hands open.

Four players for themselves, each after the most for itself: its points of the round less `others` times the
mean of the others' (max^n; Luckhardt and Irani, "An Algorithmic Solution of N-Person Games", 1986). Of outcomes
that are equal to it a player takes the one with the fewest points for the next player, then for the one after,
then for the third; so the value of a position is unique and does not depend on the order of the cards.

Everything is tried; positions between two tricks are kept in a table, whose key is all that the rest depends
on: the cards left, who leads, and how many cards of each rank that is still in play lie in whose pile, own
targets among them. The value kept is what the piles gain from there on.
"""

from libc.stdint cimport int16_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from typing import NamedTuple

from trickbot.ext.apples cimport ApplesDeal
from trickbot.ext.apples_state cimport N_TRICKS, ApplesState, apples_beats, apples_open, apples_score
from trickbot.ext.bits cimport bit, count, lane, lowest, mix
from trickbot.ext.limits cimport Limits, limits_begin, limits_none, limits_reached, limits_set
from trickbot.ext.phase cimport PLAY

cdef extern from *:
    """
    #include <stdlib.h>
    """
    void* aligned_alloc(size_t alignment, size_t size) noexcept nogil
    const uint64_t ONE_OF_EACH "0x1111111111111ull"     # cards of each rank, four bits each
    const uint64_t FOUR_OF_EACH "0x4444444444444ull"

cdef enum:
    MAX_TRICKS = 8          # 32 cards, numbered by suit and rank

cdef struct Points:         # by seat
    int16_t of[4]

cdef struct Entry:          # an exact value
    uint64_t piles          # of seats 0 and 1 by rank, and the leader
    uint64_t pile           # of seat 2; seat 3 has the rest
    uint32_t left
    uint32_t number         # of the solve: entries of others do not count
    Points gain

cdef struct Trick:
    uint32_t cards          # that lie there
    int n                   # so many
    uint32_t led            # the led suit's cards
    uint32_t beat           # cards that would beat the best one
    int best                # its seat

cdef struct ApplesSolverState:
    Entry* table
    uint64_t n_pairs        # a power of two
    uint32_t number
    int64_t weight          # of the others' mean, in millionths
    # the deal
    int n_cards             # in play at the start of the solve
    uint32_t hand[4]
    uint32_t suit[32]       # the cards of a card's suit
    uint32_t beats[32]      # cards that beat this one once it lies best in a trick
    int rank[32]
    int card[32]            # the card's id outside
    int16_t gain[4][13][4]  # for one more card of a rank, by seat and number of cards in its pile
    uint64_t pile[4]        # number of cards by rank, four bits each, the own target among them
    Limits limits


cdef inline bint better(const ApplesSolverState* s, int seat, const Points* a, const Points* b) noexcept nogil:
    """Whether this seat likes a better than b."""
    cdef int64_t own = a.of[seat] - b.of[seat], all_ = 0
    cdef int i, other
    for i in range(4):
        all_ += a.of[i] - b.of[i]
    own = 3000000 * own - s.weight * (all_ - own)
    if own:
        return own > 0
    for i in range(1, 4):
        other = (seat + i) & 3
        if a.of[other] != b.of[other]:
            return a.of[other] < b.of[other]
    return 0


cdef inline Trick with_card(const ApplesSolverState* s, const Trick* trick, int seat, int card) noexcept nogil:
    cdef Trick more = trick[0]
    if trick.n == 0:
        more.led = s.suit[card]
    if trick.n == 0 or trick.beat >> card & 1:
        more.beat = s.beats[card]
        more.best = seat
    more.cards |= <uint32_t> 1 << card
    more.n += 1
    return more


cdef inline uint32_t may_play(const ApplesSolverState* s, uint32_t left, int seat, const Trick* trick) noexcept nogil:
    cdef uint32_t hand = s.hand[seat] & left, same = hand & trick.led
    return same if trick.n and same else hand


cdef Points best_card(ApplesSolverState* s, uint32_t left, int seat, const Trick* trick) noexcept nogil:
    """What the piles gain from here on with the best card of `seat`."""
    cdef uint32_t moves = may_play(s, left, seat, trick)
    cdef Points best, found
    cdef bint first = 1
    cdef int card
    while moves:
        card = lowest(moves)
        moves &= moves - 1
        found = after_card(s, left, seat, trick, card)
        if s.limits.halted:
            return found
        if first or better(s, seat, &found, &best):
            best = found
            first = 0
    return best


cdef Points after_card(ApplesSolverState* s, uint32_t left, int seat, const Trick* trick, int card) noexcept nogil:
    """The same when `seat` plays this card."""
    cdef Trick more = with_card(s, trick, seat, card)
    cdef Points points
    cdef uint64_t pile
    cdef int gain, winner = more.best
    left &= ~(<uint32_t> 1 << card)
    if more.n < 4:
        return best_card(s, left, (seat + 1) & 3, &more)
    pile = s.pile[winner]
    gain = take(s, winner, more.cards)
    points = lead(s, left, winner)
    points.of[winner] += gain
    s.pile[winner] = pile
    return points


cdef inline int take(ApplesSolverState* s, int winner, uint32_t cards) noexcept nogil:
    """Puts a trick on the winner's pile; returns what it gains."""
    cdef int gain = 0, rank
    while cards:
        rank = s.rank[lowest(cards)]
        cards &= cards - 1
        gain += s.gain[winner][rank][s.pile[winner] >> (4 * rank) & 15]
        s.pile[winner] += <uint64_t> 1 << (4 * rank)
    return gain


cdef inline Points last_trick(ApplesSolverState* s, uint32_t left, int seat) noexcept nogil:
    """Nobody has a choice any more."""
    cdef Points points
    cdef uint64_t pile
    cdef uint32_t card
    cdef int i, winner = seat, best = lowest(s.hand[seat] & left)
    for i in range(1, 4):
        card = s.hand[(seat + i) & 3] & left
        if card & s.beats[best]:
            best = lowest(card)
            winner = (seat + i) & 3
    pile = s.pile[winner]
    memset(&points, 0, sizeof(Points))
    points.of[winner] = take(s, winner, left)
    s.pile[winner] = pile
    return points


cdef Points lead(ApplesSolverState* s, uint32_t left, int seat) noexcept nogil:
    """What the piles gain from here on when `seat` leads."""
    cdef Points points
    cdef Trick trick
    cdef Entry key
    cdef Entry* pair
    cdef int i, n_left = count(left)
    cdef uint64_t in_play
    memset(&points, 0, sizeof(Points))
    if n_left == 0:
        return points
    if n_left == 4:
        return last_trick(s, left, seat)
    s.limits.nodes += 1
    if s.limits.nodes >= s.limits.next_look and limits_reached(&s.limits):
        return points
    # of a rank in play a pile holds three cards at most: two piles share the four bits
    in_play = FOUR_OF_EACH - s.pile[0] - s.pile[1] - s.pile[2] - s.pile[3]
    in_play = ((in_play | in_play >> 1 | in_play >> 2) & ONE_OF_EACH) * 3
    key.piles = (s.pile[0] & in_play) | (s.pile[1] & in_play) << 2 | <uint64_t> seat << 52
    key.pile = s.pile[2] & in_play
    key.left = left
    key.number = s.number
    pair = &s.table[2 * (mix(key.piles, key.pile ^ <uint64_t> left << 32) & (s.n_pairs - 1))]
    for i in range(2):
        if (pair[i].left == left and pair[i].piles == key.piles and pair[i].pile == key.pile
                and pair[i].number == s.number):
            return pair[i].gain
    memset(&trick, 0, sizeof(Trick))
    points = best_card(s, left, seat, &trick)
    if not s.limits.halted:
        key.gain = points
        # the first of a pair is kept for as many tricks as possible
        pair[pair[0].number == s.number and count(pair[0].left) > n_left] = key
    return points


# ------------------------------------------------------------------------------------------------- root

cdef struct Root:
    uint32_t left           # cards in the hands
    int seat                # to move
    Trick trick             # on the table
    Points points           # of the piles so far, with the targets


cdef bint set_up(ApplesSolverState* s, const ApplesState* world, Root* root) noexcept nogil:
    """Takes over a deal; 0 unless it is a full deal in play with few enough tricks left."""
    cdef uint64_t cards, beats, of_rank
    cdef int seat, i, j, rank, n, target, score
    if (world.phase != PLAY or world.known != 15 or not apples_open(world)
            or N_TRICKS - world.trick_no > MAX_TRICKS):
        return 0
    limits_begin(&s.limits)
    s.number += 1
    cards = world.hand[0] | world.hand[1] | world.hand[2] | world.hand[3]
    for i in range(world.n_trick):
        cards |= bit(world.trick[i])
    memset(s.hand, 0, sizeof(s.hand))
    s.n_cards = 0
    while cards:
        i = s.n_cards
        s.card[i] = lowest(cards)
        s.rank[i] = s.card[i] & 15
        for seat in range(4):
            s.hand[seat] |= <uint32_t> (world.hand[seat] >> s.card[i] & 1) << i
        cards &= cards - 1
        s.n_cards += 1
    for i in range(s.n_cards):
        beats = apples_beats(s.card[i], lane(world.bid_suit))
        s.suit[i] = s.beats[i] = 0
        for j in range(s.n_cards):
            s.suit[i] |= <uint32_t> (s.card[i] >> 4 == s.card[j] >> 4) << j
            s.beats[i] |= <uint32_t> (beats >> s.card[j] & 1) << j
    for seat in range(4):
        target = world.target[seat]
        root.points.of[seat] = apples_score(world.won[seat], target)
        s.pile[seat] = 0
        cards = world.won[seat] | bit(target)
        while cards:
            s.pile[seat] += <uint64_t> 1 << (4 * (lowest(cards) & 15))
            cards &= cards - 1
        for rank in range(13):
            of_rank = 0
            score = 0
            for n in range(4):          # of the target's rank, the target comes first
                of_rank |= bit(16 * ((target >> 4) + n & 3) + rank)
                s.gain[seat][rank][n] = apples_score(of_rank, target) - score
                score += s.gain[seat][rank][n]
    root.left = s.hand[0] | s.hand[1] | s.hand[2] | s.hand[3]
    root.seat = world.leader
    memset(&root.trick, 0, sizeof(Trick))
    for i in range(world.n_trick):
        root.trick = with_card(s, &root.trick, root.seat, card_inside(s, world.trick[i]))
        root.seat = (root.seat + 1) & 3
    return 1


cdef int card_inside(const ApplesSolverState* s, int card) noexcept nogil:
    """The number here of a card in play."""
    cdef int i = 0
    while s.card[i] != card:
        i += 1
    return i


cdef Points whole(const Root* root, const Points* gain) noexcept nogil:
    """The points of the round."""
    cdef Points points = root.points
    cdef int seat
    for seat in range(4):
        points.of[seat] += gain.of[seat]
    return points


cdef int move_on(ApplesSolverState* s, Root* root) noexcept nogil:
    """Plays the best card of the seat to move and returns it; -1 if a limit was reached."""
    cdef uint32_t moves = may_play(s, root.left, root.seat, &root.trick)
    cdef Points best, found
    cdef int card, at = -1
    while moves:
        card = lowest(moves)
        moves &= moves - 1
        if moves or at >= 0:            # else there is no choice
            found = after_card(s, root.left, root.seat, &root.trick, card)
            if s.limits.halted:
                return -1
        if at < 0 or better(s, root.seat, &found, &best):
            at = card
            best = found
    root.trick = with_card(s, &root.trick, root.seat, at)
    root.left &= ~(<uint32_t> 1 << at)
    root.seat = (root.seat + 1) & 3
    if root.trick.n == 4:
        root.seat = root.trick.best
        root.points.of[root.seat] += take(s, root.seat, root.trick.cards)
        memset(&root.trick, 0, sizeof(Trick))
    return at


# -------------------------------------------------------------------------------------------- interface

class ApplesSolution(NamedTuple):
    """What is proved of a position. Points are of the whole round, by seat.

    value: with best play by all four, None if a limit was reached first. nodes: positions between two tricks
    that were searched. pv: the best cards to the end of the round, empty without a value.
    """

    value: tuple[int, int, int, int] | None
    nodes: int
    pv: tuple[int, ...]


cdef class ApplesSolver:
    """Solves the last tricks exactly, eight at most; `hash_mib` MiB (rounded down to a power of two) hold what is
    known. `others`: the weight of the others' mean points against one's own, 0 to 1, rounded to a millionth.

    One solve at a time; use one solver a thread.
    """

    cdef ApplesSolverState s
    cdef volatile int stopped
    cdef readonly double hash_mib

    def __cinit__(self, double hash_mib=4.0, *, double others=1.0):
        if not 0 < hash_mib <= 65536:
            raise ValueError(f"hash_mib={hash_mib}: must be above 0, 65536 at most")
        if not 0 <= others <= 1:
            raise ValueError(f"others={others}: must be 0 to 1")
        memset(&self.s, 0, sizeof(ApplesSolverState))
        limits_none(&self.s.limits)
        self.s.limits.stopped = &self.stopped
        self.s.weight = <int64_t> (1e6 * others + 0.5)
        self.s.n_pairs = (1 << 16) // (2 * sizeof(Entry))
        while self.s.n_pairs * 4 * sizeof(Entry) <= hash_mib * (1 << 20):
            self.s.n_pairs *= 2
        self.hash_mib = self.s.n_pairs * 2 * sizeof(Entry) / 1048576.0
        self.s.table = <Entry*> aligned_alloc(64, self.s.n_pairs * 2 * sizeof(Entry))
        if self.s.table == NULL:
            raise MemoryError(f"hash_mib={hash_mib}: no memory")
        memset(self.s.table, 0, self.s.n_pairs * 2 * sizeof(Entry))

    def __dealloc__(self):
        free(self.s.table)

    cdef Root _begin(self, ApplesDeal deal, max_nodes, seconds) except *:
        cdef Root root
        self.stopped = 0
        limits_set(&self.s.limits, max_nodes, seconds)
        if not set_up(&self.s, &deal.s, &root):
            raise ValueError(f"only a full deal in play, targets and all, with {MAX_TRICKS} tricks left can be solved")
        return root

    def solve(self, ApplesDeal deal not None, *, max_nodes=None, seconds=None):
        """The `ApplesSolution` of a full deal in play. max_nodes, seconds: give up then. The GIL is released.
        ValueError if a hand or a target is unknown, no card is to be played, or more than eight tricks are left."""
        cdef Root root = self._begin(deal, max_nodes, seconds)
        line = []
        while root.left:
            with nogil:
                card = move_on(&self.s, &root)
            if card < 0:
                return ApplesSolution(None, self.s.limits.nodes, ())
            line.append(self.s.card[card])
        return ApplesSolution(tuple(root.points.of), self.s.limits.nodes, tuple(line))

    def solve_moves(self, ApplesDeal deal not None, *, max_nodes=None, seconds=None):
        """[(card, points of the round by seat)] for every legal card, the one that the seat to move takes first;
        empty if a limit was reached. Options and errors as for `solve`."""
        cdef Root root = self._begin(deal, max_nodes, seconds)
        cdef uint32_t moves = may_play(&self.s, root.left, root.seat, &root.trick)
        cdef Points found[13]
        cdef int card[13]
        cdef int n = 0, i
        while moves:
            card[n] = lowest(moves)
            moves &= moves - 1
            with nogil:
                found[n] = after_card(&self.s, root.left, root.seat, &root.trick, card[n])
            if self.s.limits.halted:
                return []
            i = n
            while i > 0 and better(&self.s, root.seat, &found[i], &found[i - 1]):
                found[i - 1], found[i] = found[i], found[i - 1]
                card[i - 1], card[i] = card[i], card[i - 1]
                i -= 1
            n += 1
        return [(self.s.card[card[i]], tuple(whole(&root, &found[i]).of)) for i in range(n)]

    def stop(self):
        """Ends a solve, from any thread, within a few milliseconds."""
        self.stopped = 1
