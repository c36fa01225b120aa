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

/** The worker with this name. */
async function workerOf(page, name) {
  for (const worker of page.workers()) {
    if ((await worker.evaluate(() => self.name)) === name) return worker;
  }
  return undefined;
}

/**
 * Has the workers of a name end in the middle of their work, as of a trap in their wasm: `when` is JavaScript, of `slices`, how many
 * slices of time the worker has had, and of `globalThis`. What it is can be changed for the workers that begin later.
 */
async function mortal(page, name, when) {
  const fate = { when };
  await page.route("**/worker.js*", async (route) => {
    const response = await route.fetch();
    const trap = `if (self.name === "${name}" && (${fate.when})) throw new WebAssembly.RuntimeError("unreachable"); `;
    const count = "globalThis.slices = (globalThis.slices ?? 0) + 1; const { slices } = globalThis; ";
    const before = await response.text();
    const body = before
      .replace("tell(role.goOn());", (work) => count + trap + work)
      .replace("tell(role.hear(message));", (work) => count + trap + work);
    expect(body.length).toBeGreaterThan(before.length + 2 * trap.length);
    await route.fulfill({ response, body });
  });
  return fate;
}
const DOOMED = "globalThis.doomed?.(typeof message === 'undefined' ? '' : String(message))";
/** The engine ends after so many more slices of its time, counted from the message that has this text. Whatever else the page tells it,
    that it has drawn something or where the pointer is, comes when it comes. */
const doom = async (page, text, more) => (await workerOf(page, "engine")).evaluate(({ text, more }) => {
  let left = null;
  globalThis.doomed = (message) => {
    if (left === null && message.includes(text)) left = more;
    return left !== null && left-- <= 0;
  };
}, { text, more });
const ended = (page) => expect(toast(page)).toContainText("goes on from the last moment that was kept");
const MANY = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: many}\nspec:\n  replicas: 60\n  selector: {matchLabels: {app: many}}\n" +
  "  template:\n    metadata: {labels: {app: many}}\n    spec: {containers: [{name: c, image: nginx}]}\n";

test("an engine that ends on the way to the steady state: the run goes on and gets there", async ({ page, complaints }) => {
  test.slow();
  await mortal(page, "engine", DOOMED);
  await open(page);
  await page.evaluate((text) => window.steady.apply(text), MANY);
  const slider = page.getByRole("slider", { name: "Timeline" });
  await expect(page.locator(".next[aria-busy=false]")).toBeVisible();
  const before = Number(await slider.getAttribute("aria-valuenow"));
  await doom(page, '"ToSteady"', 6);
  await page.getByRole("button", { name: "To steady" }).click();
  await ended(page);
  await expect(page.locator(".next[aria-busy=false]")).toBeVisible();
  expect(Number(await slider.getAttribute("aria-valuenow"))).toBeGreaterThanOrEqual(before);
  expect(await page.evaluate(async () => (await window.steady.objects("deployments")).length)).toBe(2);
  // The new engine's way there is not cut short.
  await page.getByRole("button", { name: "To steady" }).click();
  await expect(page.locator(".steady")).toContainText("What was declared is what is running: 63 pods.", { timeout: 60_000 });
  const now = await digest(page);
  await page.reload();
  await opened(page);
  await expect.poll(() => digest(page), { timeout: 60_000 }).toBe(now);
  complaints.length = 0;
});

