"""Apples for Python: rules and rounds. The rules themselves are in apples_state.pxd."""

cimport cython
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memset

from trickbot.ext.bits cimport bit, count, lane, lowest
from trickbot.ext.phase cimport AUCTION, GIVE, OVER, PILE, PLAY, REDEAL, TARGET
from trickbot.ext.rng cimport Rng, rng_next, rng_seed, rng_uniform
from trickbot.ext.worlds cimport random_subset


cdef class ApplesRules:
    """target: the points that end a match; immutable. ValueError out of 1 to 10000."""

    def __init__(self, *, int target=250):
        if not 1 <= target <= 10000:
            raise ValueError(f"target={target}: must be 1 to 10000")
        self.target = target

    @property
    def fields(self):
        """All values by name."""
        return {"target": self.target}

    def __eq__(self, other):
        return isinstance(other, ApplesRules) and self.target == (<ApplesRules> other).target

    def __hash__(self):
        return hash(self.target)

    def __repr__(self):
        return f"ApplesRules(target={self.target})"

    def __reduce__(self):
        return _rules_from, (self.target,)


def _rules_from(target):
    return ApplesRules(target=target)


def _name(int card):
    return "cdhs"[card >> 4] + "23456789TJQKA"[card & 15]


def _names(uint64_t cards):
    """Cards in words, suit by suit, high to low; "none"."""
    return ",".join(_name(16 * suit + rank) for suit in range(4) for rank in range(12, -1, -1)
                    if cards >> (16 * suit + rank) & 1) or "none"


def _bid_names(uint64_t moves):
    """Bids in words, weakest first, and pass."""
    return " ".join(["pass", *(f"{n}{'cdhs'[suit]}" for n in range(1, 14) for suit in (1, 2, 0, 3)
                               if moves >> (16 * suit + n - 1) & 1)])


