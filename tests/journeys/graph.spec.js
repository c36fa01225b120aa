// What a person does with the graph itself: the menu and the callout of an object, the filter, many of a kind, the small
// picture of all of it, and the graph alone.
import AxeBuilder from "@axe-core/playwright";
import { test, expect, open } from "./page.js";

const card = (page, kind, name = "") => page.locator(`.card[data-object^='${kind} ']${name && `[data-object$='/${name}']`}`).first();
const menu = (page) => page.locator("[role=menu].object-menu");
const item = (page, name) => menu(page).getByRole("menuitem", { name });
const holds = async (page, state) => {
  const { violations } = await new AxeBuilder({ page }).withTags(["best-practice", "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" ")}`), state).toEqual([]);
};
const inWindow = async (page, locator) => {
  const box = await locator.boundingBox();
  const { width, height } = page.viewportSize();
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(width);
  expect(box.y + box.height).toBeLessThanOrEqual(height);
  return box;
};
const settled = async (page, path) => {
  await open(page, path);
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator("g.card")).toHaveCount(8);
};

/** ConfigMaps, one after the other. */
const settings = (n) => Array.from({ length: n }, (_, i) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${i}, labels: {half: "${i % 2}"}}\n`).join("---\n");

test("the right button opens an object's menu, and its entries do what they say", async ({ page }) => {
  await settled(page);
  const pod = card(page, "Pod");
  await pod.click({ button: "right" });
  await expect(item(page, "Describe")).toBeFocused();
  await inWindow(page, menu(page));
  await holds(page, "a menu");
  await item(page, "Describe").click();
  await expect(menu(page)).toHaveCount(0);
  await expect(page.locator("#tab-kubectl")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("#tab-kubectl-panel")).toContainText("Node-Selectors:");

  await pod.click({ button: "right" });
  await item(page, "Logs").click();
  await expect(page.locator("#tab-kubectl-panel")).toContainText("$ logs web-");

  await card(page, "Deployment").click({ button: "right" });
  await item(page, "Show what it owns (4)").click();
  await expect(page.locator(".card.lit")).toHaveCount(4);
  await expect(page.locator(".toast")).toContainText("owns 4 objects");

  await card(page, "ReplicaSet").click({ button: "right" });
  await item(page, "Why it is as it is").click();
  await expect(page.locator("#tab-history")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".inspector h2")).toContainText("web-");
  await expect(page.locator("#why-object")).toHaveAttribute("aria-expanded", "true");

  await card(page, "Deployment").click({ button: "right" });
  await item(page, "Edit its YAML").click();
  await expect(page.locator(".editing")).toContainText("edit deployment web");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.locator(".editing")).toHaveCount(0);

  await pod.click({ button: "right" });
  await item(page, /^Crash container/).click();
  await expect(page.locator(".said [role=status]")).toContainText(/web-/);

  const pods = await page.locator(".card[data-object^='Pod ']").count();
  await pod.click({ button: "right" });
  await item(page, "Delete").click();
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".card[data-object^='Pod ']")).toHaveCount(pods);
});

test("a pod that waits for the scheduler leads to the scheduler", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: lone}\nspec: {containers: [{name: c, image: nginx}]}\n"));
  await card(page, "Pod", "lone").click({ button: "right" });
  await item(page, "Why it is as it is").click();
  await expect(page.locator("#tab-scheduling")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("#tab-scheduling")).toBeFocused();
});

test("the menu by the keyboard: open, walk, choose, leave", async ({ page }) => {
  await settled(page);
  await page.keyboard.press("g");
  const deployment = card(page, "Deployment");
  await expect(deployment).toBeFocused();
  for (const key of ["ContextMenu", "Shift+F10", "a"]) {
    await page.keyboard.press(key);
    await expect(item(page, "Describe")).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(item(page, "Edit its YAML")).toBeFocused();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowDown");
    await expect(item(page, "Describe")).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(menu(page)).toHaveCount(0);
    await expect(deployment).toBeFocused();
  }
  await page.keyboard.press("a");
  await expect(item(page, "Describe")).toBeFocused();
  await page.keyboard.press("w");
  await expect(item(page, "Why it is as it is")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#tab-history")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("#why-object")).toBeFocused();
});

test.describe("with a finger", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("a long press opens the menu, and is no tap", async ({ page, context }) => {
    await settled(page);
    const box = await card(page, "Pod").boundingBox();
    const at = [{ x: box.x + 30, y: box.y + 20 }];
    const cdp = await context.newCDPSession(page);
    await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at });
    await expect(menu(page)).toBeVisible();
    await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    // What is said of the object is another pane: a tap would have led there.
    await expect(page.locator(".app")).toHaveAttribute("data-pane", "graph");
    await expect(menu(page)).toBeVisible();
    await inWindow(page, menu(page));
    await holds(page, "a menu on a phone");
    await item(page, "Logs").tap();
    await expect(page.locator(".app")).toHaveAttribute("data-pane", "manifest");
    await expect(page.locator("#tab-kubectl-panel")).toContainText("$ logs web-");
  });
});

test("an object that is pointed at says what it is, beside its card, until Escape", async ({ page }) => {
  await settled(page);
  const pod = card(page, "Pod");
  await pod.hover();
  const says = page.getByRole("tooltip");
  await expect(says).toContainText("Running, 1 of 1 containers ready");
  await expect(says).toContainText("owned by ReplicaSet web-");
  await expect(says).toContainText("in default");
  await expect(pod).toHaveAttribute("aria-describedby", "object-callout");
  const [a, b] = [await inWindow(page, says), await pod.boundingBox()];
  const apart = a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height;
  expect(apart, "it does not lie on the card").toBe(true);
  await holds(page, "a callout");
  // It can be pointed at itself.
  await says.hover();
  await expect(says).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(says).toHaveCount(0);

  // The same for whoever walks with keys.
  await page.keyboard.press("g");
  await page.keyboard.press("ArrowRight");
  await expect(says).toContainText("3 of 3 ready");
  await page.keyboard.press("Escape");
  await expect(says).toHaveCount(0);
  // Escape took the callout away, and nothing else.
  await expect(page.locator(".card[aria-pressed=true]")).toHaveCount(1);
});

test("a filter shows what is asked for, counts it, stays while one steps, and finds", async ({ page }) => {
  await open(page);
  await page.keyboard.press("f");
  const field = page.getByRole("textbox", { name: "Name, kind or label=value" });
  await expect(field).toBeFocused();
  await field.fill("app=web");
  const count = page.locator(".filter-count");
  await expect(count).toHaveText("1 of 4 shown");
  await expect(page.locator("g.card")).toHaveCount(1);
  await holds(page, "a filter");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(count).toHaveText("5 of 8 shown");
  await expect(page.locator(".card[data-object^='Node ']")).toHaveCount(0);

  const selected = page.locator("g.card[aria-pressed=true]");
  await field.press("Enter");
  await expect(selected).toHaveCount(1);
  const first = await selected.getAttribute("data-object");
  await field.press("Enter");
  await expect(selected).not.toHaveAttribute("data-object", first);
  const second = await selected.getAttribute("data-object");
  await field.press("Enter");
  await expect(selected).not.toHaveAttribute("data-object", second);
  await field.press("Shift+Enter");
  await expect(selected).toHaveAttribute("data-object", second);
  await expect(field).toBeFocused();

  // Buttons narrow it down further.
  await page.getByRole("button", { name: /^Pod ?3/ }).click();
  await expect(count).toHaveText("3 of 8 shown");
  await page.getByRole("button", { name: /^well/ }).click();
  await expect(count).toHaveText("3 of 8 shown");
  await field.fill("nothing-like-it");
  await expect(count).toHaveText("0 of 8 shown");
  await field.press("Escape");
  await expect(page.locator("#graph-filter")).toBeFocused();
  // What is hidden stays said, and one press brings it back.
  await expect(count).toHaveText("0 of 8 shown");
  await page.getByRole("button", { name: "Show all objects" }).click();
  await expect(page.locator("g.card")).toHaveCount(8);
  await expect(page.locator(".filter-count")).toHaveCount(0);
});

test("300 ConfigMaps are a grid, whose cells have names, callouts and menus", async ({ page }) => {
  await settled(page);
  await page.evaluate((text) => window.steady.apply(text), settings(300));
  const grid = page.locator(".fold");
  await expect(grid).toHaveAttribute("aria-label", "300 × ConfigMap");
  await expect(page.locator("g.card[data-object^='ConfigMap ']")).toHaveCount(0);
  const box = await grid.boundingBox();
  // A word on the other cards can still be read.
  const name = await card(page, "Deployment").locator(".name").boundingBox();
  expect(name.height).toBeGreaterThan(8);
  const cell = { position: { x: box.width / 2, y: box.height / 2 } };
  await grid.hover(cell);
  await expect(page.getByRole("tooltip")).toContainText("ConfigMap");
  await grid.click(cell);
  await expect(page.locator(".inspector .kind")).toContainText("ConfigMap");
  await grid.click({ ...cell, button: "right" });
  await expect(item(page, "Describe")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(grid).toBeFocused();
  await holds(page, "a grid");

  // A filter leaves as few as have cards of their own.
  await page.keyboard.press("f");
  await page.keyboard.type("c29");
  await expect(page.locator("g.card[data-object^='ConfigMap ']")).toHaveCount(11);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("half=1");
  await expect(grid).toHaveAttribute("aria-label", "150 × ConfigMap");
});

test("what does not fit is seen in small, and goes where it is pressed there", async ({ page }) => {
  await settled(page);
  const map = page.locator(".minimap");
  await expect(map).toHaveCount(0);
  for (let i = 0; i < 5; i++) await page.getByRole("button", { name: "Bigger" }).click();
  await expect(map).toBeVisible();
  await expect(map).toHaveAttribute("aria-hidden", "true");
  const frame = map.locator(".frame");
  const before = await frame.getAttribute("x");
  const box = await map.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 6, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => frame.getAttribute("x")).not.toBe(before);
  await expect(card(page, "Node")).toBeInViewport();
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(map).toHaveCount(0);
});

test("Z gives the graph the page, and Escape gives it back", async ({ page }) => {
  await settled(page);
  const pane = page.locator(".graph .canvas");
  const before = await pane.boundingBox();
  await page.keyboard.press("z");
  await expect.poll(async () => (await pane.boundingBox()).width).toBeGreaterThan(1400);
  await expect(page.locator(".inspector")).toBeHidden();
  await expect(page.getByRole("status").filter({ hasText: "The graph has the page for itself" })).toHaveCount(1);
  // It is stepped on, and what happened is said.
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator(".said [role=status]")).toBeVisible();
  await holds(page, "the graph alone");
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await pane.boundingBox()).width).toBe(before.width);
  await page.keyboard.press("z");
  // What leads elsewhere brings the rest back.
  await page.keyboard.press("e");
  await expect(page.getByRole("textbox", { name: "Manifest" })).toBeFocused();
});

for (const [width, height] of [[720, 450], [844, 390]]) {
  test(`at ${width} by ${height} the graph is read, with its tools`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await settled(page);
    // Alone, all workloads and their pods are in sight, and their names can be read.
    await page.keyboard.press("z");
    for (const kind of ["Deployment", "ReplicaSet", "Pod"]) {
      await expect(card(page, kind).locator(".name")).toBeInViewport({ ratio: 1 });
      expect((await card(page, kind).locator(".name").boundingBox()).height).toBeGreaterThan(7);
    }
    await page.getByRole("button", { name: "Filter and search" }).click();
    await expect(page.getByRole("textbox", { name: "Name, kind or label=value" })).toBeFocused();
    await holds(page, "low");
  });
}

test("in Chinese", async ({ page }) => {
  await settled(page, "?lang=zh");
  await card(page, "Deployment").click({ button: "right" });
  await expect(menu(page).getByRole("menuitem")).toContainText(["描述", "编辑它的 YAML", "为什么是这样", "显示它拥有的对象（4）"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  await expect(page.locator("[role=search] input")).toBeFocused();
  await page.keyboard.type("kind=none");
  await expect(page.locator(".filter-count")).toHaveText("显示 0 个，共 8 个");
});
