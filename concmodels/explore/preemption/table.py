"""The table of what is followed of code that nobody looks at: functions, methods and modules of Python's own.

A row says what it accesses of the objects that it is given. What is in no row may do anything: a method of a container
writes all of it, a function writes all that it is given, and a function of a module that is not here is an access of
which nothing is known (`access_unknown` in `races.py`). So a row that is missing costs a proof, and never makes one.

tests/explore/test_table.py holds each row to what Python really does.
"""

import sys
from array import array
from collections import OrderedDict, deque
from io import BytesIO, StringIO
from logging import Logger
from struct import Struct
from types import FunctionType
from typing import Any

# Methods of containers: what they do to their container. One that is in none of these writes the whole.

CONTAINERS = (list, dict, set, deque, bytearray)
"""What has items that can change, and does so without running code of the program. A subclass counts too."""

METHODS = frozenset(name for it in (*CONTAINERS, OrderedDict) for name in dir(it)) - frozenset(dir(object))
"""The names of their methods that are written in C."""

READ_ITEM = frozenset({"get"})
WRITE_ITEM = frozenset({"setdefault", "add", "discard"})
WRITE_SHAPE = frozenset({"append", "appendleft"})
READ_SHAPE = frozenset({"__len__"})
READ_WHOLE = frozenset(
    {
        "copy", "count", "difference", "index", "intersection", "isdisjoint", "issubset", "issuperset", "items",
        "keys", "most_common", "symmetric_difference", "total", "union", "values", "elements", "decode", "find",
        "startswith", "endswith", "__contains__", "__iter__", "__eq__", "__reversed__", "__add__",
    }
)  # fmt: skip
KEEP = frozenset(
    {"append", "appendleft", "add", "insert", "setdefault", "get", "pop", "discard", "__setitem__", "__getitem__"}
)
"""They look at nothing that is in their arguments."""
TAKE_CODE = frozenset({"extend", "extendleft", "sort", "update", "difference_update", "subtract", "__iadd__"})
"""They may call code of the program, and others see the container half done."""
GIVE_NEW = frozenset(
    {
        "count", "index", "isdisjoint", "issubset", "issuperset", "__len__", "__contains__", "decode", "hex", "clear",
        "append", "add", "extend", "update", "sort", "reverse", "insert", "remove", "discard", "appendleft", "rotate",
    }
)  # fmt: skip
"""What they return, no other task has."""

# Methods of objects that count as a whole. One that is not here changes its object.

READING_METHODS: dict[type, frozenset[str]] = {
    array: frozenset({"tolist", "tobytes", "count", "index", "buffer_info"}),
    StringIO: frozenset({"getvalue", "tell", "readable", "writable", "seekable"}),
    BytesIO: frozenset({"getvalue", "tell", "readable", "writable", "seekable"}),
    Logger: frozenset(
        {
            "debug", "info", "warning", "error", "exception", "critical", "log", "isEnabledFor", "getEffectiveLevel",
            "hasHandlers", "getChild",
        }
    ),
    Struct: frozenset({"pack", "unpack", "pack_into", "unpack_from", "iter_unpack"}),
    BaseException: frozenset({"with_traceback"}),
}  # fmt: skip

# Functions and classes of `builtins` and the like: what they do to what they are given. Others write all of it.

LOOK_AT_NOTHING = frozenset(
    {
        "abs", "callable", "chr", "delattr", "divmod", "float", "getattr", "hasattr", "id", "int", "isinstance",
        "issubclass", "ord", "pow", "range", "round", "setattr", "sleep", "type", "partial", "super", "object",
        "property", "staticmethod", "classmethod", "complex", "open", "input",
    }
)  # fmt: skip
READERS = frozenset(
    {
        "all", "any", "bool", "bytes", "bytearray", "dict", "enumerate", "frozenset", "hash", "iter", "list", "map",
        "filter", "max", "min", "print", "repr", "ascii", "format", "join", "reversed", "set", "sorted", "str", "sum",
        "tuple", "zip", "fsum", "prod", "deepcopy", "copy", "dumps", "deque", "array", "chain", "next",
    }
)  # fmt: skip
SHALLOW = frozenset(
    {"list", "tuple", "dict", "enumerate", "iter", "map", "filter", "next", "reversed", "zip", "deque", "chain"}
)
"""They don't look into the containers that are in it."""
LOOK_INSIDE = frozenset({"copy", "deepcopy", "dump", "dumps", "replace", "getmembers", "getattr_static"})
"""They read attributes of what they are given."""
BY_NAME = frozenset({"getattr", "hasattr", "setattr", "delattr", "vars", "globals", "locals", "exec", "eval"})
"""They access an attribute or a variable that their arguments name."""
MAKE_NEW = frozenset(
    {
        "abs", "all", "any", "ascii", "bin", "bytes", "callable", "chr", "dir", "divmod", "format", "hasattr", "hash",
        "hex", "id", "input", "isinstance", "issubclass", "len", "oct", "ord", "pow", "print", "repr", "round",
        "sorted",
    }
)  # fmt: skip
"""What they return, no other task has."""

# Modules of Python's library.

