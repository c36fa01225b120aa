import { test, expect, open, accessible } from "./page.js";

// The page by the keyboard alone: where each key leads, and that what has the focus is never lost.

const MOD = process.platform === "darwin" ? "Meta" : "Control";
const at = (page) => page.getByRole("slider", { name: "Timeline" });
const text = (page) => page.getByRole("textbox", { name: "Manifest" });

/** Once the real editor stands where its text stood. */
async function loaded(page) {
  await open(page);
  await expect(text(page)).toBeVisible();
}

test("E leads into the editor's text, and Escape and Tab lead out of it", async ({ page }) => {
  await loaded(page);
  await page.keyboard.press("e");
  await expect(text(page)).toBeFocused();
  // The ring is seen.
  await expect(page.locator(".editor .cm-editor")).toHaveClass(/cm-focused/);
  await page.keyboard.press(`${MOD}+Home`);
  await page.keyboard.type("# typed\n");
  await expect(text(page)).toContainText("# typed");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(text(page)).not.toBeFocused();
  await expect(page.locator(".apply :focus")).toHaveCount(1);
});

test("Ctrl+Enter applies what E led to", async ({ page }) => {
  await loaded(page);
  await page.evaluate(() => window.steady.runToSteady());
  await page.keyboard.press("e");
  await page.keyboard.press(`${MOD}+a`);
  await page.keyboard.press("Delete");
  await page.keyboard.type("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: by-key}\n");
  await page.keyboard.press(`${MOD}+Enter`);
  await expect(page.locator(".said [role=status]")).toContainText("configmap/by-key created");
});

test("E before the editor is there leads into it when it comes", async ({ page }) => {
  let letThrough;
  const held = new Promise((resolve) => (letThrough = resolve));
  await page.route(/editor\.js$/, async (route) => { await held; await route.continue(); });
  await open(page);
  await expect(page.locator(".next li")).not.toHaveCount(0);
  await page.keyboard.press("e");
  letThrough();
  await expect(text(page)).toBeFocused();
});

test("Tab comes from the tries into the editor", async ({ page }) => {
  await loaded(page);
  await page.locator(".story .tries button").last().focus();
  await page.keyboard.press("Tab");
  await expect(text(page)).toBeFocused();
});

test.describe("where one pane is shown at a time", () => {
  test.use({ viewport: { width: 720, height: 450 } });
  test("E, K, G and T bring their pane to the front, and ? opens the help at its beginning", async ({ page }) => {
    await open(page);
    await page.keyboard.press("e");
    await expect(text(page)).toBeFocused();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await page.keyboard.press("k");
    await expect(page.getByRole("combobox", { name: "kubectl" })).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("t");
    await expect(at(page)).toBeFocused();
    await page.keyboard.press("g");
    await expect(page.locator("section.graph")).toBeVisible();
    await page.locator("#keys-button").click();
    await expect(page.locator("dialog.keys[open] h2")).toBeInViewport();
    await expect(page.locator("dialog.keys[open] :focus")).toHaveCount(1);
  });
});

