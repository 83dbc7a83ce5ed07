# Schieber Jass: moves without search, by what one seat sees: its own hand and what lay on the table.

from libc.math cimport exp
from libc.stdint cimport uint8_t, uint64_t
from trickbot.ext.bits cimport bit, count, lane, lowest, nth_bit
from trickbot.ext.jass_model cimport Moment, jass_model_card, jass_moment
from trickbot.ext.jass_state cimport (
    FIRST_CONTRACT_MOVE, JASS_PACK, KOENIG, N_CONTRACTS, OBENABE, OBER, PUSH, UNDENUFE, UNDER, JassRuleSet, JassState,
    jass_beats, jass_legal, jass_meld_key, jass_melds, jass_n_held, jass_trump_order, jass_trumps,
)
from trickbot.ext.objective cimport Style
from trickbot.ext.phase cimport CONTRACT
from trickbot.ext.rng cimport Rng, rng_next


cdef inline uint64_t jass_random_card(uint64_t legal, uint64_t coin) noexcept nogil:
    """One of the legal cards, as a bit, by 16 random bits (bias under 0.02 %)."""
    return nth_bit(legal, <int> (((coin & 0xffff) * <uint64_t> count(legal)) >> 16))


# ----------------------------------------------------------------------------------------- the contract

cdef enum:
    N_CONTRACT_CELLS = 2 * 2 * 4 * 512
    # In points of the mean multiplier
    PUSH_BELOW = 48         # expected difference of the sides
    CHOICE_WIDTH = 15       # that a choice is uncertain by

cdef inline double jass_trump_worth(uint64_t hand, int suit) noexcept nogil:
    """Card points, of 157, that a side may expect whose member with this hand names this trump."""
    cdef uint64_t trumps = hand >> (16 * suit) & 0x1ff, line
    cdef int n = count(trumps), other
    cdef double worth = 26.0 + 8.0 * n
    worth += 20.0 if trumps >> UNDER & 1 else 0.0
    worth += 12.0 if trumps >> 3 & 1 else 0.0                       # the nine
    worth += 5.0 if trumps >> UNDER & 1 and trumps >> 3 & 1 else 0.0
    worth += 6.0 if trumps >> 8 & 1 else 0.0
    worth += 3.0 if trumps >> KOENIG & 1 else 0.0
    for other in range(4):
        if other == suit:
            continue
        line = hand >> (16 * other) & 0x1ff
        if line >> 8 & 1:
            worth += 9.0 + (4.0 if line >> KOENIG & 1 else 0.0)
        elif line >> KOENIG & 1 and count(line) > 1:
            worth += 3.0
        if not line and n > 2:
            worth += 3.0
    return worth


cdef inline double jass_plain_worth(uint64_t hand, bint undenufe, bint leads) noexcept nogil:
    """The same for obenabe and undenufe: sure tricks from the top of each suit, and length behind them."""
    cdef uint64_t line
    cdef double worth = 28.0 + (6.0 if leads else 0.0)
    cdef int suit, rank, held, missing
    for suit in range(4):
        line = hand >> (16 * suit) & 0x1ff
        held = 0
        missing = 0
        for rank in range(9):
            if line >> (rank if undenufe else 8 - rank) & 1:
                held += 1
                if missing == 0:
                    worth += 14.0
                elif missing == 1:
                    worth += 7.0 if held > 1 or count(line) > 1 else 3.0
                elif held > 2:
                    worth += 4.0
            else:
                missing += 1
    return worth


cdef inline double jass_table_worth(const float* tables, uint64_t hand, bint partner, int contract,
                                    const JassRuleSet* r) noexcept nogil:
    """The same difference by the fitted tables [forehand, partner][points, match][trump, plain, obenabe, undenufe]
    [512 holdings of a suit]; see bench/train_contracts.py."""
    cdef const float* table = tables + 2 * 4 * 512 * partner
    cdef int suit, kind, place
    cdef double points = 0.0, match = 0.0
    for suit in range(4):
        kind = contract - 2 if contract >= OBENABE else contract != suit
        place = kind * 512 + <int> (hand >> (16 * suit) & 0x1ff)
        points += table[place]
        match += table[4 * 512 + place]
    return points + r.match_bonus * match


