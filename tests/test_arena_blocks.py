"""Blocks, the log, and how the standings fold it: nothing is lost, nothing is counted twice."""

import json
import random
from collections import Counter

import numpy as np
import pytest
from trickbot.ai.arena.blocks import Deals, Item, seatings
from trickbot.ai.arena.log import Log, read_log
from trickbot.ai.arena.setup import Player, Setup, make_pairings, make_players
from trickbot.ai.arena.standings import Finished, Standings
from trickbot.engine.deal import choose, new_deal, random_hands
from trickbot.engine.rules import Rules


def setup_of(*players, game="jass", teams=None, form="round-robin", **more):
    made = make_players(players)
    teams = game == "jass" if teams is None else teams
    return Setup(game, "", made, make_pairings(len(made), form), teams=teams, **more)


# Players and seatings


@pytest.mark.parametrize(
    ("text", "player"),
    [
        ("rules", Player("rules", ("rules",))),
        ("ismcts:movetime=50", Player("ismcts:movetime=50", ("ismcts:movetime=50",))),
        ("new=pimc:nodes=9,exploration=1.0", Player("new", ("pimc:nodes=9,exploration=1.0",))),
        ("cmd:./mybot --game=jass", Player("cmd:./mybot --game=jass", ("cmd:./mybot --game=jass",))),
        ("mixed=rules + random", Player("mixed", ("rules", "random"))),
        ("rules + random", Player("rules + random", ("rules", "random"))),
    ],
)
def test_a_player_is_a_label_and_a_spec(text, player):
    assert Player.parse(text) == player


@pytest.mark.parametrize("text", ["", "a + b + c", "label=", "rules + "])
def test_what_is_no_player_is_refused(text):
    with pytest.raises(ValueError, match="player"):
        Player.parse(text)


def test_the_same_spec_twice_is_told_apart():
    assert [player.label for player in make_players(["rules", "rules", "rules"])] == [
        "rules",
        "rules #2",
        "rules #3",
    ]


def test_pairings():
    assert make_pairings(3, "round-robin") == ((0, 1), (0, 2), (1, 2))
    assert make_pairings(3, "gauntlet") == ((0, 1), (0, 2))
    assert make_pairings(4, "table") == ((0, 1, 2, 3),)
    with pytest.raises(ValueError, match="four seats"):
        make_pairings(5, "table")
    with pytest.raises(ValueError, match="needs two"):
        make_pairings(1, "round-robin")


def test_jass_teams_swap_sides():
    found = seatings(setup_of("a", "b"), (0, 1))
    assert [[chair.player for chair in seats] for seats in found] == [[0, 1, 0, 1], [1, 0, 1, 0]]


def test_two_partners_sit_in_both_orders_on_both_sides():
    found = seatings(setup_of("a + b", "c"), (0, 1))
    assert len(set(found)) == 4
    assert Counter(seats[0] for seats in found) == {(0, 0): 1, (0, 1): 1, (1, 0): 2}
    assert len(seatings(setup_of("a + b", "c + d"), (0, 1))) == 8
    assert len(seatings(setup_of("a + a", "c"), (0, 1))) == 2


@pytest.mark.parametrize(("n", "ways"), [(2, 14), (3, 36), (4, 24)])
def test_single_players_sit_in_every_mixed_way(n, ways):
    setup = setup_of(*"abcd"[:n], game="apples", form="table")
    found = seatings(setup, tuple(range(n)))
    assert len(found) == len(set(found)) == ways
    for player in range(n):
        by_seat = Counter(seat for seats in found for seat in range(4) if seats[seat].player == player)
        assert len(by_seat) == 4
        assert len(set(by_seat.values())) == 1


# Deals


def test_a_block_is_one_deal_in_all_its_seatings():
    deals = Deals(setup_of("a", "b", seed=5))
    begun = [deals.begin(item, deals.match(item)) for item in (Item((0, 1), 7, 0), Item((0, 1), 7, 1))]
    assert begun[0].text() == begun[1].text()
    others = [Item((0, 1), 8, 0), Item((0, 1), 7, 0, deal=1)]
    assert all(deals.begin(item, deals.match(item)).text() != begun[0].text() for item in others)


def test_who_begins_goes_round():
    deals = Deals(setup_of("a", "b"))
    firsts = [deals.match(Item((0, 1), block, 0)).first for block in range(8)]
    assert firsts == [0, 1, 2, 3, 0, 1, 2, 3]


def test_a_match_of_jass_begins_with_the_seven_of_roses_and_goes_round():
    deals = Deals(setup_of("a", "b", matches=True))
    for block in range(10):
        begin = Item((0, 1), block, 0, 0, (0, 0))
        position = deals.begin(begin, deals.match(begin))
        assert position.hands[position.first] >> 1 & 1
        later = Item((0, 1), block, 0, 3, (800, 900))
        match = deals.match(later)
        assert match.first == (position.first + 3) % 4
        assert tuple(deals.begin(later, match).match) == (800, 900)


