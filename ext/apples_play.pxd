# Apples: playing a round out, by chance or by a cheap policy that sees what its seat sees.

from libc.stdint cimport uint64_t
from trickbot.ext.apples_state cimport ApplesState, N_TRICKS, PASS, apples_advance, apples_legal
from trickbot.ext.bits cimport bit, count, lane, lowest, nth, nth_bit, pick
from trickbot.ext.phase cimport AUCTION, OVER, PLAY
from trickbot.ext.rng cimport Rng, rng_next


cdef inline uint64_t apples_random_card(uint64_t legal, uint64_t coin) noexcept nogil:
    """One of the legal cards, as a bit, by 16 random bits (bias under 0.02 %)."""
    return nth_bit(legal, <int> (((coin & 0xffff) * <uint64_t> count(legal)) >> 16))


cdef inline int apples_policy(const ApplesState* s, Rng* rng) noexcept nogil:
    """A cheap move by what the seat to move sees."""
    cdef uint64_t legal = apples_legal(s)
    if s.phase == AUCTION:
        return PASS if s.bid_n else nth(legal & ~bit(PASS), 0)
    return lowest(apples_random_card(legal, rng_next(rng)))


cdef inline void apples_to_whole_tricks(ApplesState* s, Rng* rng) noexcept nogil:
    """Plays until a trick begins."""
    while s.phase != PLAY and s.to_move >= 0:
        apples_advance(s, apples_policy(s, rng), rng)
    while s.phase == PLAY and s.n_trick:
        apples_advance(s, lowest(apples_random_card(apples_legal(s), rng_next(rng))), rng)


cdef inline void apples_random_trick(ApplesState* s, Rng* rng) noexcept nogil:
    """A whole trick of uniform legal cards, without the bookkeeping of `apples_advance` and without a branch: one
    random number for four cards."""
    cdef uint64_t coins = rng_next(rng), trumps = lane(s.bid_suit), hand, follow, card, cards, led, beat, higher
    cdef int seat = s.leader, best = seat, _i
    hand = s.hand[seat]
    card = nth_bit(hand, <int> (((coins & 0xffff) * <uint64_t> (N_TRICKS - s.trick_no)) >> 16))
    s.hand[seat] = hand ^ card
    led = lane(lowest(card) >> 4)
    beat = led & (<uint64_t> 0 - (card << 1)) | trumps & ~led
    cards = card
    for _i in range(3):
        seat = (seat + 1) & 3
        coins >>= 16
        hand = s.hand[seat]
        follow = hand & led
        card = apples_random_card(pick(follow, follow, hand), coins)
        s.hand[seat] = hand ^ card
        cards |= card
        # what beats it if it beats: it is of the led suit or a trump
        higher = <uint64_t> 0 - (card << 1)
        higher = pick(card & trumps, trumps & higher, led & higher | trumps)
        best = <int> pick(card & beat, seat, best)
        beat = pick(card & beat, higher, beat)
    s.won[best] |= cards
    s.leader = best
    s.trick_no += 1


cdef inline void apples_finish(ApplesState* s) noexcept nogil:
    if s.phase == PLAY:
        s.phase = OVER
        s.to_move = -1


cdef inline void apples_playout(ApplesState* s, Rng* rng) noexcept nogil:
    """Uniform legal cards to the end of the round, in a full world; the choices before by the policy."""
    apples_to_whole_tricks(s, rng)
    while s.phase == PLAY and s.trick_no < N_TRICKS:
        apples_random_trick(s, rng)
    apples_finish(s)


cdef inline void apples_playout_pair(ApplesState* a, ApplesState* b, Rng* rng) noexcept nogil:
    """Two playouts side by side: a playout is one long chain of dependent steps, and two fill each other's
    waiting."""
    apples_to_whole_tricks(a, rng)
    apples_to_whole_tricks(b, rng)
    if a.phase == PLAY and b.phase == PLAY:
        while a.trick_no < N_TRICKS and b.trick_no < N_TRICKS:
            apples_random_trick(a, rng)
            apples_random_trick(b, rng)
    apples_playout(a, rng)
    apples_playout(b, rng)
