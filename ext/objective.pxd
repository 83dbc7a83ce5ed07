# What a search maximises.

cdef struct Objective:
    bint win            # the probability of winning the match, instead of points
    double scale        # points per unit of utility
    double others       # apples: weight of the others' mean points against one's own
    int n_sides         # that score: 2 in jass, 4 in apples
