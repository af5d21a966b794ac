// A program that the reader has opened: its editor, what can be asked of it, and the answer.
import { Editor } from "./editor.min.js";

const SECONDS = 10; // of a search

// The one worker of the page. It answers one question after the other.
class Python {
    static current = null;

    static async ask(news, ...question) {
        Python.current ??= new Python();
        return Python.current.ask(news, question);
    }

    static stop() {
        Python.current?.end(new Error("Stopped."));
    }

    constructor() {
        this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
        this.worker.onmessage = ({ data }) => this.hear(data);
        this.worker.onerror = (event) => this.end(new Error(`Python could not be started. ${event.message ?? ""}`));
    }

    ask(news, question) {
        return new Promise((resolve, reject) => {
            Object.assign(this, { news, resolve, reject });
            news(this.isReady ? "Running …" : "Loading Python: 7 MB, the first time …");
            this.worker.postMessage(question);
        });
    }

    hear(data) {
        if (data.ready) {
            this.isReady = true;
            this.news("Running …");
        } else if (data.count) this.news(`${data.count.toLocaleString("en")} schedules so far`);
        else if (data.broken) this.end(new Error(`It could not be run: ${data.broken}`));
        else this.resolve(data.answer);
    }

    end(why) {
        this.worker.terminate();
        Python.current = null;
        this.reject?.(why);
    }
}

// A new element: its properties or attributes, then its children.
function make(name, properties = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (key in element) element[key] = value;
        else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
}

function button(text, onclick, kind = "") {
    return make("button", { type: "button", className: `playground-button ${kind}`, textContent: text, onclick });
}

export class Program {
    constructor(root, text) {
        const told = root.querySelector(".playground-program");
        this.original = (told.content.textContent || root.querySelector("pre").textContent).trimEnd();
        this.returns = told.dataset.returns ?? ""; // what main has to return, written in Python
        this.exercise = told.dataset.exercise;
        this.isLevel = root.parentElement.matches(".level");
        this.root = root;
        const place = make("div", { className: "playground-editor" });
        this.status = make("p", { className: "playground-status", role: "status" });
        this.result = make("div", { className: "playground-result" });
        this.makeButtons();
        root.querySelector(".literal-block-wrapper, .highlight").hidden = true;
        root.append(place, this.bar, this.idBar, this.status, this.result);
        this.editor = new Editor(place, text ?? this.original, "The program, which you can change", () => this.changed());
        this.showWhatIsNext();
    }

    makeButtons() {
        this.stop = button("Stop", () => Python.stop());
        this.undo = button("Undo my changes", () => (this.editor.text = this.original));
        const link = button("Copy a link to this program", () => this.copyLink());
        this.id = make("input", { type: "text", className: "playground-id", spellcheck: false, placeholder: "3.14-5f0c9a-a-6@2,9@1" });
        const again = make("form", { className: "playground-bar" },
            make("label", {}, "Replay id ", this.id), make("button", { className: "playground-button" }, "Run this schedule"));
        again.onsubmit = (event) => (event.preventDefault(), this.search("replay", this.id.value));
        this.idBar = make("details", { className: "playground-more" }, make("summary", {}, "More"), again, link);
        this.tryButton = button("Try every schedule", () => this.tryAll());
        this.playButton = button(this.isLevel ? "Play again" : "You are the scheduler", () => this.play([]));
        const actions = [this.tryButton, button("Run", () => this.runOnce()), this.playButton];
        if (this.isLevel) actions.reverse(); // a level is played first
        this.bar = make("div", { className: "playground-bar" }, ...actions, this.stop, this.undo);
        this.stop.hidden = true;
    }

    get isChanged() {
        return this.editor.text !== this.original;
    }

    // The answer belongs to the program as it was.
    changed() {
        this.showWhatIsNext();
        this.show();
    }

    // A level is played as it is; once it has been changed, the question is whether it's mended.
    showWhatIsNext() {
        this.undo.hidden = !this.isChanged;
        const isPlayed = this.isLevel && !this.isChanged;
        this.playButton.classList.toggle("playground-main", isPlayed);
        this.tryButton.classList.toggle("playground-main", !isPlayed);
    }

    show(...parts) {
        this.result.replaceChildren(...parts);
    }

    async ask(question, ...rest) {
        this.wait(true);
        try {
            const news = (text) => (this.status.textContent = text);
            const answer = await Python.ask(news, question, this.editor.text, this.returns, ...rest);
            const detail = { question, answer, program: this };
            this.root.dispatchEvent(new CustomEvent("playground-answer", { bubbles: true, detail }));
            return answer;
        } catch (error) {
            this.show();
            this.problem = error.message;
            return null;
        } finally {
            this.wait(false);
        }
    }

    wait(isWaiting) {
        for (const it of document.querySelectorAll(".playground-button")) it.disabled = isWaiting;
        this.stop.disabled = false;
        this.stop.hidden = !isWaiting;
        if (isWaiting) this.problem = "";
        else queueMicrotask(() => (this.status.textContent = this.problem));
    }

