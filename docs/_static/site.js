// Improves pages that can be read without it: two programs or models of the reader's choice, and code blocks that the
// keyboard scrolls.
"use strict";

document.documentElement.classList.add("scripted");

// Blocks that are wider than the page take the focus, so that arrow keys scroll them.
function letKeysScroll() {
  for (const block of document.querySelectorAll("article pre, article .table-wrapper")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }
}

function side(name, lines) {
  const block = document.createElement("pre");
  block.className = lines.length ? name : `${name} empty`;
  block.innerHTML = lines.map((line) => `<span>${line || " "}</span>`).join("");
  return block;
}

// The hunks of a pair are kept once; for the other order their two halves change places.
function hunksOf(data, left, right) {
  if (left === right) return [[1, 0, data.sources[left].length, 0, data.sources[left].length]];
  const found = data.pairs[`${left}/${right}`];
  return found || data.pairs[`${right}/${left}`].map(([same, a, b, c, d]) => [same, c, d, a, b]);
}

function summary(left, right, hunks) {
  const same = hunks.reduce((sum, [is, from, to]) => sum + (is ? to - from : 0), 0);
  const total = hunks[hunks.length - 1][2];
  return `${left} and ${right}: ${same} of ${left}'s ${total} lines are the same in both.`;
}

function show(page, data, left, right) {
  const hunks = hunksOf(data, left, right);
  const code = page.querySelector(".sides-code");
  code.replaceChildren(...hunks.map(([same, a, b, c, d]) => {
    const hunk = document.createElement("div");
    hunk.className = same ? "hunk same" : "hunk other";
    hunk.append(side("left", data.sources[left].slice(a, b)), side("right", data.sources[right].slice(c, d)));
    return hunk;
  }));
  page.querySelector(".sides-status").textContent = summary(left, right, hunks);
}

// What an address names may be in a tab that is not open.
function openTabOf(element) {
  const content = element.closest(".sd-tab-content");
  if (content) document.getElementById(content.previousElementSibling.htmlFor).checked = true;
}

// The pair is in the address, so that it can be sent to somebody: #threads/asyncio.
function startSides(page) {
  const data = JSON.parse(page.querySelector(".sides-data").textContent);
  const [left, right] = page.querySelectorAll("select");
  const update = () => {
    show(page, data, left.value, right.value);
    history.replaceState(null, "", `#${left.value}/${right.value}`);
  };
  const fromAddress = () => {
    const [first, second] = location.hash.slice(1).split("/");
    if (!(first in data.sources && second in data.sources)) return;
    openTabOf(page);
    [left.value, right.value] = [first, second];
    show(page, data, first, second);
  };
  left.addEventListener("change", update);
  right.addEventListener("change", update);
  page.querySelector(".sides-swap").addEventListener("click", () => {
    [left.value, right.value] = [right.value, left.value];
    update();
  });
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
}

// The programs are on the page, folded. Those that are chosen move to their side, and back when others are chosen.
class ChosenPrograms {
  constructor(page) {
    this.page = page;
    this.lists = [...page.querySelectorAll("select")];
    this.moved = new Map();
  }

  get choice() {
    return this.lists.map((list) => list.value);
  }

  set choice(values) {
    this.lists.forEach((list, index) => { list.value = values[index]; });
  }

  // Whether these are a task and two different libraries.
  has(values) {
    const known = this.lists.every((list, index) => [...list.options].some((it) => it.value === values[index]));
    return known && values.length === 3 && values[1] !== values[2];
  }

  show() {
    for (const [program, home] of this.moved) home.append(program);
    this.moved.clear();
    const [task, left, right] = this.choice;
    const folded = this.page.querySelector(`[data-task=${task}]`);
    this.move(folded.querySelector(`[data-library=${left}]`), ".idioms-pair .left");
    this.move(folded.querySelector(`[data-library=${right}]`), ".idioms-pair .right");
    this.tell(folded);
  }

  move(home, side) {
    const program = home.querySelector(".idiom");
    this.moved.set(program, home);
    this.page.querySelector(side).append(program);
  }

  tell(folded) {
    const [task, left, right] = this.lists.map((list) => list.selectedOptions[0].text);
    this.page.querySelector(".sides-status").textContent = `${task}: ${left}, and ${right}`;
    const about = this.page.querySelector(".idioms-chosen .idioms-about");
    about.textContent = folded.querySelector(".idioms-about").textContent;
    const prints = folded.querySelector(".idioms-prints pre").cloneNode(true);
    prints.removeAttribute("id");
    this.page.querySelector(".idioms-printed").replaceChildren("Each program prints:", prints);
  }
}

// Choosing the library of the other side swaps the two. The address has the choice: #timeout/asyncio/trio.
function startIdioms(page) {
  const programs = new ChosenPrograms(page);
  let before = programs.choice;
  const update = () => {
    const [task, left, right] = programs.choice;
    if (left === right) programs.choice = [task, before[2], before[1]];
    before = programs.choice;
    programs.show();
    history.replaceState(null, "", `#${before.join("/")}`);
  };
  const fromAddress = () => {
    const values = location.hash.slice(1).split("/");
    if (!programs.has(values)) return;
    openTabOf(page);
    programs.choice = before = values;
    programs.show();
  };
  page.querySelector("form").addEventListener("change", update);
  page.querySelector(".sides-swap").addEventListener("click", () => {
    const [task, left, right] = programs.choice;
    programs.choice = [task, right, left];
    update();
  });
  window.addEventListener("hashchange", fromAddress);
  programs.show();
  fromAddress();
}

// The side bar is longer than the window on the pages of the reference: it shows the reader's page from the start.
function showPageInSideBar() {
  const link = document.querySelector(".sidebar-tree .current-page > a");
  const bar = link?.closest(".sidebar-scroll");
  if (bar) bar.scrollTop += link.getBoundingClientRect().bottom - bar.getBoundingClientRect().top - bar.clientHeight / 2;
}

showPageInSideBar();
document.querySelectorAll(".side-by-side").forEach(startSides);
document.querySelectorAll(".idioms").forEach(startIdioms);
letKeysScroll();
window.addEventListener("resize", letKeysScroll);
document.addEventListener("toggle", letKeysScroll, true);
document.addEventListener("change", letKeysScroll);
