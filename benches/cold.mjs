// Time to the first step on a cold load, with the CPU slowed four times: `cargo xtask bench --only
// cold` builds the page as it is published, serves it and calls this.
//
//   STEADY_URL=http://… node benches/cold.mjs
//
// Each run is a browser context of its own: nothing cached, nothing stored, no code compiled before.
// The network is the machine's own and is not slowed; what a connection adds follows from the sizes.
import { chromium } from "@playwright/test";

const RUNS = 5;
const SLOWER = 4;

const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});

/** In the page: presses Step as soon as the first command stands there, and notes when what came of it does. */
function watch() {
  const times = {};
  window.coldTimes = times;
  const said = () => document.querySelector(".said [role=status]")?.textContent ?? "";
  let before;
  new MutationObserver(() => {
    if (!times.page && document.querySelector(".app:not(.shell) .step")) times.page = performance.now();
    if (!times.command && document.querySelector(".next[aria-busy=false] li")) {
      times.command = performance.now();
      before = said();
      // As a person would, from a task of its own.
      setTimeout(() => document.querySelector(".app:not(.shell) .step").click());
    } else if (times.command && !times.step && said() !== before) {
      requestAnimationFrame(() => setTimeout(() => (times.step ??= performance.now())));
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}

const rows = [];
for (let run = 0; run < RUNS; run++) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.addInitScript(watch);
  await page.goto(process.env.STEADY_URL);
  await page.waitForFunction(() => window.coldTimes?.step, null, { timeout: 120_000 });
  const times = await page.evaluate(() => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    const loaded = performance.getEntriesByType("resource").reduce((n, r) => n + r.decodedBodySize, 0);
    return { paint, ...window.coldTimes, loaded };
  });
  const { metrics } = await cdp.send("Performance.getMetrics");
  times.cpu = metrics.find((m) => m.name === "TaskDuration").value * 1000;
  rows.push(times);
  await context.close();
}
await browser.close();

const middle = (key) => rows.map((r) => r[key]).sort((a, b) => a - b)[RUNS >> 1];
console.log(`\n### Cold load in Chromium ${browser.version()}, CPU slowed ${SLOWER} times (ms, median of ${RUNS})\n`);
console.log("| first paint | the page stands | first command shown | first step shown | main thread, slowed CPU | loaded until then, KB |");
console.log("| ---: | ---: | ---: | ---: | ---: | ---: |");
console.log(`| ${["paint", "page", "command", "step", "cpu"].map((k) => middle(k).toFixed(0)).join(" | ")} | ${(middle("loaded") / 1000).toFixed(0)} |`);
