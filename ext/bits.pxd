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

    /* Set bits in each byte and all bytes below it, by byte. */
    static inline uint64_t tb_count_below(uint64_t mask) {
        mask -= (mask >> 1) & 0x5555555555555555ull;
        mask = (mask & 0x3333333333333333ull) + ((mask >> 2) & 0x3333333333333333ull);
        return ((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull;
    }

    static inline int tb_count(uint64_t mask) {
    #if defined(__POPCNT__) || defined(__aarch64__)
        return __builtin_popcountll(mask);
    #else
        return (int)(tb_count_below(mask) >> 56);
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

    /* tb_nth_of_byte[byte][n]: the n-th set bit of a byte, computed when the module is loaded. */
    static uint8_t tb_nth_of_byte[256][8];
    static void __attribute__((constructor)) tb_fill_nth_of_byte(void) {
        for (int byte = 0; byte < 256; byte++)
            for (int place = 0, n = 0; place < 8; place++)
                if (byte >> place & 1) tb_nth_of_byte[byte][n++] = 1 << place;
    }

    /* The n-th set bit alone, n from 0; n < tb_count(mask). */
    static inline uint64_t tb_nth_bit(uint64_t mask, int n) {
    #ifdef TB_BMI2
        return _pdep_u64(1ull << n, mask);
    #else
        /* The first byte up to which more than n bits are set, then a look-up within it. */
        uint64_t below = tb_count_below(mask);
        uint64_t more = ((below | 0x8080808080808080ull) - (uint64_t)(n + 1) * 0x0101010101010101ull)
                        & 0x8080808080808080ull;
        int place = __builtin_ctzll(more) & ~7;
        int before = (int)((below << 8) >> place & 0xff);
        return (uint64_t)tb_nth_of_byte[mask >> place & 0xff][n - before] << place;
    #endif
    }

    static inline int tb_nth(uint64_t mask, int n) { return __builtin_ctzll(tb_nth_bit(mask, n)); }

    static inline uint64_t tb_mix(uint64_t x, uint64_t y) {
        x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
        x = (x ^ x >> 32 ^ y) * 0xd6e8feb86659fd93ull;
        return x ^ x >> 32;
    }
    """
    int lowest "tb_lowest"(uint64_t mask) noexcept nogil
    int highest "tb_highest"(uint64_t mask) noexcept nogil
    int count "tb_count"(uint64_t mask) noexcept nogil
    uint64_t pick "tb_pick"(uint64_t cond, uint64_t a, uint64_t b) noexcept nogil
    uint64_t nth_bit "tb_nth_bit"(uint64_t mask, int n) noexcept nogil
    int nth "tb_nth"(uint64_t mask, int n) noexcept nogil       # its index
    uint64_t mix "tb_mix"(uint64_t x, uint64_t y) noexcept nogil        # a hash of two words


cdef inline uint64_t bit(int card) noexcept nogil:
    return <uint64_t> 1 << card


cdef inline uint64_t lane(int suit) noexcept nogil:
    """All places of a suit's lane."""
    return <uint64_t> 0xffff << (16 * suit)