test("an engine that ends while a link is opened: the page has the run from before, and the link can be opened again", async ({ page, complaints }) => {
  await mortal(page, "engine", DOOMED);
  await open(page);
  await page.evaluate(() => window.steady.step());
  await page.evaluate(() => window.steady.runToSteady());
  const link = await page.evaluate(() => window.steady.link());
  const there = await digest(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("option", { name: "Self-healing" }).click();
  await expect(page.locator(".scenarios b").first()).toContainText("Self-healing");
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=2"));
  const before = await digest(page);
  await doom(page, '"Open"', 1);
  await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
  await ended(page);
  await expect.poll(() => digest(page)).toBe(before);
  await expect(page.locator(".scenarios b").first()).toContainText("Self-healing");
  await page.evaluate((hash) => { location.hash = ""; location.hash = hash; }, new URL(link).hash);
  await expect(toast(page)).toContainText("Opened the link");
  expect(await digest(page)).toBe(there);
  complaints.length = 0;
});

test("an engine that ends at a line of the terminal: the terminal takes the next one", async ({ page, complaints }) => {
  await mortal(page, "engine", DOOMED);
  await open(page);
  await page.evaluate(() => window.steady.step());
  const before = await digest(page);
  await page.getByRole("tab", { name: "kubectl" }).click();
  const line = page.getByRole("combobox", { name: "kubectl" });
  const run = async (text) => {
    await line.fill(text);
    await line.press("Enter");
  };
  await run("echo one");
  await expect(page.locator(".entry pre").last()).toHaveText("one");
  await doom(page, "replicas=5", 0);
  await run("kubectl scale deployment web --replicas=5");
  await ended(page);
  await expect.poll(() => digest(page)).toBe(before);
  await run("kubectl get deployments -o name");
  await expect(page.locator(".entry pre").last()).toHaveText("deployment.apps/web");
  // The lines before are there, too.
  await line.press("ArrowUp");
  await expect(line).toHaveValue("kubectl get deployments -o name");
  await line.press("ArrowUp");
  await expect(line).toHaveValue("echo one");
  await line.fill("");
  // And one that waits while its engine ends.
  await run("kubectl wait deployment web --for=condition=Available");
  await expect(page.locator(".entry").last()).toContainText("It goes on");
  await panic(page);
  await ended(page);
  await run("echo two");
  await expect(page.locator(".entry pre").last()).toHaveText("two");
  complaints.length = 0;
});

test("what was asked of an engine that ends is refused, once, and can be asked again", async ({ page, complaints }) => {
  await mortal(page, "engine", DOOMED);
  await open(page);
  const before = await digest(page);
  await doom(page, "replicas=5", 0);
  const told = await page.evaluate(async () => {
    const told = [];
    const note = (call, promise) => promise.then(
      (value) => told.push([call, "kept", value]),
      (error) => told.push([call, error instanceof Error ? "refused" : "thrown", error.message]));
    await Promise.all([
      note("kubectl", window.steady.kubectl("scale deployment web --replicas=5")),
      note("digest", window.steady.digest()),
      note("runToSteady", window.steady.runToSteady()),
    ]);
    return told.sort(([a], [b]) => (a < b ? -1 : 1));
  });
  expect(told.map(([call, how]) => `${call} ${how}`)).toEqual(["digest refused", "kubectl refused", "runToSteady refused"]);
  expect(told[0][2]).toContain("engine has ended before it could answer");
  await ended(page);
  await expect.poll(() => digest(page)).toBe(before);
  expect((await page.evaluate(() => window.steady.kubectl("get deployments -o name"))).stdout).toBe("deployment.apps/web\n");
  complaints.length = 0;
});

test("an engine that ends in a lesson: the lesson goes on where it was", async ({ page, complaints }) => {
  await mortal(page, "engine", DOOMED);
  await open(page, "#/lesson/1.2-enabling-condition");
  const panel = page.locator(".lesson.beside");
  const opening = await panel.locator(".lesson-text").first().textContent();
  await panel.locator(".lesson-next").click();
  await expect(panel.locator(".lesson-text").first()).not.toHaveText(opening);
  const here = () => panel.locator(".lesson-steps [aria-current=step]").evaluate((el) => [...el.closest("ol, ul").children].indexOf(el.closest("li")));
  const text = await panel.locator(".lesson-text").first().textContent();
  const step = await here();
  await page.evaluate(() => window.steady.step());
  const before = await digest(page);
  await doom(page, '"Step', 0);
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await ended(page);
  await expect.poll(() => digest(page)).toBe(before);
  await expect(panel.locator(".lesson-text").first()).toHaveText(text);
  expect(await here()).toBe(step);
  expect(await page.evaluate(() => window.steady.step())).toBe(true);
  complaints.length = 0;
});

test("a lesson that was only opened is there again when its engine has ended", async ({ page, complaints }) => {
  await open(page, "#/lesson/1.2-enabling-condition");
  const panel = page.locator(".lesson.beside");
  await expect(panel).toBeVisible();
  const text = await panel.locator(".lesson-text").first().textContent();
  await panic(page);
  await ended(page);
  await expect(panel.locator(".lesson-text").first()).toHaveText(text);
  complaints.length = 0;
});

test("a run with which each engine ends is left to the list, and another one is shown", async ({ page, complaints }) => {
  await open(page);
  for (let i = 0; i < 3; i++) await page.evaluate(() => window.steady.step());
  const before = await digest(page);
  // Long enough that the run is stored.
  await page.waitForTimeout(1500);
  // The next engine ends with its first input, too, in which it is handed the run; the one after that does not.
  let engines = 0;
  await page.route("**/worker.js*", async (route) => {
    const response = await route.fetch();
    engines += 1;
    // It shows something first: one that shows nothing counts as one that could not be loaded.
    const trap = "globalThis.slices = (globalThis.slices ?? 0) + 1; if (globalThis.slices > 2) throw new WebAssembly.RuntimeError('unreachable'); ";
    const body = (await response.text()).replace("tell(role.hear(message));", (work) => (engines === 1 ? trap : "") + work);
    await route.fulfill({ response, body });
  });
  await panic(page);
  await expect(toast(page)).toContainText("could not go on from the last moment that was kept, so another run is shown");
  await expect(page.locator(".next[aria-busy=false]")).toBeVisible();
  expect(await digest(page)).not.toBe(before);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("button", { name: "Your runs" }).click();
  const dialog = page.getByRole("dialog", { name: "Your runs" });
  await expect(dialog.getByRole("listitem")).not.toHaveCount(0);
  await dialog.getByRole("button", { name: /^Open First Deployment/ }).first().click();
  await expect.poll(() => digest(page)).toBe(before);
  complaints.length = 0;
});

test("an explorer that ends while it explores says so, and another one begins", async ({ page, complaints }) => {
  test.slow();
  const fate = await mortal(page, "explorer", "slices > 3");
  await open(page);
  await expect(page.locator(".next li")).not.toHaveCount(0);
  const before = await digest(page);
  await page.keyboard.press("o");
  const panel = page.getByRole("region", { name: "Every order" });
  const start = panel.getByRole("button", { name: "Start", exact: true });
  await start.click();
  await expect(panel.getByRole("alert")).toContainText("The explorer has failed");
  await expect(panel.getByRole("alert")).toContainText("Start begins with a new one.");
  await expect(start).toBeVisible();
  expect(await digest(page)).toBe(before);
  fate.when = "false";
  await start.click();
  await expect(panel.locator(".board-verdict")).toHaveText("All orders end in the same steady state.", { timeout: 120_000 });
  await expect(panel.getByRole("alert")).toHaveCount(0);
  complaints.length = 0;
});

test("an explorer goes on without the workers that helped it and have ended", async ({ page, complaints }) => {
  test.slow();
  await mortal(page, "searcher", "slices > 2");
  await open(page);
  await expect(page.locator(".next li")).not.toHaveCount(0);
  await page.keyboard.press("o");
  const panel = page.getByRole("region", { name: "Every order" });
  await panel.getByRole("button", { name: "Start", exact: true }).click();
  await expect(panel.locator(".board-verdict")).toHaveText("All orders end in the same steady state.", { timeout: 120_000 });
  complaints.length = 0;
});
