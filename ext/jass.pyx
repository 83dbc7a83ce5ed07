"""Schieber Jass for Python: rules and deals. The rules themselves are in jass.pxd."""

cimport cython
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp, memset

from trickbot.ext.bits cimport bit, count, lane, lowest
from trickbot.ext.jass_model cimport (
    N_CELLS, N_TABLES, Moment, Outlook, Suit, jass_cells, jass_moment, jass_outlook, jass_suit, jass_weigh_cards,
)
from trickbot.ext.jass_policy cimport N_CONTRACT_CELLS, jass_contract_options
from trickbot.ext.jass_state cimport FIRST_CONTRACT_MOVE, N_CONTRACTS, OBENABE, jass_beats
from trickbot.ext.jass_worlds cimport Past, jass_past_chance
from trickbot.ext.phase cimport CONTRACT, OVER, PLAY
from trickbot.ext.rng cimport Rng, rng_next, rng_seed, rng_uniform
from trickbot.ext.objective cimport Style
from trickbot.ext.worlds cimport random_subset


cdef class JassRules:
    """The values that houses disagree about; immutable. Presets are in ``trickbot.engine.rules``.

    target: match points, 0 for one deal at a time. multipliers: of every point, by contract in the order
    roses, acorns, bells, shields, obenabe, undenufe. run_points: by length 0..9. quartet_points: by rank
    6 7 8 9 B U O K A. undenufe_ace, undenufe_six: card points in undenufe. shared_cards: a card may count in
    a run and in a quartet. weis: melds count. stoeck, match_bonus, last_trick: points, 0 for none.
    Raises ValueError for values out of range.
    """

    def __init__(self, *, target=3000, multipliers=(1, 1, 2, 2, 3, 4),
                 run_points=(0, 0, 0, 20, 50, 100, 100, 100, 100, 100),
                 quartet_points=(0, 0, 0, 0, 100, 200, 100, 100, 100),
                 undenufe_ace=11, undenufe_six=0, shared_cards=False, weis=True, stoeck=20, match_bonus=100,
                 last_trick=5):
        cdef JassRuleSet* r = &self.c
        cdef int contract, suit, rank
        for name, value, most in (("target", target, 1000000), ("stoeck", stoeck, 1000),
                                  ("match_bonus", match_bonus, 1000), ("last_trick", last_trick, 1000),
                                  ("undenufe_ace", undenufe_ace, 99), ("undenufe_six", undenufe_six, 99)):
            if not 0 <= value <= most:
                raise ValueError(f"{name}={value}: must be 0 to {most}")
        for name, values, n, least, most in (("multipliers", multipliers, 6, 1, 100),
                                             ("run_points", run_points, 10, 0, 1000),
                                             ("quartet_points", quartet_points, 9, 0, 1000)):
            if len(values) != n or not all(least <= each <= most for each in values):
                raise ValueError(f"{name}={values}: must be {n} numbers from {least} to {most}")
        if any(run_points[:3]):
            raise ValueError(f"run_points={run_points}: a run has three cards at least")
        self.fields = dict(
            target=target, multipliers=tuple(multipliers), run_points=tuple(run_points),
            quartet_points=tuple(quartet_points), undenufe_ace=undenufe_ace, undenufe_six=undenufe_six,
            shared_cards=bool(shared_cards), weis=bool(weis), stoeck=stoeck, match_bonus=match_bonus,
            last_trick=last_trick)
        memset(r, 0, sizeof(JassRuleSet))
        r.target = target
        r.shared = shared_cards
        r.weis = weis
        r.stoeck = stoeck
        r.match_bonus = match_bonus
        r.last_trick = last_trick
        for contract in range(6):
            r.multiplier[contract] = multipliers[contract]
        for rank in range(9):
            r.quartet_points[rank] = quartet_points[rank]
            r.quartet_mask |= (quartet_points[rank] > 0) << rank
        for contract in range(6):
            for suit in range(4):
                values = (0, 0, 0, 0, 10, 2, 3, 4, 11)
                if contract == suit:
                    values = (0, 0, 0, 14, 10, 20, 3, 4, 11)
                elif contract == 4:
                    values = (0, 0, 8, 0, 10, 2, 3, 4, 11)
                elif contract == 5:
                    values = (undenufe_six, 0, 8, 0, 10, 2, 3, 4, undenufe_ace)
                for rank in range(9):
                    r.value[contract][16 * suit + rank] = values[rank]
        for length in range(10):
            r.run_points[length] = run_points[length]
        for length in range(3, 10):
            for undenufe in range(2):
                melds = best_split(length, run_points, undenufe)
                r.split_points[length] = sum(run_points[n] for _, n in melds)
                r.n_split[undenufe][length] = len(melds)
                for i, (offset, n) in enumerate(melds):
                    r.split_offset[undenufe][length][i] = offset
                    r.split_length[undenufe][length][i] = n
        often = sum(sorted(multipliers)[2:]) / 4.0      # the dear contracts are named more often
        r.deal_mean = 80.0 * often + (10.0 * often if weis else 0.0)
        r.deal_sd = 85.0 * often

    def __getattr__(self, name):
        if name in self.fields:
            return self.fields[name]
        raise AttributeError(name)

    def __eq__(self, other):
        return isinstance(other, JassRules) and self.fields == (<JassRules> other).fields

    def __hash__(self):
        return hash(tuple(self.fields.values()))

    def __repr__(self):
        return "JassRules(" + ", ".join(f"{name}={value!r}" for name, value in self.fields.items()) + ")"

    def __reduce__(self):
        return _rules_from, (self.fields,)