cdef inline double jass_contract_worth(uint64_t hand, bint partner, const float* tables, int contract,
                                       const JassRuleSet* r) noexcept nogil:
    """Expected difference of the sides' points, multiplied, if the forehand or its partner names the contract: by the
    tables where there are some, else by counting; with its own melds and Stoeck."""
    cdef uint64_t pair
    cdef uint64_t melds[3]
    cdef double worth
    cdef int i
    if tables != NULL:
        worth = jass_table_worth(tables, hand, partner, contract, r)
    elif contract < OBENABE:
        worth = 2.0 * jass_trump_worth(hand, contract) - 157.0
    else:
        worth = 2.0 * jass_plain_worth(hand, contract == UNDENUFE, not partner) - 157.0
    if r.weis:
        for i in range(jass_melds(hand, r, contract, melds)):
            worth += 0.7 * (jass_meld_key(melds[i], r, contract) >> 12)
    if contract < OBENABE:
        pair = <uint64_t> (1 << OBER | 1 << KOENIG) << (16 * contract)
        if hand & pair == pair:
            worth += r.stoeck
    return worth * r.multiplier[contract]


cdef inline int jass_contract_options(uint64_t hand, bint partner, const float* tables, const JassRuleSet* r,
                                      double* worth, double* mean) noexcept nogil:
    """What each contract is worth, and a push at N_CONTRACTS; the best of them. A push is worth what a partner makes of
    it who has seen nothing either (thresholds by bench/train_contracts.py). mean: of the multipliers."""
    cdef int contract, best = 0
    mean[0] = 0.0
    for contract in range(N_CONTRACTS):
        mean[0] += r.multiplier[contract] / 6.0
        worth[contract] = jass_contract_worth(hand, partner, tables, contract, r)
        if worth[contract] > worth[best]:
            best = contract
    worth[N_CONTRACTS] = -1e9 if partner else (40 if tables == NULL else PUSH_BELOW) * mean[0]
    return best if worth[best] >= worth[N_CONTRACTS] else N_CONTRACTS


cdef inline int jass_choose_contract(const JassState* s, const float* tables) noexcept nogil:
    """Contract or push."""
    cdef double worth[N_CONTRACTS + 1]
    cdef double mean
    cdef int best = jass_contract_options(s.hand[s.to_move], s.to_move != s.first, tables, s.rules, worth, &mean)
    return PUSH if best == N_CONTRACTS else FIRST_CONTRACT_MOVE + best


cdef inline double jass_contract_likelihood(uint64_t hand, bint partner, int choice, const float* tables,
                                            const JassRuleSet* r) noexcept nogil:
    """Probability that a seat with this hand at the deal chooses so (N_CONTRACTS: pushes): a soft maximum."""
    cdef double worth[N_CONTRACTS + 1]
    cdef double mean, total = 0.0, most
    cdef int i
    most = worth[jass_contract_options(hand, partner, tables, r, worth, &mean)]
    for i in range(N_CONTRACTS + 1):
        total += exp((worth[i] - most) / (CHOICE_WIDTH * mean))
    return exp((worth[choice] - most) / (CHOICE_WIDTH * mean)) / total


cdef inline int jass_policy(const JassState* s, const Style* style, Rng* rng) noexcept nogil:
    """The search's stand-in for another seat's decision, by its own hand: contracts by counting, cards from the
    play model."""
    cdef Moment m
    if s.phase == CONTRACT:
        return jass_choose_contract(s, style.contracts)
    if style.model == NULL:
        return lowest(jass_random_card(jass_legal(s), rng_next(rng)))
    jass_moment(s, &m)
    return jass_model_card(style.model, &m, s.rules.value[s.contract], s.hand[s.to_move], jass_legal(s),
                           <float> (rng_next(rng) >> 40) * <float> (1.0 / 16777216.0))


# --------------------------------------------------------------------------------------------- the cards

cdef inline double jass_holds_none(int n_cards, int held, int unseen) noexcept nogil:
    """Probability that a hand of `held` among `unseen` cards has none of `n_cards` of them."""
    cdef double p = 1.0
    cdef int i
    for i in range(n_cards):
        if unseen - i <= 0 or held >= unseen - i:
            return 0.0
        p *= 1.0 - <double> held / (unseen - i)
    return p


