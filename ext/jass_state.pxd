# Schieber Jass: the state of a deal and its rules. Source: the rule text in the documentation of the
# presets (engine/rules.py); every value that houses disagree about is a field of JassRuleSet.
#
# Cards are 16 * suit + rank: suits roses, acorns, bells, shields = 0..3, ranks 6 7 8 9 B U O K A = 0..8.
#
#   move id        phase      meaning
#   16 * s + r     PLAY       play that card
#   9 .. 14        CONTRACT   roses, acorns, bells, shields, obenabe, undenufe
#   15             CONTRACT   push
#
# Seats 0..3 in order of play; seats 0 and 2 are side 0, seats 1 and 3 side 1.

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint64_t
from trickbot.ext.bits cimport bit, count, highest, lane, lowest, pick
from trickbot.ext.phase cimport CONTRACT, OVER, PLAY
from trickbot.ext.rng cimport Rng

cdef enum:
    UNDER = 5               # rank of the Under
    OBER = 6
    KOENIG = 7
    OBENABE = 4
    UNDENUFE = 5
    N_CONTRACTS = 6
    FIRST_CONTRACT_MOVE = 9
    PUSH = 15               # move id
    MAX_MELDS = 3           # nine cards hold three melds at most
    NOT_SAID = -1           # n_told of a seat that has announced nothing yet
    WEIS_OPEN = -2          # weis_team: trick 1 is over, but not every hand's melds are known
    NEVER = 1 << 30         # points to go of a deal without a target

cdef extern from *:
    """
    #include <stdint.h>
    /* The order of the cards, computed from the rule text's table when the module is loaded.
       tb_jass_beats[contract][card]: all cards that beat it once it lies best in a trick. */
    static uint64_t tb_jass_beats[6][64];
    static const int tb_jass_trump_order[9] = {0, 1, 2, 7, 3, 8, 4, 5, 6};  /* 6 7 8 9 B U O K A, by strength */
    static void __attribute__((constructor)) tb_fill_jass_beats(void) {
        for (int contract = 0; contract < 6; contract++)
            for (int card = 0; card < 64; card++) {
                int suit = card / 16, rank = card % 16;
                uint64_t beats = 0;
                if (rank > 8) continue;
                for (int other = 0; other < 9; other++) {
                    int higher = contract == suit ? tb_jass_trump_order[other] > tb_jass_trump_order[rank]
                               : contract == 5    ? other < rank
                                                  : other > rank;
                    if (higher) beats |= 1ull << (16 * suit + other);
                    if (contract < 4 && contract != suit) beats |= 1ull << (16 * contract + other);
                }
                tb_jass_beats[contract][card] = beats;
            }
    }
    /* A suit's cards, a bit each, with the weakest in bit 0: a plain suit, undenufe, trumps. */
    static uint16_t tb_jass_by_strength[3][512];
    static void __attribute__((constructor)) tb_fill_jass_by_strength(void) {
        for (int cards = 0; cards < 512; cards++)
            for (int rank = 0; rank < 9; rank++)
                if (cards >> rank & 1) {
                    tb_jass_by_strength[0][cards] |= 1 << rank;
                    tb_jass_by_strength[1][cards] |= 1 << (8 - rank);
                    tb_jass_by_strength[2][cards] |= 1 << tb_jass_trump_order[rank];
                }
    }
    static const uint64_t tb_jass_trumps[6] = {0x1ffull, 0x1ffull << 16, 0x1ffull << 32, 0x1ffull << 48, 0, 0};
    """
    const uint64_t jass_beats "tb_jass_beats"[6][64]
    const uint16_t jass_by_strength "tb_jass_by_strength"[3][512]
    const uint64_t jass_trumps "tb_jass_trumps"[6]      # all trumps of a contract
    const int jass_trump_order "tb_jass_trump_order"[9]
    const uint64_t JASS_PACK "0x01ff01ff01ff01ffull"

