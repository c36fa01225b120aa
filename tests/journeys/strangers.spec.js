// What strangers stumbled over when the page was nearly whole: ways in and out of fields, and what is said where.
import { accessible, expect, open, test } from "./page.js";

const steady = (page) => page.evaluate(() => window.steady.runToSteady());
const scenario = async (page, name) => {
  await page.locator(".scenarios .menu-button").click();
  await page.getByRole("option", { name }).click();
  await expect(page.locator(".scenarios .menu-button")).toHaveAttribute("aria-label", name);
};
/** Opens a scenario by its address, once its set-up is done. */
const at = async (page, id, name) => {
  await open(page, `#${id}`);
  await expect(page.locator(".scenarios .menu-button")).toHaveAttribute("aria-label", name);
};
const overlap = async (one, other) => {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
};

test("a field in which Tab writes says how the keyboard leaves it", async ({ page }) => {
  await open(page);
  const text = page.getByRole("textbox", { name: "Manifest" });
  const hint = page.getByText("leaves the editor");
  await expect(text).toBeVisible();
  await expect(hint).toBeHidden();
  await text.focus();
  await expect(hint).toBeVisible();
  await expect(text).toHaveAttribute("aria-description", /Escape, then Tab/);
  await accessible(page, ".left");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(text).not.toBeFocused();
  await expect(hint).toBeHidden();
  await page.locator("#tab-kubectl").click();
  const line = page.getByRole("combobox", { name: "kubectl" });
  const below = page.getByText("leaves the line");
  await expect(line).toBeFocused();
  // An empty line is left with Tab alone.
  await expect(below).toBeHidden();
  await page.keyboard.type("get po");
  await expect(below).toBeVisible();
  await accessible(page, ".left");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(line).not.toBeFocused();
});

test("in forced colours the focus is seen in menus and in the terminal's line", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await open(page);
  const outline = (selector) => page.locator(selector).evaluate((el) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(el);
    return outlineStyle === "none" ? 0 : parseFloat(outlineWidth);
  });
  await page.locator(".faults .menu-button").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitemradio").first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  expect(await outline(".menu-list button:focus")).toBeGreaterThan(1);
  await page.keyboard.press("Escape");
  await page.locator(".scenarios .menu-button").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Find a scenario" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  expect(await outline(".gallery-list [aria-selected=true]")).toBeGreaterThan(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("k");
  await expect(page.getByRole("combobox", { name: "kubectl" })).toBeFocused();
  expect(await outline("div.line")).toBeGreaterThan(1);
});

test("the terminal says where another run begins", async ({ page }) => {
  await open(page);
  await page.locator("#tab-kubectl").click();
  await page.keyboard.type("get deployments");
  await page.keyboard.press("Enter");
  await expect(page.locator(".terminal .log")).toContainText("web");
  await scenario(page, /Self-healing/);
  const marks = page.locator(".terminal .new-run");
  await expect(marks).toHaveText("Another run begins here. What stands above is of the run before.");
  await scenario(page, /Scaling/);
  await expect(marks).toHaveCount(1);
  await page.locator("#kubectl-line").fill("get deployments");
  await page.locator("#kubectl-line").press("Enter");
  await expect(page.locator(".terminal .entry")).toHaveCount(3);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });
  test("Apply says that it was done and leads to what comes next; its message lies on no button", async ({ page }) => {
    await open(page);
    await steady(page);
    await page.getByRole("button", { name: "Edit" }).click();
    await expect(page.locator(".changes")).toContainText("Apply would change nothing");
    await page.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Backspace");
    await page.keyboard.insertText("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    await expect(page.locator(".changes")).toContainText("ConfigMap a");
    await page.locator(".apply .solid").click();
    await expect(page.locator(".changes")).toContainText("The cluster has what stands here");
    // Once more: kubectl says that nothing has changed.
    await page.locator(".apply .solid").click();
    const toast = page.locator(".toast");
    await expect(toast).toContainText("unchanged");
    for (const button of [".apply .solid", ".controls .step"]) {
      expect(await overlap(toast, page.locator(button)), button).toBe(false);
    }
    await page.getByRole("button", { name: "What comes next" }).click();
    await expect(page.locator("section.graph")).toBeVisible();
    await expect(page.locator(".next")).toBeVisible();
  });
});

test("inside a step it says whose step it is", async ({ page }) => {
  await open(page);
  await page.locator(".step").click();
  const into = page.getByRole("button", { name: "Step into" });
  await expect(into).toHaveAttribute("title", /step of deployment-controller/);
  await into.click();
  await expect(page.locator(".inside-of")).toHaveText("Inside a step of deployment-controller");
  await page.keyboard.press("Escape");
  await expect(page.locator(".inside-of")).toHaveCount(0);
});

test("a node that is cut off is marked while its object still says Ready", async ({ page }) => {
  await open(page);
  await steady(page);
  const node = page.getByRole("button", { name: /^Node node-2/ });
  await expect(node).not.toHaveAccessibleName(/cut off/);
  await node.click();
  await page.locator(".inspector .actions").getByRole("button", { name: "Cut it off" }).click();
  await expect(node).toHaveAccessibleName(/Ready.*, cut off/);
  await expect(node).toContainText("cut off");
  await page.getByRole("button", { name: "Step back" }).click();
  await expect(node).not.toHaveAccessibleName(/cut off/);
});

