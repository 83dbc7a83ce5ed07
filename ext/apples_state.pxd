# Apples: the state of a round, its rules and its score. Source: the Swedish rule text (the documentation of
# the preset, engine/rules.py, tells what it leaves open and what was decided).
#
# Cards are 16 * suit + rank: suits clubs, diamonds, hearts, spades = 0..3, ranks 2..9 T J Q K A = 0..12.
#
#   move id            phase           meaning
#   16 * s + r         GIVE            one more card for the bid pile
#   16 * s + r         TARGET, PLAY    set that card aside; play it
#   16 * s + n - 1     AUCTION         bid n of that suit
#   13                 AUCTION         pass
#
# Seats 0..3 in order of play, each its own side.

from libc.stdint cimport int8_t, int16_t, uint8_t, uint64_t
from trickbot.ext.bits cimport bit, count, lane
from trickbot.ext.phase cimport AUCTION, GIVE, OVER, PILE, PLAY, REDEAL, TARGET
from trickbot.ext.rng cimport Rng
from trickbot.ext.worlds cimport random_subset

cdef enum:
    PASS = 13
    UNSET = -1              # no target yet
    HIDDEN = -2             # a target is set aside, but unknown
    N_TRICKS = 12

cdef extern from *:
    """
    #define TB_APPLES_PACK 0x1fff1fff1fff1fffull

    /* tb_apples_value[ranks]: the worth of one pair of each of these ranks, from the rule text:
       2 3 4 5 are -15, 6 7 8 9 are 5, T J Q K are 10, A is 15. */
    static int16_t tb_apples_value[8192];
    static const int16_t tb_apples_rank_value[13] = {-15, -15, -15, -15, 5, 5, 5, 5, 10, 10, 10, 10, 15};
    static void __attribute__((constructor)) tb_fill_apples_value(void) {
        for (int ranks = 0; ranks < 8192; ranks++)
            for (int rank = 0; rank < 13; rank++)
                if (ranks >> rank & 1) tb_apples_value[ranks] += tb_apples_rank_value[rank];
    }
    static const uint8_t tb_apples_order[4] = {2, 0, 1, 3};     /* of the suits in the auction: d < h < c < s */
    """
    const uint64_t APPLES_PACK "TB_APPLES_PACK"
    const int16_t apples_value "tb_apples_value"[8192]
    const int16_t apples_rank_value "tb_apples_rank_value"[13]
    const uint8_t suit_order "tb_apples_order"[4]

cdef struct ApplesState:
    uint64_t hand[4]            # cards held now, without the target; empty where unknown
    uint64_t dealt[4]           # hands as dealt; empty where unknown
    uint64_t gave[4]            # cards given to the bid pile so far; empty where unknown
    uint64_t got[4]             # cards dealt back from it; empty where unknown
    uint64_t played[4]          # cards that the seat has played
    uint64_t won[4]             # cards of the tricks that the seat has won
    int16_t match[4]            # totals before this round
    int16_t goal                # points that end the match
    int8_t target[4]            # the card set aside; UNSET, HIDDEN
    uint8_t floor[4][4]         # by seat and suit: the highest number bid, so many cards were dealt
    uint8_t voids[4]            # mask of the suits that the seat has not followed; its target may be of one
    uint8_t known               # mask of the seats whose hand and target are known
    uint8_t phase
    int8_t to_move              # -1: nobody
    int8_t first                # first bidder
    int8_t bidder               # of the highest bid so far, -1
    uint8_t bid_n               # its number, 0: no bid yet
    int8_t bid_suit             # -1
    uint8_t n_passes            # in a row
    uint8_t n_given             # cards that the seat to move has given
    uint8_t n_gave              # seats that have given
    int8_t leader               # of the trick on the table; before it the first bidder, then the bid's winner
    uint8_t n_trick             # cards in this trick, 0..3
    uint8_t trick[4]            # in order of play
    uint8_t trick_no            # tricks finished, 0..12
    int8_t best                 # seat of the best card of this trick
    uint64_t beat               # cards that would beat it


# ---------------------------------------------------------------------------------------------- scoring

cdef inline void apples_count(uint64_t pile, uint64_t* two, uint64_t* three, uint64_t* four) noexcept nogil:
    """The ranks of which a set of cards holds two or three, three, and four: one adder over the lanes."""
    cdef uint64_t c = pile & 0xffff, d = pile >> 16 & 0xffff, h = pile >> 32 & 0xffff, s = pile >> 48
    cdef uint64_t odd_low = c ^ d, odd_high = h ^ s, pair_low = c & d, pair_high = h & s
    four[0] = pair_low & pair_high
    two[0] = (pair_low ^ pair_high) | (odd_low & odd_high)
    three[0] = two[0] & (odd_low ^ odd_high)


