"""The things that functions of the library share besides objects: files, and settings of the interpreter.

Each is one thing for all: two threads that write two files are taken for rivals too, since two paths may be one file.
"""

import io
from pathlib import Path, PurePath
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any


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
_MODULES_OF_FILES = frozenset(
    {"genericpath", "glob", "io", "_io", "nt", "ntpath", "os", "posix", "posixpath", "shutil"}
)
_SETTINGS = ("get", "set", "is", "enable", "disable", "simplefilter", "filterwarnings", "resetwarnings", "signal")
_MODULES_OF_SETTINGS = frozenset({"_locale", "_signal", "_warnings", "gc", "locale", "signal", "sys", "warnings"})
_LOOKS_AT_ONE = frozenset({"getrefcount", "getsizeof", "is_tracked", "is_finalized"})


def is_of_files(it: Any) -> bool:
    """Return whether an object stands for a file or for what is stored in one."""
    return isinstance(it, _OF_FILES) or type(it).__module__ == "sqlite3"


def touched(called: Any, owner: Any, arguments: list[Any]) -> tuple[Common, bool] | None:
    """Return what a call shares besides its objects, and whether it changes that; None if there is nothing."""
    name = getattr(called, "__name__", "")
    if isinstance(owner, PurePath):
        return None if not isinstance(owner, Path) or name in _PURE else (FILES, name not in _READ)
    if not isinstance(called, (BuiltinFunctionType, FunctionType, MethodType)):
        return None
    module = getattr(called, "__module__", None) or ""
    if module in _MODULES_OF_FILES:
        if name == "getenv":
            return INTERPRETER, False
        if name in _NO_FILES:
            return None
        if name == "open" and module in ("_io", "io"):
            return FILES, not _only_reads(arguments)
        return FILES, name not in _READ
    if module in _MODULES_OF_SETTINGS and name.startswith(_SETTINGS) and name not in _LOOKS_AT_ONE:
        return INTERPRETER, not name.startswith(("get", "is"))
    return None


def _only_reads(arguments: list[Any]) -> bool:
    """Return whether `open` is given a mode in which nothing is written; it reads by default."""
    mode = arguments[1] if len(arguments) > 1 else "r"
    return isinstance(mode, str) and not set("wax+") & set(mode)
