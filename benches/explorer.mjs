// The explorer in a tab: `cargo xtask bench --only explorer` builds the page as it is published, serves it
// and calls this.
//
//   STEADY_URL=http://… node benches/explorer.mjs [states]
//
// For each scenario all orders from where it leaves its reader, at the command depth, up to so many
// states: how fast the worker is, and what a state takes of its memory (wasm's only ever grows, so that
// is with what was needed meanwhile).
import { chromium } from "@playwright/test";

const states = Number(process.argv[2]) || 5000;
const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: "en-US" });
await page.goto(process.env.STEADY_URL);
await page.locator(".next[aria-busy=false]").waitFor();
console.log(`\n### Every order, in a worker in Chromium ${browser.version()}, at most ${states} states\n`);
console.log("| scenario | symmetry | states | complete | outcomes | s | states/s | KB a state | worker ready, ms |");
console.log("| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |");

const explore = (link, symmetry) => page.evaluate(([link, symmetry, states]) => new Promise((done, fail) => {
  const begun = performance.now();
  const worker = window.steadyWorker("explorer");
  let ready, first;
  worker.onerror = (e) => fail(new Error(e.message));
  worker.onmessage = ({ data }) => {
    for (const told of JSON.parse(data)) {
      if ("Failed" in told || "Refused" in told) fail(new Error(JSON.stringify(told)));
      if ("Ready" in told) {
        ready = performance.now() - begun;
        worker.postMessage(JSON.stringify({ Explore: {
          link, depth: "Command", symmetry, states, steps: 10000, megabytes: 3000, own: [],
          invariants: ["maxUnavailable", "maxSurge", "oneController", "noOrphan", "boundOnce"],
        } }));
      }
      if ("Progress" in told) first ??= performance.now();
      if ("Found" in told) {
        const took = performance.now() - first;
        worker.terminate();
        done({ found: told.Found, took, ready });
      }
    }
  };
}), [link, symmetry, states]);

const scenarios = page.getByRole("button", { name: "Scenarios" });
await scenarios.click();
const n = await page.getByRole("menuitemradio").count();
await page.keyboard.press("Escape");
for (let i = 0; i < n; i++) {
  await scenarios.click();
  const choice = page.getByRole("menuitemradio").nth(i);
  const name = await choice.locator("b").textContent();
  await choice.click();
  await page.waitForTimeout(300);
  await page.locator(".next[aria-busy=false]").waitFor();
  const link = await page.evaluate(async () => (await window.steady.link()).split("#")[1]);
  for (const symmetry of ["Merged", "Distinct"]) {
    const { found: f, took, ready } = await explore(link, symmetry);
    const row = [name, symmetry, f.states, f.complete ? "yes" : f.cut ?? "no", f.outcomes.length, (took / 1000).toFixed(1),
      Math.round(f.states * 1000 / took), (f.memory / f.states / 1024).toFixed(1), Math.round(ready)];
    console.log(`| ${row.join(" | ")} |`);
  }
}
await browser.close();
