"""The exact value of a Jass position with all hands open.

Alpha-beta over null windows, halving the range of the value. What makes it quick:

- Positions between two tricks are kept in a table under the number of cards of each hand by suit, not the
  cards. A proof notes down to which rank the order of a suit mattered to it; it holds for all positions that
  agree down to there (Ginsberg, "Partition Search", 1996), with its bound corrected by the card points in
  which they differ.
- Neighbouring cards of a hand win and lose the same tricks: one stands for all, up to the difference of
  their points (Kupferschmid and Helmert, "A Skat Player Based on Monte Carlo Simulation", 2006).
- Sure tricks bound the value without a search.
- Cards are tried in an order fitted on node counts (ordering.pxd).

A value here is what a team still makes, unmultiplied; the match bonus counts as one point more than all
there is (or one less than nothing), which leaves the order of the outcomes as it is.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from typing import NamedTuple

from trickbot.ext.bits cimport bit, count, highest, lane, lowest, mix, nth_bit
from trickbot.ext.jass cimport JassDeal, JassState, jass_legal, jass_trump_order
from trickbot.ext.limits cimport limits_begin, limits_none, limits_reached, limits_set
from trickbot.ext.ordering cimport (
    MAX_CHOICES, Choice, best_first, is_trump, lead_choices, reply_choices, row_of,
)
from trickbot.ext.phase cimport PLAY

cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #ifdef __SSE2__
    #include <emmintrin.h>
    #endif

    /* Sum over the bytes of what a has more than b. */
    static inline int tb_excess(const uint64_t* a, const uint64_t* b) {
    #ifdef __SSE2__
        __m128i x = _mm_subs_epu8(_mm_set_epi64x(a[0], a[1]), _mm_set_epi64x(b[0], b[1]));
        __m128i y = _mm_subs_epu8(_mm_set_epi64x(a[2], a[3]), _mm_set_epi64x(b[2], b[3]));
        __m128i none = _mm_setzero_si128();
        __m128i sum = _mm_add_epi64(_mm_sad_epu8(x, none), _mm_sad_epu8(y, none));
        return _mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4);
    #else
        int sum = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 64; j += 8) {
                int x = a[i] >> j & 255, y = b[i] >> j & 255;
                sum += x > y ? x - y : 0;
            }
        return sum;
    #endif
    }

    /* Which of 16 keys agree with one in their upper 32 bits, as bits. */
    static inline uint32_t tb_match(const uint64_t* keys, uint64_t key) {
        uint32_t found = 0;
    #ifdef __SSE2__
        __m128i wanted = _mm_set1_epi32((int)(key >> 32));
        for (int i = 0; i < 16; i += 4) {
            __m128 a = _mm_castsi128_ps(_mm_load_si128((const __m128i*)(keys + i)));
            __m128 b = _mm_castsi128_ps(_mm_load_si128((const __m128i*)(keys + i + 2)));
            __m128i upper = _mm_castps_si128(_mm_shuffle_ps(a, b, 0xdd));
            found |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(upper, wanted))) << i;
        }
    #else
        for (int i = 0; i < 16; i++)
            found |= (uint32_t)((keys[i] ^ key) >> 32 == 0) << i;
    #endif
        return found;
    }

    static inline void tb_fetch(const void* group) {
        __builtin_prefetch(group);
        __builtin_prefetch((const char*)group + 64);
    }
    """
    int excess "tb_excess"(const uint64_t* a, const uint64_t* b) noexcept nogil
    uint32_t match "tb_match"(const uint64_t* keys, uint64_t key) noexcept nogil
    void fetch "tb_fetch"(const void* group) noexcept nogil
    void* aligned_alloc(size_t alignment, size_t size) noexcept nogil

cdef enum:
    NO_VALUE = -10000

cdef struct Proof:
    uint64_t ranks          # the lowest card of each suit whose rank mattered, and perhaps higher ones
    int64_t value           # at least the wanted one: a lower bound; less: an upper bound


# ------------------------------------------------------------------------------------------------ table

cdef inline uint64_t packed(uint64_t left) noexcept nogil:
    """Four lanes of nine bits without the gaps."""
    return (left & 511) | (left >> 16 & 511) << 9 | (left >> 32 & 511) << 18 | (left >> 48 & 511) << 27


cdef inline uint64_t hash_of(const SolverState* s, uint64_t left, int seat, int sweepers) noexcept nogil:
    """Of what must be equal for a proof to hold: cards by suit and hand, the owners of all trumps, whether
    the Under is one of them, and who leads."""
    cdef uint64_t x = 0, y = seat | sweepers << 2 | (left & s.under != 0) << 4
    cdef int suit
    for suit in range(4):
        x |= <uint64_t> row_of(s, left, suit).counts << (16 * suit)
    if s.trumps:
        y |= <uint64_t> row_of(s, left, TRUMP_LANE).owners << 5
    return mix(x ^ s.number, y)


