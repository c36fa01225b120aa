import { test, expect, open, accessible } from "./page.js";

const step = (page) => page.getByRole("button", { name: "Step", exact: true });
const scheduling = (page) => page.getByRole("tab", { name: "Scheduling" });
const table = (page) => page.locator(".plugins table");
const row = (page, plugin) => table(page).getByRole("row").filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${plugin}`) }) });

/** A pod that asks for so much CPU, by its name. */
const pod = (name, cpu, more = "") => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  ${more}
  containers: [{name: c, image: nginx, resources: {requests: {cpu: ${cpu}}}}]
---
`;

/** Chooses an object by its card. */
const choose = (page, name) => page.locator(`[data-object$="/${name}"]`).dispatchEvent("click");

/** Opens a run of so many nodes: a link is the way to it. */
async function nodes(page, count) {
  await page.evaluate((nodes) => {
    const json = JSON.stringify({ start: { scenario: "", seed: 1, nodes }, ops: [] });
    const stream = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    return new Response(stream).arrayBuffer().then((b) => {
      const text = btoa(String.fromCharCode(...new Uint8Array(b))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
      location.hash = `a${text}`;
    });
  }, count);
  await expect(page.getByRole("status").filter({ hasText: /Opened the link/ })).toBeVisible();
}

test("why a pod is where it is: from the scheduler's command to the table of the attempt", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.kubectl("cordon node-1"));
  const why = page.locator(".next").getByRole("button", { name: /What the scheduler says about web-/ });
  for (let i = 0; i < 20 && !(await why.count()); i++) {
    await step(page).click();
    await expect(page.locator(".next")).toHaveAttribute("aria-busy", "false");
  }
  await why.first().click();
  await expect(scheduling(page)).toBeFocused();
  await expect(scheduling(page)).toHaveAttribute("aria-selected", "true");
  // What it would do is what it does.
  await expect(page.locator(".inspected")).toContainText(/activeQ|once the scheduler has been notified/);
  const chosen = await table(page).locator("thead .chosen").textContent();
  const sums = await table(page).locator(".sum td").allTextContents();
  expect(Number(sums[0])).toBeGreaterThan(Number(sums[1]) - 1);
  await expect(row(page, "NodeUnschedulable")).toContainText("node(s) were unschedulable");
  await expect(page.locator(".inspected")).toContainText(/2 of 3 nodes fit/);
  await accessible(page, ".inspector");
  // Other components may come first.
  await expect(async () => {
    await step(page).click();
    await expect(page.locator(".said")).toContainText("kube-scheduler", { timeout: 1000 });
  }).toPass();
  await page.evaluate(() => window.steady.runToSteady());
  // Later the table of then is still there, and the one of now is another.
  await expect(page.locator(".inspected")).toContainText("The pod is on");
  const attempt = page.getByRole("group", { name: "Which attempt is shown" });
  await expect(attempt.getByRole("button", { pressed: true })).toHaveText(/Step \d+/);
  await expect(table(page).locator("thead .chosen")).toHaveText(chosen);
  expect(await table(page).locator(".sum td").allTextContents()).toEqual(sums);
  await attempt.getByRole("button", { name: "Now" }).click();
  await expect(page.locator(".inspected")).toContainText("if the pod had no node yet");
  await attempt.getByRole("button", { name: /Step/ }).first().click();
  await page.getByRole("button", { name: "Go to that step" }).click();
  await expect(page.locator(".said")).toContainText(/bind Pod web-/);
});

test("a pod that fits nowhere says which plugin refuses which node, and what would help", async ({ page }) => {
  await open(page);
  await page.evaluate((text) => window.steady.apply(text), pod("big", 100) + pod("gated", 1, "schedulingGates: [{name: example.com/wait}]"));
  await page.evaluate(() => window.steady.runToSteady());
  await choose(page, "big");
  await scheduling(page).click();
  await expect(page.locator(".inspected")).toContainText("unschedulablePods");
  await expect(page.locator(".inspected")).toContainText("0/3 nodes are available: 3 Insufficient cpu.");
  // Three equal nodes are one column, and the names are there.
  await expect(table(page).getByRole("columnheader")).toHaveText([/node-1 \+2/]);
  await expect(row(page, "NodeResourcesFit").getByRole("cell")).toHaveText("Insufficient cpu");
  await page.getByText("Equal nodes share a column").click();
  await expect(page.locator(".alike")).toContainText("node-1, node-2, node-3");
  const fold = page.getByRole("button", { name: /\d+ filters let all of these nodes in/ });
  await expect(fold).toHaveAttribute("aria-expanded", "false");
  await fold.press("Enter");
  await expect(row(page, "NodeDeclaredFeatures").getByRole("cell")).toContainText("not asked");
  const help = page.locator(".refused-by div").filter({ hasText: "NodeResourcesFit" });
  await expect(help).toContainText("NodeAdd");
  await accessible(page, ".inspector");
  await choose(page, "gated");
  await expect(scheduling(page)).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".inspected")).toContainText("example.com/wait");
  // The queues are on the map, too.
  await page.keyboard.press("v");
  await page.getByRole("button", { name: /^kube-scheduler: / }).click();
  const queues = page.getByRole("article", { name: "Scheduling queue" });
  await expect(queues).toContainText(/unschedulablePods\s*2/);
  await expect(queues).toContainText("default/big");
  await expect(queues).toContainText("refused by NodeResourcesFit");
  await expect(queues).toContainText("kept out by SchedulingGates");
  await accessible(page, ".map");
});

