# What a game must provide for the search, and the only place that asks which game it is.

from libc.stdint cimport uint64_t
from trickbot.ext.apples cimport (
    ApplesState, ApplesWorlds, apples_advance, apples_determinize, apples_in_tree, apples_label, apples_legal,
    apples_outcome, apples_phase, apples_playout, apples_policy, apples_to_move, apples_win_chance, apples_world_weight,
)
from trickbot.ext.jass cimport (
    JassState, JassWorlds, jass_advance, jass_determinize, jass_in_tree, jass_label, jass_legal, jass_outcome,
    jass_phase, jass_playout, jass_policy, jass_to_move, jass_win_chance, jass_world_weight,
)
from trickbot.ext.objective cimport Objective, Style
from trickbot.ext.rng cimport Rng

ctypedef fused AnyState:
    JassState
    ApplesState

cdef union AnyWorlds:
    JassWorlds jass
    ApplesWorlds apples


cdef inline bint game_determinize(const AnyState* view, const AnyWorlds* w, AnyState* out, Rng* rng) noexcept nogil:
    """A full world consistent with the view; 0 if there is none."""
    if AnyState is JassState:
        return jass_determinize(view, &w.jass, out, rng)
    else:
        return apples_determinize(view, &w.apples, out, rng)


cdef inline double game_world_weight(const AnyState* view, AnyWorlds* w, AnyState* world, const Style* style,
                                     Rng* rng) noexcept nogil:
    """How likely the hidden seats would have done what they did, had they held this world's hands; what only they
    know of them may be drawn anew."""
    if AnyState is JassState:
        return jass_world_weight(view, &w.jass, world, style)
    else:
        return apples_world_weight(view, &w.apples, world, rng)


cdef inline int game_to_move(const AnyState* s) noexcept nogil:
    """Seat, -1: nobody."""
    if AnyState is JassState:
        return jass_to_move(s)
    else:
        return apples_to_move(s)


cdef inline int game_phase(const AnyState* s) noexcept nogil:
    """What kind of decision is due."""
    if AnyState is JassState:
        return jass_phase(s)
    else:
        return apples_phase(s)


cdef inline uint64_t game_legal(const AnyState* s) noexcept nogil:
    """Mask of the legal moves of the seat to move."""
    if AnyState is JassState:
        return jass_legal(s)
    else:
        return apples_legal(s)


cdef inline void game_advance(AnyState* s, int move, Rng* rng) noexcept nogil:
    """One decision in a full world."""
    if AnyState is JassState:
        jass_advance(s, move, rng)
    else:
        apples_advance(s, move, rng)


cdef inline int game_in_tree(const AnyState* s, int root_seat, int root_phase, const Style* style) noexcept nogil:
    """1: the decision is searched; 0: its seat decides by the policy, by its own hand; -1: the tree ends here."""
    if AnyState is JassState:
        return jass_in_tree(s, root_seat, root_phase, style)
    else:
        return apples_in_tree(s, root_seat, root_phase, style)


cdef inline int game_policy(const AnyState* s, const Style* style, Rng* rng) noexcept nogil:
    """A cheap move by what the seat to move knows."""
    if AnyState is JassState:
        return jass_policy(s, style, rng)
    else:
        return apples_policy(s, rng)


cdef inline int game_label(const AnyState* s, int move, int seat) noexcept nogil:
    """The move as that seat sees it."""
    if AnyState is JassState:
        return jass_label(s, move, seat)
    else:
        return apples_label(s, move, seat)


cdef inline void game_playout(AnyState* s, const Style* style, Rng* rng) noexcept nogil:
    """To the end of the deal."""
    if AnyState is JassState:
        jass_playout(s, style, rng)
    else:
        apples_playout(s, style, rng)


cdef inline void game_outcome(const AnyState* s, const Objective* o, double* points, double* utility) noexcept nogil:
    """Points by side, utility by seat."""
    if AnyState is JassState:
        jass_outcome(s, o, points, utility)
    else:
        apples_outcome(s, o, points, utility)


cdef inline double game_win_chance(const AnyState* s, int seat) noexcept nogil:
    """Probability that this seat wins the match, after the deal."""
    if AnyState is JassState:
        return jass_win_chance(s, seat)
    else:
        return apples_win_chance(s, seat)