cdef inline Group* group_at(const SolverState* s, uint64_t hash_) noexcept nogil:
    return &s.table[hash_ & (s.n_groups - 1)]


cdef inline uint64_t nth_highest(uint64_t cards, int n) noexcept nogil:
    """The n-th card from the top, alone; empty for n = 0."""
    return nth_bit(cards, count(cards) - n) if n else 0


cdef inline bint table_find(const SolverState* s, const Group* group, uint64_t hash_, uint64_t left, int wanted,
                            Proof* proof) noexcept nogil:
    """A proof that the value is at least `wanted`, or that it is less, if the table holds one. Depths: down to
    which card of each suit the owners must be the same."""
    cdef uint32_t found = match(group.key, hash_), differ
    cdef uint64_t here = packed(left), there, depths
    cdef uint64_t points[4]
    cdef uint64_t other_points[4]
    cdef int i, suit, value
    cdef bint upper
    while found:
        i = lowest(found)
        found &= found - 1
        if (group.key[i] ^ hash_) >> 16:
            continue
        there = group.proof[i] & <uint64_t> 0xfffffffff
        depths = group.proof[i] >> 36 & 0xffff
        value = <int> (group.proof[i] >> 52 & 2047) - 1
        upper = group.proof[i] >> 63
        if there != here:
            differ = 0
            for suit in range(4):
                differ |= ((row_of(s, left, suit).owners ^ s.rows[suit][there >> (9 * suit) & 511].owners)
                           & ((<uint32_t> 1 << (2 * (depths >> (4 * suit) & 15))) - 1))
            if differ:
                continue
            for suit in range(4):
                points[suit] = row_of(s, left, suit).points
                other_points[suit] = s.rows[suit][there >> (9 * suit) & 511].points
            if upper:
                value += excess(points, other_points)
            else:
                value -= excess(other_points, points)
        if value < wanted if upper else value >= wanted:
            proof.value = value
            proof.ranks = 0
            for suit in range(4):
                proof.ranks |= nth_highest(left & lane(suit), depths >> (4 * suit) & 15)
            return 1
    return 0


cdef inline void table_keep(const SolverState* s, Group* group, uint64_t hash_, uint64_t left, int n, int wanted,
                            const Proof* proof) noexcept nogil:
    """Keeps a proof: in place of the position's old one, of an old solve's, or of a smaller position's."""
    cdef uint64_t upper = proof.value < wanted, matter, stamp = (s.number & 4095) << 4
    cdef uint64_t new = packed(left) | <uint64_t> (proof.value + 1) << 52 | upper << 63
    cdef uint32_t found = match(group.key, hash_)
    cdef int suit, i, at = -1, worth, least = 32
    for suit in range(4):
        matter = proof.ranks & ~s.trumps & lane(suit)
        if matter:
            new |= <uint64_t> count(left & lane(suit) & -(matter & -matter)) << (36 + 4 * suit)
    while found:
        i = lowest(found)
        found &= found - 1
        if not (group.key[i] ^ hash_) >> 16 and not (group.proof[i] ^ new) & <uint64_t> 0x8000000fffffffff:
            at = i
            break
    if at < 0:
        for i in range(WAYS):
            i = (i + s.limits.nodes) & (WAYS - 1)      # of equals, any
            worth = (group.key[i] & 15) + (0 if (group.key[i] ^ stamp) & 0xfff0 else 16)
            if worth < least:
                least = worth
                at = i
    group.key[at] = (hash_ & ~<uint64_t> 0xffff) | stamp | n
    group.proof[at] = new


# ----------------------------------------------------------------------------------------------- search

cdef inline uint64_t follow(const SolverState* s, uint64_t hand, int led, int best) noexcept nogil:
    """The cards that may be played; see the rule text, "Playing a card"."""
    cdef uint64_t led_lane = lane(led >> 4), same = hand & led_lane, may
    if led_lane == s.trumps:
        return hand if not same or same == s.under else same
    may = same | (hand & s.trumps) if same else hand
    if is_trump(s, best) and hand & ~s.trumps:
        may &= ~(s.trumps & (bit(best) - 1))
    return may


cdef inline uint64_t whole_group(uint64_t ranks, const Choice* choice) noexcept nogil:
    """Where the rank of a card of a group mattered, that of all of it did: the others were not tried."""
    cdef uint64_t matter = ranks & lane(choice.card >> 4), low = choice.group & -choice.group
    if matter and matter & -matter <= bit(highest(choice.group)) and matter & -matter > low:
        ranks |= low
    return ranks


