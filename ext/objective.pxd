# What a search maximises, and how it imagines the play.

cdef struct Objective:
    bint win            # the probability of winning the match, instead of points
    double scale        # points per unit of utility
    double others       # apples: weight of the others' mean points against one's own
    int n_sides         # that score: 2 in jass, 4 in apples

cdef struct Style:
    # How the search imagines cards to be played
    const float* model      # a play model's tables, NULL: none
    bint others             # in the tree the other seats draw their cards from the model, by their own hand
    const float* contracts  # tables of what a contract is worth to a hand, NULL: counted
    int playout_tricks      # so many tricks of a playout are drawn from the model, the rest at random
