"""Writes the files of `python -m benchmarks report`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.report.everything import charts, tables
from benchmarks.report.page import page
from benchmarks.result import Results


class NotWritten(Exception):
    """A file can't be written; the message says which one and why."""


def save(contents: Iterable[tuple[str, bytes]], folder: Path) -> list[Path]:
    """Write contents by name into a folder, which is made; return what was written.

    Files of an earlier report that this one does not have are left alone. Raises `NotWritten`.
    """
    written = []
    for name, content in contents:
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except FileExistsError, NotADirectoryError:
            raise NotWritten(f"{folder} is no folder, or a file stands where one of its folders should be") from None
        except OSError as error:
            raise NotWritten(f"{path} can't be written: {error.strerror}") from None
        written.append(path)
    return written


def files(results: Results) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents; the page comes first, so that a folder which can't be written to is noticed early."""
    yield "index.html", page(results).encode()
    for chart in charts(results):
        if chart.draw:
            yield f"charts/{chart.name}.svg", chart.svg().encode()
            yield f"charts/{chart.name}.png", chart.png()
    for name, text in tables(results).items():
        yield f"tables/{name}.md", text.encode()
