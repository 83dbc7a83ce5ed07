# Apples: moves without search, by what one seat sees: its own hand, and what all have seen.
#
# Every choice takes the move with the highest sum of a few weighted facts. The facts are a player's: what a trick
# is worth to whoever wins it, the low cards in it being poison; the chance that a card stays best; what stays in
# the hand; short suits to clear; a target that is also held in trumps; what a bid costs. The weights were fitted
# in self-play, one seat with other weights against three (bench/fit_apples.py), in sixteenths of a point.

from libc.stdint cimport int16_t, uint8_t, uint64_t
from trickbot.ext.apples_state cimport (
    APPLES_PACK, N_TRICKS, PASS, ApplesState, apples_count, apples_legal, apples_score,
)
from trickbot.ext.bits cimport bit, count, lane, lowest, nth_bit, pick
from trickbot.ext.phase cimport AUCTION, GIVE, PLAY, TARGET
from trickbot.ext.rng cimport Rng

cdef extern from *:
    """
    enum { TB_CARD = 69, TB_GIVE = 12, TB_TARGET = 23, TB_BID = 37, TB_WEIGHTS = TB_CARD + TB_GIVE + TB_TARGET + TB_BID };

    typedef struct {
        /* Of cards, in sixteenths of a point */
        int16_t mine[16][16];       /* what one more card in the own pile is worth: [cards of the rank in it, + 8
                                       where it is the own target's][rank] */
        int16_t his[16][16];        /* and one more in another's */
        int16_t later[4];           /* cards still to come to a trick that is won: [seats to play] */
        int16_t win[4][16][16];     /* chance in 256 that a card stays best: [seats to play][unseen cards that beat
                                       it][unseen cards of its suit; 15: no trump is out]; a trump: [][15][that beat it] */
        int16_t keep[512];          /* worth in the hand: [lead 256, trump 128, unseen higher ones 16 (to 4), rank] */
        int16_t keep_suit[128];     /* [lead 64, trump 32, unseen lower ones 4 (to 4), 1: alone, 2: one of two, 3: alone
                                       beside trumps] */
        int16_t give[TB_GIVE], target[TB_TARGET], bid[TB_BID];
    } TbApplesWeights;

    static const float tb_apples_fitted[TB_WEIGHTS] = {
        /* cards */
        0.759f, -6.55f, 1.66f, 4.63f, 9.24f, -4.64f, -6.83f, -32.5f, -0.296f, 3.05f, -1.33f, -2.45f,
        -3.11f, -9.16f, -0.138f, 2.96f, 1.26f, 0.194f, 3.14f, 0.543f, -4.44f, -3.0f, 7.38f, 2.76f,
        -0.663f, 9.16f, 0.497f, 9.61f, 3.04f, -1.65f, -3.22f, -2.58f, 7.64f, 4.59f, 3.45f, -2.1f, 0.0f,
        4.73f, -0.654f, -13.8f, -3.34f, 0.656f, -1.79f, 1.17f, -3.85f, -2.24f, 3.84f, 0.337f, -0.758f,
        -4.73f, 0.93f, -20.4f, -0.478f, 3.06f, 1.95f, -0.406f, -2.63f, -2.63f, -4.36f, 1.53f, 0.0f,
        0.186f, 0.22f, 0.969f, 0.211f, 0.157f, 0.958f, 0.0954f, 0.484f,
        /* for the pile */
        0.955f, 6.12f, 4.1f, -4.38f, 0.194f, -6.92f, -0.0852f, -0.218f, 2.62f, 1.64f, -0.187f, 0.977f,
        /* target */
        6.29f, -5.35f, -10.9f, -9.09f, 5.31f, 3.81f, 1.89f, -0.267f, 2.24f, 4.16f, 5.14f, 5.1f, -4.24f,
        -4.35f, -1.98f, 4.32f, 0.191f, -6.32f, -0.397f, 4.75f, 5.12f, 3.16f, -0.465f,
        /* bid: as the bidder, as another, thresholds */
        -3.76f, -1.01f, 0.442f, 0.524f, 1.41f, 1.96f, 1.65f, 1.75f, 1.33f, -7.26f, -0.674f, 1.78f,
        -0.115f, 1.71f, -8.15f, 0.751f, -0.494f, -5.45f, 2.89f, -0.371f, 3.52f, 3.28f, 2.41f, 1.84f,
        1.74f, -0.17f, -6.16f, 0.157f, 4.13f, 0.565f, 0.59f, -11.7f, 3.82f, 1.09f, 4.63f, -3.1f, 0.881f,
    };

    static int16_t tb_round(float x) { return (int16_t)(x < 0 ? x - 0.5f : x + 0.5f); }

    static void tb_apples_fill(TbApplesWeights* s, const float* w) {
        const float* chance = w + 61;       /* plain card not led: beaten by each, ruffed, less with each card out;
                                               the same led; a trump not led, led */
        for (int r = 0; r < 13; r++) {
            float v = tb_apples_rank_value[r];
            float adds[12] = {0, v, v, 2 * v, 0, 0, 0, 0, 0, v, 40 - v, 40};
            for (int held = 0; held < 12; held++) {
                s->mine[held][r] = tb_round(16 * (held ? w[0] * adds[held] : w[1 + r / 4]));
                s->his[held][r] = tb_round(16 * (held ? w[8] * adds[held] : w[9 + r / 4]));
            }
        }
        for (int k = 0; k < 4; k++) {
            s->later[k] = k ? tb_round(16 * w[4 + k]) : 0;
            for (int higher = 0; higher < 16; higher++)
                for (int out = 0; out < 16; out++) {
                    const float* c = chance + (k == 3 ? 3 : 0);
                    float ruff = 1, one, p = 1;
                    for (int i = 0; i < out; i++) ruff *= c[2];
                    one = (1 - (out == 15 ? 0 : c[1] * ruff)) / (1 + c[0] * higher);
                    if (higher == 15) one = 1 / (1 + chance[k == 3 ? 7 : 6] * out);
                    for (int i = 0; i < k; i++) p *= one;
                    s->win[k][higher][out] = tb_round(256 * p);
                }
        }
        for (int kind = 0; kind < 4; kind++) {      /* lead, trump */
            const float* c = w + 13 + 12 * kind;
            for (int higher = 0; higher < 5; higher++)
                for (int rank = 0; rank < 13; rank++)
                    s->keep[kind << 7 | higher << 4 | rank] =
                        tb_round(16 * (c[0] + c[1] * rank + c[2] * (higher == 0) + c[3] * (higher == 1) + c[4] * higher
                                       + c[9] * (rank < 4) + c[10] * (rank == 12)));
            for (int lower = 0; lower < 5; lower++)
                for (int held = 0; held < 4; held++)
                    s->keep_suit[kind << 5 | lower << 2 | held] =
                        tb_round(16 * (c[5] * (lower == 0) + c[6] * lower + c[7] * (held & 1) + c[8] * (held == 2)
                                       + c[11] * (held == 3)));
        }
        w += TB_CARD;
        for (int i = 0; i < TB_GIVE; i++) s->give[i] = tb_round(16 * *w++);
        for (int i = 0; i < TB_TARGET; i++) s->target[i] = tb_round(16 * *w++);
        for (int i = 0; i < TB_BID; i++) s->bid[i] = tb_round(16 * *w++);
    }

    static TbApplesWeights tb_apples_weights;
    static void __attribute__((constructor)) tb_fill_apples_weights(void) {
        tb_apples_fill(&tb_apples_weights, tb_apples_fitted);
    }

    static inline uint64_t tb_spread(uint64_t x) {      /* 13 bits, a nibble each */
    #ifdef TB_BMI2
        return _pdep_u64(x, 0x1111111111111111ull);
    #else
        x = (x | x << 24) & 0x000000ff000000ffull;
        x = (x | x << 12) & 0x000f000f000f000full;
        x = (x | x << 6) & 0x0303030303030303ull;
        return (x | x << 3) & 0x1111111111111111ull;
    #endif
    }
    """
    ctypedef struct ApplesWeights "TbApplesWeights":
        int16_t mine[16][16]
        int16_t his[16][16]
        int16_t later[4]
        int16_t win[4][16][16]
        int16_t keep[512]
        int16_t keep_suit[128]
        int16_t give[12]
        int16_t target[23]
        int16_t bid[37]
    const ApplesWeights apples_weights "tb_apples_weights"
    void apples_fill "tb_apples_fill"(ApplesWeights* s, const float* w) noexcept nogil
    int N_WEIGHTS "TB_WEIGHTS"
    uint64_t spread "tb_spread"(uint64_t x) noexcept nogil