cdef struct JassRuleSet:
    int target                  # match points, 0: one deal at a time
    int multiplier[6]           # of every point of the deal, by contract
    int run_points[10]          # by length; 0 below three
    int quartet_points[9]       # by rank
    bint shared                 # a card may count in a run and in a quartet
    bint weis
    int stoeck                  # points, 0: none
    int match_bonus             # for all nine tricks
    int last_trick
    uint8_t value[6][64]        # card points, by contract
    # computed from the above
    int quartet_mask            # ranks whose quartet scores
    int split_points[10]        # best total of a run of that length cut into melds
    uint8_t n_split[2][10]      # [undenufe][length]: number of melds, then each one's length and distance of
    uint8_t split_length[2][10][3]      # its top card from the top of the whole run
    uint8_t split_offset[2][10][3]
    double deal_mean            # points that a side makes in a deal, for the estimate of the match
    double deal_sd              # standard deviation of the sides' difference in a deal

cdef struct JassState:
    uint64_t hand[4]            # cards held now; empty where unknown
    uint64_t may[4]             # cards that the seat may still hold, by what all have seen
    uint64_t played[4]          # cards that the seat has played
    uint64_t told[4][3]         # melds announced in trick 1, all melds of the side that scored after it
    uint64_t beat               # cards that would beat the best one of this trick
    const JassRuleSet* rules
    int32_t to_go[2]            # points that the side wanted at the start of the deal, NEVER without a target
    int32_t points[2]           # of this deal, as they enter the match
    int32_t trick_points        # unmultiplied, of this trick so far
    int8_t n_told[4]            # melds in told; NOT_SAID
    uint8_t trick[4]            # cards of this trick in order of play
    uint8_t tricks_won[2]
    uint8_t n_trick             # cards in this trick, 0..3
    uint8_t trick_no            # tricks finished, 0..9
    uint8_t phase
    int8_t to_move              # -1: nobody
    int8_t first                # forehand
    int8_t leader
    int8_t best                 # seat of the best card of this trick
    int8_t contract             # -1: none yet
    int8_t declarer
    uint8_t pushed
    uint8_t known               # mask of the seats whose hand is known
    uint16_t led                # bit 4 * seat + suit: the seat has led the suit
    uint16_t shed               # the same: it has discarded from the suit
    uint8_t no_stoeck           # mask of the seats that cannot hold both Stoeck cards: they would have claimed
    int8_t weis_team            # -1: not scored, WEIS_OPEN
    int8_t stoeck               # seat that scored it, -1
    int8_t winner               # side that has won the match, -1


# ---------------------------------------------------------------------------------------------- playing

cdef inline int jass_to_move(const JassState* s) noexcept nogil:
    return s.to_move


cdef inline int jass_phase(const JassState* s) noexcept nogil:
    return s.phase


cdef struct Follow:
    # What following a lead asks, the same for all four hands of a trick
    uint64_t led            # the led suit's lane
    uint64_t strict         # cards of it that oblige a hand to follow: a lone Under need not be played
    uint64_t free           # what a hand that need not follow may play, apart from trumps
    uint64_t ruff           # trumps that may be played at any time, unless they are undertrumps
    uint64_t plain          # all but trumps


cdef inline Follow jass_lead(int card, uint64_t trumps) noexcept nogil:
    cdef Follow f
    f.led = lane(card >> 4)
    f.plain = ~trumps
    f.strict = f.led & ~(trumps & f.led & <uint64_t> 0x0001000100010001 << UNDER)
    f.free = pick(f.led & trumps, ~<uint64_t> 0, ~trumps)
    f.ruff = pick(f.led & trumps, 0, trumps)
    return f


cdef inline uint64_t jass_follow(uint64_t hand, const Follow* f, uint64_t beat) noexcept nogil:
    """The cards of `hand` that may follow. `beat`: the cards that would beat the best one of the trick, so all
    trumps until one lies there. A hand of nothing but trumps may play any of them."""
    return pick(hand & f.plain, pick(hand & f.strict, hand & f.led, hand & f.free) | (hand & f.ruff & beat), hand)


