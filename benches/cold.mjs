// Time to the first steps on a cold load: `cargo xtask bench --only cold` builds the page as it is published, serves it and
// calls this. On this machine as it is; with the CPU of the page's main thread slowed four times; and with that on a slow
// line, as Lighthouse has it for a phone. Browsers slow no CPU of workers, so the engine's is this machine's.
//
//   STEADY_URL=http://… node benches/cold.mjs
//
// Each run is a browser context of its own: nothing cached, nothing stored, no code compiled before.
import { createServer, connect } from "node:net";
import { chromium } from "@playwright/test";

const RUNS = 5;
/** How much slower the CPU is; and of the line the bytes in a millisecond and the milliseconds there and back. */
const FORMS = [
  { name: "this machine", cpu: 1 },
  { name: "CPU slowed 4 times", cpu: 4 },
  { name: "CPU slowed 4 times, 1.6 Mbit/s, 150 ms", cpu: 4, line: { rate: 200, trip: 150 } },
];

/** A server before another one that all connections share a line to. Gives its address. */
function behindLine({ rate, trip }, url) {
  const waiting = new Map();
  let isSending = false, free = 0;
  const after = (ms, work) => setTimeout(work, Math.max(0, ms));
  // What arrives at a socket, in order: timers of different lengths may change places.
  const arriving = new WeakMap();
  const arrives = (socket, ms, work) => {
    const before = arriving.get(socket), then = new Promise((resolve) => after(ms, resolve));
    arriving.set(socket, Promise.all([before, then]).then(() => socket.writable && work()));
  };
  // A packet of each connection in turn.
  const send = () => {
    const next = [...waiting].find(([, packets]) => packets.length);
    // A timer that comes late takes nothing from the line.
    if (!isSending) free = Math.max(free, performance.now());
    isSending = Boolean(next);
    if (!next) return;
    const [near, packets] = next, packet = packets.shift(), now = performance.now();
    waiting.delete(near);
    waiting.set(near, packets);
    free += packet.length / rate;
    arrives(near, free - now + trip / 2, () => (packet.length ? near.write(packet) : near.end()));
    after(free - now, send);
  };
  const { hostname, port } = new URL(url);
  const server = createServer((near) => {
    const far = connect(port, hostname);
    // A connection begins with a way there and back.
    let opens = trip;
    near.on("data", (data) => {
      arrives(far, opens + trip / 2, () => far.write(data));
      opens = 0;
    });
    waiting.set(near, []);
    far.on("data", (data) => {
      for (let at = 0; at < data.length; at += 1460) waiting.get(near)?.push(data.subarray(at, at + 1460));
      if (!isSending) send();
    });
    // An empty packet ends a connection.
    far.on("end", () => {
      waiting.get(near)?.push(Buffer.alloc(0));
      if (!isSending) send();
    });
    const end = () => { waiting.delete(near); near.destroy(); far.destroy(); };
    for (const socket of [near, far]) socket.on("error", end);
    near.on("close", end);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({
    url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close(),
  })));
}

const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});

/** In the page: presses Step as soon as something was painted, which the first screen takes; and when the page stands in its
 * place and says what comes next, once more. Notes when what came of each is seen. */
function watch() {
  const times = {};
  window.coldTimes = times;
  const said = () => document.querySelector(".app:not(.shell) .said [role=status]")?.textContent ?? "";
  const seen = (key) => requestAnimationFrame(() => setTimeout(() => (times[key] ??= performance.now())));
  new PerformanceObserver(() => setTimeout(() => {
    dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    if (document.querySelector('.shell .said[data-at="1"]:not([hidden])')) seen("first");
  })).observe({ type: "paint" });
  let before;
  new MutationObserver(() => {
    if (!times.page && document.querySelector(".app:not(.shell) .step")) times.page = performance.now();
    if (!before && document.querySelector(".app:not(.shell) .next[aria-busy=false] li")) {
      before = said();
      // As a person would, from a task of its own.
      setTimeout(() => document.querySelector(".app:not(.shell) .step").click());
    } else if (before && !times.step && said() !== before) {
      seen("step");
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}

/** How many bytes had come at a time, compressed. */
const came = (until) => performance.getEntriesByType("resource")
  .filter((r) => performance.timeOrigin + r.responseEnd <= until).reduce((n, r) => n + r.encodedBodySize, 0);

async function once({ cpu, line }) {
  const server = line && (await behindLine(line, process.env.STEADY_URL));
  const context = await browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: cpu });
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.addInitScript(watch);
  await page.goto(server?.url ?? process.env.STEADY_URL, { waitUntil: "commit" });
  await page.waitForFunction(() => window.coldTimes?.step, null, { timeout: 120_000 });
  const times = await page.evaluate(() => ({
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, ...window.coldTimes,
  }));
  const { metrics } = await cdp.send("Performance.getMetrics");
  times.cpu = metrics.find((m) => m.name === "TaskDuration").value * 1000;
  // The document is no resource.
  const [document, origin] = await page.evaluate(() => [performance.getEntriesByType("navigation")[0].encodedBodySize, performance.timeOrigin]);
  const until = origin + times.step;
  times.loaded = document + (await page.evaluate(came, until)) + (await page.workers()[0].evaluate(came, until));
  await context.close();
  server?.close();
  return times;
}

console.log(`\n### Cold load in Chromium ${browser.version()} (ms, median of ${RUNS})\n`);
console.log("| | first paint | first step shown | the page stands | its next step shown | main thread, CPU | loaded until then, KB |");
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const form of FORMS) {
  const rows = [];
  for (let run = 0; run < RUNS; run++) rows.push(await once(form));
  const middle = (key) => rows.map((r) => r[key]).sort((a, b) => a - b)[RUNS >> 1];
  console.log(`| ${form.name} | ${["paint", "first", "page", "step", "cpu"].map((k) => middle(k).toFixed(0)).join(" | ")} | ${(middle("loaded") / 1000).toFixed(0)} |`);
}
await browser.close();
