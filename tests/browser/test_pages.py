"""What holds for every page."""

import pytest
from looking import Look, none

wide_only = pytest.mark.parametrize("look", ["wide"], indirect=True, scope="module")

FAINT = (
    (".sidebar-tree a", "color", "#aaa"),
    ("article p:not(:has(*))", "color", "#999"),
    (".toc-tree a", "backgroundColor", "#555"),
    ("article pre span.n", "color", "#bbb"),
)


def test_the_browser_has_nothing_to_complain_of(look):
    none(look.ask("brokenPictures"))
    none(look.troubles)


def test_it_does_not_scroll_sideways(look, scheme):
    none(look.ask("tooWide"))


def test_nothing_is_cut_off(look):
    none(look.ask("cutOff"))


@pytest.mark.usefixtures("after_usual_scheme")
def test_it_is_accessible(look, pytestconfig):
    none(look.barriers("others", every=pytestconfig.option.thorough))


def test_its_colours_are_accessible(look, scheme, pytestconfig):
    none(look.barriers("colours", every=pytestconfig.option.thorough))


@wide_only
def test_pictures_say_what_they_show(look):
    none(look.ask("unnamedPictures"))


@wide_only
def test_headings_are_in_order(look):
    none(look.ask("headingLeaps"))


def test_it_can_be_read_with_scripts_off(plain):
    assert len(plain.page.inner_text("main, [role=main]").split()) >= 3
    none(plain.ask("hiddenCode"))
    none(plain.ask("brokenPictures"))
    none(plain.troubles)


def test_a_colour_that_can_hardly_be_read_is_found_wherever_it_is(visit):
    """Of texts that look alike one is looked at, and no other text has been hidden by that."""
    page = visit("models/threads.html")
    look = Look(page.context)
    look.open(page.url)
    look.unfold()
    none(_faint(look))
    for number, (place, property, value) in enumerate(FAINT, 1):
        shown = look.page.locator(place).locator("visible=true").last
        shown.evaluate("(it, [property, value]) => it.style[property] = value", [property, value])
        assert len(_faint(look)) >= number, place


def _faint(look):
    colours, _ = look.ask_axe(only_colours=True)
    return colours
