// The editor for a program: CodeMirror, which esbuild bundles into editor.min.js. It sets classes; the colours are the
// style sheet's, so that they follow the page from light to dark.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const mark = StateEffect.define();

// The lines that the last answer was about. Once the program has changed, they would be wrong.
const marked = StateField.define({
    create: () => Decoration.none,
    update(decorations, transaction) {
        for (const effect of transaction.effects) {
            if (effect.is(mark)) return decorationsOf(transaction.state.doc, effect.value);
        }
        return transaction.docChanged ? Decoration.none : decorations;
    },
    provide: (field) => EditorView.decorations.from(field),
});

function decorationsOf(text, numbers) {
    const known = [...new Set(numbers)].filter((it) => it >= 1 && it <= text.lines).sort((a, b) => a - b);
    const line = Decoration.line({ class: "playground-marked" });
    return Decoration.set(known.map((number) => line.range(text.line(number).from)));
}

export class Editor {
    constructor(parent, text, label, onChange) {
        const extensions = [
            lineNumbers(), history(), drawSelection(), EditorView.lineWrapping, indentOnInput(), bracketMatching(),
            indentUnit.of("    "), python(), syntaxHighlighting(classHighlighter), marked,
            keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap]), // Escape, then Tab leaves the editor
            EditorView.contentAttributes.of({ "aria-label": label }),
            EditorView.updateListener.of((update) => update.docChanged && onChange()),
        ];
        this.view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
    }

    get text() {
        return this.view.state.doc.toString();
    }

    set text(text) {
        this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    }

    mark(numbers) {
        this.view.dispatch({ effects: mark.of(numbers) });
    }
}
