import { test, expect, open, accessible } from "./page.js";
import { host } from "./host.js";

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

test("the policy refuses scripts of another address, whichever way they come", async ({ page, complaints }) => {
  const there = await host();
  let asked = 0;
  await page.route(`${there.origin}/**`, (route) => {
    asked += 1;
    return route.fulfill({ contentType: "text/javascript", headers: { "access-control-allow-origin": "*" }, body: "window.foreign = true;" });
  });
  await open(page);
  const came = await page.evaluate(async (foreign) => {
    const tried = async (what) => {
      try {
        return await what();
      } catch (error) {
        return error.name;
      }
    };
    const script = (put) => new Promise((resolve) => {
      const element = document.createElement("script");
      element.onload = () => resolve("loaded");
      element.onerror = () => resolve("refused");
      put(element);
      document.body.append(element);
    });
    return {
      address: await tried(() => script((s) => (s.src = foreign))),
      attribute: await tried(() => script((s) => s.setAttribute("src", foreign))),
      // Trusted Types say nothing of an import: the list of addresses does.
      imported: await tried(() => import(foreign)),
      worker: await tried(() => new Worker(foreign)),
      html: await tried(() => (document.createElement("div").innerHTML = "<img src=x onerror='window.foreign = true'>")),
      evaluated: await tried(() => (0, eval)("window.foreign = true")),
      policy: await tried(() => window.trustedTypes.createPolicy("another", { createScriptURL: (url) => url })),
      again: await tried(() => window.trustedTypes.createPolicy("steady", { createScriptURL: (url) => url })),
      frame: await new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.src = foreign;
        frame.onload = () => resolve(frame.contentDocument === null ? "refused" : "loaded");
        document.body.append(frame);
      }),
      ran: !!window.foreign,
    };
  }, `${there.origin}/foreign.js`);
  expect(came).toEqual({
    address: "TypeError", attribute: "TypeError", imported: "TypeError", worker: "TypeError", html: "TypeError", evaluated: "EvalError",
    policy: "TypeError", again: "TypeError", frame: "refused", ran: false,
  });
  expect(asked).toBe(0);
  await there.close();
  complaints.length = 0;
});

// A worker is not held to the policy of its page, but to that of the answer that brought its script: HTML, "run a worker".
test("the engine's worker has a policy, too, and so have those that explore", async ({ page, complaints }) => {
  test.slow();
  const there = await host("here");
  await open(page);
  await page.keyboard.press("o");
  const panel = page.getByRole("region", { name: "Every order" });
  await panel.getByRole("button", { name: "Start", exact: true }).click();
  await expect(panel.locator(".board-verdict")).toHaveText("All orders end in the same steady state.", { timeout: 120_000 });
  expect(complaints).toEqual([]);
  expect(page.workers().length).toBeGreaterThan(1);
  for (const worker of page.workers()) {
    const came = await worker.evaluate(async (foreign) => {
      const tried = async (what) => {
        try {
          await what();
          return "done";
        } catch (error) {
          return error.name;
        }
      };
      return {
        sent: await tried(() => fetch(foreign, { mode: "no-cors" })),
        imported: await tried(() => import(`${foreign}/x.js`)),
        evaluated: await tried(() => (0, eval)("1")),
        made: await tried(() => new Function("return 1")),
        worker: await tried(() => new Worker(foreign)),
      };
    }, there.origin);
    expect(came).toEqual({ sent: "TypeError", imported: "TypeError", evaluated: "EvalError", made: "EvalError", worker: "TypeError" });
  }
  // It works on under that policy.
  expect(await page.evaluate(() => window.steady.step())).toBe(true);
  await there.close();
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
