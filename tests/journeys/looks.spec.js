import AxeBuilder from "@axe-core/playwright";
import { test, expect, open, accessible, opened } from "./page.js";

// Every look of the page holds up: nothing cut off, nothing too faint, nothing without a name.
for (const [name, use] of Object.entries({
  "in the dark": { colorScheme: "dark" },
  "in Chinese": { locale: "zh-CN" },
  "on a phone": { viewport: { width: 390, height: 844 }, hasTouch: true },
  "on a phone, in the dark, in Chinese": { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark", locale: "zh-CN" },
  "with reduced motion": { reducedMotion: "reduce" },
  "on a small laptop": { viewport: { width: 1100, height: 700 } },
})) {
  test.describe(name, () => {
    test.use(use);
    test("holds up", async ({ page }, info) => {
      await open(page);
      for (let i = 0; i < 9; i++) await page.locator(".step").click();
      await expect(page.locator(".next")).toHaveAttribute("aria-busy", "false");
      await accessible(page);
      const over = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
      expect(over).toEqual([0, 0]);
      await page.screenshot({ path: info.outputPath("page.png") });
      if (use.locale) await expect(page.locator(".step")).toContainText("单步");
      if (use.viewport?.width === 390) {
        // The graph runs downwards within the width.
        const cards = await page.locator("g.card > g > rect.box").evaluateAll((all) => all.map((r) => r.getBoundingClientRect().right));
        expect(Math.max(...cards)).toBeLessThanOrEqual(390);
        for (let pane = 1; pane < 4; pane++) {
          await page.locator(".panes button").nth(pane).click();
          await accessible(page);
          await page.screenshot({ path: info.outputPath(`pane-${pane}.png`) });
        }
      }
    });
  });
}

test("nothing in the bar lies over anything else, however long the scenario's name", async ({ page }) => {
  await open(page);
  for (const width of [1600, 1440, 1321, 1280, 1241, 1121, 1000, 901]) {
    await page.setViewportSize({ width, height: 700 });
    await page.locator(".scenarios .menu-button b").evaluate((b) => (b.textContent = "A name that is longer than any"));
    const boxes = await page.locator(".top-start > *, .controls, .top-end > *").evaluateAll((all) =>
      all.map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.right]).sort((a, b) => a[0] - b[0]));
    const over = boxes.slice(1).filter(([left], i) => left < boxes[i][1] - 0.5);
    expect(over, `at ${width}`).toEqual([]);
    expect(boxes.at(-1)[1], `at ${width}`).toBeLessThanOrEqual(width);
    // What the switch says of the run is not covered either.
    const [pill, change] = await page.locator(".pill, .view-switch").evaluateAll((all) => all.map((e) => e.getBoundingClientRect()));
    expect(pill.right <= change.left || pill.bottom <= change.top, `at ${width}`).toBe(true);
  }
});

test("the icons of the bar have words where there is room, and a name and a tip everywhere", async ({ page }) => {
  await open(page);
  const tools = ["#course-button", ".faults .menu-button", "#explore-button", "#rehearse-button"];
  for (const width of [1800, 1440, 1280, 720]) {
    await page.setViewportSize({ width, height: 700 });
    for (const tool of tools) {
      const button = page.locator(tool);
      const word = await button.locator("span").textContent();
      if (width >= 1400) await expect(button.locator("span"), `${tool} at ${width}`).toBeVisible();
      expect((await button.getAttribute("aria-label")).toLowerCase()).toContain(word.toLowerCase());
      expect((await button.getAttribute("title")).length).toBeGreaterThan(5);
    }
  }
});

test("a window of 720 by 450: the next commands are whole, and the timeline has the width", async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 });
  await open(page);
  await page.evaluate(async () => { for (let i = 0; i < 5; i++) await window.steady.step(); });
  const command = page.locator(".command").first();
  await expect(command).toBeInViewport({ ratio: 1 });
  for (const part of [".by", ".what"]) {
    expect(await command.locator(part).evaluate((el) => el.scrollWidth - el.clientWidth), part).toBeLessThanOrEqual(0);
  }
  await page.locator(".panes").getByText("Timeline").click();
  expect((await page.locator(".bottom").boundingBox()).width).toBe(720);
});

test("the bar's menus leave the transport in sight", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await expect(page.getByRole("dialog", { name: "Scenarios" })).toBeVisible();
  const step = await page.locator(".step").boundingBox();
  const there = await page.evaluate(([x, y]) => document.elementFromPoint(x, y).closest("button").className, [step.x + 5, step.y + 5]);
  expect(there).toContain("step");
});

test("the theme and the language are remembered", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Light or dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "中文" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await page.reload();
  await opened(page);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator(".step")).toContainText("单步");
});

