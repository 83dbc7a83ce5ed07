# Schieber Jass: playing a deal out by chance, and what it was worth.

from libc.math cimport exp, sqrt
from libc.stdint cimport uint8_t, uint64_t
from trickbot.ext.bits cimport count, lowest, pick
from trickbot.ext.jass_policy cimport jass_choose_contract, jass_policy, jass_random_card
from trickbot.ext.jass_state cimport (
    OBENABE, Follow, JassState, jass_add, jass_advance, jass_beats, jass_end_trick, jass_follow, jass_lead, jass_legal,
    jass_stoeck_cards, jass_trumps,
)
from trickbot.ext.objective cimport Objective, Style
from trickbot.ext.phase cimport CONTRACT, PLAY
from trickbot.ext.rng cimport Rng, rng_next


cdef inline int jass_stoeck_holder(const JassState* s) noexcept nogil:
    """The seat that has a Stoeck still to score, in a full world; -1."""
    cdef uint64_t pair
    cdef int seat
    if s.phase == PLAY and s.stoeck < 0 and s.rules.stoeck and s.contract < OBENABE:
        pair = jass_stoeck_cards(s)
        for seat in range(4):
            if (s.hand[seat] | s.played[seat]) & pair == pair:
                return seat
    return -1


cdef inline int jass_to_whole_tricks(JassState* s, Rng* rng) noexcept nogil:
    """Plays until a trick begins; the seat whose hand has a Stoeck still to score, -1."""
    while s.phase == CONTRACT:
        jass_advance(s, jass_choose_contract(s, NULL), rng)
    while s.phase == PLAY and s.n_trick:
        jass_advance(s, lowest(jass_random_card(jass_legal(s), rng_next(rng))), rng)
    return jass_stoeck_holder(s)


cdef inline void jass_random_trick(JassState* s, int holder, Rng* rng) noexcept nogil:
    """A whole trick of uniform legal cards, without the bookkeeping of `jass_advance` and without a branch: one
    random number for four cards, the holder's Stoeck looked for at the end."""
    cdef uint64_t coins = rng_next(rng)
    cdef const uint64_t* beats = jass_beats[s.contract]
    cdef const uint8_t* value = s.rules.value[s.contract]
    cdef int seat = s.leader, best = seat, i, _i, card, points
    cdef uint64_t played = jass_random_card(s.hand[seat], coins), beat, beats_it
    cdef Follow follow
    card = lowest(played)
    follow = jass_lead(card, jass_trumps[s.contract])
    beat = beats[card]
    points = value[card]
    if s.trick_no == 0:
        for i in range(4):
            s.played[i] = s.hand[i]
    s.hand[seat] ^= played
    for _i in range(1, 4):
        seat = (seat + 1) & 3
        coins >>= 16
        played = jass_random_card(jass_follow(s.hand[seat], &follow, beat), coins)
        s.hand[seat] ^= played
        card = lowest(played)
        points += value[card]
        beats_it = played & beat
        best = <int> pick(beats_it, seat, best)
        beat = pick(beats_it, beats[card], beat)
    if s.trick_no == 0:
        for i in range(4):
            s.played[i] ^= s.hand[i]
    s.best = best
    s.trick_points = points
    if holder >= 0 and s.stoeck < 0 and not s.hand[holder] & jass_stoeck_cards(s):
        s.stoeck = holder
        jass_add(s, holder & 1, s.rules.stoeck * s.rules.multiplier[s.contract])
        if s.winner >= 0:
            return
    jass_end_trick(s)


cdef inline void jass_playout(JassState* s, const Style* style, Rng* rng) noexcept nogil:
    """To the end of the deal, in a full world: some tricks from the play model, then uniform legal cards."""
    cdef int until = s.trick_no + style.playout_tricks, holder
    while s.phase == CONTRACT:
        jass_advance(s, jass_policy(s, style, rng), rng)
    if style.model != NULL and style.playout_tricks > 0:
        while s.phase == PLAY and s.trick_no < until:
            jass_advance(s, jass_policy(s, style, rng), rng)
    holder = jass_to_whole_tricks(s, rng)
    while s.phase == PLAY:
        jass_random_trick(s, holder, rng)


cdef inline void jass_playout_pair(JassState* a, JassState* b, Rng* rng) noexcept nogil:
    """Two playouts side by side: a playout is one long chain of dependent steps, and two fill each other's
    waiting."""
    cdef int holder_a = jass_to_whole_tricks(a, rng)
    cdef int holder_b = jass_to_whole_tricks(b, rng)
    while a.phase == PLAY and b.phase == PLAY:
        jass_random_trick(a, holder_a, rng)
        jass_random_trick(b, holder_b, rng)
    while a.phase == PLAY:
        jass_random_trick(a, holder_a, rng)
    while b.phase == PLAY:
        jass_random_trick(b, holder_b, rng)


cdef inline double jass_win_chance(const JassState* s, int seat) noexcept nogil:
    """Probability that the seat's side wins the match, after this deal: a race in which a side makes deal_mean
    points a deal and the difference has deal_sd; normal, by its logistic likeness."""
    cdef double own, other, deals
    cdef int side = seat & 1
    if s.winner >= 0:
        return 1.0 if s.winner == side else 0.0
    own = s.to_go[side] - s.points[side]
    other = s.to_go[side ^ 1] - s.points[side ^ 1]
    deals = 0.5 + min(own, other) / s.rules.deal_mean
    return 1.0 / (1.0 + exp(-1.702 * (other - own) / (s.rules.deal_sd * sqrt(deals))))


cdef inline void jass_outcome(const JassState* s, const Objective* o, double* points, double* utility) noexcept nogil:
    """points: of the deal by side, as they enter the match. utility: by seat, 0..1 about."""
    cdef double own
    points[0] = s.points[0]
    points[1] = s.points[1]
    if o.win:
        own = jass_win_chance(s, 0)
    else:
        own = 0.5 + 0.5 * (points[0] - points[1]) / o.scale
    utility[0] = utility[2] = own
    utility[1] = utility[3] = 1.0 - own
