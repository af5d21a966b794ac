"""What stands behind `concmodels.platform`: the files for Linux, or with CONCMODELS_PLATFORM=portable the others."""

import ast
import ctypes  # noqa: F401 - now: libffi keeps a descriptor from here on, which no waker has left behind
import errno
import mmap
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from platforms import linux_files

import concmodels
from concmodels import catalog, platform
from concmodels.models.memory.lives import leftovers
from concmodels.platform import measuring, memory, waking
from concmodels.ring import ring

PACKAGE = Path(concmodels.__file__).parent
SOON_S = 0.02
NEVER_S = 3600.0
"""What is not woken waits longer than a test may take, whose own time limit then ends it."""


@pytest.fixture
def waker(nothing_left_behind):
    """A waker; it leaves no descriptor open."""
    made = waking.make()
    yield made
    waking.close(made)


# Waking.


def is_woken(waker):
    return waking.is_any_woken([waker])


@pytest.mark.parametrize("wait", ["wait", "block"])
def test_what_is_woken_before_it_waits_does_not_wait(waker, wait):
    waking.wake(waker)
    getattr(waking, wait)(waker)
    assert not is_woken(waker)


def test_to_be_woken_often_counts_once_and_never_blocks(waker):
    for _ in range(100_000):
        waking.wake(waker)
    assert is_woken(waker)
    waking.wait(waker)
    assert not is_woken(waker)


def test_a_thread_that_waits_is_woken(waker):
    thread = threading.Thread(target=waking.wait, args=(waker,))
    thread.start()
    time.sleep(SOON_S)
    assert thread.is_alive()
    waking.wake(waker)
    thread.join()


def test_a_wait_with_a_limit(waker):
    wait_for = waking.timed(waker)
    began = time.monotonic()
    wait_for(SOON_S)
    assert time.monotonic() - began >= SOON_S
    waking.wake(waker)
    wait_for(NEVER_S)
    assert not is_woken(waker)
    wait_for(0)


def test_a_waker_is_a_number_that_fits_in_a_word(waker):
    assert 0 < waker < 1 << 63


def test_a_waker_travels_to_another_process_as_descriptors(waker):
    ours, theirs = socket.socketpair()
    program = f"""
import socket
from concmodels.platform import waking
with socket.socket(fileno={theirs.fileno()}) as connection:
    _, parts, _, _ = socket.recv_fds(connection, 1, 8)
    waking.wake(waking.joined(*parts))
"""
    with ours, theirs, subprocess.Popen([sys.executable, "-c", program], pass_fds=[theirs.fileno()]) as process:
        socket.send_fds(ours, [b"x"], list(waking.descriptors(waker)))
        waking.timed(waker)(NEVER_S)
        assert process.wait() == 0


def test_one_of_several_is_woken(waker):
    other = waking.make()
    try:
        assert not waking.is_any_woken([waker, other])
        waking.wake(other)
        assert waking.is_any_woken([waker, other])
    finally:
        waking.close(other)


def test_a_poller_tells_what_there_is_to_read_and_who_has_gone(waker):
    ours, theirs = socket.socketpair()
    fd = waking.descriptors(waker)[0]
    poller = waking.Poller()
    with ours, theirs:
        poller.add(fd)
        poller.add(ours.fileno())
        assert poller.wait(0) == []
        began = time.monotonic()
        assert poller.wait(SOON_S) == []
        assert time.monotonic() - began >= SOON_S / 2
        waking.wake(waker)
        assert poller.wait(None) == [fd]
        theirs.close()
        assert sorted(poller.wait(None)) == sorted([fd, ours.fileno()])
        poller.remove(fd)
        assert poller.wait(None) == [ours.fileno()]
    poller.close()


@linux_files
def test_the_end_of_the_other_side_is_noticed_and_nothing_else(waker):
    ours, theirs = socket.socketpair()
    noticed = threading.Thread(target=waking.wait_for_end, args=(ours.fileno(),))
    with ours, theirs:
        noticed.start()
        theirs.send(b"a question is no end")
        time.sleep(SOON_S)
        assert noticed.is_alive()
        theirs.close()
        noticed.join()


