"""nginx, PgBouncer and PostgreSQL as one stack: where they are, as whom they run, and that nothing is left of them."""

import ctypes
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.cell import NotHere
from benchmarks.web.ports import reserved
from benchmarks.web.stack import account, cluster, components, database, nginx
from benchmarks.web.stack.account import NOBODY
from benchmarks.web.stack.stack import stack
from concmodels.platform import measuring

HOLD = """
import sys, time
from pathlib import Path
from benchmarks.web.stack import cluster
from benchmarks.web.stack.stack import stack
cluster.ROWS = 1000
with stack(folder=Path(sys.argv[1])) as running:
    print(*running.processes.values(), flush=True)
    time.sleep(50)
"""


@pytest.fixture
def few_rows(monkeypatch):
    """A small table, which is made sooner."""
    monkeypatch.setattr(cluster, "ROWS", 1000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of its own for the data, where the programs are installed."""
    try:
        account.account(components.components().paths())
    except NotHere as reason:
        pytest.skip(str(reason))
    made = tmp_path_factory.mktemp("stack")
    yield made
    shutil.rmtree(made)  # it is of forty megabytes


def test_it_answers_and_nothing_is_left(folder, few_rows):
    with stack(folder=folder) as running:
        rows = database.query(
            running.ports.database, "test", "test", "select count(*), min(length(b)), max(a) from test"
        )
        assert rows == [{"count": "1000", "min": "20", "max": "1000"}]
        assert nginx.answers(running.ports.front)
        before = running.queries()
        database.query(running.ports.database, "test", "test", "select a, b from test where a = 77")
        assert running.queries() == before + 1
        processes = everything(running.processes.values())
        assert len(processes) > 3
    assert not alive(processes)


def test_data_is_kept_and_made_again_if_it_was_not_shut_down(folder, few_rows):
    with stack(folder=folder):
        (data,) = folder.glob("cluster-*")
        mark = data / "mark"
        mark.touch()
    with stack(folder=folder):
        assert mark.exists()
    (data / "postmaster.pid").write_text(f"{os.getpid()}\n{data}\n")  # a number that another process has now
    with stack(folder=folder):
        assert not mark.exists()


def test_it_ends_with_a_process_that_is_killed(folder):
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=components.ROOT) as holder:
        processes = everything(map(int, holder.stdout.readline().split()))
        (pid_file,) = folder.glob("cluster-*/postmaster.pid")
        segment = pid_file.read_text().splitlines()[6].split()[1]
        assert segment in segments()
        holder.kill()
    deadline = time.monotonic() + 40
    while alive(processes) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(processes)
    assert segment not in segments()
    assert not pid_file.exists()


def everything(pids):
    """These processes and all that descend from them, with when each was started."""
    found = {pid for first in pids for pid in (first, *measuring.descendants(first))}
    return {pid: measuring.started(pid) for pid in found}


def alive(processes):
    return [pid for pid, when in processes.items() if when is not None and measuring.started(pid) == when]


def segments():
    """The numbers of the segments of System V's shared memory."""
    return [line.split()[1] for line in Path("/proc/sysvipc/shm").read_text().splitlines()]


def test_what_is_missing_is_named_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(components, "UNPACKED", tmp_path)
    monkeypatch.setattr(components, "_DEBIANS_SBIN", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotHere) as missing:
        components.components()
    assert str(missing.value) == (
        "PgBouncer is not installed (apt-get install pgbouncer, or on Debian `sh tools/web.sh`)"
    )


def test_root_becomes_nobody(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(account, "anybody_may_enter", lambda folder: True)
    found = account.account([tmp_path])
    assert (found.owner, found.options["user"], found.prefix) == (NOBODY, NOBODY, ())


@pytest.mark.parametrize("allowed", [True, False])
def test_root_in_a_closed_folder_needs_a_namespace(monkeypatch, tmp_path, allowed):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(account, "_namespaces_are_allowed", lambda: allowed)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    if allowed:
        assert account.account([closed]).prefix[0] == "unshare"
    else:
        with pytest.raises(
            NotHere, match="PostgreSQL does not run as root, and this checkout is in a folder that nobody"
        ):
            account.account([closed])


def test_others_than_root_are_themselves(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    found = account.account([tmp_path])
    assert (found.owner, found.options, found.prefix) == (1234, {}, ())


def test_a_reserved_port_is_for_a_server_of_ours():
    with reserved(2) as ports:
        assert len(set(ports)) == 2
        with socket.create_server(("127.0.0.1", ports[0])) as server:
            assert server.getsockname()[1] == ports[0]
        with socket.socket() as other, pytest.raises(OSError):  # as an outgoing connection would take it
            other.bind(("127.0.0.1", ports[1]))


def test_data_is_for_one_run_at_a_time(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "_LOCKED_S", 0.05)
    other = pytest.raises(NotHere, match="another run of the benchmarks uses the PostgreSQL of this checkout")
    with cluster.locked(tmp_path), other, cluster.locked(tmp_path):
        pass
    with cluster.locked(tmp_path):
        pass


def test_a_segment_that_a_killed_server_has_left_is_removed(tmp_path):
    libc, key = ctypes.CDLL(None, use_errno=True), os.getpid()
    segment = libc.shmget(key, 56, 0o1600)
    if segment < 0:
        pytest.skip(f"there is no shared memory of System V: {os.strerror(ctypes.get_errno())}")
    try:
        pid_file = tmp_path / "postmaster.pid"
        pid_file.write_text(f"1\n{tmp_path}\n0\n5432\n\n127.0.0.1\n{key + 1:10d} {segment:10d}\nready\n")
        cluster.remove_segment(pid_file)
        assert str(segment) in segments(), "this is another one's"
        pid_file.write_text(f"1\n{tmp_path}\n0\n5432\n\n127.0.0.1\n{key:10d} {segment:10d}\nready\n")
        cluster.remove_segment(pid_file)
        assert str(segment) not in segments()
    finally:
        libc.shmctl(segment, 0, None)


def test_what_the_database_refuses_is_its_own_sentence():
    message = b"SFATAL\0C28000\0Mno such user\0\0"
    here, there = socket.socketpair()
    with here, there:
        there.sendall(b"E" + (len(message) + 4).to_bytes(4) + message)
        with pytest.raises(database.DatabaseError, match="^no such user$"):
            database._answers(here)
