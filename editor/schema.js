// What the schema says about a place in the YAML: completion and hover. Knows the text, the asset that
// `crates/schema/` generates, and the schemas of custom kinds that it is given; nothing of the page.
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
    // The asset and the schemas of custom kinds name the same types under other roots.
    s = schema.definitions[ref.slice(ref.lastIndexOf("/") + 1)];
  }
  return s;
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** What every kind has: the root of a document that does not name its kind yet. */
const ANY = { type: "object", properties: {
  apiVersion: { type: "string" }, kind: { type: "string" },
  metadata: { $ref: `#/definitions/${META}` },
} };

/** All kinds: those of the asset, and custom kinds, whose schemas are asked for when they are needed first. */
export class Catalogue {
  #asset;
  #schemaOf;
  /** By `apiVersion kind`: which kind it is, and a promise of its schema. */
  #custom = new Map();

  /**
   * @param {Promise<object | null>} asset what `crates/schema/` generates
   * @param {(kind: object) => Promise<string | null>} [schemaOf] the schema of one of the kinds of `setKinds`, as JSON
   */
  constructor(asset, schemaOf = async () => null) {
    this.#asset = asset;
    this.#schemaOf = schemaOf;
  }

  /** The custom kinds there are now: `[{apiVersion, kind, revision}]`. The revision changes with the schema. */
  setKinds(kinds) {
    const before = this.#custom;
    this.#custom = new Map(kinds.map((kind) => {
      const id = `${kind.apiVersion} ${kind.kind}`;
      const old = before.get(id);
      return [id, old?.kind.revision === kind.revision ? old : { kind }];
    }));
  }

  /** The asset, and the schema of the root of a document with this header; null without the asset. */
  async look({ apiVersion, kind }) {
    const schema = await this.#asset;
    if (!schema) return null;
    const id = `${apiVersion} ${kind}`;
    const custom = this.#custom.get(id);
    if (custom) custom.schema ??= this.#schemaOf(custom.kind).then((text) => (text ? JSON.parse(text) : null), () => null);
    return { schema, root: (await custom?.schema) ?? schema.definitions[schema.kinds[id]] ?? ANY };
  }

  /** apiVersion and kind of every kind of an asset and of every custom kind. */
  pairs(schema) {
    return [...new Set([...Object.keys(schema.kinds), ...this.#custom.keys()])].map((id) => id.split(" "));
  }
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

/** The words about a schema. Descriptions of custom kinds are often wrapped as in the source they were made from. */
const describe = (schema, s) => (s.description ?? deref(schema, s)?.description ?? "")
  .replace(/([^\s])\n(?=[^\s*\-\d#|<])/g, "$1 ");

const LIMITS = ["format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
  "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "nullable"];

/** What a value has to be, in the words of the schema: `["required", "minimum: 0", "maximum: 5"]`. */
function limits(schema, s, required) {
  const d = { ...deref(schema, s), ...s };
  const item = d.type === "array" && d.items ? { ...deref(schema, d.items), ...d.items } : {};
  const show = (v) => (typeof v === "string" ? v : JSON.stringify(v));
  const out = required ? ["required"] : [];
  if (d.default !== undefined) out.push(`default: ${JSON.stringify(d.default)}`);
  const allowed = d.enum ?? item.enum;
  if (allowed) out.push(`enum: ${allowed.map(show).join(", ")}`);
  for (const word of LIMITS) if (d[word] !== undefined) out.push(`${word}: ${show(d[word])}`);
  if (d["x-kubernetes-list-map-keys"]) out.push(`keys: ${d["x-kubernetes-list-map-keys"].join(", ")}`);
  for (const { rule, message } of d["x-kubernetes-validations"] ?? []) out.push(message ? `${message}: ${rule}` : rule);
  return out;
}

/** Whether the object that a path leads into requires the field at its end. */
const isRequired = (schema, parent, name) => !!deref(schema, parent)?.required?.includes(name);

/** A description and limits as an element; undefined if there is nothing to say. */
function about(text, lines) {
  if (!text && !lines.length) return undefined;
  return () => {
    const dom = document.createElement("div");
    if (text) dom.appendChild(document.createElement("p")).textContent = text;
    if (lines.length) dom.appendChild(limitList(lines));
    return dom;
  };
}

/** An element with one line for each limit. */
export function limitList(lines) {
  const list = document.createElement("div");
  list.className = "cm-limits";
  for (const line of lines) list.appendChild(document.createElement("code")).textContent = line;
  return list;
}
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

/** A text that YAML would not read as a text if it stood there without quotes. */
const UNLIKE_TEXT = /^(?:true|false|yes|no|on|off|y|n|null|~|[-+.]?\d.*|[-?:,[\]{}#&*!|>'"%@`].*|.*(?::\s|\s#).*|.*:)$/i;

/** The values that a schema names: those of an enum, and its default, which comes first. */
function values(schema, s, quoted = false) {
  const d = { ...deref(schema, s), ...s };
  const list = [...(d.enum ?? (d.type === "boolean" ? [true, false] : []))];
  const scalar = d.default !== undefined && d.default !== null && typeof d.default !== "object";
  if (scalar && !list.includes(d.default)) list.push(d.default);
  return list.filter((v) => v !== "" && v !== null).map((v) => {
    const label = typeof v === "string" ? v : JSON.stringify(v);
    const apply = typeof v === "string" && !quoted && UNLIKE_TEXT.test(v) ? JSON.stringify(v) : label;
    return { label, apply, type: "enum", ...(scalar && v === d.default && { detail: "default", boost: 5 }) };
  });
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
      label: name, type: "property", detail: typeName(schema, f),
      info: about(describe(schema, f), limits(schema, f, required.has(name))),
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

/** Whether nothing but line `n` and comments stands in its document. */
function isAlone(doc, n) {
  const empty = (text) => !tokens(text).length;
  for (let k = n - 1; k >= 1 && !boundary(doc.line(k).text); k--) if (!empty(doc.line(k).text)) return false;
  for (let k = n + 1; k <= doc.lines && !boundary(doc.line(k).text); k++) if (!empty(doc.line(k).text)) return false;
  return true;
}

/** A CodeMirror completion source over a `Catalogue`. Where a document is empty, it offers `snippets`, too. */
export const completion = (catalogue, snippets = []) => async (context) => {
  const { state, pos } = context;
  const line = state.doc.lineAt(pos);
  const head = header(state.doc, line.number);
  const found = await catalogue.look(head);
  if (!found || context.aborted || inText(state, pos)) return null;
  const { schema, root: start } = found;
  const before = line.text.slice(0, pos - line.from);
  const answer = (from, options) => (options.length ? { from, options, validFor: /^[\w.\/-]*$/ } : null);

  const flow = flowPath(state, pos);
  if (flow) {
    const word = /[\w.\/-]*$/.exec(before)[0];
    const s = at(schema, start, flow);
    return answer(pos - word.length, [...(s ? values(schema, s) : []), ...fields(schema, s, new Set(), null)]);
  }
  let m = /^((?:\s|-\s)*)([\w.\/-]*)$/.exec(before);
  if (m) {
    const column = m[1].length;
    if (!m[2] && !context.explicit && !m[1]) return null;
    const s = at(schema, start, parents(state.doc, line.number, column));
    const begins = !m[1] && before.length === line.text.length && isAlone(state.doc, line.number) ? snippets : [];
    return answer(line.from + column, [...begins, ...fields(schema, s, siblings(state.doc, line.number, column), column), ...(s ? values(schema, s) : [])]);
  }
  m = /^((?:\s|-\s)*)([^\s:]+):\s+(["']?)([\w.\/-]*)$/.exec(before);
  if (!m) return null;
  const path = [...parents(state.doc, line.number, m[1].length), unquote(m[2])];
  const from = pos - m[4].length;
  if (path.length === 1 && (path[0] === "kind" || path[0] === "apiVersion")) {
    const other = path[0] === "kind" ? head.apiVersion : head.kind;
    const pairs = catalogue.pairs(schema);
    const i = path[0] === "kind" ? 1 : 0;
    const fit = pairs.filter((p) => p[1 - i] === other);
    const labels = new Set((fit.length ? fit : pairs).map((p) => p[i]));
    return answer(from, [...labels].map((label) => ({ label, type: "class" })));
  }
  const s = at(schema, start, path);
  return answer(from, s ? values(schema, s, !!m[3]) : []);
};

/** What there is to say about the field at `pos`: `{from, to, path, type, text, limits}` or null. */
export async function explain(catalogue, state, pos) {
  const line = state.doc.lineAt(pos);
  const key = tokens(line.text).find((t) => t.key !== undefined);
  const col = pos - line.from;
  if (!key || col < key.col || col > key.end || inText(state, pos)) return null;
  const found = await catalogue.look(header(state.doc, line.number));
  if (!found) return null;
  const { schema, root } = found;
  const above = parents(state.doc, line.number, key.col);
  const path = [...above, key.key];
  const s = at(schema, root, path);
  if (!s) return null;
  return { from: line.from + key.col, to: line.from + key.end, path: show(path), type: typeName(schema, s),
    text: describe(schema, s), limits: limits(schema, s, isRequired(schema, at(schema, root, above), key.key)) };
}
