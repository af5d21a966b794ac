"""A page as a reader meets it, and how the tests ask it something."""

from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT

QUESTIONS = Path(__file__).with_name("questions.js").read_text()
COLOUR_RULES = ["color-contrast", "link-in-text-block"]  # axe's only ones that tell light from dark
HEIGHT = 900
WAIT = 10_000  # milliseconds; nothing here takes a tenth of it
GIVEN_UP = "net::ERR_ABORTED"
"""What becomes of a request for a page that is left, or closed, before the answer is there."""

SETTLED = """() => document.readyState === 'complete'
    && document.getAnimations().every(it => it.playState !== 'running')"""
UNFOLD = "() => document.querySelectorAll('article details, main details').forEach(it => it.open = true)"


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
        self._barriers = {}
        self._listen()

    def open(self, address):
        """Go there, and wait until it's all there."""
        self.address = address
        self.troubles.clear()
        self._barriers.clear()
        self.page.goto(address)
        self.settle()

    def leave(self):
        """Show nothing: a page that became narrow before it is left would drop the pictures that it then asks for."""
        self.page.goto("about:blank")

    def settle(self):
        """Wait until everything is loaded and no colour is on its way to another."""
        self.page.wait_for_function(SETTLED)

    def be_wide(self, width):
        """Be so many pixels wide, and let the page's scripts hear of that, as they do before it is drawn."""
        if self.page.viewport_size["width"] != width:
            self._barriers.clear()
            self.page.set_viewport_size({"width": width, "height": HEIGHT})
            self.ask("drawnAt", width)
            self.settle()

    def wear(self, scheme):
        """Be light or dark, as the reader's system asks for."""
        self._barriers.pop("colours", None)
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

    def ask_axe(self, *, only_colours=False, every=False):
        """What axe finds serious or critical now: about colours, and beside them; of colours with `every` each text."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
            self.ask("prepareAxe", COLOUR_RULES)
        return self.ask("accessible", COLOUR_RULES, only_colours, every)

    def barriers(self, kind, *, every=False):
        """The same of one kind, "colours" or "others", from one answer for both as long as the page looks the same."""
        if kind not in self._barriers:
            colours, others = self.ask_axe(only_colours="others" in self._barriers, every=every)
            self._barriers = {"others": others} | self._barriers | {"colours": colours}
        return self._barriers[kind]

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
