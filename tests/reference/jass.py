"""A naive referee of Schieber Jass: full deals, tokens, lists and sets; slow on purpose."""

from itertools import combinations
from typing import Any

from . import IllegalError

SUITS = "rabs"
PLAIN = "AKOUB9876"  # high to low
TRUMP = "U9AKOB876"
PACK = [suit + rank for suit in SUITS for rank in PLAIN]
CONTRACTS = ["roses", "acorns", "bells", "shields", "obenabe", "undenufe"]
TRUMP_SUIT = {"roses": "r", "acorns": "a", "bells": "b", "shields": "s"}

CARDAVIA: dict[str, Any] = {
    "target": 3000,
    "multipliers": {"roses": 1, "acorns": 1, "bells": 2, "shields": 2, "obenabe": 3, "undenufe": 4},
    "run_points": {3: 20, 4: 50, 5: 100, 6: 100, 7: 100, 8: 100, 9: 100},
    "quartet_points": {"A": 100, "K": 100, "O": 100, "U": 200, "B": 100},
    "undenufe_ace": 11,
    "undenufe_six": 0,
    "shared_cards": False,
    "weis": True,
    "stoeck": 20,
    "match_bonus": 100,
    "last_trick": 5,
}
SWISSLOS = CARDAVIA | {
    "target": 1000,
    "multipliers": dict.fromkeys(CONTRACTS, 1),
    "run_points": {3: 20, 4: 50, 5: 100, 6: 150, 7: 200, 8: 250, 9: 300},
    "quartet_points": CARDAVIA["quartet_points"] | {"9": 150, "8": 100, "7": 100, "6": 100},
    "undenufe_ace": 0,
    "undenufe_six": 11,
    "shared_cards": True,
}
HSL = SWISSLOS | {"target": 0, "weis": False, "stoeck": 0, "match_bonus": 0}
PRESETS = {"cardavia": CARDAVIA, "swisslos": SWISSLOS, "hsl": HSL}


def normal(token: str) -> str:
    """A card or a word as the protocol writes it."""
    return token[0].lower() + token[1].upper() if len(token) == 2 else token.lower()


def team(seat: int) -> int:
    return seat % 2