@pytest.mark.skipif(not platform.PORTABLE, reason="Linux has a descriptor for a process")
def test_the_end_of_a_process_is_that_of_a_pipe(nothing_left_behind):
    ours, theirs = socket.socketpair()
    end, *kept = waking.own_end()
    noticed = threading.Thread(target=waking.wait_for_end, args=(ours.fileno(), end))
    with ours, theirs:
        noticed.start()
        time.sleep(SOON_S)
        assert noticed.is_alive()
        for fd in kept:
            os.close(fd)
        noticed.join()
    os.close(end)


# Memory.


@pytest.fixture
def file(nothing_left_behind):
    """A file of 1 GiB without a name."""
    fd = memory.new_file()
    os.ftruncate(fd, 1 << 30)
    yield fd
    os.close(fd)


def test_two_maps_of_a_file_are_one_memory(file):
    with memory.attach(file) as one, memory.attach(file) as other:
        assert len(one) == 1 << 30
        with memoryview(one) as view, view.cast("q") as words:
            words[-1] = 1 << 62
        assert other[-8:] == (1 << 62).to_bytes(8, "little")
        assert os.fstat(file).st_blocks * 512 < 1 << 20


def test_a_file_has_no_name_and_is_not_inherited(file):
    assert os.fstat(file).st_nlink == 0
    assert not os.get_inheritable(file)
    assert not [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("concmodels-")]


def test_pages_are_given_back_with_and_without_a_map(file):
    with memory.attach(file) as mapping:
        mapping[: 4 * memory.PAGE] = b"x" * (4 * memory.PAGE)
        memory.give_back(mapping, file, memory.PAGE, memory.PAGE)
        memory.give_back(None, file, 2 * memory.PAGE, memory.PAGE)
        kept = [mapping[at * memory.PAGE] for at in range(4)]
    assert kept == [120, *([120, 120] if platform.PORTABLE else [0, 0]), 120]


def test_a_page_is_whole_pages_of_this_system():
    assert memory.PAGE & (memory.PAGE - 1) == 0
    assert memory.PAGE % mmap.PAGESIZE == 0


def test_a_semaphore_is_opened_by_its_name():
    name = f"/concmodels-test-{os.getpid()}"
    memory.make_semaphore(name)
    try:
        one, other = memory.open_semaphore(name), memory.open_semaphore(name)
        assert one.acquire(False)
        assert not other.acquire(False)
        other.release()
        assert one.acquire(False)
        with pytest.raises(FileExistsError):
            memory.make_semaphore(name)
    finally:
        memory.remove_semaphore(name)
    with pytest.raises(FileNotFoundError):
        memory.open_semaphore(name)


def test_a_fence_can_be_used_again_and_again():
    fence = memory.new_fence()
    for _ in range(3):
        with fence:
            pass


# Measuring.


def test_what_was_used_grows():
    before = measuring.usage()
    while measuring.usage()[0] + measuring.usage()[1] <= before[0] + before[1]:
        sum(range(100_000))
    assert measuring.usage()[4] > 1 << 20
    assert measuring.peak() > 1 << 20


@linux_files
def test_the_processes_that_live_are_seen():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert child.pid in measuring.descendants(os.getpid())
        assert measuring.pss(child.pid) is None or measuring.pss(child.pid) > 0
        assert measuring.started(child.pid) >= measuring.started(os.getpid())
        child.stdin.close()
        child.wait()
    assert child.pid not in measuring.descendants(os.getpid())
    assert measuring.started(child.pid) is None
    assert measuring.descendants(child.pid) is None


@linux_files
def test_a_process_that_ends_while_it_is_looked_at_has_ended(monkeypatch, tmp_path):
    answers = iter([None, ProcessLookupError(), None, None])

    def kill(_pid, _signal):
        if answer := next(answers):
            raise answer

    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(measuring, "PROC", str(tmp_path))
    assert measuring.started(4321) is None
    with pytest.raises(FileNotFoundError):  # it is there, and hidden from us
        measuring.started(4321)


