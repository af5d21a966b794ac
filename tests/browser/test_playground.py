"""Programs that a reader changes and runs in the page: what is asked, what is answered, and what is not loaded."""

import re

import pytest
from browser import ROOT, SCHEMES, WIDTHS
from looking import none
from playwright.sync_api import expect

PAGE, GAME = "start/run-here.html", "start/game.html"
pytestmark = pytest.mark.timeout(300)  # some ask ten questions
PATIENCE_MS = 100_000
"""How long an answer may take on a busy machine; on a quiet one Python needs two to four seconds to begin."""
WORKS = "()=> document.querySelector('.playground-button:disabled') === null"
CAN_NOT_BE_RUN = (
    ("def main(:\n    pass\n", "program.py"),
    ("import socket\n\ndef main():\n    socket.create_connection(('127.0.0.1', 9))\n", "socket"),
    ("visitors = 0\n", "main"),
    ("import trio\n\nasync def main():\n    await trio.sleep(1)\n", "trio"),
    ("import asyncio\n\nasync def main():\n    await asyncio.sleep(1)\n", "asyncio"),
)
"""Programs, and a word of the answer."""
MENDED = """
import threading

visitors = 0
lock = threading.Lock()


def visit():
    global visitors
    with lock:
        visitors += 1
"""
RACES = ROOT / "examples/races"
ASSERTION = re.compile(r"\bassert .+")


@pytest.fixture
def playground(visit, pytestconfig):
    """A function that opens the program with this name on a page, and returns its part of the page."""
    if not (pytestconfig.option.site / "_static/playground").exists():
        pytest.skip("the site was built without what runs programs in a browser: `make playground docs`")

    def open_program(name="lost-update-broken", page=PAGE, **settings):
        root = visit(page, **settings).locator(f"#run-{name}")
        if page == GAME:
            root.locator("xpath=ancestor::details[1]").evaluate("level => { level.open = true }")
        root.get_by_role("button", name="Play" if page == GAME else "Change and run it").click()
        expect(root.locator(".cm-editor")).to_be_visible()
        if page == GAME:
            answered(root)
        return root

    return open_program


def ask(root, button):
    """Press a button, and wait for the answer."""
    root.get_by_role("button", name=button, exact=True).click()
    answered(root)


def answered(root):
    root.page.wait_for_function(WORKS, timeout=PATIENCE_MS)
    assert not root.locator(".playground-status").inner_text()


def choose(root, task):
    """Let this task go on."""
    root.locator(".playground-choices button").filter(has_text=task).first.click()
    answered(root)


def verdict(root):
    return root.locator(".playground-verdict").inner_text()


def write(root, text):
    """Take the text of the editor away, and put this one there."""
    root.locator(".cm-content").focus()
    root.page.keyboard.press("Control+a")
    root.page.keyboard.insert_text(text)


def program(root):
    return "\n".join(root.locator(".cm-line").all_inner_texts()).replace("\n\n\n", "\n\n")


def names(folder):
    return [it.name for it in folder.rglob("*")]


def test_nothing_is_loaded_before_the_click(visit, playground, pytestconfig):
    playground()  # skips, where there is none
    page = visit("index.html")
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.goto(page.url.replace("index.html", PAGE))
    page.wait_for_load_state("networkidle")
    ours = {it.partition("?")[0] for it in asked} & {*names(pytestconfig.option.site / "_static/playground")}
    assert ours == {"playground.js", "playground.css"}


def the_keyboard_alone_is_enough(root):
    keyboard = root.page.keyboard
    root.locator(".cm-content").focus()
    keyboard.press("Escape")
    keyboard.press("Tab")
    expect(root.get_by_role("button", name="Try every schedule")).to_be_focused()
    keyboard.press("Enter")
    answered(root)
    assert verdict(root).startswith("Broken")


def a_lost_update_is_found_played_again_and_mended(root):
    ask(root, "Run")
    assert verdict(root).startswith("It ended well")
    ask(root, "Try every schedule")
    assert verdict(root) == "Broken, on schedule 5. AssertionError: two came, 1 counted"
    assert root.locator(".schedule li.forced").count() == 1
    assert "data race: visitors is" in root.locator(".playground-result").inner_text()
    assert "    visitors += 1" in root.locator(".playground-marked").all_inner_texts()
    replay_id = root.locator(".playground-remark code").inner_text()
    root.locator("summary").get_by_text("More").click()
    root.get_by_label("Replay id").fill(replay_id)
    ask(root, "Run this schedule")
    assert verdict(root).endswith("AssertionError: two came, 1 counted")
    write(root, MENDED + program(root)[program(root).index("\ndef main") :])
    ask(root, "Try every schedule")
    assert verdict(root) == "Held in all 2 schedules."
    root.get_by_role("button", name="Undo my changes").click()
    assert "with lock" not in program(root)