test("sixty nodes fold, and what is hidden is counted", async ({ page }) => {
  await open(page);
  await nodes(page, 60);
  // Ever fewer free CPUs, so that nodes differ.
  const fill = Array.from({ length: 12 }, (_, i) => pod(`fill-${i}`, `${(i + 1) * 100}m`, `nodeName: node-${i + 1}`)).join("");
  await page.evaluate((text) => window.steady.apply(text), fill);
  await page.evaluate(() => window.steady.runToSteady());
  await page.evaluate((text) => window.steady.apply(text), pod("one", "200m"));
  await page.evaluate(() => window.steady.runToSteady());
  await page.evaluate(() => document.querySelector('[data-object$="/one"]')?.dispatchEvent(new MouseEvent("click", { bubbles: true })));
  await scheduling(page).click();
  await expect(page.locator(".inspected")).toContainText(/60 of 60 nodes fit/);
  await expect(table(page).getByRole("columnheader")).toHaveCount(6);
  const more = page.getByRole("button", { name: /Show more of \d+ hidden columns/ });
  await more.click();
  expect(await table(page).getByRole("columnheader").count()).toBeGreaterThan(6);
  await accessible(page, ".inspector");
});

test("the editor's text follows what was tried, and keeps what a person wrote", async ({ page }) => {
  await open(page);
  const text = page.locator(".cm-content");
  const changes = page.locator(".changes");
  await expect(changes).toContainText("nothing");
  await page.getByRole("button", { name: "Use nginx 1.28" }).first().click();
  await expect(text).toContainText("nginx:1.28");
  await expect(changes).toContainText("Apply would change nothing");
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=5"));
  await expect(changes).toContainText("Apply would put back");
  await expect(changes).toContainText("replicas");
  await expect(text).toContainText("replicas: 3");
  await accessible(page, ".left");
  await changes.getByRole("button", { name: "Update the text" }).click();
  await expect(text).toContainText("replicas: 5");
  await expect(text).toContainText("nginx:1.28");
  await expect(changes).toContainText("Apply would change nothing");
});

for (const [name, use] of Object.entries({
  "in the dark, in Chinese": { colorScheme: "dark", locale: "zh-CN" },
  "on a phone": { viewport: { width: 390, height: 844 }, hasTouch: true },
  "on a phone on its side": { viewport: { width: 720, height: 450 }, hasTouch: true },
})) {
  test.describe(name, () => {
    test.use(use);
    test("the table holds up", async ({ page }, info) => {
      await open(page);
      await page.evaluate((text) => window.steady.apply(text), pod("big", 100));
      await page.evaluate(() => window.steady.kubectl("cordon node-1"));
      await page.evaluate(() => window.steady.runToSteady());
      const narrow = page.viewportSize().width <= 900;
      for (const one of ["big", "web-"]) {
        if (narrow) await page.locator(".panes button").first().click();
        await page.locator(`[data-object^="Pod default/${one}"]`).first().dispatchEvent("click");
        if (narrow) await page.locator(".panes button").nth(2).click();
        await page.locator("#tab-scheduling").click();
        await expect(table(page)).toBeVisible();
        // The plugins' names stay beside what is scrolled.
        const region = page.locator(".plugins");
        await region.evaluate((el) => { el.scrollLeft = 400; });
        const [left, edge] = await region.evaluate((el) => [el.querySelector("th[scope=row]").getBoundingClientRect().left, el.getBoundingClientRect().left]);
        expect(Math.abs(left - edge)).toBeLessThan(2);
        const over = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
        expect(over).toEqual([0, 0]);
        await accessible(page);
        await page.screenshot({ path: info.outputPath(`${one}.png`) });
      }
      if (narrow) {
        // What can be tried is in sight, however long the story is.
        await page.locator(".panes button").first().click();
        await expect(page.locator(".brief .tries button").first()).toBeInViewport();
      }
    });
  });
}
