// Python, in a thread of the browser's. The page ends it by terminate(): to interrupt it would take memory that both
// share, which a browser gives only to sites that send two headers.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const ARCHIVE = "/concmodels.zip";

async function begin() {
    const [python, archive] = await Promise.all([loadPyodide(), fetchArchive()]);
    python.FS.writeFile(ARCHIVE, archive);
    python.runPython(`import sys; sys.path.insert(0, "${ARCHIVE}")`);
    const load = python.runPython("def load():\n    from concmodels.explore import page\n    return page\n\nload");
    const page = await load.callPromising(); // to import it takes switches between greenlets, too
    postMessage({ ready: true });
    return page;
}

async function fetchArchive() {
    const answer = await fetch(new URL("concmodels.zip", import.meta.url));
    if (!answer.ok) throw new Error(`concmodels.zip: status ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
}

const page = begin();

self.onmessage = async ({ data: [question, ...rest] }) => {
    try {
        const functions = await page;
        postMessage({ answer: JSON.parse(await functions[question].callPromising(...rest)) });
    } catch (error) {
        postMessage({ broken: String(error) });
    }
};
page.catch((error) => postMessage({ broken: String(error) }));
