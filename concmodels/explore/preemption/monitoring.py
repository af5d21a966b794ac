"""Watches plain code by `sys.monitoring`: switches tasks between two of its instructions, and looks for data races.

A callback of `sys.monitoring` can switch to another greenlet. But while a callback runs, CPython suspends the events of
the whole thread, and a greenlet that is entered from there would not be watched until the callback returns.
`sys.call_tracing` lifts that for the call that it makes: `World.point(..., in_callback=True)` switches by it.

Where a build with the GIL may switch (`switches="gil"`): CPython looks whether another thread wants the GIL when a
function is entered, when a loop goes round, and after a call of C code. Between these, `counter += 1` is never torn,
which is an accident of this interpreter and not of the language.

The bodies of modules and classes are not watched, and neither is code of other files: to the search it is one step, up
to its next lock.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import CO_NEWLOCALS
from types import CodeType, FrameType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from concmodels.explore.errors import CannotExplore
from concmodels.explore.preemption.accesses import accessed
from concmodels.explore.preemption.call_accesses import may_call_back, takes_container
from concmodels.explore.preemption.expressions import AtOnce, Elsewhere, Torn, Unknown
from concmodels.explore.preemption.namespaces import Namespaces
from concmodels.explore.preemption.of_given import CALL, SitesOfGiven
from concmodels.explore.preemption.races import Detector
from concmodels.explore.preemption.site import Site
from concmodels.explore.preemption.sites import sites_of
from concmodels.explore.preemption.table import SIMULATED, is_followed
from concmodels.explore.preemption.things import show, take_as_own
from concmodels.explore.preemption.waits import Waits
from concmodels.explore.threads.installed import is_generated_by_others, is_of_python, is_own, is_without_source
from concmodels.explore.threads.library import THREAD_START, codes_that_release
from concmodels.models.simulated.world import current
from concmodels.models.tasks.signals.frames import short

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from concmodels.explore.monitor import Switches
    from concmodels.explore.preemption.access import Accessed
    from concmodels.explore.preemption.operands import Position, Returned
    from concmodels.models.simulated.steps import Runner, Step
    from concmodels.models.simulated.world import World

_monitoring = sys.monitoring
_events = _monitoring.events
_DISABLE = _monitoring.DISABLE
_TOOL = 4
_NAME = "concmodels.explore"
_KNOWN_TOOLS = 6
_CALL_BACK = "call back"
_OFFER = "offer the GIL"
_ONLY_READ = ("attribute", "truth", "matched", "pattern")
"""The kinds of sites that change nothing, whatever they access."""


class CodeMonitor:
    """A `Monitor` of the functions in these code objects. Raises `CannotExplore` while another tool is monitoring."""

    futures_tell = False
    """As `Program.futures_tell`."""

    def __init__(self, codes: Iterable[CodeType], trees: dict[str, ast.Module]) -> None:
        self._sites = sites_of(codes, trees)
        self._sites_of = {**self._sites.of, id(CALL): SitesOfGiven()}
        self._detector: Detector | None = None
        self._points: frozenset[Any] | None = frozenset()  # None: all sites
        self._notes = False
        self._enters = self._by_gil = False
        self._returned: dict[Runner, Returned] = {}
        """What the last call of each task of the run has returned."""
        self._results: dict[tuple[int, int], Any] = {}
        """What calls have returned, by the `id` of the frame and the offset, if more than the last one is needed."""
        self._learned: set[CodeType] = set()
        """Functions of the library of which it is noted what they return."""
        self.iterated: dict[tuple[int, int], tuple[Sequence[Any], Sequence[Accessed]]] = {}
        """As `Program.iterated`."""
        self._files = frozenset(trees)
        self._outside: dict[str, set[Any]] = {}
        """Which tasks have called functions of modules that are not explored, by the names of these."""
        self._waits = Waits()
        self._in_library: dict[str, set[Any]] = {}
        """Which tasks have called functions of modules of Python's library, in a search with the GIL."""
        self._entered: set[CodeType] = set()
        """The functions of Python's library that are watched for where the GIL is offered in them."""
        self._missed: set[str] = set()
        """What can't be followed of a search that looks for no races, a sentence each."""
        self._calls: dict[int, int] = {}
        """How often each function that makes cells was called in the run, by the `id` of its code."""
        self.namespaces = Namespaces()
        """As `Program.namespaces`."""
        self._callees: dict[int, CodeType | None] = {}
        """Which function each frame has called last, by the `id` of the frame, in a search with the GIL."""

    @property
    def unexplored(self) -> list[str]:
        """As `Monitor.unexplored`."""
        outside = [name for name, tasks in self._outside.items() if len(tasks) > 1]
        return [
            *(f"not explored: {name}, which two threads use; to explore it, name it in packages" for name in outside),
            *sorted(self._missed),
            *self._waits.sentences,
        ]

    def begin(self) -> None:
        """As `Monitor.begin`."""
        show(sys.stdout, sys.stderr)
        for name, tasks in list(self._outside.items()):
            if len(tasks) < 2:
                del self._outside[name]
        self._returned.clear()
        self._results.clear()
        self.iterated.clear()
        self._calls.clear()
        self._callees.clear()
        self.namespaces.clear()
        self._in_library.clear()

    @contextmanager
    def switching(self, switches: Switches, *, notes: bool = True) -> Iterator[None]:
        """As `Monitor.switching`."""
        self._points = None if switches == "anywhere" else frozenset()
        self._notes = notes and switches != "anywhere"
        of_instructions = self._notes or switches == "anywhere"
        self._enters = switches == "gil"
        with self._monitoring(of_instructions=of_instructions, by_gil=switches in ("gil", "gil in the program")):
            yield

    @contextmanager
    def racing(self, points: Collection[Any]) -> Iterator[Detector]:
        """As `Monitor.racing`."""
        self._points, self._notes, self._enters = frozenset(points), False, False
        self._missed.clear()
        if not points:
            self._waits.forget()
        self._detector = detector = Detector(self._waits, has_namespaces=self._sites.has_namespaces)
        for name in self._sites.hidden:
            detector.unseen.append(f"the program uses {name}, which accesses what no instruction names")
        try:
            with self._monitoring():
                yield detector
        finally:
            self._detector = None

    def is_left_out(self, step: Step, points: Collection[Any]) -> bool:
        """As `Monitor.is_left_out`."""
        if step.kind == _OFFER:
            return step.subject is _LIBRARY
        return step.kind == _CALL_BACK or (isinstance(step.subject, Site) and step.subject not in points)

    @contextmanager
    def _monitoring(self, *, of_instructions: bool = True, by_gil: bool = False) -> Iterator[None]:
        refuse_other_tools()
        take_as_own(self._files)
        self.begin()
        callbacks: dict[int, Callable[..., Any]] = {_events.PY_START: self._start}
        self._by_call_back = of_instructions and self._points is None and self._sites.call_back
        if self._by_call_back:
            callbacks[_events.PY_RESUME] = self._resume
        if of_instructions:
            callbacks[_events.INSTRUCTION] = self._instruction
        if by_gil or (of_instructions and self._sites.need_returned):
            callbacks[_events.PY_RETURN] = self._return
        if by_gil:
            callbacks |= {_events.JUMP: self._jump, _events.CALL: self._call, _events.C_RETURN: self._c_return}
            callbacks[_events.PY_RESUME] = self._go_on_by_gil
        self._by_gil = by_gil
        _monitoring.use_tool_id(_TOOL, _NAME)
        try:
            must_be_seen(_TOOL)
            for event, callback in callbacks.items():
                _monitoring.register_callback(_TOOL, event, callback)
            wanted = sum(callbacks) & ~_events.C_RETURN  # that one comes with CALL
            for code in self._sites.codes:
                _monitoring.set_local_events(_TOOL, code, wanted)
            _monitoring.set_local_events(_TOOL, CALL, wanted & _events.INSTRUCTION)
            if by_gil:
                for code in (THREAD_START, *codes_that_release()):
                    _monitoring.set_local_events(_TOOL, code, _events.PY_RETURN)
            if self._enters:
                for code in self._entered:
                    _monitoring.set_local_events(_TOOL, code, _IN_LIBRARY)
            if self._enters or (of_instructions and (self._notes or self._detector is not None)):
                _monitoring.set_events(_TOOL, _events.PY_START)  # of all other functions
            _monitoring.restart_events()
            yield
        finally:
            _monitoring.set_events(_TOOL, 0)
            others = (*self._learned, *self._entered, THREAD_START, CALL, *codes_that_release())
            for code in (*self._sites.codes, *others):
                _monitoring.set_local_events(_TOOL, code, 0)
            self._learned.clear()
            for event in callbacks:
                _monitoring.register_callback(_TOOL, event, None)
            _monitoring.free_tool_id(_TOOL)

    # The callbacks. Each first asks whether it was called in a task of a run: monitoring knows no threads.

    def _instruction(self, code: CodeType, offset: int) -> Any:
        site = self._sites_of[id(code)].get(offset)
        if site is None:
            return _DISABLE
        world = current()
        if world is None or world.dying:
            return None
        returned = None
        if self._returned:
            returned = (self._returned.pop if site.is_call else self._returned.get)(world.running, None)
        if self._points is None or site in self._points:
            if site.is_access or self._is_shared(site, returned):
                world.point(site.verb, site.keys, site, in_callback=True, place=site.place)
        elif self._notes:
            self._note(site, returned, world)
        if self._detector is not None:
            self._detect(self._detector, site, returned)
        return None

    def _note(self, site: Site, returned: Returned, world: World) -> None:
        """Take note of what a step touches that consists of several instructions."""
        if not site.begins and getattr(world.strategy, "is_repeating", False):
            return  # it has touched the same before; what a loop goes through is needed further on
        try:
            if site.kind in _OF_OTHERS or not site.is_access or self._sites.has_namespaces:
                found = accessed(site, sys._getframe(2), returned, self)
                if not found and not site.is_access:
                    return
                _touch_others(site, found, world)
        except Unknown as error:
            self._touch_all(True)
            if isinstance(error, Elsewhere):
                self._missed.add(f"{short(site.file)}:{site.line}: {_why_missed(site)}")
        for key, changes in site.keys:
            world.touch(key, changes)

    def _is_shared(self, site: Site, returned: Returned) -> bool:
        """Whether the instruction accesses anything that tasks may share."""
        frame = sys._getframe(2)
        if takes_container(site, frame):
            return True
        try:
            return bool(accessed(site, frame, returned, self))
        except Unknown:
            return True

    def _detect(self, detector: Detector, site: Site, returned: Returned) -> None:
        try:
            found = accessed(site, sys._getframe(2), returned, self)
            surely = site.kind != "cell" or self._is_the_only_cell(site)
            for it in found:
                detector.access(site, it, surely)
            if self._points and site in self._points:
                _touch_others(site, found, current())
        except Elsewhere as error:
            detector.missed(site, _why_missed(site), isinstance(error, AtOnce))
        except Unknown as error:
            writes = site.writes or site.kind not in _ONLY_READ
            detector.access_unknown(site, writes, isinstance(error, Torn) or may_call_back(site, sys._getframe(2)))
            if self._points and site in self._points:
                self._touch_all(writes)

    def _touch_all(self, writes: bool) -> None:
        """Have the step under way depend on every other one: what it accesses may be anything."""
        world = current()
        assert world is not None
        for key in self._sites.keys:
            world.touch(key, writes)

    def watches(self, called: Any) -> bool:
        """As `Program.watches`."""
        if isinstance(called, MethodType):
            called = called.__func__
        if isinstance(called, FunctionType) and id(called.__code__) in self._sites.of:
            return True
        if is_followed(called):
            called = getattr(called, "__wrapped__", called)
        if not isinstance(called, (FunctionType, type)):
            called = type(called).__call__ if callable(called) else None
        return isinstance(called, FunctionType) and id(called.__code__) in self._sites.of

    def learn(self, code: CodeType) -> None:
        """As `Program.learn`."""
        if code not in self._learned:
            self._learned.add(code)
            _monitoring.set_local_events(_TOOL, code, _events.PY_RETURN)

    def has_learned(self, code: CodeType) -> bool:
        """As `Results.has_learned`."""
        return code in self._learned

    def result_of(self, frame: FrameType, where: Position) -> Any:
        """As `Results.result_of`."""
        key = id(frame), self._sites.offset_of_call(frame.f_code, where)
        if key not in self._results:
            raise Unknown
        return self._results[key]

    def defines(self, name: str) -> bool:
        """As `Program.defines`."""
        return name in self._sites.defined

    def assigns(self, name: str) -> bool:
        """As `Program.assigns`."""
        return name in self._sites.attributes

    def names(self, name: str) -> bool:
        """As `Program.names`."""
        return name in self._sites.named

    @property
    def variables(self) -> frozenset[str]:
        """As `Program.variables`."""
        return self._sites.variables

    def _is_the_only_cell(self, site: Site) -> bool:
        """Whether this is the same variable in all accesses so far: each call of its function makes another."""
        return site.cell_of is not None and self._calls.get(id(site.cell_of), 1) == 1

    def _return(self, code: CodeType, _offset: int, value: Any) -> None:
        world = current()
        if code is THREAD_START or (self._by_gil and id(code) not in self._sites_of and code not in self._learned):
            caller = sys._getframe(1).f_back
            if world is not None and not world.dying and caller is not None and id(caller.f_code) in self._sites_of:
                self._offer_gil(caller.f_code, caller.f_lineno, world)
        elif world is not None:
            self._returned[world.running] = code.co_name, value
            if self._sites.need_results and (caller := sys._getframe(1).f_back) is not None:
                self._results[id(caller), caller.f_lasti] = value

    def _start(self, code: CodeType, _offset: int) -> Any:
        if id(code) not in self._sites.of:
            return self._start_outside(code)
        if self._by_call_back:
            self._resume(code, _offset)
        elif not code.co_cellvars and not self._by_gil:
            return _DISABLE
        world = current()
        if world is None or world.dying:
            return None
        if code.co_cellvars:
            self._calls[id(code)] = self._calls.get(id(code), 0) + 1
        if self._by_gil:
            self._offer_gil(code, code.co_firstlineno, world)
        return None

    def _resume(self, code: CodeType, _offset: int) -> None:
        """Let others run where C code calls code of the program: `items.sort(key=rank)` has emptied the list."""
        world = current()
        if world is None or world.dying:
            return
        frame = sys._getframe(1)
        while frame.f_code is not code:
            if frame.f_back is None:
                return
            frame = frame.f_back
        caller = frame.f_back
        site = None if caller is None else self._sites_of.get(id(caller.f_code), {}).get(caller.f_lasti)
        if site is not None and _is_called_back(code, site):
            world.point(_CALL_BACK, site.keys, site, in_callback=True, place=site.place)

    def _start_outside(self, code: CodeType) -> Any:
        """Take note of a call of a function that is not explored."""
        frame, is_of_program = sys._getframe(2), code.co_filename in self._files
        if is_generated_by_others(code, frame.f_globals) or (is_of_program and code.co_flags & CO_NEWLOCALS):
            self._start_generated(code)
            return None
        if is_of_program or is_of_python(code.co_filename):
            return self._start_in_library(code, frame) if self._by_gil else _DISABLE
        world, package = current(), _package_of(frame)
        if package in _EVENT_LOOPS:
            return _DISABLE
        if world is None or world.dying or _is_log_of_pytest(frame):
            return None
        tasks = self._outside.setdefault(package, set())
        tasks.add(world.running.identity)
        return _DISABLE if len(tasks) > 1 else None

    def _start_generated(self, code: CodeType) -> None:
        """Take note of a call of a function that is in no text: what it accesses, other tasks may access meanwhile."""
        world = current()
        if world is not None and not world.dying and len(world.runners) > 1:
            self._missed.add(f"{code.co_name} was generated, and what it accesses can't be followed")

    def _start_in_library(self, code: CodeType, frame: FrameType) -> Any:
        """Take note of a call of Python's library, in which a build with the GIL switches too, and this does not."""
        module = _package_of(frame)
        if module in SIMULATED or code.co_filename in self._files or is_without_source(code.co_filename):
            return _DISABLE
        world, caller = current(), frame.f_back
        if world is None or world.dying or caller is None or _package_of(caller) in SIMULATED:
            return None
        if self._enters:
            if self._is_finalizer(frame):
                return None
            if code not in self._entered:
                self._entered.add(code)
                _monitoring.set_local_events(_TOOL, code, _IN_LIBRARY)
            self._offer_gil(code, 0, world)
            return None
        tasks = self._in_library.setdefault(module, set())
        tasks.add(world.running.identity)
        if len(tasks) < 2:
            return None
        self._missed.add(f"two threads use {module}, written in Python, and a switch inside of it is not tried")
        return _DISABLE

    def _is_finalizer(self, frame: FrameType | None) -> bool:
        """Whether a function may be called by the garbage collector, or for it, which happens at any time."""
        while frame is not None and id(frame.f_code) not in self._sites_of:
            if frame.f_code.co_name in _FINALIZERS:
                return True
            frame = frame.f_back
        return frame is None

    def _jump(self, code: CodeType, offset: int, target: int) -> Any:
        if target > offset:
            return _DISABLE
        world = current()
        if world is not None and not world.dying:
            self._offer_gil(code, self._line(code, offset), world)
        return None

    def _go_on_by_gil(self, code: CodeType, offset: int) -> Any:
        """Offer the GIL where a generator goes on, but not in one of `yield from` or in a coroutine that is awaited."""
        if code.co_code[offset + 1] & _HOW_RESUMED > _AFTER_YIELD:
            return _DISABLE
        world = current()
        if world is not None and not world.dying:
            self._offer_gil(code, self._line(code, offset), world)
        return None

    def _call(self, code: CodeType, offset: int, called: Any, _argument: Any) -> None:
        world = current()
        if world is None or world.dying:
            return
        if id(code) in self._sites_of:
            self._callees[id(sys._getframe(1))] = _code_of(called)
        if isinstance(called, MethodType):
            called = called.__func__
        in_library = code in self._entered
        if not in_library and isinstance(called, FunctionType) and id(called.__code__) not in self._sites.of:
            self._offer_gil(code, self._line(code, offset), world)

    def _c_return(self, code: CodeType, offset: int, _called: Any, _argument: Any) -> None:
        world = current()
        if world is not None and not world.dying:
            self._offer_gil(code, self._line(code, offset), world)

    def _line(self, code: CodeType, offset: int) -> int:
        return self._sites.line(code, offset) if id(code) in self._sites_of else 0

    def _offer_gil(self, code: CodeType, line: int, world: World) -> None:
        keys = self._under_way(sys._getframe(2))
        if id(code) in self._sites_of:
            world.point(_OFFER, keys, None, in_callback=True, place=(code.co_filename, line))
        else:
            world.point(_OFFER, keys, _LIBRARY, in_callback=True)

    def _under_way(self, frame: FrameType | None) -> tuple[Any, ...]:
        """Return what those calls of C code touch that have called this function, and will go on when it returns."""
        keys: dict[Any, None] = {}
        while frame is not None and (caller := frame.f_back) is not None:
            site = self._sites.of.get(id(caller.f_code), {}).get(caller.f_lasti)
            if site is not None and self._goes_on(site, frame.f_code, id(caller)):
                keys |= dict.fromkeys(site.keys)
            elif caller.f_code is CALL and _code_of(caller.f_locals["function"]) is not frame.f_code:
                keys |= dict.fromkeys(_OF_CALLS)
            frame = caller
        return tuple(keys)

    def _goes_on(self, site: Site, called: CodeType, caller: int) -> bool:
        """Whether an instruction may access more when this function returns, as C code does that has called it."""
        if site.is_call:
            is_seen = id(called) in self._sites.of or is_own(called.co_filename)
            return not is_seen or self._callees.get(caller) is not called
        return site.kind in _GO_ON and called.co_name not in _LAST


