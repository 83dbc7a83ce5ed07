# Apples: playing a round out, by chance or by a cheap policy that sees what its seat sees.

from libc.stdint cimport uint8_t, uint64_t
from trickbot.ext.apples_policy cimport (
    ApplesWeights, apples_follow, apples_lead, apples_policy, apples_random_card, apples_rules, apples_tally,
    apples_weights,
)
from trickbot.ext.apples_state cimport APPLES_PACK, N_TRICKS, ApplesState, apples_advance, apples_beats, apples_legal
from trickbot.ext.bits cimport bit, lane, lowest, nth_bit, pick
from trickbot.ext.objective cimport Style
from trickbot.ext.phase cimport OVER, PLAY
from trickbot.ext.rng cimport Rng, rng_next


cdef inline void apples_to_whole_tricks(ApplesState* s, bint by_policy, Rng* rng) noexcept nogil:
    """Plays until a trick begins: the choices before the play by the policy, the cards of a trick that has begun by
    the policy or by chance."""
    while s.to_move >= 0 and (s.phase != PLAY or s.n_trick):
        if s.phase == PLAY and not by_policy:
            apples_advance(s, lowest(apples_random_card(apples_legal(s), rng_next(rng))), rng)
        else:
            apples_advance(s, apples_policy(s, rng), rng)


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


cdef inline void apples_random_playout(ApplesState* s, Rng* rng) noexcept nogil:
    """Uniform legal cards to the end of the round, in a full world; the choices before by the policy."""
    apples_to_whole_tricks(s, 0, rng)
    while s.phase == PLAY and s.trick_no < N_TRICKS:
        apples_random_trick(s, rng)
    apples_finish(s)


cdef inline void apples_playout_pair(ApplesState* a, ApplesState* b, Rng* rng) noexcept nogil:
    """Two playouts side by side: a playout is one long chain of dependent steps, and two fill each other's
    waiting."""
    apples_to_whole_tricks(a, 0, rng)
    apples_to_whole_tricks(b, 0, rng)
    if a.phase == PLAY and b.phase == PLAY:
        while a.trick_no < N_TRICKS and b.trick_no < N_TRICKS:
            apples_random_trick(a, rng)
            apples_random_trick(b, rng)
    apples_random_playout(a, rng)
    apples_random_playout(b, rng)


# ------------------------------------------------------------------------------------------- by the policy

cdef inline void apples_policy_tricks(ApplesState* s, int n, const ApplesWeights* const* w) noexcept nogil:
    """n whole tricks, each seat by its weights: the choices of `apples_rules`, with the piles' tallies kept from trick
    to trick."""
    cdef uint64_t trumps = lane(s.bid_suit), seen = s.won[0] | s.won[1] | s.won[2] | s.won[3]
    cdef uint64_t hand, legal, out, led, beat, card, cards
    cdef uint64_t tally[4]
    cdef uint64_t target[4]         # what the own target adds to a tally
    cdef uint8_t trick[4]
    cdef int seat, best = s.leader, i, left
    for seat in range(4):
        tally[seat] = apples_tally(s.won[seat], -1)
        target[seat] = <uint64_t> 9 << (4 * (s.target[seat] & 15))
    for left in range(N_TRICKS - s.trick_no, N_TRICKS - s.trick_no - n, -1):
        seat = best
        hand = s.hand[seat]
        card = apples_lead(w[seat], hand, APPLES_PACK & ~(seen | hand | bit(s.target[seat])), trumps, left,
                           tally[seat] + target[seat])
        trick[0] = lowest(card)
        led = lane(trick[0] >> 4)
        beat = apples_beats(trick[0], trumps)
        cards = card
        s.hand[seat] = hand ^ card
        for i in range(1, 4):
            seat = (seat + 1) & 3
            hand = s.hand[seat]
            legal = hand & led
            legal = legal if legal else hand
            card = legal
            if legal & (legal - 1):
                out = APPLES_PACK & ~(seen | cards | hand | bit(s.target[seat]))
                card = apples_follow(w[seat], hand, legal, out, trumps, beat, trick, i, left,
                                     tally[seat] + target[seat], tally[best])
            trick[i] = lowest(card)
            if card & beat:
                best = seat
                beat = apples_beats(trick[i], trumps)
            cards |= card
            s.hand[seat] = hand ^ card
        seen |= cards
        s.won[best] |= cards
        for i in range(4):
            tally[best] += <uint64_t> 1 << (4 * (trick[i] & 15))
    s.trick_no += n
    s.leader = best


cdef inline void apples_rules_playout(ApplesState* s, const ApplesWeights* const* w, Rng* rng) noexcept nogil:
    """All choices to the end of the round by each seat's weights, each by what its seat sees."""
    while s.to_move >= 0 and (s.phase != PLAY or s.n_trick):
        apples_advance(s, apples_rules(s, w[s.to_move]), rng)
    if s.phase == PLAY:
        apples_policy_tricks(s, N_TRICKS - s.trick_no, w)
        apples_finish(s)


cdef inline void apples_playout(ApplesState* s, const Style* style, Rng* rng) noexcept nogil:
    """To the end of the round, in a full world: style.playout_tricks tricks by the policy, the rest by chance."""
    cdef const ApplesWeights* w[4]
    cdef int n
    if style.playout_tricks == 0:
        apples_random_playout(s, rng)
        return
    apples_to_whole_tricks(s, 1, rng)
    if s.phase == PLAY:
        n = min(style.playout_tricks, N_TRICKS - s.trick_no)
        w[0] = w[1] = w[2] = w[3] = &apples_weights
        apples_policy_tricks(s, n, w)
        while s.trick_no < N_TRICKS:
            apples_random_trick(s, rng)
        apples_finish(s)
