# The cards worth trying in a Jass position with open hands, and the order in which the solver tries them.
#
# Cards of one hand with no card of another hand between them are a group: they win and lose the same tricks
# and differ in their points only. Where it is settled who wins the trick, one card of the group is as good as
# all: the dearest for an own trick, the cheapest for a lost one.

from libc.stdint cimport uint64_t
from trickbot.ext.bits cimport bit, count, highest, lane
from trickbot.ext.solver cimport Row, SolverState
from trickbot.ext.weights cimport LeadWeight, ReplyClass, lead_weights, reply_classes

cdef enum:
    MAX_CHOICES = 9
    FOLLOW = 0              # kinds of replies
    RUFF = 1
    DISCARD = 2
    TRUMP = 3               # a trump on a trump

cdef struct Choice:
    uint64_t group
    int score               # higher is tried first
    int card
    int group_no
    bint alone              # no other card of its group has to be tried


cdef inline bint is_trump(const SolverState* s, int card) noexcept nogil:
    return s.trumps >> card & 1


cdef inline const Row* row_of(const SolverState* s, uint64_t cards, int suit) noexcept nogil:
    """The row of a set's cards of one suit."""
    return &s.rows[suit][cards >> (16 * suit) & 511]


cdef inline uint64_t group_of(const SolverState* s, uint64_t cards, uint64_t others, int card) noexcept nogil:
    """The cards of `cards` from their highest of a suit, `card`, down to the next of the `others`. The
    Under, which need not follow trumps, is like no other card."""
    cdef uint64_t group = cards & lane(card >> 4), below = others & lane(card >> 4) & (bit(card) - 1)
    if below:
        group &= ~((<uint64_t> 2 << highest(below)) - 1)
    return s.under if group & s.under else group


cdef inline int lead_choices(const SolverState* s, uint64_t left, int seat, Choice* choices) noexcept nogil:
    """The cards to lead; returns their number."""
    cdef uint64_t before = s.hand[(seat + 1) & 3] & left, behind = s.hand[(seat + 3) & 3] & left
    cdef uint64_t partner = s.hand[(seat + 2) & 3] & left, hand = s.hand[seat] & left
    cdef uint64_t opponents = before | behind, others = opponents | partner, moves = hand, suit, above, group
    cdef const Row* left_row
    cdef const Row* partner_row
    cdef const Row* right_row
    cdef const LeadWeight* w
    cdef int n = 0, n_groups = 0, card, score, by_value
    cdef bint partner_master
    while moves:
        card = highest(moves)
        suit = lane(card >> 4)
        above = suit & ~((<uint64_t> 2 << card) - 1)
        group = group_of(s, moves, others, card)
        moves &= ~group
        left_row = row_of(s, before, card >> 4)
        partner_row = row_of(s, partner, card >> 4)
        right_row = row_of(s, behind, card >> 4)
        w = &lead_weights[2 if not s.trumps else is_trump(s, card)]
        partner_master = partner & suit > opponents & suit
        score = (w.base + (not others & above) * w.master + partner_master * w.partner_master
                 + (partner & above != 0) * w.partner_over + (before & above != 0) * w.left_over
                 + (behind & above != 0) * w.right_over + count(hand & suit) * w.length
                 + count(others & suit & (bit(card) - 1)) * w.below + count(others & above) * w.above
                 + left_row.most * w.left_most + left_row.least * w.left_least
                 + partner_row.most * w.partner_most + partner_row.least * w.partner_least
                 + right_row.most * w.right_most + right_row.least * w.right_least)
        if not before & suit:
            score += w.left_void + (before & s.trumps != 0) * w.left_ruff
        if not behind & suit:
            score += w.right_void + (behind & s.trumps != 0) * w.right_ruff
        if not partner & suit:
            score += w.partner_void
        by_value = w.value + partner_master * w.partner_value
        if not opponents & s.beats[card]:
            score += w.sure + left_row.most * w.sure_left_most + partner_row.most * w.sure_partner_most
            by_value += w.sure_value
            n = add_choices(s, choices, n, n_groups, group, score, by_value, 1, 1)
        else:
            n = add_choices(s, choices, n, n_groups, group, score, by_value, 0, 1)
        n_groups += 1
    return n


cdef inline int reply_choices(const SolverState* s, const int n_trick, uint64_t left, int seat,
                              uint64_t moves, int led, int best, int best_seat, int stake,
                              Choice* choices) noexcept nogil:
    """The cards to play among the legal `moves` after the n_trick cards of a trick worth `stake` points so
    far; returns their number."""
    cdef uint64_t next_hand = s.hand[(seat + 1) & 3] & left, partner = s.hand[(seat + 2) & 3] & left
    cdef uint64_t hand = s.hand[seat] & left, others = left & ~hand, in_way = others | bit(best)
    cdef uint64_t opponents = others & ~partner, suit, group, over
    cdef bint ours = ((best_seat ^ seat) & 1) == 0, wins, settled
    cdef const ReplyClass* classes = reply_classes[s.trumps == 0][n_trick - 1]
    cdef const ReplyClass* w
    cdef int n = 0, n_groups = 0, card, state, kind
    while moves:
        card = highest(moves)
        suit = lane(card >> 4)
        group = group_of(s, moves, in_way, card)
        moves &= ~group
        wins = s.beats[best] >> card & 1
        over = s.beats[card if wins else best]
        if n_trick == 3:
            settled = 1
        elif wins or ours:
            settled = not next_hand & over
        else:
            settled = n_trick == 2 or not partner & over
        state = (0 if wins else 2 if ours else 4) | (not settled)
        if card >> 4 == led >> 4:
            kind = TRUMP if is_trump(s, card) else FOLLOW
        else:
            kind = RUFF if is_trump(s, card) else DISCARD
        w = &classes[state | kind << 3 | (not others & suit & ~(bit(card) - 1)) << 5
                     | (hand & suit == bit(card)) << 6 | (partner & suit > opponents & suit) << 7]
        n = add_choices(s, choices, n, n_groups, group,
                        w.base + w.stake * stake + w.below * count(others & suit & (bit(card) - 1))
                        + w.group * count(group), w.value, settled, wins or ours)
        n_groups += 1
    return n


cdef inline int add_choices(const SolverState* s, Choice* choices, int n, int group_no, uint64_t group,
                            int score, int by_value, bint settled, bint won) noexcept nogil:
    """Adds the cards of a group that have to be tried; returns the number of choices then."""
    cdef int card = highest(group), other
    cdef uint64_t rest = group & ~bit(card)
    cdef bint alone = settled or not rest
    if settled:
        while rest:
            other = highest(rest)
            rest &= ~bit(other)
            if s.value[other] > s.value[card] if won else s.value[other] < s.value[card]:
                card = other
    choices[n].group = group
    choices[n].card = card
    choices[n].score = score + by_value * s.value[card]
    choices[n].group_no = group_no
    choices[n].alone = alone
    n += 1
    while rest:                     # of neighbours with equal points one
        other = highest(rest)
        rest &= ~bit(other)
        if s.value[other] != s.value[card]:
            card = other
            choices[n].group = group
            choices[n].card = card
            choices[n].score = score + by_value * s.value[card]
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
