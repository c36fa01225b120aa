import { test, expect, open, accessible, opened } from "./page.js";

const step = (page) => page.getByRole("button", { name: "Step", exact: true });
const said = (page) => page.locator(".said [role=status]");
const at = (page) => page.getByRole("slider", { name: "Timeline" });
const machinery = (page) => page.getByRole("group", { name: "What the middle shows" }).getByRole("button", { name: "Components" });

/** Steps until what happened matches, and not more often than `most`. */
async function stepUntil(page, words, most = 80) {
  for (let i = 0; i < most; i++) {
    const before = await at(page).getAttribute("aria-valuenow");
    await step(page).click();
    await expect(at(page)).not.toHaveAttribute("aria-valuenow", before);
    if (words.test(await said(page).textContent())) return;
  }
  throw new Error(`no step says ${words}`);
}

/** The places that the last step went through, in the order of the page. */
const lit = (page) => page.locator("[data-stop].lit").evaluateAll((all) => all.map((el) => el.dataset.stop.replace(/-\d+$/, "")));
const end = (page) => page.locator("[data-stop].end").evaluateAll((all) => all.map((el) => el.dataset.stop.replace(/-\d+$/, "")));

test("a watch event goes from etcd to the queue, and a request comes back to etcd", async ({ page }) => {
  await open(page);
  await machinery(page).click();
  await expect(page.locator(".map")).toBeVisible();
  await page.getByRole("radiogroup", { name: "How deep a step goes" }).getByRole("radio", { name: "Machinery" }).click();
  await stepUntil(page, /A watch event about Deployment default\/web/);
  expect((await lit(page)).sort()).toEqual(["etcd", "fifo", "reflector", "server"]);
  expect(await end(page)).toEqual(["fifo"]);
  await expect(page.locator(".machine h3")).toHaveText("deployment");
  await expect(page.locator(".lane").filter({ hasText: "Deployment" }).first()).toContainText("1 delta");
  // What the cache believes is marked until the delta is in it.
  await expect(page.locator(".is-stale").first()).toContainText("1 stale");
  await stepUntil(page, /Deployment default\/web was taken into the cache/);
  expect((await lit(page)).sort()).toEqual(["fifo", "handlers", "indexer"]);
  await expect(page.locator(".lane").filter({ hasText: "Deployment" }).first()).toContainText("OnAdd");
  await stepUntil(page, /The handler heard of Deployment default\/web/);
  expect(await end(page)).toEqual(["queue"]);
  await expect(page.locator(".queue")).toContainText("default/web");
  await stepUntil(page, /The worker took default\/web/);
  expect((await lit(page)).sort()).toEqual(["queue", "worker"]);
  await expect(page.locator(".worker")).toContainText("POST");
  await expect(page.locator(".queue")).toContainText("worked on");
  await stepUntil(page, /POST .*replicasets → 201/);
  expect((await lit(page)).sort()).toEqual(["etcd", "server", "worker"]);
  expect(await end(page)).toEqual(["etcd"]);
  await expect(page.locator(".etcd .log-line").first()).toContainText("ReplicaSet");
  await accessible(page);
});

test("something moves along the wires, but not for who wants no motion", async ({ page, browser, baseURL }) => {
  await open(page);
  await page.keyboard.press("v");
  await step(page).click();
  // The map comes with a part of the page that is fetched when it is opened.
  const moves = (p) => p.evaluate(() => document.querySelector(".token")?.getAnimations().length ?? 0);
  await expect.poll(() => moves(page)).toBeGreaterThan(0);
  expect(await page.locator(".map-wires .hot").getAttribute("d")).toMatch(/^M/);
  const calm = await browser.newContext({ reducedMotion: "reduce", baseURL });
  const other = await calm.newPage();
  await open(other);
  await other.keyboard.press("v");
  await step(other).click();
  await expect(other.locator("[data-stop].end")).toHaveCount(1);
  expect(await moves(other)).toBe(0);
  await calm.close();
});

