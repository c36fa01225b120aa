// A module that is cut does what it did whole. The module is Rust's and the linker's own work (sample.rs).
import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dir = mkdtempSync(join(tmpdir(), "steady-split-"));
const file = (name) => join(dir, name);
const run = (program, ...args) => execFileSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });

run("rustc", "--edition", "2024", "--target", "wasm32-unknown-unknown", "-Copt-level=z", "-Cpanic=abort", "-Clto",
  "-Csymbol-mangling-version=v0", "-Cstrip=debuginfo", "-Clink-arg=--emit-relocs", "--crate-name", "sample", "-o", file("whole.wasm"), new URL("sample/lib.rs", import.meta.url).pathname);
const split = (...args) => run(process.env.CARGO ?? "cargo", "run", "--quiet", "--package", "steady-split", "--", ...args);
split("mark", file("whole.wasm"), file("marked.wasm"), file("marks"));
const marks = readFileSync(file("marks"), "utf8").split("\n").map((line) => line.split("\t"));
// All that is not named is for the second part: the standard library, too.
const hot = marks.filter(([name]) => /^(hot|hot_helper|speak|sum|same|winding)$|3Hot\w*?5speak|6sample4pick/.test(name));
/** Cuts the module, with a text of what was reached of the functions of the first part; without one these stay whole. */
const cut = (reached) => {
  writeFileSync(file("names"), hot.map(([name, print]) => (reached ? [name, print, reached] : [name]).join("\t")).join("\n"));
  split("cut", file("whole.wasm"), file("whole.wasm"), file("names"), file("first.wasm"), file("second.wasm"));
  return { first: readFileSync(file("first.wasm")), second: readFileSync(file("second.wasm")) };
};
const whole = readFileSync(file("whole.wasm"));
const { first, second } = cut();
const parts = ["0", "f", "1", "7", "3f0", "ff5", "fff1", "ffff7", "8421"].map((reached) => [reached, cut(reached)]);
rmSync(dir, { recursive: true });

/** A module with what it has told, and how often the second part was asked for. */
function start(bytes, rest = second) {
  const it = { told: [], asked: 0 };
  const told = (at, length) => it.told.push(Buffer.from(it.exports.memory.buffer, at, length).toString());
  const load = () => {
    it.asked++;
    if (it.offline) throw new Error("offline");
    new WebAssembly.Instance(new WebAssembly.Module(rest), { first: it.exports });
  };
  it.exports = new WebAssembly.Instance(new WebAssembly.Module(bytes), { page: { told, load } }).exports;
  return it;
}

const calls = [["hot", 1], ["sum", 3], ["hot", 2], ["speak", 0, 4], ["speak", 1, 5], ["same", 0], ["same", 1], ["cold_exported", 9],
  ["speak", 1, 7], ["cold_sum", 1, 2.5, 3n, 0.5], ["hot", 9], ["cold_address", 1]];

test("it does what it did whole", () => {
  for (let at = 0; at < calls.length; at++) {
    // Whatever is called first.
    const order = [...calls.slice(at), ...calls.slice(0, at)];
    const [as, is] = [start(whole), start(first)];
    for (const [name, ...args] of order) assert.equal(is.exports[name](...args), as.exports[name](...args), name);
    assert.deepEqual(is.told, as.told);
    assert.equal(is.asked, 1);
  }
});

test("the second part is asked for when it is needed, and asked again if it did not come", () => {
  const it = start(first);
  it.exports.hot(1);
  it.exports.speak(0, 1);
  assert.equal(it.asked, 0);
  it.offline = true;
  assert.throws(() => it.exports.sum(1), /offline/);
  assert.throws(() => it.exports.speak(1, 1), /offline/);
  it.offline = false;
  const as = start(whole);
  for (const [name, ...args] of [["hot", 1], ["speak", 0, 1]]) as.exports[name](...args);
  assert.equal(it.exports.sum(1), as.exports.sum(1));
  assert.equal(it.asked, 3);
});

test("what only the second part can know left with it, and the first is smaller", () => {
  const text = "only the second part says this";
  assert.ok(whole.includes(text) && second.includes(text) && !first.includes(text));
  assert.ok(first.includes("the first part speaks") && !second.includes("the first part speaks"));
  assert.ok(WebAssembly.Module.imports(new WebAssembly.Module(first)).length === 2);
});

test("what was never reached of a function does elsewhere what it did there", () => {
  for (const [reached, { first, second }] of parts) {
    const [as, is] = [start(whole), start(first, second)];
    for (let n = 0; n < 400; n++) {
      for (const x of [0, 2.5, -7]) assert.equal(is.exports.winding(n * 7919, x), as.exports.winding(n * 7919, x), `${n} ${x}, ${reached} reached`);
    }
    assert.deepEqual(is.told, as.told);
    assert.equal(is.asked, 1);
  }
  // What stands in its place takes less; and its texts have left with it.
  assert.ok(parts[0][1].first.length < first.length);
  assert.ok(first.includes("winding breaks off") && !parts[0][1].first.includes("winding breaks off"));
});