def _rules_from(fields):
    return JassRules(**fields)


def best_split(length, run_points, undenufe):
    """The melds that a run of adjacent cards is declared as: [(distance of the meld's top card from the run's, its
    length)], strongest first. Highest total; of equal totals the set whose strongest meld is strongest, and so on."""
    def sets(start):
        yield []
        for top in range(start, length - 2):
            for n in range(3, length - top + 1):
                if run_points[n]:
                    for rest in sets(top + n):
                        yield [(run_points[n], n, top if undenufe else -top), *rest]

    best = max((sum(meld[0] for meld in melds), sorted(melds, reverse=True)) for melds in sets(0))
    return [(abs(offset), n) for _, n, offset in best[1]]


cdef class JassDeal:
    """A deal in progress as somebody knows it: in full, or as seen from one or more seats.

    first: forehand, 0..3. match: the totals before the deal, by side. hands: the dealt hands as card masks by
    seat, None where unknown. Raises ValueError for hands that are no deal.
    """

    def __init__(self, JassRules rules, int first, match, hands):
        cdef int seat
        cdef uint64_t seen = 0, hand
        if not 0 <= first <= 3:
            raise ValueError(f"first {first}: must be a seat, 0 to 3")
        if len(match) != 2 or len(hands) != 4:
            raise ValueError("a deal has two totals and four hands")
        self.rules = rules
        self.match = tuple(match)
        self._tricks = []
        memset(&self.s, 0, sizeof(JassState))
        self.s.rules = &rules.c
        for seat in range(4):
            self.s.may[seat] = JASS_PACK
            self.s.n_told[seat] = NOT_SAID
            if hands[seat] is not None:
                hand = hands[seat]
                if hand & ~JASS_PACK:
                    raise ValueError(f"hand {seat}: has a card that is not in the pack")
                if count(hand) != 9:
                    raise ValueError(f"hand {seat}: has {count(hand)} cards, must be 9")
                if hand & seen:
                    raise ValueError(f"hand {seat}: has a card of another hand")
                seen |= hand
                self.s.hand[seat] = hand
                self.s.known |= 1 << seat
        if count(self.s.known) == 3:
            for seat in range(4):
                if not self.s.known >> seat & 1:
                    self.s.hand[seat] = JASS_PACK & ~seen
            self.s.known = 15
        for seat in range(2):
            if rules.c.target and match[seat] >= rules.c.target:
                raise ValueError(f"match {match[0]} {match[1]}: the match to {rules.c.target} is over")
            self.s.to_go[seat] = rules.c.target - match[seat] if rules.c.target else NEVER
        self.s.first = first
        self.s.leader = first
        self.s.to_move = first
        self.s.phase = CONTRACT
        self.s.contract = -1
        self.s.declarer = -1
        self.s.weis_team = -1
        self.s.stoeck = -1
        self.s.winner = -1
        self.s.best = -1

    # What stands on the table

    game = "jass"
    n_sides = 2

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
        """Mask of the seats whose hand is known."""
        return self.s.known

    def hand(self, int seat):
        """Cards that the seat holds now; None where unknown."""
        if self.s.known >> seat & 1:
            return self.s.hand[seat]
        return None if jass_n_held(&self.s, seat) else 0

    def dealt(self, int seat):
        """The dealt hand; None where unknown."""
        if self.s.known >> seat & 1 or jass_n_held(&self.s, seat) == 0:
            return self.s.hand[seat] | self.s.played[seat]
        return None

    def played(self, int seat):
        """Cards that the seat has played."""
        return self.s.played[seat]

    @property
    def trick_leader(self):
        return self.s.leader

    @property
    def trick(self):
        """Cards of the trick on the table, in order of play."""
        return [self.s.trick[i] for i in range(self.s.n_trick)]

    @property
    def tricks(self):
        """Finished tricks: (leader, cards, winner, card points with the last trick's, unmultiplied)."""
        return list(self._tricks)

    @property
    def points(self):
        """Points of this deal by side, as they enter the match."""
        return self.s.points[0], self.s.points[1]

    @property
    def stoeck_to_come(self):
        """Points by side of a Stoeck that is still to be shown, as they enter the match, in a full deal."""
        cdef int seat = jass_stoeck_holder(&self.s)
        made = [0, 0]
        if seat >= 0:
            made[seat & 1] = self.s.rules.stoeck * self.s.rules.multiplier[self.s.contract]
        return tuple(made)

    @property
    def most_to_come(self):
        """An upper bound of what a side may still make in this deal, as it enters the match, whoever holds what; 0
        before the contract."""
        cdef const JassRuleSet* r = self.s.rules
        cdef uint64_t left = JASS_PACK
        cdef int seat, most = self.s.trick_points + r.last_trick
        for seat in range(4):
            left &= ~self.s.played[seat]
        while left and self.s.contract >= 0:
            most += r.value[self.s.contract][lowest(left)]
            left &= left - 1
        if not (self.s.tricks_won[0] and self.s.tricks_won[1]):
            most += r.match_bonus
        if self.s.stoeck < 0 and self.s.contract < OBENABE:
            most += r.stoeck
        if r.weis and (self.s.trick_no == 0 or self.s.weis_team == WEIS_OPEN):
            most += 2 * MAX_MELDS * max(*self.rules.run_points, *self.rules.quartet_points)
        return most * self.multiplier

    def win_chance(self, points, int side):
        """Probability that a side wins the match if this deal ends with these points by side."""
        cdef JassState end = self.s
        end.points[0], end.points[1] = points
        return jass_win_chance(&end, side)

    @property
    def scores(self):
        """Match totals now, by side."""
        return self.match[0] + self.s.points[0], self.match[1] + self.s.points[1]

    @property
    def winner(self):
        """The side that has won the match, -1."""
        return self.s.winner

    @property
    def contract(self):
        return self.s.contract

    @property
    def declarer(self):
        return self.s.declarer

    @property
    def pushed(self):
        return bool(self.s.pushed)

    @property
    def multiplier(self):
        """Of every point of this deal; 0 before the contract."""
        return self.rules.c.multiplier[self.s.contract] if self.s.contract >= 0 else 0

    @property
    def weis(self):
        """By seat: the melds as far as they are known from this point of view, None where nothing is."""
        result = []
        cdef uint64_t melds[3]
        cdef int seat, n
        for seat in range(4):
            if self.s.contract < 0 or not self.rules.c.weis:
                result.append(None)
            elif self.s.known >> seat & 1:
                n = jass_melds(self.s.hand[seat] | self.s.played[seat], self.s.rules, self.s.contract, melds)
                result.append([melds[i] for i in range(n)])
            elif self.s.n_told[seat] == NOT_SAID:
                result.append(None)
            else:
                result.append([self.s.told[seat][i] for i in range(self.s.n_told[seat])])
        return result

    @property
    def announced(self):
        """By seat: the melds that all know of, None where nothing was said yet."""
        return [None if self.s.n_told[seat] == NOT_SAID
                else [self.s.told[seat][i] for i in range(self.s.n_told[seat])] for seat in range(4)]

    @property
    def weis_team(self):
        """The side that scored its melds; -1: none (yet)."""
        return max(-1, self.s.weis_team)

    @property
    def stoeck(self):
        """The seat that scored the Stoeck, -1."""
        return self.s.stoeck

    # Moves

    def legal(self):
        """Mask of the legal moves; 0 when nobody is to move. ValueError if the mover's hand is unknown."""
        if self.s.phase == PLAY and not self.s.known >> self.s.to_move & 1:
            raise ValueError(f"the hand of seat {self.s.to_move}, which is to move, is unknown")
        return jass_legal(&self.s)

    def why_illegal(self, int move):
        """Why the seat to move may not make this move, or None. For an unknown hand: why no hand could."""
        cdef int seat = self.s.to_move, other
        cdef uint64_t card
        if self.s.phase == OVER:
            return "the deal is over"
        if not 0 <= move < 64:
            return "no such move"
        card = bit(move)
        if self.s.phase == CONTRACT:
            if not jass_legal(&self.s) & card:
                return "the partner may not push back" if move == PUSH else "a contract must be named first"
            return None
        if not JASS_PACK & card:
            return "the contract is named already"
        for other in range(4):
            if self.s.played[other] & card:
                return "that card was played before"
        if self.s.known >> seat & 1:
            if not self.s.hand[seat] & card:
                return f"seat {seat} does not hold that card"
            if not jass_legal(&self.s) & card:
                if card & jass_trumps[self.s.contract]:
                    return "no undertrumping"
                return "the suit led must be followed"
            return None
        for other in range(4):
            if self.s.hand[other] & card:
                return f"seat {other} holds that card"
        if not self.s.may[seat] & card:
            return f"by what it has played, seat {seat} cannot hold that card"
        return None

    def apply(self, int move):
        """Makes a move. ValueError, with the reason, if it may not be made."""
        why = self.why_illegal(move)
        if why is not None:
            raise ValueError(why)
        self._apply(move)

    cdef void _apply(self, int move):
        cdef int n = self.s.trick_no, was = self.s.phase, points
        if was == PLAY and self.s.n_trick == 3:
            points = self.s.trick_points + self.rules.c.value[self.s.contract][move]
            if n == 8:
                points += self.rules.c.last_trick
            cards = (self.s.trick[0], self.s.trick[1], self.s.trick[2], move)
            leader = self.s.leader
            jass_apply(&self.s, move, NULL)
            if self.s.trick_no > n:
                self._tricks.append((leader, cards, self.s.best, points))
        else:
            jass_apply(&self.s, move, NULL)
            if was == CONTRACT and self.s.phase == PLAY:
                for seat in range(4):
                    self._sort_told(seat)

    cdef void _sort_told(self, int seat):
        """Told melds strongest first, as the kernel keeps them."""
        cdef int i
        if self.s.n_told[seat] > 1:
            melds = sorted((self.s.told[seat][i] for i in range(self.s.n_told[seat])), reverse=True,
                           key=lambda meld: jass_meld_key(meld, self.s.rules, self.s.contract))
            for i in range(self.s.n_told[seat]):
                self.s.told[seat][i] = melds[i]

    def tell(self, int seat, melds):
        """What a hidden hand has announced or shown: card masks of its melds, [] for none. ValueError if they
        are no melds, share a card against the rules, or another hand is known to hold one of the cards."""
        cdef uint64_t meld, seen = 0
        cdef int other, i
        if len(melds) > MAX_MELDS:
            raise ValueError(f"seat {seat}: a hand has at most {MAX_MELDS} melds")
        for meld in melds:
            if jass_meld_key(meld, self.s.rules, self.s.contract) == 0:
                raise ValueError(f"seat {seat}: these cards form no meld that scores")
            if meld & seen and not self.rules.c.shared:
                raise ValueError(f"seat {seat}: a card belongs to one meld only")
            seen |= meld
            for other in range(4):
                if other != seat and (self.s.hand[other] | self.s.played[other]) & meld:
                    raise ValueError(f"seat {seat}: another hand has a card of this meld")
                if other != seat and not self.s.known >> other & 1 and self.s.n_told[other] > 0:
                    for i in range(self.s.n_told[other]):
                        if self.s.told[other][i] & meld:
                            raise ValueError(f"seat {seat}: another hand has announced a card of this meld")
        if count(seen) > 9:
            raise ValueError(f"seat {seat}: a hand has nine cards")
        if self.s.known >> seat & 1:
            self._check_told(seat, melds)
            return
        self.s.n_told[seat] = len(melds)
        for i, meld in enumerate(melds):
            self.s.told[seat][i] = meld
        self._sort_told(seat)

    def _check_told(self, int seat, melds):
        """ValueError unless a known hand would announce or show these melds under some contract."""
        cdef uint64_t own[3]
        cdef int n, contract
        for contract in range(6) if self.s.contract < 0 else [self.s.contract]:
            n = jass_melds(self.s.hand[seat] | self.s.played[seat], self.s.rules, contract, own)
            if set(melds) == {own[i] for i in range(n)} or (n and list(melds) == [own[0]]):
                return
        raise ValueError(f"seat {seat}: the hand is known, and these are not its melds")

    # Points of view

    def view(self, int seat):
        """The deal as this seat knows it."""
        cdef JassDeal out = self.copy()
        jass_view(&self.s, seat, &out.s)
        return out

    def forgetful(self, double chance, seed):
        """The deal as somebody remembers it who forgets, hidden hand by hidden hand with this chance, what it
        has shown: the suits that it lacks, its melds, that it claimed no Stoeck."""
        cdef JassDeal out = self.copy()
        cdef Rng rng
        rng_seed(&rng, seed, 0)
        for seat in range(4):
            if rng_uniform(&rng) < chance and not out.s.known >> seat & 1:
                out.s.may[seat] = JASS_PACK
                out.s.n_told[seat] = NOT_SAID
                out.s.no_stoeck &= ~(1 << seat)
        return out

    def copy(self):
        cdef JassDeal out = JassDeal.__new__(JassDeal)
        out.rules = self.rules
        out.match = self.match
        out._tricks = list(self._tricks)
        out.s = self.s
        return out

    cdef void remember(self, JassWorlds* table):
        """Adds to the table what the hidden seats have played, each card with the moment in which it was chosen."""
        cdef JassState past
        cdef Past* p
        cdef uint64_t since[4]
        cdef int seat, i
        if self.s.contract < 0:
            return
        past = self.s
        for seat in range(4):
            past.played[seat] = 0
            past.may[seat] = JASS_PACK
            since[seat] = self.s.played[seat]
        past.led = 0
        past.shed = 0
        past.trick_no = 0
        for leader, cards, *_ in [*self._tricks, (self.s.leader, self.trick)]:
            past.n_trick = 0
            past.trick_points = 0
            for i, card in enumerate(cards):
                seat = (leader + i) & 3
                if not self.s.known >> seat & 1:
                    past.to_move = seat
                    p = &table.past[table.n_past]
                    table.n_past += 1
                    jass_moment(&past, &p.moment)
                    p.seat = seat
                    p.card = card
                    p.kept = since[seat]
                jass_learn(&past, seat, card)
                if i == 0 or bit(card) & past.beat:
                    past.best = seat
                    past.beat = jass_beats[self.s.contract][card]
                past.trick[i] = card
                past.n_trick = i + 1
                past.trick_points += self.rules.c.value[self.s.contract][card]
                past.played[seat] |= bit(card)
                since[seat] &= ~bit(card)
            past.trick_no += 1

    def consistent(self):
        """Whether some full deal fits all that is known here. (With four hidden hands the melds are not
        looked at.)"""
        cdef JassWorlds w
        cdef JassState world
        cdef Rng rng
        cdef uint64_t only, unseen = JASS_PACK
        if self.s.known == 0:
            for seat in range(4):
                unseen &= ~self.s.played[seat]
            for some in range(1, 16):       # Hall: the cards that only these seats may hold must fit them
                only = unseen
                room = 0
                for seat in range(4):
                    if some >> seat & 1:
                        room += jass_n_held(&self.s, seat)
                    else:
                        only &= ~self.s.may[seat]
                if count(only) > room:
                    return False
            return True
        jass_prepare(&self.s, &w)
        if w.worlds.total == 0:
            return False
        rng_seed(&rng, 1, 0)
        return bool(jass_determinize(&self.s, &w, &world, &rng))

    def determinize(self, seed, stream=0):
        """A full deal, uniform over those that are consistent with this view; None if there is none."""
        cdef Rng rng
        cdef JassWorlds w
        cdef JassDeal out = self.copy()
        rng_seed(&rng, seed, stream)
        jass_prepare(&self.s, &w)
        return out if jass_determinize(&self.s, &w, &out.s, &rng) else None

    @cython.boundscheck(False)
    @cython.wraparound(False)
    def sample(self, int n, seed):
        """n consistent worlds, uniform and independent: uint64 array (n, 4), the cards now held by seat.
        ValueError if there is none."""
        import numpy

        result = numpy.empty((n, 4), dtype=numpy.uint64)
        cdef uint64_t[:, ::1] hands = result
        cdef JassState world
        cdef JassWorlds w
        cdef Rng rng
        cdef int i, seat
        cdef bint found = True
        rng_seed(&rng, seed, 0)
        jass_prepare(&self.s, &w)
        with nogil:
            for i in range(n):
                if not jass_determinize(&self.s, &w, &world, &rng):
                    found = False
                    break
                for seat in range(4):
                    hands[i, seat] = world.hand[seat]
        if not found:
            raise ValueError("no deal is consistent with what is known")
        return result

    def check(self):
        """Whether the state's invariants hold."""
        return bool(jass_check(&self.s))

    def __eq__(self, other):
        if not isinstance(other, JassDeal):
            return NotImplemented
        cdef JassDeal that = other
        return (self.rules == that.rules and self.match == that.match and self._tricks == that._tricks
                and _same(&self.s, &that.s))

    def __reduce__(self):
        raise TypeError("deals are not pickled: send their position line")