    async runOnce() {
        const answer = await this.ask("run");
        if (answer === null) return;
        const titles = { ended: "It ended well, on one schedule of many.", failed: "It failed.", refused: "It can't be run here." };
        this.editor.mark([]);
        this.show(verdict(titles[answer.verdict], answer.sentence, answer.verdict !== "ended"), ...waits(answer.waits), ...output(answer));
    }

    tryAll() {
        return this.search("explore", SECONDS);
    }

    async search(...question) {
        const answer = await this.ask(...question);
        if (answer !== null) this.showFound(answer);
    }

    showFound(answer) {
        const { failure } = answer;
        this.editor.mark(failure ? failure.lines : []);
        if (!failure) {
            const isRefused = answer.verdict === "refused";
            const title = isRefused ? "It can't be run here." : this.titleOf(answer);
            this.show(verdict(title, isRefused ? answer.sentence : "", isRefused), ...remarks(answer.remarks), ...output(answer));
            return;
        }
        const again = make("p", { className: "playground-remark" }, "This schedule again: ", make("code", {}, failure.replay));
        this.show(
            verdict(`Broken, on schedule ${failure.found_at}.`, failure.error, true), ...waits(failure.waits),
            picture(failure.picture), ...remarks(failure.reasons), again, ...output(answer),
        );
        this.id.value = failure.replay;
    }

    // Of a program that has held.
    titleOf({ verdict, sentence }) {
        const title = `${withoutFile(sentence)}.`;
        const isSolved = this.exercise && verdict === "held in all" && this.isChanged;
        return isSolved ? `Exercise ${this.exercise} is solved. ${title}` : title;
    }

    // What the reader presses next stays in sight, and in its place: the picture grows upwards.
    async play(choices) {
        if (!choices.length) this.status.scrollIntoView({ block: "nearest" }); // Python may have to be loaded
        const answer = await this.ask("step", JSON.stringify(choices));
        if (answer === null) return;
        const back = choices.length ? [button("Take the last choice back", () => this.play(choices.slice(0, -1)))] : [];
        const after = answer.verdict === "asks" ? this.question(answer.choices, choices) : this.end(answer);
        const count = answer.forced ? [make("p", { className: "playground-remark" }, forcedSoFar(answer.forced))] : [];
        const next = make("div", { className: "playground-next" }, ...after, ...back);
        this.show(picture(answer.picture ?? ""), ...count, next, ...output(answer));
        next.querySelector("button")?.focus({ preventScroll: true });
        next.scrollIntoView({ block: "nearest" });
    }

    question(offered, choices) {
        this.editor.mark(offered.map((it) => Number(/:(\d+)/.exec(it.where)?.[1])));
        const items = offered.map((it, index) => {
            const choice = button("", () => this.play([...choices, index]));
            choice.append(make("strong", {}, it.task), it.what ? `: ${it.what} ` : "");
            if (it.where) choice.append(make("code", {}, it.where.replace(/^program\.py:/, "line ")));
            return make("li", {}, choice);
        });
        return [make("p", { className: "playground-asks" }, "Which one goes on?"), make("ol", { className: "playground-choices" }, ...items)];
    }

    end(answer) {
        const isBroken = answer.verdict === "failed";
        this.editor.mark([]);
        const title = isBroken ? "You broke it." : answer.verdict === "ended" ? "It ended well." : "It can't be run here.";
        return [verdict(title, answer.sentence, answer.verdict !== "ended"), ...waits(answer.waits)];
    }

    // Nothing leaves the machine: a browser doesn't send what follows the # of an address.
    async copyLink() {
        const address = new URL(location.href);
        address.hash = `${this.root.id}=${await packed(this.editor.text)}`;
        history.replaceState(null, "", address);
        await navigator.clipboard?.writeText(address.href).catch(() => {});
        this.status.textContent = "The link is in the address bar, and copied.";
    }
}

function verdict(title, text, isBad) {
    return make("p", { className: `playground-verdict ${isBad ? "bad" : "good"}` }, make("strong", {}, title), text ? ` ${withLines(text)}` : "");
}

function forcedSoFar(count) {
    return `Forced switches so far: ${count} (red: the turn was taken from one that could have gone on).`;
}

// Python has drawn it, and has escaped what the program has in it.
function picture(html) {
    return make("div", { className: "playground-picture", innerHTML: html });
}

function remarks(texts = []) {
    return texts.map((text) => make("p", { className: "playground-remark" }, withLines(text)));
}

const waits = remarks;

function output({ output: text }) {
    return text ? [make("pre", { className: "playground-output", tabIndex: 0, "aria-label": "What it prints" }, text)] : [];
}

// "program.py: held in all 4 schedules": the reader knows which program.
function withoutFile(sentence) {
    const rest = sentence.replace(/^program\.py: /, "");
    return rest[0].toUpperCase() + rest.slice(1);
}

function withLines(text) {
    return text.replaceAll(/(?:the )?program\.py:(\d+)/g, "line $1");
}

export async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (it) => it.charCodeAt(0));
    return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

async function packed(text) {
    const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function through(stream, bytes) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
