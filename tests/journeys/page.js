// What every journey holds to: nothing in the console, nothing the Content-Security-Policy refused,
// no request to anywhere else. Import `test` from here and it is checked.
import { test as base, expect } from "@playwright/test";
import AxeBuilder from "@axe-core/playwright";

export { expect };

export const test = base.extend({
  complaints: [async ({ page, baseURL }, use) => {
    const complaints = [];
    // `font-display: optional` (static/fonts.css) leaves a font unused that comes too late for the first paint, as in a tab
    // behind another one.
    const late = (text) => text.includes("preloaded using link preload but not used");
    const ours = (text) => !text.includes("blocked by Playwright") && !late(text);
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && ours(m.text()) && complaints.push(`${m.type()}: ${m.text()}`));
    page.on("pageerror", (e) => complaints.push(`uncaught: ${e.message}`));
    // What the page takes back itself: a part of the wasm is asked for once more, and at once, if it is needed before it has come
    // (static/second.js); and a page that is left wants nothing any more.
    const isTakenBack = (r) => r.failure()?.errorText === "net::ERR_ABORTED";
    page.on("requestfailed", (r) => isTakenBack(r) || complaints.push(`failed: ${r.url()} ${r.failure()?.errorText}`));
    page.on("request", (r) => {
      const { protocol, origin } = new URL(r.url());
      if (protocol.startsWith("http") && origin !== new URL(baseURL).origin) complaints.push(`elsewhere: ${r.url()}`);
    });
    await page.exposeFunction("complain", (text) => complaints.push(text));
    await page.addInitScript(() => document.addEventListener("securitypolicyviolation", (e) =>
      window.complain(`CSP: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`)));
    await use(complaints);
    expect(complaints).toEqual([]);
  }, { auto: true }],
});

/** Waits until the app stands where the first screen was, which looks the same. */
export async function opened(page) {
  await expect(page.locator("#app > .app:not(.shell)")).toBeVisible();
}

/** Opens the page and waits until the app stands there. */
export async function open(page, path = "") {
  await page.goto(path);
  await opened(page);
}

/** No accessibility violation that axe can see, on the whole page or a part. */
export async function accessible(page, selector) {
  const axe = new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
  const { violations } = await (selector ? axe.include(selector) : axe).analyze();
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" ")}`)).toEqual([]);
}