def what_can_not_be_run_is_answered_by_a_sentence(root):
    for text, told in CAN_NOT_BE_RUN:
        write(root, text)
        ask(root, "Try every schedule")
        assert told in root.locator(".playground-verdict").inner_text()
        assert "Traceback" not in root.inner_text()


def a_program_that_never_ends_is_stopped(root):
    write(root, "def main():\n    while True:\n        pass\n")
    root.get_by_role("button", name="Run", exact=True).click()
    expect(root.locator(".playground-status")).to_have_text("Running …", timeout=PATIENCE_MS)
    root.get_by_role("button", name="Stop").click()
    expect(root.locator(".playground-status")).to_have_text("Stopped.")
    root.get_by_role("button", name="Undo my changes").click()
    ask(root, "Run")
    assert verdict(root).startswith("It ended well")


ON_ONE_PAGE = (
    the_keyboard_alone_is_enough,
    a_lost_update_is_found_played_again_and_mended,
    what_can_not_be_run_is_answered_by_a_sentence,
    a_program_that_never_ends_is_stopped,
)
"""What is asked of a page one after the other: to begin, Python takes longer than all of these."""


def test_a_program_in_the_page(playground, subtests):
    root = playground()
    for asked in ON_ONE_PAGE:
        with subtests.test(asked.__name__):
            asked(root)


def test_the_reader_is_the_scheduler(playground, visit):
    assert visit(GAME).locator("#run-lost-update-broken").get_by_role("button", name="Play").is_visible()
    root = playground("lost-update-broken", GAME)
    for task in ("Thread-1", "Thread-1", "Thread-1"):  # the last one writes, and should wait
        choose(root, task)
    ask(root, "Take the last choice back")
    for _ in range(4):  # begins, reads, writes, ends
        choose(root, "Thread-2")
    assert verdict(root) == "You broke it. AssertionError: two came, 1 counted"
    steps = root.locator(".schedule .step").all_inner_texts()
    assert steps[1:6] == ["begin", "read visitors", "begin", "read visitors", "write visitors"]
    assert "Thread-2" in root.locator(".schedule li.forced").inner_text()
    state, score = root.page.locator(".level-state").first, root.page.locator(".game-score")
    expect(state).to_contain_text("1 forced switch: nobody needs fewer. Now mend it")
    expect(score).to_contain_text("1 of 10 broken, 0 mended")
    root.page.get_by_role("button", name="Mend it").click()
    expect(root.locator(".cm-content")).to_be_focused()
    write(root, ASSERTION.sub("pass", (RACES / "lost_update_broken.py").read_text()))
    ask(root, "Try every schedule")
    expect(state).to_contain_text("That doesn't count: leave main and each assert as they are.")
    expect(score).to_contain_text("1 of 10 broken, 0 mended")
    root.get_by_role("button", name="Undo my changes").click()
    write(root, (RACES / "lost_update_broken.py").read_text().replace("visitors += 1", "visitors += 2 - 1"))
    ask(root, "Try every schedule")
    expect(state).to_contain_text("Not mended yet: the picture shows an order that breaks it.")
    root.get_by_role("button", name="Undo my changes").click()
    write(root, MENDED + program(root)[program(root).index("\ndef main") :])
    ask(root, "Try every schedule")
    expect(score).to_contain_text("1 of 10 broken, 1 mended")
    held = program(root)
    write(root, "def")
    ask(root, "Try every schedule")
    expect(root.page.locator(".level-state").first).to_be_empty()
    write(root, held)
    ask(root, "Try every schedule")
    root.page.get_by_role("button", name="Next level").click()
    expect(root.page.locator("#run-check-then-act-broken").get_by_role("button", name="Play")).to_be_focused()
    root.page.reload()
    expect(root.page.locator(".game-score")).to_contain_text("1 of 10 broken, 1 mended")
    root.page.get_by_role("button", name="Begin again").click()
    expect(root.page.locator(".game-score")).to_contain_text("0 of 10 broken, 0 mended")