cdef inline uint64_t apples_random_card(uint64_t legal, uint64_t coin) noexcept nogil:
    """One of the legal cards, as a bit, by 16 random bits (bias under 0.02 %)."""
    return nth_bit(legal, <int> (((coin & 0xffff) * <uint64_t> count(legal)) >> 16))


# --------------------------------------------------------------------------------------------- the cards

cdef inline uint64_t apples_tally(uint64_t won, int target) noexcept nogil:
    """How many cards of each rank a pile holds, a nibble a rank; the own target (-1: none known) counts, and its
    rank has 8 added."""
    cdef uint64_t two, three, four, any_ = won
    if target >= 0:
        any_ |= bit(target)
    apples_count(any_, &two, &three, &four)
    any_ |= any_ >> 16
    any_ |= any_ >> 32
    return (spread(any_ & 0x1fff) + spread(two) + spread(three) + 3 * spread(four)
            + (<uint64_t> 8 << (4 * (target & 15)) if target >= 0 else 0))


cdef inline int apples_stays(const ApplesWeights* w, int k, int higher, int lower, bint trump, int n_trumps) noexcept nogil:
    """Chance in 256 that a card that is best stays so with k seats to play."""
    return w.win[k][15 if trump else higher][higher if trump else (15 if n_trumps == 0 else min(higher + lower, 14))]


