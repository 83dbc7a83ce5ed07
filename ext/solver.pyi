from typing import Final, NamedTuple

from trickbot.ext.jass import JassDeal

class Solution(NamedTuple):
    value: tuple[int, int] | None
    at_least: tuple[int, int]
    at_most: tuple[int, int]
    nodes: int
    pv: tuple[int, ...]

class Solver:
    hash_mib: Final[float]
    def __init__(self, hash_mib: float = 4.0) -> None: ...
    def solve(
        self,
        deal: JassDeal,
        *,
        plain: bool = False,
        pv: bool = True,
        max_nodes: int | None = None,
        seconds: float | None = None,
    ) -> Solution: ...
    def solve_moves(
        self,
        deal: JassDeal,
        *,
        plain: bool = False,
        max_nodes: int | None = None,
        seconds: float | None = None,
    ) -> list[tuple[int, tuple[int, int]]]: ...
    def stop(self) -> None: ...
