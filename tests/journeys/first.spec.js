// The first screen: the page's own markup, before the wasm runs.
import { test, expect } from "./page.js";

/** What can be read of an element, as far as the first screen has it. */
const read = (page, root) => page.locator(root).evaluate((app) => {
  const parts = [".brand", ".scenarios b", "#explore-button", ".share", ".transport .step", ".seg", ".left .tabs",
    ".story", ".changes", ".solid", ".view-switch", ".legend", ".said", ".next h2", ".next li", ".who", ".inspector .tabs"];
  return parts.map((part) => [part, ...[...app.querySelectorAll(part)].map((el) => el.innerText.replace(/\s+/g, " ").trim())]);
});

for (const [locale, lang, loading] of [["en-US", "en", "Loading"], ["zh-CN", "zh-CN", "正在加载"]]) {
  test.describe(locale, () => {
    test.use({ locale });
    test("it says what the page says, in the same language, and nothing moves", async ({ page }) => {
      let go;
      const held = new Promise((resolve) => (go = resolve));
      await page.route(/_bg\.wasm/, async (route) => {
        await held;
        await route.continue();
      });
      await page.goto("", { waitUntil: "domcontentloaded" });
      await expect(page.locator(".shell .pill")).toContainText(loading);
      await expect(page.locator("html")).toHaveAttribute("lang", lang);
      const before = await read(page, ".shell");
      const places = () => page.evaluate(() => [".top", ".controls", "main .left", "main .graph", ".inspector", ".bottom", ".transport .step"]
        .map((part) => { const { x, y, width, height } = document.querySelector(part).getBoundingClientRect(); return [part, x, y, width, height].join(" "); }));
      const there = await places();
      go();
      await expect(page.locator("#app > .shell")).toHaveCount(0);
      await expect(page.locator(".next[aria-busy=false] li")).toHaveCount(1);
      await expect(page.locator(".changes .hint")).toHaveCount(0);
      expect(await read(page, ".app")).toEqual(before);
      expect(await places()).toEqual(there);
    });
  });
}

test("whoever comes back to work does not see the first scenario meanwhile", async ({ page }) => {
  await page.addInitScript(() => sessionStorage.setItem("steady:run", "new:04-rolling-update"));
  await page.route(/_bg\.wasm/, () => {});
  await page.goto("", { waitUntil: "domcontentloaded" });
  await expect(page.locator(".shell .share")).toBeVisible();
  await expect(page.locator(".shell .scenarios b")).toBeHidden();
  await expect(page.locator(".shell .story")).toBeHidden();
});

test("a step that is asked for before the page stands is taken when it does", async ({ page }) => {
  let go;
  const held = new Promise((resolve) => (go = resolve));
  await page.route(/_bg\.wasm/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("", { waitUntil: "domcontentloaded" });
  await expect(page.locator(".shell .pill")).toBeVisible();
  await page.waitForFunction(() => window.steadyWorker);
  await page.keyboard.press("ArrowRight");
  const box = await page.locator(".shell .step").boundingBox();
  await page.mouse.click(box.x + 5, box.y + 5);
  await expect(page.locator(".shell .pill")).toContainText("your step waits");
  go();
  await expect(page.locator(".app:not(.shell) .timeline")).toContainText("step 3");
});
