"""Imports `_pickle` without the module `functools`, in an interpreter that has just begun.

`_pickle` imports `functools` for one name, `partial`, and with it come `collections` and eight others: with them, 100
interpreters that wait in a channel took 20.8 ms of CPU each to start (19.7 to 22.1), and take 16.8 (16.2 to 17.7); bare
ones take 9.9. So it gets that name alone, from where `functools` has it too. A program that uses `functools` imports it
as usual. While this is imported, the interpreter has no other thread.
"""

import sys

if "functools" not in sys.modules and "_pickle" not in sys.modules:
    import _functools  # type: ignore[import-not-found]

    stand_in = type(sys)("functools")
    stand_in.partial = _functools.partial  # type: ignore[attr-defined]
    sys.modules["functools"] = stand_in
    try:
        import _pickle  # noqa: F401
    except ImportError, AttributeError:
        pass  # a Python in which it needs more: it is imported as usual
    finally:
        del sys.modules["functools"]
