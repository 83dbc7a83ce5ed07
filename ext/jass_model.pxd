# Schieber Jass: a model of how people and bots play a card, by what their seat sees.
#
# A card's weight is the product of one entry from each of N_TABLES tables; its probability is its share among the
# legal cards (a log-linear model whose features are the table cells). The tables say what a player looks at:
# where the trick stands and whether it can still be lost, whether the card wins it and who may beat it, what it is
# worth, the shape of the hand, who called, and what has been led, discarded and shown to be void. A few popcounts and
# look-ups a card and no exp: some hundred nanoseconds a decision.

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from trickbot.ext.bits cimport bit, count, lane, lowest
from trickbot.ext.jass_state cimport JASS_PACK, OBENABE, UNDENUFE, JassState, jass_beats, jass_by_strength, jass_trumps

cdef enum:
    N_TABLES = 9
    N_SITUATIONS = 6        # lead; second to the other side; third, fourth: partner's or the other side's trick
    N_KINDS = 6             # lead plain, lead trump, follow plain, follow trump, ruff, discard
    # First cell of each table
    FIRST_1 = 2 * N_SITUATIONS * N_KINDS * 2 * 4 * 6
    FIRST_2 = FIRST_1 + 2 * N_SITUATIONS * N_KINDS * 4 * 4 * 6 * 2
    FIRST_3 = FIRST_2 + N_KINDS * 4 * 4 * 4 * 4 * 3
    FIRST_4 = FIRST_3 + 2 * N_SITUATIONS * N_KINDS * 3 * 4 * 4
    FIRST_5 = FIRST_4 + 3 * N_KINDS * 9 * 4 * 3
    FIRST_6 = FIRST_5 + N_KINDS * 8 * 8 * N_SITUATIONS
    FIRST_7 = FIRST_6 + N_KINDS * 16 * 8 * 4
    FIRST_8 = FIRST_7 + 2 * N_KINDS * 2 * 4 * 4 * 9 * 4
    N_CELLS = FIRST_8 + 2 * N_KINDS * 4 * 2 * 4 * 6

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
    uint64_t may[3]         # cards that may be held by the next seat, the partner, the seat before
    uint16_t led            # suits that have been led, by seat from the mover on, four bits each
    uint16_t shed           # suits that have been discarded from
    int8_t contract
    int8_t suit             # led to this trick, -1: to lead
    uint8_t situation       # 0 .. N_SITUATIONS - 1
    uint8_t points          # class of the trick's points
    uint8_t caller          # of the contract, from the mover on: 0 .. 3
    uint8_t trick_no        # tricks finished


cdef inline uint16_t jass_turned(uint16_t by_seat, int seat) noexcept nogil:
    """Four bits of each seat, from this seat on."""
    return <uint16_t> (by_seat >> 4 * seat | <int> by_seat << (16 - 4 * seat))


cdef inline void jass_moment(const JassState* s, Moment* m) noexcept nogil:
    """The present moment of a deal, for the seat to move."""
    cdef int seat
    m.played = 0
    for seat in range(4):
        m.played |= s.played[seat]
    for seat in range(3):
        m.may[seat] = s.may[(s.to_move + 1 + seat) & 3]
    m.led = jass_turned(s.led, s.to_move)
    m.shed = jass_turned(s.shed, s.to_move)
    m.contract = s.contract
    m.caller = (s.declarer - s.to_move) & 3
    m.trick_no = s.trick_no
    if s.n_trick == 0:
        m.suit = -1
        m.beat = JASS_PACK
        m.situation = 0
        m.points = 0
        return
    m.suit = s.trick[0] >> 4
    m.beat = s.beat
    m.situation = 2 * s.n_trick - 2 + ((s.best & 1) != (s.to_move & 1))
    m.points = 0 if s.trick_points < 5 else 1 if s.trick_points < 11 else 2 if s.trick_points < 21 else 3