class JassReferee:
    """One deal from full hands: `play` tokens, ask `legal`, `state`, `perft`."""

    def __init__(
        self,
        hands: list[list[str]],
        first: int = 0,
        match: tuple[int, int] = (0, 0),
        rules: str = "cardavia",
        **fields: Any,
    ) -> None:
        self.rules = PRESETS[rules] | fields
        self.first = first
        self.match = list(match)
        self.dealt = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.moves: list[str] = []
        self.declared: dict[tuple[frozenset[str], str | None], list[list[str]]] = {}  # found before
        self.contract: str | None = None
        self.declarer: int | None = None
        self.pushed = False
        self.leader = first
        self.trick: list[str] = []
        self.tricks: list[dict[str, Any]] = []
        self.deal = [0, 0]
        self.weis_team: int | None = None
        self.stoeck: int | None = None
        self.winner: int | None = None

    # ---------------------------------------------------------------- whose turn, what is legal

    @property
    def phase(self) -> str:
        if self.contract is None:
            return "contract"
        return "over" if self.winner is not None or len(self.tricks) == 9 else "play"

    @property
    def to_move(self) -> int | None:
        if self.phase == "over":
            return None
        if self.phase == "contract":
            return (self.first + 2) % 4 if self.pushed else self.first
        return (self.leader + len(self.trick)) % 4

    def legal(self) -> list[str]:
        if self.phase == "over":
            return []
        if self.phase == "contract":
            return CONTRACTS + ([] if self.pushed else ["push"])
        assert self.to_move is not None
        hand = self.hands[self.to_move]
        if not self.trick:
            return list(hand)
        trump = self.trump
        led = self.trick[0][0]
        of_led = [card for card in hand if card[0] == led]
        if trump is None:
            return of_led or list(hand)
        trumps = [card for card in hand if card[0] == trump]
        if led == trump:
            return list(hand) if trumps in ([], [trump + "U"]) else trumps
        allowed = of_led + trumps if of_led else list(hand)
        lying = [card for card in self.trick if card[0] == trump]
        if lying and len(trumps) < len(hand):
            best = min(TRUMP.index(card[1]) for card in lying)
            allowed = [card for card in allowed if card[0] != trump or TRUMP.index(card[1]) < best]
        return allowed

    # ---------------------------------------------------------------- a move

    def play(self, token: str) -> None:
        move = normal(token)
        if move not in self.legal():
            raise IllegalError(f"{token}: legal is {' '.join(self.legal())}")
        self.moves.append(move)
        if self.phase == "play":
            self._card(move)
        elif move == "push":
            self.pushed = True
        else:
            self.declarer = self.to_move
            self.contract = move

    def _card(self, card: str) -> None:
        seat = self.to_move
        assert seat is not None
        self.hands[seat].remove(card)
        self.trick.append(card)
        if self.trump and self._holds_stoeck(seat) and self.stoeck is None:
            both = {self.trump + "K", self.trump + "O"}
            if card in both and not both & set(self.hands[seat]):
                self.stoeck = seat
                self._score(seat, self.rules["stoeck"])
        if len(self.trick) == 4 and self.winner is None:
            self._end_of_trick()

    def _end_of_trick(self) -> None:
        winner = (self.leader + self._best_place()) % 4
        points = sum(self.value(card) for card in self.trick)
        if len(self.tricks) == 8:
            points += self.rules["last_trick"]
        self.tricks.append({"leader": self.leader, "cards": self.trick, "winner": winner, "points": points})
        self.trick = []
        self.leader = winner
        if len(self.tricks) == 1:
            self._early_stoeck()
            self._score_weis()
            self._early_stoeck()
        self._score(winner, points)
        self._early_stoeck()
        if len(self.tricks) == 9 and len({team(trick["winner"]) for trick in self.tricks}) == 1:
            self._score(winner, self.rules["match_bonus"])

    def _best_place(self) -> int:
        trumps = [place for place in range(4) if self.trick[place][0] == self.trump]
        if trumps:
            return min(trumps, key=lambda place: TRUMP.index(self.trick[place][1]))
        led = [place for place in range(4) if self.trick[place][0] == self.trick[0][0]]
        order = PLAIN[::-1] if self.contract == "undenufe" else PLAIN
        return min(led, key=lambda place: order.index(self.trick[place][1]))

    # ---------------------------------------------------------------- points

    @property
    def trump(self) -> str | None:
        return TRUMP_SUIT.get(self.contract or "")

    @property
    def multiplier(self) -> int | None:
        return self.rules["multipliers"][self.contract] if self.contract else None

    @property
    def scores(self) -> list[int]:
        return [before + now for before, now in zip(self.match, self.deal, strict=True)]

    def value(self, card: str) -> int:
        values = {"A": 11, "K": 4, "O": 3, "U": 2, "B": 10}
        if card[0] == self.trump:
            values |= {"U": 20, "9": 14}
        if self.trump is None:
            values |= {"8": 8}
        if self.contract == "undenufe":
            values |= {"A": self.rules["undenufe_ace"], "6": self.rules["undenufe_six"]}
        return values.get(card[1], 0)

    def _score(self, seat: int, points: int) -> None:
        """Nothing counts any more once a team has won the match."""
        if self.winner is None:
            assert self.multiplier is not None
            self.deal[team(seat)] += points * self.multiplier
            if self.rules["target"] and self.scores[team(seat)] >= self.rules["target"]:
                self.winner = team(seat)

    def _holds_stoeck(self, seat: int) -> bool:
        return bool(self.trump and self.rules["stoeck"]) and {f"{self.trump}K", f"{self.trump}O"} <= set(
            self.dealt[seat]
        )

    def _early_stoeck(self) -> None:
        if self.winner is not None or self.stoeck is not None or not self.rules["target"]:
            return
        for seat in range(4):
            if self._holds_stoeck(seat):
                assert self.multiplier is not None
                if self.scores[team(seat)] + self.rules["stoeck"] * self.multiplier >= self.rules["target"]:
                    self.stoeck = seat
                    self._score(seat, self.rules["stoeck"])

    # ---------------------------------------------------------------- Weis

    def _all_melds(self, hand: list[str]) -> list[frozenset[str]]:
        """Every run and quartet in the hand, long runs and each of their parts."""
        quartets = [[suit + rank for suit in SUITS] for rank in self.rules["quartet_points"]]
        runs = [
            [suit + rank for rank in PLAIN[start : start + length]]
            for suit in SUITS
            for length in self.rules["run_points"]
            for start in range(9 - length + 1)
        ]
        found = [frozenset(meld) for meld in quartets + runs if set(meld) <= set(hand)]
        return [meld for meld in found if self.meld_points(meld) > 0]

    def is_run(self, meld: frozenset[str]) -> bool:
        return len({card[0] for card in meld}) == 1

    def meld_points(self, meld: frozenset[str]) -> int:
        if self.is_run(meld):
            return int(self.rules["run_points"][len(meld)])
        return int(self.rules["quartet_points"][next(iter(meld))[1]])

    def strength(self, meld: frozenset[str]) -> tuple[int, bool, int, int, bool]:
        """Points, quartet over run, length, rank, trump: the greater tuple is the stronger meld."""
        run = self.is_run(meld)
        top = min(PLAIN.index(card[1]) for card in meld)
        rank = top if self.contract == "undenufe" else -top
        length = len(meld) if run else 0
        return (self.meld_points(meld), not run, length, rank, run and next(iter(meld))[0] == self.trump)

    def _fit(self, melds: tuple[frozenset[str], ...]) -> bool:
        for one, other in combinations(melds, 2):
            shared = self.rules["shared_cards"] and self.is_run(one) != self.is_run(other)
            if one & other and not shared:
                return False
        return True

    def melds(self, seat: int) -> list[list[str]]:
        """What the dealt hand declares, the strongest meld first; the contract must be known."""
        if not self.rules["weis"]:
            return []
        key = (frozenset(self.dealt[seat]), self.contract)
        if key not in self.declared:
            self.declared[key] = self._best_melds(self.dealt[seat])
        return self.declared[key]

    def _best_melds(self, hand: list[str]) -> list[list[str]]:
        found = self._all_melds(hand)
        best: tuple[frozenset[str], ...] = ()
        best_key: tuple[Any, ...] = (0, [])
        for number in range(1, 4):  # nine cards hold three melds at most, shared cards or not
            for melds in combinations(found, number):
                if self._fit(melds):
                    key = (
                        sum(self.meld_points(meld) for meld in melds),
                        sorted((self.strength(meld) for meld in melds), reverse=True),
                    )
                    if key > best_key:
                        best, best_key = melds, key
        in_order = sorted(best, key=lambda meld: min(PACK.index(card) for card in meld))
        in_order.sort(key=self.strength, reverse=True)
        return [[card for card in PACK if card in meld] for meld in in_order]

    def announced(self, seat: int) -> list[str] | None:
        """What the hand announces with its first card: its strongest meld, or None."""
        melds = self.melds(seat)
        return melds[0] if melds else None

    def told(self) -> list[list[list[str]] | None]:
        """By seat what everybody at the table has heard or seen: None, [] for "none", or melds."""
        if not self.rules["weis"] or self.contract is None:
            return [None] * 4
        played = len(self.tricks) * 4 + len(self.trick)
        heard: list[list[list[str]] | None] = [None] * 4
        for place in range(min(played, 4)):
            seat = (self.first + place) % 4
            heard[seat] = self.melds(seat)[:1]
            if team(seat) == self.weis_team:
                heard[seat] = self.melds(seat)
        return heard

    def _score_weis(self) -> None:
        if self.winner is not None:
            return
        strongest = None
        for place in range(4):
            seat = (self.first + place) % 4
            meld = self.announced(seat)
            if meld and (strongest is None or self.strength(frozenset(meld)) > strongest):
                strongest = self.strength(frozenset(meld))
                self.weis_team = team(seat)
        if self.weis_team is not None:
            seats = [seat for seat in range(4) if team(seat) == self.weis_team]
            melds = [frozenset(meld) for seat in seats for meld in self.melds(seat)]
            self._score(self.weis_team, sum(self.meld_points(meld) for meld in melds))

    # ---------------------------------------------------------------- the whole

    def state(self) -> dict[str, Any]:
        seat = self.to_move
        loser = None if self.winner is None else 1 - self.winner
        shown = self.contract is not None and self.rules["weis"]
        return {
            "game": "jass",
            "phase": self.phase,
            "to_move": seat,
            "side": None if seat is None else team(seat),
            "first": self.first,
            "hands": [sorted(hand) for hand in self.hands],
            "trick": {"leader": self.leader, "cards": list(self.trick)},
            "tricks": [dict(trick) for trick in self.tricks],
            "scores": self.scores,
            "deal": list(self.deal),
            "legal": self.legal(),
            "winner": self.winner,
            "contract": self.contract,
            "declarer": self.declarer,
            "pushed": self.pushed,
            "multiplier": self.multiplier,
            "weis": [{"seat": s, "melds": self.melds(s) if shown else None} for s in range(4)],
            "weis_team": self.weis_team,
            "stoeck": self.stoeck,
            "schneider": loser is not None and self.scores[loser] * 2 < self.rules["target"],
        }

    def copy(self) -> "JassReferee":
        other = JassReferee.__new__(JassReferee)
        other.__dict__ |= self.__dict__
        other.hands = [list(hand) for hand in self.hands]
        other.moves = list(self.moves)
        other.trick = list(self.trick)
        other.tricks = list(self.tricks)
        other.deal = list(self.deal)
        return other

    def perft(self, depth: int) -> int:
        """The number of sequences of `depth` moves from here."""
        if depth <= 1:
            return len(self.legal()) if depth == 1 else 1
        total = 0
        for move in self.legal():
            after = self.copy()
            after.play(move)
            total += after.perft(depth - 1)
        return total
