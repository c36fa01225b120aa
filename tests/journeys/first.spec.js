// The first screen: the page's own markup, before the wasm runs.
import { test, expect } from "./page.js";

/** What can be read of an element, as far as the first screen has it. */
const read = (page, root) => page.locator(root).evaluate((app) => {
  const parts = [".brand", ".scenarios b", "#explore-button", ".share", ".transport .step", ".seg", ".left .tabs",
    ".story", ".changes", ".solid", ".view-switch", ".legend", ".said", ".next h2", ".next li", ".who", ".inspector .tabs"];
  return parts.map((part) => [part, ...[...app.querySelectorAll(part)].filter((el) => el.getClientRects().length).map((el) => el.innerText.replace(/\s+/g, " ").trim())]);
});

/** Where parts and the objects of the graph stand, to a pixel. */
const places = (page) => page.evaluate(() => [".top", ".controls", "main .left", "main .graph", ".inspector", ".bottom", ".transport .step", ".card .box"]
  .flatMap((part) => [...document.querySelectorAll(part)].filter((el) => el.getClientRects().length).map((el) => {
    const { x, y, width, height } = el.getBoundingClientRect();
    return [part, ...[x, y, width, height].map(Math.round)].join(" ");
  })).sort());

/** Holds the page's wasm back until what is returned is called. */
async function hold(page) {
  let go;
  const held = new Promise((resolve) => (go = resolve));
  await page.route(/_bg\.wasm/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("", { waitUntil: "domcontentloaded" });
  await expect(page.locator(".shell .pill")).toBeVisible();
  return go;
}

for (const [locale, lang, loading] of [["en-US", "en", "Loading"], ["zh-CN", "zh-CN", "正在加载"]]) {
  for (const steps of [0, 3, 5]) {
    test.describe(locale, () => {
      test.use({ locale });
      test(`after ${steps} steps it says what the page says, in the same language, and nothing moves`, async ({ page }) => {
        const go = await hold(page);
        await expect(page.locator(".shell .pill")).toContainText(loading);
        await expect(page.locator("html")).toHaveAttribute("lang", lang);
        for (let i = 0; i < steps; i++) await page.keyboard.press("ArrowRight");
        await expect(page.locator(".shell .timeline .at :visible")).toContainText(String(steps + 1));
        if (steps) await expect(page.locator("#boot-state")).toContainText(await page.locator(".shell .said:visible [role=status]").innerText());
        const [before, there] = [await read(page, ".shell"), await places(page)];
        go();
        await expect(page.locator("#app > .shell")).toHaveCount(0);
        await expect(page.locator(".next[aria-busy=false] li").first()).toBeVisible();
        await expect(page.locator(".changes .hint")).toHaveCount(0);
        expect(await read(page, ".app")).toEqual(before);
        expect(await places(page)).toEqual(there);
      });
    });
  }
}

for (const [width, height] of [[1920, 1080], [390, 844], [720, 450]]) {
  test.describe(`at ${width}x${height}`, () => {
    test.use({ viewport: { width, height } });
    test("the graph stands where the page has it", async ({ page }) => {
      const go = await hold(page);
      for (let i = 0; i < 2; i++) await page.keyboard.press("ArrowRight");
      const there = await places(page);
      go();
      await expect(page.locator("#app > .shell")).toHaveCount(0);
      await expect(page.locator(".next[aria-busy=false] li").first()).toBeVisible();
      await expect.poll(() => places(page)).toEqual(there);
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

test("steps that are asked for before the page stands are taken when it does, and are never seen undone", async ({ page }) => {
  const go = await hold(page);
  await page.evaluate(() => {
    window.saw = [];
    new MutationObserver(() => {
      const at = document.querySelector(".app:not(.shell) .timeline .at")?.textContent;
      if (at && window.saw.at(-1) !== at) window.saw.push(at);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await page.keyboard.press("ArrowRight");
  const box = await page.locator(".shell .step").boundingBox();
  await page.mouse.click(box.x + 5, box.y + 5);
  await expect(page.locator(".shell .said:visible")).toContainText("create Pod");
  await expect(page.locator(".shell .asked")).toBeHidden();
  // More than the first screen has.
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  await expect(page.locator(".shell .asked")).toBeVisible();
  await expect(page.locator("#boot-state")).toContainText("Your step waits.");
  go();
  await expect(page.locator(".app:not(.shell) .timeline")).toContainText("step 8");
  expect(await page.evaluate(() => window.saw)).toEqual(["step 8"]);
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".timeline")).toContainText("step 9");
});
