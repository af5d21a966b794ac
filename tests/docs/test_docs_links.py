"""The built site: every page can be reached, every link inside it leads somewhere, and none to a package registry.

`make docs` builds it first; without a site, these tests are skipped. Also what the pages say by hand and the source
knows better: exit statuses, the names in the results' format, and that every chart has its place.
"""

import functools
import json
import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from benchmarks import machine, report
from benchmarks.cell import KINDS
from benchmarks.result import TEXTS, read
from concmodels.programs import result

pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[2]
DOCS, SITE = ROOT / "docs", ROOT / "build" / "docs"
RESULT = ROOT / "benchmarks" / "results" / "full.json"
TWINS = ROOT / "benchmarks" / "results" / "full-free-threaded.json"
REGISTRIES = {"anaconda", "crates", "npmjs", "nuget", "piwheels", "pypi", "pythonhosted", "rubygems"}
"""Names that the hosts of package registries have: what is linked is a project's own repository or documentation."""
SOURCES = (
    ".devcontainer", ".github", "Dockerfile", "benchmarks", "concmodels", "docs", "examples", "requirements", "tests",
    "tools", "*.md", "*.toml",
)  # fmt: skip
TAG = re.compile(r"""<[a-zA-Z](?:[^<>"']|"[^"]*"|'[^']*')*>""")
OWN = ("search.html", "py-modindex.html")
"""Sphinx's own pages, which no table of contents has."""


class Page(HTMLParser):
    """What a page links to, what can be linked to on it, and which files it shows.

    Only the tags with such an attribute are parsed: the others, and all text, take three times as long as these.
    """

    CDATA_CONTENT_ELEMENTS = RCDATA_CONTENT_ELEMENTS = ()  # no end tag is parsed, so none of these would end

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.files = [], [], []
        self.feed("".join(tag for tag in TAG.findall(text) if any(it in tag for it in ("id=", "href=", "src"))))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors += [given["id"]] if "id" in given else []
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.files += [given[name] for name in ("src", "srcset") if name in given]
        if tag == "link" and given.get("rel") == "stylesheet":
            self.files.append(given["href"])


@functools.cache
def site():
    """The pages of the site, by their path in it."""
    if not (SITE / "index.html").exists():
        pytest.skip("there is no site in build/docs; `make docs` builds it")
    return {str(path.relative_to(SITE)): Page(path.read_text()) for path in sorted(SITE.rglob("*.html"))}


def target(page, link):
    """The path in the site that a link on this page means, and the place there; None for a link to elsewhere."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = posixpath.join(posixpath.dirname(page), unquote(parts.path)) if parts.path else page
    return posixpath.normpath(path), unquote(parts.fragment)


def dead(page, pages):
    """The links of a page that lead nowhere."""
    for link in pages[page].links:
        if (found := target(page, link)) is None:
            continue
        path, place = found
        if path not in pages:
            if not (SITE / path).is_file():
                yield link
        elif place and place not in pages[path].anchors and not made_by_script(path, place):
            yield link


def made_by_script(path, place):
    """A choice of the reader's: `side-by-side.html#threads/trio` names two models."""
    return path == "side-by-side.html" and "/" in place


@pytest.mark.timeout(240)  # it reads all pages
def test_every_link_inside_the_site_leads_somewhere():
    pages = site()
    found = {page: links for page in pages if (links := sorted(set(dead(page, pages))))}
    assert not found


def is_registry(link):
    """Whether a link leads to a registry of packages; what is no address leads nowhere."""
    try:
        host = urlsplit(link).hostname or ""
    except ValueError:
        return False
    return not REGISTRIES.isdisjoint(host.split("."))


def test_no_link_leads_to_a_package_registry():
    found = {page: links for page, it in site().items() if (links := sorted(filter(is_registry, it.links + it.files)))}
    assert not found


def test_no_source_links_to_a_package_registry():
    """Nor what is on no page: the README, comments, docstrings."""
    found = {}
    for path in (file for name in SOURCES for top in ROOT.glob(name) for file in (top, *top.rglob("*"))):
        if path.is_file() and path.suffix not in (".pyc", ".png"):
            text = path.read_text(errors="replace")
            if links := sorted(filter(is_registry, re.findall(r"\bhttps?://[^\s<>()\[\]\"'`]+", text))):
                found[str(path.relative_to(ROOT))] = links
    assert not found


