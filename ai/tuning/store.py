"""A study's file: its settings, its trials and every block of them, in SQLite by Optuna.

A trial is written when it begins, its blocks as they come, its end last; what was begun and not ended when a
process died is taken up where it was. Each set of ranges has an Optuna study of its own in the file: when
ranges change, the trials that fit are copied to a new one, which counts from the moment it is complete.
"""

from __future__ import annotations

import contextlib
import fcntl
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from trickbot.ai.options import Value
from trickbot.ai.tuning.space import Param, Point, Space

P_HOPELESS = 0.1  # of the signed-rank test by which a trial is given up
_COMPLETE = "complete"  # the key that a study has once its trials are all copied


class StudyError(RuntimeError):
    """The study cannot go on."""


@dataclass
class Trial:
    """A point and what its blocks came to. `optuna`: the trial that Optuna keeps, while it goes on."""

    number: int
    point: Point
    blocks: dict[int, float] = field(default_factory=dict)
    state: str = "running"  # or complete, pruned, failed
    error: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    optuna: Any = None


def import_optuna() -> Any:
    """Raises StudyError where the extra is not installed."""
    try:
        optuna: Any = import_module("optuna")
        for name in ("scipy", "threadpoolctl"):  # the pruner and the model need them
            import_module(name)
    except ImportError as error:
        raise StudyError(f"tuning needs the extra trickbot[tune]: {error}") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