cdef inline int apples_keep(const ApplesWeights* w, uint64_t hand, uint64_t suit, int kind, int higher, int lower, int rank,
                            bint trumps) noexcept nogil:
    """What a card is worth in the hand. kind: 2 to lead, 1 a trump; higher, lower: unseen cards of its suit."""
    cdef int held = count(hand & suit)
    held = 0 if held > 2 else 2 if held == 2 else 3 if trumps else 1
    return w.keep[kind << 7 | min(higher, 4) << 4 | rank] + w.keep_suit[kind << 5 | min(lower, 4) << 2 | held]


cdef inline uint64_t apples_lead(const ApplesWeights* w, uint64_t hand, uint64_t out, uint64_t trumps, int left,
                                 uint64_t own) noexcept nogil:
    """The card to lead, as a bit. out: unseen cards. left: cards in hand. own: tally of the own pile."""
    cdef uint64_t rest = hand, card, suit, best = 0
    cdef int rank, score, most = -(1 << 30), higher, lower, ahead = (left - 1) * 256 // 11, n_trumps = count(out & trumps)
    cdef bint trump, has_trumps = hand & trumps != 0
    while rest:
        card = rest & (0 - rest)
        rest ^= card
        rank = lowest(card) & 15
        suit = lane(lowest(card) >> 4)
        trump = suit == trumps
        higher = count(out & suit & (0 - card))
        lower = count(out & suit & (card - 1))
        score = (apples_stays(w, 3, higher, lower, trump, n_trumps) * (w.later[3] + w.mine[own >> (4 * rank) & 15][rank])
                 - apples_keep(w, hand, suit, 2 | trump, higher, lower, rank, has_trumps) * ahead)
        best = pick(score > most, card, best)
        most = max(score, most)
    return best


cdef inline uint64_t apples_follow(const ApplesWeights* w, uint64_t hand, uint64_t legal, uint64_t out, uint64_t trumps,
                                   uint64_t beat, const uint8_t* trick, int n_trick, int left, uint64_t own,
                                   uint64_t his) noexcept nogil:
    """The card to play to a trick, as a bit. his: tally of the pile of the seat whose card is best."""
    cdef uint64_t card, suit, best = 0
    cdef int gain, loss = 0, rank, score, most = -(1 << 30), p, higher, lower, k = 3 - n_trick, i
    cdef int ahead = (left - 1) * 256 // 11, n_trumps = count(out & trumps)
    cdef bint trump, has_trumps = hand & trumps != 0
    gain = w.later[k]
    for i in range(n_trick):
        rank = trick[i] & 15
        gain += w.mine[own >> (4 * rank) & 15][rank]
        loss += w.his[his >> (4 * rank) & 15][rank]
        own += <uint64_t> 1 << (4 * rank)
        his += <uint64_t> 1 << (4 * rank)
    while legal:
        card = legal & (0 - legal)
        legal ^= card
        rank = lowest(card) & 15
        suit = lane(lowest(card) >> 4)
        trump = suit == trumps
        higher = count(out & suit & (0 - card))
        lower = count(out & suit & (card - 1))
        p = <int> pick(card & beat, apples_stays(w, k, higher, lower, trump, n_trumps), 0)
        score = (p * (gain + w.mine[own >> (4 * rank) & 15][rank])
                 + (256 - p) * (loss + w.his[his >> (4 * rank) & 15][rank])
                 - apples_keep(w, hand, suit, trump, higher, lower, rank, has_trumps) * ahead)
        best = pick(score > most, card, best)
        most = max(score, most)
    return best


