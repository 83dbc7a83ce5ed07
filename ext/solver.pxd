# Exact value of a deal of Jass with all hands open: what the search and other kernels call.
#
# Inside, cards have a lane a suit again, but numbered by strength among the cards still in play, the trumps
# in lane 3. A suit's share of a position is then an index of at most nine bits into one table of rows.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from trickbot.ext.jass cimport JassState
from trickbot.ext.limits cimport Limits

cdef enum:
    WAYS = 16               # places for a position
    TRUMP_LANE = 3

cdef struct Row:            # what one set of cards of a suit means in this deal
    uint64_t points         # card points, a byte each, by owner and among these from the top
    uint32_t owners         # owner of each card, two bits each, the top card's lowest
    uint16_t counts         # number of cards by owner, four bits each
    uint8_t most            # highest card points
    uint8_t least
    uint8_t owner           # of the top card
    uint8_t run             # number of cards from the top that this owner has
    uint8_t run_points
    uint8_t team_points     # of the cards from the top that this owner's team has

cdef struct Group:          # of proved bounds, see table_find
    uint64_t key[WAYS]      # 48 bits of the position's hash, 12 of the solve's number, 4 tricks left
    uint64_t proof[WAYS]    # 36 cards left, 4 x 4 depths, 11 bound, 1 whether it is an upper bound

cdef struct Trick:          # what stays the same for the four cards of a trick
    uint64_t cards          # all cards in play at its start
    int points              # still to come at its start, with the last trick's
    int sweepers            # teams (as bits) that have won every trick so far, where that scores a bonus
    int n                   # tricks left, with this one
    int led                 # the card led

cdef struct SolverState:
    Group* table
    uint64_t n_groups       # a power of two
    uint64_t number         # of the solve: entries of others do not count
    # the deal
    uint64_t hand[4]        # at the start of the solve
    uint64_t trumps         # lane of the trumps, or empty
    uint64_t under          # the trump Under
    uint64_t beats[64]      # cards that beat this one once it lies best in a trick
    uint8_t value[64]
    uint8_t card[64]        # the card's id outside
    Row rows[4][512]
    Trick tricks[10]
    Limits limits

cdef bint solver_open(SolverState* s, double mib) noexcept nogil
cdef void solver_close(SolverState* s) noexcept nogil
cdef bint solver_value(SolverState* s, const JassState* world, bint plain, int* points) noexcept nogil
cdef int solver_moves(SolverState* s, const JassState* world, bint plain, int* moves,
                      int* points) noexcept nogil

cdef class Solver:
    cdef SolverState s
    cdef volatile int stopped
    cdef readonly double hash_mib