SIMULATED = ("threading", "queue", "concurrent", "_thread", "_queue", "concmodels")
"""What the explorer has instead notes itself what tasks share."""
WRITE_THEIR_ARGUMENTS = frozenset({"random", "heapq", "bisect"})
READ_THEIR_ARGUMENTS = WRITE_THEIR_ARGUMENTS | {
    "ast", "base64", "calendar", "codecs", "colorsys", "contextlib", "copy", "csv", "dataclasses",
    "datetime", "difflib", "enum", "fnmatch", "fractions", "glob", "hashlib", "html", "inspect", "ipaddress", "json",
    "keyword", "locale", "logging", "ntpath", "numbers", "operator", "os", "pathlib", "pickle", "posixpath", "pprint",
    "re", "reprlib", "secrets", "shlex", "shutil", "statistics", "string", "tempfile", "textwrap", "traceback",
    "typing", "unicodedata", "urllib", "uuid", "warnings", "concmodels",
}  # fmt: skip
"""Their functions that are written in Python change nothing that they are given but containers."""
TOLD_BY_FUTURES = frozenset({"asyncio"})
"""They cancel futures and tasks that they are given, and add callbacks to these: which tell it where they are followed,
and only there."""
OF_NUMBERS = ("math", "cmath", "time", "posix", "_operator", "_random", "concmodels.explore.threads.library")
"""Their functions that are written in C return something new."""
OF_FILES = frozenset({"genericpath", "glob", "io", "_io", "nt", "ntpath", "os", "posix", "posixpath", "shutil"})
"""They share the files of the system: see `common.py`."""
OF_SETTINGS = frozenset(
    {"_csv", "_locale", "_signal", "_warnings", "calendar", "csv", "gc", "locale", "logging", "mimetypes", "signal",
     "sys", "warnings"}
)  # fmt: skip
"""They share what is set for the whole process: see `common.py`."""
SHARE_NOTHING = (
    frozenset(
        {
            "_abc", "_ast", "_asyncio", "_bisect", "_blake2", "_bz2", "_codecs", "_collections", "_collections_abc",
            "_contextvars", "_datetime", "_decimal", "_functools", "_hashlib", "_heapq", "_json", "_lzma", "_md5",
            "_operator", "_pickle", "_random", "_sha1", "_sha2", "_sha3", "_sre", "_stat", "_string", "_strptime",
            "_struct", "_uuid", "_weakref", "_weakrefset", "abc", "array", "atexit", "binascii", "builtins", "bz2",
            "cmath", "collections", "contextvars", "copyreg", "ctypes", "_ctypes", "decimal", "email", "errno",
            "faulthandler", "functools", "gzip", "heapq", "hmac", "importlib", "io", "itertools", "lzma", "math",
            "mmap", "platform", "pyexpat", "sched", "sqlite3", "_sqlite3", "stat", "struct", "time", "token",
            "tokenize", "tomllib", "types", "weakref", "xml", "_elementtree", "zipfile", "zlib", "zoneinfo",
        }
    )
    | READ_THEIR_ARGUMENTS | TOLD_BY_FUTURES | OF_FILES | OF_SETTINGS | {*SIMULATED}
)  # fmt: skip
"""Their functions share nothing between two calls but what they are given, and what the two above share."""
BUT = frozenset(
    {
        "_decimal.setcontext", "decimal.setcontext", "codecs.register", "_codecs.register", "copyreg.pickle",
        "copyreg.constructor", "copyreg.add_extension", "copyreg.remove_extension", "copyreg.clear_extension_cache",
        "abc.ABCMeta.register", "functools.singledispatch.<locals>.wrapper",
        "functools.singledispatch.<locals>.register",
        "_asyncio.all_tasks", "asyncio.tasks.all_tasks",
        "asyncio.events.set_event_loop_policy", "asyncio.events._set_event_loop_policy",
        "importlib.reload", "xml.etree.ElementTree.register_namespace", "shutil.register_archive_format",
        "shutil.unregister_archive_format", "shutil.unregister_unpack_format",
        "shutil.register_unpack_format", "ctypes.util.find_library", "sqlite3.register_adapter",
        "sqlite3.register_converter", "zoneinfo._tzpath.reset_tzpath",
    }
)  # fmt: skip
"""These of them share something nevertheless, and are in no row."""
LATER = frozenset({"_decimal.setcontext", "decimal.setcontext", "abc.ABCMeta.register"})
"""What these change is read by instructions that name nothing of it: `one / other` reads the context of decimals."""
PLAIN_OBJECTS = frozenset({"abc", "contextlib", "dataclasses", "datetime", "enum", "fractions", "pathlib", "typing"})
"""Methods of their classes change nothing of the object."""


def is_followed(called: Any) -> bool:
    """Return whether a row says what this shares besides what it is given. Code outside of the library needs none."""
    if isinstance(called, FunctionType):
        module = str(called.__globals__.get("__name__", ""))
    else:
        module = getattr(called, "__module__", None) or ""
    if not module or module == "builtins":
        return True
    top = module.partition(".")[0]
    if top not in sys.stdlib_module_names:
        return isinstance(called, (FunctionType, type)) or top in SIMULATED
    return (top in SHARE_NOTHING or module in SHARE_NOTHING) and name_of(called) not in BUT


def name_of(called: Any) -> str:
    """Return the full name of a function or class, as the rows have it."""
    if isinstance(called, FunctionType):
        return f"{called.__globals__.get('__name__', '')}.{called.__code__.co_qualname}"
    return f"{getattr(called, '__module__', '')}.{getattr(called, '__qualname__', '')}"
