"""Determinised Monte Carlo tree search over all games.

``ismcts`` grows one tree over all sampled worlds: a node is what the searching seat has seen, a child counts how often
it could have been chosen (Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012).
``pimc`` grows a tree per world and adds up their roots' visits (perfect information Monte Carlo). Both sample from a
view, so the search cannot see what its seat does not know.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from collections import namedtuple

from trickbot.ext.apples cimport ApplesDeal, ApplesState, apples_prepare
from trickbot.ext.bits cimport bit, count, nth
from trickbot.ext.games cimport (
    AnyState, AnyWorlds, game_advance, game_determinize, game_in_tree, game_label, game_legal, game_outcome, game_phase,
    game_playout, game_policy, game_to_move, game_win_chance, game_world_weight,
)
from trickbot.ext.jass cimport JassDeal, JassState, jass_prepare
from trickbot.ext.jass_model cimport N_CELLS
from trickbot.ext.jass_policy cimport N_CONTRACT_CELLS
from trickbot.ext.objective cimport Style
from trickbot.ext.phase cimport PILE
from trickbot.ext.rng cimport Rng, rng_below, rng_seed, rng_uniform
from trickbot.ext.tree cimport NO_NODE, Node, Tree, tree_add, tree_clear, tree_find, tree_ucb

cdef extern from "<time.h>" nogil:
    ctypedef long time_t
    cdef struct timespec:
        time_t tv_sec
        long tv_nsec
    int clock_gettime(int, timespec*)
    int CLOCK_MONOTONIC

cdef enum:
    SLICE = 16              # iterations between two looks at the clock


cdef int64_t now_ns() noexcept nogil:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return <int64_t> t.tv_sec * 1000000000 + t.tv_nsec


cdef int64_t deadline_ns(seconds):
    """So many seconds from now on; None and more than ten years: never."""
    return <int64_t> 1 << 62 if seconds is None or seconds > 3e8 else now_ns() + <int64_t> (seconds * 1e9)


RootMove = namedtuple("RootMove", "move visits share value points error win pv")
RootMove.__doc__ = """What a search says of one move.