def test_a_package_registry_is_known_by_its_host():
    hosts = [f"{name}.org" for name in ("pypi", "www.pypi", "test.pypi", "files.pythonhosted", "pypi.python")]
    assert all(is_registry(f"https://{host}/project/greenlet/") and is_registry(f"//{host}") for host in hosts)
    others = ["https://greenlet.readthedocs.io/", "guide.html#pypi", "../pypi/index.html", "https://[", "mailto:pypi@x"]
    assert not any(map(is_registry, others))


def test_every_picture_and_style_sheet_is_there():
    pages = site()
    missing = []
    for page, it in pages.items():
        for file in it.files:
            found = target(page, file.split(" ")[0])
            if found and not file.startswith("data:") and not (SITE / found[0]).is_file():
                missing.append((page, file))
    assert not missing


def test_no_page_has_a_place_twice():
    twice = {page: sorted({it for it in seen.anchors if seen.anchors.count(it) > 1}) for page, seen in site().items()}
    assert not {page: names for page, names in twice.items() if names}


def test_every_page_can_be_reached_from_the_first():
    pages = site()
    reached, ahead = set(), ["index.html"]
    while ahead:
        page = ahead.pop()
        if page not in reached and page in pages:
            reached.add(page)
            ahead += [found[0] for link in pages[page].links if (found := target(page, link))]
    assert set(pages) - reached - set(OWN) == set()


def test_every_page_is_marked_in_its_tree_of_pages():
    own = re.compile(r'<li class="[^"]* current-page"><a class="current reference internal" href="#">')
    marks = {page: len(own.findall((SITE / page).read_text())) for page in site()}
    assert {page: 1 - (page in ("index.html", *OWN)) for page in marks} == marks


def test_every_page_that_was_written_is_on_the_site():
    site()
    written = {
        str(path.relative_to(DOCS).with_suffix(".html")) for path in DOCS.rglob("*.md") if "_ext" not in path.parts
    }
    assert {page for page in written if not (SITE / page).exists()} == set(), "build it again: make docs"


def test_every_chart_and_table_of_the_report_is_among_the_measurements():
    results = read(RESULT)
    text = "".join(path.read_text() for path in (DOCS / "measurements").glob("*.md"))
    shown = set(re.findall(r"^```\{chart\} (\S+)$", text, re.MULTILINE))
    tables = set(re.findall(r"^```\{result-table\} (\S+)$", text, re.MULTILINE))
    charts = report.charts(results)
    assert {it.name for it in charts} - shown == set()
    assert set(report.tables(results)) - tables == {it.name for it in charts if it.draw is None}


def test_what_is_told_of_both_builds_is_among_the_measurements():
    text = (DOCS / "measurements" / "free-threaded.md").read_text()
    shown = set(re.findall(r"^```\{chart\} twins:(\S+)$", text, re.MULTILINE))
    both = {it.name for it in report.charts(read(TWINS)) if it.name.endswith("-3.14t")}
    assert both == {"gil-3.14t", "works-3.14t", "iterator-3.14t"} <= shown


def test_the_exit_statuses_are_those_of_the_programs():
    text = (DOCS / "reference" / "exit-statuses.md").read_text()
    known = (result.OK, result.FAILED, result.BAD_INPUT, result.TIMED_OUT, *result.STOPPED)
    assert [int(it) for it in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)] == list(known)


def test_the_format_of_results_has_the_names_of_a_result():
    text = (DOCS / "reference" / "json" / "benchmarks.md").read_text()
    told = {name for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    data = json.loads(RESULT.read_text())
    names = {"figure_NAME", *TEXTS, *data["concmodels"], *data["metadata"]}  # this result has none of the suite web
    for benchmark in data["benchmarks"]:
        names |= benchmark["metadata"].keys() | benchmark["runs"][0].get("metadata", {}).keys()
    own = {name for name in names if not name.startswith("figure_") and name not in machine.KEPT}
    assert own - told == set()
    assert told - names == set()
    assert set(KINDS) <= set(re.findall(r"`(\w+)`", text))