cdef inline Proof last_trick(const SolverState* s, uint64_t left, int seat, int sweepers,
                             int points) noexcept nogil:
    """Nobody has a choice any more."""
    cdef Proof proof
    cdef int i, best = lowest(s.hand[seat] & left), winner = seat, other
    cdef uint64_t card, suit_cards
    for i in range(1, 4):
        other = (seat + i) & 3
        card = s.hand[other] & left
        if card & s.beats[best]:
            best = lowest(card)
            winner = other
    suit_cards = left & lane(best >> 4)
    proof.ranks = bit(best) if suit_cards & (suit_cards - 1) else 0
    if (winner ^ seat) & 1:
        proof.value = -(sweepers >> (~seat & 1) & 1)
    else:
        proof.value = points + (sweepers >> (seat & 1) & 1)
    return proof


cdef inline int two_cards(const SolverState* s, uint64_t moves, int best, bint ours, int* cards) noexcept nogil:
    """The one or two cards of a hand, the better guess first; returns their number."""
    cdef int i
    cdef int score[2]
    cards[0] = highest(moves)
    cards[1] = lowest(moves)
    if cards[0] == cards[1]:
        return 1
    for i in range(2):
        score[i] = s.value[cards[i]]
        if s.beats[best] >> cards[i] & 1:
            score[i] += 256
        elif not ours:
            score[i] = -score[i]
    if score[1] > score[0]:
        cards[0], cards[1] = cards[1], cards[0]
    return 2


cdef Proof two_tricks(const SolverState* s, uint64_t left, int seat, int sweepers, int points,
                      int wanted) noexcept nogil:
    """`lead` with two tricks left: 16 lines at most, written out."""
    cdef int seat1 = (seat + 1) & 3, seat2 = (seat + 2) & 3, seat3 = (seat + 3) & 3
    cdef uint64_t hand1 = s.hand[seat1] & left, hand2 = s.hand[seat2] & left, hand3 = s.hand[seat3] & left
    cdef Proof proof, after1, after2, after3, end
    cdef int cards0[2]
    cdef int cards1[2]
    cdef int cards2[2]
    cdef int cards3[2]
    cdef int i, j, k, m, best1, best2, best3, winner1, winner2, winner3, stake, n1, n2, n3
    cdef uint64_t trick, suit_cards
    cards0[0] = highest(s.hand[seat] & left)
    cards0[1] = lowest(s.hand[seat] & left)
    i = not (hand1 | hand3) & s.beats[cards0[0]]
    j = not (hand1 | hand3) & s.beats[cards0[1]]
    k = s.value[cards0[1]] - s.value[cards0[0]]
    if j > i or (j == i and (k > 0 if i else k < 0)):   # sure ones first, and of these the dearest
        cards0[0], cards0[1] = cards0[1], cards0[0]
    proof.value = NO_VALUE
    proof.ranks = 0
    for i in range(2):
        after1.value = -NO_VALUE
        after1.ranks = 0
        n1 = two_cards(s, follow(s, hand1, cards0[i], cards0[i]), cards0[i], 0, cards1)
        for j in range(n1):
            best1 = cards0[i]
            winner1 = seat
            if s.beats[best1] >> cards1[j] & 1:
                best1 = cards1[j]
                winner1 = seat1
            after2.value = NO_VALUE
            after2.ranks = 0
            n2 = two_cards(s, follow(s, hand2, cards0[i], best1), best1, winner1 == seat, cards2)
            for k in range(n2):
                best2 = best1
                winner2 = winner1
                if s.beats[best1] >> cards2[k] & 1:
                    best2 = cards2[k]
                    winner2 = seat2
                after3.value = -NO_VALUE
                after3.ranks = 0
                n3 = two_cards(s, follow(s, hand3, cards0[i], best2), best2, winner2 == seat1, cards3)
                for m in range(n3):
                    best3 = best2
                    winner3 = winner2
                    if s.beats[best2] >> cards3[m] & 1:
                        best3 = cards3[m]
                        winner3 = seat3
                    trick = bit(cards0[i]) | bit(cards1[j]) | bit(cards2[k]) | bit(cards3[m])
                    stake = s.value[cards0[i]] + s.value[cards1[j]] + s.value[cards2[k]] + s.value[cards3[m]]
                    end = last_trick(s, left & ~trick, winner3, sweepers & 1 << (winner3 & 1), points - stake)
                    end.value = points - stake - end.value if (winner3 ^ seat) & 1 else stake + end.value
                    suit_cards = trick & lane(best3 >> 4)
                    if suit_cards & (suit_cards - 1):
                        end.ranks |= bit(best3)
                    after3.value = min(after3.value, end.value)
                    if end.value < wanted:
                        after3.ranks = end.ranks
                        break
                    after3.ranks |= end.ranks
                after2.value = max(after2.value, after3.value)
                if after3.value >= wanted:
                    after2.ranks = after3.ranks
                    break
                after2.ranks |= after3.ranks
            after1.value = min(after1.value, after2.value)
            if after2.value < wanted:
                after1.ranks = after2.ranks
                break
            after1.ranks |= after2.ranks
        proof.value = max(proof.value, after1.value)
        if after1.value >= wanted:
            proof.ranks = after1.ranks
            break
        proof.ranks |= after1.ranks
    return proof


