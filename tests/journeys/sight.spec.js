// What a person sees stays in sight: the graph wherever it is moved, borders in forced colours, landmarks everywhere.
import AxeBuilder from "@axe-core/playwright";
import { test, expect, open } from "./page.js";

/** How many pixels of the cards lie within the pane, across and down. */
const inSight = (page) => page.evaluate(() => {
  const pane = document.querySelector(".canvas").getBoundingClientRect();
  const cards = [...document.querySelectorAll("g.card .box")].map((box) => box.getBoundingClientRect());
  const across = Math.min(pane.right, Math.max(...cards.map((c) => c.right))) - Math.max(pane.left, Math.min(...cards.map((c) => c.left)));
  const down = Math.min(pane.bottom, Math.max(...cards.map((c) => c.bottom))) - Math.max(pane.top, Math.min(...cards.map((c) => c.top)));
  return Math.min(across, down);
});

test("neither wheel nor drag nor zoom loses the graph", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.runToSteady());
  const pane = await page.locator(".canvas").boundingBox();
  const [x, y] = [pane.x + pane.width / 2, pane.y + pane.height / 2];
  const world = () => page.locator(".world > g").first().getAttribute("transform");
  // Waits until the view has moved, so that what is measured is not what was there before.
  const moves = async (move) => {
    const before = await world();
    await move();
    await expect.poll(world).not.toBe(before);
  };
  await page.mouse.move(x, y);
  for (const [dx, dy] of [[9000, 0], [-30000, 0], [0, 9000], [0, -30000], [9000, 9000]]) {
    await moves(() => page.mouse.wheel(dx, dy));
    // As much as is kept, and no more: it was moved as far as it goes.
    const left = await inSight(page);
    expect(left).toBeGreaterThan(80);
    expect(left).toBeLessThan(110);
  }
  const drag = async (dx, dy) => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx / 2, y + dy / 2, { steps: 3 });
    await page.mouse.up();
  };
  for (const [dx, dy] of [[600, 400], [-600, -400]]) {
    await moves(() => drag(dx, dy));
    for (let i = 0; i < 9; i++) await drag(dx, dy);
    const left = await inSight(page);
    expect(left).toBeGreaterThan(80);
    expect(left).toBeLessThan(110);
  }
  for (const name of ["Smaller", "Bigger"]) {
    for (let i = 0; i < 12; i++) await page.getByRole("button", { name }).click();
    // At its smallest the whole graph is no more.
    expect(await inSight(page)).toBeGreaterThan(10);
  }
  await page.getByRole("button", { name: "Show all" }).click();
  await expect.poll(() => inSight(page)).toBeGreaterThan(120);
});

test("in forced colours buttons have borders, and what is chosen is more than bold", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await open(page);
  const looks = (selector) => page.locator(selector).first().evaluate((el) => {
    const { borderTopWidth, borderTopStyle, backgroundColor } = getComputedStyle(el);
    return { border: borderTopStyle === "none" ? 0 : parseFloat(borderTopWidth), back: backgroundColor };
  });
  for (const button of [".share", ".tool", ".scenarios .menu-button", ".transport .word", ".seg button", ".tries .quiet", ".solid"]) {
    expect((await looks(button)).border, button).toBeGreaterThan(0);
  }
  const chosen = await looks(".controls .seg [aria-checked=true]");
  const other = await looks(".controls .seg [aria-checked=false]");
  expect(chosen.back).not.toBe(other.back);
});

test("landmarks and headings: axe's best practices, in every state", async ({ page }) => {
  await open(page);
  const holds = async (state) => {
    const { violations } = await new AxeBuilder({ page }).withTags(["best-practice", "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" ")}`), state).toEqual([]);
  };
  await holds("opened");
  await page.evaluate(() => window.steady.runToSteady());
  await holds("steady");
  await page.getByRole("button", { name: "Scenarios" }).click();
  await holds("a menu");
  await page.getByRole("button", { name: "Your runs" }).click();
  await expect(page.getByRole("dialog", { name: "Your runs" }).getByRole("listitem")).toHaveCount(1);
  await holds("the list of runs");
  await page.keyboard.press("Escape");
  await page.keyboard.press("v");
  await expect(page.locator(".map-world")).toBeVisible();
  await holds("the map");
  await page.keyboard.press("v");
  await page.keyboard.press("o");
  await holds("every order");
  await page.keyboard.press("o");
  for (const [width, height] of [[720, 450], [390, 844], [844, 390]]) {
    await page.setViewportSize({ width, height });
    await holds(`${width} by ${height}`);
  }
});