test("each stage says what it did with the last request", async ({ page }) => {
  await open(page);
  await page.keyboard.press("v");
  await stepUntil(page, /replicaset-controller: create Pod/, 10);
  const stage = (name) => page.locator(".stages").getByRole("button", { name });
  await stage(/^default: changed/).click();
  await expect(page.locator(".stage-detail")).toContainText("spec.enableServiceLinks");
  await stage(/^ServiceAccount: changed/).click();
  await expect(page.locator(".stage-detail")).toContainText("kube-api-access-");
  await stage(/^prepare: changed/).click();
  await expect(page.locator(".stage-detail")).toContainText("metadata.uid");
  await stage(/^validate: passed/).click();
  await expect(page.locator(".stage-detail")).toContainText("It changed nothing.");
  await stage(/^store/).click();
  await expect(page.locator(".stage-detail")).toContainText(/Pod default\/web-\S+ at revision \d+/);
  await expect(page.locator(".stage-detail")).toContainText(/kube-scheduler.*told/);
  await accessible(page);
  // Refused: the stage that did it, and those behind it that were not reached.
  await page.getByRole("button", { name: /UPDATE.*will be refused: 409/ }).first().click({ timeout: 2000 }).catch(() => {});
  if (/409|conflict/i.test(await page.locator(".server .chip").textContent())) {
    await expect(stage(/^compare: refused with 409/)).toBeVisible();
    await expect(stage(/^store: not reached/)).toBeVisible();
  }
});

test("a command is stepped into: its finest actions are a branch", async ({ page }) => {
  await open(page);
  await stepUntil(page, /replicaset-controller: create Pod/, 10);
  const place = Number(await at(page).getAttribute("aria-valuenow"));
  await page.getByRole("tab", { name: "Request" }).click();
  await page.getByText(/^Made of \d+ finest actions/).click();
  const rows = page.locator(".finest");
  await expect(rows.first()).toBeVisible();
  const n = await rows.count();
  expect(n).toBeGreaterThan(4);
  await expect(rows.filter({ hasText: /POST .*\/pods → 201/ })).toHaveCount(1);
  await accessible(page, ".inspector");
  await rows.nth(2).click();
  await expect(page.locator(".map")).toBeVisible();
  await expect(at(page)).toHaveAttribute("aria-valuenow", String(place + 2));
  await expect(at(page)).toHaveAttribute("aria-valuemax", String(place - 1 + n));
  // Going on meets the same moments.
  await page.keyboard.press("ArrowRight");
  await expect(at(page)).toHaveAttribute("aria-valuenow", String(place + 3));
  await expect(at(page)).toHaveAttribute("aria-valuemax", String(place - 1 + n));
  await page.getByRole("button", { name: "Other branches" }).click();
  await expect(page.getByRole("menuitemradio").first()).toContainText("create Pod");
});

test("by keys alone: the map, a component, a lane, a stage, into a step", async ({ page }) => {
  await open(page);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("v");
  await expect(page.locator(".map")).toBeVisible();
  await page.keyboard.press("g");
  await expect(page.locator(".map-scroll")).toBeFocused();
  const tile = page.getByRole("button", { name: /^kube-scheduler:/ });
  await tile.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".machine h3")).toHaveText("kube-scheduler");
  await expect(tile).toHaveAttribute("aria-pressed", "true");
  // Chosen stays chosen while others act.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".machine h3")).toHaveText("kube-scheduler");
  await page.getByRole("button", { name: "Follow" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Follow" })).toHaveAttribute("aria-pressed", "true");
  const stage = page.locator(".stage").last();
  await stage.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".stage-detail")).toBeFocused();
  const lane = page.locator(".lane .head").first();
  await lane.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".lane-detail")).toBeVisible();
  await page.locator(".map-scroll").focus();
  await page.keyboard.press("i");
  await expect(page.locator(".said")).not.toContainText("because");
  await page.getByRole("button", { name: "Objects" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".map")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Deployment web/ })).toBeVisible();
});

