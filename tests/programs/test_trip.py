"""The trip of an option from the command line to the program: how many functions of ours it takes, in how many files.

A frame is one call of a function. What modules do when they are imported is no part of the trip.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import concmodels

TRIP = """
import json, os, sys
import concmodels
from concmodels.programs.command import command
from concmodels.ring.program import Ring

FUNCTION = 1  # of a code's flags; a module and the body of a class have it not
folder = os.path.dirname(concmodels.__file__) + os.sep
trip = []

def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(folder) and code.co_flags & FUNCTION:
        trip.append((code.co_filename.removeprefix(folder), code.co_name))
        if code.co_name in ("circle", "async_circle"):
            sys.setprofile(None)

sys.setprofile(note)
status = command(Ring(), ["5", "200", "--in-flight", "1", "--model", sys.argv[1]])
print(json.dumps([status, trip]))
"""


@pytest.mark.parametrize("model", ["threads", "asyncio"])
def test_from_the_command_to_the_ring_it_is_not_far(model):
    command = [sys.executable, "-c", TRIP, model]
    root = str(Path(concmodels.__file__).parent.parent)
    out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, timeout=50).stdout
    status, trip = json.loads(out.splitlines()[-1])
    assert (status, trip[-1][0]) == (0, "ring/tasks.py")
    calls = Counter(f"{file} {function}" for file, function in trip)
    assert len(trip) <= 130, calls
    assert len({file for file, _ in trip if not file.startswith("models/")}) <= 15, calls  # `run` has files of its own
    assert calls["catalog.py facts"] <= 5
