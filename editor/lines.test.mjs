// Where the next line begins, and what a document folds. `node --test editor/`
import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorState } from "@codemirror/state";
import { documentFold, folded, nextColumn } from "./lines.js";

test("the next line begins where a field can stand", () => {
  for (const [text, column] of [
    ["spec:", 2], ["  strategy:", 4], ["  strategy:  # how", 4], ["  replicas: 3", 2], ["- name: a", 2], ["  - name:", 6],
    ["  - - a: 1", 6], ["  - sleep", 2], ["data: |", 2], ["  script: >-", 4], ["  'a b': c", 2], ["  image: nginx:1.27", 2],
    ["  time: 12:30", 2], ["", null], ["# a: b:", null],
  ]) assert.equal(nextColumn(text), column, text);
});

test("a document folds to its kind and name", () => {
  const doc = "# two\nkind: A\nmetadata:\n  labels: {}\n  name: x\n\n---\nkind: B\nmetadata: {name: y}\n";
  const state = EditorState.create({ doc });
  const folds = [...Array(state.doc.lines).keys()].map((n) => documentFold(state, state.doc.line(n + 1).from));
  assert.deepEqual(folds.map((f) => f && [state.doc.lineAt(f.from).number, state.doc.lineAt(f.to).number]),
    [null, [2, 5], null, null, null, null, null, [8, 9], null, null]);
  assert.equal(folded(state, folds[1]), "A x");
  const alone = EditorState.create({ doc: "kind: A\nmetadata:\n  name: x\n" });
  assert.equal(documentFold(alone, 0), null);
});