# The log


def line(block, seating, players, deal, **more):
    record = {
        "game": "jass" if len(deal) == 2 else "apples",
        "deal": deal,
        "scores": deal,
        "players": players,
        "block": block,
        "seating": seating,
        "of": 2,
        "seconds": [0.1] * 4,
        "nodes": [10] * 4,
        "decisions": [9] * 4,
    }
    return record | more


def test_a_torn_last_line_is_cut_off_and_written_anew(tmp_path):
    path = tmp_path / "log.jsonl"
    log = Log(path)
    log.append(['{"a":1}', '{"b":2}'])
    log.close()
    for torn in (b'{"c":', b"x" * 100_000):
        with open(path, "ab") as file:
            file.write(torn)
        log = Log(path)
        log.append(['{"d":4}'])
        log.close()
    assert path.read_text().splitlines() == ['{"a":1}', '{"b":2}', '{"d":4}', '{"d":4}']


def test_only_one_tournament_writes_a_log(tmp_path):
    log = Log(tmp_path / "log.jsonl")
    with pytest.raises(ValueError, match="another tournament is writing it"):
        Log(tmp_path / "log.jsonl")
    log.close()
    Log(tmp_path / "log.jsonl").close()


def test_reading_a_log_numbers_its_broken_lines(tmp_path):
    path = tmp_path / "log.jsonl"
    good = json.dumps(line(0, 0, ["a", "b", "a", "b"], [100, 57]))
    path.write_text(f'{good}\nnonsense\n{{"game":"jass"}}\n[1]\n{good}\n{good[:-5]}')
    found = list(read_log(path))
    assert [number for number, record in found if record is None] == [2, 3, 4]
    assert [number for number, record in found if record] == [1, 5]


# The standings


AB, BA = ["a", "b", "a", "b"], ["b", "a", "b", "a"]


def test_a_block_counts_when_it_is_complete():
    standings = Standings(["a", "b"], [(0, 1)])
    assert standings.add(line(0, 0, AB, [100, 57]))
    pair = standings.pairs[0, 1]
    assert (pair.margin.n, standings.n_deals) == (0, 1)
    assert standings.add(line(0, 1, BA, [90, 67]))
    assert (pair.margin.n, pair.margin.mean) == (1, (100 - 57 + 67 - 90) / 2)
    assert (pair.deals.won, pair.deals.even, pair.deals.lost) == (1, 0, 1)
    assert pair.score.mean == 0.5
    assert pair.share.estimate().mean == pytest.approx((100 + 67) / 314)


def test_no_deal_counts_twice_in_whatever_order_they_come():
    rng = random.Random(1)
    lines = [
        line(block, seating, (AB, BA)[seating], [rng.randrange(158), rng.randrange(158)])
        for block in range(50)
        for seating in range(2)
    ]
    in_order = Standings(["a", "b"], [(0, 1)])
    for each in lines:
        assert in_order.add(each)
    shuffled = Standings(["a", "b"], [(0, 1)])
    twice = lines * 2
    rng.shuffle(twice)
    assert sum(shuffled.add(each) for each in twice) == len(lines)
    assert shuffled.n_deals == in_order.n_deals
    assert shuffled.players == in_order.players
    found, expected = shuffled.pairs[0, 1], in_order.pairs[0, 1]
    assert found.margin.mean == pytest.approx(expected.margin.mean)
    assert found.margin.variance == pytest.approx(expected.margin.variance)
    assert (found.deals, found.blocks) == (expected.deals, expected.blocks)


def test_what_is_left_to_do_after_an_interruption():
    standings = Standings(["a", "b"], [(0, 1)])
    standings.add(line(0, 1, BA, [10, 20]))
    standings.add(line(1, 0, AB, [10, 20]))
    standings.add(line(1, 1, BA, [10, 20]))
    assert list(standings.to_do((0, 1), 0, 2, None)) == [Item((0, 1), 0, 0)]
    assert list(standings.to_do((0, 1), 1, 2, None)) == []
    assert len(list(standings.to_do((0, 1), 2, 2, None))) == 2


def test_a_match_goes_on_where_its_log_ends():
    standings = Standings(["a", "b"], [(0, 1)])
    standings.add(line(0, 0, AB, [300, 100], match_deal=0, winner=None))
    standings.add(line(0, 0, AB, [300, 100], match_deal=0, winner=None))
    standings.add(line(0, 0, AB, [900, 0], scores=[1200, 100], match_deal=1, winner=None))
    assert list(standings.to_do((0, 1), 0, 2, (0, 0))) == [
        Item((0, 1), 0, 0, 2, (1200, 100)),
        Item((0, 1), 0, 1, 0, (0, 0)),
    ]
    standings.add(line(0, 0, AB, [2000, 0], scores=[3200, 100], match_deal=2, winner=0))
    standings.add(line(0, 1, BA, [3000, 0], scores=[3000, 0], match_deal=0, winner=0))
    pair = standings.pairs[0, 1]
    assert (pair.matches.won, pair.matches.even, pair.matches.lost) == (1, 0, 1)
    assert (pair.deals.won, pair.deals.lost) == (3, 1)
    assert pair.margin.mean == (3200 - 100 - 3000) / 4
    assert pair.score.mean == 0.5


