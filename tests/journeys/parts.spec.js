// The wasm of the published page and that of its engine are in two parts each (crates/split/), of which the second comes after the
// first step can be taken. A page for development has but one, and these have nothing to look at: `cargo xtask test --only journeys
// --release`.
import { test, expect, open, opened } from "./page.js";

const SECOND = /_second\.wasm$/, OF_PAGE = /\/steady-(?!worker)[^/]*_second\.wasm$/, OF_ENGINE = /\/steady-worker-[^/]*_second\.wasm$/;
const step = (page) => page.getByRole("button", { name: "Step", exact: true });
const marks = () => performance.getEntriesByName("steady:second").map((mark) => mark.detail);
/** How the second part of the engine came, if it did; and that of the page. */
const came = (page) => page.workers()[0].evaluate(marks);
const pageCame = (page) => page.evaluate(marks);

test.beforeEach(async ({ page }) => {
  await open(page);
  const parts = await page.evaluate(() => document.getElementById("boot").dataset.second);
  test.skip(!parts, "the page is whole");
  await forget(page);
});

/** Holds a second part back when it is asked for beside the first; gives a function that lets it come. */
async function holdBack(page, which = SECOND) {
  let go;
  const held = new Promise((resolve) => (go = resolve));
  await page.route(which, async (route) => {
    // What is asked for at once is an XMLHttpRequest.
    if (route.request().resourceType() === "fetch") await held;
    await route.continue().catch(() => {});
  });
  return go;
}

/** Has the page forget which run it shows. */
const forget = (page) => page.evaluate(() => { localStorage.clear(); sessionStorage.clear(); });

/** A page of somebody who was never here before, whatever another page of the same browser saves meanwhile. A reload is no first visit. */
async function newcomer(context) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    if (sessionStorage["journey:here"]) return;
    sessionStorage["journey:here"] = "yes";
    const get = Storage.prototype.getItem;
    Storage.prototype.getItem = function (key) { return key === "steady:last" ? null : get.call(this, key); };
  });
  return { page, open: () => open(page) };
}

test("opening, a step and the way back need the first parts alone; then the others come by themselves", async ({ context }) => {
  const fresh = await newcomer(context);
  const go = await holdBack(fresh.page);
  await fresh.open();
  await step(fresh.page).click();
  await expect(fresh.page.locator(".said [role=status]")).toContainText(/create ReplicaSet web-\w+, because/);
  await expect(fresh.page.locator(".next")).toHaveAttribute("aria-busy", "false");
  await fresh.page.keyboard.press("ArrowLeft");
  await expect(fresh.page.locator(".next")).toHaveAttribute("aria-busy", "false");
  expect(await came(fresh.page)).toEqual([]);
  expect(await pageCame(fresh.page)).toEqual([]);
  go();
  await expect.poll(() => pageCame(fresh.page)).toEqual(["beside"]);
  await expect.poll(() => came(fresh.page)).toEqual(["beside"]);
});

test("steps that the first screen has taken need the first parts alone", async ({ context }) => {
  const fresh = await newcomer(context);
  const go = await holdBack(fresh.page);
  let start;
  const started = new Promise((resolve) => (start = resolve));
  await fresh.page.route(/_bg\.wasm$/, async (route) => {
    await started;
    await route.continue();
  });
  await fresh.page.goto("", { waitUntil: "domcontentloaded" });
  await expect(fresh.page.locator(".shell .step")).toBeVisible();
  for (let i = 0; i < 7; i++) await fresh.page.keyboard.press("ArrowRight");
  start();
  await opened(fresh.page);
  await expect(fresh.page.locator(".timeline .at")).toHaveText("step 8");
  await expect(fresh.page.locator(".next[aria-busy=false] li").first()).toBeVisible();
  expect([await came(fresh.page), await pageCame(fresh.page)]).toEqual([[], []]);
  go();
});

for (const [width, height, isMobile] of [[390, 844, true], [412, 823, true], [720, 450, false], [1920, 1080, false]]) {
  for (const locale of ["en-US", "zh-CN"]) {
    test(`opening at ${width}x${height} in ${locale} needs the first parts alone`, async ({ browser, baseURL }) => {
      const context = await browser.newContext({ baseURL, locale, viewport: { width, height }, isMobile, hasTouch: isMobile, serviceWorkers: "block" });
      const fresh = await newcomer(context);
      const go = await holdBack(fresh.page);
      await fresh.open();
      await expect(fresh.page.locator(".next[aria-busy=false] li")).toHaveCount(1);
      await fresh.page.waitForTimeout(1000);
      expect([await came(fresh.page), await pageCame(fresh.page)]).toEqual([[], []]);
      go();
      await context.close();
    });
  }
}

test("what needs the engine's second part before it is there waits for it, and no longer", async ({ page, context }) => {
  const fresh = await newcomer(context);
  await holdBack(fresh.page, OF_ENGINE);
  await fresh.open();
  const out = await fresh.page.evaluate(() => window.steady.kubectl("describe deployment web"));
  expect(out.stdout).toContain("RollingUpdateStrategy");
  expect(await came(fresh.page)).toEqual(["at once"]);
  // It comes to what the page does that had its second part in time.
  await expect.poll(() => came(page)).not.toEqual([]);
  const digest = (of) => of.evaluate(async () => (await window.steady.runToSteady(), window.steady.digest()));
  expect(await digest(fresh.page)).toBe(await digest(page));
});

