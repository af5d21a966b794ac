"""Models keep their guarantees on the other versions of the platform's files too, on a simulated Mac and Windows.

They do so in a process of their own, because the choice is made when the package is imported, and because Python itself
becomes a Mac or Windows there, as far as it can: `tests/simulated`.
"""

import os
import subprocess
import sys
from pathlib import Path

import matrix
import others_plugins
import pytest
from commands import skip_unless_here

from concmodels import catalog
from concmodels.conformance.suite import Model, guarantees

ROOT = Path(__file__).parents[2]
LIMIT_S = 240
TOUCHED = {
    "processes": ("delivery", "sharing", "runs", "pooling"),
    # its channels and pools are those of processes: only how it starts, wakes and shares is its own
    "subinterp": ("sharing_ends", "runs"),
    "asyncio": ("sockets", "sockets_ends"),
    "processes:fork": ("cancellation",),
}
"""The chapters that show most of what these models use of the platform's files: memory, waking, measuring."""
VARIANTS = ["processes:fork", "processes:spawn"]
VERSIONS = {"macos": "portable", "windows": "windows"}
"""The version of the platform's files on each simulated system."""

TOUCHED_ON_WINDOWS = {"subinterp": ("runs", "sockets_travelling"), "threads": ("sockets",), "asyncio": ("sockets",)}
"""As above: there `poll` stands on `select`."""


def run(*arguments, system="macos"):
    """Run Python with these arguments there; fail with what it says if it does. Return what it prints."""
    path = os.pathsep.join(map(str, (ROOT / "tests" / "simulated" / system, ROOT)))
    environment = os.environ | {"CONCMODELS_PLATFORM": VERSIONS[system], "PYTHONPATH": path}
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=LIMIT_S)
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    return done.stdout


def kept(how, *chapters, system="macos"):
    """How many guarantees of these chapters were kept there. A chapter is named as `MODEL-CHAPTER`."""
    return int(run("tests/memory/holds.py", how, *chapters, system=system))


def test_the_files_themselves():
    run("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *others_plugins.WITHOUT, "tests/memory/test_platform.py")


def tried(chapters, without=()):
    """How many guarantees of these chapters are held here as a rule, without these."""
    pairs = matrix.pairs(thorough=False)
    return sum(f"{name}-{it.chapter}" in chapters and it.full_name not in without for name, it in pairs)


def here(touched):
    """The chapters of the models that can run here, as `kept` takes them."""
    return [f"{name}-{chapter}" for name in touched if catalog.why_not(name) is None for chapter in touched[name]]


@pytest.mark.timeout(LIMIT_S + 10)
def test_models_keep_their_guarantees():
    assert kept("usual", *here(TOUCHED)) == tried(here(TOUCHED)) > 60


@pytest.mark.thorough
@pytest.mark.timeout(LIMIT_S + 10)
@pytest.mark.parametrize("name", ["processes", "subinterp", "asyncio", *VARIANTS])
def test_a_model_keeps_all_its_guarantees(name):
    skip_unless_here(name)
    assert kept("thorough", *_chapters(name)) > 500


NOT_ON_WINDOWS = ("sockets.a_pipe_can_be_waited_for", "sockets_ends.a_number_that_is_used_again_is_another_socket")
"""Its `select` knows sockets alone, and its numbers of sockets are handles, which are not used again at once."""


@pytest.mark.timeout(LIMIT_S + 10)
def test_models_keep_their_guarantees_on_windows():
    chapters = here(TOUCHED_ON_WINDOWS)
    assert kept("usual", *chapters, system="windows") == tried(chapters, NOT_ON_WINDOWS) > 60


ELSEWHERE = [name for name in catalog.names() if name not in ("processes", "subinterp", "asyncio")]


@pytest.mark.thorough
@pytest.mark.timeout(4 * LIMIT_S)
@pytest.mark.parametrize("name", [*ELSEWHERE, "asyncio", "subinterp"])
def test_a_model_keeps_all_its_guarantees_on_windows(name):
    skip_unless_here(name)
    chapters = _chapters(name)
    assert kept("usual", *chapters, system="windows") == tried(chapters, NOT_ON_WINDOWS)


@pytest.mark.thorough
@pytest.mark.timeout(4 * LIMIT_S)
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_model_in_one_process_keeps_all_its_guarantees_on_macos(name):
    skip_unless_here(name)
    assert kept("usual", *_chapters(name)) == tried(_chapters(name))


def _chapters(name):
    """The chapters of which the model gives at least one guarantee, as `kept` takes them."""
    model = Model.named(name)
    return sorted({f"{name}-{it.chapter}" for it in guarantees() if it.why_not(model) is None})


def test_processes_name_wsl():
    program = "from concmodels import catalog; print(catalog.why_not('processes'), catalog.why_not('subinterp'))"
    assert run("-c", program, system="windows") == (
        "it sends descriptors from process to process, which Windows can't: use WSL (`wsl --install`) None\n"
    )


def test_a_mac_has_every_model():
    program = "from concmodels import catalog; print([n for n in catalog.names(variants=True) if catalog.why_not(n)])"
    assert run("-c", program) == "[]\n"


# The simulated systems themselves.


def test_a_simulated_event_behaves_as_documented():
    run("tests/simulated/windows_events.py", system="windows")


REFUSED_BY_A_MAC = """
import os, resource, select, socket, sys
import _multiprocessing, mmap

def refuses(kind, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind:
        return
    sys.exit(f"{function} is not refused")

name = f"/concmodels-test-{os.getpid()}"
refuses(OSError, _multiprocessing.SemLock, 1, 1, 1, name + "x" * (31 - len(name)), False)
made = _multiprocessing.SemLock(1, 1, 1, name, True)
refuses(NotImplementedError, made._get_value)
refuses(FileNotFoundError, os.listdir, "/dev/shm")
refuses(FileNotFoundError, open, "/proc/self/stat")
with socket.socket(socket.AF_UNIX) as unix:
    refuses(OSError, unix.bind, "/tmp/" + "x" * 99)
    refuses(OSError, unix.bind, chr(0) + "abstract")
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (256, resource.RLIM_INFINITY)
refuses(ValueError, resource.setrlimit, resource.RLIMIT_NOFILE, (10241, resource.RLIM_INFINITY))
refuses(ValueError, resource.setrlimit, resource.RLIMIT_NOFILE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
refuses(OSError, mmap.mmap, -1, 4096, offset=4096)
ours, theirs = socket.socketpair()
poller = select.poll()
poller.register(ours, 0)
theirs.close()
assert poller.poll(0) == []
terminal, _ = os.openpty()
poller.register(terminal, select.POLLIN)
assert poller.poll(0) == [(terminal, select.POLLNVAL)]
"""


def test_a_simulated_mac_refuses_what_a_mac_refuses():
    run("-c", REFUSED_BY_A_MAC)