@contextlib.contextmanager
def _unstable_parts() -> Iterator[None]:
    """Optuna warns that what is used here may change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Store:
    """Opens or creates the file of a study. One process at a time; `path` None: in memory.

    settings: kept with the study; None reads those that the file holds. Raises StudyError, ValueError.
    """

    def __init__(
        self,
        path: str | Path | None,
        space: Space | None = None,
        settings: Mapping[str, Any] | None = None,
        base: Mapping[str, Value] | None = None,
        startup: int = 10,
    ) -> None:
        self._optuna = import_optuna()
        self.path = None if path is None else Path(path)
        self.n_left_out = 0
        self._lock = None if self.path is None else self._take_lock(self.path)
        try:
            self._storage = self._open()
            self._select(space, settings, base or {}, startup)
        except BaseException:
            self.close()
            raise

    def _take_lock(self, path: Path) -> Any:
        lock = open(path, "ab")  # noqa: SIM115 (open as long as the study)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise StudyError(f"{path} is in use by another process: use --jobs or --scheduler") from None
        return lock

    def _open(self) -> Any:
        if self.path is None:
            return self._optuna.storages.InMemoryStorage()
        try:
            with _unstable_parts():
                return self._optuna.storages.RDBStorage(f"sqlite:///{self.path}")
        except Exception as error:  # whatever the layers below make of a file of another kind
            raise StudyError(f"{self.path} is not a study: {str(error).splitlines()[0]}") from None

    def _select(
        self, space: Space | None, settings: Mapping[str, Any] | None, base: Mapping[str, Value], startup: int
    ) -> None:
        studies = self._studies()
        last = studies[-1] if studies else None
        if last is not None:
            self.settings = dict(last.user_attrs["settings"])
        elif settings is None:
            raise StudyError(f"{self.path} holds no study")
        else:
            self.settings = dict(settings)
        old = None if last is None else Space.parse(last.user_attrs["space"])
        if last is not None and old is not None and space in (None, old):
            self.space, name = old, last.study_name
        else:
            assert space is not None
            name = f"space-{len(studies) + 1}"
            self._create(name, space, [] if last is None else self._carried(last, space, base))
            self.space = space
        with _unstable_parts():
            seed = self.settings.get("seed", 1)
            n_drawn = len(self._storage.get_all_trials(self._storage.get_study_id_from_name(name), False))
            sampler = self._optuna.samplers.TPESampler(
                seed=(seed + 7919 * n_drawn) % 2**32,
                multivariate=True,
                constant_liar=True,
                n_startup_trials=startup,
            )
            pruner = self._optuna.pruners.WilcoxonPruner(p_threshold=P_HOPELESS, n_startup_steps=8)
            self._study = self._optuna.load_study(
                study_name=name, storage=self._storage, sampler=sampler, pruner=pruner
            )

    def _studies(self) -> list[Any]:
        """The Optuna studies of the file, oldest first; those that are not complete are removed."""
        found = []
        for summary in self._optuna.get_all_study_summaries(self._storage, include_best_trial=False):
            if summary.user_attrs.get(_COMPLETE):
                found.append(summary)
            else:
                self._optuna.delete_study(study_name=summary.study_name, storage=self._storage)
        return sorted(found, key=lambda each: int(each.study_name.rpartition("-")[2]))

    def _create(self, name: str, space: Space, trials: list[Any]) -> None:
        with _unstable_parts():
            study = self._optuna.create_study(study_name=name, storage=self._storage, direction="maximize")
            study.set_user_attr("settings", self.settings)
            study.set_user_attr("space", space.texts)
            study.add_trials(trials)
            study.set_user_attr(_COMPLETE, True)

    def _carried(self, last: Any, space: Space, base: Mapping[str, Value]) -> list[Any]:
        """The trials of the last space that are points of the new one too.

        An option that was not tuned had its value of the base; one that is tuned no more must have it.
        """
        study = self._optuna.load_study(study_name=last.study_name, storage=self._storage)
        kept = []
        for trial in study.get_trials(deepcopy=False):
            old = trial.params or trial.system_attrs.get("fixed_params", {})
            point = {param.key: old.get(param.key, base.get(param.key)) for param in space.params}
            dropped = [key for key in old if key not in point and old[key] != base.get(key)]
            spsa = self.settings.get("method") == "spsa"  # its centre moves into the new ranges by itself
            if dropped or (not space.contains(point) and not spsa):
                self.n_left_out += 1
                continue
            if spsa:
                point = {param.key: _clipped(param, point[param.key]) for param in space.params}
            kept.append(
                self._optuna.trial.create_trial(
                    state=trial.state,
                    values=trial.values,
                    params=point if trial.params else {},
                    distributions={p.key: self._distribution(p) for p in space.params}
                    if trial.params
                    else {},
                    user_attrs=trial.user_attrs,
                    system_attrs={} if trial.params else {"fixed_params": point},
                    intermediate_values=trial.intermediate_values,
                )
            )
        return kept

    def _distribution(self, param: Param) -> Any:
        kinds = self._optuna.distributions
        if param.kind == "choice":
            return kinds.CategoricalDistribution(param.choices)
        if param.kind == "int":
            return kinds.IntDistribution(int(param.low), int(param.high), log=param.log)
        return kinds.FloatDistribution(param.low, param.high, log=param.log)

    def enqueue(self, point: Point) -> None:
        """A point to be tried before others, unless it was already."""
        with _unstable_parts():
            self._study.enqueue_trial(point, skip_if_exists=True)

    def trials(self) -> list[Trial]:
        """All that have begun, by number."""
        found = []
        for each in self._study.get_trials(deepcopy=False):
            if each.state.name == "WAITING":
                continue
            state = each.state.name.lower().replace("fail", "failed")
            if each.user_attrs.get("pruned"):
                state = "pruned"
            blocks = dict(each.intermediate_values)
            error = each.user_attrs.get("error", "")
            found.append(Trial(each.number, dict(each.params), blocks, state, error, dict(each.user_attrs)))
        return found

    def unfinished(self) -> list[Trial]:
        """The trials that were going on when the last process ended."""
        return [
            self._drawn(self._optuna.trial.Trial(self._study, each._trial_id), dict(each.intermediate_values))
            for each in self._study.get_trials(deepcopy=False)
            if each.state.name == "RUNNING"
        ]

    def ask(self) -> Trial:
        """A new trial, at the point that the sampler finds most promising."""
        with _unstable_parts():
            return self._drawn(self._study.ask(), {})

    def _drawn(self, trial: Any, blocks: dict[int, float]) -> Trial:
        point: Point = {}
        with _unstable_parts():
            for param in self.space.params:
                if param.kind == "choice":
                    point[param.key] = trial.suggest_categorical(param.key, param.choices)
                elif param.kind == "int":
                    point[param.key] = trial.suggest_int(
                        param.key, int(param.low), int(param.high), log=param.log
                    )
                else:
                    point[param.key] = trial.suggest_float(param.key, param.low, param.high, log=param.log)
        return Trial(trial.number, point, blocks, optuna=trial)

    def report(self, trial: Trial, block: int, value: float) -> None:
        trial.optuna.report(value, block)
        trial.blocks[block] = value

    def hopeless(self, trial: Trial) -> bool:
        """Whether the best trial beats it beyond doubt, over the blocks that both have played."""
        with _unstable_parts():
            return bool(trial.optuna.should_prune())

    def finish(self, trial: Trial, state: str, error: str = "") -> None:
        """Ends a trial as complete, pruned or failed. One that is pruned keeps the mean of its blocks."""
        if state == "failed":
            trial.optuna.set_user_attr("error", error)
            self._study.tell(trial.optuna, state=self._optuna.trial.TrialState.FAIL)
        else:
            if state == "pruned":
                trial.optuna.set_user_attr("pruned", True)
            self._study.tell(trial.optuna, sum(trial.blocks.values()) / len(trial.blocks))
        trial.state, trial.error = state, error

    def add(self, point: Point, value: float, extra: dict[str, Any]) -> None:
        """A trial that was not asked for, complete, in one piece."""
        distributions = {param.key: self._distribution(param) for param in self.space.params}
        self._study.add_trial(
            self._optuna.trial.create_trial(
                params=point, distributions=distributions, value=value, user_attrs=extra
            )
        )

    def close(self) -> None:
        storage = getattr(self, "_storage", None)
        if storage is not None and self.path is not None:
            storage.remove_session()
            storage.engine.dispose()
        if self._lock is not None:
            self._lock.close()


def _clipped(param: Param, value: Any) -> Value:
    return param.value(param.unit(value))
