"""Builds the extensions of trickbot.ext; everything else stands in pyproject.toml.

Every kernel is compiled twice from the same C: portable, as ``trickbot.ext.NAME``, and for
processors with popcnt and BMI2, as ``trickbot.ext.bmi2.NAME``; ``ext/__init__.py`` chooses at import.
``TRICKBOT_DEBUG=1`` builds with the kernel's own checks on, ``TRICKBOT_SANITIZE=1`` with the address and
undefined-behaviour sanitizers as well.
"""

import copy
import os
import platform
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path(__file__).resolve().parent
VIEW = ROOT / "build" / "view" / "trickbot"

# Cython and mypy do not know package-dir mappings: show them the tree under its installed name.
VIEW.mkdir(parents=True, exist_ok=True)
for floor in ("ext", "engine", "ai"):
    link = VIEW / floor
    if not link.is_symlink():
        link.symlink_to(Path("..", "..", "..", floor), target_is_directory=True)

debug = os.environ.get("TRICKBOT_DEBUG") == "1" or os.environ.get("TRICKBOT_SANITIZE") == "1"
flags = ["-O1", "-g", "-DTRICKBOT_DEBUG=1"] if debug else ["-O3", "-g0"]
# No fused multiply-add: the search must come out the same on every machine.
flags.append("-ffp-contract=off")
link_flags: list[str] = []
if os.environ.get("TRICKBOT_SANITIZE") == "1":
    link_flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    flags += [*link_flags, "-fno-omit-frame-pointer"]
flags += ["-Wall", "-Wno-unused-function", "-Wno-unused-variable", "-Wno-maybe-uninitialized"]


def kernels() -> list[Extension]:
    names = sorted(path.stem for path in (ROOT / "ext").glob("*.pyx"))
    portable = cythonize(
        [
            Extension(
                f"trickbot.ext.{name}",
                [f"ext/{name}.pyx"],
                extra_compile_args=flags,
                extra_link_args=link_flags,
            )
            for name in names
        ],
        include_path=["build/view"],
        build_dir="build/c",
        compiler_directives={
            "language_level": 3,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": True,
        },
    )
    if platform.machine().lower() not in ("x86_64", "amd64") or debug:
        return portable
    fast = [copy.copy(kernel) for kernel in portable]
    for kernel in fast:
        kernel.name = kernel.name.replace("trickbot.ext.", "trickbot.ext.bmi2.")
        kernel.sources = [as_bmi2(source) for source in kernel.sources]
        kernel.extra_compile_args = [*flags, "-mpopcnt", "-mbmi", "-mbmi2", "-mlzcnt"]
    return portable + fast


def as_bmi2(source: str) -> str:
    """A second copy of a C file, so that the two builds' objects do not overwrite each other."""
    twin = Path("build", "c_bmi2", Path(source).name)
    text = Path(source).read_text()
    if not twin.exists() or twin.read_text() != text:
        twin.parent.mkdir(parents=True, exist_ok=True)
        twin.write_text(text)
    return str(twin)


setup(ext_modules=kernels())
