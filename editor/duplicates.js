// Keys that stand twice in one mapping. kubectl takes the last of them without a word, so the editor says it.
import { ensureSyntaxTree } from "@codemirror/language";

/** How long parsing may take, in milliseconds. */
const PATIENCE = 200;

/** The second and further places of each such key, as CodeMirror's diagnostics. */
export function duplicates(state) {
  const tree = ensureSyntaxTree(state, state.doc.length, PATIENCE);
  const found = [];
  tree?.iterate({ enter({ name, node }) {
    if (name !== "BlockMapping" && name !== "FlowMapping") return;
    const known = new Set();
    for (const pair of node.getChildren("Pair")) {
      const key = pair.getChild("Key");
      if (!key) continue;
      const text = state.sliceDoc(key.from, key.to).trim().replace(/^(["'])(.*)\1$/, "$2");
      // Any number of mappings may be merged in.
      if (text === "<<") continue;
      if (known.has(text)) {
        found.push({ from: key.from, to: key.to, severity: "warning", message: state.phrase("The key $ stands here twice: the last one counts", text) });
      }
      known.add(text);
    }
  } });
  return found;
}
