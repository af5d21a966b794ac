"""The page on which a reader lays two models next to each other."""

import re

import pytest
from playwright.sync_api import expect

PAGE = "side-by-side.html"


@pytest.fixture
def page(visit):
    return visit(PAGE)


def _shows(page, left, right):
    """What is chosen, what the page says, what the address says, and the code on both sides."""
    expect(page.get_by_label("Left")).to_have_value(left)
    expect(page.get_by_label("Right")).to_have_value(right)
    expect(page.get_by_role("status")).to_contain_text(f"{left} and {right}")
    expect(page).to_have_url(re.compile(f"/{PAGE}#{left}/{right}$"))
    assert "class TaskGroup" in _code(page, ".left"), f"{left}'s model is missing"
    assert "class TaskGroup" in _code(page, ".right"), f"{right}'s model is missing"


def _code(page, side):
    return "\n".join(page.locator(f".sides-code {side}").all_inner_texts())


def test_by_mouse(page):
    page.get_by_label("Left").select_option("trio")
    page.get_by_label("Right").select_option("gevent")
    _shows(page, "trio", "gevent")
    trio, gevent = _code(page, ".left"), _code(page, ".right")
    assert "import trio" in trio and "import gevent" in gevent
    page.get_by_role("button", name="Swap").click()
    _shows(page, "gevent", "trio")
    assert (_code(page, ".left"), _code(page, ".right")) == (gevent, trio)


def test_by_keyboard(page):
    left = page.get_by_label("Left")
    left.focus()
    first = left.input_value()
    page.keyboard.press("ArrowDown")
    expect(left).not_to_have_value(first)
    chosen = left.input_value()
    page.keyboard.press("Tab")
    page.keyboard.type("trio")
    _shows(page, chosen, "trio")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    _shows(page, "trio", chosen)


def test_a_pair_can_be_sent_to_somebody(visit):
    _shows(visit(f"{PAGE}#anyio/eventlet"), "anyio", "eventlet")


def test_differences_are_marked(page):
    page.get_by_label("Left").select_option("threads")
    page.get_by_label("Right").select_option("rawthreads")
    ground = "it => getComputedStyle(it).backgroundColor"
    same = page.locator(".sides-code .same pre").first.evaluate(ground)
    other = page.locator(".sides-code .other pre:not(.empty)").first.evaluate(ground)
    assert same != other


def test_it_can_be_read_without_scripts(visit):
    page = visit(PAGE, java_script_enabled=False)
    assert "class TaskGroup" in page.inner_text(".side-by-side")
