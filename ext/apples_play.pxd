# Apples: playing a round out, by chance or by a cheap policy that sees what its seat sees.

from libc.stdint cimport uint64_t
from trickbot.ext.apples_state cimport (
    ApplesState, PASS, N_TRICKS, apples_advance, apples_beats, apples_legal,
)
from trickbot.ext.bits cimport bit, count, lane, nth
from trickbot.ext.phase cimport AUCTION, OVER, PLAY
from trickbot.ext.rng cimport Rng, rng_next


cdef inline int apples_random_card(uint64_t legal, uint64_t coin) noexcept nogil:
    """One of the legal cards by 16 random bits (bias under 0.02 %)."""
    return nth(legal, <int> (((coin & 0xffff) * <uint64_t> count(legal)) >> 16))


cdef inline int apples_policy(const ApplesState* s, Rng* rng) noexcept nogil:
    """A cheap move by what the seat to move sees."""
    cdef uint64_t legal = apples_legal(s)
    if s.phase == AUCTION:
        return PASS if s.bid_n else nth(legal & ~bit(PASS), 0)
    return apples_random_card(legal, rng_next(rng))


cdef inline void apples_playout(ApplesState* s, Rng* rng) noexcept nogil:
    """Uniform legal cards to the end of the round, in a full world; the choices before by the policy. Whole
    tricks go through a loop without the bookkeeping of `apples_advance`: one random number a trick."""
    cdef uint64_t coins, trumps, led, beat, hand, legal, card, cards
    cdef int i, seat, best, move
    while s.phase != PLAY and s.to_move >= 0:
        apples_advance(s, apples_policy(s, rng), rng)
    while s.phase == PLAY and s.n_trick:
        apples_advance(s, apples_random_card(apples_legal(s), rng_next(rng)), rng)
    if s.phase != PLAY:
        return
    trumps = lane(s.bid_suit)
    best = s.leader
    while s.trick_no < N_TRICKS:
        coins = rng_next(rng)
        seat = best
        move = nth(s.hand[seat], <int> (((coins & 0xffff) * <uint64_t> (N_TRICKS - s.trick_no)) >> 16))
        cards = bit(move)
        s.hand[seat] ^= cards
        led = lane(move >> 4)
        beat = apples_beats(move, trumps)
        for i in range(3):
            seat = (seat + 1) & 3
            coins >>= 16
            hand = s.hand[seat]
            legal = hand & led
            legal = legal if legal else hand
            move = apples_random_card(legal, coins)
            card = bit(move)
            s.hand[seat] = hand ^ card
            cards |= card
            best = seat if card & beat else best
            beat = apples_beats(move, trumps) if card & beat else beat
        s.won[best] |= cards
        s.trick_no += 1
    s.leader = best
    s.phase = OVER
    s.to_move = -1
