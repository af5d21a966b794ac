"""A Dask cluster of separate processes on loopback: a scheduler, and workers that may be killed."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import concmodels

HERE = Path(__file__).parent
START_S = 50


class Cluster:
    """`with Cluster(folder, failures) as cluster`; `failures` is how often Dask tries a task again after a death."""

    def __init__(self, folder, failures):
        self.folder, self.workers = folder, {}
        paths = os.pathsep.join([str(Path(concmodels.__file__).parents[1]), str(HERE), str(HERE.parent)])
        self._environment = os.environ | {
            "PYTHONPATH": paths,
            "TMPDIR": str(folder),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(failures),
        }
        self._processes = []

    def __enter__(self):
        try:
            file = str(self.folder / "scheduler.json")
            # Should the tests be killed, the idle scheduler ends by itself, and its workers with it.
            self._start("scheduler", "--port", "0", "--scheduler-file", file, "--idle-timeout", "60")
            self.address = self._find_address()
            self.complete()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def _start(self, what, *arguments):
        common = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *common, *arguments]
        with open(self.folder / f"{what}.log", "ab") as log:
            process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log, start_new_session=True)
        self._processes.append(process)
        return process

    def _find_address(self):
        file = self.folder / "scheduler.json"
        for _ in attempts("the scheduler did not start"):
            assert self._processes[0].poll() is None, (self.folder / "scheduler.log").read_text()
            if file.exists() and (text := file.read_text()).endswith("}"):
                break
        return json.loads(text)["address"]

    def complete(self):
        """Have two workers, and wait until the scheduler knows both; those that are gone are replaced."""
        from distributed import Client

        self.workers = {pid: it for pid, it in self.workers.items() if it.poll() is None}
        while len(self.workers) < 2:
            worker = self._start(
                "worker", self.address, "--no-nanny", "--nthreads", "2", "--memory-limit", "0",
                "--local-directory", str(self.folder),
            )  # fmt: skip
            self.workers[worker.pid] = worker
        with Client(self.address, set_as_default=False) as client:
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
