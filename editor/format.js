// Formats YAML with the package yaml: indentation and spaces become regular; comments, the order of keys, anchors, quotes,
// numbers as they are written, block scalars and documents stay. Loaded when somebody asks for it.
import { isAlias, Lexer, LineCounter, parseAllDocuments, visit } from "yaml";

/** A text in which one anchor stands for more values than this, counted through all aliases, is not formatted. */
const MAX_ALIASES = 100;

/** Every plain word is a string as it is written: `0644` and `1.10` stay so. */
const SCHEMA = { schema: "failsafe", customTags: (tags) => [...tags.map((tag) => (tag.tag === "tag:yaml.org,2002:str" ? { ...tag, stringify: word(tag) } : tag)), "null"] };

/** A block scalar has the lines that it had; all other words are the package's. */
const word = (tag) => (item, ctx, onComment, onChompKeep) => {
  const source = item.srcToken?.type === "block-scalar" ? block(item.srcToken, ctx, item.comment) : null;
  if (source === null) return tag.stringify(item, ctx, onComment, onChompKeep);
  if (item.comment) onComment?.();
  if (/^[|>]\+/.test(source)) onChompKeep?.();
  return source;
};

/** The text of a block scalar at another indentation; null if its header counts columns. */
function block({ props, source }, { indent }, comment) {
  const header = props.find((p) => p.type === "block-scalar-header")?.source;
  if (!header || /\d/.test(header)) return null;
  const lines = source.replace(/\n$/, "").split("\n");
  const first = lines.find((line) => line.trim());
  if (first === undefined) return null;
  const old = /^ */.exec(first)[0].length;
  const to = indent || "  ";
  const moved = lines.map((line) => (line.trim() ? to + line.slice(old) : line.slice(old)));
  return `${header}${comment ? ` #${comment}` : ""}\n${moved.join("\n")}`;
}

/** Whether the text's lists stand deeper than their keys: most of those that have a line of their own. */
function seqsAreIndented(text) {
  let deeper = 0;
  for (const [, key, dash] of text.matchAll(/^( *(?:- +)*)[^\s#'"&*!|>%@`{}[\]][^#\n]*:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*( *)- /gm)) {
    deeper += dash.length > key.length ? 1 : -1;
  }
  return deeper > 0;
}

/** What must be the same afterwards: values, anchors and tags, and comments. Throws if an alias cannot be resolved. */
function essence(text, documents) {
  const values = documents.map((d) => d.toJS({ maxAliasCount: MAX_ALIASES }));
  const tokens = [...new Lexer().lex(text)];
  const kept = tokens.filter((t) => /^[&!*]/.test(t));
  const comments = tokens.filter((t) => t.startsWith("#")).map((t) => t.trim()).sort();
  return JSON.stringify([values, kept, comments]);
}

/** Reads all documents, without complaints about keys that stand twice: kubectl takes the last one. */
function read(text, lineCounter) {
  const documents = parseAllDocuments(text, { ...SCHEMA, uniqueKeys: false, keepSourceTokens: true, lineCounter, prettyErrors: true });
  return documents;
}

/** The offset of the first alias without an anchor before it, else of the last alias; 0 if there is none. */
function aliasAtFault(documents) {
  let at = 0;
  for (const document of documents) {
    const anchors = new Set();
    let unresolved = false;
    visit(document, (_, node) => {
      if (!isAlias(node)) {
        if (node?.anchor) anchors.add(node.anchor);
        return undefined;
      }
      at = node.range?.[0] ?? at;
      unresolved = !anchors.has(node.source);
      return unresolved ? visit.BREAK : undefined;
    });
    if (unresolved) break;
  }
  return at;
}

/**
 * The formatted text, or why there is none.
 *
 * @param {string} text
 * @returns {{text: string} | {line: number, column: number, why: string}} `why` is the package's sentence, and empty if the text
 *   could be read but would not have stayed the same in meaning
 */
export function format(text) {
  const counter = new LineCounter();
  const documents = read(text, counter);
  const wrong = documents.flatMap((d) => d.errors)[0];
  if (wrong) {
    const [{ line, col }] = wrong.linePos ?? [{ line: 1, col: 1 }];
    return { line, column: col, why: wrong.message.split("\n")[0].replace(/ at line \d+, column \d+:?$/, "") };
  }
  // Comments alone, or nothing.
  if (!documents.length) return { text };
  let before;
  try {
    before = essence(text, documents);
  } catch (e) {
    const { line, col } = counter.linePos(aliasAtFault(documents));
    return { line, column: col, why: e.message };
  }
  const options = { indent: 2, indentSeq: seqsAreIndented(text), lineWidth: 0, minContentWidth: 0, flowCollectionPadding: false };
  try {
    const formatted = documents.map((d) => d.toString(options)).join("");
    const again = read(formatted, new LineCounter());
    if (again.every((d) => d.errors.length === 0) && essence(formatted, again) === before) return { text: formatted };
  } catch {
    // Not the same: see below.
  }
  return { line: 1, column: 1, why: "" };
}
