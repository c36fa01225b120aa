// What strangers stumbled over, each as they met it.
import AxeBuilder from "@axe-core/playwright";
import { expect, open, opened, test } from "./page.js";

const scenario = async (page, name) => {
  await page.locator(".scenarios .menu-button").click();
  await page.getByRole("option", { name }).click();
  await expect(page.locator(".scenarios .menu-button")).toHaveAttribute("aria-label", name);
};
const depth = (page) => page.locator(".controls .seg [aria-checked=true]");
const steady = (page) => page.evaluate(() => window.steady.runToSteady());

async function write(page, text) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Backspace");
  await page.keyboard.insertText(text);
}

test("the depth of a scenario stays with it", async ({ page }) => {
  await open(page);
  await scenario(page, /410 Gone/);
  await expect(depth(page)).toHaveText("Machinery");
  await scenario(page, /First Deployment/);
  await expect(depth(page)).toHaveText("Command");
});

test("a mistake in the text is told once, under the editor, and that goes when the mistake is mended", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("textbox", { name: "Manifest" })).toBeVisible();
  const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
  await write(page, `${text}bad: b\n`);
  await page.locator(".apply .solid").click();
  const changes = page.locator(".changes.bad");
  await expect(changes).toContainText("It was refused:");
  await expect(changes).toContainText('unknown field "bad"');
  await expect(changes.locator(".to-line")).toHaveText(/^Line 4, column \d+$/);
  await expect(page.locator(".toast")).toHaveCount(0);
  await write(page, text);
  await expect(page.locator(".changes")).toContainText("ConfigMap a");
  await expect(page.locator(".changes")).not.toContainText("refused");
});

test("a number that is none is said in words, at its line", async ({ page }) => {
  await open(page);
  await expect(page.locator(".cm-content")).toContainText("replicas: 3");
  await page.getByRole("textbox", { name: "Manifest" }).getByText("replicas", { exact: true }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("three");
  await expect(page.locator(".changes.bad")).toContainText("expected an integer");
  await expect(page.locator(".changes.bad .to-line")).toHaveText(/^Line 8, column \d+$/);
});

test("a try that comes too late says why, and the footer does not take what a scenario did for an edit", async ({ page }) => {
  await open(page);
  await scenario(page, /A conflict, and the retry/);
  await expect(page.locator(".changes")).toContainText("Apply would put back");
  await steady(page);
  await page.getByRole("button", { name: "The controller's next request" }).click();
  await expect(page.locator(".toast")).toContainText("deployment-controller has nothing of that kind to do");
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "The controller's next request" }).click();
  await expect(page.locator(".said [role=status]")).toContainText("deployment-controller");
});

