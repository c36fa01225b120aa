// What opening the page runs: `cargo xtask split` builds the page with marks (split/src/mark.rs), serves it and
// calls this, which uses the page as somebody does who opens it for the first time, reads the marks, and
// writes split/first.txt.
//
//   STEADY_URL=http://… node split/profile.mjs
import { writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const url = process.env.STEADY_URL;
const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});

/** In the page: keeps the module's exports, among which the marks are. */
function keep() {
  const instantiate = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (...args) => {
    const result = await instantiate(...args);
    window.steadyMarks = result.instance.exports.marks;
    return result;
  };
}

const names = (await (await fetch(new URL("marks.txt", url))).text()).split("\n");
const hot = new Set();
const table = [];
let page;

/** Takes the marks of what ran since. */
async function taken(what) {
  const marks = await page.evaluate(() => Array.from(new Uint8Array(window.steadyMarks.buffer), (m, i) => (m ? i : -1)).filter((i) => i >= 0));
  const before = hot.size;
  for (const i of marks) hot.add(i);
  if (process.env.EXACT) writeFileSync(`${process.env.EXACT}.${table.length}`, [...hot].map((i) => names[i]).join("\n"));
  table.push([what, marks.length, hot.size - before]);
}

const step = () => page.locator(".step");
const still = async () => {
  await page.locator(".next[aria-busy=false]").waitFor();
  await page.waitForFunction(() => document.querySelector(".progress") === null);
  await page.waitForTimeout(300);
};
const tab = (n) => page.locator(".inspector [role=tab]").nth(n);

async function opening(looks) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-US", ...looks });
  page = await context.newPage();
  await page.addInitScript(keep);
  await page.goto(url);
  await step().waitFor();
  await still();
  await page.waitForTimeout(1500);
  const named = JSON.stringify(looks);
  await taken(`opened ${named}`);
  return async () => { await taken(`closed ${named}`); await context.close(); };
}

/** Steps by clicks and keys, there and back. */
async function stepping() {
  for (let i = 0; i < 3; i++) { await step().click(); await still(); }
  await taken("three steps");
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("ArrowLeft"); await still();
  await page.keyboard.press("ArrowRight"); await still();
  await page.locator(".next li button").first().click(); await still();
  await taken("back, forth, chosen");
}

/** Every tab of what is inspected. */
async function inspecting() {
  const tabs = await page.locator(".inspector [role=tab]").count();
  for (let n = 0; n < tabs; n++) { await tab(n).click(); await page.waitForTimeout(200); }
  await tab(0).click();
}

async function toSteady() {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Shift+ArrowRight");
  await page.locator(".steady").waitFor({ timeout: 60_000 });
  await still();
}

/** The scenario of this number in the gallery, to its steady state. */
async function scenario(n) {
  await page.locator(".scenarios .menu-button").click();
  await page.getByRole("menuitemradio").nth(n).click();
  await still();
  await toSteady();
  await taken(`scenario ${n}`);
}

for (const looks of [{}, { locale: "zh-CN", colorScheme: "dark" }]) {
  const close = await opening(looks);
  await stepping();
  await page.locator("g.card").nth(1).click();
  await inspecting();
  await taken("inspected");
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, 200);
  await toSteady();
  await taken("to steady");
  await page.keyboard.press("Home"); await still();
  await page.keyboard.press("End"); await still();
  await taken("home and end");
  if (!looks.locale) {
    const link = await page.evaluate(() => window.steady.link());
    await page.waitForTimeout(1500);
    await page.reload();
    await step().waitFor();
    await still();
    await taken("reloaded");
    await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
    await still();
    await taken("link");
    for (const n of [1, 2, 3]) await scenario(n);
  }
  await close();
}
const close = await opening({ viewport: { width: 390, height: 844 }, hasTouch: true });
await step().click(); await still();
await close();
await browser.close();

console.log("\n| what | functions that ran | of them new |\n| --- | ---: | ---: |");
for (const row of table) console.log(`| ${row.join(" | ")} |`);
const plain = (name) => name.replace(/::h[0-9a-f]{16}( .*)?$/, "");
const out = [...new Set([...hot].map((i) => plain(names[i])))].sort();
if (process.env.EXACT) writeFileSync(process.env.EXACT, [...hot].map((i) => names[i]).join("\n"));
writeFileSync(new URL(process.env.OUT ?? "first.txt", import.meta.url), out.join("\n") + "\n");
console.log(`\n${hot.size} of ${names.length} functions, ${out.length} names`);
