"""Values that are still to come, for coroutines that run in an event loop or are driven by hand.

The client is written once, as coroutines. In an event loop they wait in its manner. Without one, whoever
drives them is handed what they wait for, and reads from the engine until it is there, which takes a fraction
of a loop's time and no thread.
"""

from __future__ import annotations

import asyncio
import types
from collections.abc import Coroutine, Generator
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Pending(Generic[T]):
    """A value, or an error, that will be set. `loop`: whose coroutines wait for it; None: driven by hand."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self.done = False
        self._loop = loop
        self._value: T
        self._error: Exception | None = None
        self._sleepers: list[asyncio.Future[None]] = []

    def set(self, value: T) -> None:
        """Sets the value; later ones are left out."""
        if not self.done:
            self._value = value
            self._wake()

    def fail(self, error: Exception) -> None:
        """Sets an error instead."""
        if not self.done:
            self._error = error
            self._wake()

    def _wake(self) -> None:
        self.done = True
        for sleeper in self._sleepers:
            if not sleeper.done():
                sleeper.set_result(None)

    async def settled(self, timeout: float | None = None) -> bool:
        """Waits for the value, `timeout` seconds at most; whether it is there."""
        if self.done:
            return True
        if self._loop is None:
            await _suspend(self, None if timeout is None else monotonic() + timeout)
            return self.done
        sleeper = self._loop.create_future()
        self._sleepers.append(sleeper)
        alarm = None if timeout is None else self._loop.call_later(timeout, _ring, sleeper)
        try:
            await sleeper
        finally:
            if alarm is not None:
                alarm.cancel()
        return self.done

    async def get(self) -> T:
        """Waits for the value. Raises the error that was set instead."""
        await self.settled()
        if self._error is not None:
            raise self._error
        return self._value


def _ring(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)


@types.coroutine
def _suspend(
    pending: Pending[Any], deadline: float | None
) -> Generator[tuple[Pending[Any], float | None], None, None]:
    yield pending, deadline


class Pump(Protocol):
    """Something that gets on with the world: `pump` returns when a value is there, or at a deadline."""

    def pump(self, pending: Pending[Any] | None, deadline: float | None) -> None: ...


def drive(coroutine: Coroutine[Any, Any, T], pump: Pump, timeout: float | None = None) -> T:
    """Runs a coroutine of the client by hand; after `timeout` seconds TimeoutError is raised in it."""
    end = None if timeout is None else monotonic() + timeout
    try:
        pending, deadline = coroutine.send(None)
        while True:
            soonest = min((each for each in (deadline, end) if each is not None), default=None)
            pump.pump(pending, soonest)
            if not pending.done and end is not None and monotonic() >= end:
                pending, deadline = coroutine.throw(TimeoutError())
            else:
                pending, deadline = coroutine.send(None)
    except StopIteration as stop:
        value: T = stop.value
        return value
