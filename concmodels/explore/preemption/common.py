"""The things that functions of the library share besides objects: files, and settings of the interpreter.

Each is one thing for all: two threads that write two files are taken for rivals too, since two paths may be one file.
"""

import contextlib
import io
import sys
import warnings
from pathlib import Path, PurePath
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from concmodels.explore.preemption.table import OF_FILES, OF_SETTINGS


class Common:
    """Something that no object of the program stands for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


FILES = Common("files")
INTERPRETER = Common("the interpreter")

_OF_FILES = (io.FileIO, io.BufferedRandom, io.BufferedReader, io.BufferedWriter, io.TextIOWrapper)
_READ = frozenset(
    {
        "access", "closed", "exists", "fileno", "fstat", "getcwd", "getsize", "getmtime", "glob", "isdir", "isfile",
        "is_dir", "is_file", "iterdir", "listdir", "lstat", "read", "read_bytes", "read_text", "readable", "readline",
        "readlines", "resolve", "rglob", "scandir", "seek", "stat", "statvfs", "tell", "walk",
    }
)  # fmt: skip
"""Functions and methods that change no file."""
_NO_FILES = frozenset(
    {
        "abort", "cpu_count", "fspath", "getenv", "getpid", "getppid", "getuid", "isatty", "process_cpu_count",
        "sched_yield", "strerror", "urandom", "get_terminal_size", "times",
        "basename", "commonpath", "commonprefix", "dirname", "isabs", "join", "normcase", "normpath", "split",
        "splitdrive", "splitext", "splitroot", "fsdecode", "fsencode", "as_posix", "as_uri",
    }
)  # fmt: skip
_PURE = frozenset(dir(PurePath))
"""What a path does without looking at files."""
_LOOK_AT_SETTINGS = ("get", "is", "has", "guess", "list", "first", "month", "week", "iter")
"""How the names of functions begin that change no setting."""
_CHANGE_NO_SETTING = frozenset(
    {
        "basicConfig", "calendar", "critical", "debug", "error", "exc_info", "exception", "exit", "format", "info",
        "intern", "leapdays", "log", "makeLogRecord", "reader", "timegm", "unraisablehook", "warning", "writer",
        "_getframe", "_getframemodulename", "excepthook", "displayhook", "default_int_handler", "localeconv",
    }
)  # fmt: skip
_LOOKS_AT_ONE = frozenset(
    {"getrefcount", "getsizeof", "is_tracked", "is_finalized", "exc_info", "exception", "exit", "intern", "_getframe"}
)
_CHANGED_BY = {
    contextlib.redirect_stdout: (vars(sys), "stdout"),
    contextlib.redirect_stderr: (vars(sys), "stderr"),
    contextlib.chdir: (FILES, ""),
    warnings.catch_warnings: (INTERPRETER, ""),
}
"""Context managers, and what they change when they are entered and left."""


def is_of_files(it: Any) -> bool:
    """Return whether an object stands for a file or for what is stored in one."""
    return isinstance(it, _OF_FILES) or type(it).__module__ in ("sqlite3", "mmap")


def touched(called: Any, owner: Any, arguments: list[Any]) -> tuple[Any, str, bool] | None:
    """Return what a call shares besides its objects, its name if that is a variable, and whether the call changes it.

    None if there is nothing.
    """
    name = getattr(called, "__name__", "")
    if isinstance(owner, PurePath):
        return None if not isinstance(owner, Path) or name in _PURE else (FILES, "", name not in _READ)
    if isinstance(called, type):
        changed = _CHANGED_BY.get(called)
        return changed and (*changed, True)
    if not isinstance(called, (BuiltinFunctionType, FunctionType, MethodType)):
        return None
    if called is print:
        return vars(sys), "stdout", False
    module = getattr(called, "__module__", None) or ""
    if module == "calendar" and isinstance(called, MethodType):
        return INTERPRETER, "", False  # `calendar.firstweekday` is a method
    if module in OF_FILES:
        if name == "getenv":
            return INTERPRETER, "", False
        if name in _NO_FILES:
            return None
        if name == "open" and module in ("_io", "io"):
            return FILES, "", not _only_reads(arguments)
        return FILES, "", name not in _READ
    if module in OF_SETTINGS and name not in _LOOKS_AT_ONE and not isinstance(called, MethodType):
        return INTERPRETER, "", not (name.startswith(_LOOK_AT_SETTINGS) or name in _CHANGE_NO_SETTING)
    return None


def _only_reads(arguments: list[Any]) -> bool:
    """Return whether `open` is given a mode in which nothing is written; it reads by default."""
    mode = arguments[1] if len(arguments) > 1 else "r"
    return isinstance(mode, str) and not set("wax+") & set(mode)
