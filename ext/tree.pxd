# The search tree: one preallocated pool of nodes, a bound on its size; knows no game.
#
# A node's children lie side by side in a block of 1, 2, 4 ... 64 places that grows as worlds bring new moves;
# outgrown blocks go to free lists. Nodes are named by their index in the pool, which changes only
# when the parent's block grows: nobody else keeps it beyond one iteration.

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

cdef enum:
    N_CLASSES = 7           # block sizes 1 << 0 .. 1 << 6
    NO_NODE = 0             # index 0 is the root, which is nobody's child

cdef struct Node:
    double value            # sum of the utilities of the seat that made the move into this node
    uint32_t visits
    uint32_t available      # visits of the parent in which this move was legal
    uint32_t children       # index of the first child
    uint8_t n_children
    uint8_t size_class      # of the children's block
    uint8_t move            # label of the move into this node
    uint8_t unused

cdef struct Tree:
    Node* nodes
    uint32_t capacity
    uint32_t used
    uint32_t recycled[N_CLASSES]    # first free block of each class, linked by `children`; 0: none
    bint full                       # a node was wanted and could not be had


cdef inline void tree_clear(Tree* t) noexcept nogil:
    """A tree of one unvisited root."""
    cdef int i
    t.used = 1
    t.full = 0
    for i in range(N_CLASSES):
        t.recycled[i] = 0
    t.nodes[0].value = 0.0
    t.nodes[0].visits = 0
    t.nodes[0].available = 0
    t.nodes[0].children = 0
    t.nodes[0].n_children = 0
    t.nodes[0].size_class = 0
    t.nodes[0].move = 0


cdef inline uint32_t _block(Tree* t, int size_class) noexcept nogil:
    """A block of 1 << size_class places, NO_NODE if the pool is used up."""
    cdef uint32_t first = t.recycled[size_class]
    if first:
        t.recycled[size_class] = t.nodes[first].children
        return first
    if t.used + (1 << size_class) > t.capacity:
        t.full = 1
        return NO_NODE
    first = t.used
    t.used += 1 << size_class
    return first


cdef inline uint32_t tree_add(Tree* t, uint32_t parent, int move, int n_likely) noexcept nogil:
    """A new, unvisited child, available once; its index, NO_NODE if the pool is used up. n_likely: how many
    children the parent will have by what is seen now."""
    cdef Node* p = &t.nodes[parent]
    cdef Node* child
    cdef uint32_t block
    cdef int size_class = p.size_class, i
    if p.n_children == 0:
        size_class = 0
        while size_class < 6 and 1 << size_class < n_likely:
            size_class += 1
        block = _block(t, size_class)
        if block == NO_NODE:
            return NO_NODE
        p.children = block
        p.size_class = size_class
    elif p.n_children == 1 << size_class:
        block = _block(t, size_class + 1)
        if block == NO_NODE:
            return NO_NODE
        for i in range(p.n_children):
            t.nodes[block + i] = t.nodes[p.children + i]
        t.nodes[p.children].children = t.recycled[size_class]
        t.recycled[size_class] = p.children
        p.children = block
        p.size_class = size_class + 1
    child = &t.nodes[p.children + p.n_children]
    child.value = 0.0
    child.visits = 0
    child.available = 1
    child.children = 0
    child.n_children = 0
    child.size_class = 0
    child.move = move
    p.n_children += 1
    return p.children + p.n_children - 1


cdef inline uint32_t tree_find(const Tree* t, uint32_t parent, int move) noexcept nogil:
    """The child reached by this move, NO_NODE if there is none yet."""
    cdef const Node* p = &t.nodes[parent]
    cdef int i
    for i in range(p.n_children):
        if t.nodes[p.children + i].move == move:
            return p.children + i
    return NO_NODE


cdef extern from *:
    """
    #include <math.h>
    #include <string.h>
    #include <stdint.h>
    /* Natural logarithm of a count, to 2e-4, never negative: the exponent and a quartic in the mantissa. Plain
       arithmetic, so the same on every machine, which the signature of `bench` wants, and a third of a libm call. */
    static inline float tb_log(uint32_t n) {
        float x = (float)n;
        uint32_t bits;
        float m;
        memcpy(&bits, &x, 4);
        int e = (int)(bits >> 23) - 127;
        bits = (bits & 0x007fffff) | 0x3f800000;
        memcpy(&m, &bits, 4);
        return (float)e * 0.69314718f
            + (-1.73163f + m * (2.79283652f + m * (-1.44059216f + m * (0.43393244f - m * 0.05437093f))));
    }
    static inline float tb_sqrt(float x) { return sqrtf(x); }
    """
    float log_of "tb_log"(uint32_t n) noexcept nogil
    float root_of "tb_sqrt"(float x) noexcept nogil


cdef inline float tree_ucb(const Node* child, float exploration) noexcept nogil:
    """Upper confidence bound of a child for the seat that chooses, over the visits in which it could be
    chosen (Cowling, Powley and Whitehouse 2012)."""
    cdef float once = <float> 1.0 / <float> child.visits
    return <float> child.value * once + exploration * root_of(log_of(child.available) * once)
