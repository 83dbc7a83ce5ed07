"""A file of records analysed: what is left to do, done in any order, and kept in a log."""

import json
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from trickbot.ai.analysis.positions import Settings
from trickbot.ai.analysis.records import DealReport, Decision, Step, analyse_step, key_of, seed_of, steps_of
from trickbot.ai.analysis.text import decision_from_json, decision_json
from trickbot.ai.analysis.values import Stop, Stopped
from trickbot.ai.arena.log import Log
from trickbot.engine.errors import RecordError
from trickbot.engine.record import Record

_AHEAD = 4  # tasks handed to the threads for each of them


class Review:
    """The analysis of some records of one game.

    log: a file that keeps every decision as it is done; those that it has of these records under these
    settings are not done again. Raises ``RecordError`` where it is something else.
    """

    def __init__(self, records: list[Record], settings: Settings, log: str | None = None) -> None:
        self.records = records
        self.settings = settings
        self._keys = [f"{at}-{key_of(record, settings)}" for at, record in enumerate(records)]
        self._found: dict[tuple[str, int], Decision] = {}
        self._name = log
        self._log: Log | None = None
        if log:
            self._read(log)
        self.steps = [(at, step) for at, record in enumerate(records) for step in steps_of(record)]
        self._stop = Stop()

    def _read(self, log: str) -> None:
        if not Path(log).exists():
            return
        keys = set(self._keys)
        for number, line in enumerate(Path(log).read_text("utf-8", "replace").splitlines(), 1):
            try:
                fields = json.loads(line)
                key = fields.pop("of")
                decision = decision_from_json(fields)
            except (ValueError, KeyError, TypeError, AttributeError):
                if number == 1:  # whatever else this file is, it is not ours to write to
                    raise RecordError(f"log {log}: its first line is no analysed decision") from None
                continue  # torn by a kill in the middle of a write
            if key in keys:
                self._found[key, decision.index] = decision

    @property
    def n_steps(self) -> int:
        """Decisions of all records."""
        return len(self.steps)

    @property
    def n_done(self) -> int:
        """Those that are analysed."""
        return len(self._found)

    @property
    def reports(self) -> list[DealReport]:
        """The records with what is analysed of them so far."""
        return [
            DealReport.of(record, (each for (of, _), each in self._found.items() if of == key))
            for key, record in zip(self._keys, self.records, strict=True)
        ]

    def stop(self) -> None:
        """Ends ``run`` soon, from any thread."""
        self._stop.stop()

    def run(self, jobs: int = 1, on_done: Callable[[], None] = lambda: None) -> bool:
        """Analyses what is left, ``jobs`` decisions at a time; whether it came to the end.

        An interrupt from the keyboard stops it, and what is done is kept. Raises ``RecordError`` where the
        log cannot be written.
        """
        try:
            self._log = Log(self._name) if self._name else None
        except (OSError, ValueError) as wrong:
            raise RecordError(f"log {self._name}: {wrong}") from None
        todo = [(at, step) for at, step in self.steps if (self._keys[at], step.index) not in self._found]
        todo.reverse()
        running: dict[Future[Decision], int] = {}
        try:
            with ThreadPoolExecutor(jobs) as pool:
                try:
                    while todo or running:
                        while todo and len(running) < _AHEAD * jobs:
                            at, step = todo.pop()
                            running[pool.submit(self._analyse, at, step)] = at
                        for future in wait(running, return_when=FIRST_COMPLETED).done:
                            self._keep(self._keys[running.pop(future)], future.result())
                            on_done()
                finally:
                    self._stop.stop()
                    for future in running:
                        future.cancel()
        except (KeyboardInterrupt, Stopped):
            pass
        finally:
            if self._log:
                self._log.close()
        return self.n_done == self.n_steps

    def _analyse(self, at: int, step: Step) -> Decision:
        return analyse_step(step, self.settings, seed_of(self.settings, at, step.index), self._stop)

    def _keep(self, key: str, decision: Decision) -> None:
        fields = decision_json(decision)
        self._found[key, decision.index] = decision_from_json(fields)  # as a log would give it back
        if self._log:
            self._log.append([json.dumps({"of": key, **fields}, separators=(",", ":"))])
