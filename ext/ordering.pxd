# The cards worth trying in a Jass position with open hands, and the order in which the solver tries them.
#
# Cards of one hand with no card of another hand between them are a group: they win and lose the same tricks
# and differ in their points only. Where it is settled who wins the trick, one card of the group is as good as
# all: the dearest for an own trick, the cheapest for a lost one.

from libc.stdint cimport int16_t, uint64_t
from trickbot.ext.bits cimport bit, count, highest, lane
from trickbot.ext.solver cimport TRUMP_LANE, Row, SolverState

cdef enum:
    MAX_CHOICES = 9

cdef struct Choice:
    uint64_t group
    int card
    int score               # higher is tried first
    int group_no
    bint alone              # no other card of its group has to be tried

cdef extern from *:
    """
    #include <stdint.h>
    typedef struct { int16_t base, value, stake, below; } tb_weight;
    static tb_weight tb_weights[2][4][256];
    static void __attribute__((constructor)) tb_fill_weights(void) {
        for (int plain = 0; plain < 2; plain++)
            for (int c = 0; c < 256; c++) {
                int state = c & 7, kind = c >> 3 & 3, mine = state < 4, beats = state < 2, open = state & 1;
                int trump = kind == 1 || kind == 3;
                int risk = 40 * (c >> 5 & 1) + 10 * (c >> 3 & 1);
                int prize = open ? (beats ? 60 : 20) : mine ? 100 : 0;
                tb_weight lead = {(state == 0 ? 200 : state == 1 ? 100 : 0) - risk,
                                  state == 0 ? 12 : state == 1 ? 8 : -24, 0, 0};
                tb_weight reply = {prize - trump * 30 + (beats && !trump) * 20,
                                   mine ? (open ? 4 : 20) : -20, 0, 0};
                tb_weights[plain][0][c] = lead;
                tb_weights[plain][1][c] = tb_weights[plain][2][c] = tb_weights[plain][3][c] = reply;
            }
    }
    """
    ctypedef struct Weight "tb_weight":     # of a class of cards; all but the base in quarters
        int16_t base
        int16_t value       # by card point
        int16_t stake       # by point in the trick (leading: by point that the trick is likely to bring)
        int16_t below       # by card of the other hands below this one
    const Weight weights "tb_weights"[2][4][256]     # [no trump][cards in the trick][class]


cdef inline bint is_trump(const SolverState* s, int card) noexcept nogil:
    return s.trumps >> card & 1


cdef inline const Row* row_of(const SolverState* s, uint64_t cards, int suit) noexcept nogil:
    """The row of a set's cards of one suit."""
    return &s.rows[suit][cards >> (16 * suit) & 511]


cdef inline uint64_t group_of(uint64_t cards, uint64_t others, int card) noexcept nogil:
    """The cards of `cards` from their highest of a suit, `card`, down to the next of the `others`."""
    cdef uint64_t below = others & lane(card >> 4) & (bit(card) - 1)
    cdef uint64_t group = cards & lane(card >> 4)
    return group & ~((<uint64_t> 2 << highest(below)) - 1) if below else group


cdef inline int lead_choices(const SolverState* s, uint64_t left, int seat, Choice* choices) noexcept nogil:
    """The cards to lead; returns their number."""
    cdef uint64_t left_hand = s.hand[(seat + 1) & 3] & left, partner = s.hand[(seat + 2) & 3] & left
    cdef uint64_t right_hand = s.hand[(seat + 3) & 3] & left, hand = s.hand[seat] & left
    cdef uint64_t others = left & ~hand, moves = hand, suit_cards, over, group
    cdef bint they_trump = ((left_hand | right_hand) & s.trumps) != 0, partner_wins, good
    cdef int n = 0, n_groups = 0, card, suit, state, kind, stake
    cdef const Row* one
    while moves:
        card = highest(moves)
        suit = card >> 4
        suit_cards = lane(suit)
        group = group_of(moves, others, card)
        if group & s.under:
            group = s.under                 # may stay in the hand when trumps are led: like no other card
        moves &= ~group
        over = partner & s.beats[card]
        partner_wins = 0
        if over:
            if over & suit_cards:
                over &= suit_cards
            partner_wins = not (left_hand | right_hand) & s.beats[highest(over)]
        state = ((left_hand & s.beats[card]) != 0) | ((right_hand & s.beats[card]) != 0) << 1
        good = state == 0 or partner_wins
        if state:
            state = 1 if partner_wins else state + 1
        kind = (state | is_trump(s, card) << 3 | (not partner & suit_cards) << 4
                | (not left_hand & suit_cards or not right_hand & suit_cards) << 5
                | (hand & suit_cards == bit(card)) << 6 | they_trump << 7)
        one = row_of(s, partner, suit)
        if good:
            stake = row_of(s, left_hand, suit).least + row_of(s, right_hand, suit).least
            stake += one.most if one.counts else 6
        else:
            stake = -one.least
            stake -= row_of(s, left_hand, suit).most if left_hand & suit_cards else 6
            stake -= row_of(s, right_hand, suit).most if right_hand & suit_cards else 6
        n = add_choices(s, choices, n, n_groups, group, &weights[s.trumps == 0][0][kind], stake,
                        count(others & suit_cards & (bit(card) - 1)), state == 0, 1)
        n_groups += 1
    return n


