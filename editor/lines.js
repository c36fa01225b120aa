// Lines of YAML: where the next one begins, and which belong to one document.
import { syntaxTree } from "@codemirror/language";

/** The dashes that a line begins with, and its first key. */
const BEGIN = /^(\s*)((?:-\s+)*)((?:"[^"]*"|'[^']*'|[^\s#,[\]{}"'&*!|>%@`][^#]*?)\s*:(?=\s|$))?/;
/** After a key there is no value in the same line, or one that begins in the next. */
const OPEN = /:\s*(?:[|>][-+\d]*\s*)?(?:\s#.*)?$/;

/** The column of a line after `text`, by what it belongs to; null if that is not for lines to say. */
export function nextColumn(text) {
  const [, space, dashes, key] = BEGIN.exec(text);
  if (!text.trim() || text.trim().startsWith("#")) return null;
  const column = space.length + dashes.length;
  if (key) return OPEN.test(text.slice(column)) ? column + 2 : column;
  // An item without a key is followed by an item.
  return space.length;
}

/** Enter: the next line begins where a field or an item can stand. */
export function newline(view) {
  const { state } = view;
  const { main, ranges } = state.selection;
  if (ranges.length > 1 || !main.empty || state.readOnly) return false;
  const line = state.doc.lineAt(main.head);
  const before = state.sliceDoc(line.from, main.head);
  if (state.sliceDoc(main.head, line.to).trim()) return false;
  for (let n = syntaxTree(state).resolveInner(main.head, -1); n; n = n.parent) {
    if (/^Flow(Mapping|Sequence)$/.test(n.name) && n.to > main.head) return false;
    if (/^BlockLiteral|^Quoted/.test(n.name) && n.from < line.from) return false;
  }
  const column = nextColumn(before);
  if (column === null) return false;
  const insert = state.lineBreak + " ".repeat(column);
  view.dispatch({
    changes: { from: main.head, to: line.to, insert }, selection: { anchor: main.head + insert.length },
    scrollIntoView: true, userEvent: "input",
  });
  return true;
}

const boundary = (text) => /^(---|\.\.\.)(\s|$)/.test(text);

/** CodeMirror's fold service: what the first line of a document folds, if the text has several. */
export function documentFold({ doc }, from) {
  const first = doc.lineAt(from);
  if (!first.text.trim() || boundary(first.text) || first.text.startsWith("#")) return null;
  for (let n = first.number - 1; n >= 1 && !boundary(doc.line(n).text); n--) {
    if (doc.line(n).text.trim() && !doc.line(n).text.startsWith("#")) return null;
  }
  let last = first.number;
  while (last < doc.lines && !boundary(doc.line(last + 1).text)) last++;
  const alone = last === doc.lines && ![...Array(first.number - 1).keys()].some((n) => boundary(doc.line(n + 1).text));
  while (last > first.number && !doc.line(last).text.trim()) last--;
  return alone || last === first.number ? null : { from: first.to, to: doc.line(last).to };
}

/** What stands for folded lines: the kind and name of a document, or nothing. */
export function folded(state, { from, to }) {
  if (state.doc.lineAt(from).text.search(/\S/) > 0 || !documentFold(state, from)) return "";
  const text = state.sliceDoc(state.doc.lineAt(from).from, to);
  const kind = /^kind:\s+["']?([\w.-]+)/m.exec(text)?.[1] ?? "";
  const name = /^metadata:(?:\n\s+.*)*?\n\s+name:\s+["']?([\w.-]+)/m.exec(text)?.[1] ?? "";
  return `${kind} ${name}`.trim();
}
