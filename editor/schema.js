// What the schema says about a place in the YAML: completion and hover. Knows the text and the
// asset that `crates/schema/` generates; nothing of the page.
//
// A place is a path of steps from the document's root: a field's name, or ITEM for "in a list".
// It is found by indentation, because a half-written line has no useful syntax tree, and by the
// tree inside `{flow: [style]}`.
import { syntaxTree } from "@codemirror/language";
import { startCompletion } from "@codemirror/autocomplete";

export const ITEM = "[]";
const KEY = /^("[^"]*"|'[^']*'|[^\s:#,[\]{}"'&*!|>%@`-][^\s:,[\]{}]*|-[^\s:]+)\s*:(?=\s|$)/;
const unquote = (s) => s.replace(/^(["'])(.*)\1$/, "$2");

/** The dashes and the key a line begins with, with their columns: `  - name: x` is `-`@2, name@4. */
function tokens(text) {
  const out = [];
  let col = text.search(/\S/);
  if (col < 0 || text[col] === "#") return out;
  for (let m; (m = /^-(\s+|$)/.exec(text.slice(col))); col += m[0].length) out.push({ col, item: true });
  const key = KEY.exec(text.slice(col));
  if (key) out.push({ col, key: unquote(key[1]), end: col + key[1].length });
  else if (col < text.length) out.push({ col, scalar: true });
  return out;
}

const boundary = (text) => /^(---|\.\.\.)(\s|$)/.test(text);

/** The steps that lead to something which begins at `column` of line `n`. */
function parents(doc, n, column) {
  const path = [];
  let limit = column;
  // At the margin only the key of a list that stands there can still follow.
  for (; n >= 1 && (limit > 0 || path[0] === ITEM); n--) {
    const { text } = doc.line(n);
    if (boundary(text)) break;
    for (const t of tokens(text).reverse()) {
      // A list may stand at its key's own indentation.
      const under = t.col < limit || (t.key !== undefined && path[0] === ITEM && t.col === limit);
      if (t.scalar || !under) continue;
      path.unshift(t.item ? ITEM : t.key);
      limit = t.col;
    }
  }
  return path;
}

/** The names of the fields beside one that begins at `column` of line `n`. */
function siblings(doc, n, column) {
  const names = new Set();
  const visit = (k, up) => {
    const { text } = doc.line(k);
    if (boundary(text)) return false;
    const ts = tokens(text);
    if (!ts.length) return true;
    // Downwards, a new item (or anything further left) ends the mapping before it is looked at.
    if (!up && ts[0].col < column) return false;
    for (const t of ts) if (t.key !== undefined && t.col === column) names.add(t.key);
    return ts[0].col >= column;
  };
  // The line's own dashes open the mapping: nothing above belongs to it.
  if (!(tokens(doc.line(n).text)[0]?.col < column)) for (let k = n - 1; k >= 1 && visit(k, true); k--);
  for (let k = n + 1; k <= doc.lines && visit(k, false); k++);
  return names;
}

/** apiVersion and kind of the document that line `n` is in. */
function header(doc, n) {
  let from = n, to = n;
  while (from > 1 && !boundary(doc.line(from).text)) from--;
  while (to < doc.lines && (to === n || !boundary(doc.line(to).text))) to++;
  const found = {};
  for (let k = from; k <= to; k++) {
    const m = /^(apiVersion|kind):\s+["']?([^\s"'#]+)/.exec(doc.line(k).text);
    if (m) found[m[1]] ??= m[2];
  }
  return found;
}

/** Follows `$ref`, which a description may wrap in `allOf`. */
function deref(schema, s) {
  for (let i = 0; s && i < 8; i++) {
    const ref = s.$ref ?? s.allOf?.[0]?.$ref;
    if (!ref) return s;
    s = schema.definitions[ref.slice("#/definitions/".length)];
  }
  return s;
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** The root of a document: its kind's schema, or what every kind has while it has none yet. */
function root(schema, { apiVersion, kind }) {
  const name = schema.kinds[`${apiVersion} ${kind}`];
  if (name) return schema.definitions[name];
  return { type: "object", properties: {
    apiVersion: { type: "string" }, kind: { type: "string" },
    metadata: { $ref: `#/definitions/${META}` },
  } };
}

/** The schema at a path, as its parent has it (with the parent's words), or null. */
function at(schema, start, path) {
  let s = start;
  for (const step of path) {
    const d = deref(schema, s);
    s = step === ITEM ? d?.items : (d?.properties?.[step] ?? (d?.additionalProperties || null));
    if (!s || s === true) return null;
  }
  return s;
}

/** A type's name as a reader of the reference knows it: `[]Container`, `map[string]string`. */
function typeName(schema, s) {
  const ref = s.$ref ?? s.allOf?.[0]?.$ref;
  const d = deref(schema, s) ?? {};
  if (d["x-kubernetes-int-or-string"]) return ref?.endsWith("Quantity") ? "Quantity" : "IntOrString";
  if (d.type === "array") return `[]${typeName(schema, d.items ?? {})}`;
  if (ref && d.type === "object") return ref.split(".").pop();
  if (d.additionalProperties) return `map[string]${typeName(schema, d.additionalProperties)}`;
  return [d.type ?? "any"].flat().join(" | ");
}

const describe = (schema, s) => s.description ?? deref(schema, s)?.description ?? "";
const show = (path) => path.join(".").replaceAll(`.${ITEM}`, ITEM);

/** Inside `{flow: [style]}` the tree knows the way; from its outermost brace on, the lines do. */
function flowPath(state, pos) {
  const path = [];
  let outer = null;
  for (let n = syntaxTree(state).resolveInner(pos, -1); n; n = n.parent) {
    if (n.name === "Pair" && n.parent?.name === "FlowMapping") {
      const key = n.getChild("Key");
      if (key && key.to < pos) path.unshift(unquote(state.sliceDoc(key.from, key.to)));
    } else if (n.name === "FlowSequence") path.unshift(ITEM);
    else if (n.name === "FlowMapping" && !outer && !path.length) {
      // After `type: ` the cursor is past the pair, for the tree; not for the person.
      const open = /([^\s,:[\]{}]+):\s+$/.exec(state.sliceDoc(n.from, pos));
      if (open) path.unshift(unquote(open[1]));
    }
    if (n.name.startsWith("Flow")) outer = n;
  }
  if (!outer) return null;
  const line = state.doc.lineAt(outer.from);
  return [...parents(state.doc, line.number, outer.from - line.from), ...path];
}

/** A place where no field can be: a comment, a block of text. */
function inText(state, pos) {
  for (let n = syntaxTree(state).resolveInner(pos, -1); n; n = n.parent) {
    if (n.name === "Comment" || n.name === "BlockLiteralContent") return true;
  }
  return false;
}

function values(schema, s) {
  const d = s && deref(schema, s);
  const list = s?.enum ?? d?.enum ?? (d?.type === "boolean" ? ["true", "false"] : []);
  return list.filter((v) => v !== "").map((label) => ({ label: String(label), type: "enum" }));
}

function fields(schema, s, taken, column) {
  const d = s && deref(schema, s);
  const required = new Set(d?.required);
  return Object.entries(d?.properties ?? {}).filter(([name]) => !taken.has(name)).map(([name, f]) => {
    const t = deref(schema, f) ?? {};
    const nested = column === null ? " "
      : t.type === "array" ? `\n${" ".repeat(column + 2)}- `
      : t.properties ? `\n${" ".repeat(column + 2)}` : " ";
    return {
      label: name, type: "property", detail: typeName(schema, f), info: describe(schema, f) || undefined,
      // status is the cluster's to write.
      boost: name === "status" ? -20 : required.has(name) ? 5 : 0,
      apply(view, _completion, from, to) {
        const insert = `${name}:${nested}`;
        view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete" });
        startCompletion(view);
      },
    };
  });
}

/** A CodeMirror completion source over a promise of the schema. */
export const completion = (loading) => async (context) => {
  const schema = await loading;
  if (!schema || context.aborted) return null;
  const { state, pos } = context;
  if (inText(state, pos)) return null;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const head = header(state.doc, line.number);
  const start = root(schema, head);
  const answer = (from, options) => (options.length ? { from, options, validFor: /^[\w.\/-]*$/ } : null);

  const flow = flowPath(state, pos);
  if (flow) {
    const word = /[\w.\/-]*$/.exec(before)[0];
    const s = at(schema, start, flow);
    return answer(pos - word.length, [...values(schema, s), ...fields(schema, s, new Set(), null)]);
  }
  let m = /^((?:\s|-\s)*)([\w.\/-]*)$/.exec(before);
  if (m) {
    const column = m[1].length;
    if (!m[2] && !context.explicit && !m[1]) return null;
    const s = at(schema, start, parents(state.doc, line.number, column));
    return answer(line.from + column, [...fields(schema, s, siblings(state.doc, line.number, column), column), ...values(schema, s)]);
  }
  m = /^((?:\s|-\s)*)([^\s:]+):\s+(["']?)([\w.\/-]*)$/.exec(before);
  if (!m) return null;
  const path = [...parents(state.doc, line.number, m[1].length), unquote(m[2])];
  const from = pos - m[4].length;
  if (path.length === 1 && (path[0] === "kind" || path[0] === "apiVersion")) {
    const other = path[0] === "kind" ? head.apiVersion : head.kind;
    const pairs = Object.keys(schema.kinds).map((id) => id.split(" "));
    const i = path[0] === "kind" ? 1 : 0;
    const fit = pairs.filter((p) => p[1 - i] === other);
    const labels = new Set((fit.length ? fit : pairs).map((p) => p[i]));
    return answer(from, [...labels].map((label) => ({ label, type: "class" })));
  }
  return answer(from, values(schema, at(schema, start, path)));
};

/** What there is to say about the field at `pos`: `{from, to, path, type, text}` or null. */
export function explain(schema, state, pos) {
  const line = state.doc.lineAt(pos);
  const key = tokens(line.text).find((t) => t.key !== undefined);
  const col = pos - line.from;
  if (!key || col < key.col || col > key.end || inText(state, pos)) return null;
  const path = [...parents(state.doc, line.number, key.col), key.key];
  const s = at(schema, root(schema, header(state.doc, line.number)), path);
  if (!s) return null;
  return { from: line.from + key.col, to: line.from + key.end, path: show(path),
    type: typeName(schema, s), text: describe(schema, s) };
}
