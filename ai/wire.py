"""The protocol's lines as typed values: options, limits, infos, and the errors of a client."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Literal

log = logging.getLogger(__name__)

Value = bool | int | str | float


class EngineError(RuntimeError):
    """The engine refused a command or broke the protocol. `code`: of its error line, if it sent one."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class EngineTerminatedError(EngineError):
    """The engine's process ended. `exit_code`: negative for a signal. `stderr`: the end of what it wrote."""

    def __init__(self, exit_code: int | None, stderr: str = "") -> None:
        how = "ended" if exit_code is None else f"ended with exit code {exit_code}"
        last = stderr.strip().rpartition("\n")[2]
        super().__init__(f"the engine {how}" + (f": {last}" if last else ""))
        self.exit_code = exit_code
        self.stderr = stderr


class EngineTimeoutError(EngineError):
    """The engine did not answer in time. `late`: it did answer, but only after it was told to stop."""

    def __init__(self, message: str, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


@dataclass(frozen=True)
class Limit:
    """When a search ends, at whichever comes first; without any, the engine decides.

    time: seconds for this move. nodes: iterations. clock: seconds left for all further moves of this deal,
    with `increment` more after each.
    """

    time: float | None = None
    nodes: int | None = None
    clock: float | None = None
    increment: float | None = None

    @property
    def words(self) -> str:
        """The words after `go`."""
        words = ""
        if self.time is not None:
            words += f" movetime {max(1, round(self.time * 1000))}"
        if self.nodes is not None:
            words += f" nodes {self.nodes}"
        if self.clock is not None:
            words += f" time {max(1, round(self.clock * 1000))}"
            if self.increment is not None:
                words += f" inc {round(self.increment * 1000)}"
        return words

    @property
    def seconds(self) -> float | None:
        """The most that a search under this limit may take; None: unknown."""
        return min((x for x in (self.time, self.clock) if x is not None), default=None)


@dataclass(frozen=True)
class EngineOption:
    """An option that the engine offers."""

    name: str
    type: str
    default: str = ""
    min: int | None = None
    max: int | None = None
    choices: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> EngineOption:
        """From the words after `option`. Raises EngineError."""
        found: dict[str, list[str]] = {}
        choices: list[str] = []
        key, limit = "", ("name", "type", "default", "min", "max", "var")
        for word in line.split():
            if word in limit and not (key == "name" and word != "type"):
                key = word
                if key == "var":
                    choices.append("")
            elif key == "var":
                choices[-1] += f" {word}"
            elif key:
                found.setdefault(key, []).append(word)
        texts = {key: " ".join(words) for key, words in found.items()}
        try:
            return cls(
                name=texts["name"],
                type=texts["type"],
                default=texts.get("default", ""),
                min=int(texts["min"]) if "min" in texts else None,
                max=int(texts["max"]) if "max" in texts else None,
                choices=tuple(choice.strip() for choice in choices),
            )
        except (KeyError, ValueError):
            raise EngineError(f"the engine sent a broken option line: option {line}") from None

    def word(self, value: Value) -> str:
        """A value as the engine reads it. Raises EngineError where the option does not allow it."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        possible = ""
        if self.type == "check" and text not in ("true", "false"):
            possible = "true or false"
        elif self.type == "spin":
            try:
                number = int(text)
            except ValueError:
                possible = "a whole number"
            else:
                if number < (self.min or 0) or (self.max is not None and number > self.max):
                    possible = f"from {self.min or 0} to {self.max}"
        elif self.type == "combo":
            same = [choice for choice in self.choices if choice.lower() == text.lower()]
            text = same[0] if same else text
            possible = "" if same else " or ".join(self.choices)
        elif "\n" in text or "\r" in text:
            possible = "one line"
        if possible:
            raise EngineError(f"option {self.name}: {text!r} must be {possible}")
        return text


_NUMBERS = {"time": float, "nodes": int, "nps": int, "worlds": int, "multipv": int, "hashfull": int}
_FRACTIONS = ("visits", "error", "win")
_KEYS = frozenset((*_NUMBERS, *_FRACTIONS, "score", "pv", "string"))


@dataclass(frozen=True)
class Info:
    """One `info` line. `time` in seconds; `score`: expected points by side, the mover's side first."""

    time: float | None = None
    nodes: int | None = None
    nps: int | None = None
    worlds: int | None = None
    multipv: int = 1
    visits: float | None = None
    score: tuple[float, ...] = ()
    error: float | None = None
    win: float | None = None
    pv: tuple[str, ...] = ()
    string: str | None = None
    hashfull: int | None = None

    @classmethod
    def parse(cls, text: str) -> Info:
        """From the words after `info`; a part that cannot be read is logged and left out."""
        values: dict[str, object] = {}
        words = text.split()
        at = 0
        while at < len(words):
            key = words[at]
            end = at + 1
            if key in ("pv", "string"):
                end = len(words)
            else:
                while end < len(words) and words[end] not in _KEYS:
                    end += 1
            try:
                values[key] = _info_value(key, words[at + 1 : end])
            except (ValueError, OverflowError, IndexError):
                log.warning("cannot read %r in: info %s", " ".join(words[at:end]), text)
            at = end
        return cls(**{key: value for key, value in values.items() if value is not None})  # type: ignore[arg-type]


def _info_value(key: str, words: list[str]) -> object:
    if key == "string":
        return " ".join(words)
    if key == "pv":
        return tuple(words)
    if key == "score":
        return tuple(map(float, words))
    if key == "time":
        return float(words[0]) / 1000
    if key in _NUMBERS:
        return _NUMBERS[key](words[0])
    return float(words[0]) if key in _FRACTIONS else None


@dataclass(frozen=True)
class PlayResult:
    """The move of an engine, the last info about it, and the seconds that it took as seen from outside."""

    move: str
    info: Info = field(default_factory=Info)
    seconds: float = 0.0


Kind = Literal["timeout", "stall", "crash", "illegal", "protocol"]
"""The ways in which a player can lose a deal other than by its cards."""