cdef struct Outlook:
    # The moment as one hand sees it
    uint64_t hand
    uint64_t out            # cards in the other hands
    uint8_t length[4]       # of the hand's plain suits; of others more than any suit has
    uint8_t n_trumps_out    # class
    uint8_t n_trumps        # class
    uint8_t n_beaters       # class of the cards that are out and would beat the best one of the trick
    uint8_t may_beat        # 1: the next seat may hold one of them; 2: the partner, 4: the seat before

cdef struct Suit:
    # A suit as that hand sees it; in the order of strength, the weakest card in bit 0
    const uint16_t* by_strength
    uint32_t own
    uint32_t out
    int32_t first[N_TABLES]     # what all its cards have in common of their places in the tables


cdef inline int jass_may(const Moment* m, uint64_t cards) noexcept nogil:
    """Which others may hold one of the cards: 1 the next seat, 2 the partner, 4 the seat before."""
    return ((m.may[0] & cards) != 0) + 2 * ((m.may[1] & cards) != 0) + 4 * ((m.may[2] & cards) != 0)


cdef inline void jass_outlook(const Moment* m, uint64_t hand, Outlook* o) noexcept nogil:
    cdef uint64_t trumps = jass_trumps[m.contract], beaters
    cdef int suit, n
    o.hand = hand
    o.out = JASS_PACK & ~(m.played | hand)
    o.n_trumps_out = some[count(o.out & trumps)]
    o.n_trumps = few[count(hand & trumps)]
    beaters = o.out & m.beat
    o.n_beaters = few[count(beaters)] if m.suit >= 0 else 0
    o.may_beat = jass_may(m, beaters)
    for suit in range(4):
        n = count(hand & lane(suit))
        o.length[suit] = n if n and suit != m.contract else 15


cdef inline void jass_suit(const Moment* m, const Outlook* o, int suit, Suit* x) noexcept nogil:
    cdef uint64_t out = o.out & lane(suit)
    cdef int plain = m.contract >= OBENABE, is_trump = suit == m.contract, stage = m.trick_no // 3
    cdef int kind, here, length, held, history, n_out = count(out), n_shorter = 0, i
    x.by_strength = jass_by_strength[2 if is_trump else m.contract == UNDENUFE]
    x.own = x.by_strength[o.hand >> (16 * suit) & 0x1ff]
    x.out = x.by_strength[out >> (16 * suit)]
    if m.suit < 0:
        kind = is_trump
    elif suit == m.suit:
        kind = 2 + is_trump
    else:
        kind = 4 if is_trump else 5
    here = (plain * N_SITUATIONS + m.situation) * N_KINDS + kind
    length = count(x.own)
    held = few[length - 1]
    n_out = 0 if n_out < 2 else 1 if n_out < 4 else 2
    for i in range(4):
        n_shorter += o.length[i] < length
    history = ((m.led >> (8 + suit) & 1) + 2 * ((m.led >> (4 + suit) | m.led >> (12 + suit)) & 1)
               + 4 * (m.shed >> (8 + suit) & 1) + 8 * (m.led >> suit & 1))
    x.first[0] = here * 2 * 4 * 6
    x.first[1] = FIRST_1 + ((here * 4 + o.n_beaters) * 4 + m.points) * 6 * 2
    x.first[2] = FIRST_2 + ((((kind * 4 + m.caller) * 4 + o.n_trumps_out) * 4 + o.n_trumps) * 3 + stage) * 4
    x.first[3] = FIRST_3 + ((here * 3 + n_out) * 4 + o.n_trumps_out) * 4 + held
    x.first[4] = FIRST_4 + ((max(0, m.contract - OBENABE + 1) * N_KINDS + kind) * 3 + stage) * 9 * 4
    x.first[5] = FIRST_5 + ((kind * N_SITUATIONS + m.situation) * 8 + o.may_beat) * 8
    x.first[6] = FIRST_6 + ((kind * 16 + history) * 8 + jass_may(m, out)) * 4
    x.first[7] = FIRST_7 + (((plain * N_KINDS + kind) * 4 + held) * 9 + m.trick_no) * 4 * 2 * 4
    x.first[8] = FIRST_8 + ((((plain * N_KINDS + kind) * 4 + n_shorter) * 2 + (x.own > x.out)) * 4 + held) * 6