def _code_of(called: Any) -> CodeType | None:
    """Return the function of which a call is done when it returns; None if there is C code that may go on then."""
    while isinstance(called, (MethodType, partial)):
        called = called.__func__ if isinstance(called, MethodType) else called.func
    if not isinstance(called, FunctionType):
        makes = isinstance(called, type) and type(called).__call__ is type.__call__
        called = type.__getattribute__(called, "__init__") if makes else type(called).__call__
    return called.__code__ if isinstance(called, FunctionType) else None


def _is_called_back(code: CodeType, site: Site) -> bool:
    """Whether a function was called by C code that this instruction has called, and not by the instruction itself."""
    return site.kind in ("call", "container", "iteration") and code.co_name not in (site.variable, site.name)


_GO_ON = frozenset({"container", "element", "item", "iteration", "matched", "operands", "truth", "within"})
"""The kinds of sites that may go on with what they access after C code has called code of the program."""
_LAST = frozenset(
    {"__bool__", "__contains__", "__delitem__", "__getitem__", "__iter__", "__len__", "__next__", "__setitem__"}
)
"""Methods after which nothing is accessed any more by the instruction that they are called for."""
_OF_CALLS: Any = ((("item", ""), True),)
"""What a call of C code may touch."""
_IN_LIBRARY = _events.JUMP | _events.CALL | _events.PY_RESUME
"""Where the GIL is offered in a function of Python's library, besides its begin."""
_HOW_RESUMED, _AFTER_YIELD = 0x3, 1
"""Bits of the argument of RESUME, and what they are after a `yield`."""
_FINALIZERS = frozenset({"__del__", "_remove", "remove", "_exitfunc", "weakref_cb"})


