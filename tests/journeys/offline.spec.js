// The published page after one visit: everything works without a network, and a new version asks. A page for development
// has no service worker, and these have nothing to look at: `cargo xtask test --only journeys --release`.
import { test, expect, open, opened } from "./page.js";

const step = (page) => page.getByRole("button", { name: "Step", exact: true });
test.use({ serviceWorkers: "allow" });

/** Until the service worker has all files and answers for the page. */
const ready = (page) => expect.poll(() => page.evaluate(() => navigator.serviceWorker.getRegistration().then((r) => r?.active?.state)), { timeout: 30_000 }).toBe("activated");

test.beforeEach(async ({ page }) => {
  await open(page);
  test.skip(!(await page.evaluate(() => document.getElementById("boot").dataset.worker)), "the page has no service worker");
});

test("after one visit everything works offline", async ({ page, context, complaints }) => {
  await ready(page);
  await context.setOffline(true);
  await page.reload();
  await opened(page);
  // Every order is found in a worker that was not opened before.
  await page.locator("#explore-button").click();
  const explore = page.getByRole("region", { name: "Every order" });
  await explore.getByRole("button", { name: "Start", exact: true }).click();
  await expect(explore).toContainText("All orders end in the same steady state.", { timeout: 120_000 });
  await page.locator("#explore-button").click();
  await step(page).click();
  await expect(page.locator(".said [role=status]")).toContainText(/create ReplicaSet/);
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".pill")).toContainText("Steady");
  // The editor with what it completes from.
  const editor = page.getByRole("textbox", { name: "Manifest" });
  await editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("---\napiVersion: v1\nkind: Confi");
  await page.keyboard.press("Control+Space");
  await expect(page.getByRole("option", { name: /ConfigMap/ }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("option", { name: "Self-healing" }).click();
  await expect(page.locator(".scenarios b").first()).toContainText("Self-healing");
  await context.setOffline(false);
  expect(complaints).toEqual([]);
});

test("after one visit a lesson is whole offline, also one that was never opened", async ({ page, context, complaints }) => {
  await ready(page);
  await context.setOffline(true);
  await page.goto("about:blank");
  await open(page, "#/lesson/1.2-enabling-condition");
  const panel = page.locator(".lesson.beside");
  await expect(panel.locator("h2 .lesson-place")).toHaveText("1.2");
  await panel.locator(".lesson-next").click();
  await panel.locator(".lesson-ask").getByRole("button").first().click();
  await expect(panel.locator(".lesson-outcome").or(panel.locator(".lesson-ask .solid")).first()).toBeVisible();
  // Another one, from the map of the course.
  await page.locator("#course-button").click();
  const map = page.locator("dialog.course");
  await expect(map.locator(".course-lessons li").first()).toBeVisible();
  await map.locator(".course-lessons li button").filter({ hasText: "7.1" }).first().click();
  await expect(panel.locator("h2 .lesson-place")).toHaveText("7.1");
  expect(await page.evaluate(() => window.steady.digest())).toMatch(/^[0-9a-f]+$/);
  // A lesson goes on after a reload, too.
  await page.reload();
  await opened(page);
  await expect(panel.locator("h2 .lesson-place")).toHaveText("7.1");
  expect(complaints).toEqual([]);
  await context.setOffline(false);
});

// The journey itself registers the worker, whose address the policy of the page's own scripts has not seen.
test.describe(() => {
test.use({ bypassCSP: true });
test("a new version asks, and does nothing until somebody agrees", async ({ page, complaints }) => {
  await ready(page);
  await page.reload();
  await opened(page);
  await expect(page.locator(".next[aria-busy=false]")).toBeVisible();
  for (let i = 0; i < 3; i++) await page.evaluate(() => window.steady.step());
  const digest = await page.evaluate(() => window.steady.digest());
  // A worker of another address is another version to the browser, as one with other content is.
  await page.evaluate(() => navigator.serviceWorker.register("sw.js?next").then(() => null));
  const toast = page.locator(".toast");
  await expect(toast).toContainText("A new version of Steady is ready", { timeout: 30_000 });
  // Work goes on.
  expect(await page.evaluate(() => window.steady.digest())).toBe(digest);
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=4"));
  const own = await page.evaluate(() => window.steady.digest());
  await page.evaluate(() => (window.before = true));
  await toast.getByRole("button", { name: "Reload" }).click();
  await expect.poll(() => page.evaluate(() => window.before).catch(() => true), { timeout: 15_000 }).toBe(undefined);
  await expect.poll(() => page.evaluate(() => window.steady?.digest()).catch(() => null)).toBe(own);
  complaints.length = 0;
});
});
