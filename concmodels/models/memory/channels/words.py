"""An item as a word of 64 bits: a small int is the word itself, and any other word says what the item is or where.

A word of at least LEAST is an int; below are 32 kinds of other words with 56 bits each.
"""

LEAST = -(1 << 62)
BASE = -(1 << 63)
_KIND = 56
_VALUE = (1 << _KIND) - 1

RECORD, BLOCK, CONSTANT, RAW, RAW_ARRAY, BUFFERS, NUMBERS = range(7)
"""The kinds of a channel: where in its byte ring the pickled item lies; the addresses of blocks (`large.py`)."""

RECORDS = BASE, BASE + (1 << _KIND)
"""The words of records: from the first on, before the second."""

CONSTANTS = (None, False, True)


def word_of(kind: int, value: int) -> int:
    """Return the word of something that is no int."""
    return BASE + (kind << _KIND) + value


def kind_of(word: int) -> tuple[int, int]:
    """Return the kind of a word below LEAST, and its value."""
    return (word - BASE) >> _KIND, (word - BASE) & _VALUE
