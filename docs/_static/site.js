// Improves pages that can be read without it: two models of the reader's choice, and code blocks that the keyboard scrolls.
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

document.querySelectorAll(".side-by-side").forEach(startSides);
letKeysScroll();
window.addEventListener("resize", letKeysScroll);
document.addEventListener("toggle", letKeysScroll, true);
document.addEventListener("change", letKeysScroll);
