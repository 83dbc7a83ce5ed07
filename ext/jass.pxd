# Schieber Jass, whole: what the search and the wrapper take from the kernel's parts.

from trickbot.ext.jass_play cimport (
    jass_outcome, jass_playout, jass_playout_pair, jass_stoeck_holder, jass_win_chance,
)
from trickbot.ext.jass_policy cimport jass_choose_contract, jass_greedy, jass_policy, jass_random_card, jass_rules
from trickbot.ext.jass_state cimport (
    FIRST_CONTRACT_MOVE, JASS_PACK, MAX_MELDS, NEVER, NOT_SAID, PUSH, WEIS_OPEN, JassRuleSet, JassState, jass_advance,
    jass_apply, jass_beats, jass_check, jass_learn, jass_legal, jass_meld_key, jass_melds, jass_n_held, jass_phase,
    jass_to_move, jass_trump_order, jass_trumps,
)
from trickbot.ext.jass_worlds cimport JassWorlds, jass_determinize, jass_prepare, jass_view, jass_world_weight
from trickbot.ext.objective cimport Style
from trickbot.ext.phase cimport PLAY


cdef inline int jass_in_tree(const JassState* s, int root_seat, int root_phase, const Style* style) noexcept nogil:
    """A contract is searched only by the seat that the search thinks for: another seat chooses by its own hand of
    that world (the policy), which a tree over all worlds cannot express. Cards likewise, where the style says so."""
    return s.to_move == root_seat or (s.phase == PLAY and not style.others)


cdef inline int jass_label(const JassState* s, int move, int seat) noexcept nogil:
    """All moves are seen by all."""
    return move


cdef class JassRules:
    cdef JassRuleSet c
    cdef readonly dict fields


cdef class JassDeal:
    cdef JassState s
    cdef readonly JassRules rules
    cdef readonly tuple match
    cdef list _tricks
    cdef void _apply(self, int move)
    cdef void _sort_told(self, int seat)
    cdef void remember(self, JassWorlds* table)
