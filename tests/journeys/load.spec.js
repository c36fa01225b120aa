import { test, expect, open, accessible, opened } from "./page.js";

const many = (n) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: many}
spec:
  replicas: ${n}
  selector: {matchLabels: {app: many}}
  template:
    metadata: {labels: {app: many}}
    spec: {containers: [{name: c, image: nginx}]}
`;
const digest = (page) => page.evaluate(() => window.steady?.digest());

/** A machine so slow that whatever takes steps takes a while. */
async function slow(page, rate) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate });
}

test("a long link shows how far it is; stopped, it leaves the work as it was", async ({ page, context, complaints }) => {
  test.slow();
  await open(page);
  const own = await digest(page);
  const link = await page.evaluate(async (text) => {
    window.steady.apply(text);
    await window.steady.runToSteady();
    return window.steady.link();
  }, many(2000));
  const other = await context.newPage();
  await other.addInitScript(() => localStorage.clear());
  await open(other);
  expect(await digest(other)).toBe(own);
  await other.evaluate((hash) => (location.hash = hash), new URL(link).hash);
  const progress = other.locator(".progress");
  await expect(progress).toContainText(/Step \d+ of \d+/);
  // Meanwhile nothing else happens: what is asked for is meant for the run that is coming.
  await other.evaluate(() => { window.stepped = window.steady.step(); });
  await other.locator(".progress button").click();
  await expect(progress).toHaveCount(0);
  await expect(other.locator(".toast")).toContainText("Stopped");
  expect(await other.evaluate(() => window.stepped)).toBe(false);
  expect(await digest(other)).toBe(own);
  await other.evaluate((hash) => { location.hash = ""; location.hash = hash; }, new URL(link).hash);
  await expect(progress).toContainText(/Step \d+ of \d+/);
  await accessible(other, ".progress");
  await expect.poll(() => other.evaluate(async () => (await window.steady.objects("pods")).length), { timeout: 60_000 }).toBe(2003);
  complaints.length = 0;
});

test("a set-up can be stopped, and leaves what was there", async ({ page }) => {
  await open(page);
  const own = await digest(page);
  await slow(page, 8);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("option", { name: "A rollout that gets stuck" }).click();
  // On a quick machine it is over before anybody can stop it.
  const stop = page.locator(".progress").getByRole("button", { name: "Stop" });
  const over = page.locator(".scenarios b", { hasText: "stuck" });
  await expect(stop.or(over).first()).toBeVisible();
  if (await stop.isVisible()) {
    await stop.dispatchEvent("click", {}, { timeout: 2000 }).catch(() => {});
  }
  await slow(page, 1);
  await expect(page.locator(".progress")).toHaveCount(0);
  if (!(await over.isVisible())) expect(await digest(page)).toBe(own);
});

test("going far back and forth leads to the very same states", async ({ page }) => {
  await open(page);
  await page.evaluate(async (text) => { window.steady.apply(text); await window.steady.runToSteady(); }, many(250));
  const end = await digest(page);
  const strip = page.getByRole("slider", { name: "Timeline" });
  await strip.focus();
  await page.keyboard.press("Home");
  await expect(strip).toHaveAttribute("aria-valuenow", "0");
  await page.keyboard.press("End");
  await expect.poll(() => digest(page)).toBe(end);
  const total = Number(await strip.getAttribute("aria-valuemax")), there = String(total - 31);
  for (let i = 0; i < 3; i++) await page.keyboard.press("PageDown");
  await page.keyboard.press("ArrowLeft");
  await expect(strip).toHaveAttribute("aria-valuenow", there);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  await expect(strip).toHaveAttribute("aria-valuenow", there);
  await page.evaluate(() => window.steady.runToSteady());
  await expect.poll(() => digest(page)).toBe(end);
});

test("mistakes of a text are marked only where that text is shown", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("textbox", { name: "Manifest" })).toBeVisible();
  const out = await page.evaluate(() => window.steady.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containerz: []}\n"));
  expect(out.exit).toBe(1);
  await page.evaluate(() => window.steady.step());
  await expect(page.locator(".said")).toContainText("ReplicaSet");
  await expect(page.locator(".cm-lintRange-error")).toHaveCount(0);
  await expect(page.locator(".changes.bad")).toHaveCount(0);
});

test("what Apply would change follows the run back in time", async ({ page }) => {
  await open(page);
  await expect(page.locator(".changes")).toContainText("nothing");
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=5"));
  await expect(page.locator(".changes")).toContainText(/replicas.*5.*→.*3/);
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator(".changes")).toContainText("nothing");
});

test("work is kept when something else is opened, and can be had back", async ({ page }) => {
  await open(page);
  await page.evaluate(async () => { await window.steady.step(); await window.steady.kubectl("scale deployment web --replicas=4"); });
  const own = await digest(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("option", { name: "Rolling update" }).click();
  await expect(page.locator(".scenarios b").first()).toContainText("Rolling update");
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("button", { name: "Your runs" }).click();
  await page.getByRole("button", { name: "Open First Deployment" }).click();
  await expect.poll(() => digest(page)).toBe(own);
});

test("a link brings the selection along", async ({ page, context, complaints }) => {
  await open(page);
  await page.evaluate(() => window.steady.runToSteady());
  await page.getByRole("button", { name: /^Pod web-/ }).nth(1).click();
  const name = await page.locator(".who h2").textContent();
  const other = await context.newPage();
  await other.goto(await page.evaluate(() => window.steady.link()));
  await opened(other);
  await expect(other.locator(".who h2")).toHaveText(name);
  await expect(other.locator(".card.selected")).toHaveCount(1);
  complaints.length = 0;
});

test("of a large set only what is in view is drawn", async ({ page }) => {
  await open(page);
  await page.keyboard.press("r");
  await page.evaluate(async (text) => {
    window.steady.apply(text);
    // A reconcile makes hundreds of them.
    for (let i = 0; i < 60 && (await window.steady.objects("pods")).length < 600; i++) await window.steady.step();
  }, many(600));
  await expect(page.getByRole("button", { name: /^600 pods/ })).toBeVisible();
  const tiles = page.locator("g.fold > g > g");
  const all = await tiles.count();
  expect(all).toBe(6);
  for (let i = 0; i < 8; i++) await page.getByRole("button", { name: "Bigger" }).click();
  await expect.poll(() => tiles.count()).toBeLessThan(all);
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(tiles).toHaveCount(all);
});
