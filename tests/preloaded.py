"""`python -m MODULE ARGUMENTS` in a fork of a process that has made the imports already, which take most of its time.

It is for what is started again and again: pytest and Sphinx, of which only the exit status and the output are asked
(`run`), and processes that the project itself starts, instead of `subprocess.Popen` (`Popen`). How a user starts them,
and what is left behind if these are killed, is tested in programs that were started as a user does: see `commands`.

    test ──► server, with the imports ──► a process that ends at once ──► the fork

So the fork is an orphan. While it is made, the test's own process is a *subreaper* (`prctl(2)`) and becomes its parent:
it is waited for, killed and asked for its status as any other child.
"""

import atexit
import ctypes
import functools
import gc
import importlib
import inspect
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from types import SimpleNamespace

PYTEST = ("pytest", "pdb", "unittest", "importlib.metadata._adapters", "email.parser")
"""What each run of pytest imports."""
SPHINX = (
    *("sphinx.cmd.build", "sphinx.builders.html", "sphinx.domains.python", "sphinx.ext.autodoc", "sphinx.search.en"),
    *("docutils.parsers.rst.directives.tables", "furo", "matplotlib.figure", "myst_parser.sphinx_ext.main"),
    *("myst_parser.parsers.sphinx_", "sphinx_copybutton", "sphinx_design", "bs4", "doctest", "yaml"),
    *("benchmarks.report", "benchmarks.tables", "concmodels.explore.scenarios", "concmodels.explore.exploring"),
)
"""What each build of a site imports."""
LIMIT_S = 200
"""Seconds that a module may run; then it is killed."""

_SET_SUBREAPER = 36  # of prctl
_LONGEST = 2**18  # bytes of what a server is asked
_ONE_AT_A_TIME = threading.Lock()


def run(module, *arguments, cwd, env, imports=PYTEST):
    """Run the module as if by `python -m` in that folder and environment; return its exit status and all it wrote."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        process = Popen(command, imports=imports, cwd=cwd, env=env, **streams)
        try:
            status = process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        output.seek(0)
        assert status != -signal.SIGKILL, f"killed, after at most {LIMIT_S} s: {output.read()}"
        return status, output.read()


class Popen(subprocess.Popen):
    """As `subprocess.Popen` of a module that is run by `sys.executable`, but a fork that has its imports."""

    def __init__(self, command, *, imports, **options):
        self._imports = tuple(imports)
        super().__init__(command, **options)

    def _execute_child(self, *given):
        asked = inspect.signature(subprocess.Popen._execute_child).bind(self, *given).arguments
        _, *options = asked["args"]
        number = options.index("-m")
        env = dict(os.environ if asked["env"] is None else asked["env"])
        at_start = tuple((name, env[name]) for name in _HEEDED_AT_START if name in env)
        server = _server(tuple(options[:number]), self._imports, at_start)
        streams = [own if own != -1 else number for number, own in enumerate(map(asked.get, _OF_THE_CHILD))]
        what = [os.fspath(asked["cwd"] or os.getcwd()), env, asked["start_new_session"], *options[number + 1 :]]
        self.pid = _adopted(server, json.dumps(what).encode(), streams)
        self._child_created = True
        self._close_pipe_fds(*map(asked.get, _PIPES))


def in_forks(imports):
    """Return `subprocess` for a module that is to start its processes as forks which have these imports."""
    return SimpleNamespace(**vars(subprocess) | {"Popen": functools.partial(Popen, imports=imports)})


_HEEDED_AT_START = ("PYTHONHASHSEED", "MALLOC_ARENA_MAX")
_OF_THE_CHILD = ("p2cread", "c2pwrite", "errwrite")
_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def _adopted(server, what, streams):
    """Ask a server for a fork with these standard streams; return its number. It is a child of this process."""
    prctl = ctypes.CDLL(None).prctl
    with _ONE_AT_A_TIME:
        prctl(_SET_SUBREAPER, 1)
        try:
            socket.send_fds(server, [what], streams)
            return int(server.recv(_LONGEST))
        finally:
            prctl(_SET_SUBREAPER, 0)


@functools.cache
def _server(flags, imports, settings):
    """The connection to a process that has imported these modules; the process ends with this one, which closes it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # what numpy imports would start threads, and this is to fork
    command = [sys.executable, *flags, __file__, str(theirs.fileno()), *imports]
    server = subprocess.Popen(command, env=alone | dict(settings), stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(lambda: (ours.close(), server.wait()))
    return ours


def _serve(descriptor, *imports):
    """Fork what each message asks for, one after the other."""
    path = sys.path[:] if sys.flags.safe_path else sys.path[1:]
    sys.path.append(os.path.dirname(__file__))  # for the imports; a fork has `path`
    for name in imports:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # else each fork would write to the memory of all that it shares, to look whether it is garbage
    wire = socket.socket(fileno=int(descriptor))
    while (asked := socket.recv_fds(wire, _LONGEST, 3))[0]:
        text, streams, *_ = asked
        if _fork(wire):
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            wire.detach()
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            _become(path, *json.loads(text))
        for stream in streams:
            os.close(stream)
    os._exit(0)


def _fork(wire):
    """Return True in a fork, once its parent is the process that has asked for it, and False in the server."""
    reparented, has_ended = os.pipe()
    first = os.fork()
    if first == 0:
        if os.fork():
            os._exit(0)
        os.close(has_ended)
        os.read(reparented, 1)  # until the server closes its end
        wire.send(str(os.getpid()).encode())
        return True
    os.waitpid(first, 0)
    os.close(has_ended)
    os.close(reparented)
    return False


def _become(path, folder, environment, is_session, module, *arguments):
    """In the fork: be the program that was asked for, and end as it does."""
    if is_session:
        os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    first = [] if sys.flags.safe_path else [folder]
    sys.path[:] = [*first, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)), *path]
    sys.argv[:] = [module, *arguments]
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    importlib.invalidate_caches()
    if not hasattr(sys.modules.get(module), "__path__"):  # of a package, `__main__` is run
        sys.modules.pop(module, None)  # it was imported for its imports
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        _end(ended.code or 0)
    _end(0)


def _end(status):
    """End as Python does, but don't take apart what was imported: that writes to all of the memory that is shared."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status & 0xFF)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
