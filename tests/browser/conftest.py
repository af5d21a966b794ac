"""The finished pages in a real browser: `make test-browser`, or `.python/browser/bin/python -m pytest tests/browser`.

`tab` is a tab in which a test opens one page after the other, with all that the browser had to say about it. `visit`
opens further ones for the tests that click and type.
"""

from pathlib import Path
from urllib.parse import urljoin

import pytest
from browser import ROOT, WIDTHS, chromium, pages, served
from looking import REPORT, SPECIMENS, Look, new_context, none


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
        metafunc.parametrize("name", _names(metafunc.config))
    if "specimen" in metafunc.fixturenames:
        thorough = metafunc.config.option.thorough
        metafunc.parametrize("specimen", [it for it in _names(metafunc.config) if thorough or it in SPECIMENS])


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


@pytest.fixture(scope="session")
def tab_without_scripts(browser):
    return Look(new_context(browser, WIDTHS["wide"], java_script_enabled=False))


@pytest.fixture(scope="session")
def thorough(pytestconfig):
    """Whether every page is looked at in every way."""
    return pytestconfig.option.thorough


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
