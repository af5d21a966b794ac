// What the tests ask a page. Each answer is a list of what is wrong: empty is good.
({
  inArticle(selector) {
    const all = [...document.querySelectorAll("article, main")].flatMap((it) => [...it.querySelectorAll(selector)]);
    return [...new Set(all)];
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

  // axe takes milliseconds for each word, and a page of code has hundreds in the same colour on the same ground. One of
  // them will do: the others are away while it looks.
  async colours(rules) {
    const blocks = [...document.querySelectorAll("pre")];
    const whole = blocks.map((it) => it.innerHTML);
    blocks.forEach((it) => this.leaveOneOfEachColour(it));
    const found = await axe.run(document, { resultTypes: ["violations"], runOnly: rules });
    blocks.forEach((it, index) => { it.innerHTML = whole[index]; });
    return this.grave(found);
  },

  leaveOneOfEachColour(block) {
    const ground = (it) => (it === block ? "" : getComputedStyle(it).backgroundColor + ground(it.parentElement));
    const words = [...block.querySelectorAll("span:not(:has(*))")];
    const looks = words.map((it) => [getComputedStyle(it).color, getComputedStyle(it).opacity, ground(it)].join());
    words.forEach((it, index) => { if (looks.indexOf(looks[index]) < index) it.remove(); });
  },

  async allButColours(rules) {
    const off = Object.fromEntries(rules.map((rule) => [rule, { enabled: false }]));
    return this.grave(await axe.run(document, { resultTypes: ["violations"], rules: off }));
  },

  grave(found) {
    const grave = found.violations.filter((it) => ["serious", "critical"].includes(it.impact));
    return grave.flatMap((it) => it.nodes.map((node) =>
      `${it.id} (${it.help}), at ${node.target[0]}: ${node.html.replace(/\s+/g, " ").slice(0, 120)}: `
      + node.failureSummary.split("\n").pop().trim()));
  },
})