cdef bint sure(const SolverState* s, uint64_t left, int seat, int sweepers, int points, int n, int wanted,
               Proof* proof) noexcept nogil:
    """Whether sure tricks decide the question: the highest trumps are their team's whoever plays when; once
    nobody else has a trump, the leader cashes the highest cards of each suit."""
    cdef const Row* row
    cdef int suit, sum_ = 0, length = 0
    proof.ranks = 0
    if left & s.trumps:
        row = row_of(s, left, TRUMP_LANE)
        if (row.owner ^ seat) & 1:
            proof.value = points - row.team_points
            if wanted > proof.value:
                return 1
        elif wanted <= row.team_points:
            proof.value = row.team_points
            return 1
    if left & s.trumps & ~s.hand[seat]:
        return 0
    for suit in range(4):
        row = row_of(s, left, suit)
        if row.run and row.owner == seat:
            sum_ += row.run_points
            length += row.run
            proof.ranks |= nth_highest(left & lane(suit), row.run)
    if length >= n:
        sum_ = points + (sweepers >> (seat & 1) & 1)
    proof.value = sum_
    return length > 0 and sum_ >= wanted


cdef Proof lead(SolverState* s, uint64_t left, int seat, int sweepers, int points, int n,
                int wanted) noexcept nogil:
    """Whether the team of `seat`, who leads, makes at least `wanted` of the `points` of the n tricks left."""
    cdef Proof proof
    cdef Choice choices[MAX_CHOICES]
    cdef Trick* trick
    cdef Group* group = NULL
    cdef uint64_t hash_ = 0
    proof.ranks = 0
    proof.value = points + (sweepers >> (seat & 1) & 1)
    if wanted > proof.value:
        return proof
    proof.value = -(sweepers >> (~seat & 1) & 1)
    if wanted <= proof.value:
        return proof
    if n == 1:
        return last_trick(s, left, seat, sweepers, points)
    if n > 2:
        hash_ = hash_of(s, left, seat, sweepers)
        group = group_at(s, hash_)
        fetch(group)
    if sure(s, left, seat, sweepers, points, n, wanted, &proof):
        return proof
    if n == 2:
        return two_tricks(s, left, seat, sweepers, points, wanted)
    if table_find(s, group, hash_, left, wanted, &proof):
        return proof
    s.limits.nodes += 1
    if s.limits.nodes >= s.limits.next_look and limits_reached(&s.limits):
        return proof
    trick = &s.tricks[n]
    trick.cards = left
    trick.sweepers = sweepers
    trick.points = points
    trick.n = n
    proof = tried(s, trick, 0, left, seat, 0, seat, 0, wanted, choices, lead_choices(s, left, seat, choices))
    if not s.limits.halted:
        table_keep(s, group, hash_, left, n, wanted, &proof)
    return proof


cdef inline Proof reply(SolverState* s, Trick* trick, const int n_trick, uint64_t left, int seat, int best,
                        int best_seat, int stake, int wanted) noexcept nogil:
    """The same for `seat`, who plays after n_trick cards of a trick worth `stake` so far."""
    cdef Choice choices[MAX_CHOICES]
    cdef uint64_t moves = follow(s, s.hand[seat] & left, trick.led, best)
    cdef int n = 1
    s.limits.nodes += 1
    if moves & (moves - 1):
        n = reply_choices(s, n_trick, left, seat, moves, trick.led, best, best_seat, stake, choices)
    else:
        choices[0].card = lowest(moves)
        choices[0].group = moves
        choices[0].alone = 1
    return tried(s, trick, n_trick, left, seat, best, best_seat, stake, wanted, choices, n)


cdef Proof second(SolverState* s, Trick* trick, uint64_t left, int seat, int best, int best_seat, int stake,
                  int wanted) noexcept nogil:
    return reply(s, trick, 1, left, seat, best, best_seat, stake, wanted)


