"""What a killed program leaves is removed: by those that outlive it, or by the next run. Never what is in use."""

import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from commands import ENDS_WITHIN_S, FOREVER, OF_A_RING, Program, ring, skip_unless_here, until
from kinds import EACH
from platforms import linux_files

from concmodels import catalog
from concmodels.models.memory.lives import leftovers
from concmodels.platform import measuring, memory

BOUNDARIES = [it for it in EACH if catalog.facts(it.values[0]).family == "boundary"]


def semaphores(program):
    """The names of the semaphores of a program that runs."""
    return [name for name in program.named(["/dev/shm"]) if name.startswith("sem.")]


def all_made(program):
    """Wait until a program has all its semaphores; return their names."""
    names = until(lambda: names if len(names := semaphores(program)) == 129 else None)
    assert names
    return set(names)


# After SIGKILL.


CROSSWISE = [
    *(pytest.param(name, name, marks=pytest.mark.thorough) for name in (it.values[0] for it in BOUNDARIES)),
    *itertools.permutations(catalog.names(family="boundary"), 2),
]
"""The model that was killed, and that of the next run; with `--thorough` also the same one."""


@linux_files
@pytest.mark.parametrize(("name", "then"), CROSSWISE)
def test_the_next_run_removes_what_a_killed_group_has_left(tmp_path, name, then):
    skip_unless_here(name)
    with Program(tmp_path, 4, FOREVER, "--in-flight", 3, "--model", name) as program:
        all_made(program)
        folder = program.temporary
        until(lambda: len(program.alive()) > 3 or None, 1)
        os.killpg(program.process.pid, signal.SIGKILL)
        program.end(ENDS_WITHIN_S)
        until(lambda: not program.alive() or None)  # now they are anybody's, also those of a run beside this test
        ring(tmp_path, 2, 10, "--model", then, env={"TMPDIR": str(folder)})
        assert not program.left()


@linux_files
@pytest.mark.parametrize("name", BOUNDARIES)
def test_those_that_outlive_a_killed_program_tidy_up_at_once(tmp_path, name):
    skip_unless_here(name)
    with Program(tmp_path, 4, FOREVER, "--in-flight", 3, "--model", name) as program:
        all_made(program)
        assert until(lambda: len(program.alive()) == OF_A_RING[name] or None)  # see test_cli_ends.py
        program.process.kill()
        program.end(ENDS_WITHIN_S)
        assert not program.left(5)


# Nothing that is in use.

LIVE = """
import sys
from concmodels import load


def pass_on(incoming, outgoing):
    for item in incoming:
        outgoing.send(item)


def main(model):
    for line in sys.stdin:
        there, back = model.Channel(1), model.Channel(1)  # the next pair of semaphores, opened in a new process
        with model.TaskGroup() as group:
            group.spawn(pass_on, there, back)
            there.send(line.strip())
            print(back.receive(), flush=True)
            there.close()


if __name__ == "__main__":
    model = load(sys.argv[1])
    model.run(main, model)
"""


class Live(Program):
    """A run that sends through new channels and new tasks whenever it is told to."""

    def __init__(self, folder, name):
        (folder / "live.py").write_text(LIVE)
        super().__init__(folder, name, module="live", env={"PYTHONPATH": str(folder)}, stdin=subprocess.PIPE)

    def works(self, word):
        """Send this word there and back."""
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline() == f"{word}\n"


@linux_files
@pytest.mark.parametrize(
    "names",
    [("processes", "subinterp"), pytest.param(("processes:spawn", "processes"), marks=pytest.mark.thorough)],
    ids="+".join,
)
def test_two_live_runs_go_on_while_a_third_sweeps(tmp_path, names):
    with Live(tmp_path, names[0]) as one, Live(tmp_path, names[1]) as other:
        assert one.works("begun")
        assert other.works("begun")
        kept = [set(it.named()) for it in (one, other)]
        with Program(tmp_path, 4, FOREVER, "--in-flight", 3, "--model", "processes") as killed:
            all_made(killed)
            os.killpg(killed.process.pid, signal.SIGKILL)
            killed.end(ENDS_WITHIN_S)
        folder = str(one.temporary)
        for turn in range(2):
            ring(tmp_path, 2, 10, "--model", "processes", env={"TMPDIR": folder})
            assert [set(it.named()) for it in (one, other)] == kept
            assert one.works(f"one {turn}")
            assert other.works(f"other {turn}")
        assert not semaphores(killed)
        for it in (one, other):
            it.process.stdin.close()
            it.process.stdin = None  # `communicate` would flush it
            assert it.end(ENDS_WITHIN_S) == (0, "", "")
            assert not it.left()


