# Apples: full worlds that fit what is known.
#
# A world is all that the view does not tell: the dealt hands, what each seat gave to the bid pile, how the pile
# was dealt back, the targets. `apples_determinize` draws it uniformly over all of these together. What it obeys:
# the known hands at every stage; the number of cards that each seat gave and got; the bid's winner gave trumps
# only; a bid of n proves n cards of its suit in the dealt hand; the cards that each seat has played; a suit not
# followed is no longer held (the target may be of it); targets and gives that are told.
#
# Before the pile is dealt back the dealt hands alone are hidden, and strong bids are met by planting: j cards of
# the suit are given to the bidder first, and a deal in which it holds k of the suit is kept with probability
# choose(least, j) / choose(k, j), since so many plantings lead to it.
#
# Afterwards the round is reconstructed backwards. The present hands and targets come from the class table of
# worlds.pxd; then the bid's winner's cards are marked, each hand's cards from the pile are drawn, and their givers.
# A hand with z cards that are known to come from the pile (told or marked) leaves choose(13 - z, n - z) ways for
# the rest, so the present hands are kept with a probability in proportion to the product of these. The dealt
# hands that result are kept when they hold what was bid. (Where less than about one in PILOT worlds does, which
# takes a bid of eight or so that went into the pile whole, such bids are left out of account.)

from libc.stdint cimport uint8_t, uint64_t
from trickbot.ext.apples_state cimport APPLES_PACK, HIDDEN, ApplesState, apples_n_held
from trickbot.ext.bits cimport bit, count, lane, lowest, nth
from trickbot.ext.phase cimport AUCTION, GIVE, PILE
from trickbot.ext.rng cimport Rng, rng_below, rng_seed, rng_uniform
from trickbot.ext.worlds cimport Worlds, choose, random_subset, worlds_deal, worlds_prepare

cdef enum:
    MAX_TRIES = 1 << 20     # rejected worlds before determinize says that there is none
    PILOT = 1 << 14

cdef struct ApplesPast:
    # A card that a hidden seat chose
    ApplesState before      # as all saw it
    uint64_t kept           # cards that the seat has played since, this one among them: it held them then
    int seat
    int card

cdef struct ApplesWorlds:
    bint fits                   # as far as suits and sizes tell
    int n                       # hidden hands
    int seat[4]                 # whose
    uint64_t unseen
    # before the pile is dealt back
    int n_plants
    uint8_t plant_hand[12]
    uint8_t plant_suit[12]
    uint8_t plant_least[12]     # cards of the suit that the dealt hand holds at least
    uint8_t plant_n[12]         # so many are planted
    # afterwards
    bint bids                   # whether any bid of a hidden hand is to be looked at
    int n_options
    uint8_t option[64][3]       # by hidden hand: 0, its target is of a suit that it may hold; 1 + suit
    double option_up_to[64]     # cumulated weight
    Worlds deals                # of option 0
    uint64_t special            # cards known to have been in the pile, and who gave them
    uint64_t near               # cards that the bid's winner may have given: in hands that are known,
    uint64_t far                # in hidden ones
    bint marks                  # whether the bid's winner's cards are to be marked
    double near_up_to[14]       # by number of marked cards that are near: cumulated weight
    double most[14]             # and the highest product of ways
    int n_past
    ApplesPast past[48]


cdef inline uint64_t apples_unseen(const ApplesState* s) noexcept nogil:
    """Before the pile is dealt back: cards of hidden dealt hands, without those told to be given. After: cards
    held or set aside by hidden hands."""
    cdef uint64_t seen = 0
    cdef int seat
    for seat in range(4):
        if s.phase <= PILE:
            seen |= s.dealt[seat] | s.gave[seat]
        else:
            seen |= s.hand[seat] | s.played[seat]
            if s.target[seat] >= 0:
                seen |= bit(s.target[seat])
    return APPLES_PACK & ~seen


