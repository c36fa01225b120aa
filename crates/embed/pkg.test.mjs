// The ES module does what the library does natively: same manifest, same steps, same digest.
// `cargo xtask test --only module` builds pkg/ and calls this with what the native run gave.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import init, { Steady, scenarios } from "../../pkg/steady.js";

await init({ module_or_path: await readFile(new URL("../../pkg/steady_bg.wasm", import.meta.url)) });
const manifest = await readFile(new URL("../../tests/wasm/deployment.yaml", import.meta.url), "utf8");

function applied() {
  const steady = new Steady();
  assert.deepEqual(steady.apply(manifest), { stdout: "deployment.apps/web created\n", stderr: "", exit: 0 });
  return steady;
}

test("a run comes out as natively", () => {
  const steady = applied();
  assert.equal(steady.runToSteady(), true);
  assert.equal(steady.digest(), process.env.STEADY_DIGEST);
});

test("a run in slices comes out the same", () => {
  const steady = applied();
  let steps = 0;
  for (let ran; !ran?.steady; steps += ran.steps) ran = steady.runFor(1);
  assert.ok(steps > 10);
  assert.equal(steady.digest(), process.env.STEADY_DIGEST);
  assert.equal(steady.run(5), 0);
});

test("steps, back, choices and what is next", () => {
  const steady = applied();
  const before = steady.digest();
  const [next] = steady.nextCommands();
  assert.equal(next.by, "deployment-controller");
  assert.equal(steady.step("command", next.actor), true);
  assert.equal(steady.objects("rs").length, 1);
  assert.equal(steady.step("machinery"), true);
  assert.ok(steady.enabled().length > 0);
  assert.equal(steady.back() && steady.back(), true);
  assert.equal(steady.digest(), before);
});

test("a link is the run", () => {
  const steady = applied();
  steady.run(7);
  const again = Steady.fromLink(`https://example.org/#${steady.link()}`);
  assert.equal(again.digest(), steady.digest());
});

test("a policy chooses, and is in the link", () => {
  const random = () => { const s = new Steady({ policy: "random:7" }); s.apply(manifest); s.runToSteady(); return s; };
  const steady = random();
  assert.equal(steady.policy(), "random:7");
  assert.equal(random().digest(), steady.digest());
  const again = Steady.fromLink(steady.link());
  assert.deepEqual([again.digest(), again.policy()], [steady.digest(), "random:7"]);
  steady.setPolicy("fair");
  assert.throws(() => steady.setPolicy("luck"), /a policy is fair/);
});

test("scenarios open with their set-up done", () => {
  for (const scenario of scenarios()) {
    const steady = new Steady({ scenario });
    const nodes = steady.objects("nodes").length;
    assert.ok(nodes > 0, scenario);
    // What a set-up leaves is told apart from the cluster it starts in. What it leaves, the library's tests say.
    assert.equal(steady.digest() !== new Steady({ nodes }).digest(), scenario !== "22-empty", scenario);
  }
});

test("what cannot be done throws and says why", () => {
  assert.throws(() => new Steady({ scenario: "none" }), /there is no scenario "none"/);
  assert.throws(() => new Steady({ nodes: -1 }), /nodes must be a whole number/);
  assert.throws(() => Steady.fromLink("zzz"), /version/);
  const steady = new Steady({ seed: 7, nodes: 1 });
  assert.equal(steady.objects("nodes").length, 1);
  assert.throws(() => steady.objects("widgets"), /there is no kind "widgets"/);
  assert.throws(() => steady.step("deep"), /there is no depth "deep"/);
  assert.throws(() => steady.step("command", "nobody"), /there is no component "nobody"/);
  const refused = steady.apply("kind: Pod");
  assert.notEqual(refused.exit, 0);
  assert.notEqual(refused.stderr, "");
});

test("the package has every file that its package.json names", async () => {
  const pkg = new URL("../../pkg/", import.meta.url);
  const about = JSON.parse(await readFile(new URL("package.json", pkg), "utf8"));
  const there = await readdir(pkg);
  for (const file of about.files) {
    const name = new RegExp(`^${file.replaceAll(".", "\\.").replace("*", ".*")}$`);
    assert.ok(there.some((one) => name.test(one)), file);
  }
  for (const entry of Object.values(about.exports).flatMap((to) => (typeof to === "string" ? [to] : Object.values(to)))) {
    assert.ok(there.includes(entry.slice(2)), entry);
  }
  assert.ok(there.includes("README.md"));
  assert.match(await readFile(new URL("licenses.txt", pkg), "utf8"), /^imbl-/m);
});