cdef inline uint64_t jass_legal(const JassState* s) noexcept nogil:
    """Legal moves of the seat to move, whose hand must be known; 0 when nobody is to move."""
    cdef Follow follow
    if s.phase == PLAY:
        if s.n_trick == 0:
            return s.hand[s.to_move]
        follow = jass_lead(s.trick[0], jass_trumps[s.contract])
        return jass_follow(s.hand[s.to_move], &follow, s.beat)
    if s.phase == CONTRACT:
        return <uint64_t> (0x7e00 if s.pushed else 0xfe00)
    return 0


cdef inline void jass_add(JassState* s, int side, int points) noexcept nogil:
    """Points are counted live: the first side at the target ends the match and the deal."""
    s.points[side] += points
    if s.points[side] >= s.to_go[side]:
        s.winner = side
        s.phase = OVER
        s.to_move = -1


cdef inline uint64_t jass_stoeck_cards(const JassState* s) noexcept nogil:
    return jass_trumps[s.contract] & (<uint64_t> 0x0001000100010001 << OBER | <uint64_t> 0x0001000100010001 << KOENIG)


cdef inline void jass_claim(JassState* s) noexcept nogil:
    """A Stoeck still to come is claimed at once if it takes its side to the target; where nobody claims,
    all know that no hand of that side holds both cards."""
    cdef uint64_t pair
    cdef int side, seat, worth
    if s.rules.stoeck == 0 or s.stoeck >= 0 or s.contract >= OBENABE or s.winner >= 0:
        return
    worth = s.rules.stoeck * s.rules.multiplier[s.contract]
    pair = jass_stoeck_cards(s)
    for side in range(2):
        if s.points[side] + worth < s.to_go[side]:
            continue
        for seat in range(side, 4, 2):
            if s.known >> seat & 1:
                if (s.hand[seat] | s.played[seat]) & pair == pair:
                    s.stoeck = seat
                    jass_add(s, side, worth)
                    return
            s.no_stoeck |= 1 << seat


cdef inline int jass_meld_key(uint64_t meld, const JassRuleSet* r, int contract) noexcept nogil:
    """The strength of a meld as one number: points, quartet over run, length, rank (reversed in
    undenufe), trump run; 0 if the cards are no meld that scores. The points are key >> 12."""
    cdef int card, length, rank
    if not meld:
        return 0
    card = lowest(meld)
    rank = card & 15
    if meld == <uint64_t> 0x0001000100010001 << rank:
        if r.quartet_points[rank] == 0:
            return 0
        return r.quartet_points[rank] << 12 | 1 << 11 | (8 - rank if contract == UNDENUFE else rank) << 1
    length = count(meld)
    if length > 9 or meld != ((<uint64_t> 1 << length) - 1) << card or rank + length > 9 or r.run_points[length] == 0:
        return 0
    rank += length - 1
    return (r.run_points[length] << 12 | length << 7 | (8 - rank if contract == UNDENUFE else rank) << 1
            | (card >> 4 == contract))