cdef Proof third(SolverState* s, Trick* trick, uint64_t left, int seat, int best, int best_seat, int stake,
                 int wanted) noexcept nogil:
    return reply(s, trick, 2, left, seat, best, best_seat, stake, wanted)


cdef Proof fourth(SolverState* s, Trick* trick, uint64_t left, int seat, int best, int best_seat, int stake,
                  int wanted) noexcept nogil:
    return reply(s, trick, 3, left, seat, best, best_seat, stake, wanted)


cdef inline Proof tried(SolverState* s, Trick* trick, const int n_trick, uint64_t left, int seat, int best,
                        int best_seat, int stake, int wanted, Choice* choices, int n) noexcept nogil:
    """The proof by trying the choices, best first."""
    cdef Proof proof, found
    cdef int tried_value[MAX_CHOICES]
    cdef int tried_points[MAX_CHOICES]
    cdef Choice* choice
    cdef int i, points, bound
    proof.ranks = 0
    proof.value = NO_VALUE
    for i in range(n):
        tried_value[i] = NO_VALUE
    for i in range(n):
        if n > 1:
            best_first(choices, i, n)
        choice = &choices[i]
        points = s.value[choice.card]
        if not choice.alone and tried_value[choice.group_no] != NO_VALUE:
            bound = tried_value[choice.group_no] + abs(points - tried_points[choice.group_no])
            if bound < wanted:
                proof.value = max(proof.value, bound)
                continue
        found = after(s, trick, n_trick, left & ~bit(choice.card), seat, choice.card, best, best_seat,
                      stake + points, wanted)
        found.ranks = whole_group(found.ranks, choice)
        proof.value = max(proof.value, found.value)
        if found.value >= wanted:
            proof.ranks = found.ranks
            return proof
        proof.ranks |= found.ranks
        if not choice.alone:
            tried_value[choice.group_no] = <int> found.value
            tried_points[choice.group_no] = points
    return proof


cdef inline Proof after(SolverState* s, Trick* trick, const int n_trick, uint64_t left, int seat, int card,
                        int best, int best_seat, int stake, int wanted) noexcept nogil:
    """The proof for one card of `seat`."""
    cdef Proof proof
    cdef int next_seat = (seat + 1) & 3, points = trick.points, others = points - wanted + 1, sweepers
    cdef uint64_t suit_cards
    if n_trick == 0:
        trick.led = card
    if n_trick == 0 or s.beats[best] >> card & 1:
        best = card
        best_seat = seat
    if n_trick == 0:
        proof = second(s, trick, left, next_seat, best, best_seat, stake, others)
    elif n_trick == 1:
        proof = third(s, trick, left, next_seat, best, best_seat, stake, others)
    elif n_trick == 2:
        proof = fourth(s, trick, left, next_seat, best, best_seat, stake, others)
    else:
        sweepers = trick.sweepers & 1 << (best_seat & 1)
        suit_cards = trick.cards & ~left & lane(best >> 4)
        if (best_seat ^ seat) & 1:
            points -= stake
            proof = lead(s, left, best_seat, sweepers, points, trick.n - 1, points - wanted + 1)
        else:
            proof = lead(s, left, best_seat, sweepers, points - stake, trick.n - 1, wanted - stake)
            proof.value += stake
            points = 0
        if suit_cards & (suit_cards - 1):
            proof.ranks |= bit(best)
        if points == 0:
            return proof
    proof.value = points - proof.value
    return proof


# ------------------------------------------------------------------------------------------------- root

cdef struct Root:           # the position to solve, and positions after it
    Trick trick             # the one on the table
    uint64_t left           # cards in the hands
    int seat                # to move
    int n_trick             # cards of the trick
    int best                # its best card
    int best_seat
    int stake               # its points
    int made                # by team 0 since the first root

cdef struct Bounds:         # of what team 0 makes
    int low
    int high


