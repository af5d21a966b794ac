"""`python -m MODULE ARGUMENTS` in a fork of a process that has made the imports already, which take most of its time.

It is for what is started again and again, and of which only the exit status and the output are asked: pytest, mostly.
Signals, pipes, and what is left behind are tested in a program that was started as a user starts it: see `commands`.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile

PYTEST = ("pytest", "pdb", "unittest", "importlib.metadata._adapters", "email.parser")
"""What each run of pytest imports."""
SPHINX = (
    *("sphinx.cmd.build", "sphinx.builders.html", "sphinx.domains.python", "sphinx.ext.autodoc", "sphinx.search.en"),
    *("docutils.parsers.rst.directives.tables", "furo", "matplotlib.figure", "myst_parser.sphinx_ext.main"),
    *("myst_parser.parsers.sphinx_", "sphinx_copybutton", "sphinx_design"),
)
"""What each build of a site imports."""
LIMIT_S = 200
"""Seconds that a module may run; then it is killed."""


def run(module, *arguments, cwd, env, imports=PYTEST):
    """Run the module as if by `python -m` in that folder and environment; return its exit status and all it wrote."""
    server = _server(tuple(imports))
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        asked = [output.name, str(cwd), dict(env), module, *map(str, arguments)]
        server.stdin.write(f"{json.dumps(asked)}\n")
        status = int(server.stdout.readline())
        assert status != -signal.SIGKILL, f"killed, after at most {LIMIT_S} s: {output.read()}"
        return status, output.read()


@functools.cache
def _server(imports):
    """The process that has imported these modules; it ends with this one, which closes its standard input."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # what numpy imports would start threads, and this is to fork
    server = subprocess.Popen([sys.executable, __file__, *imports], env=alone, **pipes)
    atexit.register(server.communicate)
    return server


def _serve(*imports):
    """Run what each line of standard input asks for, one after the other, and answer with the exit status."""
    _, *path = sys.path
    for name in imports:
        importlib.import_module(name)
    gc.freeze()  # none of that is garbage of what is run
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(path, *json.loads(line))
            return
        descriptor = os.pidfd_open(child)
        if not select.select([descriptor], [], [], LIMIT_S)[0]:
            os.kill(child, signal.SIGKILL)
        os.close(descriptor)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _become(path, output, folder, environment, module, *arguments):
    """In the fork: be the program that was asked for, and end as it does."""
    with open(os.devnull, "rb") as nothing, open(output, "wb") as file:
        os.dup2(nothing.fileno(), 0)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [folder, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)), *path]
    sys.argv[:] = [module, *arguments]
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    importlib.invalidate_caches()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