cdef inline int jass_melds(uint64_t dealt, const JassRuleSet* r, int contract, uint64_t* melds) noexcept nogil:
    """The melds that a hand declares, strongest first, at most MAX_MELDS; returns their number. The set of
    disjoint melds with the highest total; of equal totals the one whose strongest meld is strongest, and
    so on."""
    cdef uint64_t quartets = dealt & dealt >> 16 & dealt >> 32 & dealt >> 48 & r.quartet_mask
    cdef uint64_t chosen, rest, line
    cdef uint64_t new[6]
    cdef int n_best = 0, best_total = 0, n, total, suit, top, length, i, j, better
    cdef int best_keys[3]
    cdef int keys[6]
    cdef int undenufe = contract == UNDENUFE
    if not quartets and not dealt & dealt >> 1 & dealt >> 2:
        return 0
    chosen = quartets
    while True:
        n = 0
        total = 0
        rest = dealt
        line = chosen
        while line:
            new[n] = <uint64_t> 0x0001000100010001 << lowest(line)
            total += r.quartet_points[lowest(line)]
            if not r.shared:
                rest &= ~new[n]
            n += 1
            line &= line - 1
        for suit in range(4):
            line = rest >> (16 * suit) & 0x1ff
            while line & line >> 1 & line >> 2:
                top = highest(line)
                length = 1
                while length <= top and line >> (top - length) & 1:
                    length += 1
                line &= ~(((<uint64_t> 1 << length) - 1) << (top - length + 1))
                if length >= 3:
                    total += r.split_points[length]
                    for i in range(r.n_split[undenufe][length]):
                        new[n] = (((<uint64_t> 1 << r.split_length[undenufe][length][i]) - 1)
                                  << (16 * suit + top - r.split_offset[undenufe][length][i]
                                      - r.split_length[undenufe][length][i] + 1))
                        n += 1
        if total >= best_total and n > 0:
            for i in range(n):
                keys[i] = jass_meld_key(new[i], r, contract)
            for i in range(1, n):       # insertion, stable: equal melds stay in suit order
                j = i
                while j > 0 and keys[j] > keys[j - 1]:
                    keys[j], keys[j - 1] = keys[j - 1], keys[j]
                    new[j], new[j - 1] = new[j - 1], new[j]
                    j -= 1
            better = total > best_total
            i = 0
            while not better and i < n and i < n_best and keys[i] == best_keys[i]:
                i += 1
            if not better and i < n:
                better = i >= n_best or keys[i] > best_keys[i]
            if better:
                best_total = total
                n_best = min(n, MAX_MELDS)
                for i in range(n_best):
                    melds[i] = new[i]
                    best_keys[i] = keys[i]
        if not chosen or r.shared:
            return n_best
        chosen = (chosen - 1) & quartets


cdef inline void jass_announce(JassState* s, int seat) noexcept nogil:
    """A known hand's strongest meld, with its first card."""
    s.n_told[seat] = min(1, jass_melds(s.hand[seat] | s.played[seat], s.rules, s.contract, &s.told[seat][0]))


cdef inline void jass_score_weis(JassState* s) noexcept nogil:
    """After trick 1: the side of the strongest meld scores the melds of both its hands and shows them."""
    cdef int i, j, seat, key, best = 0, points = 0
    s.weis_team = -1
    for i in range(4):
        seat = (s.first + i) & 3
        if s.known >> seat & 1:
            if s.n_told[seat] == NOT_SAID:
                jass_announce(s, seat)
        elif s.n_told[seat] == NOT_SAID:
            s.weis_team = WEIS_OPEN
            return
        key = jass_meld_key(s.told[seat][0], s.rules, s.contract) if s.n_told[seat] > 0 else 0
        if key > best:          # of equal melds the earlier in play
            best = key
            s.weis_team = seat & 1
    if best == 0:
        return
    for seat in range(s.weis_team, 4, 2):
        if s.known >> seat & 1 and s.n_told[seat] > 0:
            s.n_told[seat] = jass_melds(s.hand[seat] | s.played[seat], s.rules, s.contract, &s.told[seat][0])
        for j in range(s.n_told[seat]):
            points += jass_meld_key(s.told[seat][j], s.rules, s.contract) >> 12
    jass_add(s, s.weis_team, points * s.rules.multiplier[s.contract])


cdef inline void jass_end_trick(JassState* s) noexcept nogil:
    """Counts a trick of four cards, in the order of the rule text's "When points count"."""
    cdef int side = s.best & 1, times = s.rules.multiplier[s.contract], points = s.trick_points
    s.trick_no += 1
    s.tricks_won[side] += 1
    s.leader = s.best
    s.to_move = s.best
    s.n_trick = 0
    s.trick_points = 0
    if s.trick_no == 1:
        jass_claim(s)
        if s.rules.weis and s.winner < 0:
            jass_score_weis(s)
            jass_claim(s)
        if s.winner >= 0:
            return
    if s.trick_no < 9:
        jass_add(s, side, points * times)
        jass_claim(s)
        return
    jass_add(s, side, (points + s.rules.last_trick) * times)
    jass_claim(s)
    if s.winner < 0 and s.tricks_won[side] == 9:
        jass_add(s, side, s.rules.match_bonus * times)
    s.phase = OVER
    s.to_move = -1