test("who stepped into a step comes back to it with Escape", async ({ page }) => {
  await open(page);
  await page.locator(".step").click();
  const said = page.locator(".said [role=status]");
  await expect(said).toContainText("deployment-controller");
  const before = await said.textContent();
  await page.getByRole("button", { name: "Step into" }).click();
  await expect(page.locator(".map-world")).toBeVisible();
  await expect(depth(page)).toHaveText("Machinery");
  await expect(page.getByRole("button", { name: "Back out" })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
  await expect(page.locator(".map-world")).toHaveCount(0);
  await expect(depth(page)).toHaveText("Command");
  await expect(said).toHaveText(before);
  await expect(page.getByRole("button", { name: "Step into" })).toBeVisible();
});

test("the way out of a step is there wherever one goes inside it, and after a reload", async ({ page }) => {
  await open(page);
  for (let i = 0; i < 3; i++) await page.evaluate(() => window.steady.step());
  const said = page.locator(".said [role=status]");
  const out = page.getByRole("button", { name: "Back out" });
  // A promise tells that a step was taken, which is drawn with the next frame.
  await expect(page.locator(".timeline .at")).toHaveText("step 4");
  const before = await said.textContent();
  await page.getByRole("button", { name: "Step into" }).click();
  await expect(out).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await expect(out).toBeVisible();
  // Before the step, nothing is inside it.
  await page.keyboard.press("Home");
  await expect(out).toHaveCount(0);
  await page.getByRole("slider", { name: "Timeline" }).focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  await expect(out).toBeVisible();
  await page.reload();
  await opened(page);
  await expect(out).toBeVisible();
  await expect(depth(page)).toHaveText("Machinery");
  await page.keyboard.press("Escape");
  await expect(said).toHaveText(before);
  await expect(depth(page)).toHaveText("Command");
});

test("menus say once what holds of many lines, and where other faults are", async ({ page }) => {
  await open(page);
  await page.keyboard.press("p");
  await expect(page.getByRole("menuitemradio", { name: /last/ }).first()).toBeVisible();
  await expect(page.getByText("It goes only when no other component can.")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Break something" }).click();
  await expect(page.locator(".menu-head").first()).toContainText("A pod or a node that you choose in the graph has its own.");
  await page.keyboard.press("Escape");
  // Where there is room, the bolt has a word.
  await page.setViewportSize({ width: 2560, height: 1300 });
  await expect(page.locator(".faults .menu-button")).toContainText("Break something");
});

test("the code of a frame is what its fields show", async ({ page }) => {
  await open(page);
  await page.locator(".share").click();
  await page.getByText("Embed in a page").click();
  await expect(page.getByLabel("Size")).toHaveValue("0");
  await expect(page.getByLabel("Theme")).toHaveValue("system");
  await expect(page.locator("#share-code")).toHaveValue(/width="600" height="400"/);
});

/** What axe finds, and what is too small to be tapped, in the state that is shown. */
async function faultless(page, state) {
  const tags = ["best-practice", "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" ")}`), state).toEqual([]);
  const small = await page.evaluate(() => {
    // A click on its label is one on the field, too.
    const rect = (e) => {
      const [own, label] = [e, e.closest("label") ?? e].map((x) => x.getBoundingClientRect());
      return { width: Math.max(own.width, label.width), height: Math.max(own.height, label.height) };
    };
    return [...document.querySelectorAll("button, a[href], summary, input, select, [role=slider]")]
      .filter((e) => e.checkVisibility({ visibilityProperty: true }) && rect(e).width > 1 && (rect(e).height < 24 || rect(e).width < 24))
      .map((e) => e.outerHTML.slice(0, 120));
  });
  expect(small, state).toEqual([]);
}

for (const [name, use] of Object.entries({
  "on a desktop": {},
  "on a phone": { viewport: { width: 390, height: 844 }, hasTouch: true },
  "at 200 % zoom": { viewport: { width: 720, height: 450 } },
  "in forced colours": { forcedColors: "active" },
})) {
  test.describe(name, () => {
    test.use(use);
    test("every menu and dialog is faultless, takes the focus and gives it back", async ({ page }) => {
      test.slow();
      await open(page);
      await page.locator(".step").click();
      await faultless(page, "the page");
      const opens = {
        "the scenarios": [".scenarios .menu-button", ".menu-list"],
        "the faults": [".faults .menu-button", ".menu-list"],
        "who goes first": [".policy .menu-button", ".menu-list"],
        "the clock": [".clock .menu-button", ".menu-list"],
        "the keys": ["#keys-button", "dialog[open]"],
        "the course": ["#course-button", "dialog[open]"],
        "the rules": ["#rules-button", "dialog[open]"],
        "every order": ["#explore-button", ".explore"],
        "share": [".share", "dialog[open]"],
      };
      for (const [state, [button, part]] of Object.entries(opens)) {
        // In a low pane the graph has the room that the clock takes elsewhere, and on a phone a menu leads to the course.
        if (["the clock", "the course"].includes(state) && !(await page.locator(button).isVisible())) continue;
        await page.locator(button).click();
        await expect(page.locator(part)).toBeVisible();
        await expect.poll(() => page.evaluate((part) => document.querySelector(part).contains(document.activeElement), part), state).toBe(true);
        if (state === "share") await page.getByText("Embed in a page").click();
        const { left, right, width } = await page.locator(part).evaluate((e) => ({ ...e.getBoundingClientRect().toJSON(), width: innerWidth }));
        expect([left >= 0, right <= width], state).toEqual([true, true]);
        await faultless(page, state);
        await page.keyboard.press("Escape");
        await expect(page.locator(button), state).toBeFocused();
      }
      await page.locator(".scenarios .menu-button").click();
      await page.getByRole("button", { name: "Your runs" }).click();
      await expect(page.getByRole("dialog", { name: "Your runs" }).getByRole("listitem")).toHaveCount(1);
      await faultless(page, "the runs");
      await page.keyboard.press("Escape");
      await expect(page.locator(".scenarios .menu-button")).toBeFocused();
      await page.keyboard.press("v");
      await expect(page.locator(".map-world")).toBeVisible();
      await faultless(page, "the map");
    });
  });
}

for (const [width, height] of [[600, 400], [360, 300]]) {
  test(`embedded at ${width}x${height} it is faultless`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await open(page, "?embed&scenario=04-rolling-update");
    await page.locator(".step").click();
    await faultless(page, "embedded");
  });
}

test("presented it is faultless", async ({ page }) => {
  await open(page);
  await page.locator(".share").click();
  await page.getByRole("button", { name: "Present", exact: true }).click();
  await expect(page.locator(".presented")).toBeVisible();
  await faultless(page, "presented");
});

for (const viewport of [{ width: 390, height: 844 }, { width: 720, height: 450 }, { width: 1100, height: 700 }]) {
  test(`a message lies neither on the next commands nor on the graph at ${viewport.width}x${viewport.height}`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await open(page);
    await steady(page);
    await page.locator(".step").click();
    await expect(page.locator(".toast")).toContainText("Nothing is left to do");
    await expect(page.locator(".toast")).toBeInViewport({ ratio: 1 });
    // It rises to its place.
    await page.locator(".toast").evaluate((toast) => Promise.all(toast.getAnimations({ subtree: true }).map((a) => a.finished)));
    const [toast, next, canvas] = await Promise.all([".toast", ".next", ".canvas"].map((part) => page.locator(part).boundingBox()));
    const over = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width ? Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) : 0;
    expect(over(toast, next)).toBeLessThanOrEqual(4);
    expect(over(toast, canvas)).toBeLessThanOrEqual(canvas.height / 8);
  });
}

test("objects that no controller acts on are no fault", async ({ page }) => {
  await open(page);
  await scenario(page, /A kind of your own/);
  await steady(page);
  await expect(page.locator(".pill.met")).toBeVisible();
  await expect(page.locator(".steady.met")).toContainText("No controller here acts on its kind");
  await expect(page.locator(".steady.unmet")).toHaveCount(0);
});