cdef inline uint64_t apples_out(const ApplesState* s, int seat) noexcept nogil:
    """Cards that the seat to move has not seen."""
    cdef uint64_t seen = s.hand[seat] | s.won[0] | s.won[1] | s.won[2] | s.won[3]
    cdef int i
    for i in range(s.n_trick):
        seen |= bit(s.trick[i])
    if s.target[seat] >= 0:
        seen |= bit(s.target[seat])
    return APPLES_PACK & ~seen


cdef inline int apples_choose_card(const ApplesState* s, const ApplesWeights* w) noexcept nogil:
    cdef int seat = s.to_move, left = N_TRICKS - s.trick_no
    cdef uint64_t legal = apples_legal(s), own, trumps = lane(s.bid_suit)
    if legal & (legal - 1) == 0:
        return lowest(legal)
    own = apples_tally(s.won[seat], s.target[seat])
    if s.n_trick:
        return lowest(apples_follow(w, s.hand[seat], legal, apples_out(s, seat), trumps, s.beat, s.trick, s.n_trick, left,
                                    own, apples_tally(s.won[s.best], -1)))
    return lowest(apples_lead(w, legal, apples_out(s, seat), trumps, left, own))


# -------------------------------------------------------------------------------- bid, pile and target

cdef inline int apples_same_rank(uint64_t hand, int rank) noexcept nogil:
    """Cards of a rank in a hand."""
    return count(hand & (<uint64_t> 0x0001000100010001 << rank))


cdef inline int apples_suit_worth(uint64_t hand, int suit, int n, const int16_t* w) noexcept nogil:
    """What a hand may expect when this suit is trump by a bid of n."""
    cdef uint64_t trumps = hand >> (16 * suit) & 0x1fff, side = hand & ~lane(suit)
    cdef int length = count(trumps), other, held, voids = 0, singles = 0
    for other in range(4):
        if other != suit:
            held = count(hand & lane(other))
            voids += held == 0
            singles += held == 1
    return (w[0] + w[1] * length + w[2] * length * length
            + w[3] * (trumps >> 12 & 1) + w[4] * (trumps >> 11 & 1) + w[5] * (trumps >> 10 & 1)
            + w[6] * (trumps >> 9 & 1) + w[7] * (trumps >> 8 & 1) + w[8] * count(trumps & 0xf0)
            + w[9] * (voids > 0) + w[10] * (singles > 0 and voids == 0)
            + w[11] * count(side & <uint64_t> 0x1000100010001000)       # aces
            + w[12] * count(side & <uint64_t> 0x0800080008000800)       # kings
            + w[13] * count(side & <uint64_t> 0x000f000f000f000f)       # 2 to 5, to duck with
            + w[14] * n + w[15] * n * length + w[16] * n * n)


cdef inline int apples_choose_bid(const ApplesState* s, const int16_t* w) noexcept nogil:
    """The cheapest bid of the suit that promises most, if that is more than the hand may expect of the bid that
    stands (or, where there is none, of another's or of new cards)."""
    cdef uint64_t hand = s.hand[s.to_move], legal = apples_legal(s), bids
    cdef int suit, worth, most, best = PASS
    if s.bid_n:
        most = apples_suit_worth(hand, s.bid_suit, s.bid_n, w + 17) + w[35]
    else:
        most = w[34] + w[36] * ((s.to_move - s.first) & 3)
    for suit in range(4):
        bids = legal >> (16 * suit) & 0x1fff
        if bids:
            worth = apples_suit_worth(hand, suit, lowest(bids) + 1, w)
            if worth > most:
                most = worth
                best = 16 * suit + lowest(bids)
    return best