cdef inline int reply_choices(const SolverState* s, const int n_trick, uint64_t left, int seat,
                              uint64_t moves, int led, int best, int best_seat, int stake,
                              Choice* choices) noexcept nogil:
    """The cards to play among the legal `moves` after the n_trick cards of a trick worth `stake` points so
    far; returns their number."""
    cdef uint64_t next_hand = s.hand[(seat + 1) & 3] & left, partner = s.hand[(seat + 2) & 3] & left
    cdef uint64_t hand = s.hand[seat] & left, others = (left & ~hand) | bit(best), suit_cards, group, over
    cdef bint ours = ((best_seat ^ seat) & 1) == 0, wins, settled, won, extra
    cdef int n = 0, n_groups = 0, card, suit, state, kind
    while moves:
        card = highest(moves)
        suit = card >> 4
        suit_cards = lane(suit)
        group = group_of(moves, others, card)
        if group & s.under:
            group = s.under
        moves &= ~group
        wins = s.beats[best] >> card & 1
        won = wins or ours
        over = s.beats[card if wins else best]
        if n_trick == 3:
            settled = 1
        elif won:
            settled = not next_hand & over
        else:
            settled = n_trick == 2 or not partner & over
        state = (0 if wins else 2 if won else 4) | (not settled)
        kind = 1 if is_trump(s, card) else 2
        if suit == led >> 4:
            kind = 3 if is_trump(s, card) else 0
        if n_trick == 1:
            extra = (partner & over) != 0
        elif n_trick == 2:
            extra = stake >= 10
        else:
            extra = s.value[card] >= 10
        kind = (state | kind << 3 | (not others & left & suit_cards & ~(bit(card) - 1)) << 5
                | (hand & suit_cards == bit(card)) << 6 | extra << 7)
        n = add_choices(s, choices, n, n_groups, group, &weights[s.trumps == 0][n_trick][kind], stake,
                        count(others & suit_cards & (bit(card) - 1)), settled, won)
        n_groups += 1
    return n


cdef inline int add_choices(const SolverState* s, Choice* choices, int n, int group_no, uint64_t group,
                            const Weight* weight, int stake, int below, bint settled,
                            bint won) noexcept nogil:
    """Adds the cards of a group that have to be tried; returns the number of choices then."""
    cdef int base = weight.base + ((weight.stake * stake + weight.below * below) >> 2)
    cdef int card = highest(group), other, last
    cdef uint64_t rest = group & ~bit(card)
    if settled or not rest:
        while rest:
            other = highest(rest)
            rest &= ~bit(other)
            if s.value[other] > s.value[card] if won else s.value[other] < s.value[card]:
                card = other
        choices[n].group = group
        choices[n].card = card
        choices[n].score = base + (weight.value * s.value[card] >> 2)
        choices[n].group_no = group_no
        choices[n].alone = 1
        return n + 1
    rest = group
    last = -1
    while rest:
        card = highest(rest)
        rest &= ~bit(card)
        if s.value[card] != last:
            last = s.value[card]
            choices[n].group = group
            choices[n].card = card
            choices[n].score = base + (weight.value * s.value[card] >> 2)
            choices[n].group_no = group_no
            choices[n].alone = 0
            n += 1
    return n


cdef inline void best_first(Choice* choices, int i, int n) noexcept nogil:
    """Brings the best of choices i to n - 1 to place i."""
    cdef int best = i, j
    cdef Choice one
    for j in range(i + 1, n):
        if choices[j].score > choices[best].score:
            best = j
    if best != i:
        one = choices[best]
        choices[best] = choices[i]
        choices[i] = one
