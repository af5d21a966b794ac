"""What holds for every page: an item for each page, and in it a subtest for each thing that is asked.

As a rule a page is narrow, where code and tables have to scroll, and dark or light in turn. Each kind of page has a
SPECIMEN that is narrow and wide, dark and light, and is opened with scripts off. With `--thorough`, all pages are, and
every text is looked at.

axe takes longer than all else, so it judges what no page has had before: colours of texts that look otherwise, and
pages with an element of another kind.
"""

import pytest
from browser import SCHEMES, WIDTHS
from looking import SPECIMENS, Look, none

LONGEST = 6000
"""Pixels of a model's page where it is wide."""
LONG = 4000
"""Pixels from which on a page has a fold-out "In short"."""
FAINT = (
    (".sidebar-tree a", "color", "#aaa"),
    ("article p:not(:has(*))", "color", "#999"),
    (".toc-tree a", "backgroundColor", "#555"),
    ("article pre span.n", "color", "#bbb"),
)
BARRED = {
    "image-alt": ("article p", "it => it.innerHTML = '<img src=\"\">'"),
    "link-name": ("article p a", "it => it.textContent = ''"),
    "button-name": ("button:has(svg)", "it => { it.innerHTML = ''; it.removeAttribute('aria-label'); it.title = ''; }"),
    "list": ("article ul", "it => it.append(document.createElement('p'))"),
    "scrollable-region-focusable": (
        "article p code",
        "it => it.style = 'display: block; width: 9px; overflow: auto; white-space: pre'",
    ),
    "aria-roles": ("article h1", "it => it.setAttribute('role', 'nonsense')"),
}
"""By the rule of axe's that finds it: an element, and what is done to it."""


@pytest.mark.timeout(240)
def test_it_is_in_order(tab, address_of, name, thorough, subtests):
    in_full = thorough or name in SPECIMENS
    for width in WIDTHS if in_full else ["narrow"]:
        if not tab.is_wide(WIDTHS[width]):
            tab.leave()
            tab.be_wide(WIDTHS[width])
        tab.open(address_of(name))
        tab.unfold()
        ask_in_any_colours(tab, width, subtests)
        for scheme in SCHEMES if in_full else [SCHEMES[len(name) % 2]]:
            tab.wear(scheme)
            about = {"width": width, "scheme": scheme}
            with subtests.test("it does not scroll sideways", **about):
                none(tab.ask("tooWide"))
            with subtests.test("its colours are accessible", **about):
                none(tab.barriers("colours", every=thorough))
        with subtests.test("it is accessible", width=width):
            none(tab.barriers("others", every=thorough))
    if name.startswith("models/"):
        tab.be_wide(WIDTHS["wide"])
        with subtests.test("it is not long"):
            none(tab.ask("brokenPictures"))  # waits for those that are shown where it is wide
            none(tab.ask("tooHigh", LONGEST))
        with subtests.test("a long one says in short what is on it"):
            none(tab.ask("withoutSummary", LONG))


def ask_in_any_colours(tab, width, subtests):
    with subtests.test("the browser has nothing to complain of", width=width):
        none(tab.ask("brokenPictures"))
        none(tab.troubles)
    with subtests.test("nothing is cut off", width=width):
        none(tab.ask("cutOff"))
    with subtests.test("pictures say what they show", width=width):
        none(tab.ask("unnamedPictures"))
    with subtests.test("headings are in order", width=width):
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
    none(look.barriers("colours"))
    none(look.barriers("colours"))
    for number, (place, property, value) in enumerate(FAINT, 1):
        shown = look.page.locator(place).locator("visible=true").last
        shown.evaluate("(it, [property, value]) => it.style[property] = value", [property, value])
        assert len(look.barriers("colours")) >= number, place


def test_a_barrier_is_found_on_a_page_that_is_like_those_before(visit):
    """A page of which all kinds of elements are known to be good is not tried, until it has one that is not."""
    look = Look(visit("tutorial/index.html", "narrow").context)
    look.open(visit.looks[0].address)
    none(look.barriers("others"))
    known = set(look.ask("kinds"))
    for rule, (place, change) in BARRED.items():
        look.page.locator(place).locator("visible=true").last.evaluate(change)
        assert known < (known := known | set(look.ask("kinds"))), rule
    found = look.barriers("others")
    assert [rule for rule in BARRED if not any(it.startswith(f"{rule} ") for it in found)] == []