test("the map is remembered, and is in the link", async ({ page, context }) => {
  await open(page);
  await page.keyboard.press("v");
  await expect(page.locator(".map")).toBeVisible();
  const link = await page.evaluate(() => window.steady.link());
  // A reload gives up what is still being fetched, and the editor fetches this last.
  await expect.poll(() => page.evaluate(() => performance.getEntriesByType("resource").some((e) => e.name.endsWith("/schema.json"))), { timeout: 20_000 }).toBe(true);
  await page.reload();
  await opened(page);
  await expect(page.locator(".map")).toBeVisible();
  await page.keyboard.press("v");
  await expect(page.locator(".map")).toHaveCount(0);
  const other = await context.newPage();
  await other.goto(link);
  await opened(other);
  await expect(other.locator(".map")).toBeVisible();
});

test("a cache that lost its watch says so, and what differs", async ({ page }) => {
  await open(page);
  await page.keyboard.press("v");
  await page.getByRole("button", { name: "Break something" }).click();
  await page.getByRole("menuitemradio", { name: "Cut the watches of kube-scheduler" }).click();
  await page.evaluate(() => window.steady.kubectl("run lone --image=nginx"));
  await page.getByRole("button", { name: /^kube-scheduler:/ }).click();
  const lane = page.locator(".lane .head").filter({ hasText: "Pod" }).first();
  await expect(lane).toContainText("watch cut, 1 missed");
  await lane.click();
  await expect(page.locator(".lane-detail")).toContainText(/lone unknown → \d+/);
  await accessible(page, ".map");
});

test("a request as kubectl -v=9 prints it, in the inspector and in the terminal", async ({ page }) => {
  await open(page);
  await step(page).click();
  await page.getByRole("tab", { name: "Request" }).click();
  await page.getByRole("button", { name: "kubectl -v=9" }).click();
  const log = page.locator(".klog");
  await expect(log).toContainText(/"Request" curlCommand=<\s+curl -v -XPOST {2}-H "Accept: application\/json"/);
  await expect(log).toContainText('"Response" verb="POST"');
  await expect(log).toContainText('status="201 Created"');
  await accessible(page, ".inspector");
  await page.getByRole("tab", { name: "kubectl" }).click();
  const line = page.getByRole("combobox", { name: "kubectl" });
  await line.fill("get deployment web -v=6");
  await line.press("Enter");
  await expect(page.getByRole("log")).toContainText(/round_trippers\.go:\d+\] "Response" verb="GET" url="https:\/\/127\.0\.0\.1:6443\/apis\/apps\/v1\/namespaces\/default\/deployments\/web" status="200 OK"/);
});

test("a controller is switched off and on again, and the link holds it", async ({ page }) => {
  await open(page);
  await page.keyboard.press("v");
  const tile = page.getByRole("button", { name: /^replicaset-controller: / });
  // It has nothing to do yet, so it is folded with others until it is looked for.
  await expect(tile).toHaveCount(0);
  await page.getByRole("searchbox", { name: "Find a component" }).fill("replicaset");
  await tile.click();
  const toggle = page.getByRole("switch", { name: "replicaset-controller" });
  await expect(toggle).toBeChecked();
  await accessible(page, ".map");
  await toggle.press("Space");
  await expect(toggle).not.toBeChecked();
  await expect(toggle).toBeFocused();
  const list = "*,-replicaset-controller,bootstrap-signer-controller,token-cleaner-controller";
  await expect(said(page)).toHaveText(`You let kube-controller-manager run with --controllers=${list}.`);
  await expect(tile).toHaveAccessibleName(/switched off/);
  await accessible(page, ".map");
  await page.evaluate(() => window.steady.runToSteady());
  const pods = () => page.evaluate(async () => (await window.steady.objects("pods")).length);
  expect(await pods()).toBe(0);
  const link = await page.evaluate(() => window.steady.link());
  await page.goto("about:blank");
  await page.goto(link);
  await opened(page);
  await expect(page.getByText("Opened the link")).toBeVisible();
  await tile.click();
  await expect(toggle).not.toBeChecked();
  await toggle.click();
  await expect(toggle).toBeChecked();
  await page.evaluate(() => window.steady.runToSteady());
  expect(await pods()).toBe(3);
  // The scheduler is all that its process has: it is stopped, not switched.
  await page.getByRole("button", { name: /^kube-scheduler: / }).click();
  await expect(page.locator(".machine h3")).toHaveText("kube-scheduler");
  await expect(page.getByRole("switch")).toHaveCount(0);
});

