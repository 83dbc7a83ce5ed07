# Apples: full worlds that fit what is known.

from libc.stdint cimport uint64_t
from trickbot.ext.apples_state cimport APPLES_PACK, ApplesState, apples_n_held
from trickbot.ext.bits cimport bit, count, lane
from trickbot.ext.phase cimport PILE


cdef inline uint64_t apples_unseen(const ApplesState* s) noexcept nogil:
    """Before the pile is dealt back: cards of hidden dealt hands, without those told to be given. After: cards
    held or set aside by hidden hands."""
    cdef uint64_t seen = 0
    cdef int seat
    for seat in range(4):
        if s.phase <= PILE:
            seen |= s.dealt[seat] | s.gave[seat]
        else:
            seen |= s.hand[seat] | s.played[seat]
            if s.target[seat] >= 0:
                seen |= bit(s.target[seat])
    return APPLES_PACK & ~seen


cdef inline bint apples_has_room(const ApplesState* s) noexcept nogil:
    """Hall's condition, suit by suit: the unseen cards of any suits find room in the hidden hands that may hold
    such suits, and behind the hidden targets; before the pile is dealt back, the bids find their cards."""
    cdef uint64_t unseen = apples_unseen(s)
    cdef int suits, suit, seat, room, want, total
    if s.phase <= PILE:
        for seat in range(4):
            want = 0
            for suit in range(4):
                want += max(<int> s.floor[seat][suit], count(s.gave[seat] & lane(suit)))
            if want > 13:
                return 0
        for suit in range(4):
            want = 0
            for seat in range(4):
                if not s.dealt[seat]:
                    want += max(0, <int> s.floor[seat][suit] - count(s.gave[seat] & lane(suit)))
            if want > count(unseen & lane(suit)):
                return 0
        return 1
    for suits in range(1, 16):
        room = 0
        total = 0
        for seat in range(4):
            if suits >> seat & 1:
                total += count(unseen & lane(seat))
            if s.known >> seat & 1:
                continue
            if suits & ~s.voids[seat]:
                room += apples_n_held(s, seat)
            room += s.target[seat] < 0
        if total > room:
            return 0
    return 1
