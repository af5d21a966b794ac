"""A reader who clicks and types: tabs, search, light and dark, the menu on a phone, copying a command."""

import pytest
from browser import WIDTHS
from looking import UNFOLD
from playwright.sync_api import expect


def _unchosen(page):
    """The label of a tab that is not open."""
    return page.locator(".sd-tab-set").first.locator("> input:not(:checked) + label[data-sync-id]").first


def _content(page, model):
    """What the tabs of that label hold, right after it."""
    return page.locator(f"label[data-sync-id='{model}'] + .sd-tab-content")


def _has_opened(page, model):
    page.evaluate(UNFOLD)  # some tabs are in an answer
    shown = _content(page, model)
    assert shown.count()
    for index in range(shown.count()):
        expect(shown.nth(index)).to_be_visible()


def test_a_tab_opens_on_this_page_and_on_the_next(visit, tabbed, address_of):
    page = visit(tabbed[0])
    label = _unchosen(page)
    model = label.get_attribute("data-sync-id")
    expect(_content(page, model).first).to_be_hidden()
    label.click()
    _has_opened(page, model)
    page.goto(address_of(tabbed[1]))
    _has_opened(page, model)


def test_tabs_open_by_keyboard(visit, tabbed):
    page = visit(tabbed[0])
    tabs = page.locator(".sd-tab-set").first
    tabs.locator("> input:checked").focus()
    page.keyboard.press("ArrowRight")
    model = tabs.locator("> input:checked + label").get_attribute("data-sync-id")
    assert tabs.locator("> label").nth(0).get_attribute("data-sync-id") != model
    _has_opened(page, model)


def test_tabs_open_without_scripts(visit, tabbed):
    page = visit(tabbed[0], java_script_enabled=False)
    label = _unchosen(page)
    model = label.get_attribute("data-sync-id")
    label.click()
    expect(_content(page, model).first).to_be_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_search_finds_deadlock(visit, width):
    page = visit("index.html", width)
    if width == "narrow":
        _open_menu(page)
    page.get_by_role("textbox", name="Search").fill("deadlock")
    page.keyboard.press("Enter")
    result = page.locator("#search-results li a").first
    expect(result).to_be_visible()
    page.wait_for_load_state("networkidle")  # it still fetches what it quotes
    result.click()
    expect(page.locator("article")).to_contain_text("deadlock", ignore_case=True)


def test_light_or_dark_as_the_system_asks_for(visit):
    page = visit("index.html", color_scheme="light")
    light = _brightness(page)
    page.emulate_media(color_scheme="dark")
    assert light > 200 > 80 > _brightness(page)


def test_light_or_dark_as_the_reader_chose(visit, address_of):
    page = visit("index.html", color_scheme="light")
    button = page.locator(".theme-toggle:visible")
    for _ in range(3):  # it goes round: auto, light, dark
        if _brightness(page) < 80:
            break
        button.click()
    page.wait_for_load_state("networkidle")  # a page that is left drops the pictures that are still on their way
    page.goto(address_of("glossary.html"))
    assert _brightness(page) < 80


def _brightness(page):
    """Of the page's ground, 0 to 255."""
    colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))) / 3


def test_the_menu_on_a_phone(visit):
    page = visit("index.html", "narrow")
    link = page.locator(".sidebar-tree").get_by_role("link", name="Glossary")
    expect(link).not_to_be_in_viewport()
    _open_menu(page)
    link.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Glossary")


def test_the_side_bar_shows_the_page_of_the_reader(visit):
    page = visit("reference/commands/ring.html")  # far down in a list that is longer than the window
    expect(page.locator(".sidebar-tree .current-page > a")).to_be_in_viewport()


def _open_menu(page):
    page.locator("header label[for=__navigation]").click()
    expect(page.get_by_role("textbox", name="Search")).to_be_in_viewport()


def test_a_command_is_copied_without_its_prompt(visit, site):
    page = visit("index.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site)
    command = page.locator("div.highlight-console", has_text="make demo")
    command.hover()
    command.locator("button.copybtn").click()
    expect(page.locator("button.copybtn.success").first).to_be_visible()
    assert page.evaluate("() => navigator.clipboard.readText()").strip() == "make demo"
