# Schieber Jass: what a seat knows, and full worlds that fit it.

from libc.stdint cimport uint64_t
from trickbot.ext.bits cimport count
from trickbot.ext.jass_model cimport Moment, jass_likelihood
from trickbot.ext.jass_policy cimport jass_contract_likelihood
from trickbot.ext.jass_state cimport (
    JASS_PACK, N_CONTRACTS, NOT_SAID, WEIS_OPEN, Follow, JassState, jass_follow, jass_lead, jass_melds, jass_n_held,
    jass_score_weis, jass_stoeck_cards, jass_trumps,
)
from trickbot.ext.objective cimport Style
from trickbot.ext.rng cimport Rng
from trickbot.ext.worlds cimport Worlds, worlds_deal, worlds_prepare

cdef struct Past:
    # A card that a hidden seat chose, as all saw it
    Moment moment
    uint64_t kept           # cards that the seat has played since, this one among them: it held them then
    int seat
    int card

cdef struct JassWorlds:
    Worlds worlds
    int n_past
    Past past[36]

cdef enum:
    MAX_TRIES = 1 << 20     # rejected worlds before determinize says that there is none

cdef extern from *:
    """
    #define TB_ANY_CHOICE 0.03
    """
    const double ANY_CHOICE "TB_ANY_CHOICE"     # chance that a seat chooses by no model


cdef inline void jass_view(const JassState* s, int seat, JassState* out) noexcept nogil:
    cdef int other
    out[0] = s[0]
    for other in range(4):
        if other != seat:
            out.hand[other] = 0
    out.known = s.known & 1 << seat


cdef inline void jass_hidden(const JassState* s, int* seats) noexcept nogil:
    """The hidden seats, at most three, -1 beyond."""
    cdef int seat, n = 0
    seats[0] = seats[1] = seats[2] = -1
    for seat in range(4):
        if not s.known >> seat & 1 and n < 3:
            seats[n] = seat
            n += 1


cdef inline void jass_prepare(const JassState* view, JassWorlds* table) noexcept nogil:
    """The table of all worlds as far as single cards tell; `jass_fits` has the rest."""
    cdef uint64_t unseen = JASS_PACK, shown, probe, known_cards
    cdef uint64_t may[3]
    cdef Worlds* w = &table.worlds
    cdef int room[3]
    cdef int seats[3]
    cdef uint64_t melds[3]
    cdef int i, j, seat
    table.n_past = 0
    for seat in range(4):
        unseen &= ~(view.played[seat] | view.hand[seat])
    jass_hidden(view, seats)
    for i in range(3):
        seat = seats[i]
        may[i] = 0
        room[i] = 0
        if seat < 0:
            continue
        may[i] = view.may[seat] & unseen
        room[i] = jass_n_held(view, seat)
    for i in range(3):
        seat = seats[i]
        if seat < 0:
            continue
        shown = 0
        for j in range(view.n_told[seat]):
            shown |= view.told[seat][j]
        if view.stoeck == seat:
            shown |= jass_stoeck_cards(view)
        if shown & ~view.played[seat] & ~may[i]:
            w.total = 0                     # a card shown that the seat cannot hold
            w.n_rows = 0
            return
        shown &= unseen
        for j in range(3):
            if j != i:
                may[j] &= ~shown
        if view.n_told[seat] == 0:          # silence: no card that would complete a meld
            known_cards = view.played[seat]
            probe = may[i]
            while probe:
                if jass_melds(known_cards | (probe & -probe), view.rules, view.contract, melds):
                    may[i] &= ~(probe & -probe)
                probe &= probe - 1
        if view.no_stoeck >> seat & 1 and view.contract >= 0:
            probe = jass_stoeck_cards(view)
            if view.played[seat] & probe:
                may[i] &= ~probe
    worlds_prepare(w, unseen, may, room)


