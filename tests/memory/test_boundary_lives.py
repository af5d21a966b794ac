"""The life of a memory boundary run: who may use its channels, what a child imports, the death of the parent,
Ctrl-C."""

import os
import signal
import sys
import threading
import time

import pytest
from boundaries import ALL, FORK, HERE, gone, in_turn, main_result, offspring_of, run_script, start_script
from boundary_tasks import modules
from undisturbed import undisturbed

from concmodels.models import processes, subinterp

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


# Channels outside their run.


@pytest.mark.parametrize("model", ALL)
def test_a_channel_outside_its_run(model):
    kept = []

    def main():
        channel = model.Channel(3)
        channel.send(1)
        kept.append(channel)
        kept.append(iter(channel))

    model.run(main)
    channel = kept[0]
    for use in (channel.receive, channel.receive_nowait, channel.close, lambda: channel.send(1), lambda: len(channel)):
        with pytest.raises(RuntimeError, match="run that is over"):
            use()
    with pytest.raises(RuntimeError):
        model.Channel(1)
    with pytest.raises(RuntimeError):
        model.run(lambda: model.run(int))


@pytest.mark.parametrize("model", [processes, subinterp])
def test_runs_outside_the_main_thread_and_beside_each_other(model):
    results = []
    workers = [threading.Thread(target=lambda: results.append(model.run(main_result, model))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [None] * 3


def test_fork_is_refused_while_interpreters_live():
    from concurrent import interpreters

    interpreter = interpreters.create()
    try:
        with pytest.raises(RuntimeError, match="subinterpreters"):
            FORK.run(int)
    finally:
        interpreter.close()


# What a child imports.

HEAVY = {"typing", "dataclasses", "enum", "inspect", "argparse", "rich", "asyncio", "threading", "socket", "pickle"}
HEAVY |= {"functools", "collections"}


def main_modules(model):
    with model.TaskGroup() as group:
        return group.spawn(modules).result()


def main_light(model):
    import operator

    with model.TaskGroup() as group:
        return group.spawn(operator.attrgetter("modules"), sys).result()


CHILDREN_IMPORT = {
    "errors",
    "models",
    "models.memory",
    *(f"models.memory.{name}" for name in ("arena", "group", "lives", "participant", "pickling")),
    *(f"models.memory.lives.{name}" for name in ("child", "ctypes_turns", "early_pickle")),
    *("platform", "platform.memory", "platform.waking"),
}
"""What an interpreter needs that does nothing: each of 300 pays for every module."""

LIGHT = """
    from concmodels.models import subinterp as model
    import light

    def main():
        with model.TaskGroup() as group:
            print(*group.spawn(light.modules).result())

    if __name__ == "__main__":
        model.run(main)
"""


def test_what_an_interpreter_imports(tmp_path):
    (tmp_path / "light.py").write_text("import sys\ndef modules():\n    return sorted(sys.modules)\n")
    loaded = set(run_script(tmp_path, LIGHT).stdout.split())
    assert not loaded & HEAVY, loaded & HEAVY
    ours = {name.removeprefix("concmodels.") for name in loaded if name.startswith("concmodels.")}
    ours -= {name for name in ours if name.startswith("platform.portable")}
    assert ours == CHILDREN_IMPORT


def test_a_process_imports_nothing_heavy_of_ours(tmp_path):
    (tmp_path / "light.py").write_text("import sys\ndef modules():\n    return sorted(sys.modules)\n")
    program = LIGHT.replace("subinterp", "processes").replace("print(", "print(end='', *'') or print(")
    loaded = set(run_script(tmp_path, program).stdout.split())
    assert not loaded & {"typing", "dataclasses", "inspect", "argparse", "rich", "asyncio"}


# The parent dies.

ORPHANS = """
    import math, os, sys
    sys.path.insert(0, {here!r})
    from concmodels.models import processes
    from concmodels.models.memory import arena
    import boundary_tasks as t

    def main(model):
        ready = model.Channel(math.inf)
        with model.TaskGroup() as group:
            group.spawn(t.wait_for_ever, model, ready)
            group.spawn(t.compute_for_ever, ready)
            group.spawn(t.nest, model, ready)
            pids = [ready.receive() for _ in range(3)]
            print(*pids, flush=True)
            get = ready.home.arena.get
            print("sem." + get(8 * arena.LOCK_NAMES, 64).rstrip(bytes(1)).decode().strip("/") + "0", flush=True)
            model.sleep(60)

    if __name__ == "__main__":
        model = processes.variant({method!r})
        model.run(main, model)
"""


@pytest.mark.parametrize("method", ["forkserver", "spawn", "fork"])
def test_children_end_with_their_parent(tmp_path, method):
    with start_script(tmp_path, ORPHANS.format(here=HERE, method=method)) as parent:
        pids = parent.stdout.readline().split()
        assert len(pids) == 3, parent.stderr.read()
        semaphore = parent.stdout.readline().strip()
        assert os.path.exists(f"/dev/shm/{semaphore}")
        everybody = offspring_of(parent.pid) + pids
        parent.kill()
        until = undisturbed() + 1
        while not all(gone(pid) for pid in everybody) and undisturbed() < until:
            time.sleep(0.01)
        assert [pid for pid in everybody if not gone(pid)] == []
        while os.path.exists(f"/dev/shm/{semaphore}") and undisturbed() < until + 2:
            time.sleep(0.01)  # the resource tracker removes it
        assert not os.path.exists(f"/dev/shm/{semaphore}")


INTERRUPTED = """
    import math, os, sys
    sys.path.insert(0, {here!r})
    import boundary_tasks as t
    from concmodels.models import {model} as model

    def main():
        ready, never = model.Channel(math.inf), model.Channel(0)
        with model.TaskGroup() as group:
            group.spawn(t.wait_for_ever, model, ready)
            group.spawn(t.receive_for_ever, never)
            {compute}
            ready.receive()
            print("ready", flush=True)
            {wait}

    if __name__ == "__main__":
        try:
            model.run(main)
        except KeyboardInterrupt as error:
            print("interrupted", flush=True)
"""


WAITS = ["never.receive()", "never.send(1)", "model.sleep(60)", "pass", "while True: len(never)"]


@pytest.mark.parametrize(("model", "wait"), in_turn(["processes", "subinterp"], WAITS))
def test_ctrl_c(tmp_path, model, wait):
    compute = "group.spawn(t.compute_for_ever)" if model == "processes" else ""
    program = INTERRUPTED.format(here=HERE, model=model, wait=wait, compute=compute)
    with start_script(tmp_path, program) as parent:
        assert parent.stdout.readline() == "ready\n", parent.stderr.read()
        began = undisturbed()
        parent.send_signal(signal.SIGINT)
        out, err = parent.communicate(timeout=50)
        assert (out, err, parent.returncode) == ("interrupted\n", "", 0)
        assert undisturbed() - began < 5  # half a second, as a rule
