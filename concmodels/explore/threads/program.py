"""A program in a file, which every run executes anew, with simulated modules in place of those that wait.

A run begins with an empty module, so that nothing that one schedule has left in it is seen on the next. The files that
lie beside it and that it imports are treated alike; all other modules are those of this process.
"""

import ast
import builtins
import importlib
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import cache, cached_property, lru_cache
from itertools import takewhile
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Self

from concmodels.explore.errors import CannotExplore
from concmodels.explore.threads.guarded import Guarded
from concmodels.explore.threads.ids import NEED_ADDRESSES, id_in_a_run
from concmodels.explore.threads.installed import LIBRARY, Finder
from concmodels.explore.threads.library import LOOK_AT_THREADS, Library, absolute, blocking
from concmodels.explore.threads.logs import logging_in_a_run
from concmodels.explore.threads.queues import LOCKS
from concmodels.facts import DISTRIBUTED, FACTS
from concmodels.models.tasks.signals.frames import short

MODELS = {f"{LIBRARY}.models.{entry.file.replace('/', '.')}": entry.model for entry in FACTS + DISTRIBUTED}
"""The names of the models by those of their modules."""

EVENT_LOOPS = ("asyncio", "trio", "anyio")
"""The libraries whose event loops can be simulated."""

library = cache(Library)
"""The simulated modules of this process."""


class Source:
    """The text of one file, compiled once; with the full name of its module if that is in a package."""

    def __init__(self, path: str, name: str | None = None) -> None:
        self.path = os.path.abspath(path)
        self.name = name or os.path.basename(path).removesuffix(".py")
        self.is_package = name is not None and os.path.basename(path) == "__init__.py"
        self.package = self.name if self.is_package else self.name.rpartition(".")[0] if name else _package(self.path)
        try:
            with open(path, "rb") as file:
                text = file.read()
            self.tree, self._nodes, self.code = _compiled(text, self.path)
            self.needs_addresses = any(name in text for name in NEED_ADDRESSES)
        except OSError as error:
            raise CannotExplore(f"{path} can't be read: {error.strerror}") from None
        except (SyntaxError, ValueError) as error:
            why, line = getattr(error, "msg", error), getattr(error, "lineno", None)
            raise CannotExplore(f"{path} can't be compiled: {why}" + (f" (line {line})" if line else "")) from None

    @cached_property
    def imported(self) -> tuple[str, ...]:
        """The names of the modules that the file imports, wherever in it."""
        return tuple(self._imported())

    def _imported(self) -> Iterator[str]:
        for node in self._nodes:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and (self.package or not node.level):  # else Python refuses it
                module = absolute(node.module or "", {"__package__": self.package}, node.level)
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)

    def names(self, attributes: Collection[str]) -> bool:
        """Return whether one of these attributes is named in the file, after a dot or as a text."""
        return any(
            (isinstance(node, ast.Attribute) and node.attr in attributes)
            or (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in attributes)
            for node in self._nodes
        )


@lru_cache(64)
def _compiled(text: bytes, path: str) -> tuple[ast.Module, list[ast.AST], CodeType]:
    """Return the syntax tree, its nodes and the code of a file: the same ones, as long as the text is the same."""
    tree = ast.parse(text, path)
    return tree, [*ast.walk(tree)], compile(tree, path, "exec", dont_inherit=True)


def _package(path: str) -> str:
    """Return the name of the package that a file lies in, from which it imports `.beside`; nothing if it is in none."""
    folders = takewhile(lambda it: (it / "__init__.py").is_file(), Path(path).parents)
    return ".".join(reversed([it.name for it in folders]))


