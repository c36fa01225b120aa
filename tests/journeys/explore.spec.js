import { readFile } from "node:fs/promises";
import { test, expect, open, accessible } from "./page.js";

const panel = (page) => page.getByRole("region", { name: "Every order" });
const start = (page) => panel(page).getByRole("button", { name: "Start", exact: true });
const own = (page) => panel(page).getByRole("textbox", { name: /^Your own/ });
const at = (page) => page.getByRole("slider", { name: "Timeline" });
const verdict = (page) => panel(page).locator(".board-verdict");
const line = (page, text) => panel(page).locator(".explore-answers li").filter({ hasText: text });

test("all orders of the first scenario end the same, and a counterexample opens in the timeline", async ({ page }) => {
  test.slow();
  await open(page);
  await expect(page.locator(".next li")).not.toHaveCount(0);
  // The engine's, and none of the explorer's yet.
  expect(page.workers().length).toBe(1);
  const begin = Number(await at(page).getAttribute("aria-valuenow"));
  await page.keyboard.press("o");
  await expect(panel(page).getByRole("heading", { name: "Every order" })).toBeFocused();
  await accessible(page, ".explore");
  await own(page).fill("objects.filter(o, o.kind == 'Pod').size() <= 2");
  await start(page).click();
  await expect(verdict(page)).toHaveText("All orders end in the same steady state.", { timeout: 120_000 });
  await expect(line(page, "Every order ends.")).toBeVisible();
  await expect(line(page, "No object has two controllers: holds in every order")).toBeVisible();
  await expect(panel(page).locator(".state.end")).toHaveCount(1);
  await accessible(page, ".explore");

  // As Graphviz' text: each state is declared once, and each step leads from one of them to another.
  const [file] = await Promise.all([page.waitForEvent("download"), panel(page).getByRole("button", { name: "Every order, DOT" }).click()]);
  const dot = await readFile(await file.path(), "utf8");
  const declared = [...dot.matchAll(/^  (s\d+) \[/gm)].map((m) => m[1]);
  const steps = [...dot.matchAll(/^  (s\d+) -> (s\d+) \[tooltip="[^"]+", label="[^"]+"\];$/gm)];
  expect(file.suggestedFilename()).toMatch(/\.dot$/);
  expect(new Set(declared).size).toBe(declared.length);
  expect(declared.length).toBe(await panel(page).locator(".state").count());
  expect(steps.length).toBeGreaterThan(declared.length - 2);
  expect(steps.every(([, from, to]) => declared.includes(from) && declared.includes(to))).toBe(true);

  // The third pod is one too many.
  const broken = line(page, "does not hold, after 4 steps");
  await broken.getByRole("button", { name: "Open in the timeline" }).click();
  await expect(at(page)).toHaveAttribute("aria-valuenow", String(begin + 4));
  await expect(page.locator(".said [role=status]")).toContainText(/replicaset-controller: create Pod/);
  await expect(panel(page).locator(".state.now.broken")).toHaveCount(1, { timeout: 30_000 });
  await expect(panel(page).locator(".state.lit")).toHaveCount(5);

  // The graph is walked with arrows, and Enter opens a state: a branch like any other.
  await panel(page).locator(".state[tabindex='0']").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(panel(page).locator(".state:focus")).toHaveAttribute("aria-label", /2 steps from the start/);
  await page.keyboard.press("Enter");
  await expect(at(page)).toHaveAttribute("aria-valuenow", String(begin + 2));
  await line(page, "The longest takes").getByRole("button").click();
  await expect(panel(page).locator(".state.now.end")).toHaveCount(1, { timeout: 60_000 });
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Every order" })).toBeFocused();
  await expect(page.getByRole("button", { name: /^Pod web-.*Running, 1 of 1 containers ready/ })).toHaveCount(3);
});

test("CEL that cannot be read is told at its column, and what cannot be said is not false", async ({ page }) => {
  test.slow();
  await open(page);
  await expect(page.locator(".next li")).not.toHaveCount(0);
  await page.keyboard.press("o");
  await own(page).fill("objects.filter(o, o.kind = 'Pod').size() <= 5");
  await expect(panel(page)).toContainText("Line 1, column 26");
  await expect(own(page)).toHaveAttribute("aria-invalid", "true");
  await start(page).click();
  await expect(panel(page)).toContainText("Line 1, column 26");
  await expect(start(page)).toBeVisible();
  await own(page).fill("objects.all(o, o.spec.replicas <= 3)");
  await expect(own(page)).toHaveAttribute("aria-invalid", "false");
  await panel(page).getByRole("spinbutton", { name: "At most states" }).fill("20");
  await start(page).click();
  await expect(line(page, "cannot be said of a state after 0 steps")).toContainText("no such key", { timeout: 60_000 });
  await expect(panel(page)).toContainText("The bound on states cut it short.", { timeout: 60_000 });
});

test("it stops when it is told to, and says what is known", async ({ page }) => {
  test.slow();
  await open(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("option", { name: /one selector/i }).click();
  await expect(page.locator(".next li")).not.toHaveCount(0);
  await page.keyboard.press("o");
  await start(page).click();
  await expect(panel(page).locator(".board-progress")).toContainText("states/s", { timeout: 60_000 });
  await panel(page).getByRole("button", { name: "Stop" }).click();
  await expect(panel(page)).toContainText("It was stopped.");
  await expect(start(page)).toBeVisible();
  // An expression that takes for ever does not keep the worker from being ended.
  await own(page).fill("objects.all(a, objects.all(b, objects.all(c, a.kind + b.kind + c.kind != '')))");
  await start(page).click();
  await panel(page).getByRole("button", { name: "Stop" }).click();
  await expect(start(page)).toBeVisible({ timeout: 20_000 });
});

test("a worker that cannot be loaded says so", async ({ page, complaints }) => {
  await open(page);
  await page.route("**/steady-worker*_bg.wasm", (route) => route.fulfill({ status: 200, contentType: "application/wasm", body: "" }));
  await page.keyboard.press("o");
  await start(page).click();
  await expect(panel(page).getByRole("alert")).toContainText("The explorer has failed");
  await expect(start(page)).toBeVisible();
  complaints.length = 0;
});

for (const [width, height] of [[1440, 900], [720, 450]]) {
  test(`at ${width}x${height} the panel leaves no dead strip, and Start is in sight`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await open(page);
    await expect(page.locator(".next li")).not.toHaveCount(0);
    await page.keyboard.press("o");
    await expect(panel(page).getByRole("heading", { name: "Every order" })).toBeFocused();
    await expect(start(page)).toBeInViewport({ ratio: 1 });
    const app = await page.locator(".app").evaluate((el) => [el.scrollTop, el.lastElementChild && el.getBoundingClientRect().bottom - innerHeight]);
    expect(app).toEqual([0, 0]);
    const ends = await page.locator(".controls, .left .apply").evaluateAll((all) => Math.max(...all.map((e) => e.getBoundingClientRect().bottom)));
    expect(Math.abs(ends - height)).toBeLessThan(1);
    const box = await panel(page).boundingBox();
    if (width < 900) expect(box.width).toBe(width);
  });
}
