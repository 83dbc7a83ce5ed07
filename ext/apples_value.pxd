# Apples: what a round is worth to each seat, and which decisions the search looks at.

from libc.math cimport exp, sqrt
from libc.stdint cimport uint64_t
from trickbot.ext.apples_policy cimport apples_choose_card, apples_target_worth, apples_weights
from trickbot.ext.apples_state cimport HIDDEN, ApplesState, apples_legal, apples_score, apples_winner
from trickbot.ext.apples_worlds cimport ApplesPast, ApplesWorlds
from trickbot.ext.bits cimport bit, count, lane, lowest
from trickbot.ext.objective cimport Objective, Style
from trickbot.ext.phase cimport OVER, PLAY, TARGET
from trickbot.ext.rng cimport Rng, rng_uniform

cdef enum:
    ROUND_POINTS = 25       # that the best of a round makes, about
    ROUND_SD = 40           # standard deviation of a seat's points in a round, about
    AGREED = 55             # percent of cards in which bots agree with the policy
    TARGET_WIDTH = 48       # that the choice of a target is uncertain by, in the policy's sixteenths of a point


cdef inline int apples_in_tree(const ApplesState* s, int root_seat, int root_phase, const Style* style) noexcept nogil:
    """Cards are searched. Before the play only the root's own decisions of its phase are, the others' bids, gives and
    targets follow the policy, each by its own hand; the tree ends where the pile is dealt back, since what the root
    gets differs from world to world."""
    if s.phase == PLAY:
        if root_phase != PLAY and root_phase != TARGET:
            return -1
        return s.to_move == root_seat or not style.others
    if s.phase != root_phase:
        return -1
    return s.to_move == root_seat


cdef inline void apples_chances(const int* totals, int goal, double* chances) noexcept nogil:
    """Probability of each seat to win a match that stands so after a round: certain where it is over, else by a
    soft maximum over the totals that hardens as the goal comes near."""
    cdef int seat, winner = apples_winner(totals, goal), most = totals[0]
    cdef double sum_ = 0.0, width
    for seat in range(1, 4):
        most = max(most, totals[seat])
    width = 0.6 * ROUND_SD * sqrt(0.5 + max(0, goal - most) / <double> ROUND_POINTS)
    for seat in range(4):
        chances[seat] = exp((totals[seat] - most) / width) if winner < 0 else <double> (seat == winner)
        sum_ += chances[seat]
    for seat in range(4):
        chances[seat] /= sum_


cdef inline void apples_round(const ApplesState* s, int* points) noexcept nogil:
    """Points of a finished round by seat; none where the cards are dealt anew."""
    cdef int seat
    for seat in range(4):
        points[seat] = apples_score(s.won[seat], s.target[seat]) if s.phase == OVER else 0


cdef inline double apples_win_chance(const ApplesState* s, int seat) noexcept nogil:
    """Probability that this seat wins the match, after the round."""
    cdef int points[4]
    cdef double chances[4]
    cdef int each
    apples_round(s, points)
    for each in range(4):
        points[each] += s.match[each]
    apples_chances(points, s.goal, chances)
    return chances[seat]


cdef inline void apples_outcome(const ApplesState* s, const Objective* o, double* points,
                                double* utility) noexcept nogil:
    """points: of the round by seat. utility: by seat, one's own points against the others' mean, 0..1 about; or the
    chance to win the match."""
    cdef int own[4]
    cdef int seat, total = 0
    apples_round(s, own)
    for seat in range(4):
        points[seat] = own[seat]
        total += own[seat]
    if o.win:
        for seat in range(4):
            own[seat] += s.match[seat]
        apples_chances(own, s.goal, utility)
        return
    for seat in range(4):
        utility[seat] = 0.5 + 0.5 * (own[seat] - o.others * (total - own[seat]) / 3.0) / o.scale


# ---------------------------------------------------------------------------------------- likelihood

cdef inline double apples_redraw_target(ApplesState* world, int seat, Rng* rng) noexcept nogil:
    """Draws a hidden target anew among the cards that the seat has not played, as likely as the policy would have set
    it aside, softened; returns how likely the policy is to set aside one of these, by card."""
    cdef double up_to[13]
    cdef double total = 0.0, all_ = 0.0, likely, at
    cdef uint64_t held = world.hand[seat] | bit(world.target[seat]), hand = held | world.played[seat], left = hand
    cdef uint64_t trumps = lane(world.bid_suit)
    cdef bint fixed = world.voids[seat] >> (world.target[seat] >> 4) & 1     # a suit that it does not hold
    cdef int most = -(1 << 30), n = 0
    while left:
        most = max(most, apples_target_worth(hand, trumps, lowest(left), apples_weights.target))
        left &= left - 1
    left = hand
    while left:
        likely = exp((apples_target_worth(hand, trumps, lowest(left), apples_weights.target) - most)
                     / <double> TARGET_WIDTH)
        all_ += likely
        if left & -left & (bit(world.target[seat]) if fixed else held):
            total += likely
            up_to[n] = total
            n += 1
        left &= left - 1
    if not fixed:
        at = rng_uniform(rng) * total
        world.hand[seat] = held
        n = 0
        while up_to[n] <= at and held & (held - 1):
            n += 1
            held &= held - 1
        world.target[seat] = lowest(held)
        world.hand[seat] ^= bit(world.target[seat])
        total /= count(world.hand[seat]) + 1
    return total / all_


cdef inline double apples_world_weight(const ApplesState* view, ApplesWorlds* table, ApplesState* world,
                                       Rng* rng) noexcept nogil:
    """How likely the hidden seats' choices after the pile were, had they held this world's hands: targets, which are
    drawn anew, and cards, each as often the policy's as bots agree with it."""
    cdef ApplesPast* past
    cdef uint64_t legal
    cdef double weight = 1.0
    cdef int i, seat
    for seat in range(4):
        if view.target[seat] == HIDDEN and not view.known >> seat & 1:
            weight *= apples_redraw_target(world, seat, rng)
    for i in range(table.n_past):
        past = &table.past[i]
        seat = past.seat
        past.before.hand[seat] = world.hand[seat] | past.kept
        past.before.target[seat] = world.target[seat]
        legal = apples_legal(&past.before)
        if legal & (legal - 1):
            if apples_choose_card(&past.before, &apples_weights) == past.card:
                weight *= 0.01 * AGREED
            else:
                weight *= (1.0 - 0.01 * AGREED) / (count(legal) - 1)
    return weight
