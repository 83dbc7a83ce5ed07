# What a search keeps, for its own module.

from libc.stdint cimport uint32_t, uint64_t
from trickbot.ext.objective cimport Objective, Style
from trickbot.ext.tree cimport Tree

cdef enum:
    MAX_DEPTH = 128         # decisions of a deal: 38 in jass, under 100 in apples

cdef struct RootMove_:
    uint64_t visits
    double utility          # sums over the visits
    double win
    double points[4]        # by side
    double squares          # of the points of the searching side

cdef struct Spending:
    bint per_world          # a tree per world instead of one for all
    int iterations          # per world
    float exploration
    uint64_t only           # moves of the root that are looked at
    bint chances            # keep the chance to win the match as well
    Objective objective
    Style style

cdef struct Path:
    uint32_t nodes[MAX_DEPTH]
    int seats[MAX_DEPTH]
    int length
