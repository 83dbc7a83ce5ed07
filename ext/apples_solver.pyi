from typing import Final, NamedTuple

from trickbot.ext.apples import ApplesDeal

Points = tuple[int, int, int, int]

class ApplesSolution(NamedTuple):
    value: Points | None
    nodes: int
    pv: tuple[int, ...]

class ApplesSolver:
    hash_mib: Final[float]
    def __init__(self, hash_mib: float = 4.0, *, others: float = 1.0) -> None: ...
    def solve(
        self, deal: ApplesDeal, *, max_nodes: int | None = None, seconds: float | None = None
    ) -> ApplesSolution: ...
    def solve_moves(
        self, deal: ApplesDeal, *, max_nodes: int | None = None, seconds: float | None = None
    ) -> list[tuple[int, Points]]: ...
    def stop(self) -> None: ...