cdef inline void jass_learn(JassState* s, int seat, int move) noexcept nogil:
    """What all learn from how a seat plays a card: a discard or an undertrump proves that it lacks others."""
    cdef uint64_t card = bit(move), trumps = jass_trumps[s.contract], led
    if s.n_trick == 0:
        s.led |= 1 << (4 * seat + (move >> 4))
        return
    led = lane(s.trick[0] >> 4)
    if card & led:
        return
    if led & trumps:                    # nothing but the Under may be kept
        s.may[seat] &= ~(trumps & ~(<uint64_t> 0x0001000100010001 << UNDER))
    elif not card & trumps:
        s.may[seat] &= ~led
    elif not card & s.beat:             # an undertrump: nothing but trumps
        s.may[seat] &= trumps
    if not card & trumps:
        s.shed |= 1 << (4 * seat + (move >> 4))


cdef inline void jass_advance(JassState* s, int move, Rng* rng) noexcept nogil:
    """One decision, without what it says of single cards."""
    cdef int seat = s.to_move
    cdef uint64_t card, pair
    if s.phase == CONTRACT:
        if move == PUSH:
            s.pushed = 1
            s.to_move = (seat + 2) & 3
            return
        s.contract = move - FIRST_CONTRACT_MOVE
        s.declarer = seat
        s.phase = PLAY
        s.leader = s.first
        s.to_move = s.first
        return
    card = bit(move)
    jass_learn(s, seat, move)
    s.hand[seat] &= ~card
    s.played[seat] |= card
    s.trick[s.n_trick] = move
    if s.n_trick == 0 or card & s.beat:
        s.best = seat
        s.beat = jass_beats[s.contract][move]
    s.trick_points += s.rules.value[s.contract][move]
    s.n_trick += 1
    s.to_move = (seat + 1) & 3
    if s.contract < OBENABE and s.stoeck < 0 and s.rules.stoeck:
        pair = jass_stoeck_cards(s)
        if card & pair and s.played[seat] & pair == pair:
            s.stoeck = seat
            jass_add(s, seat & 1, s.rules.stoeck * s.rules.multiplier[s.contract])
            if s.winner >= 0:
                return
    if s.n_trick == 4:
        jass_end_trick(s)


cdef inline void jass_apply(JassState* s, int move, Rng* rng) noexcept nogil:
    """One decision, with all that the table learns from it: that nobody else holds the card, and what the hand
    announces."""
    cdef int seat = s.to_move, i
    cdef uint64_t card
    if s.phase == PLAY:
        card = bit(move)
        for i in range(4):
            s.may[i] &= ~card
        if s.trick_no == 0 and s.rules.weis and s.known >> seat & 1 and s.n_told[seat] == NOT_SAID:
            jass_announce(s, seat)
    jass_advance(s, move, rng)


cdef inline int jass_n_held(const JassState* s, int seat) noexcept nogil:
    """Cards that the seat holds, known or not."""
    return 9 - count(s.played[seat])


cdef inline bint jass_check(const JassState* s) noexcept nogil:
    """Invariants of a state."""
    cdef uint64_t seen = 0
    cdef int seat, total = 0
    for seat in range(4):
        if (s.hand[seat] | s.played[seat]) & seen or s.hand[seat] & s.played[seat]:
            return 0
        seen |= s.hand[seat] | s.played[seat]
        total += count(s.played[seat])
        if s.known >> seat & 1:
            if count(s.hand[seat]) + count(s.played[seat]) != 9:
                return 0
            if s.hand[seat] & ~s.may[seat]:
                return 0
        elif s.hand[seat]:
            return 0
    if seen & ~JASS_PACK:
        return 0
    if s.phase == PLAY and (total != 4 * s.trick_no + s.n_trick or s.to_move != ((s.leader + s.n_trick) & 3)):
        return 0
    return (s.phase == OVER) == (s.to_move < 0)