cdef inline bint jass_fits(const JassState* view, const JassState* world) noexcept nogil:
    """What is not said card by card: a world's hands must have announced what was announced, and no more,
    and hold no Stoeck that would have been claimed."""
    cdef int seat, n, i
    cdef uint64_t pair, dealt
    cdef uint64_t melds[3]
    for seat in range(4):
        if view.known >> seat & 1:
            continue
        dealt = world.hand[seat] | view.played[seat]
        if view.no_stoeck >> seat & 1:
            pair = jass_stoeck_cards(view)
            if dealt & pair == pair:
                return 0
        if view.n_told[seat] == NOT_SAID:
            continue
        n = jass_melds(dealt, view.rules, view.contract, melds)
        if view.weis_team != (seat & 1) and view.n_told[seat] < 2:      # only the strongest was announced
            n = min(n, 1)
        if n != view.n_told[seat]:
            return 0
        for i in range(n):
            if melds[i] != view.told[seat][i]:
                return 0
    return 1


cdef inline bint jass_determinize(const JassState* view, const JassWorlds* table, JassState* out,
                                  Rng* rng) noexcept nogil:
    """A full world, uniform over all that are consistent with the view; 0 if there is none (or none was
    found in MAX_TRIES)."""
    cdef const Worlds* w = &table.worlds
    cdef uint64_t hands[3]
    cdef int seats[3]
    cdef int i, _tries, seat
    cdef bint open_facts = view.no_stoeck != 0
    out[0] = view[0]
    out.known = 15
    if w.total == 0:
        return 0
    jass_hidden(view, seats)
    for seat in range(4):
        if not view.known >> seat & 1 and view.n_told[seat] != NOT_SAID:
            open_facts = 1
    for _tries in range(MAX_TRIES):
        worlds_deal(w, hands, rng)
        for i in range(3):
            if seats[i] >= 0:
                out.hand[seats[i]] = hands[i]
        if open_facts and not jass_fits(view, out):
            continue
        if view.weis_team == WEIS_OPEN:
            jass_score_weis(out)
            if out.winner >= 0:     # with these melds the match would have ended already
                out[0] = view[0]
                out.known = 15
                continue
        return 1
    return 0


cdef inline double jass_call_weight(const JassState* view, const JassState* world, int seat, int call,
                                    const Style* style) noexcept nogil:
    """How likely a seat would have named this contract (N_CONTRACTS: pushed); 1 where its hand is known anyway."""
    if view.known >> seat & 1:
        return 1.0
    return ANY_CHOICE + (1.0 - ANY_CHOICE) * jass_contract_likelihood(
        world.hand[seat] | view.played[seat], seat != view.first, call, style.contracts, view.rules)


cdef inline float jass_past_chance(const JassState* view, const Past* past, const JassState* world,
                                   const float* model) noexcept nogil:
    """Probability by the play model that the seat would have played this card from the hand that it had in this
    world."""
    cdef Follow follow
    cdef uint64_t hand = world.hand[past.seat] | past.kept, legal = hand
    if past.moment.suit >= 0:
        follow = jass_lead(16 * past.moment.suit, jass_trumps[view.contract])
        legal = jass_follow(hand, &follow, past.moment.beat)
    return jass_likelihood(model, &past.moment, view.rules.value[view.contract], hand, legal, past.card)


cdef inline double jass_world_weight(const JassState* view, const JassWorlds* table, const JassState* world,
                                     const Style* style) noexcept nogil:
    """How likely the hidden seats' choices so far were, had they held this world's hands: the product of the
    probabilities of contract and push, by the contract tables, and of their plays, by the play model, each softened by
    a small chance of any choice."""
    cdef double weight = 1.0
    cdef int i
    if style.contracts != NULL:
        if view.pushed:
            weight *= jass_call_weight(view, world, view.first, N_CONTRACTS, style)
        if view.contract >= 0:
            weight *= jass_call_weight(view, world, view.declarer, view.contract, style)
    for i in range(table.n_past):
        weight *= ANY_CHOICE + (1.0 - ANY_CHOICE) * jass_past_chance(view, &table.past[i], world, style.model)
    return weight
