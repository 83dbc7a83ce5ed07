# Apples, whole: what the search and the wrapper take from the kernel's parts.

from libc.stdint cimport uint64_t
from trickbot.ext.apples_state cimport (
    APPLES_PACK, HIDDEN, PASS, UNSET, ApplesState, apples_advance, apples_apply, apples_bids, apples_check,
    apples_deal_back, apples_label, apples_legal, apples_n_held, apples_next_giver, apples_next_target, apples_open,
    apples_phase, apples_score, apples_to_move, apples_view, apples_winner, suit_order,
)
from trickbot.ext.apples_play cimport (
    apples_playout, apples_playout_pair, apples_random_playout, apples_rules_playout,
)
from trickbot.ext.apples_policy cimport (
    N_WEIGHTS, ApplesWeights, apples_fill, apples_greedy, apples_policy, apples_random_card, apples_rules,
    apples_weights,
)
from trickbot.ext.apples_value cimport (
    apples_in_tree, apples_outcome, apples_win_chance, apples_world_weight,
)
from trickbot.ext.apples_worlds cimport ApplesPast, ApplesWorlds, apples_determinize, apples_has_room, apples_prepare


cdef class ApplesRules:
    cdef readonly int target


cdef class ApplesDeal:
    cdef ApplesState s
    cdef readonly ApplesRules rules
    cdef readonly tuple match
    cdef list _tricks
    cdef int _derived       # the seat whose dealt hand follows from the three others, -1
    cdef uint64_t _elsewhere(self, int seat)
    cdef void _forget(self, int seat)
    cdef void remember(self, ApplesWorlds* table)
