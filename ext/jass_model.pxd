# Schieber Jass: a model of how people and bots play a card, by what their seat sees.
#
# A card's weight is the product of one entry from each of N_TABLES tables; its probability is its share among the
# legal cards (a log-linear model whose features are the table cells). The tables say what a player looks at:
# where the trick stands, whether the card wins it, what beats the card among the unseen, what it is worth,
# how long the suit is. A few popcounts a card and no exp: tens of nanoseconds a decision.

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t
from trickbot.ext.bits cimport bit, count, lane, lowest
from trickbot.ext.jass_state cimport JASS_PACK, OBENABE, JassState, jass_beats, jass_trumps

cdef enum:
    N_TABLES = 5
    N_SITUATIONS = 6        # lead; second to the other side; third, fourth: partner's or the other side's trick
    N_KINDS = 6             # lead plain, lead trump, follow plain, follow trump, ruff, discard
    # Cells of each table
    CELLS_0 = 2 * N_SITUATIONS * N_KINDS * 2 * 4 * 6
    CELLS_1 = 2 * N_SITUATIONS * N_KINDS * 4 * 2 * 6
    CELLS_2 = 2 * N_KINDS * 4 * 4 * 4 * 3
    CELLS_3 = N_KINDS * 2 * 4 * 4 * 4 * 3
    CELLS_4 = 2 * N_SITUATIONS * N_KINDS * 3 * 4 * 4
    N_CELLS = CELLS_0 + CELLS_1 + CELLS_2 + CELLS_3 + CELLS_4

cdef extern from *:
    """
    /* 0; 2 3 4; 8; 10; 11; more, up to the dearest card that rules may have */
    static const unsigned char tb_value_class[100] = {
        [2 ... 6] = 1, [7 ... 9] = 2, [10] = 3, [11 ... 12] = 4, [13 ... 99] = 5};
    /* Counts as classes: 0, 1, 2, more; 0, 1-2, 3-5, more */
    static const unsigned char tb_few[16] = {0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
    static const unsigned char tb_some[16] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
    """
    const uint8_t value_class "tb_value_class"[100]
    const uint8_t few "tb_few"[16]
    const uint8_t some "tb_some"[16]

cdef struct Moment:
    # What all see when a card is to be played
    uint64_t played         # by anybody, this trick's cards among them
    uint64_t beat           # cards that would beat the best one of the trick
    int8_t contract
    int8_t led              # suit, -1: to lead
    uint8_t situation       # 0 .. N_SITUATIONS - 1
    uint8_t points          # class of the trick's points
    uint8_t declared        # by this seat's side
    uint8_t stage           # tricks 1-3, 4-6, 7-9


cdef inline void jass_moment(const JassState* s, Moment* m) noexcept nogil:
    """The present moment of a deal, for the seat to move."""
    cdef int seat
    m.played = 0
    for seat in range(4):
        m.played |= s.played[seat]
    m.contract = s.contract
    m.declared = (s.declarer & 1) == (s.to_move & 1)
    m.stage = s.trick_no // 3
    if s.n_trick == 0:
        m.led = -1
        m.beat = JASS_PACK
        m.situation = 0
        m.points = 0
        return
    m.led = s.trick[0] >> 4
    m.beat = s.beat
    m.situation = 2 * s.n_trick - 2 + ((s.best & 1) != (s.to_move & 1))
    m.points = 0 if s.trick_points < 5 else 1 if s.trick_points < 11 else 2 if s.trick_points < 21 else 3


cdef inline void jass_cells(const Moment* m, const uint8_t* value, uint64_t hand, int card,
                            int32_t* cells) noexcept nogil:
    """The card's cell in each table, as places in the one array of all tables."""
    cdef uint64_t trumps = jass_trumps[m.contract], mine = bit(card), suit = lane(card >> 4)
    cdef uint64_t out = JASS_PACK & ~(m.played | hand), higher = jass_beats[m.contract][card] & suit
    cdef int plain = m.contract >= OBENABE, is_trump = (mine & trumps) != 0, kind, above, worth, wins, held, place
    cdef int n_trumps_out = some[count(out & trumps)], n_trumps = few[count(hand & trumps)], n_out
    if m.led < 0:
        kind = is_trump
    elif card >> 4 == m.led:
        kind = 2 + is_trump
    else:
        kind = 4 if is_trump else 5
    above = few[count(higher & out)]
    worth = value_class[value[card]]
    wins = (mine & m.beat) != 0
    held = few[count(hand & suit) - 1]
    place = ((higher & hand) == 0) + 2 * ((hand & suit & ~higher & ~mine) == 0)     # highest, lowest of one's suit
    n_out = count(out & suit)
    n_out = 0 if n_out < 2 else 1 if n_out < 4 else 2
    cells[0] = ((((plain * N_SITUATIONS + m.situation) * N_KINDS + kind) * 2 + wins) * 4 + above) * 6 + worth
    cells[1] = (CELLS_0
                + ((((plain * N_SITUATIONS + m.situation) * N_KINDS + kind) * 4 + m.points) * 2 + wins) * 6 + worth)
    cells[2] = CELLS_0 + CELLS_1 + ((((plain * N_KINDS + kind) * 4 + held) * 4 + place) * 4 + above) * 3 + m.stage
    cells[3] = (CELLS_0 + CELLS_1 + CELLS_2
                + ((((kind * 2 + m.declared) * 4 + n_trumps_out) * 4 + n_trumps) * 4 + above) * 3 + m.stage)
    cells[4] = (CELLS_0 + CELLS_1 + CELLS_2 + CELLS_3
                + ((((plain * N_SITUATIONS + m.situation) * N_KINDS + kind) * 3 + n_out) * 4 + n_trumps_out) * 4 + held)


cdef inline float jass_weight(const float* model, const Moment* m, const uint8_t* value, uint64_t hand,
                              int card) noexcept nogil:
    cdef int32_t cells[N_TABLES]
    jass_cells(m, value, hand, card, cells)
    return model[cells[0]] * model[cells[1]] * model[cells[2]] * model[cells[3]] * model[cells[4]]


cdef inline float jass_likelihood(const float* model, const Moment* m, const uint8_t* value, uint64_t hand,
                                  uint64_t legal, int card) noexcept nogil:
    """Probability that a seat with this hand plays this card."""
    cdef float total = 0.0, own = 0.0, weight
    cdef int each
    if legal & (legal - 1) == 0:
        return 1.0
    while legal:
        each = lowest(legal)
        weight = jass_weight(model, m, value, hand, each)
        total += weight
        if each == card:
            own = weight
        legal &= legal - 1
    return own / total


cdef inline int jass_model_card(const float* model, const Moment* m, const uint8_t* value, uint64_t hand,
                                uint64_t legal, float coin) noexcept nogil:
    """A card drawn from the model; coin uniform in [0, 1)."""
    cdef float weights[9]
    cdef float total = 0.0
    cdef uint64_t left = legal
    cdef int n = 0
    if legal & (legal - 1) == 0:
        return lowest(legal)
    while left:
        weights[n] = jass_weight(model, m, value, hand, lowest(left))
        total += weights[n]
        n += 1
        left &= left - 1
    total *= coin
    n = 0
    while legal & (legal - 1):
        total -= weights[n]
        if total < 0.0:
            break
        n += 1
        legal &= legal - 1
    return lowest(legal)