@pytest.mark.skipif(not platform.PORTABLE, reason="Linux shows all of it")
def test_what_can_not_be_known_is_none():
    assert measuring.pss() is None
    assert measuring.peak(os.getppid()) is None
    assert measuring.descendants(os.getpid()) is None
    assert not measuring.reset_peak()
    result = ring("processes", nodes=2, messages=10)
    assert result.peak_pss_bytes is None
    assert result.peak_rss_bytes > 1 << 20
    assert result.cpu_s > 0


def test_an_open_descriptor_is_seen():
    reader, writer = os.pipe()
    seen = measuring.open_descriptors()
    os.close(reader)
    os.close(writer)
    assert {reader, writer} <= seen.keys()
    assert not {reader, writer} & measuring.open_descriptors().keys()


def test_a_thread_is_seen():
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    before = measuring.threads()
    thread.start()
    assert measuring.threads() - before == {thread.native_id}
    end.set()
    thread.join()


def test_the_limit_on_descriptors_is_raised_as_far_as_it_goes():
    import resource

    old = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = 200, 300
    program = f"""
import resource
from concmodels.platform import measuring
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
print(measuring.descriptor_limit(), measuring.raise_descriptor_limit(100), measuring.descriptor_limit())
print(measuring.raise_descriptor_limit(250), measuring.descriptor_limit())
print(measuring.raise_descriptor_limit(301), measuring.descriptor_limit())
print(measuring.raise_descriptor_limit(), measuring.descriptor_limit())
"""
    assert hard <= old[1] or old[1] == resource.RLIM_INFINITY
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["200 None 200", "None 250", "300 250", "None 300"]


# Who a process is.


def test_a_process_is_told_from_a_later_one_with_its_number():
    born = measuring.born()
    assert not measuring.has_ended(os.getpid(), born)
    assert not measuring.has_ended(os.getppid(), born if platform.PORTABLE else measuring.started(os.getppid()))
    assert measuring.has_ended(os.getpid(), born - 1_000_000)  # an earlier process had the number
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        since = measuring.started(child.pid)
        assert not measuring.has_ended(child.pid, since)
        child.stdin.close()
        child.wait()
    assert measuring.has_ended(child.pid, since)
    assert measuring.world() == measuring.world()


@pytest.mark.skipif(not platform.PORTABLE, reason="Linux lists them")
def test_what_a_killed_run_has_left_is_known_by_a_file_beside_it(tmp_path, monkeypatch):
    """Its semaphores can't be listed, and their names are too short for more than a number."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = """
import os
from multiprocessing.resource_tracker import _resource_tracker
from concmodels.models.memory.lives import leftovers
prefix, _ = leftovers.make_semaphores(3)
print(prefix, os.getpid(), flush=True)
for pid in (_resource_tracker._pid, os.getpid()):
    os.kill(pid, 9)
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment) as run:
        prefix, pid = run.stdout.read().split()
        (note,) = os.listdir(tmp_path)
        assert f"-{pid}-" in note
        memory.open_semaphore(f"{prefix}2")
    leftovers.sweep()
    assert not os.listdir(tmp_path)
    for number in range(3):
        with pytest.raises(FileNotFoundError):
            memory.open_semaphore(f"{prefix}{number}")


@pytest.mark.skipif(not platform.PORTABLE, reason="Linux has longer names, and longer paths")
def test_names_are_short_enough_for_macos():
    prefix, remove = leftovers.make_semaphores(1)
    remove()
    assert len(f"{prefix}128") <= 30
    mac = "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T"
    owner = f"012345-99999-{2**31}"
    assert len(f"{mac}/pymp-{owner}/sock-0123456789ab") <= measuring.SOCKET_PATH


@pytest.mark.skipif(not platform.PORTABLE, reason="Linux has a highest limit")
def test_where_any_number_of_descriptors_is_allowed_the_limit_is_raised_to_what_is_taken(monkeypatch):
    import resource

    limits = [256, resource.RLIM_INFINITY]

    def set_limits(_, new):
        if not 0 <= new[0] <= 10240:
            raise ValueError("current limit exceeds maximum limit")
        limits[:] = new

    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", set_limits)
    assert measuring.raise_descriptor_limit(10241) == 10240
    assert limits[0] == 256
    assert measuring.raise_descriptor_limit() is None
    assert limits == [10240, resource.RLIM_INFINITY]


# The choice.


