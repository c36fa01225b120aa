import { test, expect, open, accessible } from "./page.js";

const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
  "require-trusted-types-for 'script'; trusted-types steady";

test("the page opens, from a subdirectory, without a word in the console", async ({ page }) => {
  await open(page);
  await expect(page).toHaveTitle(/Steady/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await accessible(page);
});

test("the policy is there, and refuses what is inline or elsewhere", async ({ page, complaints }) => {
  await open(page);
  await expect(page.locator("meta[http-equiv=Content-Security-Policy]")).toHaveAttribute("content", POLICY);
  expect(complaints).toEqual([]);
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    try {
      script.textContent = "window.inline = true";
    } catch { /* no text of a page becomes a script */ }
    document.body.append(script);
    const style = document.createElement("style");
    style.textContent = "body { outline: 7px solid red }";
    document.head.append(style);
    const sent = await fetch("https://example.org/").then(() => true, () => false);
    return { inline: !!window.inline, styled: getComputedStyle(document.body).outlineWidth === "7px", sent };
  });
  expect(ran).toEqual({ inline: false, styled: false, sent: false });
  await expect.poll(() => complaints.filter((c) => c.startsWith("CSP:")).length).toBe(3);
  complaints.length = 0;
});

test("fonts are the page's own", async ({ page }) => {
  await open(page);
  const loaded = await page.evaluate(async () => {
    const fonts = await Promise.all(["Inter Variable", "JetBrains Mono Variable"].map((f) => document.fonts.load(`16px "${f}"`)));
    return fonts.map((f) => f.length);
  });
  expect(loaded).toEqual([1, 1]);
});

test("without WebAssembly the page says so", async ({ page, complaints }) => {
  await page.addInitScript(() => delete window.WebAssembly);
  await page.goto("");
  await expect(page.getByRole("alert")).toContainText("WebAssembly");
  complaints.length = 0;
});
