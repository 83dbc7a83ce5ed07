"""The fast core. Imports nothing of ours.

The kernels lie here twice under one name: portable in this folder, and for processors with popcnt and
BMI2 in ``bmi2/``. Putting that folder first on ``__path__`` is the whole dispatch: ``import
trickbot.ext.search`` then finds the faster build. ``TRICKBOT_KERNEL=portable|bmi2`` overrules it.
"""

import os
from pathlib import Path


def _bmi2_is_fast() -> bool:
    """Whether this processor has popcnt and a quick pdep (Zen 1 and 2 emulate it in microcode)."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    fields: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip() and fields:
            break
        key, _, value = line.partition(":")
        fields[key.strip()] = value.strip()
    flags = set(fields.get("flags", "").split())
    slow_pdep = fields.get("vendor_id") == "AuthenticAMD" and int(fields.get("cpu family", "0")) < 25
    return {"popcnt", "bmi1", "bmi2", "abm"} <= flags and not slow_pdep


def _choose() -> str:
    wanted = os.environ.get("TRICKBOT_KERNEL", "")
    if wanted not in ("", "portable", "bmi2"):
        raise ImportError(f"TRICKBOT_KERNEL={wanted}: must be portable or bmi2")
    folders = [str(Path(each) / "bmi2") for each in __path__]
    built = [each for each in folders if any(Path(each).glob("*.so"))]
    if wanted == "bmi2" and not built:
        raise ImportError("TRICKBOT_KERNEL=bmi2: that build is not installed")
    if built and wanted != "portable" and (wanted == "bmi2" or _bmi2_is_fast()):
        __path__[:0] = built
        return "bmi2"
    return "portable"


KERNEL = _choose()
"""The build in use, ``portable`` or ``bmi2``."""
