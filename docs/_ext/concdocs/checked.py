"""The last line of each page: with which Python and which libraries it was checked.

A page's programs run while the site is built, and tests hold them to what the page says. So these are the versions of
the environment that builds the site.
"""

import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sphinx.application import Sphinx

from concmodels import catalog


@cache
def sentence() -> str:
    """The sentence."""
    build = "" if sys._is_gil_enabled() else ", free-threaded"
    python = f"{platform.python_implementation()} {platform.python_version()}{build} on {platform.system()}"
    return f"Checked with {', '.join([python, *libraries()])}."


def libraries() -> list[str]:
    """The libraries that models are built on and that are installed here, with their versions."""
    found = []
    for name in sorted({name for model in catalog.names() for name in catalog.facts(model).needs}):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue  # a page says nothing of what isn't here
    return found


def add_versions(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    context["checked_with"] = sentence()


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", add_versions)
