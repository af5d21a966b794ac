"""greenlet's interface on Python in a browser, where greenlet itself can't be built.

A browser can suspend a call into WebAssembly and go on with another one (JavaScript Promise Integration), and Pyodide
lets Python use that: `run_sync(promise)` suspends the call that Python was entered by, until the promise is resolved.
So here a greenlet is such a call. It leaves itself by waiting for a promise of its own, and the greenlet that switches
back to it resolves that promise. Pyodide gives each call a thread state, so the exception that is being handled and the
depth of the recursion belong to a greenlet, as with the real one.

It differs from greenlet in three ways: `gr_context` is ignored; a suspended greenlet that nobody refers to is kept for
ever; and there is a single thread.

It uses parts of Pyodide that are not public. `PYODIDE` is the version that it was tested with, and a test holds the
build to it.
"""

import sys

import pyodide_js
from pyodide.code import run_js
from pyodide.ffi import create_proxy, run_sync

PYODIDE = "314.0.7"
__version__ = "3.2.0"
GREENLET_USE_CONTEXT_VARS = True

_CALLS = """
(module) => {
    // Pyodide lets suspended calls share one C stack, and copies away what another one is about to overwrite. CPython
    // doesn't expect that: it reads the C stacks of suspended calls, in the garbage collector, in sys.monitoring, and
    // for a frame's f_back. So each call gets a stack of its own.
    //
    // That holds for every call that can be suspended, also for those that Pyodide's event loop makes by itself.
    const RECURSION = 128 * 1024, SIZE = 192 * 1024, ALIGNMENT = 16;
    const unused = [];
    const take = () => unused.pop() ?? (module._malloc(SIZE) + SIZE) & -ALIGNMENT;
    const ofTheLoop = take();
    const enter = module.promisingApply;
    module.promisingApply = (...call) => {
        const stack = take();
        module.stackRestore(stack);
        const result = enter(...call);
        module.stackRestore(ofTheLoop);
        result.finally(() => unused.push(stack));
        return result;
    };
    module.StackState.prototype._save_up_to = () => 0;

    const suspended = new Map();
    const resume = (number) => {
        const resolve = suspended.get(number);
        suspended.delete(number);
        resolve();
    };
    return {
        resume,
        // Let CPython raise RecursionError before the browser's own limit for one call is reached, which is fatal.
        limitRecursion() {
            const top = (module.stackSave() + 4095) & -4096;
            module._PyUnstable_ThreadState_SetStackProtection(module._PyThreadState_Get(), top - RECURSION, RECURSION);
        },
        start(run) {
            run.callPromising().finally(() => run.destroy());
        },
        // The promise that suspends `from`. `to` goes on as soon as `from` waits for it; 0 is one that was started.
        suspend(from, to) {
            const promise = new Promise((resolve) => suspended.set(from, resolve));
            if (to) resume(to);
            return promise;
        },
    };
}
"""
_calls = run_js(f"({_CALLS})")(pyodide_js._module)
_NEW, _ALIVE, _DEAD = "new", "alive", "dead"


class GreenletExit(BaseException):
    """Ends a greenlet without an error; its parent gets it as the value of the switch."""


class error(Exception):
    """The errors of greenlet's own."""


class greenlet:
    """A function whose call can be left in the middle and entered again."""

    GreenletExit = GreenletExit
    error = error
    gr_context = None
    _count = 0

    def __init__(self, run=None, parent=None):
        greenlet._count += 1
        self._number = greenlet._count
        if run is not None:
            self.run = run
        self.parent = _current if parent is None else parent
        self._state = _NEW
        self._frame = None
        self._brought = (None, None)

    def __bool__(self):
        return self._state == _ALIVE

    @property
    def dead(self):
        """Whether it has ended."""
        return self._state == _DEAD

    @property
    def gr_frame(self):
        """The frame in which it is suspended; None while it runs, before it begins, and when it has ended."""
        return self._frame

    def switch(self, *args, **kwargs):
        """Go on there. Return what the switch back brings, or raise what it throws."""
        if self._state == _NEW:
            return _switch(self, (args, kwargs), None)
        return _switch(self, _one_value(args, kwargs), None)

    def throw(self, kind=GreenletExit, value=None, traceback=None):
        """Go on there by raising an exception. Return or raise as `switch` does."""
        if isinstance(kind, BaseException):
            thrown = kind
        elif isinstance(value, BaseException):
            thrown = value
        else:
            thrown = kind() if value is None else kind(value)
        return _switch(self, None, thrown if traceback is None else thrown.with_traceback(traceback))

    def _main(self):
        """The call that can be suspended: from the first switch to the end."""
        _calls.limitRecursion()
        (args, kwargs), _ = self._brought
        self._brought = (None, None)
        value = thrown = None
        try:
            value = self.run(*args, **kwargs)
        except GreenletExit as exit:
            value = exit
        except BaseException as failure:  # noqa: BLE001 - it goes on in the parent
            thrown = failure
        self._state = _DEAD
        target, value, thrown = _who_goes_on(self.parent, value, thrown)
        if number := _bring(target, ((value,), {}) if target._state == _NEW else value, thrown):
            _calls.resume(number)


def _one_value(args, kwargs):
    """Return the arguments of a switch as its value: greenlet's rule."""
    if kwargs:
        return (args, kwargs) if args else kwargs
    return args[0] if len(args) == 1 else args


def _switch(target, value, thrown):
    here = _current
    target, value, thrown = _who_goes_on(target, value, thrown)
    if target is not here:
        here._frame = sys._getframe(2)
        run_sync(_calls.suspend(here._number, _bring(target, value, thrown)))
        here._frame = None
        value, thrown = here._brought
        here._brought = (None, None)
    if thrown is None:
        return value
    try:
        raise thrown
    finally:
        del thrown  # or it would refer to this frame, and this frame to it


def _who_goes_on(target, value, thrown):
    """Return the greenlet that really goes on, and what it is brought: the parent of one that has ended.

    One that has not begun ends when something is thrown into it.
    """
    while target._state == _DEAD or (target._state == _NEW and thrown is not None):
        target._state = _DEAD
        if isinstance(thrown, GreenletExit):
            value, thrown = thrown, None
        target = target.parent
    return target, value, thrown


def _bring(target, value, thrown):
    """Make a greenlet the current one; return its number if it has to be resumed, or 0 if it was started here."""
    global _current
    target._brought = value, thrown
    _current = target
    if target._state == _ALIVE:
        return target._number
    target._state = _ALIVE
    _calls.start(create_proxy(target._main))
    return 0


def getcurrent():
    """Return the greenlet that runs."""
    return _current


_current = None
_current = greenlet()
_current._state = _ALIVE
