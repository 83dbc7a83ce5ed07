# The random numbers of the kernels: xoshiro256++ (Blackman and Vigna 2019), a struct. Inline only.
#
# Not numpy's bit generators: a call through their function pointer costs 2-3 ns, a quarter of a whole
# playout's moves, and the engine would have to import numpy before it can say uciok. Streams are
# spawned with splitmix64 over (seed, stream), as the generator's authors recommend.

from libc.stdint cimport uint64_t, uint32_t

cdef struct Rng:
    uint64_t s[4]


cdef inline uint64_t _splitmix(uint64_t* x) noexcept nogil:
    x[0] += <uint64_t> 0x9e3779b97f4a7c15
    cdef uint64_t z = x[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xbf58476d1ce4e5b9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94d049bb133111eb
    return z ^ (z >> 31)


cdef inline void rng_seed(Rng* rng, uint64_t seed, uint64_t stream) noexcept nogil:
    """The generator number `stream` of a seed; different streams are independent for our purposes."""
    cdef uint64_t x = seed
    cdef uint64_t y = _splitmix(&x) ^ (stream * <uint64_t> 0xd1342543de82ef95 + 1)
    cdef int i
    for i in range(4):
        rng.s[i] = _splitmix(&y)


cdef inline uint64_t rng_next(Rng* rng) noexcept nogil:
    """64 random bits."""
    cdef uint64_t sum_ = rng.s[0] + rng.s[3]
    cdef uint64_t result = ((sum_ << 23) | (sum_ >> 41)) + rng.s[0]
    cdef uint64_t t = rng.s[1] << 17
    rng.s[2] ^= rng.s[0]
    rng.s[3] ^= rng.s[1]
    rng.s[1] ^= rng.s[2]
    rng.s[0] ^= rng.s[3]
    rng.s[2] ^= t
    rng.s[3] = (rng.s[3] << 45) | (rng.s[3] >> 19)
    return result


cdef inline uint32_t rng_below(Rng* rng, uint32_t n) noexcept nogil:
    """Uniform in [0, n): the high half of a 32-bit product, unbiased by rejection (Lemire 2019)."""
    cdef uint64_t product = (rng_next(rng) >> 32) * n
    cdef uint32_t low = <uint32_t> product
    cdef uint32_t floor
    if low < n:
        floor = (<uint32_t> 0 - n) % n
        while low < floor:
            product = (rng_next(rng) >> 32) * n
            low = <uint32_t> product
    return <uint32_t> (product >> 32)


cdef inline uint64_t rng_below64(Rng* rng, uint64_t n) noexcept nogil:
    """Uniform in [0, n) for any 64-bit n > 0, by masked rejection."""
    cdef uint64_t mask = n - 1, x
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    while True:
        x = rng_next(rng) & mask
        if x < n:
            return x


cdef inline double rng_uniform(Rng* rng) noexcept nogil:
    """Uniform in [0, 1), 53 bits."""
    return <double> (rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)