def test_an_order_that_does_no_harm_is_no_win(playground):
    root = playground("lost-update-broken", GAME)
    for task in ("Thread-1",) * 4 + ("Thread-2",) * 4:
        choose(root, task)
    assert verdict(root).startswith("It ended well")
    expect(root.page.locator(".level-state").first).to_contain_text("Nothing went wrong that the program checks.")
    expect(root.page.locator(".game-score")).to_contain_text("0 of 10 broken, 0 mended")


def test_a_program_without_its_assertion_is_not_mended(playground):
    root = playground("unsafe-publication-broken", GAME)  # it has its assertion outside of main
    write(root, ASSERTION.sub("pass", (RACES / "unsafe_publication_broken.py").read_text()))
    ask(root, "Try every schedule")
    assert verdict(root) == "Held in the only schedule."
    expect(root.locator("xpath=..").locator(".level-state")).to_contain_text("That doesn't count")
    expect(root.page.locator(".game-score")).to_contain_text("0 of 10 broken, 0 mended")


def test_a_level_is_played_with_the_keyboard_alone(playground):
    root = playground("lost-update-broken", GAME, width="narrow")
    for key in "Enter", "Enter", "Tab Enter", "Tab Enter", "Tab Enter", "Tab Enter":
        expect(root.locator(".playground-choices button").first).to_be_focused()
        expect(root.locator(".playground-choices button").last).to_be_in_viewport(ratio=1)
        for pressed in key.split():
            root.page.keyboard.press(pressed)
        answered(root)
    assert verdict(root).startswith("You broke it.")
    expect(root.locator(".playground-verdict")).to_be_in_viewport(ratio=1)
    expect(root.page.get_by_role("button", name="Mend it")).to_be_focused()
    root.page.keyboard.press("Enter")
    expect(root.locator(".cm-content")).to_be_focused()


def test_an_exercise_is_solved(playground):
    root = playground("races", "teachers/session-5.html")
    ask(root, "Try every schedule")
    assert "AssertionError: main returned -60 instead of 20" in verdict(root)
    assert root.locator(".schedule li").count() > 3
    write(root, (ROOT / "examples/teachers/withdraw_locked.py").read_text())
    ask(root, "Try every schedule")
    assert re.fullmatch(r"Exercise 5A is solved\. Held in all \d+ schedules\.", verdict(root))


def test_a_block_that_shows_a_part_opens_the_whole_program(playground):
    root = playground("forgotten-close", "tutorial/one-channel.html")
    assert "def main(model: SyncModel)" in program(root)
    ask(root, "Run")
    assert "Deadlock" in verdict(root)
    assert "main: receive on channel 'shelf'" in root.locator(".playground-result").inner_text()


def test_a_link_has_the_program_in_it(playground, visit):
    root = playground()
    write(root, "def main():\n    print('from a link: ß')\n")
    root.locator("summary").get_by_text("More").click()
    root.get_by_role("button", name="Copy a link").click()
    expect(root.locator(".playground-status")).to_contain_text("The link is in the address bar")
    address = root.page.url
    assert re.search(r"#run-lost-update-broken=[\w-]+$", address)
    page = visit("index.html")
    page.goto(address)
    linked = page.locator("#run-lost-update-broken")
    expect(linked.locator(".cm-content")).to_contain_text("from a link: ß")
    ask(linked, "Run")
    assert linked.locator(".playground-output").inner_text().strip() == "from a link: ß"


def test_a_browser_that_can_not_says_so_and_loads_nothing(visit, playground):
    playground()
    page = visit(PAGE)
    page.add_init_script("delete WebAssembly.Suspending")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    asked.clear()
    root = page.locator("#run-lost-update-broken")
    root.get_by_role("button", name="Change and run it").click()
    expect(root.get_by_role("status")).to_contain_text("This browser can't run programs here")
    expect(root.get_by_role("status")).to_contain_text("concmodels.explore examples/races/lost_update_broken.py")
    assert not [url for url in asked if "playground" in url]


@pytest.mark.parametrize("page", [PAGE, GAME])
def test_it_fits_a_phone_and_axe_finds_nothing_grave(playground, visit, page):
    root = playground(page=page, width="narrow")
    look = visit.looks[-1]
    for button in ("Try every schedule", "Play again" if page == GAME else "You are the scheduler"):
        ask(root, button)
        none(look.ask("tooWide"))
        for scheme in SCHEMES:
            look.wear(scheme)
            none(look.barriers("colours"))
        none(look.barriers("others"))
        if button == "Try every schedule":
            assert root.locator(".schedule li").first.bounding_box()["width"] <= WIDTHS["narrow"]
