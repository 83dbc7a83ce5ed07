# When a solver gives up: after so many positions, at a time, or when it is told to. Inline only.

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <time.h>

    static inline int64_t tb_now_ns(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    """
    int64_t now_ns "tb_now_ns"() noexcept nogil

cdef enum:
    LOOK = 2048             # nodes between two looks at the limits

cdef struct Limits:
    int64_t nodes           # positions searched
    int64_t max_nodes
    int64_t until_ns        # 0: no end
    int64_t next_look       # number of nodes at which to look at the limits
    const volatile int* stopped
    bint halted


cdef inline void limits_none(Limits* limits) noexcept nogil:
    limits.max_nodes = <int64_t> 1 << 62
    limits.until_ns = 0
    limits.stopped = NULL


cdef inline void limits_begin(Limits* limits) noexcept nogil:
    """At the start of a solve."""
    limits.nodes = 0
    limits.next_look = min(<int64_t> LOOK, limits.max_nodes)
    limits.halted = 0


cdef inline bint limits_reached(Limits* limits) noexcept nogil:
    """Whether to give up; to be asked when next_look is reached."""
    limits.next_look = min(limits.nodes + LOOK, limits.max_nodes)
    if (limits.nodes >= limits.max_nodes or (limits.stopped and limits.stopped[0])
            or (limits.until_ns and now_ns() >= limits.until_ns)):
        limits.halted = 1
        limits.next_look = limits.nodes     # and look again at each node, to get out quickly
    return limits.halted


cdef inline void limits_set(Limits* limits, max_nodes, seconds):
    """From a caller's options, None for no limit."""
    limits.max_nodes = (<int64_t> 1 << 62) if max_nodes is None else max(1, max_nodes)
    limits.until_ns = 0 if seconds is None else now_ns() + <int64_t> (1e9 * seconds)
