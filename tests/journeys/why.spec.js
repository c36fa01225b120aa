// Why it is so: from a line of an object's YAML back to what a person did, and what followed from it.
import { test, expect, open, accessible } from "./page.js";

const line = (page, text) => page.locator(".inspected .yaml [role=button]").filter({ hasText: text });

async function steady(page) {
  await open(page);
  await page.getByRole("button", { name: "To steady" }).click();
  await expect(page.locator(".steady.met")).toBeVisible();
}

test("a line says which write led to it, and so on back to the person", async ({ page }) => {
  await steady(page);
  await page.getByRole("button", { name: /^Deployment web/ }).click();
  await line(page, /^\s*readyReplicas: 3/).click();
  const links = page.locator(".why li");
  await expect(links.first()).toContainText("deployment-controller: update Deployment web/status");
  await expect(links.nth(1)).toContainText("replicaset-controller: update ReplicaSet");
  await expect(links.nth(2)).toContainText("kubelet");
  await expect(links.last()).toContainText("You: deployment.apps/web created");
  await accessible(page);
  // A link leads to its moment.
  const at = page.getByRole("slider", { name: "Timeline" });
  const last = await at.getAttribute("aria-valuenow");
  await links.nth(1).getByRole("button").click();
  await expect(at).not.toHaveAttribute("aria-valuenow", last);
});

test("by keyboard: one stop for all lines, arrows between them, Enter asks and Escape ends", async ({ page }) => {
  await steady(page);
  await page.getByRole("button", { name: /^Deployment web/ }).click();
  await page.getByRole("tab", { name: "YAML" }).focus();
  // The panel is a stop of its own.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("group", { name: "YAML" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator(".inspected .yaml [role=button]").first()).toBeFocused();
  const at = page.getByRole("slider", { name: "Timeline" });
  const now = await at.getAttribute("aria-valuenow");
  await page.keyboard.press("ArrowDown");
  await expect(line(page, "kind: Deployment")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(line(page, "kind: Deployment")).toHaveAttribute("aria-expanded", "true");
  await expect(page.locator(".why li").last()).toContainText("You");
  await page.keyboard.press("Escape");
  await expect(page.locator(".why")).toHaveCount(0);
  await expect(at).toHaveAttribute("aria-valuenow", now);
});

test("the menu of an object in the graph leads to the writes that it followed from", async ({ page }) => {
  await steady(page);
  await page.getByRole("button", { name: /^Deployment web/ }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Why it is as it is" }).click();
  const why = page.getByRole("group", { name: "Why it is as it is" });
  const links = why.getByRole("listitem");
  await expect(links.first()).toContainText("deployment-controller: update Deployment web/status");
  await expect(links.last()).toContainText("You: deployment.apps/web created");
  await expect(page.locator("#tab-history")).toHaveAttribute("aria-selected", "true");
  await accessible(page);
  // Another object is shown by its versions alone, and the first one's chain is there again.
  await page.getByRole("button", { name: /^ReplicaSet web-/ }).click();
  await expect(page.locator(".inspector h2")).toContainText("web-");
  await expect(why).toHaveCount(0);
  await page.locator("#why-object").click();
  await expect(links.first()).toContainText("replicaset-controller: update ReplicaSet");
  await page.locator("#why-object").click();
  await expect(why).toHaveCount(0);
});

test("from the menu by keyboard: the chain is the next stop, and Escape ends it", async ({ page }) => {
  await steady(page);
  await page.keyboard.press("g");
  await expect(page.getByRole("button", { name: /^Deployment web/ })).toBeFocused();
  await page.keyboard.press("a");
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("w");
  await page.keyboard.press("Enter");
  const ask = page.locator("#why-object");
  await expect(ask).toBeFocused();
  await expect(ask).toHaveAttribute("aria-expanded", "true");
  const first = page.locator(".why li").first().getByRole("button");
  await expect(first).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(first).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.locator(".why")).toHaveCount(0);
  await expect(ask).toBeFocused();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("the chain fits, and leads to its moments", async ({ page }) => {
    await steady(page);
    await page.getByRole("button", { name: /^Deployment web/ }).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Why it is as it is" }).click();
    const links = page.locator(".why li");
    await expect(links.last()).toContainText("You: deployment.apps/web created");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    await links.last().getByRole("button").click();
    await expect(links).toHaveCount(1);
  });
});

test("at Steady the page says who wrote how often, and what led to what", async ({ page }) => {
  await steady(page);
  const summary = page.getByRole("region", { name: "What followed" });
  await expect(summary).toContainText(/\d+ writes followed from what you did/);
  await expect(summary.locator(".counts")).toContainText("kubelet");
  await summary.getByRole("button", { name: "What led to what" }).click();
  const tree = page.getByRole("dialog", { name: "What led to what" });
  await expect(tree).toContainText("you CREATE Deployment web");
  await expect(tree).toContainText("deployment-controller CREATE ReplicaSet");
  await expect(tree).toContainText("replicaset-controller CREATE 3× Pod");
  await accessible(page);
  await page.keyboard.press("Escape");
  await expect(tree).toHaveCount(0);
});
