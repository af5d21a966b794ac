"""The events of Windows, as its documentation says that they behave, by pipes: a handle is the end of one.

https://learn.microsoft.com/windows/win32/sync/event-objects: an event that resets itself (`bManualReset` is false) lets
one waiter through each time that it is set, and to set one that is set changes nothing. A name is that of one event in
all of the session, and is forgotten with its last handle.
"""

import contextlib
import os
from _thread import allocate_lock
from pathlib import Path

from sitecustomize import real_select

INFINITE = 0xFFFFFFFF
WAIT_OBJECT_0, WAIT_TIMEOUT, WAIT_FAILED = 0, 258, INFINITE
ERROR_FILE_NOT_FOUND = 2
SYNCHRONIZE, EVENT_MODIFY_STATE = 0x100000, 2

_names = Path("/tmp", f"simulated-windows-{os.getpid()}")
_setting = allocate_lock()


def CreateEventW(security, manual_reset, initial_state, name):
    """Return a handle of a new event, or of the one that has this name."""
    assert not manual_reset and not security and "/" not in name and name.count("\\") == 1
    try:
        return OpenEventW(SYNCHRONIZE | EVENT_MODIFY_STATE, False, name)
    except FileNotFoundError:
        pass
    reader, writer = os.pipe()
    _names.mkdir(exist_ok=True)
    os.symlink(f"{reader} {writer}", _names / name)
    handle = _handle(reader, writer, name)
    _made.add(handle)
    if initial_state:
        SetEvent(handle)
    return handle


def OpenEventW(access, inherit, name):
    """Return another handle of the event that has this name; it may do what `access` says."""
    assert access == SYNCHRONIZE | EVENT_MODIFY_STATE and not inherit
    try:
        reader, writer = map(int, os.readlink(_names / name).split())
    except FileNotFoundError as error:
        raise FileNotFoundError(ERROR_FILE_NOT_FOUND, "The system cannot find the file specified") from error
    return _handle(os.dup(reader), os.dup(writer), name)


def SetEvent(handle):
    """Let one waiter through, the next one if there is none now."""
    reader, writer, _ = _parts(handle)
    with _setting:
        if not real_select([reader], [], [], 0)[0]:
            os.write(writer, b"!")


def WaitForSingleObject(handle, milliseconds):
    """Wait until the event is set, and reset it; return `WAIT_TIMEOUT` if it is not set in time."""
    reader, _, _ = _parts(handle)
    os.set_blocking(reader, False)
    seconds = None if milliseconds == INFINITE else milliseconds / 1000
    while real_select([reader], [], [], seconds)[0]:
        try:
            os.read(reader, 1)
        except BlockingIOError:
            continue  # another waiter was faster
        return WAIT_OBJECT_0
    return WAIT_TIMEOUT


def CloseHandle(handle):
    """Close a handle."""
    reader, writer, name = _parts(handle)
    del _open[handle]
    os.close(reader)
    os.close(writer)
    if handle in _made:  # others have theirs already
        _made.discard(handle)
        os.unlink(_names / name)
        with contextlib.suppress(OSError):
            _names.rmdir()


_open, _made = {}, set()


def _handle(reader, writer, name):
    handle = reader << 32 | writer
    _open[handle] = reader, writer, name
    return handle


def _parts(handle):
    if handle not in _open:
        raise OSError(6, "The handle is invalid")
    return _open[handle]
