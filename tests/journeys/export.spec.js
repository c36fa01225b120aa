// What is shown, as files.
import { readFile } from "node:fs/promises";
import { test, expect, open } from "./page.js";

/** The scenario that an address names is set up. */
const opened = (page, title) => expect(page.locator(".scenarios .menu-button b")).toHaveText(title);

async function downloaded(page, name) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("dialog").getByRole("button", { name, exact: true }).click()]);
  const path = `test-results/export/${file.suggestedFilename()}`;
  await file.saveAs(path);
  return { path, bytes: await readFile(path), text: (await readFile(path)).toString("utf8") };
}

/** A rolling update in its middle, with the dialog open. */
async function shared(page, theme = "light") {
  await open(page, `?theme=${theme}#04-rolling-update`);
  await opened(page, "Rolling update");
  for (let i = 0; i < 8; i++) await page.evaluate(() => window.steady.step());
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
}

/** What a picture is when a browser draws it by itself. */
async function drawn(context, path, shot) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1300, height: 760 });
  await page.goto(`file://${process.cwd()}/${path}`);
  const texts = await page.locator("text").allTextContents();
  await page.screenshot({ path: shot });
  await page.close();
  return texts;
}

for (const theme of ["light", "dark"]) {
  test(`the graph as SVG and PNG, ${theme}`, async ({ page, context }) => {
    await shared(page, theme);
    const svg = await downloaded(page, "Graph, SVG");
    const texts = await drawn(context, svg.path, `test-results/export/svg-${theme}.png`);
    expect(texts).toEqual(expect.arrayContaining(["Deployment", "web", "ReplicaSet", "node-1"]));
    expect(svg.text).not.toMatch(/href|url\(|<script/);
    expect(svg.text).toContain(theme === "dark" ? "#0f1013" : "#f5f5f2");
    const png = await downloaded(page, "Graph, PNG");
    expect([...png.bytes.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    const [w] = svg.text.match(/width="(\d+)"/).slice(1).map(Number);
    expect(png.bytes.readUInt32BE(16)).toBe(2 * w);
  });
}

test("the run as pages and as a picture that moves; objects and graph as text", async ({ page, context }) => {
  await shared(page);
  const md = await downloaded(page, "Run, Markdown");
  expect(md.text).toMatch(/^# Rolling update\n/);
  expect(md.text).toContain("](http");
  expect(md.text.match(/^## \d+\. /gm)).toHaveLength(8);
  expect(md.text).toContain("Created `ReplicaSet default/web-");
  const moving = await downloaded(page, "Run, animated SVG");
  expect(moving.text.match(/<g class="f /g)).toHaveLength(9);
  const visit = await context.newPage();
  await visit.emulateMedia({ reducedMotion: "no-preference" });
  await visit.goto(`file://${process.cwd()}/${moving.path}`);
  const visible = () => visit.evaluate(() => [...document.querySelectorAll(".f")].filter((g) => getComputedStyle(g).visibility === "visible").map((g) => g.getAttribute("class")));
  // Each moment has one picture, and the next one comes by itself.
  const at = async (seconds) => {
    await visit.evaluate((ms) => document.getAnimations().forEach((a) => { a.pause(); a.currentTime = ms; }), seconds * 1000);
    return visible();
  };
  for (let n = 0; n < 9; n++) expect(await at(1.6 * n + 0.8)).toEqual([`f f${n}`]);
  await visit.screenshot({ path: "test-results/export/animated.png" });
  await visit.emulateMedia({ reducedMotion: "reduce" });
  expect(await visible()).toEqual(["f f8"]);
  await visit.close();
  const mermaid = await downloaded(page, "Graph, Mermaid");
  expect(mermaid.text).toMatch(/^flowchart LR\n {2}n0\["/);
  expect(mermaid.text).toMatch(/n\d+ --> n\d+/);
  const all = await downloaded(page, "All objects, YAML");
  expect(all.text).toMatch(/kind: List/);
  expect(all.text).toMatch(/uid: /);
  const declared = await downloaded(page, "What was declared, YAML");
  expect(declared.text).not.toMatch(/uid: |status:|kind: ReplicaSet/);
  // Another cluster takes it.
  await page.keyboard.press("Escape");
  const out = await page.evaluate((yaml) => window.steady.apply(yaml), declared.text);
  expect(out).toMatchObject({ exit: 0 });
});

test("in Chinese the pages are Chinese", async ({ page }) => {
  await open(page, "?lang=zh#04-rolling-update");
  await opened(page, "滚动更新");
  for (let i = 0; i < 3; i++) await page.evaluate(() => window.steady.step());
  await page.getByRole("button", { name: "分享" }).click();
  const md = await downloaded(page, "运行过程，Markdown");
  expect(md.text).toMatch(/^# 滚动更新/);
  expect(md.text).toContain("创建了 `ReplicaSet");
});

test("on paper the run is a page to read", async ({ page }) => {
  await open(page, "#04-rolling-update");
  await opened(page, "Rolling update");
  for (let i = 0; i < 5; i++) await page.evaluate(() => window.steady.step());
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  const report = page.locator(".report");
  await expect(report.getByRole("heading", { name: "Rolling update" })).toBeVisible();
  await expect(report.locator("li")).toHaveCount(5);
  await expect(page.locator(".top")).toBeHidden();
  expect(await report.locator("img").evaluate((img) => img.decode().then(() => img.naturalWidth))).toBeGreaterThan(300);
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.screenshot({ path: "test-results/export/print.png" });
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await expect(report).toHaveCount(0);
});
