import { test, expect, open, accessible, opened } from "./page.js";

const said = (page) => page.locator(".said [role=status]");
const lines = (page) => page.locator(".next li");
const settled = (page) => expect(page.locator(".next")).toHaveAttribute("aria-busy", "false");
const digest = (page) => page.evaluate(() => window.steady.digest());
const attempt = (page, name) => page.locator(".story, .left").getByRole("button", { name, exact: true }).click();

/** Opens a scenario by its title and waits until its set-up is done. */
async function scenario(page, title) {
  await open(page);
  await page.locator(".scenarios .menu-button").click();
  await page.getByRole("option", { name: typeof title === "string" ? new RegExp(`^\\d+\\. ${title}`) : title }).click();
  await expect(page.locator(".scenarios .menu-button")).toContainText(title);
  await settled(page);
}

test("a policy is chosen by the keyboard, and the link holds it and the run", async ({ page }) => {
  await open(page);
  await page.keyboard.press("p");
  const menu = page.getByRole("menu", { name: /^Who goes next/ });
  await expect(menu.getByRole("menuitemradio", { name: /^in turn/ })).toBeFocused();
  await accessible(page, ".policy");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.locator(".policy")).toContainText("by chance, seed 1");
  expect(await page.evaluate(() => window.steady.policy())).toBe("random:1");
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
  // Another one on the way.
  await page.getByRole("button", { name: /^Who goes next/ }).click();
  await page.getByRole("menuitemradio", { name: /^replicaset-controller last/ }).click();
  await expect(page.locator(".policy")).toContainText("replicaset-controller last");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".steady.met")).toBeVisible();
  const [link, there] = [await page.evaluate(() => window.steady.link()), await digest(page)];
  expect(new URL(link).hash[1]).toBe("b");
  await page.goto("about:blank");
  await page.goto(link);
  await opened(page);
  await expect(page.getByText("Opened the link")).toBeVisible();
  expect(await digest(page)).toBe(there);
  await expect(page.locator(".policy")).toContainText("replicaset-controller last");
  expect(await page.evaluate(() => Promise.all([window.steady.setPolicy("luck"), window.steady.setPolicy("fair")]))).toEqual([false, true]);
  await expect(page.locator(".policy")).not.toContainText("last");
});

test("at the machinery depth any action that may happen can be the next", async ({ page }) => {
  await open(page);
  for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("m");
  await settled(page);
  const enabled = await page.evaluate(async () => (await window.steady.enabled()).length);
  expect(enabled).toBeGreaterThan(1);
  await expect(lines(page)).toHaveCount(enabled);
  const last = lines(page).last();
  const text = await last.locator(".what").textContent();
  await last.getByRole("button").click();
  await expect(said(page)).not.toBeEmpty();
  // The other depths offer every component that has a command.
  await page.keyboard.press("r");
  await settled(page);
  const next = await page.evaluate(async () => (await window.steady.nextCommands()).length);
  await expect(lines(page)).toHaveCount(next);
  expect(text).not.toBe("");
});

test("a conflict from a stale cache, and the retry", async ({ page }) => {
  await scenario(page, "A conflict, and the retry");
  const first = lines(page).filter({ hasText: "deployment-controller" });
  await expect(first).toContainText("will be refused: 409");
  await attempt(page, "The controller's next request");
  await page.getByRole("tab", { name: "Request" }).click();
  await expect(page.locator(".exchange")).toContainText("409");
  await expect(page.locator(".exchange")).toContainText("the object has been modified");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".steady.met")).toContainText("5 pods");
  await expect(page.locator(".reading.yes")).toHaveCount(2);
});

test("an etcd member is lost, then another: nothing is written, and pods keep running", async ({ page }) => {
  await scenario(page, "Three etcd members, one lost");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".steady.met")).toContainText("5 pods");
  await attempt(page, "Lose a second one");
  await expect(said(page)).toHaveText("You cut etcd member etcd-2 off.");
  const out = await page.evaluate(() => window.steady.kubectl("scale deployment/web --replicas=2"));
  expect(out.stderr).toBe("Error from server: etcdserver: request timed out\n");
  expect(await page.evaluate(async () => (await window.steady.objects("pods")).filter((p) => p.status.phase === "Running").length)).toBe(5);
  await page.locator(".faults .menu-button").click();
  await accessible(page, ".faults");
  await page.getByRole("menuitemradio", { name: "Bring etcd member etcd-2 back" }).click();
  await attempt(page, "Scale to 2");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".steady.met")).toContainText("2 pods");
});

test("a second controller-manager takes over, and both readings are told", async ({ page }) => {
  await scenario(page, "Two controller-managers, one lease");
  // Nobody acts on what was declared.
  await expect(page.locator(".reading.no")).toHaveCount(2);
  await expect(lines(page).first()).toContainText("leaderelection-2");
  await page.keyboard.press("ArrowRight");
  await expect(said(page)).toContainText("leaderelection-2: update Lease kube-controller-manager, because control-plane-1_");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".steady.met")).toContainText("5 pods");
  await page.locator(".faults .menu-button").click();
  await page.getByRole("menuitemradio", { name: "Start kube-controller-manager With" }).click();
  await expect(said(page)).toHaveText("You started kube-controller-manager.");
});

test("steadiness and what was declared part ways", async ({ page }) => {
  await scenario(page, "No room");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".steady.unmet")).toContainText("Read as intent for ReplicaSets it matches");
  await expect(page.locator(".reading.yes")).toHaveCount(1);
  await expect(page.locator(".reading.no")).toContainText("Pods");
  await accessible(page, ".bottom");
});
