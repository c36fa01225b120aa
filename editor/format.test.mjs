// What formatting keeps. Over all manifests of the scenarios and examples: it is idempotent, and means the same.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Lexer, parseAllDocuments } from "yaml";
import { format } from "./format.js";

const at = (folder) => fileURLToPath(new URL(`../${folder}`, import.meta.url));
const files = readdirSync(at("static/scenarios"), { recursive: true }).filter((f) => /\.ya?ml$/.test(f)).map((f) => `${at("static/scenarios")}/${f}`);
const recorded = readdirSync(at("tests/conformance"), { recursive: true }).filter((f) => /\.yaml$/.test(f)).map((f) => `${at("tests/conformance")}/${f}`);

const values = (text) => parseAllDocuments(text, { version: "1.1", uniqueKeys: false, merge: true }).map((d) => d.toJS());
const comments = (text) => [...new Lexer().lex(text)].filter((t) => t.startsWith("#")).map((t) => t.trim()).sort();

test("every manifest stays the same in meaning, keeps its comments, and is formatted once for all", () => {
  const all = [...files, ...recorded, at("editor/snippets.yaml")];
  assert.ok(all.length > 60, `${all.length} manifests`);
  let formatted = 0;
  for (const file of all) {
    const text = readFileSync(file, "utf8");
    const once = format(text);
    if (once.why !== undefined) {
      assert.ok(once.why, `${file} could be read, and was not formatted`);
      continue;
    }
    formatted += 1;
    assert.deepEqual(values(once.text), values(text), file);
    assert.deepEqual(comments(once.text), comments(text), file);
    assert.deepEqual(format(once.text), once, file);
  }
  assert.ok(formatted > all.length * 0.9, `${formatted} of ${all.length}`);
});

test("what is written in a way of its own stays", () => {
  const text = `# who: team
apiVersion:   v1
kind: ConfigMap
metadata: {name: a,   labels: {x: "yes"}}   # in one line
data:
     mode: 0644
     ratio: 1.10
     quoted: 'on'
     nothing:
     script: |
        #!/bin/sh
        if true; then
            echo deep
        fi

     folded: >-
        one line
        and another

        a paragraph
---
base: &base
    a: 1
use:
    <<: *base
    list:
    - b   # of b
    -   c: 1
        d: 2
`;
  assert.equal(format(text).text, `# who: team
apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {x: "yes"}} # in one line
data:
  mode: 0644
  ratio: 1.10
  quoted: 'on'
  nothing:
  script: |
    #!/bin/sh
    if true; then
        echo deep
    fi

  folded: >-
    one line
    and another

    a paragraph
---
base: &base
  a: 1
use:
  <<: *base
  list:
  - b # of b
  - c: 1
    d: 2
`);
  const deeper = "a:\n   - b\n   - c\n";
  assert.equal(format(deeper).text, "a:\n  - b\n  - c\n");
});

test("a text with an error is left alone, and its line is told", () => {
  assert.deepEqual(format("a: 1\nb: [1, 2\nc: 3\n").line, 3);
  const tab = format("a:\n\tb: 1\n");
  assert.ok(tab.line === 2 && tab.why, JSON.stringify(tab));
});

test("an alias without an anchor is told with its line", () => {
  const first = format("a: *x\n");
  assert.deepEqual([first.line, first.column], [1, 4]);
  assert.match(first.why, /Unresolved alias.*: x$/);
  // An anchor of another document is none.
  assert.equal(format("a: &x 1\nb: *x\n---\nc: *x\n").line, 4);
  assert.equal(format("a: &x 1\nb: *x\nc: *y\nd: *x\n").line, 3);
  // An anchor that holds itself.
  assert.equal(typeof format("a: &x\n  b: *x\n"), "object");
});

test("aliases of aliases are not expanded without a limit", () => {
  const rounds = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(", ")}]\n`);
  const bomb = format(`a0: &a0 [x]\n${rounds.join("")}`);
  assert.equal(bomb.line, 10);
  assert.match(bomb.why, /^Excessive alias count/);
  assert.match(format(`a0: &a0 x\nall:\n${"  -   *a0\n".repeat(50)}`).text, /^all:\n {2}- \*a0$/m);
});