cdef inline int apples_score(uint64_t won, int target) noexcept nogil:
    """Points of a round: the cards won and the own target card. A pair counts once, three twice, four four
    times the rank's value; three and four of the target's rank are 40 and 80."""
    cdef uint64_t two, three, four, own = 1 << (target & 15)
    apples_count(won | bit(target), &two, &three, &four)
    cdef int points = apples_value[two] + apples_value[three] + 4 * apples_value[four]
    if three & own:
        points += 40 - 2 * apples_rank_value[target & 15]
    if four & own:
        points += 80 - 4 * apples_rank_value[target & 15]
    return points


cdef inline bint apples_open(const ApplesState* s) noexcept nogil:
    """Whether all targets are turned up."""
    return s.target[0] >= 0 and s.target[1] >= 0 and s.target[2] >= 0 and s.target[3] >= 0


cdef inline int apples_winner(const int* totals, int goal) noexcept nogil:
    """The seat with the highest total of at least `goal`; -1: none, or the highest is shared."""
    cdef int seat, best = 0
    for seat in range(1, 4):
        if totals[seat] > totals[best]:
            best = seat
    if totals[best] < goal:
        return -1
    for seat in range(4):
        if seat != best and totals[seat] == totals[best]:
            return -1
    return best


# ---------------------------------------------------------------------------------------------- the rules

cdef inline int apples_to_move(const ApplesState* s) noexcept nogil:
    return s.to_move


cdef inline int apples_phase(const ApplesState* s) noexcept nogil:
    return s.phase


cdef inline uint64_t apples_beats(int card, uint64_t trumps) noexcept nogil:
    """All places of cards that beat this one once it lies best in a trick; `trumps` is the trump lane."""
    cdef uint64_t suit = lane(card >> 4)
    return (suit & (<uint64_t> 0 - (bit(card) << 1))) | (trumps & ~suit)


cdef inline uint64_t apples_bids(const ApplesState* s, int suit, int most) noexcept nogil:
    """Bids of a suit that are stronger than the last one and at most that high, as moves."""
    cdef int least = 1
    if s.bid_n:
        least = s.bid_n if suit_order[suit] > suit_order[s.bid_suit] else s.bid_n + 1
    if most < least:
        return 0
    return ((bit(most) - 1) & ~(bit(least - 1) - 1)) << (16 * suit)


cdef inline uint64_t apples_legal(const ApplesState* s) noexcept nogil:
    """Legal moves of the seat to move, whose hand must be known; 0 when nobody is to move."""
    cdef uint64_t hand, moves
    cdef int suit
    if s.to_move < 0:
        return 0
    hand = s.hand[s.to_move]
    if s.phase == PLAY:
        if s.n_trick == 0:
            return hand
        moves = hand & lane(s.trick[0] >> 4)
        return moves if moves else hand
    if s.phase == AUCTION:
        moves = bit(PASS)
        for suit in range(4):
            moves |= apples_bids(s, suit, count(hand & lane(suit)))
        return moves
    if s.phase == GIVE and s.to_move == s.bidder:
        return hand & lane(s.bid_suit)
    return hand


cdef inline void apples_call(ApplesState* s, int move) noexcept nogil:
    cdef int seat = s.to_move
    s.to_move = (seat + 1) & 3
    if move == PASS:
        s.n_passes += 1
        if s.n_passes == 4:
            s.phase = REDEAL
            s.to_move = -1
        elif s.n_passes == 3 and s.bid_n:
            s.phase = GIVE
            s.to_move = s.leader = s.bidder
        return
    s.n_passes = 0
    s.bidder = seat
    s.bid_n = (move & 15) + 1
    s.bid_suit = move >> 4
    s.floor[seat][s.bid_suit] = s.bid_n     # bids rise: a later one is the higher


cdef inline void apples_deal_back(ApplesState* s, Rng* rng) noexcept nogil:
    """Shuffles the pile, all of which must be known, and deals it back."""
    cdef uint64_t pile = s.gave[0] | s.gave[1] | s.gave[2] | s.gave[3]
    cdef int seat
    for seat in range(4):
        s.got[seat] = random_subset(pile, s.bid_n, rng)
        pile &= ~s.got[seat]
        s.hand[seat] |= s.got[seat]
    s.phase = TARGET
    s.to_move = s.bidder


cdef inline void apples_next_giver(ApplesState* s, Rng* rng) noexcept nogil:
    """The seat to move has given all its cards."""
    s.n_given = 0
    s.n_gave += 1
    s.to_move = (s.to_move + 1) & 3
    if s.n_gave == 4:
        s.phase = PILE
        s.to_move = -1
        if rng != NULL and s.gave[0] and s.gave[1] and s.gave[2] and s.gave[3]:
            apples_deal_back(s, rng)


