// What opening the page runs: `cargo xtask split` builds the page with marks (crates/split/src/mark.rs), serves it and
// calls this, which uses the page as somebody does who opens it for the first time, reads the marks of the page and of its
// engine, and writes the names of what ran with what was reached of it, of which crates/split/{page,engine}/first.txt are made.
//
//   STEADY_URL=http://… node crates/split/profile.mjs DIR
import { writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const url = process.env.STEADY_URL;
const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});

/** Goes before the scripts of the page and of the worker: keeps the module's exports, among which the marks are. */
const KEEP = `
const instantiate = WebAssembly.instantiateStreaming;
WebAssembly.instantiateStreaming = async (...args) => {
  const result = await instantiate(...args);
  globalThis.steadyMarks = result.instance.exports.marks;
  return result;
};
`;
/** Goes before the script of the worker, too: a clock so fast that the engine works in as small slices as on a slow machine, of
 * which the browser slows the page alone. */
const HASTE = `
const now = performance.now.bind(performance);
performance.now = () => now() * 50;
`;
/** In the page or the worker: which bytes are set. */
const marks = () => Array.from(new Uint8Array(globalThis.steadyMarks.buffer), (m, i) => (m ? i : -1)).filter((i) => i >= 0);

/** What is marked of a module: its functions in order, each with a byte of its own and one for each of its points. */
async function module(name) {
  const lines = (await (await fetch(new URL(`marks-${name}.txt`, url))).text()).split("\n").map((line) => line.split("\t"));
  let next = 0;
  const functions = lines.map(([name, print, points]) => {
    const at = next;
    next += 1 + Number(points);
    return { name, print, at, points: Number(points) };
  });
  return { name, functions, ran: new Set(), hot: (of) => functions.filter((f) => of.has(f.at)).length };
}
const [ui, engine] = [await module("page"), await module("engine")];
const table = [];
let page;

/** Takes the marks of what ran since. */
async function taken(what) {
  const row = [what];
  for (const [module, where] of [[ui, page], [engine, page.workers()[0]]]) {
    const before = module.hot(module.ran), found = new Set(await where.evaluate(marks));
    found.forEach((i) => module.ran.add(i));
    row.push(module.hot(found), module.hot(module.ran) - before);
  }
  table.push(row);
}

const step = () => page.locator(".app:not(.shell) .step");
const still = async () => {
  await page.locator(".next[aria-busy=false]").waitFor();
  await page.waitForFunction(() => document.querySelector(".progress") === null);
  await page.waitForTimeout(300);
};

async function opening(looks, slower, presses) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-US", ...looks });
  page = await context.newPage();
  await page.addInitScript(KEEP);
  await page.route("**/worker.js*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: KEEP + (slower > 1 ? HASTE : "") + (await response.text()) });
  });
  await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slower });
  await page.goto(url, { waitUntil: "commit" });
  // Somebody presses Step on the first screen, and the page takes these steps before it stands.
  if (presses > 0) {
    await page.locator(".shell .step").waitFor();
    for (let i = 0; i < presses; i++) await page.keyboard.press("ArrowRight");
  }
  await step().waitFor();
  await still();
  await page.waitForTimeout(1500);
  const named = JSON.stringify({ ...looks, slower, presses });
  await taken(`opened ${named}`);
  return () => context.close();
}

// In both languages, in windows with each layout of the graph, and on machines so slow that work is done in slices. What
// somebody does after a step and the way back takes long enough for the second part to come.
const phone = { isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const windows = [{}, { viewport: { width: 390, height: 844 }, ...phone }, { viewport: { width: 412, height: 823 }, ...phone }, { viewport: { width: 720, height: 450 } }];
const languages = [{}, { locale: "zh-CN", colorScheme: "dark" }];
const looks = windows.flatMap((window) => languages.map((language) => ({ ...window, ...language })));
// A slow machine is pressed a few times, each time another number, up to two more than the first screen has steps.
const visits = looks.flatMap((look, i) => [[look, 1, 0], [look, 4, i % 8]]);
for (const [look, slower, presses] of [...visits, [{}, 12, 1], [{}, 12, 5], [{}, 12, 7]]) {
  const close = await opening(look, slower, presses);
  await step().click(); await still();
  await page.keyboard.press("ArrowLeft"); await still();
  await taken("a step and back");
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("ArrowRight"); await still();
  await page.keyboard.press("ArrowLeft"); await still();
  await taken("and by keys");
  // What the page does by itself after a while: the run is kept, and the editor stands. It must not wait for the second part then.
  await step().click(); await still();
  await page.waitForTimeout(4000);
  await taken("a while later");
  // What a hand does that rests on the mouse.
  const { width, height } = page.viewportSize();
  for (let y = 20; y < height; y += 60) await page.mouse.move(width * 0.1, y).then(() => page.mouse.move(width * 0.9, y + 30, { steps: 12 }));
  await page.mouse.move(width / 2, height / 2);
  await page.mouse.wheel(0, 40);
  await page.waitForTimeout(500);
  await taken("pointed at");
  // The tab is left, and what was done is kept.
  await page.evaluate(() => ["visibilitychange", "pagehide", "resize"].forEach((name) => {
    (name === "visibilitychange" ? document : window).dispatchEvent(new Event(name));
  }));
  await page.waitForTimeout(1000);
  await taken("left");
  await close();
}
await browser.close();

console.log("\n| what | functions of the page | of them new | of the engine | of them new |\n| --- | ---: | ---: | ---: | ---: |");
for (const row of table) console.log(`| ${row.join(" | ")} |`);
console.log();
for (const { name, functions, ran } of [ui, engine]) {
  const hot = functions.filter((f) => ran.has(f.at));
  // Four points are a digit.
  const reached = ({ at, points }) => Array.from({ length: Math.ceil(points / 4) }, (_, four) =>
    [0, 1, 2, 3].reduce((sum, i) => sum + (ran.has(at + 1 + 4 * four + i) && 4 * four + i < points ? 1 << i : 0), 0).toString(16)).join("");
  writeFileSync(`${process.argv[2]}/opening-${name}.txt`, hot.map((f) => `${f.name}\t${f.print}\t${reached(f)}`).sort().join("\n") + "\n");
  console.log(`${name}: ${hot.length} of ${functions.length} functions, ${ran.size - hot.length} of ${functions.reduce((n, f) => n + f.points, 0)} places in them`);
}