cdef inline void jass_cells(const Moment* m, const Outlook* o, const Suit* x, const uint8_t* value, int card,
                            int32_t* cells) noexcept nogil:
    """The card's cell in each table, as places in the one array of all tables."""
    cdef int rank = card & 15, above, below, place, equals, worth = value_class[value[card]]
    cdef bint wins = bit(card) & m.beat != 0
    cdef uint64_t higher = o.out & lane(card >> 4) & jass_beats[m.contract][card]
    cdef uint32_t at = x.by_strength[1 << rank]
    cdef uint32_t own_above = x.own & ~(2 * at - 1), out_above = x.out & ~(2 * at - 1)
    cdef uint32_t own_below = x.own & (at - 1), out_below = x.out & (at - 1)
    above = few[count(out_above)]
    below = few[count(out_below)]
    place = (own_above == 0) + 2 * (own_below == 0)                     # highest, lowest of one's suit
    equals = (((own_above & -own_above) - 1 < (out_above & -out_above) - 1)     # next to one of one's own above
              + 2 * (own_below > out_below))                                    # and below
    cells[0] = x.first[0] + (wins * 4 + above) * 6 + worth
    cells[1] = x.first[1] + worth * 2 + wins
    cells[2] = x.first[2] + above
    cells[3] = x.first[3]
    cells[4] = x.first[4] + rank * 4 + equals
    cells[5] = x.first[5] + jass_may(m, higher)
    cells[6] = x.first[6] + above
    cells[7] = x.first[7] + ((above == 0) * 4 + below) * 4 + place
    cells[8] = x.first[8] + worth


cdef inline float jass_weigh_cards(const float* model, const Moment* m, const uint8_t* value, uint64_t hand,
                                   uint64_t legal, float* weights) noexcept nogil:
    """The weights of the legal cards, in the order of their ids; returns their sum."""
    cdef int32_t cells[N_TABLES]
    cdef Outlook o
    cdef Suit x
    cdef float total = 0.0
    cdef int card, suit = -1, n = 0
    jass_outlook(m, hand, &o)
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        if card >> 4 != suit:
            suit = card >> 4
            jass_suit(m, &o, suit, &x)
        jass_cells(m, &o, &x, value, card, cells)
        weights[n] = (model[cells[0]] * model[cells[1]] * model[cells[2]] * model[cells[3]] * model[cells[4]]
                      * model[cells[5]] * model[cells[6]] * model[cells[7]] * model[cells[8]])
        total += weights[n]
        n += 1
    return total


cdef inline float jass_likelihood(const float* model, const Moment* m, const uint8_t* value, uint64_t hand,
                                  uint64_t legal, int card) noexcept nogil:
    """Probability that a seat with this hand plays this card."""
    cdef float weights[9]
    cdef float total
    if legal & (legal - 1) == 0:
        return 1.0
    total = jass_weigh_cards(model, m, value, hand, legal, weights)
    return weights[count(legal & (bit(card) - 1))] / total


cdef inline int jass_model_card(const float* model, const Moment* m, const uint8_t* value, uint64_t hand,
                                uint64_t legal, float coin) noexcept nogil:
    """A card drawn from the model; coin uniform in [0, 1)."""
    cdef float weights[9]
    cdef float at
    cdef int n = 0
    if legal & (legal - 1) == 0:
        return lowest(legal)
    at = coin * jass_weigh_cards(model, m, value, hand, legal, weights)
    while legal & (legal - 1):
        at -= weights[n]
        if at < 0.0:
            break
        n += 1
        legal &= legal - 1
    return lowest(legal)
