// The engine in its worker: the page stays whatever becomes of it.
import { readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { test, expect, open, opened } from "./page.js";

const step = (page) => page.getByRole("button", { name: "Step", exact: true });
const digest = (page) => page.evaluate(() => window.steady.digest());
const toast = (page) => page.locator(".toast");
/** Ends the engine as a panic does. */
const panic = (page) => page.workers()[0].evaluate(() => {
  const { port1, port2 } = new MessageChannel();
  // As from its own loop: what it throws there is caught by nobody else.
  port1.onmessage = () => { port1.close(); throw new Error("out of memory"); };
  port2.postMessage(0);
});

test("an engine that ends is replaced by one that goes on from the same moment", async ({ page, complaints }) => {
  await open(page);
  for (let i = 0; i < 4; i++) await step(page).click();
  await page.keyboard.press("/");
  const before = await digest(page);
  await panic(page);
  await expect(toast(page)).toContainText("goes on from the last moment that was kept");
  await expect.poll(() => digest(page)).toBe(before);
  await expect(page.locator(".timeline")).toContainText("step 5");
  // It works as the one before, and the page shows what it does.
  await step(page).click();
  await expect(page.locator(".timeline")).toContainText("step 6");
  await expect(page.locator(".next li").first()).toBeVisible();
  const now = await digest(page);
  await page.reload();
  await opened(page);
  await expect.poll(() => digest(page)).toBe(now);
  complaints.length = 0;
});

test("a kept run that nobody has touched since is there again, too", async ({ page, complaints }) => {
  await open(page);
  for (let i = 0; i < 3; i++) await step(page).click();
  await expect(page.locator(".timeline")).toContainText("step 4");
  const before = await digest(page);
  await page.reload();
  await opened(page);
  await expect.poll(() => digest(page)).toBe(before);
  await panic(page);
  await expect(toast(page)).toContainText("goes on from the last moment that was kept");
  await expect.poll(() => digest(page)).toBe(before);
  complaints.length = 0;
});

test("an engine that cannot be loaded at first is tried again", async ({ page, complaints }) => {
  let missing = 2;
  await page.route("**/worker.js*", (route) => (missing-- > 0 ? route.abort("internetdisconnected") : route.continue()));
  await page.goto("");
  // It waits for a second, and then for two.
  await expect(page.locator("#app > .app:not(.shell)")).toBeVisible({ timeout: 30_000 });
  await step(page).click();
  await expect(page.locator(".said [role=status]")).toContainText("create ReplicaSet");
  complaints.length = 0;
});

test("a page whose engine cannot be had says so", async ({ page, complaints }) => {
  test.slow();
  await page.route("**/worker.js*", (route) => route.abort("internetdisconnected"));
  await page.goto("");
  await expect(page.getByRole("alert")).toContainText("Steady could not start", { timeout: 60_000 });
  complaints.length = 0;
});

test("while the engine is busy the page answers", async ({ page }) => {
  await open(page);
  const blocked = await page.evaluate(async () => {
    const manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: many}\nspec:\n  replicas: 150\n  selector: {matchLabels: {app: many}}\n  template:\n    metadata: {labels: {app: many}}\n    spec: {containers: [{name: c, image: nginx}]}\n";
    await window.steady.apply(manifest);
    // Frames go by while the run goes on.
    let frames = 0, going = true;
    const count = () => { frames++; if (going) requestAnimationFrame(count); };
    requestAnimationFrame(count);
    await window.steady.runToSteady();
    going = false;
    return { frames, pods: (await window.steady.objects("pods")).length };
  });
  expect(blocked.pods).toBeGreaterThan(150);
  expect(blocked.frames).toBeGreaterThan(3);
});

// The same runs that tests/wasm.rs repeats natively and in a browser without workers: each link has the digest that its run came
// to natively.
test("the engine in its worker repeats random runs to the digests that they have natively", async ({ page }) => {
  test.slow();
  await open(page);
  const links = readFileSync("tests/wasm/runs.txt", "utf8").trim().split("\n");
  expect(links.length).toBeGreaterThan(3);
  for (const [nth, link] of links.entries()) {
    const { digest: digestThere } = JSON.parse(inflateRawSync(Buffer.from(link.slice(1), "base64url")).toString());
    await page.evaluate((link) => (location.hash = link), link);
    await expect(toast(page), `run ${nth}`).toContainText("Opened the link", { timeout: 60_000 });
    expect(await digest(page), `run ${nth}`).toBe(digestThere);
    // The notice of the next one is another.
    await page.evaluate(() => window.steady.step());
    await expect(toast(page)).toHaveCount(0);
  }
});
