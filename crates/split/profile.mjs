// What opening the page runs: `cargo xtask split` builds the page with marks (crates/split/src/mark.rs), serves it and
// calls this, which uses the page as somebody does who opens it for the first time, reads the marks, and
// writes the names of what ran, of which crates/split/first.txt is made.
//
//   STEADY_URL=http://… node crates/split/profile.mjs NAMES
import { writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const url = process.env.STEADY_URL;
const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});

/** Goes before the worker's script: keeps the module's exports, among which the marks are. */
const KEEP = `
const instantiate = WebAssembly.instantiateStreaming;
WebAssembly.instantiateStreaming = async (...args) => {
  const result = await instantiate(...args);
  globalThis.steadyMarks = result.instance.exports.marks;
  return result;
};
`;

const names = (await (await fetch(new URL("marks.txt", url))).text()).split("\n");
const hot = new Set();
const table = [];
let page;

/** Takes the marks of what ran since. */
async function taken(what) {
  const [engine] = page.workers();
  const marks = await engine.evaluate(() => Array.from(new Uint8Array(globalThis.steadyMarks.buffer), (m, i) => (m ? i : -1)).filter((i) => i >= 0));
  const before = hot.size;
  for (const i of marks) hot.add(i);
  table.push([what, marks.length, hot.size - before]);
}

const step = () => page.locator(".app:not(.shell) .step");
const still = async () => {
  await page.locator(".next[aria-busy=false]").waitFor();
  await page.waitForFunction(() => document.querySelector(".progress") === null);
  await page.waitForTimeout(300);
};

async function opening(looks, slower) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-US", ...looks });
  page = await context.newPage();
  await page.route("**/worker.js*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: KEEP + (await response.text()) });
  });
  await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slower });
  await page.goto(url);
  await step().waitFor();
  await still();
  await page.waitForTimeout(1500);
  const named = JSON.stringify({ ...looks, slower });
  await taken(`opened ${named}`);
  return () => context.close();
}

// In both languages, narrow, and on machines so slow that work is done in slices. What somebody does after a step
// and the way back takes long enough for the second part to come.
const looks = [{}, { locale: "zh-CN", colorScheme: "dark" }, { viewport: { width: 390, height: 844 }, hasTouch: true }];
for (const [look, slower] of [...looks.map((look) => [look, 1]), [{}, 4], [{}, 12]]) {
  const close = await opening(look, slower);
  await step().click(); await still();
  await page.keyboard.press("ArrowLeft"); await still();
  await taken("a step and back");
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("ArrowRight"); await still();
  await page.keyboard.press("ArrowLeft"); await still();
  await taken("and by keys");
  await close();
}
await browser.close();

console.log("\n| what | functions that ran | of them new |\n| --- | ---: | ---: |");
for (const row of table) console.log(`| ${row.join(" | ")} |`);
writeFileSync(process.argv[2], [...hot].map((i) => names[i]).sort().join("\n") + "\n");
console.log(`\n${hot.size} of ${names.length} functions`);