cdef inline bint apples_has_room(const ApplesState* s) noexcept nogil:
    """Hall's condition, suit by suit: the unseen cards of any suits find room in the hidden hands that may hold
    such suits, and behind the hidden targets; and the bids find their cards, in the hands or in the pile."""
    cdef uint64_t unseen = apples_unseen(s), shown
    cdef int suits, suit, seat, room, want, total
    if s.phase <= PILE:
        for seat in range(4):
            want = 0
            for suit in range(4):
                want += max(<int> s.floor[seat][suit], count(s.gave[seat] & lane(suit)))
            if want > 13:
                return 0
        for suit in range(4):
            want = 0
            for seat in range(4):
                if not s.dealt[seat]:
                    want += max(0, <int> s.floor[seat][suit] - count(s.gave[seat] & lane(suit)))
            if want > count(unseen & lane(suit)):
                return 0
        return 1
    for suits in range(1, 16):
        room = 0
        total = 0
        for seat in range(4):
            if suits >> seat & 1:
                total += count(unseen & lane(seat))
            if s.known >> seat & 1:
                continue
            if suits & ~s.voids[seat]:
                room += apples_n_held(s, seat)
            room += s.target[seat] == HIDDEN
        if total > room:
            return 0
    for seat in range(4):
        if s.known >> seat & 1:
            continue
        want = 0
        for suit in range(4):
            shown = s.played[seat] | (bit(s.target[seat]) if s.target[seat] >= 0 else 0)
            room = count(shown & lane(suit))
            if s.voids[seat] >> suit & 1:
                room += s.target[seat] == HIDDEN and unseen & lane(suit) != 0
            else:
                room += min(count(unseen & lane(suit)), apples_n_held(s, seat) + (s.target[seat] == HIDDEN))
            if seat != s.bidder or suit != s.bid_suit:
                want += max(0, <int> s.floor[seat][suit] - room)
        if want > (0 if seat == s.bidder else s.bid_n):
            return 0
    return 1


# ------------------------------------------------------------------------ before the pile is dealt back

cdef inline bint apples_has_given(const ApplesState* s, int seat) noexcept nogil:
    return s.phase == PILE or (s.phase == GIVE and ((seat - s.bidder) & 3) < s.n_gave)


cdef inline void apples_prepare_dealt(const ApplesState* view, ApplesWorlds* w) noexcept nogil:
    cdef int i, j, suit, seat, least, n_suit, n_all = count(w.unseen), room
    cdef double gain, best, ways
    w.n_plants = 0
    for i in range(w.n):
        seat = w.seat[i]
        room = 13 - count(view.gave[seat])
        for suit in range(4):
            if suit == view.bid_suit and seat == view.bidder and apples_has_given(view, seat):
                continue                    # its gift holds as many
            least = view.floor[seat][suit] - count(view.gave[seat] & lane(suit))
            if least <= 0:
                continue
            n_suit = count(w.unseen & lane(suit))
            w.plant_hand[w.n_plants] = i
            w.plant_suit[w.n_plants] = suit
            w.plant_least[w.n_plants] = least
            w.plant_n[w.n_plants] = 0
            best = 1.0
            ways = 1.0                      # mean number of plantings of j cards in a random deal
            for j in range(1, least + 1):
                ways *= <double> (n_suit - j + 1) * (room - j + 1) / (<double> j * (n_all - j + 1))
                gain = choose[least][j] / ways
                if gain > best:
                    best = gain
                    w.plant_n[w.n_plants] = j
            w.n_plants += 1


cdef inline bint apples_draw_dealt(const ApplesState* view, const ApplesWorlds* w, ApplesState* out,
                                   Rng* rng) noexcept nogil:
    """One try at the hidden dealt hands and what they have given."""
    cdef uint64_t hands[4]
    cdef uint64_t rest = w.unseen, cards, marked = 0
    cdef int i, j, seat, k
    for i in range(w.n):
        seat = w.seat[i]
        hands[i] = view.dealt[seat] if view.dealt[seat] else view.gave[seat]
        if seat == view.bidder and not view.gave[seat] and apples_has_given(view, seat):
            marked = random_subset((view.dealt[seat] if view.dealt[seat] else rest) & lane(view.bid_suit),
                                   view.bid_n, rng)
            hands[i] |= marked
            rest &= ~marked
    for j in range(w.n_plants):
        cards = random_subset(rest & lane(w.plant_suit[j]), w.plant_n[j], rng)
        hands[w.plant_hand[j]] |= cards
        rest &= ~cards
    for i in range(w.n):
        cards = random_subset(rest, 13 - count(hands[i]), rng)
        hands[i] |= cards
        rest &= ~cards
    for j in range(w.n_plants):
        seat = w.seat[w.plant_hand[j]]
        k = count(hands[w.plant_hand[j]] & ~view.gave[seat] & lane(w.plant_suit[j]))
        if k < w.plant_least[j]:
            return 0
        if w.plant_n[j] and k > w.plant_least[j]:
            if (rng_uniform(rng) * choose[k][w.plant_n[j]] >= choose[w.plant_least[j]][w.plant_n[j]]):
                return 0
    for i in range(w.n):
        seat = w.seat[i]
        out.dealt[seat] = hands[i]
        if apples_has_given(view, seat):
            if seat == view.bidder and marked:
                out.gave[seat] = marked
            elif not view.gave[seat]:
                out.gave[seat] = random_subset(hands[i], view.bid_n, rng)
        out.hand[seat] = hands[i] & ~out.gave[seat]
    return 1


