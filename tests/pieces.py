"""Which tests stay together, on one worker, when `pytest -n 2` runs them on two workers side by side."""

from concmodels import catalog

TOGETHER = (
    *("test_architecture.py", "test_conformance_plugin.py", "test_dask.py", "test_dependencies.py"),
    *("test_distribution.py", "test_docs_links.py", "test_explore_option.py", "test_explore_plugin.py"),
    *("test_other_platforms.py", "test_shared_iterator.py", "test_traps.py", "test_words.py"),
)
"""Files of which each worker would prepare anew what all their tests use: a cluster, what pytest imports, what the
files of the project say.
"""

OF_THE_SITE = (
    *("test_docs_base.py", "test_needed_rows.py", "test_readme.py", "test_runs.py", "test_sharing.py"),
    "test_web_pages.py",
)
"""Files about the site: one worker imports what builds its pages, and reads the results that these show."""

TRAPS = ("test_trap_examples.py", "test_trap_lessons.py")
"""Files that ask about the same programs, of which a worker runs each once."""


SERVED = ("test_serve.py",)
"""Files whose tests share a server for each model."""


def piece(nodeid):
    """What a worker is given as a whole, which this test is a part of."""
    file, _, test = nodeid.partition("::")
    function, _, values = test.partition("[")
    if file.endswith(TOGETHER):
        return file
    if file.endswith(OF_THE_SITE):
        return "the site"
    if file.endswith(TRAPS):
        return f"traps {values}" if values else file
    if file.endswith(SERVED) and (model := values.rstrip("]")) in catalog.names(variants=True):
        return f"{file} {model}"
    if function == "test_guarantee":
        return f"{file} {values.partition('.')[0]}"  # the model and the chapter
    if function == "test_of_cpython":
        return f"{file} {values.partition('-')[0]}"
    if function == "test_what_a_page_shows_runs":
        return f"{file} {values.partition(':')[0]}"
    return f"{file} {function}"
