# How promising a card is to the solver, which looks for the cheapest cut: a sum of weights by where and how
# the card is played.
#
# Fitted on positions from random play: so that the card of the cheapest cut comes first (conditional logit),
# then by hill climbing on the number of nodes.

from libc.stdint cimport int16_t

cdef extern from *:
    """
    #include <stdint.h>
    typedef struct {
        int16_t sure, value, sure_value, partner_value, master, partner_master,
                partner_over, left_over, right_over, length, below, above,
                left_void, right_void, partner_void, left_ruff, right_ruff,
                left_most, partner_most, right_most, left_least, partner_least, right_least,
                sure_left_most, sure_partner_most, base;
    } tb_lead_weight;

    /* Six states: the card wins the trick so far, the partner's does, or neither; each settled or open. */
    typedef struct {
        int16_t base[6], value[6], stake[6], master, single, below, group, partner_master;
    } tb_reply_weight;

    /* weights begin */
    static const tb_lead_weight tb_lead_weights[3] = {
        /* plain, in a trump contract */
        {129, 5, -1, 0, 67, 35, 39, 8, 0, -33, -26, -23, -147, -102, -19, 105, 81, -4, 7, -3, 9, -9, 7,
         1, -1, -97},
        /* trump */
        {26, -2, 3, -9, 101, 81, -7, -13, -119, 16, -27, 17, -397, -376, 149, 0, 0, -7, 10, -2, 0, -5,
         1, 10, -1, 97},
        /* no trump */
        {42, -2, 2, 8, 231, 92, 133, -23, -26, -11, -17, -17, -135, -78, 75, 0, 0, -6, 8, -4, 9, -5, 6,
         0, -2, 0},
    };
    static const tb_reply_weight tb_reply_weights[2][3][4] = {
      {
       {
        /* second seat, following, plain */
        {{163, -10, 0, 0, -54, -46}, {10, 15, 0, 0, -8, 14}, {7, 3, 0, 0, -15, 3}, -61, 61, -7, 36, 77},
        /* second seat, ruffing */
        {{13, -84, 0, 0, 0, 0}, {-5, -3, 0, 0, 0, 0}, {12, 6, 0, 0, 0, 0}, -59, -15, 0, 68, 81},
        /* second seat, discarding */
        {{0, 0, 0, 0, -2, 7}, {0, 0, 0, 0, -17, 17}, {0, 0, 0, 0, -10, 3}, -134, 81, -24, 29, -47},
        /* second seat, following, trump */
        {{107, -190, 0, 0, -192, -59}, {-1, -1, 0, 0, -42, -6}, {19, 19, 0, 0, 2, 16},
         -101, -88, -47, 36, 60},
       },
       {
        /* third seat, following, plain */
        {{209, -21, 82, -65, -127, 0}, {7, 3, 19, -3, -20, 0}, {11, -7, 14, -1, -11, 0},
         -26, 53, -23, 32, 68},
        /* third seat, ruffing */
        {{-8, -130, 0, 0, -168, 0}, {-4, -2, 0, 0, -31, 0}, {10, -7, 0, 0, -26, 0}, -145, 13, -7, 69, 98},
        /* third seat, discarding */
        {{0, 0, 146, -9, -108, 0}, {0, 0, 24, -4, -19, 0}, {0, 0, 8, -6, -13, 0}, -158, 99, -26, 61, -43},
        /* third seat, following, trump */
        {{73, -159, 204, -207, -261, 0}, {0, -15, 1, 1, -64, 0}, {7, -5, 1, -2, -7, 0},
         -33, 26, -50, 4, 115},
       },
       {
        /* fourth seat, following, plain */
        {{112, 0, 50, 0, -48, 0}, {14, 0, 26, 0, -15, 0}, {13, 0, 11, 0, -13, 0}, -131, 80, -18, 40, -19},
        /* fourth seat, ruffing */
        {{-19, 0, -121, 0, -337, 0}, {-3, 0, 25, 0, -27, 0}, {11, 0, 16, 0, -11, 0},
         -153, -51, -40, 57, 47},
        /* fourth seat, discarding */
        {{0, 0, 23, 0, -24, 0}, {0, 0, 35, 0, -21, 0}, {0, 0, 7, 0, -13, 0}, -145, 80, -32, 52, -63},
        /* fourth seat, following, trump */
        {{-21, 0, 18, 0, -76, 0}, {4, 0, 9, 0, -15, 0}, {14, 0, 19, 0, -11, 0}, -151, -145, -100, 7, 293},
       },
      },
      {
       {
        /* no trump, second seat, following, plain */
        {{184, -54, 0, 0, -116, -86}, {6, -4, 0, 0, -14, 15}, {8, -3, 0, 0, -11, 6}, -103, 0, -32, 39, 0},
        {{0}},
        /* no trump, second seat, discarding */
        {{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, -22, 18}, {0, 0, 0, 0, 0, 0}, -169, 72, -34, 51, 22},
        {{0}},
       },
       {
        /* no trump, third seat, following, plain */
        {{147, -52, -70, -87, -89, 0}, {3, -17, 18, -17, -18, 0}, {6, -11, 5, -10, -15, 0},
         -111, 0, -34, 38, 0},
        {{0}},
        /* no trump, third seat, discarding */
        {{0, 0, 0, 0, 0, 0}, {0, 0, 30, -14, -20, 0}, {0, 0, 0, 0, 0, 0}, -208, 132, -34, 88, -28},
        {{0}},
       },
       {
        /* no trump, fourth seat, following, plain */
        {{89, 0, -40, 0, -66, 0}, {8, 0, 27, 0, -15, 0}, {9, 0, 6, 0, -11, 0}, -224, 0, -28, 42, 0},
        {{0}},
        /* no trump, fourth seat, discarding */
        {{0, 0, 0, 0, 0, 0}, {0, 0, 33, 0, -23, 0}, {0, 0, 0, 0, 0, 0}, -166, 77, -46, 80, 32},
        {{0}},
       },
      },
    };
    /* weights end */

    /* What replies of a class share: state + 8 * kind + 32 * master + 64 * single + 128 * partner_master. */
    typedef struct { int16_t base, value, stake, below, group; } tb_reply_class;
    static tb_reply_class tb_reply_classes[2][3][256];
    static void __attribute__((constructor)) tb_fill_reply_classes(void) {
        for (int i = 0; i < 2 * 3 * 256; i++) {
            int state = i & 7;
            const tb_reply_weight* w = &tb_reply_weights[i / 768][i / 256 % 3][i >> 3 & 3];
            tb_reply_class one = {0, 0, 0, w->below, w->group};
            if (state > 5)
                continue;
            one.base = w->base[state] + (i >> 5 & 1) * w->master + (i >> 6 & 1) * w->single
                     + (i >> 7 & 1) * w->partner_master;
            one.value = w->value[state];
            one.stake = w->stake[state];
            tb_reply_classes[i / 768][i / 256 % 3][i & 255] = one;
        }
    }
    """
    ctypedef struct LeadWeight "tb_lead_weight":
        int16_t sure                # no opponent can beat it
        int16_t value               # by its card points
        int16_t sure_value
        int16_t partner_value       # where the partner's highest beats the opponents'
        int16_t master              # nobody else has a higher one of the suit
        int16_t partner_master      # the partner's highest beats the opponents'
        int16_t partner_over        # the partner has a higher one
        int16_t left_over           # the next seat has
        int16_t right_over
        int16_t length              # by own card of the suit
        int16_t below               # by lower card of the other hands
        int16_t above
        int16_t left_void
        int16_t right_void
        int16_t partner_void
        int16_t left_ruff           # void, and has trumps
        int16_t right_ruff
        int16_t left_most           # by the hand's highest card points in the suit
        int16_t partner_most
        int16_t right_most
        int16_t left_least
        int16_t partner_least
        int16_t right_least
        int16_t sure_left_most
        int16_t sure_partner_most
        int16_t base
    ctypedef struct ReplyClass "tb_reply_class":
        int16_t base
        int16_t value               # by its card points
        int16_t stake               # by point in the trick
        int16_t below               # by lower card of the other hands
        int16_t group               # by card of its group
    const LeadWeight lead_weights "tb_lead_weights"[3]              # plain, trump; no trump
    const ReplyClass reply_classes "tb_reply_classes"[2][3][256]    # no trump, cards in the trick - 1, class