class _Library:
    """Stands for the code of Python's library, in which the GIL is offered."""

    name = "in Python's library"


_LIBRARY = _Library()


def _touch_others(site: Site, found: Iterable[Accessed], world: Any) -> None:
    """Note what a step touches besides the keys of its site: what `setattr` names, and objects that have attributes."""
    for it in found:
        if not it.name:
            if site.kind == "attribute":
                world.touch(_ITEM, it.writes)
        elif site.kind not in ("global", "cell", "attribute"):
            for kind in ("attribute", "global"):
                world.touch((kind, it.name), it.writes)


_ITEM: Any = ("item", "")
_OF_OTHERS = ("call", "attribute")
"""The kinds of sites that may touch something else than their keys say."""


def _why_missed(site: Site) -> str:
    if site.kind == "hidden":
        return f"the program uses {site.variable}, which accesses what no instruction names"
    return f"what {site.name} accesses can't be found out without running the program's code"


def _is_log_of_pytest(frame: FrameType) -> bool:
    """Return whether a handler of pytest's writes what the program logs, which the program doesn't see."""
    caller = frame.f_back
    return _package_of(frame) == _PYTEST and caller is not None and _package_of(caller) in ("logging", _PYTEST)


_PYTEST = "_pytest"


def _package_of(frame: FrameType) -> str:
    """Return the name of the outermost package that a function is in."""
    return str(frame.f_globals.get("__name__", "?")).partition(".")[0]


