import { test, expect, open, accessible } from "./page.js";

// A kind of one's own, by the scenario that has one: the editor, the inspector, the graph, and what is said of it.
test.beforeEach(async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("option", { name: "A kind of your own" }).click();
  await expect(card(page, "Website")).toBeVisible();
});

const card = (page, kind) => page.locator(`g.card[data-object^="${kind} "]`);
const editor = (page) => page.locator(".left .cm-content");
const offered = (page) => page.locator(".cm-tooltip-autocomplete .cm-completionLabel");

/** Replaces the editor's text and leaves the cursor at its end. */
async function type(page, text) {
  await editor(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  // The browser would give a text that takes another's place that one's style, which the page's policy refuses.
  await page.keyboard.press("Backspace");
  await page.keyboard.insertText(text);
}

/** The names that completion offers at the cursor, once they hold. */
async function complete(page, expected) {
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Space");
  await expect(offered(page)).toHaveText(expected);
}

const WEBSITE = "apiVersion: shop.example.com/v1\nkind: Website\nmetadata:\n  name: other\nspec:\n  ";

test("the editor completes and explains the kind for as long as its definition is there", async ({ page }) => {
  await type(page, WEBSITE);
  await complete(page, ["host", "replicas"]);
  await type(page, `${WEBSITE}replicas: `);
  await complete(page, ["1"]);
  await expect(page.locator(".cm-completionDetail")).toHaveText("default");
  await page.keyboard.press("Escape");
  await editor(page).getByText("replicas", { exact: true }).hover();
  await expect(page.locator(".cm-doc")).toContainText("spec.replicas");
  await expect(page.locator(".cm-doc .cm-limits code")).toHaveText(["default: 1", "minimum: 0", "maximum: 5"]);
  await type(page, "apiVersion: shop.example.com/v1\nkind: ");
  await complete(page, ["Website"]);

  await page.evaluate(() => {
    window.steady.kubectl("delete crd websites.shop.example.com --wait=false");
    return window.steady.runToSteady();
  });
  await expect(card(page, "CustomResourceDefinition")).toHaveCount(0);
  await type(page, WEBSITE);
  await page.keyboard.press("Control+Space");
  await page.waitForTimeout(300);
  await expect(offered(page)).toHaveCount(0);
});

test("a definition in the editor's own text is enough", async ({ page }) => {
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}, colour: {type: string, enum: [red, blue]}}}}
---
apiVersion: example.com/v1
kind: Gadget
`;
  await type(page, definition);
  // The definition is read when the typing pauses; then the problem is shown, too: this kind is not there yet.
  await expect(page.locator(".changes.bad")).toContainText("Line 15");
  await expect(page.locator(".changes.bad")).toContainText('no matches for kind "Gadget"');
  await complete(page, ["colour", "metadata", "size"]);
  await page.keyboard.insertText("colour: ");
  await complete(page, ["blue", "red"]);
});

test("what is wrong with an object is marked at its line", async ({ page }) => {
  await type(page, `${WEBSITE}host: [1]\n  replicas: 9\n`);
  await expect(page.locator(".left .cm-lintRange-error")).toHaveCount(3);
  await expect(page.locator(".changes.bad")).toContainText("Line 6");
});

test("an object is scaled by its scale, and told by its condition", async ({ page }) => {
  await expect(page.locator(".steady.met")).toContainText("One object of a custom kind is stored");
  await card(page, "Website").click();
  const actions = page.locator(".inspector .actions");
  await actions.getByRole("button", { name: "One more" }).click();
  await expect(page.locator(".inspected .yaml")).toContainText("replicas: 2");
  await actions.getByRole("button", { name: "One fewer" }).click();
  await expect(page.locator(".inspected .yaml")).toContainText("replicas: 1");
  // Its status badge: none yet, then the condition.
  await expect(card(page, "Website")).toContainText("no conditions");
  await page.evaluate(() => window.steady.kubectl(
    `patch website shop --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"False"}]}}'`));
  await expect(card(page, "Website")).toContainText("Ready: False");
  await expect(page.locator(".shorts")).toContainText("Website shopReady is False");
  await expect(page.locator(".pill.unmet")).toBeVisible();
  await accessible(page);
  await page.getByRole("button", { name: "Be its controller" }).click();
  await expect(card(page, "Website")).toHaveText(/Ready$/);
  await expect(page.locator(".pill.met")).toBeVisible();
});

test("a definition that waits for a finalizer says so", async ({ page }) => {
  await page.evaluate(() => {
    window.steady.kubectl(`patch website shop --type=merge -p '{"metadata":{"finalizers":["example.com/keep"]}}'`);
    window.steady.kubectl("delete crd websites.shop.example.com --wait=false");
    return window.steady.runToSteady();
  });
  await expect(card(page, "CustomResourceDefinition")).toContainText("Terminating");
  await expect(page.locator(".shorts")).toContainText("Terminating is True");
  await expect(page.locator(".shorts")).toContainText("stays until its finalizers are taken away: example.com/keep");
});

test("no column is named that nothing stands in, and no word is cut", async ({ page }) => {
  await expect(page.locator("svg.world text.title")).toHaveText(["Node"]);
  await expect(card(page, "CustomResourceDefinition")).toContainText("CustomResourceDefinition");
  await expect(card(page, "CustomResourceDefinition")).toContainText("Established");
});

for (const [name, width, height] of [["a phone on its side", 720, 450], ["a low window", 1024, 520]]) {
  test(`on ${name} the graph can be read`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    for (const kind of ["CustomResourceDefinition", "Website"]) {
      await expect(card(page, kind)).toBeInViewport({ ratio: 1 });
      const size = await card(page, kind).locator(".name").evaluate((e) => e.getBoundingClientRect().height);
      expect(size).toBeGreaterThan(8);
    }
    const over = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
    expect(over).toEqual([0, 0]);
    await accessible(page);
  });
}
