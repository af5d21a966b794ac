"""A page as a reader meets it, and how the tests ask it something."""

from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT

REPORT = "the report"
SPECIMENS = (
    "index.html",
    "glossary.html",
    "search.html",
    "side-by-side.html",
    "articles/index.html",
    "measurements/rings.html",
    "models/index.html",
    "models/threads.html",
    "changelog.html",
    "reference/contract.html",
    "reference/contract/channels.html",
    "reference/commands/ring.html",
    "reference/guarantees/delivery.html",
    "start/five-minutes.html",
    "teachers/session-1.html",
    "tutorial/races.html",
    REPORT,
)
"""A page of each kind, which is looked at in every way also without `--thorough`."""
QUESTIONS = Path(__file__).with_name("questions.js").read_text()
COLOUR_RULES = ["color-contrast", "link-in-text-block"]  # axe's only ones that tell light from dark
TRIES = 3
"""On so many pages axe is asked about a look that it can't judge."""
HEIGHT = 900
WAIT = 10_000  # milliseconds; nothing here takes a tenth of it
GIVEN_UP = "net::ERR_ABORTED"
"""What becomes of a request for a page that is left, or closed, before the answer is there."""

SETTLED = """() => document.readyState === 'complete'
    && document.getAnimations().every(it => it.playState !== 'running')"""
UNFOLD = """() => {
    window.unfolded = [...document.querySelectorAll("article details:not([open]), main details:not([open])")];
    unfolded.forEach(it => it.open = true);
}"""


def new_context(browser, width, **settings):
    """What one reader has: a window of this width, and a memory of the choices made."""
    context = browser.new_context(viewport={"width": width, "height": HEIGHT}, **settings)
    context.set_default_timeout(WAIT)
    return context


class Look:
    """One tab of a reader's, and in `troubles` what the browser and the network had to say of the page in it."""

    def __init__(self, context):
        self.page = context.new_page()
        self.address = None
        self.troubles = []
        self._tried, self._good = Counter(), set()
        self._listen()

    def open(self, address):
        """Go there, and wait until it's all there."""
        self.address = address
        self.troubles.clear()
        self.page.goto(address)
        self.settle()

    def leave(self):
        """Show nothing: a page that became narrow before it is left would drop the pictures that it then asks for."""
        self.page.goto("about:blank")

    def settle(self):
        """Wait until everything is loaded and no colour is on its way to another."""
        self.page.wait_for_function(SETTLED)

    def is_wide(self, width):
        """Whether it is so many pixels wide."""
        return self.page.viewport_size["width"] == width

    def be_wide(self, width):
        """Be so many pixels wide, and let the page's scripts hear of that, as they do before it is drawn."""
        if not self.is_wide(width):
            self.page.set_viewport_size({"width": width, "height": HEIGHT})
            self.ask("drawnAt", width)
            self.settle()

    def wear(self, scheme):
        """Be light or dark, as the reader's system asks for."""
        self.page.emulate_media(color_scheme=scheme)
        self.settle()

    def unfold(self):
        """Open every folded answer, and let nothing move from now on."""
        self.page.add_style_tag(content="* { transition: none !important; animation: none !important }")
        self.page.evaluate(UNFOLD)
        self.settle()

    def ask(self, question, *arguments):
        """What is wrong with the page: one of questions.js."""
        return self.page.evaluate(f"it => {QUESTIONS.strip()}.{question}(...it)", arguments)

    def ask_axe(self, about, *, every=False, known=()):
        """What axe finds serious or critical now, about "colours" or "others"; and the looks of the texts whose colours
        it found good, and of all that it tried: one text of each look that isn't known, or with `every` each text."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
            self.ask("prepareAxe", COLOUR_RULES)
        return self.ask("accessible", COLOUR_RULES, about == "colours", every, list(known))

    def barriers(self, about, *, every=False):
        """What axe finds about "colours" or "others"; what it found good on one page is not tried on the next.

        That is so for the looks of texts, and for the kinds of elements. A look that it can't judge, such as a box to
        tick, is tried a few times.
        """
        return self._faint_texts(every) if about == "colours" else self._other_barriers(every)

    def _faint_texts(self, every):
        known = [look for look, times in self._tried.items() if times >= TRIES]
        if not every and not self.ask("newLooks", known):
            return []
        found, good, tried = self.ask_axe("colours", every=every, known=known)
        if not found:
            self._tried.update(tried)
            self._tried.update(dict.fromkeys(good, TRIES))
        return found

    def _other_barriers(self, every):
        kinds = set(self.ask("kinds"))
        if not every and kinds <= self._good:
            return []
        found, *_ = self.ask_axe("others", every=every)
        if not found:
            self._good |= kinds
        return found

    def _listen(self):
        page, note = self.page, self.troubles.append
        page.on("console", lambda it: it.type == "error" and note(f"{it.location['url']}: {it.text}"))
        page.on("pageerror", lambda it: note(f"script: {it}"))
        page.on("requestfailed", lambda it: it.failure == GIVEN_UP or note(f"failed: {it.url}: {it.failure}"))
        page.on("response", lambda it: it.status >= 400 and note(f"status {it.status}: {it.url}"))
        page.on("request", lambda it: self._is_ours(it.url) or note(f"asked elsewhere: {it.url}"))

    def _is_ours(self, url):
        """The site may ask for its own files; a report, which is one file, for nothing but itself."""
        asked, own = urlsplit(url), urlsplit(self.address)
        if own.scheme == "file":
            return asked.scheme in ("data", "blob") or asked.path == own.path
        return asked.scheme in ("data", "blob") or asked.netloc == own.netloc


def none(found):
    """Whether nothing was found; else a failure that lists it, a line each."""
    assert not found, "\n".join(["", *found])