cdef bint set_up(SolverState* s, const JassState* world, bint plain, Root* root) noexcept nogil:
    """Takes over a deal; 0 unless it is a full deal in play."""
    cdef int by_strength[9]
    cdef int contract = world.contract, suit, lane_no = 0, at, rank, card, seat, place, i, points
    cdef uint64_t trick_cards = 0, seen, cards
    if world.phase != PLAY or world.known != 15:
        return 0
    limits_begin(&s.limits)
    s.number += 1
    s.trumps = lane(TRUMP_LANE) if contract < 4 else 0
    s.under = 0
    points = world.rules.last_trick
    seen = 0
    for i in range(world.n_trick):
        trick_cards |= bit(world.trick[i])
    for seat in range(4):
        s.hand[seat] = 0
        seen |= world.hand[seat]
    seen |= trick_cards
    for suit in range(4):
        at = TRUMP_LANE if suit == contract else lane_no
        if at == lane_no and suit != contract:
            lane_no += 1
        place = 16 * at
        for rank in range(9):
            if contract < 4 and suit == contract:
                by_strength[jass_trump_order[rank]] = 16 * suit + rank
            else:
                by_strength[8 - rank if contract == 5 else rank] = 16 * suit + rank
        for rank in range(9):
            card = by_strength[rank]
            if not seen >> card & 1:
                continue
            s.card[place] = card
            s.value[place] = world.rules.value[contract][card]
            points += s.value[place]
            for seat in range(4):
                if world.hand[seat] >> card & 1:
                    s.hand[seat] |= bit(place)
            for i in range(world.n_trick):      # in its player's hand, and not left
                if world.trick[i] == card:
                    s.hand[(world.leader + i) & 3] |= bit(place)
            if suit == contract and card & 15 == 5:
                s.under = bit(place)
            place += 1
        for i in range(16 * at, place):
            s.beats[i] = lane(at) & (<uint64_t> -2 << i)
            if at != TRUMP_LANE:
                s.beats[i] |= s.trumps
        fill_rows(s, at, place - 16 * at)
    cards = s.hand[0] | s.hand[1] | s.hand[2] | s.hand[3]
    root.trick.cards = cards
    root.trick.points = points
    root.trick.n = 9 - world.trick_no
    root.trick.led = 0
    root.trick.sweepers = 0
    if not plain and world.rules.match_bonus:
        root.trick.sweepers = (world.tricks_won[1] == 0) | (world.tricks_won[0] == 0) << 1
    root.left = cards
    root.seat = world.leader
    root.n_trick = 0
    root.best = 0
    root.best_seat = world.leader
    root.stake = 0
    root.made = 0
    for i in range(world.n_trick):
        advance(s, root, card_inside(s, world.trick[i], cards))
    return 1


cdef int card_inside(const SolverState* s, int card, uint64_t cards) noexcept nogil:
    """Where a card lies here."""
    while cards:
        if s.card[lowest(cards)] == card:
            return lowest(cards)
        cards &= cards - 1
    return -1


cdef void fill_rows(SolverState* s, int suit, int n) noexcept nogil:
    """The rows of a suit of n cards, each from the row without its top card."""
    cdef Row* row
    cdef const Row* rest
    cdef int i, top, owner, other, value, place
    cdef uint64_t low
    cdef uint8_t owners[9]
    for i in range(n):
        for owner in range(4):
            if s.hand[owner] >> (16 * suit + i) & 1:
                owners[i] = owner
    memset(&s.rows[suit][0], 0, sizeof(Row))
    s.rows[suit][0].owner = 255
    for i in range(1, 1 << n):
        top = highest(i)
        owner = owners[top]
        value = s.value[16 * suit + top]
        row = &s.rows[suit][i]
        rest = &s.rows[suit][i ^ 1 << top]
        place = 0                       # in bytes: after the cards of the seats before
        for other in range(owner):
            place += rest.counts >> (4 * other) & 15
        if place < 8:                   # nine cards are all of a suit: no two positions differ in them
            low = ((<uint64_t> 1 << (8 * place)) - 1)
            row.points = (rest.points & low) | <uint64_t> value << (8 * place) | (rest.points & ~low) << 8
        else:
            row.points = rest.points
        row.owners = rest.owners << 2 | owner
        row.counts = rest.counts + (1 << 4 * owner)
        row.most = max(rest.most, value)
        row.least = min(rest.least, value) if rest.counts else value
        row.owner = owner
        row.run = 1 + (rest.run if rest.owner == owner else 0)
        row.run_points = value + (rest.run_points if rest.owner == owner else 0)
        row.team_points = value + (rest.team_points if rest.counts and (rest.owner ^ owner) & 1 == 0 else 0)


cdef void advance(const SolverState* s, Root* root, int card) noexcept nogil:
    """The position after a card."""
    cdef int team
    if root.n_trick == 0:
        root.trick.led = card
    if root.n_trick == 0 or s.beats[root.best] >> card & 1:
        root.best = card
        root.best_seat = root.seat
    root.stake += s.value[card]
    root.left &= ~bit(card)
    root.seat = (root.seat + 1) & 3
    root.n_trick += 1
    if root.n_trick < 4:
        return
    team = root.best_seat & 1
    root.trick.sweepers &= 1 << team
    root.trick.n -= 1
    if root.trick.n == 0:
        root.made += -(root.trick.sweepers >> 1) if team else root.trick.points + root.trick.sweepers
        return
    if team == 0:
        root.made += root.stake
    root.trick.points -= root.stake
    root.trick.cards = root.left
    root.seat = root.best_seat
    root.n_trick = 0
    root.stake = 0


