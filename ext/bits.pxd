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

    /* cond ? a : b without a branch: in playouts nearly every condition is a coin, and compilers like to branch. */
    static inline uint64_t tb_pick(uint64_t cond, uint64_t a, uint64_t b) {
    #if defined(__x86_64__)
        __asm__("test %1, %1; cmovne %2, %0" : "+r"(b) : "r"(cond), "r"(a) : "cc");
        return b;
    #else
        uint64_t mask = -(uint64_t)(cond != 0);
        return b ^ ((a ^ b) & mask);
    #endif
    }

    /* The n-th set bit alone, n from 0; n < tb_count(mask). */
    static inline uint64_t tb_nth_bit(uint64_t mask, int n) {
    #ifdef TB_BMI2
        return _pdep_u64(1ull << n, mask);
    #else
        /* Seven of a hand's cards are dropped by conditional moves, in fours, twos and ones. */
        uint64_t less;
        for (; n > 7; n--) mask &= mask - 1;
        less = mask & (mask - 1); less &= less - 1; less &= less - 1; less &= less - 1;
        mask = tb_pick(n & 4, less, mask);
        less = mask & (mask - 1); less &= less - 1;
        mask = tb_pick(n & 2, less, mask);
        mask = tb_pick(n & 1, mask & (mask - 1), mask);
        return mask & -mask;
    #endif
    }

    static inline int tb_nth(uint64_t mask, int n) { return __builtin_ctzll(tb_nth_bit(mask, n)); }
    """
    int lowest "tb_lowest"(uint64_t mask) noexcept nogil
    int highest "tb_highest"(uint64_t mask) noexcept nogil
    int count "tb_count"(uint64_t mask) noexcept nogil
    uint64_t pick "tb_pick"(uint64_t cond, uint64_t a, uint64_t b) noexcept nogil
    uint64_t nth_bit "tb_nth_bit"(uint64_t mask, int n) noexcept nogil
    int nth "tb_nth"(uint64_t mask, int n) noexcept nogil       # its index


cdef inline uint64_t bit(int card) noexcept nogil:
    return <uint64_t> 1 << card


cdef inline uint64_t lane(int suit) noexcept nogil:
    """All places of a suit's lane."""
    return <uint64_t> 0xffff << (16 * suit)
