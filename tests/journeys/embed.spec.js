// Steady as a part of another page, of another origin.
import { test, expect, open, accessible } from "./page.js";
import { host, allow } from "./host.js";

/** The scenario that an address names is set up. */
const opened = (page, title) => expect(page.locator(".scenarios .menu-button b")).toHaveText(title);

const SIZES = [[600, 400], [360, 300]];
const frameOf = (page, width, height, address) =>
  `<!doctype html><html lang="en"><title>An article</title><body style="margin:0"><p>Before</p>
   <iframe id="run" title="A run" src="${address}" width="${width}" height="${height}" style="border:0"></iframe><div style="height:3000px">After</div>`;

for (const [width, height] of SIZES) {
  test(`a scenario in a frame of ${width}x${height}: graph, sentence, steps; nothing of the host or of the visitor is touched`, async ({ page, context, baseURL, complaints }) => {
    const address = `${baseURL}?embed&amp;lang=zh&amp;theme=dark&amp;panes=graph,story&amp;scenario=04-rolling-update&amp;until=4`;
    const site = await host(frameOf(page, width, height, address));
    const visit = await context.newPage();
    await visit.setViewportSize({ width: 700, height: 640 });
    await visit.goto(`${site.origin}/`);
    const run = visit.frameLocator("#run");
    await expect(run.locator(".player")).toBeVisible();
    await expect(run.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(run.locator("html")).toHaveAttribute("lang", "zh-CN");
    await expect(run.getByRole("heading", { level: 1 })).toHaveText("滚动更新");
    await expect(run.locator(".player-said .then")).toContainText("deployment-controller");
    // The graph has room, and everything is inside the frame.
    const box = await run.locator(".canvas").boundingBox();
    expect(box.height).toBeGreaterThan(100);
    expect(box.width).toBeGreaterThan(width - 4);
    const overflow = await run.locator("html").evaluate((el) => [el.scrollWidth - el.clientWidth, el.scrollHeight - el.clientHeight]);
    expect(overflow).toEqual([0, 0]);
    const buttons = await run.locator(".player-controls button").evaluateAll((all) => all.map((b) => b.getBoundingClientRect().bottom));
    expect(Math.max(...buttons)).toBeLessThanOrEqual(height);
    // Nothing took the focus, and nothing scrolled.
    expect(await visit.evaluate(() => [document.activeElement.tagName, scrollY])).toEqual(["BODY", 0]);
    const step = run.getByRole("button", { name: "单步", exact: true });
    await step.click();
    await expect(run.locator(".player-at")).toHaveText("第 1 步");
    await expect(run.locator(".happened")).toContainText("deployment-controller");
    await run.getByRole("button", { name: "后退一步" }).click();
    await expect(run.locator(".player-at")).toHaveText("第 0 步");
    await expect(async () => {
      await run.locator(".player-controls .word").click();
      await expect(run.locator(".player-at")).toHaveText("第 4 步", { timeout: 2000 });
    }).toPass();
    await expect(run.locator(".then")).toHaveText("本页面只展示到这一步。");
    await expect(step).toBeDisabled();
    await visit.screenshot({ path: `test-results/embed-${width}.png`, clip: { x: 0, y: 0, width: Math.min(700, width + 20), height: height + 60 } });
    // The wheel over the graph scrolls the host's page.
    await run.locator(".canvas").hover();
    await visit.mouse.wheel(0, 300);
    await expect.poll(() => visit.evaluate(() => scrollY)).toBeGreaterThan(100);
    // The run goes along into the whole page, in the same language, with four steps done.
    const [whole] = await Promise.all([context.waitForEvent("page"), run.getByRole("link", { name: "在 Steady 中打开" }).click()]);
    await expect(whole.locator("html")).toHaveAttribute("lang", "zh-CN");
    await expect(whole.locator(".timeline")).toContainText(/\d/);
    await expect.poll(() => whole.evaluate(async () => (await window.steady?.objects("rs"))?.length)).toBe(2);
    await whole.close();
    await visit.close();
    await site.close();
    allow(complaints, site.origin);
  });
}

test("a frame stores nothing over the visitor's own work", async ({ page, context, baseURL, complaints }) => {
  await open(page);
  await page.evaluate(() => window.steady.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n"));
  await expect.poll(() => page.evaluate(() => localStorage.getItem("steady:last") ?? "")).not.toBe("");
  // All that the page fetches by itself is there.
  await expect(page.locator(".cm-content")).toBeVisible();
  // The runs themselves stand in the browser's database.
  const stored = () => page.evaluate(async () => {
    const open = (name) => new Promise((resolve, reject) => Object.assign(indexedDB.open(name), { onsuccess: (e) => resolve(e.target.result), onerror: reject }));
    const all = (store) => new Promise((resolve) => { store.getAll().onsuccess = (e) => resolve(e.target.result); });
    const out = [Object.entries(localStorage).sort()];
    for (const { name } of await indexedDB.databases()) {
      const db = await open(name);
      for (const store of db.objectStoreNames) out.push([store, await all(db.transaction(store).objectStore(store))]);
      db.close();
    }
    return JSON.stringify(out);
  });
  await page.goto("about:blank");
  // A page of that origin which runs nothing.
  await page.route(`${baseURL}nothing.html`, (route) => route.fulfill({ contentType: "text/html", body: "<link rel=icon href=data:,>" }));
  await page.goto(`${baseURL}nothing.html`);
  const before = await stored();
  expect(before).toContain("steady:last");
  const site = await host(frameOf(page, 600, 400, `${baseURL}?embed#01-first-deployment`));
  const visit = await context.newPage();
  await visit.goto(`${site.origin}/`);
  const run = visit.frameLocator("#run");
  await expect(run.locator(".player")).toBeVisible();
  for (let i = 0; i < 3; i++) await run.getByRole("button", { name: "Step", exact: true }).click();
  await expect(run.locator(".player-at")).toHaveText("Step 3");
  await run.locator("html").evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await visit.close();
  expect(await stored()).toBe(before);
  await site.close();
  allow(complaints, site.origin);
});

test("<steady-run> in an article of another origin, at both sizes", async ({ page, baseURL, complaints }) => {
  const site = await host();
  await page.setViewportSize({ width: 760, height: 1200 });
  await page.goto(`${site.origin}/examples/steady-run.html?page=${encodeURIComponent(baseURL)}`);
  const wide = page.frameLocator("#wide iframe"), small = page.frameLocator("#small iframe");
  await expect(wide.locator(".player")).toBeVisible();
  expect(await page.locator("#wide").boundingBox()).toMatchObject({ width: 600, height: 400 });
  await wide.getByRole("button", { name: "Step", exact: true }).click();
  await expect(page.locator("#log")).toContainText(/wide: deployment-controller (POST|PATCH|PUT) \/apis\/apps\/v1/);
  await page.locator("#small").scrollIntoViewIfNeeded();
  expect(await page.locator("#small").boundingBox()).toMatchObject({ width: 360, height: 300 });
  await expect(small.locator("html")).toHaveAttribute("lang", "zh-CN");
  await expect(small.locator("html")).toHaveAttribute("data-theme", "dark");
  // Its own manifest was applied, and the article's button steps it.
  await expect(small.locator(".canvas")).toContainText("mine");
  await page.locator("#next").click();
  await expect(page.locator("#log")).toContainText("small: deployment-controller POST /apis/apps/v1/namespaces/default/replicasets");
  await page.screenshot({ path: "test-results/steady-run.png" });
  await page.evaluate(() => document.getElementById("small").setAttribute("language", "en"));
  await expect(small.locator("html")).toHaveAttribute("lang", "en");
  // Another scenario loads the frame anew.
  await page.evaluate(() => document.getElementById("wide").setAttribute("scenario", "11-crash-loop"));
  await expect(wide.getByRole("heading", { level: 1 })).not.toHaveText("Rolling update");
  await site.close();
  allow(complaints, site.origin);
});

test("Share gives the link and the code of a frame, which shows the run", async ({ page, context, baseURL, complaints }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, "#04-rolling-update");
  await opened(page, "Rolling update");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  const link = await dialog.getByLabel("Link to this run").inputValue();
  expect(link).toMatch(/^http.*\?lang=en#[a-f]/);
  expect(link.length).toBeLessThan(2000);
  // The clipboard is the person's until they press Copy.
  await page.evaluate(() => navigator.clipboard.writeText("mine"));
  await expect(dialog.getByRole("status").first()).toHaveText("");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("mine");
  await dialog.getByRole("button", { name: "Copy" }).first().click();
  await expect(dialog.getByRole("status").first()).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await accessible(page, ".share-dialog");
  await dialog.getByText("Embed in a page").click();
  await dialog.getByLabel("Size").selectOption({ label: "360 × 300" });
  await dialog.getByLabel("Theme").selectOption("dark");
  await dialog.getByLabel("Timeline").check();
  const code = await dialog.getByLabel("The frame's code").inputValue();
  expect(code).toContain('width="360" height="300"');
  expect(code).toContain("?embed&amp;lang=en&amp;theme=dark&amp;panes=graph,story,timeline#");
  await page.screenshot({ path: "test-results/share.png" });
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  const site = await host(`<!doctype html><html lang="en"><title>t</title>${code}`);
  const visit = await context.newPage();
  await visit.goto(`${site.origin}/`);
  await expect(visit.frameLocator("iframe").locator(".player-at")).toHaveText("Step 1");
  await visit.close();
  await site.close();
  allow(complaints, site.origin);
});

test("in a frame, Share of the whole page shows the link itself", async ({ page, baseURL, complaints }) => {
  const site = await host(`<!doctype html><html lang="en"><title>t</title><iframe title="run" src="${baseURL}" width="1000" height="700"></iframe>`);
  await page.goto(`${site.origin}/`);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Share", exact: true }).click();
  await expect(frame.getByLabel("Link to this run")).toHaveValue(/^http.*#[a-f]/);
  // Copying is refused in such a frame, and the dialog says so.
  await frame.getByRole("button", { name: "Copy" }).first().click();
  await expect(frame.getByText("The browser does not allow copying here: select the text.")).toBeVisible();
  const copying = complaints.findIndex((c) => c.includes("Clipboard API"));
  if (copying >= 0) complaints.splice(copying, 1);
  await site.close();
  allow(complaints, site.origin);
});

test("a scenario has an address, and a link carries the language and the open tab", async ({ page, context, baseURL }) => {
  await open(page, "#11-crash-loop");
  await expect(page.locator(".scenarios .menu-button b")).toContainText(/crash/i);
  for (let i = 0; i < 3; i++) await page.evaluate(() => window.steady.step());
  await page.locator(".card.pod").first().click();
  await page.getByRole("tab", { name: "Events" }).click();
  await page.getByRole("button", { name: "中文" }).click();
  await page.getByRole("button", { name: "分享" }).click();
  const link = await page.locator("#share-link").inputValue();
  expect(link).toMatch(/\?lang=zh-CN&tab=events#/);
  const other = await context.newPage();
  await other.goto(link);
  await expect(other.locator("html")).toHaveAttribute("lang", "zh-CN");
  await expect(other.locator("#tab-events")).toHaveAttribute("aria-selected", "true");
  await expect(other.locator(".inspector h2")).toContainText("web-");
  // The reader's own choice comes before the address.
  await other.getByRole("button", { name: "English" }).click();
  await other.reload();
  await expect(other.locator("html")).toHaveAttribute("lang", "en");
  await other.goto(`${baseURL}#99-nothing`);
  await expect(other.getByRole("alert")).toContainText("99-nothing");
});