cdef class ApplesDeal:
    """A round in progress as somebody knows it: in full, or as seen from one or more seats.

    first: first bidder, 0..3. match: the four totals before the round. hands: the dealt hands as card masks by
    seat, None where unknown; with three known the fourth is known. ValueError for hands that are no deal, and for
    a match that is over.
    """

    def __init__(self, ApplesRules rules not None, int first, match, hands):
        cdef int seat
        cdef int totals[4]
        cdef uint64_t seen = 0, hand
        if not 0 <= first <= 3:
            raise ValueError(f"first {first}: must be a seat, 0 to 3")
        if len(match) != 4 or len(hands) != 4:
            raise ValueError("a round has four totals and four hands")
        self.rules = rules
        self.match = tuple(match)
        self._tricks = []
        self._derived = -1
        memset(&self.s, 0, sizeof(ApplesState))
        for seat in range(4):
            if not -20000 <= match[seat] <= 20000:
                raise ValueError(f"match {match[seat]}: must be -20000 to 20000")
            self.s.match[seat] = totals[seat] = match[seat]
            self.s.target[seat] = UNSET
            if hands[seat] is not None:
                hand = hands[seat]
                if hand & ~APPLES_PACK:
                    raise ValueError(f"hand {seat}: has a card that is not in the pack")
                if count(hand) != 13:
                    raise ValueError(f"hand {seat}: has {count(hand)} cards, must be 13")
                if hand & seen:
                    raise ValueError(f"hand {seat}: {_names(hand & seen)} is in another hand too")
                seen |= hand
                self.s.hand[seat] = self.s.dealt[seat] = hand
                self.s.known |= 1 << seat
        if count(self.s.known) == 3:
            self._derived = lowest(15 & ~self.s.known)
            self.s.hand[self._derived] = self.s.dealt[self._derived] = APPLES_PACK & ~seen
            self.s.known = 15
        self.s.goal = rules.target
        seat = apples_winner(totals, rules.target)
        if seat >= 0:
            raise ValueError(f"match {' '.join(map(str, match))}: seat {seat} has won the match to {rules.target}")
        self.s.first = self.s.to_move = self.s.leader = first
        self.s.phase = AUCTION
        self.s.bidder = self.s.bid_suit = self.s.best = -1

    # What stands on the table

    game = "apples"
    n_sides = 4

    @property
    def first(self):
        return self.s.first

    @property
    def phase(self):
        return self.s.phase

    @property
    def to_move(self):
        return self.s.to_move

    @property
    def known(self):
        """Mask of the seats whose cards are known."""
        return self.s.known

    def hand(self, int seat):
        """Cards that the seat holds now, without its target; None where unknown."""
        if self.s.known >> seat & 1:
            return self.s.hand[seat]
        return None if apples_n_held(&self.s, seat) else 0

    def dealt(self, int seat):
        """The dealt hand; None where unknown."""
        return self.s.dealt[seat] or None

    def played(self, int seat):
        """Cards that the seat has played."""
        return self.s.played[seat]

    @property
    def bid(self):
        """The highest bid so far: (number, suit), None."""
        return (self.s.bid_n, self.s.bid_suit) if self.s.bid_n else None

    @property
    def bidder(self):
        """The seat of the highest bid so far, -1."""
        return self.s.bidder

    @property
    def trump(self):
        """The suit of the bid that won the auction, -1."""
        return -1 if self.s.phase == AUCTION else self.s.bid_suit

    @property
    def gives(self):
        """Cards given for the bid pile by seat, None where unknown or not given yet."""
        return [self.s.gave[seat] or None for seat in range(4)]

    @property
    def gots(self):
        """Cards dealt back by seat, None where unknown."""
        return [self.s.got[seat] or None for seat in range(4)]

    @property
    def n_given(self):
        """Cards that the seat to move has given so far."""
        return self.s.n_given

    @property
    def targets(self):
        """The target cards by seat, None where unknown or not chosen yet."""
        return [self.s.target[seat] if self.s.target[seat] >= 0 else None for seat in range(4)]

    @property
    def trick_leader(self):
        """Leader of the trick on the table; before the play the first bidder, then the bid's winner."""
        return self.s.leader

    @property
    def trick(self):
        """Cards of the trick on the table, in order of play."""
        return [self.s.trick[i] for i in range(self.s.n_trick)]

    @property
    def tricks(self):
        """Finished tricks: (leader, cards, winner, None)."""
        return list(self._tricks)

    @property
    def piles(self):
        """Masks of the cards won, by seat."""
        return [self.s.won[seat] for seat in range(4)]

    @property
    def points(self):
        """Points of this round by seat; zeros until it is over and all targets are turned up."""
        if self.s.phase != OVER or not apples_open(&self.s):
            return (0, 0, 0, 0)
        return tuple(apples_score(self.s.won[seat], self.s.target[seat]) for seat in range(4))

    @property
    def scores(self):
        """Match totals now, by seat."""
        return tuple(before + now for before, now in zip(self.match, self.points))

    @property
    def winner(self):
        """The seat that has won the match, -1."""
        cdef int totals[4]
        if self.s.phase != OVER or not apples_open(&self.s):
            return -1
        for seat, total in enumerate(self.scores):
            totals[seat] = total
        return apples_winner(totals, self.s.goal)

    # Moves

    def legal(self):
        """Mask of the legal moves; 0 when nobody is to move. ValueError if the mover's hand is unknown."""
        if self.s.to_move >= 0 and not self.s.known >> self.s.to_move & 1:
            raise ValueError(f"the hand of seat {self.s.to_move}, which is to move, is unknown")
        return apples_legal(&self.s)

    cdef uint64_t _elsewhere(self, int seat):
        """Cards that an unknown hand cannot hold now, because they are known to lie somewhere else."""
        cdef uint64_t cards = 0
        cdef int other
        for other in range(4):
            cards |= self.s.played[other] | (self.s.gave[other] if self.s.phase < PILE else 0)
            if self.s.target[other] >= 0:
                cards |= bit(self.s.target[other])
            if other != seat:
                cards |= self.s.hand[other] | self.s.got[other] & ~self.s.played[other]
                if self.s.phase <= PILE:
                    cards |= self.s.dealt[other]
        return cards

    def why_illegal(self, int move):
        """Why the seat to move may not make this move, or None. For an unknown hand: why no hand could."""
        cdef int seat = self.s.to_move, suit = move >> 4, other, most, n = (move & 15) + 1
        cdef uint64_t legal, cards
        cdef bint known
        if seat < 0:
            return {PILE: "all have given: the pile is to be dealt back", OVER: "the round is over",
                    REDEAL: "four passes: the cards are dealt anew"}[self.s.phase]
        if not 0 <= move < 64:
            return "no such move"
        known = self.s.known >> seat & 1
        legal = apples_legal(&self.s) if known else 0
        if self.s.phase == AUCTION:
            if move == PASS or legal >> move & 1:
                return None
            if move & 15 > 12:
                return "the auction is on: a bid or pass"
            name = f"{n}{'cdhs'[suit]}"
            most = count(self.s.hand[seat] & lane(suit)) if known else 13
            if not known:       # the others hold some of the suit, and this hand some of the other suits
                for other in range(4):
                    if other != suit:
                        most -= self.s.floor[seat][other]
                cards = 13
                for other in range(4):
                    if other != seat:
                        cards -= (count(self.s.dealt[other] & lane(suit)) if self.s.dealt[other]
                                  else self.s.floor[other][suit])
                most = min(most, <int> cards)
            if not apples_bids(&self.s, suit, 13) >> move & 1:
                why = f"{name} is not stronger than {self.s.bid_n}{'cdhs'[self.s.bid_suit]}"
            elif n > most:
                why = f"{name}: seat {seat} {'holds' if known else 'can hold at most'} {most} of that suit"
            else:
                return None
            return why + (f"; possible: {_bid_names(legal)}" if known else "")
        if not APPLES_PACK & bit(move):
            return f"the auction is over: {'a card to give' if self.s.phase == GIVE else 'a card'} is wanted"
        if legal >> move & 1:
            return None
        name = _name(move)
        if known:
            if not self.s.hand[seat] >> move & 1:
                why = f"seat {seat} does not hold {name}"
            elif self.s.phase == GIVE:
                why = f"{name} is no trump: the bid's winner gives trumps"
            else:
                why = f"{name} does not follow {_name(self.s.trick[0])}"
            return f"{why}; possible: {_names(legal)}"
        cards = self._elsewhere(seat)
        if cards >> move & 1:
            return f"seat {seat} cannot hold {name}: it is known to be elsewhere"
        if self.s.phase == GIVE and seat == self.s.bidder and suit != self.s.bid_suit:
            return f"{name} is no trump: the bid's winner gives trumps"
        if self.s.phase == PLAY and self.s.voids[seat] >> suit & 1:
            return f"seat {seat} cannot hold {name}: it did not follow that suit before"
        return None

    def apply(self, int move):
        """Makes a move, or gives one card of several. ValueError, with the reason, if it may not be made."""
        why = self.why_illegal(move)
        if why is not None:
            raise ValueError(why)
        n = self.s.trick_no
        leader, cards = self.s.leader, (*self.trick, move)
        apples_apply(&self.s, move, NULL)
        if self.s.trick_no > n:
            self._tricks.append((leader, cards, self.s.best, None))
        if self.s.phase == OVER:
            self._turn_up_last()

    cdef void _forget(self, int seat):
        """From now on this hand is unknown."""
        self.s.known &= ~(1 << seat)
        self.s.hand[seat] = 0

    def give_hidden(self, n=None):
        """The seat to move has given its cards, unseen. n: how many, as a check. ValueError if it has not to give,
        or its hand was told."""
        cdef int seat = self.s.to_move
        if self.s.phase != GIVE or self.s.n_given:
            raise ValueError("no seat is to give cards for the bid pile now")
        if n is not None and n != self.s.bid_n:
            raise ValueError(f"{n} cards: seat {seat} gives {self.s.bid_n}")
        if self.s.known >> seat & 1:
            if seat != self._derived:
                raise ValueError(f"the hand of seat {seat} is known: what it gives must be told; "
                                 f"possible: {self.s.bid_n} of {_names(apples_legal(&self.s))}")
            self._forget(seat)
        apples_next_giver(&self.s, NULL)

    def target_hidden(self):
        """The seat to move has set its target aside, unseen. ValueError if it has not to, or its hand was told."""
        cdef int seat = self.s.to_move
        if self.s.phase != TARGET:
            raise ValueError("no seat is to set a target aside now")
        if self.s.known >> seat & 1:
            if seat != self._derived:
                raise ValueError(f"the hand of seat {seat} is known: its target must be told; "
                                 f"possible: {_names(self.s.hand[seat])}")
            self._forget(seat)
        self.s.target[seat] = HIDDEN
        apples_next_target(&self.s)

    def pile(self, parts):
        """Deals the bid pile back: card masks by seat, None where unknown. ValueError if it is not to be dealt
        back now, or the parts cannot be the pile."""
        cdef int seat, n = self.s.bid_n
        cdef uint64_t part, seen = 0, given = 0, kept = 0, hidden = 0
        if self.s.phase != PILE:
            raise ValueError("no pile is to be dealt back now")
        if len(parts) != 4:
            raise ValueError("the pile has four parts")
        for seat in range(4):
            given |= self.s.gave[seat]
            if not self.s.gave[seat]:
                hidden += 1
            kept |= self.s.dealt[seat] & ~self.s.gave[seat] if self.s.gave[seat] else 0
        parts = list(parts)
        for seat in range(4):
            if parts[seat] is None:
                continue
            part = parts[seat]
            if count(part) != n:
                raise ValueError(f"the part of seat {seat} has {count(part)} cards, must be {n}")
            if part & ~APPLES_PACK:
                raise ValueError(f"the part of seat {seat} has a card that is not in the pack")
            if part & seen:
                raise ValueError(f"{_names(part & seen)}: in two parts of the pile")
            if part & kept:
                raise ValueError(f"{_names(part & kept)}: was kept, and is not in the pile")
            seen |= part
        if count(seen & ~given) > <int> hidden * n:
            raise ValueError(f"{_names(seen & ~given)}: not in the pile, which is {_names(given)}")
        if hidden == 0 and sum(part is None for part in parts) == 1:
            parts[parts.index(None)] = given & ~seen
        for seat in range(4):
            if parts[seat] is None and self.s.known >> seat & 1:
                raise ValueError(f"the hand of seat {seat} is known: its part of the pile must be told")
        for seat in range(4):
            if parts[seat] is not None:
                self.s.got[seat] = parts[seat]
                if self.s.known >> seat & 1:
                    self.s.hand[seat] |= self.s.got[seat]
        self.s.phase = TARGET
        self.s.to_move = self.s.bidder

    def turn_up(self, targets):
        """Turns the targets up after the last trick: card ids by seat, None where still unknown. ValueError if the
        round is not over, or a card was seen elsewhere."""
        cdef int seat, card
        cdef uint64_t gone = 0
        if self.s.phase != OVER:
            raise ValueError("targets are turned up after the last trick")
        if len(targets) != 4:
            raise ValueError("four targets are turned up")
        for seat in range(4):
            gone |= self.s.played[seat]
        for seat in range(4):
            if targets[seat] is None:
                continue
            card = targets[seat]
            if not 0 <= card < 64 or not APPLES_PACK >> card & 1:
                raise ValueError(f"the target of seat {seat} is not in the pack")
            if gone >> card & 1 or self.s.target[seat] >= 0 and self.s.target[seat] != card:
                raise ValueError(f"{_name(card)} is not the target of seat {seat}")
            for other in range(4):
                if other != seat and (self.s.target[other] == card or targets[other] == card):
                    raise ValueError(f"{_name(card)} is the target of seat {other}")
        for seat in range(4):
            if targets[seat] is not None:
                self.s.target[seat] = targets[seat]
        self._turn_up_last()

    def _turn_up_last(self):
        """When the round is over and one target is unknown, it is the card that is left."""
        cdef uint64_t left = APPLES_PACK
        hidden = [seat for seat in range(4) if self.s.target[seat] < 0]
        if len(hidden) == 1:
            for seat in range(4):
                left &= ~self.s.played[seat]
                if self.s.target[seat] >= 0:
                    left &= ~bit(self.s.target[seat])
            self.s.target[hidden[0]] = lowest(left)

    # Points of view

    def view(self, int seat):
        """The round as this seat knows it."""
        cdef ApplesDeal out = self.copy()
        apples_view(&self.s, seat, &out.s)
        out._derived = -1
        return out

    def forgetful(self, double chance, seed):
        """The round as somebody remembers it who forgets, hidden hand by hidden hand with this chance, which
        suits it has not followed."""
        cdef ApplesDeal out = self.copy()
        cdef Rng rng
        rng_seed(&rng, seed, 0)
        for seat in range(4):
            if rng_uniform(&rng) < chance and not out.s.known >> seat & 1:
                out.s.voids[seat] = 0
        return out

    def copy(self):
        cdef ApplesDeal out = ApplesDeal.__new__(ApplesDeal)
        out.rules = self.rules
        out.match = self.match
        out._tricks = list(self._tricks)
        out._derived = self._derived
        out.s = self.s
        return out

    cdef void remember(self, ApplesWorlds* table):
        """Adds to the table what the hidden seats have played, each card with the moment in which it was chosen."""
        cdef ApplesState past = self.s
        cdef ApplesPast* p
        cdef int seat, card
        past.trick_no = 0
        past.n_trick = 0
        for seat in range(4):
            past.played[seat] = 0
            past.won[seat] = 0
        for leader, cards, *_ in [*self._tricks, (self.s.leader, self.trick)]:
            past.phase = PLAY
            past.to_move = leader
            for card in cards:
                seat = past.to_move
                if not self.s.known >> seat & 1:
                    p = &table.past[table.n_past]
                    table.n_past += 1
                    p.before = past
                    p.kept = self.s.played[seat] & ~past.played[seat]
                    p.seat = seat
                    p.card = card
                apples_advance(&past, card, NULL)

    def consistent(self):
        """Whether some full deal fits all that is known here. (What the bids prove is looked at suit by suit only,
        once the pile is dealt back.)"""
        cdef ApplesWorlds w
        if self.s.known == 0:
            return bool(apples_has_room(&self.s))
        apples_prepare(&self.s, &w)
        return bool(w.fits)

    def determinize(self, seed, stream=0):
        """A full deal that is consistent with this view, uniform over dealt hands, gives, pile and targets; None
        if there is none, or four hands are hidden and the pile is dealt back."""
        cdef Rng rng
        cdef ApplesWorlds w
        cdef ApplesDeal out = self.copy()
        rng_seed(&rng, seed, stream)
        apples_prepare(&self.s, &w)
        return out if apples_determinize(&self.s, &w, &out.s, &rng) else None

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def sample(self, int n, seed):
        """n consistent worlds, uniform and independent: uint64 array (n, 4), the cards now held by seat.
        ValueError if there is none."""
        import numpy

        result = numpy.empty((n, 4), dtype=numpy.uint64)
        cdef uint64_t[:, ::1] hands = result
        cdef ApplesState world
        cdef ApplesWorlds w
        cdef Rng rng
        cdef int i, seat
        cdef bint found = True
        rng_seed(&rng, seed, 0)
        apples_prepare(&self.s, &w)
        with nogil:
            for i in range(n):
                if not apples_determinize(&self.s, &w, &world, &rng):
                    found = False
                    break
                for seat in range(4):
                    hands[i, seat] = world.hand[seat]
        if not found:
            raise ValueError("no deal is consistent with what is known")
        return result

    def check(self):
        """Whether the state's invariants hold."""
        return bool(apples_check(&self.s))

    def __eq__(self, other):
        if not isinstance(other, ApplesDeal):
            return NotImplemented
        cdef ApplesDeal that = other
        return (self.rules == that.rules and self.match == that.match and self._tricks == that._tricks
                and _same(&self.s, &that.s))

    def __reduce__(self):
        raise TypeError("deals are not pickled: send their position line")


