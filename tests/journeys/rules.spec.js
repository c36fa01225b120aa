// The rule book: which rule a command is by, which rules are enabled now and for which objects; and the glossary.
import { test, expect, open, accessible } from "./page.js";

const book = (page) => page.getByRole("dialog", { name: "The rule book" });
const rule = (page, name) => page.locator(`#rule-${name.replaceAll(".", "-")}`);

test("a next command leads to its rule, which names the objects it is enabled for", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Rule new_replica_set.create in the rule book" }).click();
  const page_of = rule(page, "new_replica_set.create");
  await expect(page_of).toBeFocused();
  await expect(page_of).toContainText("no ReplicaSet of d has d.spec.template");
  await expect(page_of).toContainText("create ReplicaSet(d.spec.template, owner: d)");
  await expect(page_of).toContainText("enabled now");
  await expect(page_of).toContainText("Not used in this run");
  await expect(page_of).toContainText(/src\/controllers\/deployment\/sync\.rs:\d+/);
  await expect(rule(page, "manage_replicas.create")).not.toContainText("enabled now");
  await accessible(page);
  // An object is selected, and the book closes.
  await page_of.getByRole("button", { name: "Deployment web" }).click();
  await expect(book(page)).toBeHidden();
  await expect(page.locator(".inspector h2")).toContainText("web");
});

test("by keyboard: B opens the book, what was used leads back to its moment, Escape closes it", async ({ page }) => {
  await open(page);
  const at = page.getByRole("slider", { name: "Timeline" });
  const now = String(Number(await at.getAttribute("aria-valuenow")) + 3);
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  await expect(at).toHaveAttribute("aria-valuenow", now);
  await page.keyboard.press("b");
  await expect(book(page)).toBeVisible();
  const rules = book(page).locator(".rule");
  const all = await rules.count();
  expect(all).toBeGreaterThan(150);
  await book(page).getByRole("searchbox", { name: "Find a rule" }).fill("template");
  expect(await rules.count()).toBeLessThan(all);
  await book(page).getByRole("searchbox").fill("");
  await book(page).getByRole("button", { name: /^Used in this run/ }).press("Enter");
  await expect(rules).not.toHaveCount(all);
  await expect(rules.first()).toContainText(/Used/);
  await page.keyboard.press("Escape");
  await expect(book(page)).toBeHidden();
  await expect(at).toHaveAttribute("aria-valuenow", now);
  await page.keyboard.press("b");
  await rule(page, "new_replica_set.create").getByRole("button", { name: "Go to the last time" }).click();
  await expect(book(page)).toBeHidden();
  await expect(at).not.toHaveAttribute("aria-valuenow", now);
});

test("at Steady no rule is enabled, and at the depth of the machinery the book says that it is not known", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "To steady" }).click();
  await expect(page.locator(".steady.met")).toBeVisible();
  await page.locator("#rules-button").click();
  await expect(book(page).getByRole("button", { name: "Enabled now 0" })).toBeVisible();
  await book(page).getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Step back" }).click();
  await page.getByRole("radio", { name: "Machinery" }).click();
  await page.locator("#rules-button").click();
  await expect(book(page)).toContainText("Which rules are enabled is known at the depths of commands and reconciles");
});

test("on a phone, in the dark and in Chinese the book is whole", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, "?lang=zh");
  await page.locator("#rules-button").click();
  await expect(rule(page, "new_replica_set.create")).toContainText("现在启用");
  const { scroll, width } = await page.locator("dialog.rules").evaluate((d) => ({ scroll: d.scrollWidth, width: d.clientWidth }));
  expect(scroll).toBeLessThanOrEqual(width);
  await accessible(page);
});

test("a term of a story says what it means: pointed at, by keyboard, and until Escape", async ({ page }) => {
  await open(page);
  const terms = page.locator(".story .term");
  const first = terms.first();
  const box = await first.boundingBox();
  const note = page.locator(".story .term-note:popover-open");
  await first.hover();
  await expect(note).toHaveCount(1);
  await expect(note.getByRole("link")).toHaveAttribute("href", /^https:\/\/kubernetes\.io\/docs\//);
  expect(await first.boundingBox()).toEqual(box);
  await accessible(page);
  // The pointer may go on to the note.
  await note.getByRole("link").hover();
  await expect(note).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(note).toHaveCount(0);
  await page.mouse.move(0, 0);
  const at = await page.getByRole("slider", { name: "Timeline" }).getAttribute("aria-valuenow");
  await first.focus();
  await expect(note).toHaveCount(1);
  await expect(first).toHaveAccessibleDescription(/\.$/);
  await page.keyboard.press("Tab");
  await expect(note.getByRole("link")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(note.filter({ has: page.locator(`#${await first.getAttribute("aria-describedby")}`) })).toHaveCount(0);
  // Space opens and closes a note, and does not run the cluster.
  await first.focus();
  await page.keyboard.press("Space");
  await expect(note).toHaveCount(0);
  await expect(page.getByRole("slider", { name: "Timeline" })).toHaveAttribute("aria-valuenow", at);
});
