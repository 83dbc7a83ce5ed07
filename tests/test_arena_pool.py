"""The pool of local processes: it survives what its workers do not."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError, wait

import pytest
from trickbot.ai.arena.pool import ProcessPool, WorkerDiedError


@pytest.fixture
def pool():
    pool = ProcessPool(2)
    yield pool
    pool.kill()


def gone(pid):
    """Whether a process has ended, within two seconds."""
    for _ in range(200):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_calls_are_made_in_other_processes(pool):
    futures = [pool.submit(os.getpid) for _ in range(20)]
    pids = {future.result(timeout=30) for future in futures}
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2


def test_an_exception_comes_back(pool):
    with pytest.raises(ZeroDivisionError):
        pool.submit(divmod, 1, 0).result(timeout=30)
    with pytest.raises(Exception, match="pickle"):
        pool.submit(lambda: None)


def test_a_worker_that_dies_fails_its_own_call_alone(pool):
    futures = [pool.submit(os._exit, 7) if i == 5 else pool.submit(divmod, i, 1) for i in range(20)]
    wait(futures, timeout=30)
    assert isinstance(futures[5].exception(), WorkerDiedError)
    assert "7" in str(futures[5].exception())
    assert [future.result()[0] for i, future in enumerate(futures) if i != 5] == [
        i for i in range(20) if i != 5
    ]


def test_a_killed_worker_is_replaced(pool):
    for _ in range(3):
        pid = pool.submit(os.getpid).result(timeout=30)
        os.kill(pid, signal.SIGKILL)
        assert gone(pid)
        time.sleep(0.1)
    assert pool.submit(divmod, 9, 2).result(timeout=30) == (4, 1)


def test_kill_does_not_wait_for_running_calls():
    pool = ProcessPool(1)
    pool.submit(os.getpid).result(timeout=30)
    running = pool.submit(time.sleep, 60)
    waiting = pool.submit(os.getpid)
    time.sleep(0.1)
    begun = time.monotonic()
    pool.kill()
    assert time.monotonic() - begun < 1.0
    with pytest.raises(WorkerDiedError):
        running.result()
    with pytest.raises(CancelledError):
        waiting.result()


def test_shutdown_lets_calls_end():
    pool = ProcessPool(1)
    futures = [pool.submit(divmod, i, 1) for i in range(5)]
    pool.shutdown()
    assert [future.result()[0] for future in futures] == list(range(5))
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(os.getpid)


ORPHANS = """
import os, time
from trickbot.ai.arena.pool import ProcessPool

if __name__ == "__main__":
    pool = ProcessPool(2)
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(time.sleep, 60)
    time.sleep(60)
"""


def test_workers_end_when_their_parent_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(ORPHANS)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        worker = int(parent.stdout.readline())
        parent.kill()
    assert gone(worker)
