"""The chapters of `concmodels.conformance.guarantees` as sync code: the same text without `async` and `await`.

There are no files here: see `concmodels.two_forms`.
"""

import os
import sys

from concmodels import two_forms
from concmodels.two_forms import Form, plain, without_await

__all__ = ["Form", "Loader", "file_of", "plain", "without_await"]

_TEXTS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "guarantees")


def file_of(chapter: str) -> str:
    """Return the path of a chapter's text."""
    return os.path.join(_TEXTS, f"{chapter}.py")


class Loader(two_forms.Loader):
    """Loads a chapter. The pytest plugin and the grader change its `form`: a failed `assert` then shows the values."""


sys.meta_path.insert(0, two_forms.Finder(__name__, _TEXTS, Loader))