cdef inline int apples_choose_give(const ApplesState* s, const int16_t* w) noexcept nogil:
    """The next card for the bid pile."""
    cdef uint64_t hand = s.hand[s.to_move], left = apples_legal(s), card, trumps = lane(s.bid_suit)
    cdef int rank, best = -1, held, score, most = -(1 << 30)
    while left:
        card = left & (0 - left)
        left ^= card
        rank = lowest(card) & 15
        held = count(hand & lane(lowest(card) >> 4))
        score = w[7] * (apples_same_rank(hand, rank) - 1)
        if card & trumps:
            score += w[5] + w[6] * rank
        else:
            score += w[rank >> 2] + w[4] * rank + w[10] * held
            score += w[8] if held == 1 else w[9] if held == 2 else 0
            score += w[11] if held <= s.bid_n - s.n_given else 0       # the suit can be cleared
        if score > most:
            most = score
            best = lowest(card)
    return best


cdef inline int apples_target_worth(uint64_t hand, uint64_t trumps, int card, const int16_t* w) noexcept nogil:
    """What is to be said for setting this card of a hand of 13 aside."""
    cdef int rank = card & 15, held = count(hand & lane(card >> 4))
    cdef int worth = w[4 * (rank >> 2) + apples_same_rank(hand, rank) - 1] + w[16] * rank + w[22] * held
    if bit(card) & trumps:
        return worth + w[17] + w[18] * rank - w[22] * held
    worth += w[19] if hand & trumps & (<uint64_t> 0x0001000100010001 << rank) else 0
    return worth + (w[20] if held == 1 else w[21] if held == 2 else 0)


cdef inline int apples_choose_target(const ApplesState* s, const int16_t* w) noexcept nogil:
    cdef uint64_t hand = s.hand[s.to_move], left = hand, trumps = lane(s.bid_suit)
    cdef int best = -1, score, most = -(1 << 30)
    while left:
        score = apples_target_worth(hand, trumps, lowest(left), w)
        if score > most:
            most = score
            best = lowest(left)
        left &= left - 1
    return best


cdef inline int apples_rules(const ApplesState* s, const ApplesWeights* w) noexcept nogil:
    """A decent player's move."""
    if s.phase == AUCTION:
        return apples_choose_bid(s, w.bid)
    if s.phase == GIVE:
        return apples_choose_give(s, w.give)
    if s.phase == TARGET:
        return apples_choose_target(s, w.target)
    return apples_choose_card(s, w)


cdef inline int apples_policy(const ApplesState* s, Rng* rng) noexcept nogil:
    """The search's stand-in for a seat's own decision."""
    return apples_rules(s, &apples_weights)


cdef inline int apples_greedy(const ApplesState* s) noexcept nogil:
    """Bids once, one of the longest suit; gives the cards of the shortest; sets aside a card of the rank it has most
    of. Takes every trick that adds points now, with the lowest card that will do, else plays its lowest card."""
    cdef uint64_t legal = apples_legal(s), left = legal, card, taken = 0
    cdef int seat = s.to_move, rank, score, most = -(1 << 30), best = -1, before, suit, held, target = s.target[seat]
    if s.phase == AUCTION:
        if s.bid_n:
            return PASS
        for suit in range(4):
            held = count(s.hand[seat] & lane(suit))
            if held > most:
                most = held
                best = 16 * suit
        return best
    for held in range(s.n_trick):
        taken |= bit(s.trick[held])
    before = apples_score(s.won[seat], target) if s.phase == PLAY else 0
    while left:
        card = left & (0 - left)
        left ^= card
        rank = lowest(card) & 15
        if s.phase == GIVE:
            score = -16 * count(s.hand[seat] & lane(lowest(card) >> 4)) - rank
        elif s.phase == TARGET:
            score = 16 * apples_same_rank(s.hand[seat], rank) + rank
        else:
            score = -rank
            if s.n_trick and card & s.beat and apples_score(s.won[seat] | taken | card, target) > before:
                score += 16
        if score > most:
            most = score
            best = lowest(card)
    return best
