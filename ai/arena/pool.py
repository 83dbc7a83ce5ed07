"""Local processes as an executor that outlives the death of any of them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.reduction import ForkingPickler
from typing import Any, ParamSpec, TypeVar

from trickbot.ai.process import kill_all

P = ParamSpec("P")
T = TypeVar("T")


class WorkerDiedError(RuntimeError):
    """The process died while it worked on a call."""


class ProcessPool(Executor):
    """`n` processes. A process that dies fails the call that it worked on, and is replaced.

    Unlike the executor of concurrent.futures it can be ended in the middle of calls (`kill`), and its
    processes end, with the engines that they started, when their parent is killed.
    """

    def __init__(self, n: int) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._waiting: deque[tuple[Future[Any], bytes]] = deque()
        self._lock = threading.Lock()
        self._closing = self._killed = False
        self._wake_read, self._wake_write = self._context.Pipe(duplex=False)
        self._workers = [_Worker(self._context) for _ in range(n)]
        self._thread = threading.Thread(target=self._run, daemon=True, name="pool")
        self._thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        call = bytes(ForkingPickler.dumps((fn, args, kwargs)))
        with self._lock:
            if self._closing:
                raise RuntimeError("the pool is shut down")
            self._waiting.append((future, call))
        self._wake_write.send_bytes(b"x")
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Lets the running calls end, and those that wait unless they are cancelled."""
        self._close(cancel_futures)
        if wait:
            self._thread.join()

    def kill(self) -> None:
        """Ends the processes in the middle of whatever they do; running calls fail."""
        self._killed = True
        self.shutdown(cancel_futures=True)

    def _close(self, cancel: bool) -> None:
        with self._lock:
            self._closing = True
            while cancel and self._waiting:
                self._waiting.popleft()[0].cancel()
        with contextlib.suppress(OSError):
            self._wake_write.send_bytes(b"x")

    def _run(self) -> None:
        while True:
            with self._lock:
                for worker in self._workers:
                    while worker.future is None and self._waiting:
                        worker.begin(*self._waiting.popleft())
                if self._killed or (self._closing and all(worker.future is None for worker in self._workers)):
                    break
                by_pipe: dict[Any, _Worker] = {worker.pipe: worker for worker in self._workers}
            for ready in wait([*by_pipe, self._wake_read]):
                if ready is self._wake_read:
                    self._wake_read.recv_bytes()
                else:
                    self._take(by_pipe[ready])
        for worker in self._workers:
            worker.end()
            if worker.future is not None:
                worker.future.set_exception(WorkerDiedError("the pool was killed"))
        self._wake_write.close()

    def _take(self, worker: _Worker) -> None:
        try:
            ok, value = worker.pipe.recv()
        except (EOFError, OSError):
            ok, value = False, worker.death()
            with self._lock:
                self._workers.remove(worker)
                if not self._closing:
                    self._workers.append(_Worker(self._context))
        future, worker.future = worker.future, None
        if future is None:
            return
        if ok:
            future.set_result(value)
        else:
            future.set_exception(value)


class _Worker:
    """One process, and the call that it works on. It lives as long as the `control` pipe is open."""

    def __init__(self, context: SpawnContext) -> None:
        self.future: Future[Any] | None = None
        self.pipe, its_pipe = context.Pipe()
        its_control, self.control = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(its_pipe, its_control), daemon=True)
        self._process.start()
        its_pipe.close()
        its_control.close()

    def begin(self, future: Future[Any], call: bytes) -> None:
        if future.set_running_or_notify_cancel():
            self.future = future
            with contextlib.suppress(OSError):  # a process that died is noticed when its pipe is read
                self.pipe.send_bytes(call)

    def death(self) -> WorkerDiedError:
        self.end()
        return WorkerDiedError(f"a worker died with exit code {self._process.exitcode}")

    def end(self) -> None:
        self.control.close()
        self._process.join(2.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()


def _work(pipe: Connection, control: Connection) -> None:
    """The life of a worker: calls, until the other end of `control` is closed, by whatever cause."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides

    def live() -> None:
        with contextlib.suppress(EOFError, OSError):
            control.recv()
        kill_all()
        os._exit(0)

    threading.Thread(target=live, daemon=True).start()
    while True:
        try:
            fn, args, kwargs = pipe.recv()
        except (EOFError, OSError):
            break
        try:
            answer = True, fn(*args, **kwargs)
        except Exception as error:
            answer = False, error
        pipe.send(answer)
    kill_all()