cdef int least_most(SolverState* s, const Root* root, int wanted) noexcept nogil:
    """A null-window search: a bound on what team 0 makes from the first root on, of `wanted` or below."""
    cdef Root at = root[0]
    cdef Trick* trick = &s.tricks[root.trick.n]
    cdef Proof proof
    cdef int points = root.trick.points
    while at.trick.n == 1 and at.n_trick:       # the search takes the last trick as a whole
        advance(s, &at, lowest(s.hand[at.seat] & at.left))
    if at.trick.n == 0:
        return at.made
    wanted -= at.made
    if at.seat & 1:
        wanted = points - wanted + 1
    trick[0] = at.trick
    if at.n_trick == 0:
        proof = lead(s, at.left, at.seat, trick.sweepers, points, trick.n, wanted)
    elif at.n_trick == 1:
        proof = second(s, trick, at.left, at.seat, at.best, at.best_seat, at.stake, wanted)
    elif at.n_trick == 2:
        proof = third(s, trick, at.left, at.seat, at.best, at.best_seat, at.stake, wanted)
    else:
        proof = fourth(s, trick, at.left, at.seat, at.best, at.best_seat, at.stake, wanted)
    return at.made + <int> (points - proof.value if at.seat & 1 else proof.value)


cdef Bounds all_of(const Root* root) noexcept nogil:
    """What team 0 could make at all."""
    cdef Bounds bounds
    bounds.low = bounds.high = root.made
    if root.trick.n:
        bounds.low -= root.trick.sweepers >> 1
        bounds.high += root.trick.points + (root.trick.sweepers & 1)
    return bounds


cdef Bounds narrow(SolverState* s, const Root* root, Bounds bounds, int guess) noexcept nogil:
    """Halves the bounds until they meet, or a limit is reached; with a guess (else NO_VALUE) tries that first."""
    cdef int wanted, value, n_guesses = 0 if guess == NO_VALUE else 2
    while bounds.low < bounds.high:
        wanted = (bounds.low + bounds.high + 1) >> 1
        if n_guesses and bounds.low < guess <= bounds.high:
            wanted = guess
        n_guesses -= n_guesses > 0
        value = least_most(s, root, wanted)
        if s.limits.halted:
            break
        if value >= wanted:
            bounds.low = value
            guess = value + 1
        else:
            bounds.high = value
            guess = value
    return bounds


cdef void as_points(const Root* root, int value, int match_bonus, int* points) noexcept nogil:
    """A value as points of both teams; `root` is the first root."""
    if 0 <= value <= root.trick.points:
        points[0] = value
        points[1] = root.trick.points - value
    else:
        points[0] = points[1] = 0
        points[value < 0] = root.trick.points + match_bonus


# -------------------------------------------------------------------------------------------- interface

cdef bint solver_open(SolverState* s, double mib) noexcept nogil:
    """Takes memory, `mib` MiB rounded down to a power of two, 64 KiB at least; 0 if there is none."""
    memset(s, 0, sizeof(SolverState))
    limits_none(&s.limits)
    s.n_groups = (1 << 16) // sizeof(Group)
    while s.n_groups * 2 * sizeof(Group) <= mib * (1 << 20):
        s.n_groups *= 2
    s.table = <Group*> aligned_alloc(64, s.n_groups * sizeof(Group))
    if s.table == NULL:
        return 0
    memset(s.table, 0, s.n_groups * sizeof(Group))
    return 1


cdef void solver_close(SolverState* s) noexcept nogil:
    free(s.table)
    s.table = NULL


cdef bint solver_value(SolverState* s, const JassState* world, bint plain, int* points) noexcept nogil:
    """The exact points still to come, by team, of a full deal in play; 0 if a limit was reached first."""
    cdef Root root
    cdef Bounds bounds
    if not set_up(s, world, plain, &root):
        return 0
    bounds = narrow(s, &root, all_of(&root), NO_VALUE)
    as_points(&root, bounds.low, world.rules.match_bonus, points)
    return bounds.low == bounds.high


cdef int solver_moves(SolverState* s, const JassState* world, bint plain, int* moves,
                      int* points) noexcept nogil:
    """The exact points still to come, by team, after each legal move (arrays of 9 and 18); returns the number
    of moves, 0 if a limit was reached first."""
    cdef Root root, child
    cdef Bounds bounds
    cdef uint64_t legal
    cdef int n = 0, guess = NO_VALUE
    if not set_up(s, world, plain, &root):
        return 0
    legal = jass_legal(world)
    while legal:
        moves[n] = lowest(legal)
        legal &= legal - 1
        child = root
        advance(s, &child, card_inside(s, moves[n], root.left))
        bounds = narrow(s, &child, all_of(&child), guess)
        if bounds.low < bounds.high:
            return 0
        guess = bounds.low
        as_points(&root, bounds.low, world.rules.match_bonus, points + 2 * n)
        n += 1
    return n


