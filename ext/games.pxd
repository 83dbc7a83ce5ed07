# What a game must provide for the search, and the only place that asks which game it is.

from libc.stdint cimport uint64_t
from trickbot.ext.jass cimport (
    JassState, jass_advance, jass_determinize, jass_in_tree, jass_label, jass_legal, jass_outcome, jass_phase,
    jass_playout, jass_policy, jass_prepare, jass_to_move, jass_win_chance,
)
from trickbot.ext.objective cimport Objective
from trickbot.ext.rng cimport Rng
from trickbot.ext.worlds cimport Worlds

ctypedef fused AnyState:
    JassState


cdef inline int game_to_move(const AnyState* s) noexcept nogil:
    """Seat, -1: nobody."""
    return jass_to_move(s)


cdef inline int game_phase(const AnyState* s) noexcept nogil:
    return jass_phase(s)


cdef inline uint64_t game_legal(const AnyState* s) noexcept nogil:
    """Mask of the legal moves of the seat to move."""
    return jass_legal(s)


cdef inline void game_advance(AnyState* s, int move, Rng* rng) noexcept nogil:
    """One decision in a full world."""
    jass_advance(s, move, rng)


cdef inline void game_prepare(const AnyState* view, Worlds* w) noexcept nogil:
    """What drawing worlds from this view needs, once."""
    jass_prepare(view, w)


cdef inline bint game_determinize(const AnyState* view, const Worlds* w, AnyState* out, Rng* rng) noexcept nogil:
    """A full world consistent with the view; 0 if there is none."""
    return jass_determinize(view, w, out, rng)


cdef inline int game_in_tree(const AnyState* s, int root_seat, int root_phase) noexcept nogil:
    """1: the decision is a node of the tree; 0: its seat decides by the policy, by its own hand; -1: the tree ends."""
    return jass_in_tree(s, root_seat, root_phase)


cdef inline int game_policy(const AnyState* s, Rng* rng) noexcept nogil:
    """A cheap move by what the seat to move knows."""
    return jass_policy(s, rng)


cdef inline int game_label(const AnyState* s, int move, int seat) noexcept nogil:
    """The move as that seat sees it."""
    return jass_label(s, move, seat)


cdef inline void game_playout(AnyState* s, Rng* rng) noexcept nogil:
    """To the end of the deal."""
    jass_playout(s, rng)


cdef inline void game_outcome(const AnyState* s, const Objective* o, double* points, double* utility) noexcept nogil:
    """Points by side, utility by seat."""
    jass_outcome(s, o, points, utility)


cdef inline double game_win_chance(const AnyState* s, int seat) noexcept nogil:
    """Probability that this seat wins the match, after the deal."""
    return jass_win_chance(s, seat)