test("Enter on a next command, and Delete on an object, keep the focus in their pane", async ({ page }) => {
  await loaded(page);
  for (let i = 0; i < 3; i++) {
    await page.locator(".next li button").first().focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(".next")).toHaveAttribute("aria-busy", "false");
    await expect(page.locator(".next li button").first()).toBeFocused();
  }
  await page.evaluate(() => window.steady.runToSteady());
  await page.getByRole("button", { name: /^Pod web-/ }).first().click();
  await page.getByRole("button", { name: "Delete", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.evaluate(() => window.steady.runToSteady());
  await expect.poll(() => page.evaluate(() => document.activeElement.tagName)).not.toBe("BODY");
});

test("the gallery by the keyboard: the field keeps the focus, arrow keys say which scenario Enter opens", async ({ page }) => {
  await loaded(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  const gallery = page.getByRole("dialog", { name: "Scenarios" });
  const field = gallery.getByRole("combobox", { name: "Find a scenario" });
  const chosen = gallery.getByRole("option", { selected: true });
  await expect(field).toBeFocused();
  // It opens where the scenario stands that is open.
  await expect(chosen).toContainText("1. First Deployment");
  await expect(chosen).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("ArrowDown");
  await expect(chosen).toContainText("2. Self-healing");
  await expect(field).toHaveAttribute("aria-activedescendant", await chosen.getAttribute("id"));
  await page.keyboard.press("End");
  await expect(chosen).toContainText("35. A quota");
  await expect(chosen).toBeInViewport();
  await page.keyboard.press("ArrowDown");
  await expect(chosen).toContainText("1. First Deployment");
  // The page's own keys hear nothing of what is typed: m would change the depth.
  await page.keyboard.type("mem");
  await expect(page.locator(".seg [aria-checked=true]")).toHaveText("Command");
  await page.keyboard.press("Escape");
  await expect(gallery).toBeHidden();
  await expect(page.locator(".scenarios .menu-button")).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.type("stuck rollout");
  await expect(gallery.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page.locator(".scenarios .menu-button b")).toHaveText("A rollout that gets stuck");
});

test("the gallery has headings, and finds a scenario by its words in both languages", async ({ page }) => {
  await loaded(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  const gallery = page.getByRole("dialog", { name: "Scenarios" });
  await expect(gallery.getByRole("group", { name: "First steps" }).getByRole("option").first()).toContainText("1. First Deployment");
  await expect(gallery.getByRole("group", { name: "Rollouts" }).getByRole("option", { name: "42. A rollout that drops requests" })).toBeVisible();
  expect(await gallery.getByRole("group").count()).toBeGreaterThan(8);
  expect(await gallery.getByRole("option").count()).toBeGreaterThan(60);
  const field = gallery.getByRole("combobox", { name: "Find a scenario" });
  // A word of the text, a word of the other language, a heading.
  for (const [typed, title] of [["maxUnavailable", "4. Rolling update"], ["卡住的上线", "5. A rollout that gets stuck"], ["storage", "54. Files that stay"]]) {
    await field.fill(typed);
    await expect(gallery.getByRole("option", { name: title })).toBeVisible();
    expect(await gallery.getByRole("option").count()).toBeLessThan(20);
  }
  await field.fill("no such scenario anywhere");
  await expect(gallery.getByRole("status")).toHaveText("No scenario has these words in its title, text or heading.");
  await accessible(page, ".gallery");
});

for (const viewport of [{ width: 390, height: 844 }, { width: 720, height: 450 }]) {
  test(`the gallery fits into ${viewport.width} by ${viewport.height}, with the course and the runs above the list`, async ({ page }) => {
    await loaded(page);
    await page.setViewportSize(viewport);
    await page.getByRole("button", { name: "Scenarios" }).click();
    const gallery = page.getByRole("dialog", { name: "Scenarios" });
    await expect(gallery).toBeInViewport({ ratio: 1 });
    await expect(gallery.getByRole("combobox")).toBeInViewport({ ratio: 1 });
    // At least three scenarios are seen at once, and nothing is wider than the list.
    expect((await gallery.getByRole("listbox").boundingBox()).height).toBeGreaterThan(180);
    expect(await gallery.getByRole("listbox").evaluate((list) => list.scrollWidth - list.clientWidth)).toBe(0);
    await expect(gallery.getByRole("button", { name: "Your runs" })).toBeInViewport({ ratio: 1 });
    await accessible(page);
    await gallery.getByRole("button", { name: "Course" }).click();
    await expect(page.locator("dialog[open]")).toBeVisible();
  });
}

test("a menu: End, Home and the first letter of an entry", async ({ page }) => {
  await loaded(page);
  await page.getByRole("button", { name: "Break something" }).click();
  const items = page.getByRole("menuitemradio");
  await expect(items.first()).toBeFocused();
  await page.keyboard.press("End");
  await expect(items.last()).toBeFocused();
  await page.keyboard.press("Home");
  await expect(items.first()).toBeFocused();
  await page.keyboard.press("s");
  await expect(items.filter({ hasText: /^Stop/ }).first()).toBeFocused();
});

test("a menu: the field that narrows a long one down", async ({ page }) => {
  await loaded(page);
  const items = page.getByRole("menuitemradio");
  await page.keyboard.press("p");
  await expect(page.getByRole("menu")).toBeVisible();
  await expect(page.locator(".policy .menu-head").first()).toContainText(/^[a-z]/);
  await page.keyboard.type("endpoint");
  await expect(items.first()).toContainText("endpoint");
  expect(await items.count()).toBeLessThan(5);
});