# How an owner is known.


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder in the place of /dev/shm: a function that puts a file there, sweeps, and says if it has stayed."""
    monkeypatch.setattr(memory, "SEMAPHORES", str(tmp_path))

    def stays(name):
        path = tmp_path / name
        path.touch()
        leftovers.sweep()
        return path.exists()

    return stays


def named_after(owner):
    """A semaphore of this owner."""
    return f"sem.concmodels-{owner}-0123abcd-7"


def this_process(**other):
    """This process as an owner, but for what is said."""
    world, pid, start = leftovers.owner().split("-")
    return "-".join(str(value) for value in ({"world": world, "pid": pid, "start": start} | other).values())


def a_dead_process():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


def test_what_a_live_process_has_made_stays(shelf):
    assert shelf(named_after(this_process()))


@linux_files
def test_what_a_dead_process_has_made_goes(shelf):
    assert not shelf(named_after(this_process(pid=a_dead_process())))


@linux_files
def test_a_process_that_has_the_number_of_a_dead_one_is_not_it(shelf):
    assert not shelf(named_after(this_process(start=1)))


def test_a_process_of_another_user_is_alive(shelf):
    started = Path("/proc/1/stat").read_text().rpartition(")")[2].split()[19]
    assert shelf(named_after(this_process(pid=1, start=started)))


@linux_files
def test_a_process_that_nobody_has_waited_for_is_dead(shelf):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
        owner = this_process(pid=process.pid, start=started)
        assert shelf(named_after(owner))
        process.stdin.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not shelf(named_after(owner))


def test_another_machine_or_container_may_have_a_process_of_that_number(shelf):
    assert shelf(named_after(this_process(world="000000", pid=a_dead_process())))


@linux_files
def test_what_belongs_to_another_user_stays(shelf, monkeypatch):
    name = named_after(this_process(pid=a_dead_process()))
    with monkeypatch.context() as context:
        context.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert shelf(name)
    assert not shelf(name)


def test_other_names_stay(shelf):
    gone = this_process(pid=a_dead_process())
    assert shelf("sem.mp-0123abcd")
    assert shelf(f"concmodels-{gone}")
    assert shelf(f"{named_after(gone)}.txt")
    assert shelf("sem.concmodels-0123ab-99999999999999999999-1-0123abcd-7")


def test_where_nobody_can_tell_all_stays(shelf, monkeypatch):
    name = named_after(this_process(pid=a_dead_process()))

    def without_proc():
        raise FileNotFoundError

    monkeypatch.setattr(measuring, "world", without_proc)
    assert shelf(name)
    assert re.fullmatch(r"000000-\d+-0", leftovers.owner())


def test_the_runs_of_a_process_read_the_folder_for_temporary_files_once(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "scandir", lambda folder: read.append(folder) or ())
    for _ in range(2):
        leftovers.sweep(again=False)
        assert read.count(str(tmp_path)) == 1
    leftovers.sweep()
    assert read.count(str(tmp_path)) == 2


def test_semaphores_that_can_not_all_be_made_are_not_made(monkeypatch):
    made, make = [], memory.make_semaphore

    def make_five(name):
        if len(made) == 5:
            raise OSError(28, "No space left on device")
        made.append(name)
        make(name)

    monkeypatch.setattr(memory, "make_semaphore", make_five)
    with pytest.raises(OSError, match="No space left"):
        leftovers.make_semaphores(9)
    assert len(made) == 5
    assert not [name for name in made if os.path.exists(f"/dev/shm/sem.{name[1:]}")]
