"""The page on which a reader lays two programs, or two models, next to each other."""

import re

import pytest
from playwright.sync_api import expect

PAGE = "side-by-side.html"


MODELS = "How two models are built"


@pytest.fixture
def models(visit):
    page = visit(PAGE)
    page.get_by_text(MODELS).click()
    return page.locator(".side-by-side")


@pytest.fixture
def idioms(visit):
    return visit(PAGE).locator(".idioms")


def _shows(models, left, right):
    """What is chosen, what the page says, what the address says, and the code on both sides."""
    expect(models.get_by_label("Left")).to_have_value(left)
    expect(models.get_by_label("Right")).to_have_value(right)
    expect(models.get_by_role("status")).to_contain_text(f"{left} and {right}")
    expect(models.page).to_have_url(re.compile(f"/{PAGE}#{left}/{right}$"))
    assert "class TaskGroup" in _code(models, ".left"), f"{left}'s model is missing"
    assert "class TaskGroup" in _code(models, ".right"), f"{right}'s model is missing"


def _code(models, side):
    return "\n".join(models.locator(f".sides-code {side}").all_inner_texts())


def test_by_mouse(models):
    models.get_by_label("Left").select_option("trio")
    models.get_by_label("Right").select_option("gevent")
    _shows(models, "trio", "gevent")
    trio, gevent = _code(models, ".left"), _code(models, ".right")
    assert "import trio" in trio and "import gevent" in gevent
    models.get_by_role("button", name="Swap").click()
    _shows(models, "gevent", "trio")
    assert (_code(models, ".left"), _code(models, ".right")) == (gevent, trio)


def test_by_keyboard(models):
    left, keyboard = models.get_by_label("Left"), models.page.keyboard
    left.focus()
    first = left.input_value()
    keyboard.press("ArrowDown")
    expect(left).not_to_have_value(first)
    chosen = left.input_value()
    keyboard.press("Tab")
    keyboard.type("trio")
    _shows(models, chosen, "trio")
    keyboard.press("Tab")
    keyboard.press("Enter")
    _shows(models, "trio", chosen)


def test_a_pair_of_models_can_be_sent_to_somebody(visit):
    _shows(visit(f"{PAGE}#anyio/eventlet").locator(".side-by-side"), "anyio", "eventlet")


def test_differences_are_marked(models):
    models.get_by_label("Left").select_option("threads")
    models.get_by_label("Right").select_option("rawthreads")
    ground = "it => getComputedStyle(it).backgroundColor"
    same = models.locator(".sides-code .same pre").first.evaluate(ground)
    other = models.locator(".sides-code .other pre:not(.empty)").first.evaluate(ground)
    assert same != other


def _has(idioms, task, left, right):
    """What is chosen, what the address says, and the program on each side, or the reason why there is none."""
    assert [it.input_value() for it in idioms.locator("select").all()] == [task, left, right]
    for library, side in ((left, ".left"), (right, ".right")):
        shown = idioms.locator(f".idioms-pair {side} .idiom")
        expect(shown).to_have_count(1)
        expect(shown).to_be_visible()
        path = shown.locator(".idiom-path")
        if path.count():
            expect(path).to_have_text(f"examples/idioms/{library}/{task}.py")
        else:
            expect(shown.locator(".idiom-without")).not_to_be_empty()


def test_a_task_in_two_libraries_is_chosen(idioms):
    _has(idioms, "worker_pool", "threading", "asyncio")
    idioms.get_by_label("Task").select_option("Timeout")
    idioms.get_by_label("Left").select_option("trio")
    _has(idioms, "timeout", "trio", "asyncio")
    expect(idioms.get_by_role("status")).to_contain_text("Timeout: trio, and asyncio")
    expect(idioms.locator(".idioms-printed")).to_contain_text("no answer in time")
    idioms.get_by_role("button", name="Swap").click()
    _has(idioms, "timeout", "asyncio", "trio")
    expect(idioms.page).to_have_url(re.compile(f"/{PAGE}#timeout/asyncio/trio$"))


def test_choosing_the_library_of_the_other_side_swaps_the_two(idioms):
    idioms.get_by_label("Left").select_option("asyncio")
    _has(idioms, "worker_pool", "asyncio", "threading")


def test_a_library_without_a_program_says_why(idioms):
    idioms.get_by_label("Task").select_option("Async code called from sync")
    idioms.get_by_label("Left").select_option("gevent")
    _has(idioms, "async_from_sync", "gevent", "asyncio")
    expect(idioms.locator(".left .idiom-without")).to_contain_text("no async functions")


def test_a_task_can_be_sent_to_somebody(visit):
    _has(visit(f"{PAGE}#ctrl_c/trio/gevent").locator(".idioms"), "ctrl_c", "trio", "gevent")


def test_it_can_be_read_without_scripts(visit):
    page = visit(PAGE, java_script_enabled=False)
    page.locator("summary", has_text="Fan-in").click()
    page.locator("[data-task=fan_in] [data-library=trio] summary").click()
    expect(page.locator("[data-task=fan_in] [data-library=trio] pre")).to_contain_text("open_memory_channel")
    page.get_by_text(MODELS).click()
    assert "class TaskGroup" in page.inner_text(".side-by-side")
