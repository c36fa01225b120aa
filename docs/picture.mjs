// The README's pictures: `cargo xtask picture` serves the built page and calls this.
//
//   STEADY_URL=http://… node docs/picture.mjs
import { chromium } from "@playwright/test";

const STEPS = 13;

const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 }, deviceScaleFactor: 2, colorScheme, locale: "en-US", reducedMotion: "reduce",
  });
  await page.goto(process.env.STEADY_URL);
  await page.locator(".app:not(.shell) .scenarios .menu-button").click();
  await page.getByRole("option", { name: "Rolling update" }).click();
  for (let i = 0; i < STEPS; i++) {
    await page.keyboard.press("ArrowRight");
    await page.locator(".next[aria-busy=false]").waitFor();
  }
  await page.locator(".cm-content").waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(0, 0);
  await page.waitForTimeout(600);
  await page.screenshot({ path: `docs/images/steady-${colorScheme}.png` });
  await page.close();
}
await browser.close();
