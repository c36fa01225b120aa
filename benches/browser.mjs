// The figures of docs/benchmarks.md, in Chromium: `cargo xtask bench` builds pkg/ and calls this.
// Runs are sliced as the page slices them, so that the longest block is what a page would see.
//
//   node benches/browser.mjs [replicas…]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { chromium } from "@playwright/test";

const sizes = process.argv.slice(2).map(Number).filter(Boolean);
const chosen = (all) => all.filter((n) => sizes.length === 0 || sizes.includes(n));
const pkg = new URL("../pkg/", import.meta.url);
const types = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };

const server = createServer(async (request, response) => {
  const name = request.url === "/" ? "index.html" : request.url.slice(1);
  try {
    const body = name === "index.html" ? "<!doctype html><title>bench</title>" : await readFile(new URL(name, pkg));
    response.writeHead(200, {
      "Content-Type": types[name.split(".").pop()] ?? "text/plain",
      // Isolated pages have a clock of 5 µs instead of 100.
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${server.address().port}/`;

const scenario = await readFile(new URL("../static/scenarios/01-first-deployment.yaml", import.meta.url), "utf8");
const manifest = scenario.match(/^manifest: \|\n((?: {2}.*\n)+)/m)[1].replace(/^ {2}/gm, "");

const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});

/** Runs a function in a fresh page with the module; tells how much CPU its main thread took. */
async function measured(work, argument) {
  const page = await browser.newPage();
  await page.goto(address);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.evaluate(async () => {
    const module = await import("/steady.js");
    const { memory } = await module.default();
    Object.assign(window, { module, memory });
    window.applied = (manifest, replicas) => {
      const steady = new module.Steady({ nodes: Math.max(3, Math.ceil(replicas / 100)) });
      const out = steady.apply(manifest.replace("replicas: 3", `replicas: ${replicas}`));
      if (out.exit !== 0) throw new Error(out.stderr);
      return steady;
    };
    // A task of its own, without the 4 ms that nested timers wait.
    window.nextTask = () => new Promise((go) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { port1.close(); go(); };
      port2.postMessage(0);
    });
  });
  const cpu = async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  await page.evaluate(([manifest, replicas]) => { window.steady = window.applied(manifest, replicas); }, [manifest, argument]);
  const before = await cpu();
  const result = await page.evaluate(work);
  result.cpu = (await cpu() - before) * 1000;
  result.memory = await page.evaluate(() => window.memory.buffer.byteLength);
  await page.close();
  return result;
}

console.log(`### From apply to all Ready, in Chromium ${browser.version()}\n`);
console.log("| replicas | steps | wall ms | CPU ms | CPU µs per step | longest block ms | wasm memory MB | link bytes |");
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const replicas of chosen([3, 30, 100, 300, 1000, 10000])) {
  const r = await measured(async () => {
    const start = performance.now();
    let longest = 0, steps = 0;
    for (;;) {
      const began = performance.now();
      const ran = window.steady.runFor(8);
      longest = Math.max(longest, performance.now() - began);
      steps += ran.steps;
      if (ran.steady) break;
      await window.nextTask();
    }
    return { wall: performance.now() - start, longest, steps };
  }, replicas);
  const link = replicas > 1000 ? "" : await measured(() => {
    window.steady.runToSteady();
    return { link: window.steady.link().length };
  }, replicas).then((l) => l.link);
  console.log(`| ${replicas} | ${r.steps} | ${r.wall.toFixed(1)} | ${r.cpu.toFixed(1)} | ${(r.cpu * 1000 / r.steps).toFixed(1)} | ${r.longest.toFixed(1)} | ${(r.memory / 1e6).toFixed(1)} | ${link} |`);
}

console.log("\n### One step, in Chromium (µs, p50 / p99)\n");
console.log("| pods | step | step back | next commands |");
console.log("| ---: | ---: | ---: | ---: |");
for (const replicas of chosen([100, 10000])) {
  const r = await measured(async () => {
    const { steady } = window;
    const ready = () => steady.objects("replicasets").reduce((n, rs) => n + (rs.status.readyReplicas ?? 0), 0);
    const wanted = steady.objects("deployments")[0].spec.replicas;
    while (ready() < wanted / 2 && steady.run(100) === 100) await window.nextTask();
    const timed = (n, work) => Array.from({ length: n }, () => {
      const began = performance.now();
      work();
      return (performance.now() - began) * 1000;
    }).sort((a, b) => a - b);
    const middle = (times) => [50, 99].map((p) => times[Math.floor(times.length * p / 100)].toFixed(0)).join(" / ");
    const forth = middle(timed(500, () => steady.step()));
    const back = middle(timed(500, () => steady.back()));
    const next = middle(timed(20, () => steady.nextCommands()));
    return { forth, back, next };
  }, replicas);
  console.log(`| ${replicas} | ${r.forth} | ${r.back} | ${r.next} |`);
}
console.log();
await browser.close();
server.close();