test("the keys are named in a dialog", async ({ page }) => {
  await open(page);
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await expect(dialog).toBeVisible();
  await accessible(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("hundreds of pods fold into a grid that can be walked", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.kubectl("delete deployment web --wait=false"));
  await page.evaluate(async () => {
    window.steady.apply("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: many}\nspec:\n  replicas: 200\n  selector: {matchLabels: {app: many}}\n  template:\n    metadata: {labels: {app: many}}\n    spec: {containers: [{name: c, image: nginx}]}\n");
    await window.steady.runToSteady();
  });
  const fold = page.getByRole("button", { name: /200 pods, 200 ready/ });
  await expect(fold).toBeVisible();
  const box = await fold.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect(page.locator(".who .kind")).toContainText("Pod");
  const first = await page.locator(".who h2").textContent();
  await page.keyboard.press("g");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".who h2")).not.toHaveText(first);
  await accessible(page);
});

test.describe("in Chinese", () => {
  test.use({ locale: "zh-CN" });
  test("the editor's own words are Chinese, too, and change with the language", async ({ page }) => {
    await open(page);
    await page.getByRole("textbox", { name: "清单" }).click();
    await page.keyboard.press("Control+f");
    await expect(page.getByPlaceholder("查找")).toBeVisible();
    await accessible(page, ".left");
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("textbox", { name: "Manifest" }).click();
    await page.keyboard.press("Control+f");
    await expect(page.getByPlaceholder("Find")).toBeVisible();
  });
});

test("every scenario is in the gallery, with what it is about", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  for (const title of ["First Deployment", "Self-healing", "Scaling", "Rolling update", "A rollout that gets stuck", "Recreate",
    "Pause and resume", "Orphan and adopt", "Two Deployments, one selector", "A node is lost", "CrashLoopBackOff",
    "Readiness that never comes"]) {
    // What other scenarios are about may have the words of a title.
    const item = page.getByRole("option", { name: new RegExp(`^\\d+\\. ${title}`) });
    await expect(item).toBeVisible();
    expect((await item.locator("span").textContent()).length).toBeGreaterThan(40);
  }
  await accessible(page);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });
  test("a tap on a card opens what is said of it, and all that can be tapped is large enough", async ({ page }) => {
    await open(page);
    for (const select of await page.locator(".fine select").all()) {
      expect((await select.boundingBox()).height).toBeGreaterThanOrEqual(32);
    }
    await expect(page.locator("#keys-button")).toBeInViewport({ ratio: 1 });
    // In both languages nothing in the bar lies over anything else.
    for (let i = 0; i < 2; i++) {
      const boxes = await page.locator(".top-start > *, .top-end > *").evaluateAll((all) =>
        all.map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.right]).sort((a, b) => a[0] - b[0]));
      expect(boxes.slice(1).filter(([left], i) => left < boxes[i][1] - 0.5)).toEqual([]);
      expect(boxes.at(-1)[1]).toBeLessThanOrEqual(390);
      await page.locator(".language").click();
    }
    await page.getByRole("button", { name: /^Deployment web/ }).tap();
    await expect(page.locator(".inspector .who h2")).toHaveText("web");
    await expect(page.locator(".inspector")).toBeVisible();
  });
});

test("every part of the page is in a landmark of its own name, and headings have an order", async ({ page }) => {
  const rules = ["region", "landmark-unique", "heading-order"];
  const found = async () => {
    const { violations } = await new AxeBuilder({ page }).withRules(rules).analyze();
    return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" ").slice(0, 300)}`);
  };
  await open(page);
  await page.locator(".step").click();
  expect(await found()).toEqual([]);
  await page.keyboard.press("v");
  await expect(page.locator(".map-scroll")).toBeVisible();
  expect(await found()).toEqual([]);
});

test("what a mistake says is read whole, with one number for its line", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("textbox", { name: "Manifest" })).toBeVisible();
  await page.keyboard.press("e");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  // The editor closes the brace, so it is taken away again.
  await page.keyboard.type("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\nbad: b\n");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Control+Enter");
  const changes = page.locator(".changes.bad");
  await expect(changes).toContainText(/Line \d/);
  await expect(changes).toContainText("It was refused:");
  await expect(page.locator(".toast")).toHaveCount(0);
  const said = await page.locator(".changes.bad p").allInnerTexts();
  expect(new Set(said.join(" ").toLowerCase().match(/line \d+/g)).size).toBe(1);
  const [box, all] = await changes.locator("p").first().evaluate((p) => [p.parentElement.clientWidth, p.scrollWidth]);
  expect(all).toBeLessThanOrEqual(box);
});
