"""The site's own directives and roles: what is shown is included, run, measured or drawn while the site is built.

`docs/_ext/README.md` is the manual for writers. Each module here has a `setup` for its part; a mistake of a writer's
(a missing row, a text that is not in the file) is a warning with the place, and `make docs` makes warnings errors.
"""

from importlib import import_module
from typing import Any

from sphinx.application import Sphinx

PARTS = (
    "about", "bars", "changes", "charts", "checked", "claims", "code", "docstrings", "drawing", "facts", "figures",
    "hover", "idioms", "machines", "navigation", "notebooks", "options", "output", "pages", "phrases", "playground",
    "predict", "repository", "runs", "searches", "sequence", "sharing", "side_by_side", "signatures", "spoken", "stale",
    "tabs", "traced", "wild",
)  # fmt: skip


def setup(app: Sphinx) -> dict[str, Any]:
    """Hand every part to Sphinx. Reading in parallel is off: the results and the cache of outputs are read once."""
    for part in PARTS:
        import_module(f"concdocs.{part}").setup(app)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
