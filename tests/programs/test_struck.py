"""Ctrl-C at one place after the other, and not at random moments: it always ends the command, and is never lost."""

import signal
import sys
import threading

import pytest
from commands import ENDS_WITHIN_S, Program, skip_unless_here
from endurance.programs import seen_by
from endurance.struck import Striker

from concmodels import catalog
from concmodels.models.tasks.signals.handlers import held_back_between_runs

STRIKEABLE = [name for name in [*catalog.names(), "anyio:trio"] if catalog.facts(name).family != "boundary"]
"""Where nothing but main is struck; with processes and interpreters a run takes too long for so many of them."""

FEW, MORE, ALL = 15, 25, 100_000


def struck(name, most):
    """What became of a command that was struck at so many places."""
    return seen_by("struck", most, "pool", 4, "--work", "nothing", "--workers", 2, "--model", name)


@pytest.mark.parametrize("name", ["threads", "asyncio", pytest.param("trio", marks=pytest.mark.thorough)])
def test_a_command_that_is_struck_where_its_run_begins(name, thorough):
    skip_unless_here(name)
    most = MORE if thorough else FEW
    assert struck(name, most) == {"places": most, "last": None, "bad": []}


@pytest.mark.stress
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", STRIKEABLE)
def test_a_command_that_is_struck_everywhere(name):
    skip_unless_here(name)
    seen = struck(name, ALL)
    assert (seen["last"], seen["bad"]) == (0, [])


# In an import. At its end a callback of the import system's is called: what is raised in it is printed, and lost.

STRUCK_IN_AN_IMPORT = """
import signal, sys
from concmodels.pool.program import PoolCommand
from concmodels.programs.command import as_program, command

MONITORING = sys.monitoring
TOOL, STARTS = MONITORING.OPTIMIZER_ID, MONITORING.events.PY_START


def starts(code, _):
    if code.co_qualname == "_get_module_lock.<locals>.cb" and "concmodels.models.asyncio_" in sys.modules:
        MONITORING.set_events(TOOL, 0)
        signal.raise_signal(signal.SIGINT)


MONITORING.use_tool_id(TOOL, "struck")
MONITORING.register_callback(TOOL, STARTS, starts)
MONITORING.set_events(TOOL, STARTS)
sys.exit(as_program(command(PoolCommand(), ["4", "--work", "nothing", "--model", "asyncio", "--quiet"])))
"""


def test_a_command_that_is_struck_while_it_imports_a_model(tmp_path):
    (tmp_path / "struck_in_an_import.py").write_text(STRUCK_IN_AN_IMPORT)
    with Program(tmp_path, module="struck_in_an_import", env={"PYTHONPATH": str(tmp_path)}) as program:
        assert program.end(ENDS_WITHIN_S) == (130, "", "concmodels.pool: asyncio: interrupted\n")


# In the program's own code.


@pytest.mark.parametrize("name", ["threads", "rawthreads"])
def test_main_is_struck_while_it_starts_a_thread(name):
    """`Thread.start` waits until the thread has begun, in code of the standard library that an exception breaks."""
    model, striker = catalog.load(name), Striker()

    def main():
        threading.Thread(target=int).start()

    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # else it would be struck outside of a run
    try:
        with held_back_between_runs():
            while True:
                with striker:
                    ended = how_it_ends(model.run, main)
                if striker.struck_at is None:
                    break
                assert ended is KeyboardInterrupt, striker.struck_at[:-6:-1]
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    assert len(striker.places) > 20


def how_it_ends(function, *args):
    """The type of the exception that this raises; None if it raises none."""
    try:
        function(*args)
    except BaseException as error:  # noqa: BLE001 - it is what this returns
        return type(error)


CALLBACK = """
def strike(*_):
    try:
        raise_signal(2)
    except KeyboardInterrupt:
        raised.append(True)
        raise
"""


def callback(module, raised):
    """A function that strikes, of a module with this name."""
    exec(CALLBACK, names := {"__name__": module, "raise_signal": signal.raise_signal, "raised": raised})
    return names["strike"]


@pytest.mark.parametrize("module", ["namedtuple_SelectorKey", "attr.validators", "sortedcontainers.sorteddict"])
@pytest.mark.parametrize("name", ["asyncio", "trio"])
def test_nothing_is_raised_in_what_a_loop_calls(name, module):
    model, raised = catalog.load(name), []

    async def main():
        if name == "asyncio":
            sys.modules["asyncio"].get_running_loop().call_soon(callback(module, raised))
        else:
            sys.modules["trio"].lowlevel.current_trio_token().run_sync_soon(callback(module, raised))
        await model.sleep(10)

    with pytest.raises(KeyboardInterrupt):
        model.run(main)
    assert not raised
