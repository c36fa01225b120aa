import { test, expect, open, accessible } from "./page.js";

const said = (page) => page.locator(".said [role=status]");
const POD = `apiVersion: v1
kind: Pod
metadata: {name: probed}
spec:
  containers:
  - name: c
    image: team/app:1
    readinessProbe: {httpGet: {port: 80}}
    livenessProbe: {httpGet: {port: 80}}
  - {name: side, image: team/helper:1}
`;

/** Everything runs, and a pod is selected. */
async function running(page, name) {
  await open(page);
  await page.evaluate((pod) => { window.steady.apply(pod); return window.steady.runToSteady(); }, POD);
  await page.getByRole("button", { name }).first().click();
  await expect(page.locator(".who .kind")).toContainText("Pod");
}

test("a pod is deleted, and evicted through its subresource", async ({ page }) => {
  await running(page, /^Pod web-/);
  const name = await page.locator(".who h2").textContent();
  await page.getByRole("button", { name: "Evict" }).click();
  await expect(said(page)).toContainText(`evict Pod ${name}/eviction`);
  await page.getByRole("tab", { name: "Request" }).click();
  await expect(page.locator(".exchange .method")).toContainText(/POST.*\/eviction/);
  await expect(page.locator(".exchange")).toContainText("Eviction");
  await accessible(page, ".inspector");
  await page.getByRole("button", { name: /^Pod web-.*Running/ }).first().click();
  await expect(page.locator(".who h2")).not.toHaveText(name);
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(said(page)).toContainText("deleted");
});

test("an eviction that a budget refuses is told", async ({ page }) => {
  await running(page, /^Pod probed/);
  const out = await page.evaluate(() => window.steady.apply(
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all}\nspec: {minAvailable: 100%, selector: {}}\n"));
  expect(out.exit).toBe(0);
  await page.getByRole("button", { name: "Evict" }).click();
  await expect(page.getByRole("alert")).toContainText("disruption budget");
});

test("a container crashes with the exit code that was asked for", async ({ page }) => {
  await running(page, /^Pod probed/);
  await page.getByRole("combobox", { name: "Which container" }).selectOption("side");
  await page.getByRole("spinbutton", { name: "with exit code" }).fill("137");
  await page.getByRole("button", { name: "Crash" }).click();
  await expect(said(page)).toContainText("You let container side of probed end with exit code 137.");
  await page.evaluate(() => window.steady.runToSteady());
  const status = await page.evaluate(async () => (await window.steady.objects("pods")).find((p) => p.metadata.name === "probed").status);
  expect(status.containerStatuses.find((c) => c.name === "side").lastState.terminated.exitCode).toBe(137);
});

test("a probe fails and passes again, an image is gone and comes back", async ({ page }) => {
  await running(page, /^Pod probed/);
  const menu = page.getByRole("button", { name: "Break it" });
  const choose = async (name) => { await menu.click(); await page.getByRole("menuitemradio", { name }).click(); };
  await choose("Let the Readiness probe of c fail");
  await expect(said(page)).toContainText("You let the Readiness probe of probed fail.");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.getByRole("button", { name: /^Pod probed, Running, 1 of 2 containers ready/ })).toBeVisible();
  await choose("Let the Readiness probe of c pass again");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.getByRole("button", { name: /^Pod probed, Running, 2 of 2 containers ready/ })).toBeVisible();
  await choose("Take image team/app:1 out of the registry");
  await expect(said(page)).toContainText("You took the image team/app:1 out of the registry.");
  await menu.click();
  await expect(page.getByRole("menuitemradio", { name: "Put image team/app:1 back" })).toBeVisible();
  await accessible(page);
});

test("a node is cut off and comes back, its kubelet restarts and loses its watches", async ({ page }) => {
  await running(page, /^Pod probed/);
  await page.getByRole("button", { name: /^Node node-2/ }).click();
  for (const [button, text] of [
    ["Restart the kubelet", "You restarted kubelet node-2."], ["Cut its watches", "You cut the watches of kubelet node-2."],
    ["Cut it off", "You cut node-2 off."], ["Bring it back", "You brought node-2 back."],
  ]) {
    await page.getByRole("button", { name: button }).click();
    await expect(said(page)).toHaveText(text);
  }
});

test("a controller restarts, and loses its watches", async ({ page }) => {
  await open(page);
  for (const what of ["Restart kube-controller-manager", "Cut the watches of kube-controller-manager"]) {
    await page.getByRole("button", { name: "Break something" }).click();
    await page.getByRole("menuitemradio", { name: what }).click();
    await expect(said(page)).toContainText("kube-controller-manager");
  }
  await page.evaluate(() => window.steady.runToSteady());
  await expect(page.locator(".steady.met")).toBeVisible();
});
