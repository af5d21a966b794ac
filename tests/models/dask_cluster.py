"""A Dask cluster of separate processes on loopback: a scheduler, and workers that may be killed.

They are forked from a process that has imported what they need, which takes most of a second each time. That is a
forkserver of their own: the one that multiprocessing keeps for all may have been started before, with other imports.
"""

import json
import multiprocessing
import os
import time
from importlib import import_module
from multiprocessing import forkserver
from unittest.mock import patch

HERE = "127.0.0.1"
START_S = 50
IMPORTED_ONCE = [
    "distributed.cli.dask_scheduler", "distributed.cli.dask_worker",
    "pytest", "concmodels.conformance.suite", "concmodels.models.dask_", "concmodels.ring",
]  # fmt: skip
IN_FRESH_PROCESSES = multiprocessing.get_context("forkserver")


def serve(what, arguments, log):
    """Be the scheduler or a worker."""
    os.setsid()  # Ctrl-C is for the tests
    for stream in (1, 2):
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    import_module(f"distributed.cli.dask_{what}").main(arguments)


def allow(failures, dask_scheduler):
    """Try a task again so often after a death: what the setting `distributed.scheduler.allowed-failures` says."""
    dask_scheduler.allowed_failures = failures


class Cluster:
    """`with Cluster(folder) as cluster`."""

    def __init__(self, folder):
        self.folder, self.workers = folder, {}
        self._processes = []
        self._failures = None
        self._forks = forkserver.ForkServer()
        self._forks.set_forkserver_preload(IMPORTED_ONCE)

    def __enter__(self):
        try:
            file = str(self.folder / "scheduler.json")
            # Should the tests be killed, the idle scheduler ends by itself, and its workers with it.
            self._start("scheduler", "--port", "0", "--scheduler-file", file, "--idle-timeout", "60")
            self.address = self._find_address()
            self.complete(failures=3)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
        self._forks._stop()

    def _start(self, what, *arguments):
        common = ["--host", HERE, "--no-dashboard", "--dashboard-address", f"{HERE}:0"]
        call = (what, [*common, *arguments], str(self.folder / f"{what}.log"))
        process = IN_FRESH_PROCESSES.Process(target=serve, args=call)
        with patch.object(forkserver, "connect_to_new_process", self._forks.connect_to_new_process):
            process.start()
        self._processes.append(process)
        return process

    def _find_address(self):
        file = self.folder / "scheduler.json"
        for _ in attempts("the scheduler did not start"):
            assert self._processes[0].is_alive(), (self.folder / "scheduler.log").read_text()
            if file.exists() and (text := file.read_text()).endswith("}"):
                break
        return json.loads(text)["address"]

    def complete(self, failures):
        """Have two workers, and wait until the scheduler knows both; those that are gone are replaced.

        `failures` is how often Dask tries a task again after a death.
        """
        from distributed import Client

        self.workers = {pid: it for pid, it in self.workers.items() if it.is_alive()}
        if len(self.workers) == 2 and failures == self._failures:
            return
        while len(self.workers) < 2:
            worker = self._start(
                "worker", self.address, "--no-nanny", "--nthreads", "2", "--memory-limit", "0",
                "--local-directory", str(self.folder),
            )  # fmt: skip
            self.workers[worker.pid] = worker
        with Client(self.address, set_as_default=False) as client:
            client.run_on_scheduler(allow, failures)
            self._failures = failures
            for _ in attempts("the workers did not start"):
                if set(client.run(os.getpid).values()) == set(self.workers):
                    return


def attempts(complaint):
    """Try again and again, but not for ever."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        yield
        time.sleep(0.02)
    raise AssertionError(complaint)