class Solution(NamedTuple):
    """What is proved of a position. Points are (team 0, team 1), still to come, unmultiplied.

    value: with best play by all four, None if a limit was reached before it was exact. at_least, at_most:
    the outcomes between which it lies, the worst and the best for team 0. nodes: positions searched. pv: the
    best moves to the end of the deal, empty if the value is not exact.
    """

    value: tuple[int, int] | None
    at_least: tuple[int, int]
    at_most: tuple[int, int]
    nodes: int
    pv: tuple[int, ...]


cdef class Solver:
    """Solves positions exactly; `hash_mib` MiB (rounded down to a power of two) hold what is proved.

    One solve at a time; use one solver a thread.
    """

    def __cinit__(self, double hash_mib=4.0):
        if not 0 < hash_mib <= 65536:
            raise ValueError(f"hash_mib={hash_mib}: must be above 0, 65536 at most")
        if not solver_open(&self.s, hash_mib):
            raise MemoryError(f"hash_mib={hash_mib}: no memory")
        self.s.limits.stopped = &self.stopped
        self.hash_mib = self.s.n_groups * sizeof(Group) / 1048576.0

    def __dealloc__(self):
        solver_close(&self.s)

    def solve(self, JassDeal deal not None, *, plain=False, pv=True, max_nodes=None, seconds=None):
        """The `Solution` of a full deal in play. plain: without the match bonus. pv: look for the best moves
        as well. max_nodes, seconds: give up then. The GIL is released. ValueError if a hand is unknown or no
        card is to be played."""
        cdef Root root, at
        cdef Bounds bounds
        cdef int low[2]
        cdef int high[2]
        cdef int card = 0
        cdef bint without_bonus = plain
        self.stopped = 0
        limits_set(&self.s.limits, max_nodes, seconds)
        if not set_up(&self.s, &deal.s, without_bonus, &root):
            raise ValueError("only a full deal whose contract is named and that is not over can be solved")
        with nogil:
            bounds = narrow(&self.s, &root, all_of(&root), NO_VALUE)
        as_points(&root, bounds.low, deal.rules.c.match_bonus, low)
        as_points(&root, bounds.high, deal.rules.c.match_bonus, high)
        line = []
        at = root
        while pv and bounds.low == bounds.high and at.trick.n and card >= 0:
            with nogil:
                card = best_card(&self.s, &at, bounds.low)
            if card >= 0:
                line.append(self.s.card[card])
                advance(&self.s, &at, card)
        exact = bounds.low == bounds.high
        return Solution((low[0], low[1]) if exact else None, (low[0], low[1]), (high[0], high[1]),
                        self.s.limits.nodes, tuple(line))

    def solve_moves(self, JassDeal deal not None, *, plain=False, max_nodes=None, seconds=None):
        """[(move, points still to come by team)] for every legal move, best first for the seat to move; empty
        if a limit was reached. Options and errors as for `solve`."""
        cdef int moves[9]
        cdef int points[18]
        cdef int n
        cdef bint without_bonus = plain
        if deal.s.phase != PLAY or deal.s.known != 15:
            raise ValueError("only a full deal whose contract is named and that is not over can be solved")
        self.stopped = 0
        limits_set(&self.s.limits, max_nodes, seconds)
        with nogil:
            n = solver_moves(&self.s, &deal.s, without_bonus, moves, points)
        found = [(moves[i], (points[2 * i], points[2 * i + 1])) for i in range(n)]
        sign = -1 if deal.s.to_move & 1 else 1
        found.sort(key=lambda each: sign * (each[1][0] - each[1][1]), reverse=True)
        return found

    def stop(self):
        """Ends a solve, from any thread, within a millisecond."""
        self.stopped = 1


cdef int best_card(SolverState* s, const Root* root, int value) noexcept nogil:
    """A card that keeps what team 0 makes at `value`; -1 if a limit was reached."""
    cdef Root child
    cdef uint64_t moves = s.hand[root.seat] & root.left
    cdef int card, bound
    if root.n_trick:
        moves = follow(s, moves, root.trick.led, root.best)
    while moves:
        card = highest(moves)
        moves &= ~bit(card)
        child = root[0]
        advance(s, &child, card)
        if not moves:
            return card
        bound = least_most(s, &child, value + (root.seat & 1))
        if s.limits.halted:
            return -1
        if bound <= value if root.seat & 1 else bound >= value:
            return card
    return -1