cdef bint _same(const JassState* a, const JassState* b) noexcept:
    cdef JassState x = a[0], y = b[0]
    cdef int seat, i
    x.rules = y.rules = NULL
    for seat in range(4):       # leftovers beyond the counts say nothing
        for i in range(max(0, x.n_told[seat]), 3):
            x.told[seat][i] = 0
        for i in range(max(0, y.n_told[seat]), 3):
            y.told[seat][i] = 0
    for i in range(x.n_trick, 4):
        x.trick[i] = 0
    for i in range(y.n_trick, 4):
        y.trick[i] = 0
    if x.n_trick == 0:
        x.beat = y.beat = 0
        x.best = y.best = 0
    return memcmp(&x, &y, sizeof(JassState)) == 0


def random_deal(JassRules rules not None, int first, seed, match=(0, 0)):
    """A full deal, uniform, by seed."""
    cdef Rng rng
    cdef uint64_t rest = JASS_PACK, hand
    rng_seed(&rng, seed, 0)
    hands = []
    for _ in range(3):
        hand = random_subset(rest, 9, &rng)
        hands.append(hand)
        rest &= ~hand
    return JassDeal(rules, first, match, [*hands, rest])


@cython.boundscheck(False)
@cython.wraparound(False)
def playouts(JassDeal deal not None, int n, seed, const float[::1] model=None):
    """n uniform random playouts: float64 array (n, 2), points of the deal by side; with a play model, its cards
    instead. From a view, each from a new world. ValueError if the view has none."""
    import numpy

    result = numpy.empty((n, 2))
    cdef double[:, ::1] points = result
    cdef JassState worlds[2]
    cdef Style style = Style(NULL, False, NULL, 0)
    cdef JassWorlds w
    cdef Rng rng
    cdef int i, j, now
    cdef bint full = deal.s.known == 15, found = True
    if model is not None:
        if model.shape[0] != N_CELLS:
            raise ValueError(f"a play model of {model.shape[0]} entries: must be {N_CELLS}")
        style = Style(&model[0], False, NULL, 9)
    rng_seed(&rng, seed, 0)
    jass_prepare(&deal.s, &w)
    with nogil:
        for i in range(0, n, 2):
            now = min(2, n - i)
            for j in range(now):
                if full:
                    worlds[j] = deal.s
                elif not jass_determinize(&deal.s, &w, &worlds[j], &rng):
                    found = False
            if not found:
                break
            if model is not None:
                for j in range(now):
                    jass_playout(&worlds[j], &style, &rng)
            elif now == 2:
                jass_playout_pair(&worlds[0], &worlds[1], &rng)
            else:
                jass_playout(&worlds[0], &style, &rng)
            for j in range(now):
                points[i + j, 0] = worlds[j].points[0]
                points[i + j, 1] = worlds[j].points[1]
    if not found:
        raise ValueError("no deal is consistent with what is known")
    return result


