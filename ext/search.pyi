from array import array
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from trickbot.ext.apples import ApplesDeal
from trickbot.ext.jass import JassDeal

Tables: TypeAlias = npt.NDArray[np.float32] | array[float]

class RootMove(NamedTuple):
    move: int
    visits: int
    share: float
    value: float
    points: tuple[float, ...]
    error: float
    win: float | None
    pv: list[int]

class Search:
    @property
    def deal(self) -> JassDeal | ApplesDeal: ...
    def __init__(
        self,
        deal: JassDeal | ApplesDeal,
        *,
        method: Literal["ismcts", "pimc"] = "ismcts",
        seed: int = 1,
        stream: int = 0,
        hash_mib: float = 64,
        iterations: int = 1,
        exploration: float = 0.7,
        win: bool = False,
        scale: float = 157.0,
        others: float = 1.0,
        chances: bool = False,
        open_hands: bool = False,
        model: Tables | None = None,
        contracts: Tables | None = None,
        model_others: bool = False,
        playout_tricks: int = 0,
        only: int = -1,
    ) -> None: ...
    @property
    def scale(self) -> float: ...
    def weigh(self, n: int, seconds: float | None = None) -> None: ...
    def run(self, nodes: int | None = None, seconds: float | None = None) -> bool: ...
    def world(self) -> JassDeal | ApplesDeal: ...
    def stop(self) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def n_worlds(self) -> int: ...
    @property
    def hashfull(self) -> int: ...

def root_moves(searches: Iterable[Search]) -> list[RootMove]: ...