test("a hundred kubelets are a grid, of which one is picked", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    // A link is the way to a larger cluster.
    const json = JSON.stringify({ start: { scenario: "", seed: 1, nodes: 120 }, ops: [] });
    const stream = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    return new Response(stream).arrayBuffer().then((b) => {
      const text = btoa(String.fromCharCode(...new Uint8Array(b))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
      location.hash = `a${text}`;
    });
  });
  await expect(page.getByRole("status").filter({ hasText: /Opened the link/ })).toBeVisible();
  await page.keyboard.press("v");
  await expect(page.locator(".cell")).toHaveCount(120);
  await page.getByRole("combobox", { name: "Kubelet of a node" }).selectOption({ label: "node-77" });
  await expect(page.locator(".machine header")).toContainText("node-77");
  await expect(page.locator(".cell.on")).toHaveCount(1);
  await page.locator(".cell").nth(4).click();
  await expect(page.locator(".machine header")).toContainText("node-5");
  await accessible(page, ".map");
});

for (const [name, use] of Object.entries({
  "in the dark": { colorScheme: "dark" },
  "in Chinese": { locale: "zh-CN" },
  "on a phone": { viewport: { width: 390, height: 844 }, hasTouch: true },
  "on a phone, in the dark, in Chinese": { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark", locale: "zh-CN" },
  "on a small laptop": { viewport: { width: 1100, height: 700 } },
})) {
  test.describe(name, () => {
    test.use(use);
    test("the map holds up", async ({ page }, info) => {
      await open(page);
      await page.locator(".view-switch button").nth(1).click();
      for (let i = 0; i < 6; i++) await page.locator(".step").click();
      await expect(page.locator(".next")).toHaveAttribute("aria-busy", "false");
      await page.locator(".stage").last().click();
      await page.locator(".lane .head").first().click();
      await accessible(page);
      const over = await page.evaluate(() => {
        const map = document.querySelector(".map-scroll");
        return [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight, map.scrollWidth - map.clientWidth];
      });
      expect(over).toEqual([0, 0, 0]);
      await page.screenshot({ path: info.outputPath("map.png") });
    });
  });
}

test("a kubelet has rooms, and its calls to the container runtime can be gone through one by one", async ({ page }) => {
  await open(page);
  await page.keyboard.press("v");
  await stepUntil(page, /kubelet/, 40);
  const room = (name) => page.locator(".rooms").getByRole("article", { name, exact: true });
  await expect(room("Pod workers")).toContainText("SyncPod");
  await expect(room("Config sources")).toContainText("default/web");
  await expect(room("Node status and lease")).toContainText("Lease");
  const calls = room("Calls to the container runtime (CRI) in this step");
  for (let i = 0; i < 12 && !(await calls.textContent()).includes("RunPodSandbox"); i++) await stepUntil(page, /kubelet/, 20);
  await calls.getByRole("button", { name: "RunPodSandbox" }).first().click();
  await expect(calls.locator(".call-detail")).toContainText("RuntimeService/RunPodSandbox");
  await expect(calls.locator(".call-parts")).toContainText("registry.k8s.io/pause");
  await expect(calls.locator(".call-parts")).toContainText("CNI_COMMAND=ADD");
  for (let i = 0; i < 30 && !(await calls.textContent()).includes("CreateContainer"); i++) await stepUntil(page, /kubelet/, 20);
  await expect(calls.getByRole("status")).toHaveText(/^call 1 of [2-9]/);
  await calls.getByRole("button", { name: "Next call" }).click();
  await expect(calls.getByRole("status")).toHaveText(/^call 2 of/);
  await accessible(page);
});
