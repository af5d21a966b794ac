"""Reads hand-ins, of which none can be trusted to be a small text with a small syntax tree."""

import ast
import os
import stat
from pathlib import Path

LARGEST = 2**20
"""The most bytes of a hand-in."""

NO_TREE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `ast.parse` raises: `MemoryError` also of what is nested too deeply."""


class Unreadable(Exception):
    """A hand-in can't be read; the message says why."""


def read(file: Path) -> bytes:
    """Return what is in a regular file of at most 1 MiB. Raises `Unreadable` of all else: a link could lead anywhere,
    for instance to the file of another student, and a pipe or a device has no end.
    """
    if file.is_symlink():
        raise Unreadable("it is a link: only a file can be graded")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(file, flags), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise Unreadable("it is not a regular file")
            answer = opened.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"it can't be read: {error.strerror}") from None
    if len(answer) > LARGEST:
        raise Unreadable("it is larger than 1 MiB")
    return answer


def syntax_tree(answer: bytes) -> ast.Module | None:
    """Return the syntax tree of a hand-in; None if Python makes none of it."""
    try:
        return ast.parse(answer)
    except NO_TREE:
        return None
