// Makes the programs of a page ones that can be changed and run, in the page. Before the reader asks for it, nothing
// but this file and its style sheet is loaded.

const BROWSERS = "This browser can't run programs here, because it can't suspend WebAssembly. Chrome and Edge can since " +
    "version 137, Firefox since 153, and Safari should since 27.";
const FROM_A_FILE = "A browser runs programs only on pages that come from a server: make docs-serve starts one.";

function whyNot() {
    if (location.protocol === "file:") return FROM_A_FILE;
    return "Suspending" in WebAssembly && "promising" in WebAssembly ? "" : BROWSERS;
}

// Open a program for the reader, changed if `packed` is one that a link has brought.
async function open(root, packed) {
    root.querySelector(".playground-open").remove();
    const reason = whyNot();
    if (reason) {
        const status = document.createElement("p");
        const command = document.createElement("code");
        command.textContent = `python -m concmodels.explore ${root.querySelector(".playground-program").dataset.file}`;
        status.setAttribute("role", "status");
        status.append(`${reason} In a terminal: `, command);
        root.append(status);
        return null;
    }
    root.querySelector(".playground-picture")?.remove(); // the page's own: the answer has one
    const { Program, unpacked } = await import("./program.js");
    return new Program(root, packed && (await unpacked(packed).catch(() => undefined)));
}

// One click is enough for the program that a visitor sees first, and for a level of the game, whose button comes first.
function offer(root) {
    const isFirst = root.classList.contains("playground-first");
    const isLevel = root.parentElement.matches(".level");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "playground-button playground-open";
    button.textContent = isFirst ? "Try every schedule" : isLevel ? "Play" : "Change and run it";
    button.onclick = async () => {
        const program = await open(root);
        if (isFirst) await program?.tryAll();
        else if (isLevel) await program?.play([]);
        else program?.editor.view.focus();
    };
    root.insertBefore(button, isLevel ? root.firstChild : root.querySelector(".playground-picture"));
}

function openLinked() {
    const [id, packed] = location.hash.slice(1).split("=");
    const root = packed && document.getElementById(id);
    if (root?.matches(".playground")) open(root, packed).then(() => root.scrollIntoView());
}

document.querySelectorAll(".playground").forEach(offer);
openLinked();