# ------------------------------------------------------------------------- after the pile is dealt back

cdef inline double apples_option(const ApplesState* view, const ApplesWorlds* w, const uint8_t* option, Worlds* deals,
                                 int* targets, Rng* rng) noexcept nogil:
    """The table of present hands when the hidden targets are as the option says; returns the number of worlds.
    Targets of suits that their seats do not hold are drawn here (or, without rng, any of them taken); a target that
    is among the cards of the hand's table is left -1."""
    cdef uint64_t unseen = w.unseen, fit
    cdef uint64_t may[3]
    cdef int room[3]
    cdef int i, seat, suit
    cdef double ways = 1.0
    for i in range(w.n):
        seat = w.seat[i]
        targets[i] = -1
        room[i] = apples_n_held(view, seat)
        if view.target[seat] != HIDDEN:
            continue
        if option[i] == 0:
            room[i] += 1
            ways *= room[i]
            continue
        fit = unseen & lane(option[i] - 1)
        ways *= count(fit)
        if not fit:
            return 0.0
        targets[i] = nth(fit, rng_below(rng, count(fit))) if rng != NULL else lowest(fit)
        unseen &= ~bit(targets[i])
    for i in range(3):
        may[i] = 0
        if i >= w.n:
            room[i] = 0
            continue
        may[i] = unseen
        for suit in range(4):
            if view.voids[w.seat[i]] >> suit & 1:
                may[i] &= ~lane(suit)
    worlds_prepare(deals, unseen, may, room)
    return ways * deals.total


cdef inline double apples_ways(int z, int n) noexcept nogil:
    """Ways to choose a hand's other cards from the pile when z of its n are known."""
    return <double> choose[13 - z][n - z] if z <= n else 0.0