test("a claim that is being deleted says so on its card", async ({ page }) => {
  await at(page, "22-empty", /An empty cluster/);
  await page.evaluate(() => window.steady.apply(`apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: user}
spec:
  containers: [{name: c, image: busybox, command: [sleep, infinity], volumeMounts: [{name: d, mountPath: /d}]}]
  volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]
`));
  await steady(page);
  const claim = page.locator(".card").filter({ hasText: "PersistentVolumeClaim" });
  await expect(claim).toContainText("Bound");
  const out = await page.evaluate(() => window.steady.kubectl("delete pvc data --wait=false"));
  expect(out.exit).toBe(0);
  await expect(claim).toContainText("Terminating");
});

for (const viewport of [{ width: 720, height: 450 }, { width: 390, height: 844 }]) {
  test(`at ${viewport.width}x${viewport.height} the graph's buttons lie on nothing, and what is looked for is in sight`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await open(page);
    await steady(page);
    expect(await overlap(page.locator(".graph .zoom"), page.locator(".view-switch"))).toBe(false);
    // Somebody has moved the graph away.
    const canvas = await page.locator(".canvas").boundingBox();
    await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
    await page.keyboard.down("Control");
    for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -120);
    await page.keyboard.up("Control");
    await page.mouse.wheel(0, 600);
    await page.keyboard.press("f");
    await page.getByRole("textbox", { name: /Name, kind/ }).fill("node-3");
    const found = page.getByRole("button", { name: /^Node node-3/ });
    await expect(found).toBeInViewport({ ratio: 0.9 });
    const [pane, card] = [await page.locator(".canvas").boundingBox(), await found.locator(".box").boundingBox()];
    expect(card.y + card.height).toBeLessThanOrEqual(pane.y + pane.height);
  });
}

test("after the last command that was picked by a key the focus is seen", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.runToSteady());
  await page.getByRole("button", { name: "Step back" }).click();
  const command = page.locator(".next li button").first();
  await command.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".steady.met")).toBeVisible();
  const seen = await page.evaluate(() => {
    const el = document.activeElement;
    return el.closest(".next") !== null && getComputedStyle(el).outlineStyle !== "none";
  });
  expect(seen).toBe(true);
});

test("the menu of faults says of each process what is so of it", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Break something" }).click();
  const line = (what) => page.getByRole("menuitemradio", { name: new RegExp(`^Stop .*${what}`) });
  await expect(line("kube-scheduler")).toContainText("its lease runs out");
  await expect(line("kube-apiserver")).toContainText("Nobody listens at its port");
  await expect(line("kube-apiserver")).not.toContainText("lease");
});

test("what led to what: a replacement follows from the deletion, and reasons that differ are not told as one", async ({ page }) => {
  await at(page, "02-self-healing", /Self-healing/);
  await steady(page);
  await page.getByRole("button", { name: "What led to what" }).click();
  const tree = page.getByRole("dialog", { name: "What led to what" });
  await expect(tree).toContainText("you DELETE Pod");
  await expect(tree).toContainText("replicaset-controller CREATE Pod");
  await expect(tree).toContainText("kube-scheduler BIND Pod");
  await page.keyboard.press("Escape");
  await scenario(page, /First Deployment/);
  await steady(page);
  await page.getByRole("button", { name: "What led to what" }).click();
  await expect(tree.getByRole("button").filter({ hasText: "BIND 3× Pod" })).toContainText(/web-\S+ because/);
});

test("a crash loop is told as a back-off and not as a failed start", async ({ page }) => {
  await at(page, "11-crash-loop", /Crash/);
  await steady(page);
  const said = page.locator(".said [role=status]");
  await expect(said).toContainText("has ended, and the kubelet waits before it restarts it (CrashLoopBackOff)");
});

test("a script learns that a command waits", async ({ page }) => {
  await open(page);
  const run = (line) => page.evaluate((line) => window.steady.kubectl(line), line);
  expect((await run("wait deployment web --for=condition=Available")).exit).toBe(null);
  expect((await run("get pods")).exit).toBe(0);
});

test("an embedded rolling update shows both ReplicaSets", async ({ page }) => {
  await page.setViewportSize({ width: 600, height: 400 });
  await page.goto("?embed#04-rolling-update");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Rolling update");
  for (const wait of [3, 100]) {
    for (let i = 0; i < wait && await page.evaluate(() => window.steady.step()); i++);
    const sets = page.locator(".graph .card").filter({ hasText: /ReplicaSet · revision/ });
    await expect(sets).toHaveCount(2);
    const pane = await page.locator(".canvas").boundingBox();
    for (const set of await sets.all()) {
      const card = await set.locator(".box").boundingBox();
      expect(card.y + card.height).toBeLessThanOrEqual(pane.y + pane.height);
    }
  }
});