@linux_files
@pytest.mark.parametrize(
    ("chosen", "answer"), [("", "False None"), ("linux", "False None"), ("portable", "True None"), ("mac", "False it")]
)
def test_the_variable(chosen, answer):
    program = "from concmodels import catalog, platform; print(platform.PORTABLE, catalog.why_not('processes'))"
    environment = os.environ | {"CONCMODELS_PLATFORM": chosen}
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    if chosen == "mac":
        answer = "False the environment variable CONCMODELS_PLATFORM is 'linux', 'portable' or 'windows', not 'mac'"
    assert out.stdout.strip() == answer


@linux_files
def test_without_memfd_the_second_version_is_needed(monkeypatch):
    monkeypatch.delattr(os, "eventfd")
    assert "needs Linux" in catalog.why_not("processes")
    monkeypatch.setattr(platform, "PORTABLE", True)
    assert catalog.why_not("processes") is None


# Nothing of it is anywhere else.

OWN = re.compile(
    r"memfd|eventfd|epoll|EPOLL|MADV_|SemLock|sem_unlink|^prctl$|getrusage|^[gs]etrlimit$|RLIMIT|pipe2|pidfd"
)


PLACES = ("/proc", "/dev/", "/sys/")
MAY_NAME = re.compile("|".join([OWN.pattern.replace("^", "").replace("$", ""), *PLACES]))
"""What the text of a file has that names any of these."""


def test_no_other_file_names_what_only_some_systems_have():
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {name}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "platform" and MAY_NAME.search(text := path.read_text())
        for node in ast.walk(ast.parse(text))
        for name in _names(node)
        if OWN.search(name) or name.startswith(PLACES)
    ]
    assert not found


def _names(node):
    """The names that a node of a program's tree mentions, and a string if it may be a path."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return [name] if not isinstance(node, ast.Constant) or name.startswith("/") else []
        case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
            return [alias.name for alias in aliases]
    return []


# What is believed of the order of stores.

PLACE = re.compile(r"^    (models/\S+\.py) +(\S+) +(\S.*)$", re.MULTILINE)


def test_the_list_of_places_names_functions_that_have_those_words():
    places = PLACE.findall(memory.__doc__)
    assert len(places) > 12
    for file, name, words in places:
        text = _function(PACKAGE / file, name)
        assert text, f"{file} has no {name}"
        for word in re.findall(r"\b[A-Z_]{3,}\b", words):
            assert word.lower() in text.lower(), f"{file}: {name} does not mention {word}"


def _function(path, name):
    """The text of a function or a method of a file, or None."""
    text = path.read_text()
    body = ast.parse(text).body
    *classes, last = name.split(".")
    for it in classes:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == it), [])
    found = next((node for node in body if isinstance(node, ast.FunctionDef) and node.name == last), None)
    return found and ast.get_source_segment(text, found)


def test_a_full_pipe_is_no_error_but_a_closed_one_is(waker):
    gone = waking.make()
    waking.close(gone)
    with pytest.raises(OSError) as error:
        waking.wake(gone)
    assert error.value.errno == errno.EBADF


def test_x86_64_pays_nothing_for_the_order_that_it_keeps(monkeypatch):
    words, semaphore = memoryview(bytearray(16)).cast("q"), SimpleNamespace(release=list)
    monkeypatch.setattr(memory, "IS_ORDERED", True)
    assert memory.ordered(words) is words
    assert memory.releasing(semaphore) is semaphore.release


def test_elsewhere_what_is_stored_is_published_first_and_what_was_loaded_consumed(monkeypatch):
    steps, semaphore = [], SimpleNamespace(release=lambda: steps.append("release"))

    class Words:
        def __getitem__(self, at):
            steps.append(f"load {at}")
            return 7

        def __setitem__(self, at, word):
            steps.append(f"store {word} at {at}")

    monkeypatch.setattr(memory, "IS_ORDERED", False)
    for fence in ("publish", "consume", "full"):
        monkeypatch.setattr(memory, fence, lambda fence=fence: steps.append(fence))
    words = memory.ordered(Words())
    words[1] = words[2]
    memory.releasing(semaphore)()
    assert steps == ["load 2", "consume", "publish", "store 7 at 1", "release", "full"]