cdef inline void apples_prepare_held(const ApplesState* view, ApplesWorlds* w) noexcept nogil:
    cdef uint64_t others_dealt = 0, told_got = 0
    cdef uint8_t option[3]
    cdef int targets[3]
    cdef Worlds deals
    cdef int seat, suit, i, j, n_free = 0, n_far, z, n = view.bid_n
    cdef double total = 0.0
    w.fits = 0
    if w.n > 3:
        return
    # present hands and targets
    w.n_options = 0
    option[0] = option[1] = option[2] = 0
    while True:
        total += apples_option(view, w, option, &w.deals if w.n_options == 0 else &deals, targets, NULL)
        for i in range(3):
            w.option[w.n_options][i] = option[i]
        w.option_up_to[w.n_options] = total
        w.n_options += 1
        i = 0
        while i < w.n:      # the next option, as a counter with a digit for each hidden hand
            option[i] += 1
            while option[i] <= 4 and not (view.target[w.seat[i]] == HIDDEN
                                          and view.voids[w.seat[i]] >> (option[i] - 1) & 1
                                          and w.unseen & lane(option[i] - 1)):
                option[i] += 1
            if option[i] <= 4:
                break
            option[i] = 0
            i += 1
        if i == w.n:
            break
    if total == 0.0:
        return
    # the pile
    w.special = 0
    w.bids = 0
    for seat in range(4):
        w.special |= view.gave[seat]
        told_got |= view.got[seat]
        others_dealt |= view.dealt[seat]
    n_far = count(w.special & ~told_got)      # they lie in hands of which no part of the pile is told
    for i in range(w.n):
        seat = w.seat[i]
        if not view.got[seat]:
            n_free += 1
        for suit in range(4):
            if view.floor[seat][suit] and not (seat == view.bidder and suit == view.bid_suit):
                w.bids = 1
    w.marks = not view.gave[view.bidder]
    w.near = w.far = 0
    if w.marks:
        w.far = lane(view.bid_suit) & APPLES_PACK & ~w.special
        w.far &= view.dealt[view.bidder] if view.dealt[view.bidder] else ~others_dealt
        w.near = w.far & told_got
        w.far &= ~w.near
    total = 0.0
    for j in range((n if w.marks else 0) + 1):
        w.most[j] = 1.0
        z = n_far + (n - j if w.marks else 0)
        for i in range(n_free):             # an even spread leaves the most ways
            w.most[j] *= apples_ways(z // n_free + (i < z % n_free), n)
        if z > 0 and n_free == 0:
            w.most[j] = 0.0
        if w.marks:
            if j > count(w.near) or n - j > count(w.far):
                w.most[j] = 0.0
            else:
                total += w.most[j] * choose[count(w.near)][j] * choose[count(w.far)][n - j]
        else:
            total += w.most[j]
        w.near_up_to[j] = total
    w.fits = total > 0.0


cdef inline bint apples_draw_held(const ApplesState* view, const ApplesWorlds* w, ApplesState* out,
                                  Rng* rng) noexcept nogil:
    """One try at the present hands and targets of the hidden seats, and at how they came about."""
    cdef Worlds other
    cdef uint64_t hands[3]
    cdef uint64_t whole[3]
    cdef int targets[3]
    cdef uint64_t marked = 0, known_pile, pile, cards
    cdef int i, seat, suit, option = 0, j = 0, n = view.bid_n
    cdef double at, ways = 1.0
    if w.n_options > 1:
        at = rng_uniform(rng) * w.option_up_to[w.n_options - 1]
        while w.option_up_to[option] <= at:
            option += 1
    if option == 0:
        worlds_deal(&w.deals, hands, rng)
        targets[0] = targets[1] = targets[2] = -1
    else:
        apples_option(view, w, w.option[option], &other, targets, rng)
        worlds_deal(&other, hands, rng)
    if w.marks:
        at = rng_uniform(rng) * w.near_up_to[n]
        while w.near_up_to[j] <= at:
            j += 1
        marked = random_subset(w.near, j, rng) | random_subset(w.far, n - j, rng)
    known_pile = w.special | marked
    for i in range(w.n):
        seat = w.seat[i]
        if targets[i] >= 0:
            hands[i] |= bit(targets[i])
        whole[i] = hands[i] | view.played[seat]
        if view.target[seat] >= 0:
            whole[i] |= bit(view.target[seat])
        if view.got[seat]:
            if view.got[seat] & ~whole[i] or known_pile & whole[i] & ~view.got[seat]:
                return 0
        else:
            ways *= apples_ways(count(known_pile & whole[i]), n)
    if ways < w.most[j] and rng_uniform(rng) * w.most[j] >= ways:
        return 0
    # who got what, and who gave it
    pile = 0
    for seat in range(4):
        pile |= view.got[seat]
    for i in range(w.n):
        seat = w.seat[i]
        if not view.got[seat]:
            cards = known_pile & whole[i]
            cards |= random_subset(whole[i] & ~cards, n - count(cards), rng)
            out.got[seat] = cards
            pile |= cards
    pile &= ~known_pile
    for i in range(w.n):
        seat = w.seat[i]
        if not view.gave[seat]:
            if seat == view.bidder:
                cards = marked
            else:
                cards = random_subset(pile, n, rng)
                pile &= ~cards
            out.gave[seat] = cards
        out.dealt[seat] = (whole[i] & ~out.got[seat]) | out.gave[seat]
        if w.bids:
            for suit in range(4):
                if count(out.dealt[seat] & lane(suit)) < view.floor[seat][suit]:
                    return 0
    for i in range(w.n):
        seat = w.seat[i]
        if view.target[seat] == HIDDEN:
            if targets[i] < 0:
                targets[i] = nth(hands[i], rng_below(rng, count(hands[i])))
            out.target[seat] = targets[i]
            hands[i] &= ~bit(targets[i])
        out.hand[seat] = hands[i]
    return 1


# ------------------------------------------------------------------------------------------- all phases

cdef inline void apples_prepare(const ApplesState* view, ApplesWorlds* w) noexcept nogil:
    """What `apples_determinize` wants to know about a view, once for many worlds."""
    cdef ApplesState world
    cdef Rng rng
    cdef int seat, _tries
    w.n = 0
    w.n_past = 0
    w.unseen = apples_unseen(view)
    w.fits = apples_has_room(view)
    for seat in range(4):
        if not view.known >> seat & 1:
            w.seat[w.n] = seat
            w.n += 1
    if not w.fits or w.n == 0:
        return
    if view.phase <= PILE:
        apples_prepare_dealt(view, w)
        return
    apples_prepare_held(view, w)
    if w.fits and w.bids:
        rng_seed(&rng, 1, 0)
        world = view[0]
        for _tries in range(PILOT):
            if apples_draw_held(view, w, &world, &rng):
                return
        w.bids = 0


cdef inline bint apples_determinize(const ApplesState* view, const ApplesWorlds* w, ApplesState* out,
                                    Rng* rng) noexcept nogil:
    """A full world, uniform over (dealt hands, gives, pile, targets) consistent with the view; 0 if there is
    none (or none was found in MAX_TRIES)."""
    cdef int _tries
    if not w.fits:
        return 0
    out[0] = view[0]
    out.known = 15
    if w.n == 0:
        return 1
    for _tries in range(MAX_TRIES):
        if apples_draw_dealt(view, w, out, rng) if view.phase <= PILE else apples_draw_held(view, w, out, rng):
            return 1
    return 0
