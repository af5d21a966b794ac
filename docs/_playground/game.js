// The game: which levels the reader has broken, with how many forced switches, and which are mended. The browser keeps
// that for this site, until the reader begins again. Each level says what to do next.

const KEY = "concmodels-game";
const levels = [...document.querySelectorAll(".level")];
const score = document.querySelector(".game-score");

function load() {
    try {
        return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
        return {}; // a browser may refuse to keep anything
    }
}

function keep(state) {
    try {
        localStorage.setItem(KEY, JSON.stringify(state));
    } catch {
        // then the score lasts as long as the page
    }
}

let state = load();

function button(text, onclick, kind = "") {
    const className = `playground-button ${kind}`;
    return Object.assign(document.createElement("button"), { type: "button", className, textContent: text, onclick });
}

function showScore() {
    const broken = levels.filter((level) => state[level.id]?.forced !== undefined).length;
    const mended = levels.filter((level) => state[level.id]?.mended).length;
    const again = button("Begin again", () => (keep((state = {})), showAll()));
    again.hidden = !broken && !mended;
    score.replaceChildren(`${broken} of ${levels.length} broken, ${mended} mended. `, again);
}

function showAll() {
    showScore();
    for (const level of levels) {
        tell(level, sentence(level, state[level.id]));
        offer(level);
    }
}

function tell(level, text) {
    const place = level.querySelector(".level-state");
    if (place.textContent !== text) place.textContent = text; // a screen reader speaks it at each change
}

function offer(level, ...buttons) {
    level.querySelector(".level-next").replaceChildren(...buttons);
}

function sentence(level, { forced, mended } = {}) {
    const fewest = Number(level.dataset.fewest);
    const parts = [];
    if (forced !== undefined) {
        const count = `Broken with ${forced} forced switch${forced === 1 ? "" : "es"}`;
        parts.push(forced <= fewest ? `${count}: nobody needs fewer.` : `${count}. ${fewest} ${fewest === 1 ? "is" : "are"} enough.`);
    }
    if (mended) parts.push("Mended: it holds in all schedules.");
    else if (forced !== undefined) {
        parts.push("Now mend it: change the program so that no order breaks it (leave main as it is), and press Try every schedule. Hints are below.");
    }
    return parts.join(" ");
}

// What a level says of an answer that neither breaks nor mends it.
const REMARKS = {
    asks: "Press one: it takes this single step. You win when the program fails.",
    ended: "Nothing went wrong that the program checks. Take your last choices back, or play again, and try another order.",
    broken: "Not mended yet: the picture shows an order that breaks it.",
    "held so far": "Not mended yet: it has held so far, but not every schedule could be tried.",
};
const UNCOUNTED = "That doesn't count: leave main and each assert as they are.";

// What main does has to stay, and each assertion: a program without them is not mended.
const mainOf = (text) => text.slice(text.indexOf("def main(")).split(/\s*\n/).join("\n").trim();
const assertionsOf = (text) => text.split("\n").map((line) => line.trim()).filter((line) => line.startsWith("assert "));

function isWhole({ original, editor: { text } }) {
    const kept = assertionsOf(text);
    return mainOf(text) === mainOf(original) && assertionsOf(original).every((line) => kept.includes(line));
}

function result(question, verdict, program) {
    if (question === "step" && verdict === "failed" && !program.isChanged) return "broke";
    if (question === "explore" && verdict === "held in all" && program.isChanged && isWhole(program)) return "mended";
    return "";
}

function remark(question, verdict, program) {
    if (question === "step" && !program.isChanged) return REMARKS[verdict];
    if (question !== "explore" || !program.isChanged) return "";
    return verdict.startsWith("held") && !isWhole(program) ? UNCOUNTED : REMARKS[verdict];
}

// Open the level after this one, and show where it begins.
function goOn(details) {
    details.open = true;
    details.scrollIntoView();
    details.querySelector(".playground-open, .playground-main")?.focus({ preventScroll: true });
}

function nextOf(level) {
    const details = levels[levels.indexOf(level) + 1]?.closest("details");
    return details ? [button("Next level", () => goOn(details), "playground-main")] : [];
}

function mend({ editor: { view } }) {
    view.dom.scrollIntoView();
    view.focus();
}

document.addEventListener("playground-answer", ({ target, detail: { question, answer, program } }) => {
    const level = target.closest(".level");
    if (!level) return;
    const known = { ...state[level.id] };
    const now = result(question, answer.verdict, program);
    if (now === "broke") known.forced = Math.min(answer.forced, known.forced ?? Infinity);
    if (now === "mended") known.mended = true;
    keep((state = { ...state, [level.id]: known }));
    showScore();
    // Of a program that can't be run nothing is said: it would be read as if it were mended.
    tell(level, answer.verdict === "refused" ? "" : (!now && remark(question, answer.verdict, program)) || sentence(level, known));
    offer(level, ...(now === "broke" ? [button("Mend it", () => mend(program), "playground-main")] : now === "mended" ? nextOf(level) : []));
    if (now || question === "step") requestAnimationFrame(() => showNext(level)); // once the answer is shown
});

function showNext(level) {
    const next = level.querySelector(".level-next");
    next.scrollIntoView({ block: "nearest" });
    next.querySelector("button")?.focus({ preventScroll: true });
}

for (const level of levels) {
    level.append(Object.assign(document.createElement("div"), { className: "level-next" }));
}
showAll();
