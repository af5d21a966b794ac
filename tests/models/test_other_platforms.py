"""The library on macOS and on Windows, as far as that can be seen from here.

`scripts/other_platform.py` hides from the library what these systems do not have. What the models' own libraries do
there is not seen: nothing but a machine with that system shows that.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from concmodels import catalog

PROGRAM = Path(__file__).parents[1] / "scripts" / "other_platform.py"
SYSTEMS = ("darwin", "win32")
IN_ONE_PROCESS = [name for name in catalog.names() if catalog.facts(name).family != "boundary"]
WITH_ANYIO_ON_TRIO = [*IN_ONE_PROCESS, "anyio:trio"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="here nothing has to be hidden")


@pytest.fixture(scope="module", params=SYSTEMS)
def seen(request, tmp_path_factory):
    """What came of everything on one system, and its name. Grading counts temporary files, so it has its own folder."""
    command = [sys.executable, "-W", "ignore", str(PROGRAM), request.param]
    environment = os.environ | {"TMPDIR": str(tmp_path_factory.mktemp("temporary"))}
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, env=environment)
    assert done.returncode == 0, done.stderr
    return request.param, json.loads(done.stdout)


def test_every_model_in_one_process_can_be_imported(seen):
    _, found = seen
    here = [name for name in IN_ONE_PROCESS if catalog.why_not(name) is None]
    assert {name: found["loaded"][name] for name in here} == dict.fromkeys(here, True)


def test_what_can_not_run_says_so_in_one_sentence(seen):
    system, found = seen
    sentence = "it sends descriptors from process to process, which Windows can't: use WSL (`wsl --install`)"
    processes = [name for name in catalog.names(variants=True) if catalog.facts(name).model == "processes"]
    missing = dict.fromkeys(processes, sentence) if system == "win32" else {}
    assert found["missing"] == missing | {name: why for name in catalog.names() if (why := catalog.why_not(name))}
    if missing:
        assert found["loaded"]["processes"] == f"ModelUnavailable: processes can't run here: {sentence}"


def test_the_ring_goes_round(seen):
    _, found = seen
    here = [name for name in WITH_ANYIO_ON_TRIO if catalog.why_not(name) is None]
    assert {name: found["ring"][name] for name in here} == {name: [True, None] for name in here}


def test_a_wait_for_a_socket_works(seen):
    _, found = seen
    here = [name for name in WITH_ANYIO_ON_TRIO if catalog.why_not(name) is None]
    assert {name: found["sockets"][name] for name in here} == dict.fromkeys(here)


def test_ctrl_c_ends_a_run(seen):
    _, found = seen
    assert found["interrupted"] == dict.fromkeys(("threads", "rawthreads"), "KeyboardInterrupt: ")


def test_what_students_build_is_graded(seen):
    _, found = seen
    assert set(found["graded"]) == {"kept"}


def test_a_race_in_plain_threads_is_found(seen):
    _, found = seen
    assert found["explored"] == "broken"


def test_the_commands_work(seen):
    system, found = seen
    assert found["commands"] == [0, 0, 2 if system == "win32" else 0]
