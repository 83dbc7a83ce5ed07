# Apples: what a round is worth to each seat, and which decisions the search looks at.

from libc.math cimport exp, sqrt
from trickbot.ext.apples_state cimport ApplesState, apples_score, apples_winner
from trickbot.ext.apples_worlds cimport ApplesWorlds
from trickbot.ext.objective cimport Objective, Style
from trickbot.ext.phase cimport OVER, PLAY, TARGET

cdef enum:
    ROUND_POINTS = 25       # that the best of a round makes, about
    ROUND_SD = 40           # standard deviation of a seat's points in a round, about


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


cdef inline double apples_world_weight(const ApplesState* view, const ApplesWorlds* table, const ApplesState* world,
                                       const Style* style) noexcept nogil:
    """All worlds that fit are equally likely: no model of the others' choices yet."""
    return 1.0
