// Keys that stand twice in one mapping. kubectl takes the last of them without a word, so the editor says it at both places.
import { ensureSyntaxTree } from "@codemirror/language";

/** How long parsing may take, in milliseconds. */
const PATIENCE = 200;

/** All places of each such key, as CodeMirror's diagnostics; `twice` tells them from others. */
export function duplicates(state) {
  const tree = ensureSyntaxTree(state, state.doc.length, PATIENCE);
  const found = [];
  const warn = (key, phrase, ...values) => found.push({
    from: key.from, to: key.to, severity: "warning", twice: true, message: state.phrase(phrase, ...values),
  });
  const line = (key) => state.doc.lineAt(key.from).number;
  tree?.iterate({ enter({ name, node }) {
    if (name !== "BlockMapping" && name !== "FlowMapping") return;
    const places = new Map();
    for (const pair of node.getChildren("Pair")) {
      const key = pair.getChild("Key");
      if (!key) continue;
      const text = state.sliceDoc(key.from, key.to).trim().replace(/^(["'])(.*)\1$/, "$2");
      // Any number of mappings may be merged in.
      if (text === "<<") continue;
      places.set(text, [...(places.get(text) ?? []), key]);
    }
    for (const [text, keys] of places) {
      const last = keys.pop();
      if (!keys.length) continue;
      for (const key of keys) warn(key, "The key $1 stands again in line $2, and that one counts", text, line(last));
      warn(last, "The key $1 stands in line $2, too: this last one counts", text, line(keys.at(-1)));
    }
  } });
  return found.sort((a, b) => a.from - b.from);
}