move: id. visits: iterations through it. share: of all visits, 0..1. value: mean utility for the searching seat.
points: expected points of the whole deal by side. error: standard error of the searching side's. win: estimated
probability of winning the match, None without one. pv: the likely continuation, this move first.
"""


cdef void descend(AnyState* world, Tree* tree, const Spending* how, Path* path, int root_seat, int root_phase,
                  Rng* rng) noexcept nogil:
    """Steps 1 and 2 of an iteration: from the root down to a new node, with the world played along."""
    cdef uint32_t at = 0, child, best_child
    cdef uint64_t legal, tried
    cdef Node* node
    cdef Node* children
    cdef float score, best
    cdef int seat, move, label, kind, n_legal = 0, i
    cdef bint is_new
    path.length = 0
    while path.length < MAX_DEPTH:
        seat = game_to_move(world)
        if seat < 0:
            return
        kind = game_in_tree(world, root_seat, root_phase, &how.style)
        if kind < 0:
            return
        node = &tree.nodes[at]
        if kind == 0:                   # decided by that seat's own hand; the tree follows what is seen of it
            move = game_policy(world, &how.style, rng)
            label = game_label(world, move, root_seat)
            child = tree_find(tree, at, label)
            if child == NO_NODE:
                child = tree_add(tree, at, label, 2)
                if child == NO_NODE:
                    return
            else:
                tree.nodes[child].available += 1
            is_new = tree.nodes[child].visits == 0
        else:
            legal = game_legal(world)
            if at == 0:
                legal &= how.only
            n_legal = count(legal)
            tried = 0
            best = -1e30
            best_child = NO_NODE
            children = &tree.nodes[node.children]
            for i in range(node.n_children):
                if legal >> children[i].move & 1:
                    tried |= bit(children[i].move)
                    children[i].available += 1
                    if n_legal > 1:
                        score = tree_ucb(&children[i], how.exploration)
                        if score > best:
                            best = score
                            best_child = node.children + i
                    else:
                        best_child = node.children + i
            if legal != tried:
                legal &= ~tried
                move = nth(legal, rng_below(rng, count(legal)))
                child = tree_add(tree, at, move, n_legal)
                if child == NO_NODE:    # the pool is used up: go on with what there is
                    if best_child == NO_NODE:
                        return
                    child = best_child
                    move = tree.nodes[child].move
            else:
                child = best_child
                move = tree.nodes[child].move
            is_new = n_legal > 1 and tree.nodes[child].visits == 0      # a forced move is no step of its own
        game_advance(world, move, rng)
        path.nodes[path.length] = child
        path.seats[path.length] = seat
        path.length += 1
        at = child
        if is_new:
            return


cdef int fill_pool(const AnyState* view, AnyWorlds* worlds, const Style* style, Rng* rng, AnyState* pool,
                   double* up_to, int most, int64_t until_ns, volatile int* stopped) noexcept nogil:
    """Worlds and their cumulated weights, until a limit; returns their number. Where few worlds would carry all the
    weight the model is too sure of itself: weights are flattened by square roots until the effective sample is a
    tenth."""
    cdef double total, squares
    cdef int n = 0, i
    while n < most and not stopped[0] and now_ns() < until_ns:
        if not game_determinize(view, worlds, &pool[n], rng):
            break
        up_to[n] = game_world_weight(view, worlds, &pool[n], style, rng)
        n += 1
    if n == 0:
        return 0
    while True:
        total = 0.0
        squares = 0.0
        for i in range(n):
            total += up_to[i]
            squares += up_to[i] * up_to[i]
        if total * total >= 0.1 * n * squares and total > 1e-300:
            break
        for i in range(n):
            up_to[i] = sqrt(up_to[i]) if total > 1e-300 else 1.0
    total = 0.0
    for i in range(n):
        total += up_to[i]
        up_to[i] = total
    return n


cdef int drawn(const double* up_to, int n, double at) noexcept nogil:
    """The first place whose cumulated weight exceeds `at`."""
    cdef int low = 0, high = n - 1, middle
    while low < high:
        middle = (low + high) >> 1
        if at < up_to[middle]:
            high = middle
        else:
            low = middle + 1
    return low


cdef inline bint draw(const AnyState* view, const AnyWorlds* worlds, const AnyState* pool, const double* up_to,
                      int n_pool, AnyState* out, Rng* rng) noexcept nogil:
    """A world, from the pool if there is one; 0 if there is none."""
    if n_pool:
        out[0] = pool[drawn(up_to, n_pool, rng_uniform(rng) * up_to[n_pool - 1])]
        return 1
    return game_determinize(view, worlds, out, rng)


cdef bint think(AnyState* view, Tree* tree, const AnyWorlds* worlds, const Spending* how, RootMove_* roots, Rng* rng,
                int64_t* nodes, int64_t* n_worlds, int* left, AnyState* kept, const AnyState* pool, const double* up_to,
                int n_pool, int64_t max_nodes, int64_t until_ns, volatile int* stopped) noexcept nogil:
    """Iterations until a limit; 0 if the view has no world."""
    cdef AnyState world
    cdef Path path
    cdef RootMove_* root
    cdef double points[4]
    cdef double utility[4]
    cdef int root_seat = game_to_move(view), root_phase = game_phase(view), side, i
    cdef int64_t done = 0
    cdef Node* node
    side = root_seat
    while done < max_nodes:
        if done % SLICE == 0 and (stopped[0] or now_ns() >= until_ns):
            break
        # 1. A world, once in how.iterations
        if left[0] <= 0:
            if not draw(view, worlds, pool, up_to, n_pool, kept, rng):
                return 0
            n_worlds[0] += 1
            left[0] = how.iterations
            if how.per_world:
                tree_clear(tree)
        left[0] -= 1
        world = kept[0]
        # 2. Down the tree, and one new node
        descend(&world, tree, how, &path, root_seat, root_phase, rng)
        # 3. To the end of the deal
        game_playout(&world, &how.style, rng)
        game_outcome(&world, &how.objective, points, utility)
        # 4. Back up: each node counts for the seat that chose it
        tree.nodes[0].visits += 1
        for i in range(path.length):
            node = &tree.nodes[path.nodes[i]]
            node.visits += 1
            node.value += utility[path.seats[i]]
        if path.length:
            root = &roots[tree.nodes[path.nodes[0]].move]
            root.visits += 1
            root.utility += utility[root_seat]
            for i in range(4):
                root.points[i] += points[i]
            root.squares += points[side % how.objective.n_sides] * points[side % how.objective.n_sides]
            if how.chances:
                root.win += game_win_chance(&world, root_seat)
        done += 1
        nodes[0] += 1
    return 1


cdef class Search:
    """A search of one seat's decision.

    deal: what the seat to move knows (a full deal is reduced to its view unless open_hands). method: "ismcts" or
    "pimc". seed, stream: same seed, stream and nodes, same result. hash_mib: bound of the tree's memory.
    iterations: per world. exploration: of the upper confidence bounds, utilities being 0..1. win: maximise the
    chance to win the match instead of points. scale: points per unit of utility. others: weight of the others'
    mean points (apples). model: a play model's tables, contracts: of what a contract is worth, both float32.
    model_others: in the tree the others play by the model. playout_tricks: so many tricks of each playout are played
    by it. only: mask of the moves to choose from. Raises ValueError if nobody is to move, the mover's hand is unknown, no
    world is consistent or no move of `only` is legal.
    """

    cdef readonly object deal
    cdef JassState jass_view
    cdef JassState jass_world       # the world of the present iteration
    cdef ApplesState apples_view
    cdef ApplesState apples_world
    cdef AnyWorlds* worlds
    cdef void* pool                 # weighted worlds, with their cumulated weights
    cdef double* up_to
    cdef int n_pool
    cdef bint telling               # whether others have chosen something that worlds can be weighted by
    cdef float* model
    cdef float contracts[N_CONTRACT_CELLS]
    cdef Tree tree
    cdef Spending how
    cdef RootMove_ roots[64]
    cdef Rng rng
    cdef volatile int stopped
    cdef int left
    cdef int64_t n_nodes
    cdef int64_t n_sampled

    def __cinit__(self):
        self.worlds = <AnyWorlds*> malloc(sizeof(AnyWorlds))
        if self.worlds == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.worlds)
        free(self.pool)
        free(self.up_to)
        free(self.model)
        free(self.tree.nodes)

    def __init__(self, deal, *, method="ismcts", seed=1, stream=0, double hash_mib=64, int iterations=1,
                 double exploration=0.7, bint win=False, double scale=157.0, double others=1.0, bint chances=False,
                 bint open_hands=False, const float[::1] model=None, const float[::1] contracts=None,
                 bint model_others=False, int playout_tricks=0, only=-1):
        if method not in ("ismcts", "pimc"):
            raise ValueError(f"method {method!r}: must be ismcts or pimc")
        if iterations < 1:
            raise ValueError(f"iterations {iterations}: must be 1 or more")
        cdef bint found
        seat = deal.to_move
        if seat < 0:
            raise ValueError("nobody is to move")
        if not deal.known >> seat & 1:
            raise ValueError(f"the hand of seat {seat}, which is to move, is unknown")
        if not open_hands or deal.known != 15:
            deal = deal.view(seat)
        self.deal = deal
        self.how.per_world = method == "pimc"
        self.how.iterations = iterations
        self.how.exploration = exploration
        self.how.only = only & deal.legal()
        if not self.how.only:
            raise ValueError(f"only {only:#x}: none of these moves is legal")
        self.how.chances = chances
        self.how.objective.win = win
        self.how.objective.scale = scale
        self.how.objective.others = others
        self.how.objective.n_sides = deal.n_sides
        rng_seed(&self.rng, seed, stream)
        self.tree.capacity = max(1024, min(<int64_t> (hash_mib * 1048576 / sizeof(Node)), (<int64_t> 1 << 32) - 256))
        self.tree.nodes = <Node*> malloc(self.tree.capacity * sizeof(Node))
        if self.tree.nodes == NULL:
            raise MemoryError(f"no {hash_mib} MiB for the tree")
        tree_clear(&self.tree)
        memset(self.roots, 0, sizeof(self.roots))
        memset(&self.how.style, 0, sizeof(Style))
        if model is not None and isinstance(deal, JassDeal):
            if model.shape[0] != N_CELLS:
                raise ValueError(f"a play model of {model.shape[0]} entries: must be {N_CELLS}")
            self.model = <float*> malloc(N_CELLS * sizeof(float))
            if self.model == NULL:
                raise MemoryError
            memcpy(self.model, &model[0], N_CELLS * sizeof(float))
            self.how.style = Style(self.model, model_others, NULL, playout_tricks)
        if contracts is not None and isinstance(deal, JassDeal):
            if contracts.shape[0] != N_CONTRACT_CELLS:
                raise ValueError(f"contract tables of {contracts.shape[0]} entries: must be {N_CONTRACT_CELLS}")
            memcpy(self.contracts, &contracts[0], sizeof(self.contracts))
            self.how.style.contracts = self.contracts
        if isinstance(deal, JassDeal):
            self.jass_view = (<JassDeal> deal).s
            jass_prepare(&self.jass_view, &self.worlds.jass)
            (<JassDeal> deal).remember(&self.worlds.jass)
            self.telling = self.model != NULL and (self.worlds.jass.n_past or self._chosen_by_others())
            found = game_determinize(&self.jass_view, self.worlds, &self.jass_world, &self.rng)
        elif isinstance(deal, ApplesDeal):
            self.apples_view = (<ApplesDeal> deal).s
            self.how.style.others = model_others
            self.how.style.playout_tricks = playout_tricks
            apples_prepare(&self.apples_view, &self.worlds.apples)
            self.telling = self.apples_view.phase > PILE and self.apples_view.known != 15
            if self.telling:
                (<ApplesDeal> deal).remember(&self.worlds.apples)
            found = game_determinize(&self.apples_view, self.worlds, &self.apples_world, &self.rng)
        else:
            raise TypeError(f"no search for {type(deal).__name__}")
        if not found:
            raise ValueError("no deal is consistent with what is known")

    cdef bint _chosen_by_others(self):
        """Whether a hidden seat has pushed or named the contract."""
        cdef const JassState* view = &self.jass_view
        return (view.pushed and not view.known >> view.first & 1
                or view.contract >= 0 and not view.known >> view.declarer & 1)

    def weigh(self, int n, seconds=None):
        """From now on worlds are drawn from n of them, each as often as it is likely, by the model, that the other
        seats would have chosen as they did; from fewer if the seconds are over or `stop` is called before. Where
        nobody else has chosen anything, and for n below 2, all worlds stay alike. The GIL is released."""
        cdef int64_t until = deadline_ns(seconds)
        cdef bint jass = isinstance(self.deal, JassDeal)
        if n < 2 or not self.telling or self.pool != NULL:
            return
        self.pool = malloc(n * (sizeof(JassState) if jass else sizeof(ApplesState)))
        self.up_to = <double*> malloc(n * sizeof(double))
        if self.pool == NULL or self.up_to == NULL:
            raise MemoryError(f"no memory for a pool of {n} worlds")
        with nogil:
            if jass:
                self.n_pool = fill_pool(&self.jass_view, self.worlds, &self.how.style, &self.rng,
                                        <JassState*> self.pool, self.up_to, n, until, &self.stopped)
            else:
                self.n_pool = fill_pool(&self.apples_view, self.worlds, &self.how.style, &self.rng,
                                        <ApplesState*> self.pool, self.up_to, n, until, &self.stopped)
        self.n_sampled += self.n_pool

    def run(self, nodes=None, seconds=None):
        """Thinks on for that many iterations or seconds, whichever ends first, or until `stop`; True while more
        thinking may help. The GIL is released."""
        cdef int64_t max_nodes = (<int64_t> 1 << 62) if nodes is None else nodes
        cdef int64_t until = deadline_ns(seconds)
        cdef bint going
        if isinstance(self.deal, JassDeal):
            with nogil:
                going = think(&self.jass_view, &self.tree, self.worlds, &self.how, self.roots, &self.rng, &self.n_nodes,
                              &self.n_sampled, &self.left, &self.jass_world, <JassState*> self.pool, self.up_to,
                              self.n_pool, max_nodes, until, &self.stopped)
        else:
            with nogil:
                going = think(&self.apples_view, &self.tree, self.worlds, &self.how, self.roots, &self.rng,
                              &self.n_nodes, &self.n_sampled, &self.left, &self.apples_world,
                              <ApplesState*> self.pool, self.up_to, self.n_pool, max_nodes, until, &self.stopped)
        return bool(going and not self.stopped)

    def world(self):
        """A full deal as the search imagines it: drawn by weight where worlds are weighted, else uniform."""
        cdef JassDeal jass
        cdef ApplesDeal apples
        if isinstance(self.deal, ApplesDeal):
            apples = self.deal.copy()
            draw(&self.apples_view, self.worlds, <ApplesState*> self.pool, self.up_to, self.n_pool, &apples.s, &self.rng)
            return apples
        jass = self.deal.copy()
        draw(&self.jass_view, self.worlds, <JassState*> self.pool, self.up_to, self.n_pool, &jass.s, &self.rng)
        return jass

    def stop(self):
        """Ends a run, from any thread, within a few microseconds."""
        self.stopped = 1

    @property
    def scale(self):
        """Points per unit of utility."""
        return self.how.objective.scale

    @property
    def nodes(self):
        """Iterations so far."""
        return self.n_nodes

    @property
    def n_worlds(self):
        """Deals sampled so far."""
        return self.n_sampled

    @property
    def hashfull(self):
        """Share of the tree's memory in use, permille."""
        return 1000 if self.tree.full else <int64_t> self.tree.used * 1000 // self.tree.capacity

    cdef list _line(self, int move):
        """The most visited continuation after a root move."""
        cdef uint32_t at = tree_find(&self.tree, 0, move), best
        cdef Node* node
        cdef int i
        line = [move]
        while at != NO_NODE and len(line) < 12:
            node = &self.tree.nodes[at]
            best = NO_NODE
            for i in range(node.n_children):
                if best == NO_NODE or self.tree.nodes[node.children + i].visits > self.tree.nodes[best].visits:
                    best = node.children + i
            if best == NO_NODE or self.tree.nodes[best].visits < 8 or self.tree.nodes[best].move == 63:
                break
            line.append(self.tree.nodes[best].move)
            at = best
        return line