class Program:
    """A file, and those that it imports and that are explored with it (`installed.py`).

    Call it inside of a world: each call is one run of the program.
    """

    def __init__(self, path: str, function: str = "main", packages: Collection[str] = ()) -> None:
        self.main = Source(path)
        self.function = function
        self.run: Callable[..., Any] = _call
        """What runs the function with its arguments."""
        self._library = library()  # made now: made in a run, its locks would be the run's
        self._file = Finder(os.path.dirname(self.main.path), packages).file
        self._sources = {self.main.name: self.main}
        self._find_neighbours(self.main)
        self._names = frozenset(name for source in self._sources for name in _with_packages(source))
        self._needs_locks_of_queues = any(source.names(LOCKS) for source in self.sources)
        looked_up = {f"threading.{name}" for name in LOOK_AT_THREADS} & self.imported
        self._counts_threads = "_thread" not in self.imported and (
            bool(looked_up) or any(source.names(LOOK_AT_THREADS) for source in self.sources)
        )
        self._logs = any(name.partition(".")[0] == "logging" for name in self.imported)

    @property
    def sources(self) -> list[Source]:
        """The files."""
        return list(self._sources.values())

    @property
    def codes(self) -> tuple[CodeType, ...]:
        """The code of the modules."""
        return tuple(source.code for source in self._sources.values())

    @property
    def trees(self) -> dict[str, ast.Module]:
        """The syntax trees of the files, by path."""
        return {source.path: source.tree for source in self._sources.values()}

    def why_not(self) -> str | None:
        """Say what the program imports that no simulated world can see; None if it can see all."""
        for source in self._sources.values():
            for name in source.imported:
                if blocking(name):
                    return f"{os.path.basename(source.path)} imports {name}, which waits for what no schedule decides"
        return self.why_not_explored()

    def why_not_explored(self) -> str | None:
        """Say why it can't be explored; None if it can, as long as it doesn't call what waits for the outside."""
        for source in self._sources.values():
            for name in source.imported:
                if name in MODELS:
                    return (
                        f"{os.path.basename(source.path)} imports {name}, and no schedule decides what its tasks do: "
                        f'write load("{MODELS[name]}"), which gives an explored program the simulated model'
                    )
        return None

    def __call__(self, *args: Any) -> Any:
        """Execute the file, call its function, wait for the threads that are no daemons; return what it returned."""
        self._library.needs_locks_of_queues = self._needs_locks_of_queues
        self._library.counts_threads = self._counts_threads
        self._library.fresh()
        logs = logging_in_a_run(self._library.modules["threading"]) if self._logs else nullcontext()
        with Execution(self._sources, self._names, self._library) as execution, logs:
            value = self.run(getattr(execution.load(self.main.name), self.function), *args)
            self._library.end()
        return value

    def load(self) -> ModuleType:
        """Execute the file, and return its module."""
        return Execution(self._sources, self._names, self._library).load(self.main.name)

    @cached_property
    def imported(self) -> set[str]:
        """The names of the modules that its files import, wherever in them."""
        return {name for source in self._sources.values() for name in source.imported}

    def parameters(self) -> int:
        """Return how many arguments the function needs. Raises `CannotExplore` if the file has none of this name."""
        given = self._definition().args
        return len(given.posonlyargs) + len(given.args) - len(given.defaults)

    @property
    def is_async(self) -> bool:
        """Whether the function is an `async def`."""
        return isinstance(self._definition(), ast.AsyncFunctionDef)

    def _definition(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        for node in self.main.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == self.function:
                return node
        raise CannotExplore(
            f"{short(self.main.path)} has no function {self.function}: name the one to explore, as in file.py:function"
        )

    def _find_neighbours(self, source: Source) -> None:
        for imported in source.imported:
            for name in _with_packages(imported):
                path = self._file(name)
                if name not in self._sources and path is not None:
                    self._sources[name] = neighbour = Source(path, name)
                    self._find_neighbours(neighbour)


def _with_packages(name: str) -> Iterator[str]:
    """Yield the names of the packages that a module is in, from the outermost on, then its own."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        yield ".".join(parts[:end])


class Execution:
    """The modules of one run, which have these names, and those of their packages.

    In a `with` they are in `sys.modules` too, for pickle, dataclasses and `mock.patch`.
    """

    def __init__(self, sources: dict[str, Source], names: Collection[str], library: Library) -> None:
        self._sources = sources
        self._names = names
        self._library = library
        self._modules: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import, "input": _no_input}
        if not any(source.needs_addresses for source in sources.values()):
            self._builtins["id"] = id_in_a_run()
        self._before: dict[str, ModuleType | None] = {}
        self._is_visible = False

    def __enter__(self) -> Self:
        self._is_visible = True
        return self

    def __exit__(self, *_: object) -> None:
        for name, module in self._before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module

    def _show(self, name: str, module: ModuleType) -> None:
        if name.partition(".")[0] not in sys.stdlib_module_names:
            self._before[name] = sys.modules.get(name)
            sys.modules[name] = module

    def load(self, name: str) -> ModuleType:
        """Execute a file that is not executed yet, after the packages that it is in, and return its module."""
        package, _, last = name.rpartition(".")
        inside = self.load(package) if package else None
        module = self._modules.get(name)
        if module is None:
            module = self._modules[name] = self._empty(name)
            if self._is_visible:
                self._show(name, module)
            if name in self._sources:
                exec(self._sources[name].code, vars(module))
            if inside is not None:
                setattr(inside, last, module)
        return module

    def _empty(self, name: str) -> ModuleType:
        """The module before its file is executed; a package without `__init__.py` stays empty."""
        module = ModuleType(name)
        module.__dict__["__builtins__"] = self._builtins
        source = self._sources.get(name)
        module.__package__ = source.package if source else name
        if source:
            module.__file__ = source.path
        if source is None or source.is_package:
            module.__path__ = [os.path.dirname(source.path)] if source else []
        return module

    def _import(
        self, name: str, globals_: Any = None, locals_: Any = None, fromlist: Sequence[str] | None = (), level: int = 0
    ) -> Any:
        full = absolute(name, globals_, level)
        if full in self._names:
            return self._bound(full, fromlist)
        found = self._library.find(full, fromlist)
        if found is not None:
            return found
        if full.partition(".")[0] in self._names:
            return self._compiled(full, fromlist)
        if blocking(full) and full.partition(".")[0] not in EVENT_LOOPS:
            return self._guarded(full, fromlist)
        return builtins.__import__(name, globals_, locals_, fromlist or (), level)

    def _compiled(self, full: str, fromlist: Sequence[str] | None) -> ModuleType:
        """Import a module in one of our packages that is not written in Python; return what `import` binds."""
        module, (package, _, last) = importlib.import_module(full), full.rpartition(".")
        if package in self._names:
            setattr(self.load(package), last, module)
        return module if fromlist else self.load(full.partition(".")[0])

    def _guarded(self, full: str, fromlist: Sequence[str] | None) -> Any:
        """Return what `import` binds of a module that waits for the outside."""
        module = importlib.import_module(full)
        for name in fromlist or ():
            if not hasattr(module, name):
                with suppress(ImportError):
                    importlib.import_module(f"{full}.{name}")
        if fromlist or "." not in full:
            return Guarded(module)
        top = full.partition(".")[0]
        return Guarded(sys.modules[top]) if blocking(top) else sys.modules[top]

    def _bound(self, full: str, fromlist: Sequence[str] | None) -> ModuleType:
        """Return what `import` of one of our modules binds: the outermost package, or with `from` the module itself."""
        module = self.load(full)
        for name in fromlist or ():
            if hasattr(module, name):
                continue
            if f"{full}.{name}" in self._names:
                self.load(f"{full}.{name}")
            elif name != "*" and full in self._sources and self._sources[full].is_package:
                with suppress(ImportError):  # it has none of that name: the program's `from` says so
                    self._compiled(f"{full}.{name}", fromlist)
        return module if fromlist else self.load(full.partition(".")[0])


def _call(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


def _no_input(*_: object) -> str:
    raise CannotExplore("the program calls input(), which waits for what no schedule decides: give it what it needs")
