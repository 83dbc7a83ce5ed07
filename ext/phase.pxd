# What kind of decision a deal waits for; one numbering for all games.

cdef enum Phase:
    CONTRACT = 0
    AUCTION = 1
    GIVE = 2
    PILE = 3        # all have given; the pile is to be dealt back, nobody is to move
    TARGET = 4
    PLAY = 5
    OVER = 6
    REDEAL = 7      # four passes: the cards are dealt anew
