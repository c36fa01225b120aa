// Where the editor completes and explains, on the real schema: `cargo xtask schema`, then
// `node --test editor/`. In a text, | is the cursor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CompletionContext } from "@codemirror/autocomplete";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { yaml } from "@codemirror/lang-yaml";
import { Catalogue, completion, explain } from "./schema.js";

const schema = JSON.parse(readFileSync(new URL("../target/schema.json", import.meta.url)));

function at(text) {
  const pos = text.indexOf("|");
  const state = EditorState.create({ doc: text.replace("|", ""), extensions: [yaml()] });
  ensureSyntaxTree(state, state.doc.length, 5000);
  return { state, pos };
}

const builtIn = new Catalogue(Promise.resolve(schema));

async function options(text, catalogue = builtIn) {
  const { state, pos } = at(text);
  return (await completion(catalogue)(new CompletionContext(state, pos, true)))?.options ?? [];
}

const offers = async (text, catalogue) => (await options(text, catalogue)).map((o) => o.label);

const explained = (text, catalogue = builtIn) => {
  const { state, pos } = at(text);
  return explain(catalogue, state, pos);
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

test("a field is explained with its path and type", async () => {
  const found = await explained(`${DEPLOYMENT}spec:\n  template:\n    spec:\n      containers:\n      - name: a\n        res|ources: {}`);
  assert.equal(found.path, "spec.template.spec.containers[].resources");
  assert.equal(found.type, "ResourceRequirements");
  assert.match(found.text, /Compute Resources/i);
  assert.equal((await explained(`${DEPLOYMENT}spec:\n  strategy:\n    rollingUpdate:\n      maxS|urge: 1`)).type, "IntOrString");
  assert.equal((await explained(`${DEPLOYMENT}metadata:\n  lab|els:\n    a: b`)).type, "map[string]string");
  assert.equal(await explained(`${DEPLOYMENT}spec:\n  replicas: |3`), null);
  assert.equal(await explained(`${DEPLOYMENT}spec:\n  repl|ica: 3`), null);
});

// A custom kind as `/openapi/v3` has it.
const GADGET = {
  type: "object", description: "A gadget.", required: ["spec"], properties: {
    apiVersion: { type: "string" }, kind: { type: "string" },
    metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
    spec: { type: "object", required: ["size"], description: "What is wanted.",
      "x-kubernetes-validations": [{ rule: "self.size == oldSelf.size", message: "it does not grow" }], properties: {
        size: { type: "integer", description: "How\nlarge.\n\n* or\n* so", default: 3, minimum: 1, maximum: 5 },
        on: { type: "string", enum: ["True", "False", "Unknown"] },
        parts: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
        port: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
        labels: { type: "object", additionalProperties: { type: "string" } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      } },
  },
};
const GADGETS = "apiVersion: example.com/v1\nkind: Gadget\n";
const gadgets = () => {
  const asked = [];
  const catalogue = new Catalogue(Promise.resolve(schema), async (kind) => (asked.push(kind.revision), JSON.stringify(GADGET)));
  catalogue.setKinds([{ apiVersion: "example.com/v1", kind: "Gadget", revision: 1 }]);
  return { catalogue, asked };
};

test("a custom kind is completed from its own schema", async () => {
  const { catalogue } = gadgets();
  assert.deepEqual(await offers("apiVersion: example.com/v1\nkind: |", catalogue), ["Gadget"]);
  assert.deepEqual(await offers("apiVersion: |\nkind: Gadget", catalogue), ["example.com/v1"]);
  assert.deepEqual(await offers(`${GADGETS}|`, catalogue), ["metadata", "spec"]);
  assert.ok((await offers(`${GADGETS}metadata:\n  |`, catalogue)).includes("ownerReferences"));
  assert.deepEqual(await offers(`${GADGETS}spec:\n  size: 3\n  |`, catalogue), ["on", "parts", "port", "labels", "free"]);
  assert.deepEqual(await offers(`${GADGETS}spec:\n  parts:\n  - |`, catalogue), ["name"]);
  assert.deepEqual(await offers(`${GADGETS}spec:\n  free:\n    |`, catalogue), []);
  // What is required comes before the rest.
  const boosts = new Map((await options(`${GADGETS}spec:\n  |`, catalogue)).map((o) => [o.label, o.boost]));
  assert.ok(boosts.get("size") > boosts.get("on"));
});

test("values of a custom kind: its default, and texts that YAML would misread", async () => {
  const { catalogue } = gadgets();
  const [three] = await options(`${GADGETS}spec:\n  size: |`, catalogue);
  assert.deepEqual([three.label, three.detail], ["3", "default"]);
  const on = await options(`${GADGETS}spec:\n  on: |`, catalogue);
  assert.deepEqual(on.map((o) => o.apply), ['"True"', '"False"', "Unknown"]);
  assert.deepEqual((await options(`${GADGETS}spec:\n  on: "|`, catalogue)).map((o) => o.apply), ["True", "False", "Unknown"]);
});

test("a field of a custom kind is explained with what its value has to be", async () => {
  const { catalogue } = gadgets();
  const size = await explained(`${GADGETS}spec:\n  si|ze: 3`, catalogue);
  assert.deepEqual([size.path, size.type, size.text], ["spec.size", "integer", "How large.\n\n* or\n* so"]);
  assert.deepEqual(size.limits, ["required", "default: 3", "minimum: 1", "maximum: 5"]);
  assert.equal((await explained(`${GADGETS}spec:\n  po|rt: 3`, catalogue)).type, "IntOrString");
  assert.equal((await explained(`${GADGETS}spec:\n  labels|: {}`, catalogue)).type, "map[string]string");
  assert.deepEqual((await explained(`${GADGETS}sp|ec:`, catalogue)).limits, ["required", "it does not grow: self.size == oldSelf.size"]);
});

test("a schema is asked for once, and again when it is another one", async () => {
  const { catalogue, asked } = gadgets();
  for (let i = 0; i < 3; i++) await offers(`${GADGETS}spec:\n  |`, catalogue);
  catalogue.setKinds([{ apiVersion: "example.com/v1", kind: "Gadget", revision: 1 }, { apiVersion: "a.b/v1", kind: "C", revision: 2 }]);
  await offers(`${GADGETS}spec:\n  |`, catalogue);
  assert.deepEqual(asked, [1]);
  catalogue.setKinds([{ apiVersion: "example.com/v1", kind: "Gadget", revision: 3 }]);
  await offers(`${GADGETS}spec:\n  |`, catalogue);
  assert.deepEqual(asked, [1, 3]);
  // Without its definition a kind is like any that is not known.
  catalogue.setKinds([]);
  assert.deepEqual(await offers(`${GADGETS}spec:\n  |`, catalogue), []);
  assert.ok(!(await offers("apiVersion: |", catalogue)).includes("example.com/v1"));
});
