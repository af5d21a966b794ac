"""What a page shows of itself: a link where it is sent, the way to the repository, what it was checked with."""

import os
import platform
import re
import sys
from html import unescape
from html.parser import HTMLParser
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import preloaded
import pytest

pytestmark = pytest.mark.timeout(250)  # to build a site takes seconds of a processor, for which it may have to wait

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "docs"
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from concdocs import cards, repository  # noqa: E402 - found only now

PAGES = {
    "index.md": "# Side by *side*\n\n"
    "The first sentence says <b>what</b> {measured}`ring/stream/threads|short` of 3.14 is. The second one more.\n"
    "```{clone}\n```\n```{toctree}\n:glob:\n\n**\n```\n",
    "question.md": "# A question\n\n:::{note}\nNot this.\n:::\n\n**Who waits?**\n\nA task does. Nothing else would.\n",
    "told.md": '---\ndescription: What the "front" matter says.\n---\n# Told\n\nNot this.\n',
    "bare.md": "# Bare\n\n| | a |\n| --- | --- |\n| b | 1 |\n",
    "deep/charted.md": "# Charted & more\n\nThe text of a page with a chart. More.\n\n"
    "```{chart} classics\n```\n```{chart} ring-stream\n```\n",
}
ADDRESSES = {"CONCMODELS_REPOSITORY": "https://github.com/us/project/", "CONCMODELS_SITE": "https://us.example/project"}


