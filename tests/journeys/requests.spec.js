import { test, expect, open, accessible } from "./page.js";

const panel = (page) => page.getByRole("region", { name: "Does a rollout drop requests?" });
const at = (page) => page.getByRole("slider", { name: "Timeline" });
const line = (page) => page.getByRole("group", { name: "Requests of the run’s clients" });

test("one press says how many requests a rollout drops, how the first one was lost, and what mends it", async ({ page }) => {
  test.slow();
  await open(page, "?scenario=42-lossy-rollout");
  await expect(line(page)).toContainText("0 lost");
  await page.keyboard.press("q");
  await expect(panel(page).getByRole("heading", { name: "Does a rollout drop requests?" })).toBeFocused();
  await accessible(page, ".rehearse");
  await expect(panel(page).getByRole("combobox", { name: "Workload" })).toContainText("Deployment default/web");
  await expect(panel(page).getByRole("combobox", { name: "Service and port" })).toContainText("web:80");
  await panel(page).getByRole("button", { name: "Try it" }).click();
  await expect(panel(page).locator(".board-verdict")).toHaveText(/^\d+ of [\d,]+ requests were lost\.$/, { timeout: 180_000 });
  await expect(panel(page).locator(".rehearse-story .lost")).toContainText("the pod had got SIGTERM and closed its port");
  await expect(panel(page).locator(".rehearse-story .lost")).toContainText("were behind");
  await expect(panel(page).locator(".rehearse-mends li.ok")).not.toHaveCount(0);
  await expect(panel(page).locator(".rehearse-mends li.ok").first()).toContainText("preStop hook");
  await expect(panel(page).getByRole("img", { name: /requests lost, over the time of the rollout/ })).toBeVisible();
  await accessible(page, ".rehearse");

  // The moment at which the first one was lost is a branch of the run, and the line under the timeline counts on.
  const before = Number(await at(page).getAttribute("aria-valuenow"));
  await panel(page).getByRole("button", { name: "Open that moment in the timeline" }).click();
  await expect(panel(page)).toHaveCount(0);
  await expect.poll(async () => Number(await at(page).getAttribute("aria-valuenow")), { timeout: 60_000 }).toBeGreaterThan(before);
  await page.keyboard.press("Shift+ArrowRight");
  await expect(line(page)).toContainText(/[1-9]\d* lost/, { timeout: 60_000 });
  await accessible(page, ".bottom");
});

test("from what was found every order is a press away, with the invariant about requests alone", async ({ page }) => {
  test.slow();
  await open(page, "?scenario=42-lossy-rollout");
  await page.keyboard.press("q");
  await panel(page).getByRole("combobox", { name: "What replaces its pods" }).selectOption({ label: "kubectl scale to half of the replicas" });
  await panel(page).getByRole("button", { name: "Try it" }).click();
  await expect(panel(page).locator(".board-verdict")).toBeVisible({ timeout: 180_000 });
  await expect(panel(page)).toContainText("kubectl scale led from");
  await panel(page).getByRole("button", { name: "Check every order from there" }).click();
  await expect(panel(page)).toHaveCount(0);
  const orders = page.locator(".board.explore");
  await expect(orders.getByRole("checkbox", { name: /No request of the run/ })).toBeChecked();
  await expect(orders.getByRole("checkbox", { name: /maxSurge/ })).not.toBeChecked();
  await accessible(page, ".explore");
});

