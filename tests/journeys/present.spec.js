// A run that is presented: large, by keys, with the author's notes.
import { test, expect, open, accessible } from "./page.js";

/** The scenario that an address names is set up. */
const opened = (page, title) => expect(page.locator(".scenarios .menu-button b")).toHaveText(title);

test("a run is presented with keys, and left with Escape", async ({ page }) => {
  await open(page, "#04-rolling-update");
  await opened(page, "Rolling update");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Present", exact: true }).click();
  const at = page.locator(".player-at");
  await expect(page.locator(".player.presented")).toBeVisible();
  await expect(page.locator(".player-story")).toContainText("maxSurge");
  await expect(page).toHaveURL(/\?present/);
  for (const [key, n] of [["PageDown", 1], ["ArrowRight", 2], [" ", 3], ["PageUp", 2], ["ArrowLeft", 1], ["Home", 0], ["ArrowDown", 1]]) {
    await page.keyboard.press(key);
    await expect(at).toHaveText(`Step ${n}`);
  }
  expect(await page.locator(".player-said").evaluate((el) => parseFloat(getComputedStyle(el).fontSize))).toBeGreaterThan(20);
  await accessible(page);
  await page.screenshot({ path: "test-results/present.png" });
  await page.keyboard.press("Escape");
  await expect(page.locator(".player")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Share", exact: true })).toBeVisible();
  await expect(page).not.toHaveURL(/present/);
});

test("what the author says at a step is in the link, and shown from that step on", async ({ page, context }) => {
  await open(page, "#04-rolling-update");
  await opened(page, "Rolling update");
  for (let i = 0; i < 2; i++) await page.evaluate(() => window.steady.step());
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const note = page.getByLabel("What you say at this step");
  const before = await page.locator("#share-link").inputValue();
  await note.fill("Here the second ReplicaSet appears.");
  await note.blur();
  await expect(page.locator("#share-link")).not.toHaveValue(before);
  const link = await page.locator("#share-link").inputValue();
  const other = await context.newPage();
  await other.goto(link.replace("?", "?present&"));
  await expect(other.locator(".player-story")).toContainText("Here the second ReplicaSet appears.");
  await other.keyboard.press("PageUp");
  await expect(other.locator(".player-story")).toContainText("maxSurge");
  await other.keyboard.press("PageDown");
  await expect(other.locator(".player-story")).toContainText("Here the second");
});
