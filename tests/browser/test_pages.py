"""What holds for every page: an item for each page, and in it a subtest for each thing that is asked.

As a rule a page is narrow and dark, then wide and light: it is opened in a narrow window that is then made wide. Each
kind of page has a SPECIMEN that is all four, is opened at each width, and is opened with scripts off. With
`--thorough`, all pages are, and every text is looked at.

What axe says beside colours is asked once for each page, where it is narrow: there code and tables have to scroll.
"""

import pytest
from browser import SCHEMES, WIDTHS
from looking import SPECIMENS, Look, none

USUAL = {"narrow": "dark", "wide": "light"}

FAINT = (
    (".sidebar-tree a", "color", "#aaa"),
    ("article p:not(:has(*))", "color", "#999"),
    (".toc-tree a", "backgroundColor", "#555"),
    ("article pre span.n", "color", "#bbb"),
)


@pytest.mark.timeout(240)
def test_it_is_in_order(tab, address_of, name, thorough, subtests):
    in_full = thorough or name in SPECIMENS
    tab.leave()
    for width, usual in USUAL.items():
        if in_full:
            tab.leave()
        tab.be_wide(WIDTHS[width])
        if in_full or width == "narrow":
            tab.open(address_of(name))
            tab.unfold()
        ask_in_any_colours(tab, width, subtests)
        for scheme in [usual, *(it for it in SCHEMES if in_full and it != usual)]:
            tab.wear(scheme)
            about = {"width": width, "scheme": scheme}
            with subtests.test("it does not scroll sideways", **about):
                none(tab.ask("tooWide"))
            if scheme == usual and (in_full or width == "narrow"):
                with subtests.test("it is accessible", **about):
                    none(tab.barriers("others", every=thorough))
            with subtests.test("its colours are accessible", **about):
                none(tab.barriers("colours", every=thorough))


def ask_in_any_colours(tab, width, subtests):
    with subtests.test("the browser has nothing to complain of", width=width):
        none(tab.ask("brokenPictures"))
        none(tab.troubles)
    with subtests.test("nothing is cut off", width=width):
        none(tab.ask("cutOff"))
    if width == "wide":
        with subtests.test("pictures say what they show"):
            none(tab.ask("unnamedPictures"))
        with subtests.test("headings are in order"):
            none(tab.ask("headingLeaps"))


def test_it_can_be_read_with_scripts_off(tab_without_scripts, address_of, specimen):
    look = tab_without_scripts
    look.open(address_of(specimen))
    assert len(look.page.inner_text("main, [role=main]").split()) >= 3
    none(look.ask("hiddenCode"))
    none(look.ask("brokenPictures"))
    none(look.troubles)


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
    return look.ask_axe("colours")[0]