cdef bint _same(const ApplesState* a, const ApplesState* b) noexcept:
    cdef ApplesState x = a[0], y = b[0]
    cdef int i
    if x.n_trick != y.n_trick:
        return 0
    for i in range(x.n_trick, 4):       # leftovers of the last trick say nothing
        x.trick[i] = y.trick[i] = 0
    if x.n_trick == 0:
        x.beat = y.beat = 0
        x.best = y.best = 0
    return memcmp(&x, &y, sizeof(ApplesState)) == 0


def random_deal(ApplesRules rules not None, int first, seed, match=(0, 0, 0, 0)):
    """A full deal, uniform, by seed."""
    cdef Rng rng
    cdef uint64_t rest = APPLES_PACK, hand
    rng_seed(&rng, seed, 0)
    hands = []
    for _ in range(3):
        hand = random_subset(rest, 13, &rng)
        hands.append(hand)
        rest &= ~hand
    return ApplesDeal(rules, first, match, [*hands, rest])


@cython.boundscheck(False)
@cython.wraparound(False)
def playouts(ApplesDeal deal not None, int n, seed):
    """n uniform random playouts: float64 array (n, 4), points of the round by seat, zeros where nobody bid. The
    choices before the first card are the policy's. From a view, each from a new world; ValueError if it has none."""
    import numpy

    result = numpy.zeros((n, 4))
    cdef double[:, ::1] points = result
    cdef ApplesState worlds[2]
    cdef ApplesWorlds w
    cdef Rng rng
    cdef int i, j, seat, now
    cdef bint full = deal.s.known == 15, found = True
    rng_seed(&rng, seed, 0)
    apples_prepare(&deal.s, &w)
    with nogil:
        for i in range(0, n, 2):
            now = min(2, n - i)
            for j in range(now):
                if full:
                    worlds[j] = deal.s
                elif not apples_determinize(&deal.s, &w, &worlds[j], &rng):
                    found = False
            if not found:
                break
            if now == 2:
                apples_playout_pair(&worlds[0], &worlds[1], &rng)
            else:
                apples_random_playout(&worlds[0], &rng)
            for j in range(now):
                if worlds[j].phase == OVER:
                    for seat in range(4):
                        points[i + j, seat] = apples_score(worlds[j].won[seat], worlds[j].target[seat])
    if not found:
        raise ValueError("no deal is consistent with what is known")
    return result