test("what needs the page's second part before it is there waits for it, and no longer", async ({ context }) => {
  const fresh = await newcomer(context);
  await holdBack(fresh.page, OF_PAGE);
  await fresh.open();
  await expect(fresh.page.locator(".next")).toHaveAttribute("aria-busy", "false");
  expect(await pageCame(fresh.page)).toEqual([]);
  await fresh.page.getByRole("button", { name: "Course" }).click();
  await expect(fresh.page.getByRole("dialog")).toContainText("Course");
  expect(await pageCame(fresh.page)).toEqual(["at once"]);
  await fresh.page.keyboard.press("Escape");
  await step(fresh.page).click();
  await expect(fresh.page.locator(".said [role=status]")).toContainText("create ReplicaSet");
});

test("without the page's second part the page says so where it needs that, and a reload goes on", async ({ context }) => {
  const fresh = await newcomer(context);
  let away = true;
  await fresh.page.route(OF_PAGE, (route) => (away ? route.abort("internetdisconnected") : route.continue()));
  await fresh.open();
  await step(fresh.page).click();
  await expect(fresh.page.locator(".timeline")).toContainText("step 2");
  await expect(fresh.page.getByRole("alert")).toHaveCount(0);
  // The run is kept while it goes on; a page that was left in the middle of a call keeps nothing any more.
  await expect.poll(() => fresh.page.evaluate(() => "steady:last" in localStorage)).toBe(true);
  await fresh.page.waitForTimeout(2000);
  await fresh.page.getByRole("button", { name: "Course" }).click();
  await expect(fresh.page.getByRole("alert")).toContainText("A part of Steady could not be loaded");
  await expect(fresh.page.locator("#app")).toHaveJSProperty("inert", true);
  away = false;
  await fresh.page.reload();
  await opened(fresh.page);
  await expect(fresh.page.locator(".timeline")).toContainText("step 2");
  await expect(fresh.page.getByRole("alert")).toHaveCount(0);
});

test("a page without its second part does by itself what it does after a while, and is left as others are", async ({ context }) => {
  const fresh = await newcomer(context);
  await holdBack(fresh.page, OF_PAGE);
  await fresh.open();
  await step(fresh.page).click();
  await expect(fresh.page.locator(".timeline")).toContainText("step 2");
  // The run is kept by now.
  await fresh.page.mouse.move(700, 400, { steps: 5 });
  await fresh.page.waitForTimeout(3000);
  expect(await pageCame(fresh.page)).toEqual([]);
  await fresh.page.unroute(OF_PAGE);
  await fresh.page.reload();
  await opened(fresh.page);
  await expect(fresh.page.locator(".timeline")).toContainText("step 2");
});

test("a page whose second part comes at the second attempt goes on", async ({ context }) => {
  const fresh = await newcomer(context);
  let missing = 1;
  await fresh.page.route(OF_PAGE, (route) => (missing-- > 0 ? route.abort("internetdisconnected") : route.continue()));
  await fresh.open();
  // The engine's does not wait for it.
  await expect.poll(() => came(fresh.page)).toEqual(["beside"]);
  await expect.poll(() => pageCame(fresh.page)).toEqual(["beside"]);
});

test("without the second part the engine ends where it needs that, and another one goes on", async ({ page, context }) => {
  const fresh = await newcomer(context);
  let away = true;
  await fresh.page.route(OF_ENGINE, (route) => (away ? route.abort("internetdisconnected") : route.continue()));
  await fresh.open();
  await step(fresh.page).click();
  await expect(fresh.page.locator(".said [role=status]")).toContainText("create ReplicaSet");
  // As the page has it that lacks nothing.
  const digest = await page.evaluate(async () => (await window.steady.step(), window.steady.digest()));
  await fresh.page.evaluate(() => void window.steady.kubectl("describe deployment web"));
  await expect(fresh.page.locator(".toast")).toContainText("goes on from the last moment");
  away = false;
  await expect.poll(() => fresh.page.evaluate(() => window.steady.digest())).toBe(digest);
  const out = await fresh.page.evaluate(() => window.steady.kubectl("describe deployment web"));
  expect(out.stdout).toContain("RollingUpdateStrategy");
});

test("a link brings all parts at once", async ({ page, context }) => {
  await page.evaluate(() => window.steady.runToSteady());
  const [digest, link] = await page.evaluate(() => Promise.all([window.steady.digest(), window.steady.link()]));
  await forget(page);
  const other = await context.newPage();
  let asked = 0;
  other.on("request", (request) => (asked += SECOND.test(request.url())));
  await other.goto(link);
  await opened(other);
  await expect.poll(() => other.evaluate(() => window.steady?.digest())).toBe(digest);
  expect(await came(other)).toEqual(["ahead"]);
  expect(await pageCame(other)).toEqual(["ahead"]);
  expect(asked).toBe(2);
});
