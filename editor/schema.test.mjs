// Where the editor completes and explains, on the real schema: `cargo xtask schema`, then
// `node --test editor/`. In a text, | is the cursor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CompletionContext } from "@codemirror/autocomplete";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { yaml } from "@codemirror/lang-yaml";
import { completion, explain } from "./schema.js";

const schema = JSON.parse(readFileSync(new URL("../target/schema.json", import.meta.url)));

function at(text) {
  const pos = text.indexOf("|");
  const state = EditorState.create({ doc: text.replace("|", ""), extensions: [yaml()] });
  ensureSyntaxTree(state, state.doc.length, 5000);
  return { state, pos };
}

async function offers(text) {
  const { state, pos } = at(text);
  const result = await completion(Promise.resolve(schema))(new CompletionContext(state, pos, true));
  return result?.options.map((o) => o.label) ?? [];
}

const explained = (text) => {
  const { state, pos } = at(text);
  return explain(schema, state, pos);
};

const DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\n";

test("the document's kind is the root", async () => {
  assert.deepEqual((await offers(`${DEPLOYMENT}|`)).sort(), ["metadata", "spec", "status"]);
  assert.deepEqual((await offers("|")).sort(), ["apiVersion", "kind", "metadata"]);
  assert.ok((await offers(`${DEPLOYMENT}---\napiVersion: v1\nkind: Service\nspec:\n  |`)).includes("clusterIP"));
  // The header may come last, and in another document it does not count.
  assert.ok((await offers("spec:\n  |\nkind: Service\napiVersion: v1\n---\nkind: Pod")).includes("clusterIP"));
});

test("apiVersion and kind narrow each other", async () => {
  assert.deepEqual(await offers("apiVersion: |\nkind: Deployment"), ["apps/v1"]);
  assert.deepEqual(await offers("apiVersion: policy/v1\nkind: |"), ["PodDisruptionBudget"]);
});

test("lists, indented and not, and their items' first line", async () => {
  const spec = `${DEPLOYMENT}spec:\n  template:\n    spec:\n`;
  for (const list of ["      containers:\n      - |", "      containers:\n        - |", "      containers:\n      - name: a\n        |",
    "      containers:\n      - ports:\n        - containerPort: 1\n        |"]) {
    const names = await offers(spec + list);
    assert.ok(names.includes("image") && !names.includes("replicas"), list);
  }
  assert.ok((await offers(`${spec}      containers:\n      - ports:\n        - |`)).includes("containerPort"));
  // What another item has says nothing of this one.
  assert.ok((await offers(`${spec}      containers:\n      - name: a\n        image: b\n      - |`)).includes("image"));
  assert.ok(!(await offers(`${spec}      containers:\n      - |\n        image: b`)).includes("image"));
});

test("values: enums, booleans, items of a list", async () => {
  const spec = `${DEPLOYMENT}spec:\n`;
  assert.deepEqual(await offers(`${spec}  paused: |`), ["true", "false"]);
  assert.deepEqual(await offers(`${spec}  strategy:\n    type: R|`), ["Recreate", "RollingUpdate"]);
  assert.deepEqual(await offers(`${spec}  replicas: |`), []);
  assert.ok((await offers("apiVersion: v1\nkind: PersistentVolumeClaim\nspec:\n  accessModes:\n  - |")).includes("ReadWriteOnce"));
});

test("flow style", async () => {
  assert.ok((await offers(`${DEPLOYMENT}spec:\n  strategy: {rollingUpdate: {|}}`)).includes("maxSurge"));
  assert.deepEqual(await offers(`${DEPLOYMENT}spec:\n  strategy: {type: |}`), ["Recreate", "RollingUpdate"]);
});

test("nothing in comments, blocks of text and free maps", async () => {
  assert.deepEqual(await offers(`${DEPLOYMENT}spec:\n  # pau|`), []);
  assert.deepEqual(await offers("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: >\n    kind: |"), []);
  assert.deepEqual(await offers("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    |"), []);
  assert.deepEqual(await offers("nonsense: {[\n\t- : |"), []);
});

test("a field is explained with its path and type", () => {
  const found = explained(`${DEPLOYMENT}spec:\n  template:\n    spec:\n      containers:\n      - name: a\n        res|ources: {}`);
  assert.equal(found.path, "spec.template.spec.containers[].resources");
  assert.equal(found.type, "ResourceRequirements");
  assert.match(found.text, /Compute Resources/i);
  assert.equal(explained(`${DEPLOYMENT}spec:\n  strategy:\n    rollingUpdate:\n      maxS|urge: 1`).type, "IntOrString");
  assert.equal(explained(`${DEPLOYMENT}metadata:\n  lab|els:\n    a: b`).type, "map[string]string");
  assert.equal(explained(`${DEPLOYMENT}spec:\n  replicas: |3`), null);
  assert.equal(explained(`${DEPLOYMENT}spec:\n  repl|ica: 3`), null);
});
