// What the tests ask a page. Each answer is a list of what is wrong: empty is good.
({
  inArticle(selector) {
    const all = [...document.querySelectorAll("article, main")].flatMap((it) => [...it.querySelectorAll(selector)]);
    return [...new Set(all)];
  },

  // Two frames after the page has become so wide, its scripts have heard of that.
  async drawnAt(width) {
    const frame = () => new Promise((drawn) => { requestAnimationFrame(drawn); });
    while (innerWidth !== width) await frame();
    await frame();
    await frame();
  },

  shown(elements) {
    return elements.map((it) => it.outerHTML.replace(/\s+/g, " ").slice(0, 120));
  },

  // The innermost elements that stick out of the page, furthest first, to name the culprit.
  tooWide() {
    const end = (it) => it.getBoundingClientRect().right;
    const sticksOut = (it) => it.checkVisibility() && end(it) > innerWidth + 1;
    const culprits = [...document.querySelectorAll("body *")]
      .filter((it) => sticksOut(it) && ![...it.children].some(sticksOut))
      .sort((one, other) => end(other) - end(one));
    const width = document.scrollingElement.scrollWidth;
    return width <= innerWidth ? [] : [`${width} pixels wide`, ...this.shown(culprits.slice(0, 5))];
  },

  // A page that is longer than this with every answer folded.
  tooHigh(most) {
    unfolded.forEach((it) => { it.open = false; });
    const height = document.documentElement.scrollHeight;
    return height > most ? [`${height} pixels high, where ${most} are enough`] : [];
  },

  // A page that is long and doesn't say in short what is on it.
  withoutSummary(most) {
    const said = [...document.querySelectorAll("article summary")].some((it) => it.textContent.includes("In short"));
    const height = document.documentElement.scrollHeight;
    return height > most && !said ? [`${height} pixels high, without "In short"`] : [];
  },

  // What is wider than its frame while the frame lets nobody scroll. Frames of a pixel hide what only is read out.
  cutOff() {
    return this.shown(this.inArticle("*").filter((it) => it.checkVisibility() && it.clientWidth > 1
      && it.scrollWidth > it.clientWidth + 1 && ["hidden", "clip"].includes(getComputedStyle(it).overflowX)));
  },

  // Also those further down, which the browser would load only when somebody scrolls there.
  async brokenPictures() {
    const pictures = [...document.images].filter((it) => it.checkVisibility());
    const broken = await Promise.all(pictures.map((it) => {
      it.loading = "eager";
      return it.decode().then(() => false, () => true);
    }));
    return this.shown(pictures.filter((_, index) => broken[index]));
  },

  unnamedPictures() {
    const isNamed = (it) => ["alt", "aria-label", "aria-labelledby"].some((name) => (it.getAttribute(name) || "").trim())
      || it.querySelector(":scope > title");
    const isDecoration = (it) => it.closest("[aria-hidden=true], [role=presentation], button") || it.matches("svg svg");
    return this.shown(this.inArticle("img, svg").filter((it) => !isDecoration(it) && !isNamed(it)));
  },

  headingLeaps() {
    const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((it) => it.checkVisibility());
    const levels = [0, ...headings.map((it) => Number(it.tagName[1]))];
    const leaps = headings.filter((_, index) => levels[index + 1] > levels[index] + 1);
    return levels.includes(1) ? this.shown(leaps) : ["there is no first heading", ...this.shown(leaps)];
  },

  // Answers stay folded and tabs unchosen until somebody opens them.
  hiddenCode() {
    const mayHide = "details:not([open]), .sd-tab-content";
    return this.shown(this.inArticle("pre").filter((it) => !it.closest(mayHide) && !it.checkVisibility()));
  },

  // Once for each axe: what is marked, and nothing else, is looked at for its colours, and rules whose violations would
  // not be grave are not tried at all. The impact that a rule has is that of all its violations.
  prepareAxe(colourRules) {
    const rules = axe._audit.rules.map(({ id, selector, impact }) => ({
      id,
      ...(["minor", "moderate"].includes(impact) && { enabled: false }),
      ...(colourRules.includes(id) && { selector: `${selector}[data-judged]` }),
    }));
    axe.configure({ rules });
  },

  // The looks of the page's texts that are not known yet.
  newLooks(known) {
    const alike = new Set([...document.querySelectorAll("pre")].flatMap((it) => this.wordsLikeOthers(it)));
    return [...this.oneOfEachLook(alike, new Set(known)).keys()];
  },

  // The kinds of the page's elements, as far as rules that are not about colours tell them apart: what they are,
  // in which list or table they stand, which attributes they have, with the values of some, whether they have text, and
  // whether they scroll.
  kinds() {
    const values = ["role", "type", "lang", "scope", "tabindex", "aria-hidden", "aria-live"];
    const ignored = ["class", "id", "style", "src", "srcset", "d", "loading", "width", "height"];
    const isEmpty = (it) => !it.textContent.trim();
    const scrolls = (it) => (it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight)
      && /auto|scroll/.test(getComputedStyle(it).overflow);
    const attributes = (it) => it.getAttributeNames().sort()
      .filter((name) => !ignored.includes(name) && !name.startsWith("data-"))
      .map((name) => [name, it.getAttribute(name).trim() === "", values.includes(name) && it.getAttribute(name)]);
    const frames = "ul, ol, dl, table, thead, tbody, tr, select";
    const within = (it) => (it.parentElement?.matches(frames) ? it.parentElement.tagName : "");
    const kind = (it) => [it.tagName, within(it), attributes(it), isEmpty(it), scrolls(it)].join();
    const shown = [...document.querySelectorAll("*")].filter((it) => it.checkVisibility() && !it.closest("svg svg, g"));
    return [...new Set(shown.map(kind))];
  },

  // What is grave about the colours, or what else is; and of the texts whose colours it has tried, by their looks, those
  // that axe found good, and all.
  //
  // It takes milliseconds for each text, and a site has thousands in the same colour on the same ground. One of them
  // will do, unless every text is to be looked at, and none where all looks of the page are known already. The other
  // words of code are plain text meanwhile, because they would cost even if it did not look at them.
  async accessible(colourRules, aboutColours, every = false, known = []) {
    const blocks = every ? [] : [...document.querySelectorAll("pre")];
    const alike = new Set(blocks.flatMap((it) => this.wordsLikeOthers(it)));
    const some = aboutColours && !every ? this.oneOfEachLook(alike, new Set(known)) : new Map();
    const [looks, texts] = [[...some.keys()], every ? [document.documentElement] : [...some.values()]];
    if (aboutColours && !texts.length) return [[], [], []];
    const judged = texts.flatMap((it) => [it, ...it.querySelectorAll("*")]).filter((it) => !alike.has(it));
    judged.forEach((it) => it.setAttribute("data-judged", ""));
    texts.forEach((it, index) => it.setAttribute("data-judged", index));
    const restore = this.replaceWhereSizesStay(blocks, blocks.map((it) => this.withPlainWords(it, alike)));
    const { violations, passes } = await axe.run(document, aboutColours
      ? { resultTypes: ["violations", "passes"], elementRef: true, runOnly: colourRules }
      : { resultTypes: ["violations"], rules: Object.fromEntries(colourRules.map((it) => [it, { enabled: false }])) });
    const contrasts = passes.filter((it) => it.id === "color-contrast");
    const good = contrasts.flatMap((it) => it.nodes.map((node) => looks[node.element?.dataset.judged || -1]));
    restore();
    judged.forEach((it) => it.removeAttribute("data-judged"));
    return [this.grave(violations), good.filter(Boolean), looks];
  },

  // Puts the others in the place of these, but leaves what would be wider or higher by that, if only by a pixel: axe
  // also asks what scrolls. Returns a function that undoes it.
  replaceWhereSizesStay(blocks, others) {
    const size = (it) => [it.scrollWidth, it.scrollHeight].join();
    const sizes = blocks.map(size);
    blocks.forEach((it, index) => it.replaceWith(others[index]));
    const isSame = others.map((it, index) => size(it) === sizes[index]);
    const undo = (index) => others[index].replaceWith(blocks[index]);
    isSame.forEach((same, index) => { if (!same) undo(index); });
    return () => isSame.forEach((same, index) => { if (same) undo(index); });
  },

  words(block) {
    return [...block.querySelectorAll("span:not(:has(*))")];
  },

  // All words of a block of code but the longest one of each look; those that are more than text, like numbers of
  // lines, don't count.
  wordsLikeOthers(block) {
    const grounds = new Map([[block, ""]]);
    const ground = (it) => {
      if (!grounds.has(it)) grounds.set(it, getComputedStyle(it).backgroundColor + ground(it.parentElement));
      return grounds.get(it);
    };
    const words = this.words(block);
    const styles = words.map((it) => getComputedStyle(it));
    const looks = words.map((it, index) => [styles[index].color, styles[index].opacity, ground(it)].join());
    const longest = new Set(this.longestOfEach(words, looks).values());
    return words.filter((it, index) => !longest.has(it) && styles[index].display === "inline");
  },

  // A copy of a block of code.
  withPlainWords(block, plain) {
    const copy = block.cloneNode(true);
    const copies = this.words(copy);
    this.words(block).forEach((it, index) => { if (plain.has(it)) copies[index].replaceWith(it.textContent); });
    copy.normalize();
    return copy;
  },

  ownText(it) {
    return [...it.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.data : "")).join("").trim();
  },

  // By their look, of elements that look alike the one with the longest text: axe does not judge a text of one letter.
  longestOfEach(elements, looks) {
    const found = new Map();
    elements.forEach((it, index) => {
      const best = found.get(looks[index]);
      if (!best || this.ownText(it).length > this.ownText(best).length) found.set(looks[index], it);
    });
    return found;
  },

  // By its look, one of the elements with a text of their own that look alike, or that a reader types into or chooses
  // from. A look is what rules about colours depend on: the text's colour, whether it is large, and what is behind it,
  // down to the first ground that nothing shines through; of a link also the text that it stands in.
  oneOfEachLook(leftOut, known) {
    const grounds = new Map([[document.documentElement, ""]]);
    const ground = (it) => {
      if (!grounds.has(it)) {
        const style = getComputedStyle(it);
        const usual = { backgroundImage: "none", opacity: "1", filter: "none", position: "relative" };
        const effects = Object.keys(usual).map((name) => style[name]).filter((its, index) =>
          its !== Object.values(usual)[index] && its !== "static");
        const colour = style.backgroundColor === "rgba(0, 0, 0, 0)" ? "" : style.backgroundColor;
        const hidesAll = colour.startsWith("rgb(") && !effects.length;
        const behind = hidesAll ? "" : ground(it.parentElement);
        grounds.set(it, colour || effects.length ? `${behind};${colour},${effects}` : behind);
      }
      return grounds.get(it);
    };
    const text = (it) => {
      const style = getComputedStyle(it);
      const isLarge = parseFloat(style.fontSize) >= (style.fontWeight >= 700 ? 18.66 : 24);
      return [style.color, isLarge, style.textShadow];
    };
    const link = (it) => {
      const [own, around] = [it, it.parentElement].map((each) => getComputedStyle(each));
      return ["fontWeight", "fontStyle", "textDecorationLine", "color"].flatMap((name) => [own[name], around[name]]);
    };
    const isTyped = (it) => it.matches("input, select, textarea");
    const shown = [...document.body.querySelectorAll("*")].filter((it) => !leftOut.has(it) && it.checkVisibility());
    const texts = shown.filter((it) => this.ownText(it) || isTyped(it));
    const looks = texts.map((it) => [
      isTyped(it) && `${it.tagName} ${it.type}`, it.tagName === "A" && link(it), text(it), ground(it),
    ].join());
    const found = this.longestOfEach(texts, looks);
    return new Map([...found].filter(([look]) => !known.has(look)));
  },

  grave(violations) {
    const grave = violations.filter((it) => ["serious", "critical"].includes(it.impact));
    return grave.flatMap((it) => it.nodes.map((node) =>
      `${it.id} (${it.help}), at ${node.target[0]}: ${node.html.replace(/\s+/g, " ").slice(0, 120)}: `
      + node.failureSummary.split("\n").pop().trim()));
  },
})
