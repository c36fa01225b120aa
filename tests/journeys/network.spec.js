import { test, expect, open, accessible } from "./page.js";

const card = (page, object) => page.locator(`[data-object="${object}"]`);
const pane = (page) => page.locator(".inspected");

test("a pod's menu leads to the journey of a request, and what it comes by is lit", async ({ page }) => {
  await open(page, "?scenario=40-network-policy");
  await card(page, "Pod default/client").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Follow a request from here" }).click();
  await expect(page.getByRole("tab", { name: "Network" })).toBeFocused();
  await expect(pane(page).getByRole("status")).toHaveText(/^Answered with 200 by [\d.]+:80\.$/);
  await expect(pane(page).getByRole("combobox")).toHaveValue("http://web");
  await expect(pane(page)).toContainText("web.default.svc.cluster.local");
  await expect(pane(page).locator(".hop pre")).toContainText("DNAT");
  await expect(card(page, "Service default/web")).toHaveClass(/lit/);
  await expect(card(page, "Pod default/stranger")).not.toHaveClass(/lit/);
  await accessible(page, ".inspector");

  // Another pod is not let in, and the policies that drop its packet are a press away.
  await card(page, "Pod default/stranger").click();
  await expect(pane(page).getByRole("status")).toContainText("a NetworkPolicy does not let the pod accept it");
  await expect(pane(page).locator(".hop-end")).toContainText("default-deny");
  await pane(page).getByRole("button", { name: "default-deny" }).click();
  await expect(page.locator(".who h2")).toHaveText("default-deny");
  await expect(card(page, "Service default/web")).not.toHaveClass(/lit/);
});