cdef uint64_t _perft(const JassState* s, int depth) noexcept nogil:
    cdef uint64_t legal = jass_legal(s), total = 0
    cdef JassState after
    if depth == 0:
        return 1
    if depth == 1:
        return count(legal)
    while legal:
        after = s[0]
        jass_advance(&after, lowest(legal), NULL)
        total += _perft(&after, depth - 1)
        legal &= legal - 1
    return total


def perft(JassDeal deal not None, int depth):
    """Number of move sequences of that length from a full deal. ValueError if a hand is unknown."""
    if deal.s.known != 15:
        raise ValueError("perft wants all four hands")
    cdef uint64_t total
    with nogil:
        total = _perft(&deal.s, depth)
    return total


def n_higher(int contract, int card):
    """How many cards of its suit beat a card, 0..8. ValueError for what is no contract or no card."""
    if not 0 <= contract < N_CONTRACTS or not 0 <= card < 64 or not JASS_PACK >> card & 1:
        raise ValueError(f"contract {contract}, card {card}: there is no such thing")
    return count(jass_beats[contract][card] & lane(card >> 4))


def contract_worths(JassDeal deal not None, const float[::1] tables):
    """What the fitted tables expect of each legal contract move, by move: the difference of the sides' points,
    multiplied. ValueError unless a contract is to be named by a known hand."""
    cdef double worth[N_CONTRACTS + 1]
    cdef double mean
    cdef JassState* s = &deal.s
    if s.phase != CONTRACT or not s.known >> s.to_move & 1:
        raise ValueError("no contract is to be named by a known hand")
    if tables.shape[0] != N_CONTRACT_CELLS:
        raise ValueError(f"contract tables of {tables.shape[0]} entries: must be {N_CONTRACT_CELLS}")
    jass_contract_options(s.hand[s.to_move], s.to_move != s.first, &tables[0], s.rules, worth, &mean)
    worths = {FIRST_CONTRACT_MOVE + contract: worth[contract] for contract in range(N_CONTRACTS)}
    if not s.pushed:
        worths[PUSH] = worth[N_CONTRACTS]
    return worths