cdef inline int jass_rules(const JassState* s) noexcept nogil:
    """A decent player's move: what the trick is worth if its side wins it, the chance that it does, and what the
    card would still be worth later. Draws trumps as declarer, smears on the partner's trick, saves what
    stands, trumps with as little as will do."""
    cdef int seat = s.to_move, contract = s.contract, partner = (seat + 2) & 3
    cdef int card, other, i, best = -1, side = seat & 1, worth, n_trumps_out, order, tricks_left = 9 - s.trick_no
    cdef uint64_t legal, out, trumps, left, beat, mine, beaters, lead_lane, ruffers
    cdef const uint8_t* value = s.rules.value[contract]
    cdef double score, most = -1e9, win, keep, p
    cdef bint declared
    if s.phase == CONTRACT:
        return jass_choose_contract(s, NULL)
    legal = jass_legal(s)
    trumps = jass_trumps[contract]
    out = JASS_PACK & ~s.hand[seat]
    for other in range(4):
        out &= ~s.played[other]
    n_trumps_out = count(out & trumps)
    declared = (s.declarer & 1) == side
    left = legal
    while left:
        card = lowest(left)
        left &= left - 1
        mine = bit(card)
        # who wins with it, as far as those still to play may tell
        if s.n_trick == 0 or mine & s.beat:
            beat = jass_beats[contract][card]
            win = 1.0
        else:
            beat = s.beat
            win = 1.0 if (s.best & 1) == side else 0.0
        lead_lane = lane((s.trick[0] if s.n_trick else card) >> 4)
        for i in range(s.n_trick + 1, 4):
            other = (s.leader + i) & 3
            beaters = out & beat & s.may[other]
            ruffers = beaters & trumps if not lead_lane & trumps else 0
            p = jass_holds_none(count(beaters & ~ruffers), jass_n_held(s, other), count(out))
            # a hand that can follow seldom trumps a poor trick
            if ruffers:
                p *= 1.0 - ((0.75 if not out & lead_lane & s.may[other] else 0.25)
                            * (1.0 - jass_holds_none(count(ruffers), jass_n_held(s, other), count(out))))
            if other == partner:
                win += (1.0 - win) * 0.6 * (1.0 - p)
            else:
                win *= p
        worth = s.trick_points + value[card] + (s.rules.last_trick if tricks_left == 1 else 0)
        score = (2.0 * win - 1.0) * (worth + 1.5 * (3 - s.n_trick))
        # what it would still be worth
        keep = 0.0
        if mine & trumps:
            order = jass_trump_order[card & 15]
            keep = 4.0 + 1.6 * order
            if not out & trumps & jass_beats[contract][card]:
                keep += 3.0
            if s.n_trick == 0 and n_trumps_out and (declared or count(s.hand[seat] & trumps) > n_trumps_out):
                keep -= 9.0 + (6.0 if not out & trumps & jass_beats[contract][card] else 0.0)
            if not n_trumps_out:
                keep += 2.0
        else:
            beaters = out & jass_beats[contract][card] & ~trumps
            if not beaters:
                keep = 9.0 if contract >= OBENABE else (6.0 if n_trumps_out else 9.0)
                if s.n_trick == 0:          # leading it now takes it home
                    keep -= 7.0
            elif count(beaters) == 1 and s.hand[seat] & lane(card >> 4) & ~mine:
                keep = 3.0
            keep += 0.25 * (8 - count(beaters)) if beaters else 0.0
            if s.n_trick and not lead_lane & mine:      # a discard that bares nothing
                keep += 1.0 if count(s.hand[seat] & lane(card >> 4)) == 2 else 0.0
        score -= keep * min(1.0, 0.25 * (tricks_left - 1))
        if score > most:
            most = score
            best = card
    return best


cdef inline int jass_greedy(const JassState* s) noexcept nogil:
    """The longest trump; every trick that can be had now, with the dearest card that takes it, else the
    cheapest card."""
    cdef uint64_t left
    cdef int card, suit, score, most = -1000, best = 0
    if s.phase == CONTRACT:
        for suit in range(4):
            score = 4 * count(s.hand[s.to_move] & lane(suit)) + count(s.hand[s.to_move] & bit(16 * suit + UNDER))
            if score > most:
                most = score
                best = suit
        return FIRST_CONTRACT_MOVE + best
    left = jass_legal(s)
    while left:
        card = lowest(left)
        left &= left - 1
        score = s.rules.value[s.contract][card]
        if s.n_trick == 0 or bit(card) & s.beat:
            score += 100 - count(jass_beats[s.contract][card])
        else:
            score = -score
        if score > most:
            most = score
            best = card
    return best
