"""A browser to look at pages with: what tools/screenshots.py and the tests in tests/browser share.

tools/browser.sh makes the environment in .python/browser and finds or fetches a chromium for it.
"""

import functools
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

from serve import HOST, Quiet

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".python" / "browser"
WIDTHS = {"wide": 1280, "narrow": 390}
SCHEMES = ["light", "dark"]


def enter_environment() -> None:
    """Start this program again on the environment of tools/browser.sh, made first where it is missing."""
    if Path(sys.prefix) == HOME:
        return
    status = subprocess.run(["sh", ROOT / "tools" / "browser.sh"]).returncode
    if status:
        raise SystemExit(status)  # it has said why
    python = HOME / "bin" / "python"
    os.execv(python, [python, *sys.argv])


@contextmanager
def chromium():
    """A running headless chromium, which finds no other host than this machine."""
    from playwright.sync_api import sync_playwright

    if (HOME / "node").exists():  # the one that playwright brings along lacks a library here
        os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(HOME / "node")
    path = (HOME / "chromium").read_text().strip()
    with sync_playwright() as playwright:
        # Each page has its own copy of every script: to compile axe anew takes longer than it saves.
        args = [f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}", "--js-flags=--no-opt --no-maglev"]
        browser = playwright.chromium.launch(executable_path=path, args=args)
        yield browser
        browser.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder's pages, on this machine only and for as long as the block lasts."""
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer((HOST, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def pages(folder: Path) -> list[str]:
    """Every page of a folder by its path in there, the front page first."""
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("*.html")]
    return sorted(found, key=lambda page: (page != "index.html", page))
