"""Start a program of this package and read what it saw."""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import interruptible


def seen_by(module, *arguments):
    """Run `python -m endurance.<module>` to its end; fail with what it wrote, if it failed or wrote to stderr."""
    tests = Path(__file__).parent.parent
    command = [sys.executable, "-m", f"endurance.{module}", *map(str, arguments)]
    with TemporaryDirectory() as folder, interruptible.popen(command, env=_environment(tests, folder)) as program:
        try:
            out, err = program.communicate(timeout=800)
        finally:
            program.kill()
    assert (program.returncode, err) == (0, ""), f"{module} {arguments}: {out}{err}"
    return json.loads(out.splitlines()[-1])


def _environment(tests, folder):
    """Our modules are found, and temporary files lie in a folder of their own."""
    return os.environ | {"PYTHONPATH": f"{tests}{os.pathsep}{tests.parent}", "TMPDIR": folder}