def test_a_loss_spoils_the_margin_and_counts_in_the_score():
    standings = Standings(["a", "b"], [(0, 1)])
    standings.add(
        line(0, 0, AB, [100, 0], loss={"seat": 2, "kind": "crash", "message": "", "transcript": []})
    )
    standings.add(line(0, 1, BA, [57, 100]))
    pair = standings.pairs[0, 1]
    assert (pair.margin.n, pair.spoilt, pair.score.mean) == (0, 1, 0.5)
    assert (pair.deals.won, pair.deals.lost) == (1, 0)
    assert standings.players[0].losses == {"crash": 1}
    assert not standings.players[1].losses


def test_single_players_are_compared_by_the_means_of_their_seats():
    setup = setup_of("a", "b", game="apples")
    standings = Standings(["a", "b"], [(0, 1)])
    rng = random.Random(2)
    total = 0.0
    ways = seatings(setup, (0, 1))
    for seating, seats in enumerate(ways):
        points = [rng.randrange(-60, 200) for _ in range(4)]
        names = ["ab"[chair.player] for chair in seats]
        standings.add(line(0, seating, names, points, of=14))
        own, other = ([p for p, name in zip(points, names, strict=True) if name == each] for each in "ab")
        total += sum(own) / len(own) - sum(other) / len(other)
    assert standings.pairs[0, 1].margin.mean == pytest.approx(total / 14)
    assert standings.pairs[0, 1].share.n <= 1


def test_points_that_depend_on_the_seat_alone_give_a_margin_of_exactly_zero():
    for game, teams, n in (("jass", True, 2), ("jass", False, 14), ("apples", False, 14)):
        setup = setup_of("a", "b", game=game, teams=teams)
        standings = Standings(["a", "b"], [(0, 1)])
        ways = seatings(setup, (0, 1))
        assert len(ways) == n
        for block in range(20):
            points = [7 * block + 1, 3 * block] if game == "jass" else [block, -7, 31, 45 * block]
            for seating, seats in enumerate(ways):
                names = ["ab"[chair.player] for chair in seats]
                standings.add(line(block, seating, names, points, of=n))
        assert (standings.pairs[0, 1].margin.mean, standings.pairs[0, 1].margin.squares) == (0.0, 0.0)


def test_ratings_use_the_deals_that_pairs_have_in_common():
    standings = Standings(["a", "b", "c"], [(0, 1), (0, 2), (1, 2)])
    strength = {"a": 30, "b": 0, "c": -30}
    rng = random.Random(3)
    for block in range(40):
        for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
            for seating in range(2):
                names = [one, other, one, other] if seating == 0 else [other, one, other, one]
                points = [strength[name] + rng.randrange(100, 110) for name in names[:2]]
                if (block, one, other) != (39, "a", "c"):
                    standings.add(line(block, seating, names, points))
    margins, scores = standings.rating_sums()
    assert margins.counts.tolist() == [40, 39, 40]
    assert scores.means.tolist() == [1.0, 1.0, 1.0]
    assert margins.means == pytest.approx([30, 60, 30], abs=3)


def test_a_record_of_another_tournament_is_refused():
    standings = Standings(["a", "b"], [(0, 1)])
    with pytest.raises(ValueError, match="'c' is not in this tournament"):
        standings.add(line(0, 0, ["a", "c", "a", "c"], [1, 2]))
    with pytest.raises(ValueError, match="do not meet"):
        standings.add(line(0, 0, ["a", "a", "a", "a"], [1, 2]))


def test_a_set_of_finished_numbers_stays_small():
    finished = Finished()
    numbers = list(range(1000))
    random.Random(4).shuffle(numbers)
    for number in numbers:
        assert number not in finished
        finished.add(number)
        assert number in finished
    assert len(finished) == 1000
    assert not finished._above


def test_one_seed_gives_a_random_player_other_numbers_at_every_decision():
    rules = Rules.parse("jass")
    places = []
    for seed in range(1, 400):
        deal = new_deal(rules, 0, (0, 0), random_hands(rules, seed))
        own = []
        while deal.to_move >= 0:
            move = choose(deal, "random", seed)
            if deal.to_move == 0 and deal.legal().bit_count() > 1:
                below = deal.legal() & ((1 << move) - 1)
                own.append((below.bit_count() + 0.5) / deal.legal().bit_count())
            deal.apply(move)
        places.append(own[:3])
    correlations = np.corrcoef(np.array(places).T)
    assert abs(correlations[np.triu_indices(3, 1)]).max() < 0.2