test("a bar of the chart leads to a request of its seconds, and the inspector tells it", async ({ page }) => {
  test.slow();
  await open(page, "?scenario=42-lossy-rollout");
  await expect(line(page)).toContainText("0 lost");
  // No time has passed yet. A rollout takes some seconds.
  await page.evaluate(async () => { await window.steady.kubectl("rollout restart deployment/web"); await window.steady.runToSteady(); });
  await expect(line(page)).toContainText(/[1-9]\d* lost/);
  const chart = line(page).getByRole("slider", { name: "Requests over time" });
  // What is the same is said once, and why requests were lost is seen without a pointer.
  await expect(line(page)).toContainText("every answer took 0 ms");
  const why = line(page).getByRole("group", { name: "Why requests were lost" });
  await expect(why).toBeVisible();
  await expect(why).toContainText(/^\d+ × Connection refused: the pod had got SIGTERM and closed its port\./);
  await expect(why).toContainText(/of these (was|were) led there by rules of/);
  await expect(line(page).locator(".request-legend")).toContainText("answered");
  await chart.focus();
  await page.keyboard.press("Home");
  await expect(chart).toHaveAttribute("aria-valuenow", "0");
  await expect(chart).toHaveAttribute("aria-valuetext", /^0–\d+ s \(from [\d:]+\) · \d+ requests? sent, 0 lost/);
  await expect(why).toHaveText("");
  for (let i = 0; i < 130 && !/[1-9]\d* lost/.test(await chart.getAttribute("aria-valuetext")); i++) await page.keyboard.press("ArrowRight");
  await expect(chart).toHaveAttribute("aria-valuetext", /[1-9]\d* lost.*Connection refused/);
  await expect(why).toContainText(/^\d+–\d+ s \(from [\d:]+\): \d+ × Connection refused/);
  await page.keyboard.press("Home");
  await accessible(page, ".bottom");
  const long = await chart.getAttribute("aria-valuemax");
  await page.keyboard.press("Enter");
  const story = page.getByRole("region", { name: "What happened to the request" });
  await expect(story).toContainText(/^Request \d+ of /, { timeout: 60_000 });
  await expect(story.getByRole("listitem").last()).toContainText("It is answered with 200.");
  await expect(page.getByRole("tab", { name: "Network" })).toHaveAttribute("aria-selected", "true");
  await accessible(page, ".inspector");
  // The run was gone back in: the chart still shows all of it, what comes later in pale, and both sums are said.
  await expect(line(page)).toContainText(/^Until here: .* 0 lost.*whole run: .*[1-9]\d* lost/);
  await expect(chart).toHaveAttribute("aria-valuemax", long);
  await expect(chart.locator("rect.later")).not.toHaveCount(0);
  await line(page).getByRole("button", { name: "The first that was lost" }).click();
  await expect(story.getByRole("listitem").last()).toContainText("It is lost");
});

test("a bar of seconds in which nobody asked says so", async ({ page }) => {
  await open(page, "?scenario=42-lossy-rollout");
  await expect(line(page)).toContainText("0 lost");
  await page.evaluate(async () => {
    await window.steady.kubectl("annotate pod -l app=client --overwrite 'sim.steady/requests=20/m http://web/'");
    await window.steady.kubectl("rollout restart deployment/web");
    await window.steady.runToSteady();
  });
  const chart = line(page).getByRole("slider", { name: "Requests over time" });
  await chart.focus();
  await page.keyboard.press("Home");
  const none = /· 0 requests sent/;
  for (let i = 0; i < 20 && !none.test(await chart.getAttribute("aria-valuetext")); i++) await page.keyboard.press("ArrowRight");
  await expect(chart).toHaveAttribute("aria-valuetext", none);
  await page.keyboard.press("Enter");
  await expect(line(page).getByRole("status")).toHaveText(/no request began in this time/);
});

test("what is in the editor is rolled out, too; and who has no Service is told so", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Requests" }).click();
  await expect(panel(page).getByRole("combobox", { name: "Workload" })).toContainText("no Service leads to it");
  await panel(page).getByRole("button", { name: "Try it" }).click();
  await expect(panel(page).getByRole("alert")).toContainText("No Service leads to its pods", { timeout: 60_000 });
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Requests" })).toBeFocused();
  await expect(line(page)).toHaveCount(0);
});

for (const [name, viewport, options] of [
  ["on a phone", { width: 390, height: 844 }, {}],
  ["on a small laptop, in the dark and in Chinese", { width: 720, height: 450 }, { colorScheme: "dark", locale: "zh-CN" }],
]) {
  test.describe(name, () => {
    test.use({ viewport, ...options });
    test("the panel fits", async ({ page }) => {
      await open(page, "?scenario=42-lossy-rollout");
      // A phone's bar has no room for the button: there the menu of a workload leads to the panel, as the key does.
      await page.keyboard.press("q");
      await expect(page.locator(".rehearse")).toBeVisible();
      await accessible(page, ".rehearse");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(wide).toBe(false);
    });
  });
}

test("on a phone what comes next reaches down to the controls, although the requests stand in another pane", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "?scenario=42-lossy-rollout");
  const box = (selector) => page.locator(selector).boundingBox();
  await expect(page.locator(".traffic")).toBeAttached();
  await expect(page.locator(".traffic")).toBeHidden();
  await expect.poll(async () => {
    const [next, controls] = [await box(".next"), await box(".controls")];
    return Math.round(controls.y - (next.y + next.height));
  }).toBeLessThanOrEqual(1);
});
