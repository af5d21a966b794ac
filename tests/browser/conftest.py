"""The finished pages in a real browser: `make test-browser`, or `.python/browser/bin/python -m pytest tests/browser`.

`look` is a page as a reader meets it, once for every page of the site and each width, with all that the browser had to
say about it. `visit` opens further ones for the tests that click and type.

As a rule a page is narrow and dark, then wide and light: it is opened in a narrow window that is then made wide. Each
kind of page has a SPECIMEN that is all four, and is opened at each width. With `--thorough`, all pages are, and every
text is looked at.
"""

from pathlib import Path
from urllib.parse import urljoin

import pytest
from browser import ROOT, SCHEMES, WIDTHS, chromium, pages, served
from looking import Look, new_context, none

REPORT = "the report"
SPECIMENS = (
    "index.html",
    "glossary.html",
    "search.html",
    "side-by-side.html",
    "articles/index.html",
    "measurements/rings.html",
    "models/index.html",
    "models/threads.html",
    "changelog.html",
    "reference/contract.html",
    "reference/contract/channels.html",
    "reference/commands/ring.html",
    "reference/guarantees/delivery.html",
    "start/five-minutes.html",
    "teachers/session-1.html",
    "tutorial/races.html",
    REPORT,
)
USUAL = {"wide": "light", "narrow": "dark"}


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="each page at each width, in light and in dark")
    parser.addoption("--site", type=Path, default=ROOT / "build/docs", help="the pages; default: build/docs")
    parser.addoption(
        "--report", type=Path, default=ROOT / "build/report/index.html", help="the report, looked at where there is one"
    )


def pytest_configure(config):
    site = config.option.site = config.option.site.resolve()
    config.option.report = config.option.report.resolve()
    if not (site / "index.html").is_file():
        raise pytest.UsageError(f"{site} has no index.html: `make docs` builds the site")


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", _names(metafunc.config), scope="module")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Page after page, and each width by itself: so that a page changes its width and its colours once.

    What may be asked in any colours waits until the page has its usual ones: axe is then asked for both at once.
    """
    left_out = [] if config.option.thorough else [item for item in items if _is_unusual(**_params(item))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
    items.sort(key=_place)


def _place(item):
    params = _params(item)
    look = params.get("look", "")
    scheme = USUAL[look] if "after_usual_scheme" in item.fixturenames else params.get("scheme", "")
    return item.path, params.get("name", ""), look, scheme


def _is_unusual(name=None, look=None, scheme=None, **_):
    return scheme is not None and name not in SPECIMENS and USUAL[look] != scheme


def _params(item):
    return item.callspec.params if hasattr(item, "callspec") else {}


def _names(config):
    return pages(config.option.site) + [REPORT] * config.option.report.is_file()


@pytest.fixture(scope="session")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(pytestconfig):
    with served(pytestconfig.option.site) as address:
        yield address


@pytest.fixture(scope="session")
def address_of(site, pytestconfig):
    """The address of a page by its name."""
    report = pytestconfig.option.report.as_uri()
    return lambda name: report if name == REPORT else urljoin(site, name)


@pytest.fixture(scope="session")
def tab(browser):
    """A tab in which one page after the other is opened."""
    return Look(new_context(browser, WIDTHS["narrow"]))


@pytest.fixture(scope="module", params=WIDTHS)
def look(request, pytestconfig, tab, address_of, name):
    """A page at a width, all its answers unfolded."""
    is_opened = tab.address == address_of(name) and name not in SPECIMENS and not pytestconfig.option.thorough
    if not is_opened:
        tab.leave()
    tab.be_wide(WIDTHS[request.param])
    if not is_opened:
        tab.open(address_of(name))
        tab.unfold()
    return tab


@pytest.fixture(scope="module", params=SCHEMES)
def scheme(request, look):
    look.wear(request.param)
    return request.param


@pytest.fixture(scope="module")
def after_usual_scheme():
    """Marks a test that comes beside those that see the page in its usual colours, which it need not have."""


@pytest.fixture(scope="session")
def look_without_scripts(browser):
    return Look(new_context(browser, WIDTHS["wide"], java_script_enabled=False))


@pytest.fixture(scope="module")
def plain(look_without_scripts, address_of, name):
    """A page with scripts off."""
    look_without_scripts.open(address_of(name))
    return look_without_scripts


@pytest.fixture(scope="session")
def tabbed(pytestconfig):
    """The names of two pages with a tab for every model; the reader's choice is remembered."""
    site = pytestconfig.option.site
    found = [name for name in pages(site) if "in-all-models" in (site / name).read_text()]
    assert len(found) >= 2, "the site needs two pages with tabs, to show that the choice holds on the next one"
    return found[0], found[-1]


@pytest.fixture
def visit(browser, address_of):
    """Opens pages for a test that uses them, in one tab; in the end nothing may have gone wrong on the way."""
    looks = []

    def visit(name, width="wide", **settings):
        looks.append(Look(new_context(browser, WIDTHS[width], **settings)))
        looks[-1].open(address_of(name))
        return looks[-1].page

    visit.looks = looks
    yield visit
    for look in looks:
        look.page.context.close()
    none([trouble for look in looks for trouble in look.troubles])