def choose(JassDeal deal not None, str kind, seed):
    """The move of a player that does not search: "random", "greedy" or "rules", by its own hand and what lies
    open; the same seed gives other random numbers at every decision of a hand. ValueError if nobody is to move
    or its hand is unknown."""
    cdef Rng rng
    if deal.s.to_move < 0:
        raise ValueError("nobody is to move")
    if not deal.s.known >> deal.s.to_move & 1:
        raise ValueError(f"the hand of seat {deal.s.to_move}, which is to move, is unknown")
    if kind == "random":                                # one seed serves for all decisions of a hand
        rng_seed(&rng, seed, count(deal.s.hand[deal.s.to_move]) + (deal.s.phase == CONTRACT))
        return lowest(jass_random_card(jass_legal(&deal.s), rng_next(&rng)))
    if kind == "greedy":
        return jass_greedy(&deal.s)
    if kind == "rules":
        return jass_rules(&deal.s)
    raise ValueError(f"player {kind!r}: must be random, greedy or rules")


MODEL_CELLS = N_CELLS       # entries of a play model, see jass_model.pxd


def card_cells(JassDeal deal not None):
    """What the play model sees of each legal card, in the order of their ids: int32 array (n, tables), places in the
    array of the model's MODEL_CELLS entries. ValueError unless a card is to be played from a known hand."""
    import numpy

    cdef Moment m
    cdef Outlook outlook
    cdef Suit suit
    cdef int32_t cells[N_TABLES]
    cdef uint64_t legal = deal.legal()
    if deal.s.phase != PLAY:
        raise ValueError("no card is to be played")
    result = numpy.empty((count(legal), N_TABLES), dtype=numpy.int32)
    cdef int32_t[:, ::1] rows = result
    cdef int i = 0, j
    jass_moment(&deal.s, &m)
    jass_outlook(&m, deal.s.hand[deal.s.to_move], &outlook)
    while legal:
        jass_suit(&m, &outlook, lowest(legal) >> 4, &suit)
        jass_cells(&m, &outlook, &suit, deal.rules.c.value[deal.s.contract], lowest(legal), cells)
        for j in range(N_TABLES):
            rows[i, j] = cells[j]
        legal &= legal - 1
        i += 1
    return result


def card_chances(JassDeal deal not None, const float[::1] model not None):
    """Probability by the play model of each legal card, in the order of their ids, as a list. ValueError unless a card
    is to be played from a known hand."""
    cdef Moment m
    cdef float weights[9]
    cdef uint64_t legal = deal.legal()
    cdef float total
    if deal.s.phase != PLAY:
        raise ValueError("no card is to be played")
    jass_moment(&deal.s, &m)
    total = jass_weigh_cards(_model(model), &m, deal.rules.c.value[deal.s.contract], deal.s.hand[deal.s.to_move], legal,
                             weights)
    return [weights[i] / total for i in range(count(legal))]


def past_chances(JassDeal view not None, JassDeal world not None, const float[::1] model not None):
    """Probability by the play model of each card that a seat hidden in the view has played, had it held the world's
    hand; in the order of play."""
    cdef JassWorlds table
    table.n_past = 0
    view.remember(&table)
    return [jass_past_chance(&view.s, &table.past[i], &world.s, _model(model)) for i in range(table.n_past)]


cdef const float* _model(const float[::1] model) except NULL:
    if model.shape[0] != N_CELLS:
        raise ValueError(f"a play model of {model.shape[0]} entries: must be {N_CELLS}")
    return &model[0]
