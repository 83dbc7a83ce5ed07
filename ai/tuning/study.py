"""Runs the trials of a study: asks for points, hands out their blocks, gives up the hopeless ones."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, Literal

from trickbot.ai.arena.tournament import Inline
from trickbot.ai.tuning.problem import PointFailedError, Problem
from trickbot.ai.tuning.space import Point
from trickbot.ai.tuning.spsa import Spsa
from trickbot.ai.tuning.store import Store, StudyError, Trial

TASK_S = 1.0  # a task of a worker should take about so long
_MOST_TRIES = 3
_MOST_FAILED = 3  # trials, one after the other

End = Literal["complete", "interrupted"]
Progress = Callable[["Study"], None]


class Study:
    """A study in progress. n_blocks: of a trial. method `tpe`: trials; `spsa`: steps, each of `n_blocks`.

    prune: give up trials that are beyond doubt worse than the best. start: where spsa begins, else in the middle.
    """

    def __init__(
        self,
        store: Store,
        problem: Problem,
        n_blocks: int,
        *,
        method: str = "tpe",
        prune: bool = True,
        start: Point | None = None,
    ) -> None:
        self.store = store
        self.problem = problem
        self.n_blocks = n_blocks
        self.prune = prune
        self.method = method
        self._start = start
        self.trials = store.trials()
        self.n_played = 0  # blocks, in this run
        self.n_wanted = 0

    @property
    def n_finished(self) -> int:
        return sum(trial.state != "running" for trial in self.trials)

    def run(
        self,
        n_trials: int,
        executor: Executor | None = None,
        parallel: int = 1,
        progress: Progress | None = None,
    ) -> End:
        """Goes on until `n_trials` have ended, those of earlier runs among them.

        executor: where blocks are played, `parallel` tasks at a time; None: in this thread. On
        KeyboardInterrupt the trials that go on are left as they are for the next run. Raises StudyError.
        """
        self.n_wanted = n_trials
        progress = progress or (lambda _: None)
        if executor is None:
            with Inline() as inline:
                return self.run(n_trials, inline, 1, progress)
        try:
            if self.method == "spsa":
                self._run_spsa(executor, parallel, progress)
            else:
                self._run_trials(executor, parallel, progress)
        except KeyboardInterrupt:
            return "interrupted"
        return "complete"

    def _run_trials(self, executor: Executor, parallel: int, progress: Progress) -> None:
        begun = {trial.number: trial for trial in self.store.unfinished()}
        self.trials = [begun.get(trial.number, trial) for trial in self.trials]
        waiting = list(begun.values())
        running: dict[Future[Any], Trial] = {}
        tries: dict[int, int] = {}
        while True:
            while len(running) < parallel:
                if waiting:
                    trial = waiting.pop(0)
                elif self.n_finished + len(running) < self.n_wanted:
                    trial = self.store.ask()
                    self.trials.append(trial)
                else:
                    break
                left = [block for block in range(self.n_blocks) if block not in trial.blocks]
                if not left:  # it was about to end
                    self.store.finish(trial, "complete")
                    continue
                running[executor.submit(self.problem.play, trial.point, None, left, TASK_S)] = trial
            if not running:
                return
            ready, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ready:
                trial = running.pop(future)
                error = future.exception()
                if error is None:
                    self._take(trial, future.result())
                else:
                    self._failed(trial, error, tries)
                if trial.state == "running":
                    waiting.append(trial)
            progress(self)

    def _take(self, trial: Trial, results: list[tuple[int, float]]) -> None:
        for block, value in results:
            self.store.report(trial, block, value)
        self.n_played += len(results)
        if len(trial.blocks) >= self.n_blocks:
            self.store.finish(trial, "complete")
        elif self.prune and self.store.hopeless(trial):
            self.store.finish(trial, "pruned")

    def _failed(self, trial: Trial, error: BaseException, tries: dict[int, int]) -> None:
        """Fails the trial where its point is at fault; a worker that died is replaced and tried again."""
        if isinstance(error, ValueError):
            raise error
        tries[trial.number] = tries.get(trial.number, 0) + 1
        if not isinstance(error, PointFailedError) and tries[trial.number] < _MOST_TRIES:
            return
        self.store.finish(trial, "failed", f"{type(error).__name__}: {error}")
        last = [each for each in self.trials if each.state != "running"][-_MOST_FAILED:]
        if len(last) == _MOST_FAILED and all(each.state == "failed" for each in last):
            raise StudyError(f"{_MOST_FAILED} trials in a row failed, the last: {error}")

    def _run_spsa(self, executor: Executor, parallel: int, progress: Progress) -> None:
        spsa = Spsa(self.store.space, self.store.settings.get("seed", 1), self.n_wanted, self._start)
        for trial in self.trials:
            spsa.resume(trial.extra)
        while len(self.trials) < self.n_wanted:
            step = spsa.step()
            first = step.number * self.n_blocks  # every step has deals of its own
            blocks = list(range(first, first + self.n_blocks))
            values = self._play_pair(executor, parallel, step.plus, step.minus, blocks)
            mean = sum(values) / len(values)
            variance = sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
            centre = spsa.point
            extra = spsa.advance(step, mean) | {"variance": variance, "n": len(values)}
            self.store.add(centre, mean, extra)
            self.trials.append(Trial(len(self.trials), centre, {}, "complete", extra=extra))
            progress(self)

    def _play_pair(
        self, executor: Executor, parallel: int, plus: Any, minus: Any, blocks: list[int]
    ) -> list[float]:
        """The values of all blocks of one point against another, whichever worker plays them."""
        values: dict[int, float] = {}
        waiting = [blocks[i::parallel] for i in range(parallel)]
        running: dict[Future[Any], list[int]] = {}
        n_failed = 0
        while True:
            for share in filter(None, waiting):
                running[executor.submit(self.problem.play, plus, minus, share, TASK_S)] = share
            waiting = []
            if not running:
                return [values[block] for block in blocks]
            ready, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ready:
                share = running.pop(future)
                error = future.exception()
                if error is not None:
                    n_failed += 1
                    if isinstance(error, (ValueError, PointFailedError)) or n_failed >= _MOST_TRIES:
                        raise StudyError(f"{plus} against {minus}: {error}") from error
                else:
                    values |= dict(future.result())
                    self.n_played += len(future.result())
                waiting.append([block for block in share if block not in values])