class Head(HTMLParser):
    """The title and the tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags = {}
        self.title = unescape(re.search("<title>(.*?)</title>", text, re.DOTALL)[1])
        self.feed(text.partition("</head>")[0])

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "meta" and (name := given.get("property") or given.get("name")):
            assert name not in self.tags or name == "viewport"
            self.tags[name] = given["content"]


def built(folder, **addresses):
    """Build the pages; return the exit status, what was said, and the folder of the site."""
    source = folder / "source"
    for name, text in PAGES.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    names = ("REPOSITORY", "BRANCH", "EDIT", "SITE")
    ours = {name: value for name, value in os.environ.items() if name.removeprefix("CONCMODELS_") not in names}
    arguments = ("-q", "-n", "-W", "-c", ROOT / "docs", source, folder / "html")
    done = preloaded.run("sphinx", *arguments, cwd=ROOT, env=ours | addresses, imports=preloaded.SPHINX)
    return *done, folder / "html"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    status, said, site = built(tmp_path_factory.mktemp("plain"))
    assert (said, status) == ("", 0)
    return site


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    status, said, site = built(tmp_path_factory.mktemp("known"), **ADDRESSES)
    assert (said, status) == ("", 0)
    return site


def head(site, page):
    return Head((site / page).read_text())


def test_a_page_is_described_by_its_first_sentence(plain):
    tags = head(plain, "index.html").tags
    assert re.fullmatch(r"The first sentence says what \d+ ns of 3\.14 is\.", tags["description"])
    assert tags["description"] == tags["og:description"]


def test_a_question_is_told_with_what_comes_after_it(plain):
    said = "Who waits? A task does. Nothing else would."
    assert head(plain, "question.html").tags["description"] == said


def test_front_matter_comes_first_and_a_page_without_text_has_its_title(plain):
    assert head(plain, "told.html").tags["description"] == 'What the "front" matter says.'
    assert head(plain, "bare.html").tags["description"] == "Bare, a page of concmodels"


def test_titles_are_those_of_the_pages(plain):
    page = head(plain, "deep/charted.html")
    assert (page.title, page.tags["og:title"]) == ("Charted & more - concmodels", "Charted & more")
    assert head(plain, "index.html").title == "concmodels: Side by side"


def test_each_page_has_a_card_of_the_usual_size(known):
    for name in PAGES:
        page = Path(name).with_suffix(".html")
        tags = head(known, page).tags
        card = tags["og:image"].removeprefix(f"{ADDRESSES['CONCMODELS_SITE']}/")
        data = (known / card).read_bytes()
        size = [int.from_bytes(data[start : start + 4]) for start in (16, 20)]
        assert data.startswith(b"\x89PNG") and size == [cards.WIDTH, cards.HEIGHT]
        assert [int(tags["og:image:width"]), int(tags["og:image:height"])] == size
        assert tags["twitter:card"] == "summary_large_image"


def test_each_page_ends_with_what_it_was_checked_with(plain):
    libraries = [f"{name} {version(name)}" for name in ("greenlet", "trio") if find_spec(name)]
    for name in PAGES:
        text = (plain / Path(name).with_suffix(".html")).read_text()
        (said,) = re.findall(r'<p class="checked-with">(.*?)</p>', text)
        assert said.startswith(f"Checked with CPython {platform.python_version()}")
        assert [it for it in libraries if it not in said] == []


def test_the_card_of_a_page_with_a_chart_shows_that(known):
    alt = head(known, "deep/charted.html").tags["og:image:alt"]
    assert re.match(r"Charted & more: .* a hop", alt)


def test_a_chart_without_a_picture_is_a_table_and_not_on_the_card(plain):
    text = (plain / "deep" / "charted.html").read_text()
    table, picture = re.findall(r'<figure class="chart.*?</figure>', text, re.DOTALL)
    assert "<table" in table and "<picture" not in table and "fjcreate" in table and "<picture" in picture


def test_the_empty_corner_of_a_table_is_no_heading(plain):
    text = (plain / "bare.html").read_text()
    assert '<td class="head"></td>' in text and "<th" in text and '<th class="head"><p></p></th>' not in text


def test_a_card_is_the_same_every_time(tmp_path, monkeypatch):
    made = []
    for name in ("one", "other"):
        monkeypatch.setattr(cards, "CACHE", tmp_path / name)
        made.append(cards.card("A title", "A text.").read_bytes())
    assert made[0] == made[1]
    assert cards.card("A title", "Another text.").read_bytes() != made[1]


def test_without_addresses_there_are_no_links_to_them(plain):
    text = (plain / "index.html").read_text()
    assert "Edit this page" not in text and "og:url" not in text and "canonical" not in text
    assert "og:image" not in text and not (plain / "_cards").exists()


def test_without_an_address_the_reader_is_sent_to_the_folder_that_they_got(plain):
    text = re.sub("<[^>]*>", "", (plain / "index.html").read_text())
    assert "Open a terminal in the folder that you got." in text
    assert "git clone" not in text


def test_the_metadata_has_the_one_address(tmp_path, monkeypatch):
    metadata = tmp_path / "pyproject.toml"
    monkeypatch.setattr(repository, "METADATA", metadata)
    metadata.write_text('[project]\nname = "x"\n')
    assert repository.published() == ""
    metadata.write_text('[project]\nname = "x"\n[project.urls]\nRepository = "https://forge.example/us/x"\n')
    assert repository.published() == "https://forge.example/us/x"


def test_with_addresses_the_project_can_be_fetched_and_pages_edited(known):
    text = re.sub("<[^>]*>", "", (known / "index.html").read_text())
    assert "$ git clone https://github.com/us/project concmodels\n$ cd concmodels\n" in text
    assert "the folder that you got" not in text
    page = (known / "deep" / "charted.html").read_text()
    assert 'href="https://github.com/us/project/edit/main/docs/deep/charted.md"' in page
    assert 'href="https://github.com/us/project"' in page


def test_with_addresses_a_shared_link_is_a_whole_one(known):
    tags = head(known, "deep/charted.html").tags
    assert tags["og:url"] == "https://us.example/project/deep/charted.html"
    assert tags["og:image"] == "https://us.example/project/_cards/deep-charted.png"
    assert (known / "_cards" / "deep-charted.png").is_file()


def test_a_forge_that_the_theme_does_not_know_says_how_pages_are_edited(tmp_path):
    forge = {"CONCMODELS_REPOSITORY": "https://forge.example/us/project"}
    status, said, site = built(tmp_path, **forge, CONCMODELS_EDIT="https://forge.example/edit/docs/{filename}")
    assert (said, status) == ("", 0)
    assert 'href="https://forge.example/edit/docs/told.md"' in (site / "told.html").read_text()


def test_an_address_that_is_none_is_refused_in_a_sentence(tmp_path):
    status, said, _ = built(tmp_path, CONCMODELS_REPOSITORY="git@forge.example:us/project")
    assert status == 2 and "the repository's address begins with https://, unlike 'git@" in said


@pytest.mark.docs
def test_every_page_of_the_site_can_be_shared():
    if not (SITE / "index.html").exists():
        pytest.skip("there is no site in build/docs; `make docs` builds it")
    pages = {path: Head(path.read_text()) for path in SITE.rglob("*.html")}
    pages = {path: it for path, it in pages.items() if "og:title" in it.tags}
    assert len(pages) >= len([it for it in (ROOT / "docs").rglob("*.md") if "_ext" not in it.parts])
    told = [it.tags["description"] for it in pages.values()]
    assert sorted(it for it in told if not 20 <= len(it) <= 200 or told.count(it) > 1) == []
    cards_of = [it.tags["og:image"].rpartition("_cards/")[2] for it in pages.values() if "og:url" in it.tags]
    assert [name for name in cards_of if not (SITE / "_cards" / name).is_file()] == []
