// A beginning for each kind that people write: what completion offers where a document is empty. The texts stand in
// snippets.yaml, in CodeMirror's form (`#{name}` is a place to fill in); a test applies each of them to a cluster.
import { snippetCompletion } from "@codemirror/autocomplete";
import text from "./snippets.yaml";

/** One option of completion for each kind. */
export const snippets = text.split(/^---\n/m).map((snippet) => {
  const field = (name) => new RegExp(`^${name}: (.*)$`, "m").exec(snippet)[1];
  return snippetCompletion(snippet, { label: field("kind"), detail: field("apiVersion"), type: "class", boost: 10 });
});
