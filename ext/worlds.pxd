# Exact-uniform deals of the unseen cards to the hidden hands.
#
# Each unseen card has a set of hands that may hold it. The cards fall into at most seven classes by that
# set; how many cards of a two-hand class go to its first hand is a row, and a row's weight is the number
# of deals it stands for. Draw a row by weight, then a uniform subset of each class: every deal that
# obeys the sets and the hands' sizes is equally likely, without a single rejected try.
#
# The table is built once for a view (`worlds_prepare`) and drawn from many times (`worlds_deal`).

from libc.stdint cimport uint64_t, uint32_t, uint8_t
from trickbot.ext.bits cimport count, nth, lowest
from trickbot.ext.rng cimport Rng, rng_next, rng_below, rng_below64


cdef enum:
    MAX_ROWS = 1024         # more splits than this: the rows are walked again at each draw

cdef struct Worlds:
    uint64_t sure[3]        # cards that only this hand may hold
    uint64_t ab             # cards that hands 0 and 1 may hold, and so on
    uint64_t ac
    uint64_t bc
    uint64_t abc
    int room[3]             # cards still wanted by each hand beyond the sure ones
    uint64_t total          # number of deals; 0: there is none
    int n_rows
    uint8_t ab_to_a[MAX_ROWS]
    uint8_t ac_to_a[MAX_ROWS]
    uint8_t bc_to_b[MAX_ROWS]
    uint64_t up_to[MAX_ROWS]    # cumulated weight

cdef extern from *:
    """
    /* Binomials up to 52 over 0..52, computed by Pascal's rule when the module is loaded. */
    static uint64_t tb_choose[53][53];
    static void __attribute__((constructor)) tb_fill_choose(void) {
        for (int n = 0; n <= 52; n++)
            for (int k = 0; k <= n; k++)
                tb_choose[n][k] = k == 0 || k == n ? 1 : tb_choose[n - 1][k - 1] + tb_choose[n - 1][k];
    }
    """
    const uint64_t choose "tb_choose"[53][53]


