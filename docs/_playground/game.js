// The game: which levels the reader has broken, with how many forced switches, and which are mended. The browser keeps
// that for this site, until the reader begins again.

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

function show() {
    const broken = levels.filter((level) => level.id in state && state[level.id].forced !== undefined).length;
    const mended = levels.filter((level) => state[level.id]?.mended).length;
    const again = document.createElement("button");
    again.className = "playground-button";
    again.type = "button";
    again.textContent = "Begin again";
    again.hidden = !broken && !mended;
    again.onclick = () => (keep((state = {})), show());
    score.replaceChildren(`${broken} of ${levels.length} broken, ${mended} mended. `, again);
    for (const level of levels) level.querySelector(".level-state").textContent = sentence(level, state[level.id]);
}

function sentence(level, { forced, mended } = {}) {
    const fewest = Number(level.dataset.fewest);
    const parts = [];
    if (forced !== undefined) {
        const count = `Broken with ${forced} forced switch${forced === 1 ? "" : "es"}`;
        parts.push(forced <= fewest ? `${count}: nobody needs fewer.` : `${count}. ${fewest} ${fewest === 1 ? "is" : "are"} enough.`);
    }
    if (mended) parts.push("Mended: it holds in all schedules.");
    else if (forced !== undefined) parts.push("Now mend it: change the program, and press Try every schedule.");
    return parts.join(" ");
}

// What follows from here on has to stay: a program without its assertion is not mended.
const mainOf = (text) => text.slice(text.indexOf("def main(")).split(/\s*\n/).join("\n").trim();

document.addEventListener("playground-answer", ({ target, detail: { question, answer, program } }) => {
    const level = target.closest(".level");
    if (!level) return;
    const known = { ...state[level.id] };
    const isChanged = program.editor.text !== program.original;
    if (question === "step" && answer.verdict === "failed" && !isChanged) {
        known.forced = Math.min(answer.forced, known.forced ?? Infinity);
    } else if (question === "explore" && answer.verdict === "held in all" && isChanged) {
        known.mended ||= mainOf(program.editor.text) === mainOf(program.original);
    }
    keep((state = { ...state, [level.id]: known }));
    show();
});

show();
