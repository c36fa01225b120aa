// The YAML editor: CodeMirror 6 behind a few calls. Loaded beside the wasm, never before the first
// paint. It lives in a shadow root, because there CodeMirror puts its styles into adopted style
// sheets; in the document it would inject <style>, which the page's Content-Security-Policy refuses.
import { Compartment, EditorState, Annotation, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, crosshairCursor, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter,
  highlightSpecialChars, hoverTooltip, keymap, lineNumbers, rectangularSelection,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, foldService, indentOnInput, indentUnit } from "@codemirror/language";
import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, selectedCompletion } from "@codemirror/autocomplete";
import { closeSearchPanel, highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { closeLintPanel, forEachDiagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { yaml, yamlLanguage } from "@codemirror/lang-yaml";
import { duplicates } from "./duplicates.js";
import { documentFold, folded, newline } from "./lines.js";
import { Catalogue, completion, explain, limitList } from "./schema.js";
import { snippets } from "./snippets.js";
import { highlighting, look } from "./theme.js";

/** Loaded when somebody asks for it. */
const formatUrl = new URL("./format.js", import.meta.url).href;
const fromOutside = Annotation.define();
const setLines = StateEffect.define();
const marked = Decoration.line({ class: "cm-marked" });

/** Lines the page wants seen (what a step changed); they move with the text. */
const markedLines = StateField.define({
  create: () => Decoration.none,
  update(set, tr) {
    set = set.map(tr.changes);
    for (const e of tr.effects) if (e.is(setLines)) {
      const lines = [...new Set(e.value)].filter((n) => n >= 1 && n <= tr.newDoc.lines).sort((a, b) => a - b);
      set = Decoration.set(lines.map((n) => marked.range(tr.newDoc.line(n).from)));
    }
    return set;
  },
  provide: (f) => EditorView.decorations.from(f),
});

/** The offset of a line and column, both from 1; what lies outside is drawn to the nearest place. */
function offset(doc, line, column) {
  const l = doc.line(Math.min(Math.max(1, line | 0), doc.lines));
  return l.from + Math.min(Math.max(0, ((column ?? 1) | 0) - 1), l.length);
}

/** The place in a formatted text that has as much before it as `place` has in `text`, blanks aside. */
function samePlace(text, place, formatted) {
  let left = text.slice(0, place).replace(/\s/g, "").length;
  let at = 0;
  for (; left && at < formatted.length; at++) if (formatted[at].trim()) left--;
  return at;
}

/** Writes `is` where `was` stands in the line of a place. */
function replace(view, place, { was, is }) {
  const line = view.state.doc.lineAt(place);
  const at = line.text.indexOf(was, place - line.from);
  if (at >= 0) view.dispatch({ changes: { from: line.from + at, to: line.from + at + was.length, insert: is } });
}

/** What stands for folded lines: three dots, and what a document is. */
const folding = codeFolding({
  preparePlaceholder: folded,
  placeholderDOM(view, unfold, prepared) {
    const dom = document.createElement("span");
    dom.className = "cm-foldPlaceholder";
    dom.textContent = prepared ? `… ${prepared}` : "…";
    dom.title = view.state.phrase("unfold");
    dom.setAttribute("aria-label", `${view.state.phrase("folded code")} ${prepared}`.trim());
    dom.onclick = unfold;
    return dom;
  },
});

function hover(catalogue) {
  return hoverTooltip(async (view, pos) => {
    const found = await explain(catalogue, view.state, pos);
    if (!found) return null;
    return { pos: found.from, end: found.to, above: true, create() {
      const dom = document.createElement("div");
      dom.className = "cm-doc";
      for (const [tag, text] of [["code", found.path], ["span", found.type], ["p", found.text]]) {
        if (text) dom.appendChild(document.createElement(tag)).textContent = text;
      }
      if (found.limits.length) dom.appendChild(limitList(found.limits));
      return { dom };
    } };
  });
}

/** Enter after a word that stands there whole begins a line, also where the list still offers that word. */
function wholeWord(view) {
  const word = selectedCompletion(view.state)?.label;
  const { head } = view.state.selection.main;
  if (!word || view.state.sliceDoc(Math.max(0, head - word.length), head) !== word) return false;
  closeCompletion(view);
  return newline(view);
}

/**
 * Puts an editor into `el`.
 *
 * @param {HTMLElement} el an empty element; it becomes a shadow host
 * @param {object} o
 * @param {string} [o.text]
 * @param {boolean} [o.dark]
 * @param {(text: string) => void} [o.onChange] after the person (not `setText`) changed it
 * @param {(text: string) => void} [o.onApply] Ctrl/Cmd+Enter
 * @param {(line: number, why: string) => void} [o.onUnformatted] the text was not formatted: the line of its error, from 1, and
 *   the parser's words; 0 and no words if formatting would have changed more than the form
 * @param {string} [o.schemaUrl] the asset that `crates/schema/` generates; without it there is no completion
 * @param {{apiVersion: string, kind: string, revision: number}[]} [o.kinds] custom kinds, as for `setKinds`
 * @param {(kind: object) => Promise<string | null>} [o.schemaOf] the schema of one of these, as JSON; it is asked for when
 *   it is needed first, and again when the revision has changed
 * @param {string} [o.ariaLabel]
 * @param {string} [o.ariaDescription] how the keyboard leaves the text
 * @param {boolean} [o.readOnly]
 * @param {Record<string, string>} [o.phrases] CodeMirror's own words in another language
 */
export function mount(el, o = {}) {
  // With it the shadow host would keep Tab out of its tree, and to take it away later would take the focus away, too.
  const held = document.activeElement === el;
  el.removeAttribute("tabindex");
  const parent = el.shadowRoot ?? el.attachShadow({ mode: "open" });
  const theme = new Compartment();
  const words = new Compartment();
  const inWords = ({ phrases, ariaLabel, ariaDescription }) => [
    EditorState.phrases.of(phrases ?? {}),
    EditorView.contentAttributes.of({
      tabindex: "0", "aria-label": ariaLabel ?? "YAML", "aria-description": ariaDescription ?? "", spellcheck: "false", autocorrect: "off",
    }),
  ];
  const loading = o.schemaUrl
    ? fetch(o.schemaUrl).then((r) => (r.ok ? r.json() : null)).catch(() => null)
    : Promise.resolve(null);
  const catalogue = new Catalogue(loading, o.schemaOf);
  catalogue.setKinds(o.kinds ?? []);
  const apply = (view) => (o.onApply?.(view.state.doc.toString()), true);
  /** Formats the text; one with an error stays as it is, and the cursor goes to the error. */
  async function formatText() {
    const text = view.state.doc.toString();
    const { format } = await import(formatUrl);
    // Somebody may have typed meanwhile.
    if (text !== view.state.doc.toString()) return;
    const done = format(text);
    if (done.text === undefined) {
      if (done.why) view.dispatch({ selection: { anchor: offset(view.state.doc, done.line, done.column) }, scrollIntoView: true });
      o.onUnformatted?.(done.why ? done.line : 0, done.why);
    } else if (done.text !== text) {
      const anchor = samePlace(text, view.state.selection.main.head, done.text);
      view.dispatch({ changes: { from: 0, to: text.length, insert: done.text }, selection: { anchor }, scrollIntoView: true });
    }
    view.focus();
  }
  const view = new EditorView({ parent, root: parent, state: EditorState.create({ doc: o.text ?? "", extensions: [
    Prec.highest(keymap.of([
      { key: "Mod-Enter", run: apply, preventDefault: true },
      { key: "Enter", run: wholeWord },
      { key: "Shift-Alt-f", run: () => (formatText(), true), preventDefault: true },
    ])),
    lineNumbers(), folding, foldService.of(documentFold), foldGutter(), lintGutter(), highlightSpecialChars(), history(), drawSelection(), dropCursor(),
    indentOnInput(), indentUnit.of("  "), bracketMatching(), closeBrackets(), rectangularSelection(),
    crosshairCursor(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
    EditorState.allowMultipleSelections.of(true), EditorState.tabSize.of(2), EditorState.readOnly.of(!!o.readOnly),
    words.of(inWords(o)),
    yaml(), yamlLanguage.data.of({ autocomplete: completion(catalogue, snippets) }), autocompletion({ icons: false }), hover(catalogue),
    // Tab indents; Escape then Tab leaves, so the keyboard is not caught here.
    keymap.of([...closeBracketsKeymap, ...completionKeymap, { key: "Enter", run: newline }, ...searchKeymap, ...historyKeymap, ...foldKeymap,
      ...lintKeymap, ...defaultKeymap, indentWithTab]),
    theme.of(look(o.dark)), highlighting, markedLines,
    EditorView.updateListener.of((u) => {
      if (u.docChanged && !u.transactions.some((t) => t.annotation(fromOutside))) o.onChange?.(u.state.doc.toString());
      if (u.docChanged) planWarnings();
    }),
  ] }) });

  /** Warns once nothing has been typed for a while. What the page found wrong stays. */
  let warning;
  function planWarnings() {
    clearTimeout(warning);
    warning = setTimeout(() => {
      const errors = [];
      forEachDiagnostic(view.state, (d, from, to) => { if (!d.twice) errors.push({ ...d, from, to }); });
      view.dispatch(setDiagnostics(view.state, [...duplicates(view.state), ...errors]));
    }, 250);
  }
  planWarnings();

  // The shadow host stands for the editor: who focuses it focuses the text, also who did so before the editor was there.
  const focus = () => view.focus();
  el.focus = focus;
  if (held) focus();

  return {
    getText: () => view.state.doc.toString(),
    /** Replaces the text and keeps the cursor near where it was. */
    setText(text) {
      const { doc, selection } = view.state;
      if (text === doc.toString()) return;
      const changes = { from: 0, to: doc.length, insert: text };
      const anchor = Math.min(selection.main.head, view.state.toText(text).length);
      view.dispatch({ changes, selection: { anchor }, annotations: fromOutside.of(true) });
    },
    /**
     * `[{line, column, endLine?, endColumn?, severity, message, instead?}]`, from 1; they replace the last ones. `instead`,
     * `{was, is, said}`, offers to write `is` where `was` stands in the line.
     */
    setDiagnostics(list) {
      const { doc } = view.state;
      view.dispatch(setDiagnostics(view.state, [...duplicates(view.state), ...list.map((d) => {
        const from = offset(doc, d.line, d.column);
        const to = d.endLine || d.endColumn ? offset(doc, d.endLine ?? d.line, d.endColumn ?? 1)
          : doc.lineAt(from).to;
        return {
          from, to: Math.max(from, to), severity: d.severity ?? "error", message: String(d.message),
          actions: d.instead ? [{ name: d.instead.said, apply: (view, from) => replace(view, from, d.instead) }] : undefined,
        };
      })]));
    },
    /** Puts the cursor at a line and column, both from 1, and shows it: `{line, column}`. */
    goTo({ line, column }) {
      view.dispatch({ selection: { anchor: offset(view.state.doc, line, column) }, scrollIntoView: true });
      view.focus();
    },
    /** The custom kinds there are from now on: `[{apiVersion, kind, revision}]`. */
    setKinds: (kinds) => catalogue.setKinds(kinds),
    setTheme: (dark) => view.dispatch({ effects: theme.reconfigure(look(dark)) }),
    /** Another language: `{phrases, ariaLabel, ariaDescription}`. A panel that is open keeps its words, so it closes. */
    setWords(o) {
      closeSearchPanel(view);
      closeLintPanel(view);
      view.dispatch({ effects: words.reconfigure(inWords(o)) });
    },
    focus,
    /** Formats the text, as Shift+Alt+F does. */
    format: formatText,
    /** Marks these lines (from 1), scrolls the first into view; `[]` unmarks. */
    highlightLines(lines) {
      const effects = [setLines.of(lines)];
      if (lines.length) effects.push(EditorView.scrollIntoView(offset(view.state.doc, Math.min(...lines), 1), { y: "nearest", yMargin: 40 }));
      view.dispatch({ effects });
    },
    destroy() {
      clearTimeout(warning);
      delete el.focus;
      view.destroy();
    },
  };
}