_EVENT_LOOPS = frozenset({"anyio", "attr", "outcome", "sniffio", "sortedcontainers", "trio"})
"""Packages whose event loops are simulated: threads have them do something in steps that are announced."""


def _probe() -> None:
    """A line of ours, of which is known that it is executed."""


def must_be_seen(tool: int) -> None:
    """Raise `CannotExplore` if what this thread executes is not seen: all schedules of any program would hold then."""
    seen: list[int] = []
    _monitoring.register_callback(tool, _events.INSTRUCTION, lambda _, offset: seen.append(offset))
    _monitoring.set_local_events(tool, _probe.__code__, _events.INSTRUCTION)
    try:
        _probe()
    finally:
        _monitoring.set_local_events(tool, _probe.__code__, 0)
        _monitoring.register_callback(tool, _events.INSTRUCTION, None)
    if not seen:
        raise CannotExplore(
            "no event of sys.monitoring comes in this thread, so a switch between two instructions would not be seen: "
            "call explore outside of trace functions and of callbacks"
        )


def refuse_other_tools() -> None:
    """Raise `CannotExplore` while a debugger, a profiler or a coverage tool is monitoring this process."""
    for tool in range(_KNOWN_TOOLS):
        name = _monitoring.get_tool(tool)
        if name is not None:
            raise CannotExplore(
                f"{name} is monitoring this process, and would change which instructions are seen: explore without it"
                + (" (or with COVERAGE_CORE=ctrace)" if "coverage" in name else "")
            )