test("one goes with a request stop by stop, and the graph shows where it is", async ({ page }) => {
  await open(page, "?scenario=41-overlays");
  await card(page, "Pod default/client").click();
  await page.getByRole("tab", { name: "Network" }).click();
  const steps = pane(page).getByRole("group", { name: "Go along the way, stop by stop" });
  await expect(steps).toContainText(/\d+ stops$/);
  await expect(page.locator(".world .way.flows")).toHaveCount(1);
  await expect(page.locator(".packet")).toHaveCount(0);
  const next = steps.getByRole("button", { name: "Next stop" });
  await next.click();
  await expect(steps).toContainText(/Stop 1 of \d+: client$/);
  await expect(pane(page).locator("[aria-current=step]")).toHaveCount(1);
  await expect(pane(page).locator(".lookups [aria-current=step]")).toHaveCount(1);
  await expect(page.locator(".packet")).toHaveCount(1);
  await expect(card(page, "Pod default/client")).toHaveClass(/lit/);
  await expect(card(page, "Service default/far")).not.toHaveClass(/lit/);
  await accessible(page, ".inspector");
  const rules = pane(page).locator(".hop[aria-current=step] pre");
  while ((await rules.count()) === 0) await next.click();
  await expect(card(page, "Service default/far")).toHaveClass(/lit/);
  // A rule goes on in the next line between two words, not within one.
  await expect(rules.locator("span").first()).toHaveCSS("word-break", "normal");
  expect(await rules.first().evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBe(0);
  // The line lies below the cards, and the request at the edge of one: neither covers a text.
  await expect(page.locator(".world .way")).not.toHaveCount(0);
  await expect(page.locator(".world .card text")).not.toHaveCount(0);
  expect(await page.evaluate(() => [...document.querySelectorAll(".world .way")].every((way) =>
    [...document.querySelectorAll(".world .card")].every((card) => way.compareDocumentPosition(card) & Node.DOCUMENT_POSITION_FOLLOWING)))).toBe(true);
  const covered = () => page.evaluate(() => {
    const packet = document.querySelector(".packet").getBoundingClientRect();
    const meets = (r) => r.width > 0 && packet.left < r.right && r.left < packet.right && packet.top < r.bottom && r.top < packet.bottom;
    return [...document.querySelectorAll(".world .card text")].filter((text) => meets(text.getBoundingClientRect())).map((text) => text.textContent);
  });
  await expect.poll(covered).toEqual([]);
  while (await next.isEnabled()) await next.click();
  await expect(pane(page).locator(".hop-end[aria-current=step]")).toBeVisible();
  await expect(card(page, "Pod default/far")).toHaveClass(/lit/);
  await expect(page.locator(".world .way.done")).toHaveCount(1);
  await steps.getByRole("button", { name: "Back" }).click();
  await expect(pane(page).locator(".hop-end[aria-current=step]")).toHaveCount(0);
  // Another object has no way.
  await card(page, "Service default/near").click();
  await expect(page.locator(".world .way")).toHaveCount(0);
});

test("what was typed is followed, and a step follows it anew", async ({ page }) => {
  await open(page, "?scenario=40-network-policy");
  await card(page, "Pod default/client").click();
  await page.getByRole("tab", { name: "Network" }).click();
  const field = pane(page).getByRole("combobox", { name: "Request from this pod to" });
  await field.fill("ftp://web");
  await field.press("Enter");
  await expect(pane(page).getByRole("status")).toHaveText("Only http:// and https:// can be followed.");
  await field.fill("http://nobody");
  await field.press("Enter");
  await expect(pane(page).getByRole("status")).toHaveText("There is no such name.");
  await field.fill("http://web:81");
  await field.press("Enter");
  await expect(pane(page).getByRole("status")).toContainText("the Service has no such port");
  await page.evaluate(() => window.steady.kubectl("delete service web"));
  await expect(pane(page).getByRole("status")).toHaveText("There is no such name.");
  await expect(field).toHaveValue("http://web:81");
});

test("a request through an ingress controller is followed on both ways", async ({ page }) => {
  await open(page, "?scenario=51-ingress-routes");
  await card(page, "Pod default/client").click();
  await page.getByRole("tab", { name: "Network" }).click();
  const field = pane(page).getByRole("combobox", { name: "Request from this pod to" });
  await field.fill("http://ingress-nginx-controller.ingress-nginx/cart host=shop.example");
  await field.press("Enter");
  await expect(pane(page).getByRole("status")).toHaveText(/^Answered with 200 by [\d.]+:8080\.$/);
  await expect(pane(page).locator(".via")).toContainText("Ingress shop: shop.example/cart (Prefix) leads to the Service cart");
  await expect(pane(page).locator(".hops:not(.answer-way *)")).toHaveCount(2);
  await expect(card(page, "Ingress default/shop")).toHaveClass(/lit/);
  await accessible(page, ".inspector");
  await field.fill("http://ingress-nginx-controller.ingress-nginx/pay host=shop.example");
  await field.press("Enter");
  await expect(pane(page).locator(".via")).toContainText("the Service pay does not exist");
  await expect(pane(page).locator(".hops:not(.answer-way *)")).toHaveCount(1);
});

test("a request through a Gateway is followed, and a route that it does not take has a mark", async ({ page }) => {
  await open(page, "?scenario=53-gateway-routes");
  await card(page, "Pod default/client").click();
  await page.getByRole("tab", { name: "Network" }).click();
  const field = pane(page).getByRole("combobox", { name: "Request from this pod to" });
  await field.fill("http://web-nginx/ host=shop.example");
  await field.press("Enter");
  await expect(pane(page).getByRole("status")).toHaveText(/^Answered with 200 by [\d.]+:8080\.$/);
  await expect(pane(page).locator(".via")).toContainText("HTTPRoute shop");
  await expect(pane(page).locator(".hops:not(.answer-way *)")).toHaveCount(2);
  const guide = page.locator('[data-object$=" team/guide"]');
  await expect(guide).toContainText("Accepted: False");
  const patch = JSON.stringify([{ op: "add", path: "/spec/listeners/0/allowedRoutes", value: { namespaces: { from: "All" } } }]);
  await page.evaluate(async (patch) => {
    await window.steady.kubectl(`patch gateway web --type=json -p '${patch}'`);
    await window.steady.runToSteady();
  }, patch);
  await expect(guide).toContainText("ResolvedRefs: False");
});
