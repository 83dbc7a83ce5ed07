# Bit masks: cards as bits of one machine word. Inline only.
#
# A set of cards is a 64-bit mask of four 16-bit lanes, one a suit: card = 16 * suit + rank. The lanes'
# unused high bits keep shifts by a rank from running into the next suit.

from libc.stdint cimport int64_t, uint64_t, uint32_t, uint8_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__BMI2__) && defined(__POPCNT__)
      #include <immintrin.h>
      #define TB_BMI2 1
    #endif

    static inline int tb_lowest(uint64_t mask) { return __builtin_ctzll(mask); }

    static inline int tb_highest(uint64_t mask) { return 63 - __builtin_clzll(mask); }

    static inline int tb_count(uint64_t mask) {
    #if defined(__POPCNT__) || defined(__aarch64__)
        return __builtin_popcountll(mask);
    #else
        mask -= (mask >> 1) & 0x5555555555555555ull;
        mask = (mask & 0x3333333333333333ull) + ((mask >> 2) & 0x3333333333333333ull);
        mask = (mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0full;
        return (int)((mask * 0x0101010101010101ull) >> 56);
    #endif
    }

    /* The index of the n-th set bit, n from 0; n < tb_count(mask). */
    static inline int tb_nth(uint64_t mask, int n) {
    #ifdef TB_BMI2
        return __builtin_ctzll(_pdep_u64(1ull << n, mask));
    #else
        /* Sixteen cards at most in a hand: the first eight by conditional moves, without a branch. */
        uint64_t next;
        next = mask & (mask - 1); mask = n > 0 ? next : mask;
        next = mask & (mask - 1); mask = n > 1 ? next : mask;
        next = mask & (mask - 1); mask = n > 2 ? next : mask;
        next = mask & (mask - 1); mask = n > 3 ? next : mask;
        next = mask & (mask - 1); mask = n > 4 ? next : mask;
        next = mask & (mask - 1); mask = n > 5 ? next : mask;
        next = mask & (mask - 1); mask = n > 6 ? next : mask;
        next = mask & (mask - 1); mask = n > 7 ? next : mask;
        for (; n > 8; n--) mask &= mask - 1;
        return __builtin_ctzll(mask);
    #endif
    }
    """
    int lowest "tb_lowest"(uint64_t mask) noexcept nogil
    int highest "tb_highest"(uint64_t mask) noexcept nogil
    int count "tb_count"(uint64_t mask) noexcept nogil
    int nth "tb_nth"(uint64_t mask, int n) noexcept nogil


cdef inline uint64_t bit(int card) noexcept nogil:
    return <uint64_t> 1 << card


cdef inline uint64_t lane(int suit) noexcept nogil:
    """All places of a suit's lane."""
    return <uint64_t> 0xffff << (16 * suit)
