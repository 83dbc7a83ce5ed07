"""The fitted tables in ``ai/data``: how cards are played, and what contracts are worth.

``jass_model.f32`` is made by ``bench/train_play_model.py``, ``jass_contracts.f32`` by
``bench/train_contracts.py``: plain float32, least significant byte first. They are read without numpy, which
would double the start-up time of the engine.
"""

import sys
from array import array
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"


@cache
def table(name: str) -> "array[float]":
    """The float32 table of that name, ``jass_model`` or ``jass_contracts``."""
    values = array("f")
    values.frombytes((DATA / f"{name}.f32").read_bytes())
    if sys.byteorder == "big":
        values.byteswap()
    return values