def root_moves(searches):
    """The moves of the searched decision, best first, as RootMove: several searches of it (one a thread) added up.
    Best is the most visited; of equally visited moves the one of higher value."""
    cdef Search search
    cdef RootMove_ total
    cdef double n, mean, variance
    cdef int move, side, n_sides
    cdef uint64_t all_visits = 0
    searches = list(searches)
    search = searches[0]
    n_sides = search.how.objective.n_sides
    side = search.deal.to_move % n_sides
    found = []
    legal = search.deal.legal()
    for each in searches:
        search = each
        for move in range(64):
            all_visits += search.roots[move].visits
    for move in range(64):
        if not legal >> move & 1:
            continue
        memset(&total, 0, sizeof(total))
        for each in searches:
            search = each
            total.visits += search.roots[move].visits
            total.utility += search.roots[move].utility
            total.win += search.roots[move].win
            total.squares += search.roots[move].squares
            for i in range(4):
                total.points[i] += search.roots[move].points[i]
        n = total.visits
        search = searches[0]
        if total.visits == 0:
            found.append(RootMove(move, 0, 0.0, 0.0, (0.0,) * n_sides, 0.0, None, [move]))
            continue
        mean = total.points[side] / n
        variance = max(0.0, total.squares / n - mean * mean)
        found.append(RootMove(
            move, total.visits, total.visits / <double> all_visits, total.utility / n,
            tuple([total.points[i] / n for i in range(n_sides)]), sqrt(variance / n),
            total.win / n if search.how.chances else None, search._line(move)))
    found.sort(key=lambda each: (each.visits, each.value), reverse=True)
    return found