cdef inline uint64_t random_subset(uint64_t cards, int size, Rng* rng) noexcept nogil:
    """A uniform subset of that size: each card by a coin of about the right weight, then as many more or
    fewer, uniformly chosen, as are wanted. Exchangeable at every step, so exactly uniform."""
    cdef int n = count(cards), eighths, have
    cdef uint64_t taken, rest
    if size <= 0:
        return 0
    if size >= n:
        return cards
    if size == 1:
        return <uint64_t> 1 << nth(cards, rng_below(rng, n))
    eighths = (8 * size + n // 2) // n
    taken = rng_next(rng) if eighths & 1 else 0
    taken = taken | rng_next(rng) if eighths & 2 else taken & rng_next(rng)
    taken = taken | rng_next(rng) if eighths & 4 else taken & rng_next(rng)
    if eighths == 8:
        taken = cards
    taken &= cards
    have = count(taken)
    while have < size:
        rest = cards & ~taken
        taken |= <uint64_t> 1 << nth(rest, rng_below(rng, n - have))
        have += 1
    while have > size:
        taken &= ~(<uint64_t> 1 << nth(taken, rng_below(rng, have)))
        have -= 1
    return taken


cdef inline void worlds_prepare(Worlds* w, uint64_t unseen, const uint64_t* may, const int* room) noexcept nogil:
    """Builds the table for three hidden hands; a hand that is not hidden has room 0 and may hold nothing.
    Afterwards `w.total` is the number of deals, 0 where no deal fits."""
    cdef uint64_t a = may[0] & unseen, b = may[1] & unseen, c = may[2] & unseen, weight
    cdef int x, y, z, n_ab, n_ac, n_bc, n_abc, to_a, to_b, to_c, i
    w.total = 0
    w.n_rows = 0
    w.sure[0] = a & ~b & ~c
    w.sure[1] = b & ~a & ~c
    w.sure[2] = c & ~a & ~b
    w.ab = a & b & ~c
    w.ac = a & c & ~b
    w.bc = b & c & ~a
    w.abc = a & b & c
    if unseen & ~(a | b | c) or count(unseen) != room[0] + room[1] + room[2]:
        return
    for i in range(3):
        w.room[i] = room[i] - count(w.sure[i])
        if w.room[i] < 0:
            return
    n_ab = count(w.ab)
    n_ac = count(w.ac)
    n_bc = count(w.bc)
    n_abc = count(w.abc)
    for x in range(n_ab + 1):
        for y in range(n_ac + 1):
            to_a = w.room[0] - x - y
            if to_a < 0 or to_a > n_abc:
                continue
            for z in range(n_bc + 1):
                to_b = w.room[1] - (n_ab - x) - z
                to_c = w.room[2] - (n_ac - y) - (n_bc - z)
                if to_b < 0 or to_c < 0:
                    continue
                weight = (choose[n_ab][x] * choose[n_ac][y] * choose[n_bc][z]
                          * choose[n_abc][to_a] * choose[n_abc - to_a][to_b])
                w.total += weight
                if w.n_rows < MAX_ROWS:
                    w.ab_to_a[w.n_rows] = x
                    w.ac_to_a[w.n_rows] = y
                    w.bc_to_b[w.n_rows] = z
                    w.up_to[w.n_rows] = w.total
                w.n_rows += 1


cdef inline void _find_row(const Worlds* w, uint64_t at, int* x_out, int* y_out, int* z_out) noexcept nogil:
    """The split that the `at`-th deal belongs to, by walking all of them: only for tables beyond MAX_ROWS."""
    cdef int n_ab = count(w.ab), n_ac = count(w.ac), n_bc = count(w.bc), n_abc = count(w.abc)
    cdef int x, y, z, to_a, to_b, to_c
    cdef uint64_t seen = 0
    for x in range(n_ab + 1):
        for y in range(n_ac + 1):
            to_a = w.room[0] - x - y
            if to_a < 0 or to_a > n_abc:
                continue
            for z in range(n_bc + 1):
                to_b = w.room[1] - (n_ab - x) - z
                to_c = w.room[2] - (n_ac - y) - (n_bc - z)
                if to_b < 0 or to_c < 0:
                    continue
                seen += (choose[n_ab][x] * choose[n_ac][y] * choose[n_bc][z]
                         * choose[n_abc][to_a] * choose[n_abc - to_a][to_b])
                if at < seen:
                    x_out[0] = x
                    y_out[0] = y
                    z_out[0] = z
                    return


cdef inline void worlds_deal(const Worlds* w, uint64_t* hands, Rng* rng) noexcept nogil:
    """Three hands, uniform over all `w.total` > 0 deals."""
    cdef int x = 0, y = 0, z = 0, low, high, middle
    cdef uint64_t at, part, rest
    hands[0] = w.sure[0]
    hands[1] = w.sure[1]
    hands[2] = w.sure[2]
    if w.n_rows > MAX_ROWS:
        _find_row(w, rng_below64(rng, w.total), &x, &y, &z)
    else:
        low = 0
        if w.n_rows > 1:
            at = rng_below64(rng, w.total)
            high = w.n_rows - 1
            while low < high:
                middle = (low + high) >> 1
                if at < w.up_to[middle]:
                    high = middle
                else:
                    low = middle + 1
        x = w.ab_to_a[low]
        y = w.ac_to_a[low]
        z = w.bc_to_b[low]
    if w.ab:
        part = random_subset(w.ab, x, rng)
        hands[0] |= part
        hands[1] |= w.ab & ~part
    if w.ac:
        part = random_subset(w.ac, y, rng)
        hands[0] |= part
        hands[2] |= w.ac & ~part
    if w.bc:
        part = random_subset(w.bc, z, rng)
        hands[1] |= part
        hands[2] |= w.bc & ~part
    if w.abc:
        part = random_subset(w.abc, w.room[0] - x - y, rng)
        hands[0] |= part
        rest = w.abc & ~part
        part = random_subset(rest, w.room[1] - (count(w.ab) - x) - z, rng)
        hands[1] |= part
        hands[2] |= rest & ~part
