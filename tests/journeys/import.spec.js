// What kubectl prints of a cluster, as the start of a run.
import { test, expect, open } from "./page.js";

/** The scenario that an address names is set up. */
const opened = (page, title) => expect(page.locator(".scenarios .menu-button b")).toHaveText(title);

const said = (page) => page.locator(".toast .told > span");

/** What `kubectl get all -o yaml` prints of a cluster with a Deployment of four pods that is steady. */
async function printed(page) {
  await open(page, "#04-rolling-update");
  await opened(page, "Rolling update");
  await page.evaluate(() => window.steady.runToSteady());
  const out = await page.evaluate(() => window.steady.kubectl("get all -o yaml"));
  expect(out.exit).toBe(0);
  return out.stdout;
}

async function drop(page, name, text) {
  const data = await page.evaluateHandle(([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: "application/yaml" }));
    return data;
  }, [name, text]);
  await page.dispatchEvent("main", "dragover", { dataTransfer: data });
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
}

test("what kubectl get all printed is dropped on the page, stands still, and goes on", async ({ page, context }) => {
  const text = await printed(page);
  const before = await page.evaluate(async () => (await window.steady.objects("pods")).map((p) => [p.metadata.name, p.metadata.uid, p.spec.nodeName, p.status.phase]));
  const other = await context.newPage();
  await open(other, "#22-empty");
  await drop(other, "all.yaml", `${text}---\napiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r, uid: 0a1b2c3d-0000}\n`);
  await expect(said(other)).toContainText(/objects of your cluster are here/);
  await other.locator(".toast summary").click();
  await expect(other.locator(".toast pre")).toContainText("argoproj.io/v1alpha1 Rollout 1");
  await expect(other.locator(".toast pre")).toContainText("Node node-1, node-2, node-3");
  await other.screenshot({ path: "test-results/import.png" });
  const after = await other.evaluate(async () => (await window.steady.objects("pods")).map((p) => [p.metadata.name, p.metadata.uid, p.spec.nodeName, p.status.phase]));
  expect(after).toEqual(before);
  expect(await other.evaluate(() => window.steady.nextCommands())).toEqual([]);
  await expect(other.locator(".pill")).toHaveClass(/met/);
  // What would happen here if…
  expect(await other.evaluate(() => window.steady.kubectl("set image deployment/web nginx=nginx:1.29"))).toMatchObject({ exit: 0 });
  await other.evaluate(() => window.steady.runToSteady());
  expect(await other.evaluate(async () => (await window.steady.objects("pods")).every((p) => p.spec.containers[0].image === "nginx:1.29" && p.status.phase === "Running"))).toBe(true);
  // The link carries all of it, and a reload brings it back.
  const link = await other.evaluate(() => window.steady.link());
  expect(link.length).toBeLessThan(16_000);
  const digest = await other.evaluate(() => window.steady.digest());
  const third = await context.newPage();
  await third.goto(link);
  await expect.poll(() => third.evaluate(() => window.steady?.digest())).toBe(digest);
});

test("pasted into the editor it is offered as a start, and not to be applied", async ({ page }) => {
  const text = await printed(page);
  await open(page, "?lang=zh#22-empty");
  await page.locator(".editor .cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
  await expect(page.getByText("这是 kubectl 打印的集群内容，不是清单。")).toBeVisible();
  await page.screenshot({ path: "test-results/import-offer.png" });
  await page.getByRole("button", { name: "以它作为起点运行" }).click();
  await expect(said(page)).toContainText("已在这里");
  expect(await page.evaluate(async () => (await window.steady.objects("pods")).length)).toBe(4);
});

test("what cannot be a start is refused in words, and a manifest goes into the editor", async ({ page }) => {
  await open(page, "#22-empty");
  await drop(page, "broken.yaml", "kind: List\nuid: 0123456789\na: [");
  await expect(page.getByRole("alert")).toContainText("This cannot be the start of a run");
  await drop(page, "mine.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n");
  await expect(page.locator(".changes")).toContainText("mine");
});