cdef uint64_t _perft(const ApplesState* s, int depth) noexcept nogil:
    cdef uint64_t legal = apples_legal(s), total = 0
    cdef ApplesState after
    if depth == 0:
        return 1
    if depth == 1:
        return count(legal)
    while legal:
        after = s[0]
        apples_advance(&after, lowest(legal), NULL)
        total += _perft(&after, depth - 1)
        legal &= legal - 1
    return total


def perft(ApplesDeal deal not None, int depth):
    """Number of sequences of so many cards from a full deal. ValueError if a hand is unknown, or before the
    play."""
    if deal.s.known != 15:
        raise ValueError("perft wants all four hands")
    if deal.s.phase < PLAY:
        raise ValueError("perft counts from the play phase on")
    cdef uint64_t total
    with nogil:
        total = _perft(&deal.s, depth)
    return total


def choose(ApplesDeal deal not None, str kind, seed):
    """The move of a player that does not search: "random", "greedy" or "rules", by its own hand and what all have
    seen; the same seed gives other random numbers at every decision. ValueError if nobody is to move or its hand
    is unknown."""
    cdef Rng rng
    cdef uint64_t legal = deal.legal()
    if not legal:
        raise ValueError("nobody is to move")
    if kind == "random":                # one seed serves for all decisions of a hand
        rng_seed(&rng, seed, (<uint64_t> deal.s.phase << 32 | deal.s.n_passes << 24 | deal.s.bid_n << 16
                              | (deal.s.bid_suit + 1) << 8 | count(legal)))
        return lowest(apples_random_card(legal, rng_next(&rng)))
    if kind == "greedy":
        return apples_greedy(&deal.s)
    if kind == "rules":
        return apples_rules(&deal.s, &apples_weights)
    raise ValueError(f"player {kind!r}: must be random, greedy or rules")