cdef inline void apples_next_target(ApplesState* s) noexcept nogil:
    """The seat to move has set its target aside."""
    s.to_move = (s.to_move + 1) & 3
    if s.to_move == s.bidder:
        s.phase = PLAY


cdef inline void apples_advance(ApplesState* s, int move, Rng* rng) noexcept nogil:
    """One decision in a full world. rng: deals the pile back when all have given; without it the state waits
    in the phase PILE."""
    cdef int seat = s.to_move
    cdef uint64_t card = bit(move)
    if s.phase == PLAY:
        s.hand[seat] &= ~card
        s.played[seat] |= card
        if s.n_trick == 0 or card & s.beat:
            s.best = seat
            s.beat = apples_beats(move, lane(s.bid_suit))
        s.trick[s.n_trick] = move
        s.n_trick += 1
        if s.n_trick < 4:
            s.to_move = (seat + 1) & 3
            return
        s.won[s.best] |= bit(s.trick[0]) | bit(s.trick[1]) | bit(s.trick[2]) | card
        s.n_trick = 0
        s.leader = s.best
        s.to_move = s.best
        s.trick_no += 1
        if s.trick_no == N_TRICKS:
            s.phase = OVER
            s.to_move = -1
    elif s.phase == AUCTION:
        apples_call(s, move)
    elif s.phase == GIVE:
        s.hand[seat] &= ~card
        s.gave[seat] |= card
        s.n_given += 1
        if s.n_given == s.bid_n:
            apples_next_giver(s, rng)
    else:
        s.hand[seat] &= ~card
        s.target[seat] = move
        apples_next_target(s)


cdef inline void apples_apply(ApplesState* s, int move, Rng* rng) noexcept nogil:
    """One decision, with what all learn from it."""
    if s.phase == PLAY and s.n_trick and s.trick[0] >> 4 != move >> 4:
        s.voids[s.to_move] |= 1 << (s.trick[0] >> 4)
    apples_advance(s, move, rng)


cdef inline int apples_n_held(const ApplesState* s, int seat) noexcept nogil:
    """Cards that the seat holds, known or not, without its target."""
    if s.phase <= AUCTION or s.phase == REDEAL:
        return 13
    if s.phase == GIVE or s.phase == PILE:
        if seat == s.to_move:
            return 13 - s.n_given
        return 13 - s.bid_n if ((seat - s.bidder) & 3) < s.n_gave else 13
    return 13 - count(s.played[seat]) - (s.target[seat] != UNSET)


# -------------------------------------------------------------------------------------- what a seat knows

cdef inline void apples_view(const ApplesState* s, int seat, ApplesState* out) noexcept nogil:
    """The state as that seat knows it."""
    cdef int other
    out[0] = s[0]
    out.known = s.known & 1 << seat
    for other in range(4):
        if other != seat:
            out.hand[other] = 0
            out.dealt[other] = 0
            out.gave[other] = 0
            out.got[other] = 0
            if out.target[other] >= 0 and s.phase != OVER:
                out.target[other] = HIDDEN


cdef inline int apples_label(const ApplesState* s, int move, int seat) noexcept nogil:
    """The move as that seat sees it; 63: only that it was made."""
    if (s.phase == GIVE or s.phase == TARGET) and s.to_move != seat:
        return 63
    return move


cdef inline bint apples_check(const ApplesState* s) noexcept nogil:
    """Invariants of a state."""
    cdef uint64_t seen = 0, own, won = 0, played = 0
    cdef int seat, i
    for seat in range(4):
        own = s.hand[seat] | s.played[seat]
        if s.hand[seat] & s.played[seat] or own & seen:
            return 0
        seen |= own
        if s.target[seat] >= 0:
            if bit(s.target[seat]) & (seen | own):
                return 0
            own |= bit(s.target[seat])
            seen |= own
        if s.known >> seat & 1:
            if count(s.dealt[seat]) != 13 or s.gave[seat] & ~s.dealt[seat]:
                return 0
            if own != (s.dealt[seat] & ~s.gave[seat] | s.got[seat]):
                return 0
            if count(s.hand[seat]) != apples_n_held(s, seat) or s.target[seat] == HIDDEN:
                return 0
        elif s.hand[seat]:
            return 0
        for i in range(4):
            if s.known >> seat & 1 and count(s.dealt[seat] & lane(i)) < s.floor[seat][i]:
                return 0
        if won & s.won[seat]:
            return 0
        won |= s.won[seat]
        played |= s.played[seat]
    for i in range(s.n_trick):
        won |= bit(s.trick[i])
    if won != played or count(played) != 4 * s.trick_no + s.n_trick or seen & ~APPLES_PACK:
        return 0
    if s.phase == PLAY and s.to_move != ((s.leader + s.n_trick) & 3):
        return 0
    return (s.to_move < 0) == (s.phase == PILE or s.phase == OVER or s.phase == REDEAL)
