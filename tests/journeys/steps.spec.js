import { deflateRawSync, inflateRawSync } from "node:zlib";
import { test, expect, open, accessible, opened } from "./page.js";

const step = (page) => page.getByRole("button", { name: "Step", exact: true });
const said = (page) => page.locator(".said [role=status]");
const at = (page) => page.getByRole("slider", { name: "Timeline" });

test("it opens ready: a Deployment, and a first command with its why", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("button", { name: /^Deployment web/ })).toBeVisible();
  const first = page.locator(".next li").first();
  await expect(first).toContainText("deployment-controller");
  await expect(first).toContainText("CREATE");
  await expect(first).toContainText("because");
  await step(page).click();
  await expect(said(page)).toContainText(/deployment-controller: create ReplicaSet web-\w+, because/);
  await expect(page.getByRole("button", { name: /^ReplicaSet web-/ })).toBeVisible();
  await accessible(page);
});

test("back, and forth by the keyboard alone", async ({ page }) => {
  await open(page);
  await expect(page.locator(".next li")).not.toHaveCount(0);
  const begin = Number(await at(page).getAttribute("aria-valuenow"));
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
  await expect(at(page)).toHaveAttribute("aria-valuenow", String(begin + 2));
  await expect(at(page)).toHaveAttribute("aria-valuemax", String(begin + 3));
  await page.keyboard.press("Home");
  await expect(at(page)).toHaveAttribute("aria-valuenow", String(begin));
  await at(page).focus();
  await page.keyboard.press("End");
  await expect(at(page)).toHaveAttribute("aria-valuenow", String(begin + 3));
  // The graph is walked with arrows, and Enter goes to the inspector.
  await page.keyboard.press("g");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("tab", { name: "YAML" })).toBeFocused();
});

test("somebody else goes first, and the other branch can be reached again", async ({ page }) => {
  await open(page);
  const lines = page.locator(".next li .command");
  for (let i = 0; i < 12 && (await lines.count()) < 2; i++) {
    await page.keyboard.press("ArrowRight");
    await expect(page.locator(".next")).toHaveAttribute("aria-busy", "false");
  }
  const second = lines.nth(1);
  const who = await second.locator(".by").textContent();
  await step(page).click();
  const fair = await said(page).textContent();
  await page.keyboard.press("ArrowLeft");
  await second.click();
  await expect(said(page)).toContainText(who.split(" ")[0]);
  await page.getByRole("button", { name: "Other branches" }).click();
  await page.getByRole("menuitemradio").first().click();
  await expect(said(page)).toHaveText(fair);
});

test("to the steady state, and what was declared is running", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "To steady" }).click();
  await expect(page.locator(".steady")).toContainText("What was declared is what is running: 3 pods.");
  await expect(page.getByRole("button", { name: /^Pod web-.*Running, 1 of 1 containers ready/ })).toHaveCount(3);
  await accessible(page);
});

test("steady, and yet not what was declared: it says which and why", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("option", { name: "A rollout that gets stuck" }).click();
  await page.getByRole("button", { name: "To steady" }).click();
  await expect(page.locator(".steady.unmet")).toBeVisible();
  await expect(page.locator(".shorts")).toContainText("Deployment web");
  await expect(page.locator(".shorts")).toContainText("ImagePullBackOff");
  await page.locator(".shorts button").click();
  await page.getByRole("tab", { name: "Events" }).click();
  await expect(page.locator(".inspected")).toContainText("Failed");
});

test("the inspector: YAML with what changed, history, links, request", async ({ page }) => {
  await open(page);
  for (let i = 0; i < 3; i++) await step(page).click();
  await page.getByRole("button", { name: /^ReplicaSet web-/ }).click();
  await expect(page.locator(".who h2")).toContainText("web-");
  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.locator(".version")).not.toHaveCount(0);
  await page.getByRole("tab", { name: "Links" }).click();
  await expect(page.locator(".inspected")).toContainText("Owned by");
  await page.getByRole("tab", { name: "Request" }).click();
  await expect(page.locator(".exchange .method")).toContainText(/POST|PUT|PATCH/);
  await expect(page.locator(".exchange .chip")).toContainText(/20\d/);
  await accessible(page, ".inspector");
});

test("kubectl answers, and a change begins with what Apply would do", async ({ page }) => {
  await open(page);
  await page.getByRole("tab", { name: "kubectl" }).click();
  const line = page.getByRole("combobox", { name: "kubectl" });
  await line.fill("get deployments");
  await line.press("Enter");
  await expect(page.getByRole("log")).toContainText("0/3");
  await line.press("ArrowUp");
  await expect(line).toHaveValue("get deployments");
  await page.getByRole("tab", { name: "Manifest" }).click();
  const editor = page.getByRole("textbox", { name: "Manifest" });
  await editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n");
  await expect(page.locator(".changes")).toContainText("ConfigMap settings");
  await page.keyboard.press("Control+Enter");
  await expect(said(page)).toContainText("configmap/settings created");
  await expect(page.getByRole("button", { name: /^ConfigMap settings/ })).toBeVisible();
});

test("a mistake is shown at its line, before and after Apply", async ({ page }) => {
  await open(page);
  const editor = page.getByRole("textbox", { name: "Manifest" });
  await editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("replica: 3\n");
  await expect(page.locator(".changes.bad")).toContainText("replica");
  await expect(page.locator(".cm-lintRange-error")).toContainText("replica");
  await page.getByRole("button", { name: /^Apply/ }).click();
  await expect(page.locator(".changes.bad .refused")).toHaveText("It was refused:");
  await expect(page.locator(".changes.bad")).toContainText("replica");
});

test("a link repeats the run; a damaged one leaves the work alone", async ({ page, context, complaints }) => {
  await open(page);
  for (let i = 0; i < 4; i++) await step(page).click();
  const [digest, link] = await page.evaluate(() => Promise.all([window.steady.digest(), window.steady.link()]));
  const other = await context.newPage();
  await other.goto(link);
  await opened(other);
  await expect.poll(() => other.evaluate(() => window.steady?.digest())).toBe(digest);
  await expect(other).toHaveURL((url) => url.hash === "");
  const work = await page.evaluate(() => window.steady.digest());
  await page.evaluate((bad) => (location.hash = bad), new URL(link).hash.slice(0, 40));
  await expect(page.getByRole("alert")).toContainText("damaged");
  expect(await page.evaluate(() => window.steady.digest())).toBe(work);
  complaints.length = 0;
});

// A link as src/session/link/mod.rs writes it: the letter of a version, and JSON that is deflated and written as base64url.
const packed = (text, version = "a") => version + deflateRawSync(Buffer.from(text)).toString("base64url");
const unpacked = (link) => inflateRawSync(Buffer.from(link.slice(1), "base64url")).toString();
/** Every kind of damage: how a whole link is damaged, and what is said of it then. */
const DAMAGES = {
  "of a newer version": [(link) => `z${link.slice(1)}`, "made by a newer version of this page"],
  "of no version": [(link) => `é${link.slice(1)}`, "made by a newer version of this page"],
  "with other characters": [(link) => `${link.slice(0, 9)}!${link.slice(9)}`, "it is not base64url"],
  "that is cut off": [(link) => link.slice(0, 4 * (link.length >> 3) + 1), "it does not unpack"],
  "of which a character was changed": [(link) => `${link[0]}${link[1] === "A" ? "B" : "A"}${link.slice(2)}`, "it is damaged"],
  "that is its letter alone": [(link) => link[0], "it does not unpack"],
  "that is no JSON": [() => packed("{"), "it says nothing known"],
  "that is no UTF-8": [() => `a${deflateRawSync(Buffer.from([0x22, 0xff, 0xfe, 0x22])).toString("base64url")}`, "it says nothing known"],
  "of another shape": [() => packed('{"start":7,"ops":"none"}'), "it says nothing known"],
  "with a field that nobody knows": [(link) => packed(JSON.stringify({ ...JSON.parse(unpacked(link)), more: 1 }), link[0]), "it says nothing known"],
  "that is too long": [(link) => link + "A".repeat(1_000_000), "it is larger than 1000000 bytes"],
  // Five kilobytes that unpack to five million.
  "that is a bomb": [() => packed(" ".repeat(5_000_000)), "it is larger than 4000000 bytes"],
  "that nests without an end": [() => packed("[".repeat(3_000_000)), "it says nothing known"],
  "with a hundred thousand nodes": [(link) => {
    const run = JSON.parse(unpacked(link));
    return packed(JSON.stringify({ ...run, start: { ...run.start, nodes: 100_000 } }), link[0]);
  }, "it asks for more than 1000 nodes"],
  "with a billion steps": [(link) => {
    const run = JSON.parse(unpacked(link));
    return packed(JSON.stringify({ ...run, ops: [...run.ops, { s: ["Command", 1_000_000_000] }] }), link[0]);
  }, "it asks for more than 1000000 steps"],
};

test("every kind of damage of a link ends in a notice, and the page works on", async ({ page }) => {
  await open(page);
  for (let i = 0; i < 4; i++) await page.evaluate(() => window.steady.step());
  const link = new URL(await page.evaluate(() => window.steady.link())).hash.slice(1);
  expect(packed(unpacked(link), link[0]).length).toBeGreaterThan(100);
  for (const [what, [damage, said]] of Object.entries(DAMAGES)) {
    await test.step(`a link ${what}`, async () => {
      const work = await page.evaluate(() => window.steady.digest());
      await page.evaluate((bad) => (location.hash = bad), damage(link));
      await expect(page.getByRole("alert"), what).toContainText(said);
      await expect(page.getByRole("alert")).toContainText("your work is as it was");
      expect(await page.evaluate(() => window.steady.digest()), what).toBe(work);
      expect(await page.evaluate(() => window.steady.step()), what).toBe(true);
      await page.locator(".toast .tool").click();
      await expect(page.getByRole("alert")).toHaveCount(0);
    });
  }
});

test("a page that is opened with a damaged link says so, shows a scenario, and works", async ({ page, context }) => {
  test.slow();
  await open(page);
  const link = new URL(await page.evaluate(() => window.steady.link())).hash.slice(1);
  // The browser itself cuts an address of a million characters in two ways that say nothing of this page.
  for (const [what, [damage, said]] of Object.entries(DAMAGES).filter(([what]) => what !== "that is too long")) {
    await test.step(`a link ${what}`, async () => {
      const other = await context.newPage();
      await open(other, `#${damage(link)}`);
      await expect(other.getByRole("alert"), what).toContainText(said);
      await expect(other.locator(".scenarios b").first()).toHaveText("First Deployment");
      expect(await other.evaluate(() => window.steady.step()), what).toBe(true);
      await other.close();
    });
  }
});

test("a link whose digest is another one is opened, and it is said that its run ends otherwise here", async ({ page }) => {
  await open(page);
  for (let i = 0; i < 4; i++) await page.evaluate(() => window.steady.step());
  const link = new URL(await page.evaluate(() => window.steady.link())).hash.slice(1);
  const run = JSON.parse(unpacked(link));
  expect(run.digest).toBe(await page.evaluate(() => window.steady.digest()));
  const other = [...run.digest].map((c) => (c === "0" ? "1" : "0")).join("");
  await page.evaluate(() => window.steady.step());
  await page.evaluate((foreign) => (location.hash = foreign), packed(JSON.stringify({ ...run, digest: other }), link[0]));
  await expect(page.locator(".toast")).toContainText("This run ends otherwise here than where the link was made");
  expect(await page.evaluate(() => window.steady.digest())).toBe(run.digest);
  expect(await page.evaluate(() => window.steady.step())).toBe(true);
});

test("work survives a reload", async ({ page }) => {
  await open(page);
  for (let i = 0; i < 5; i++) await step(page).click();
  const digest = await page.evaluate(() => window.steady.digest());
  await page.reload();
  await opened(page);
  await expect.poll(() => page.evaluate(() => window.steady?.digest())).toBe(digest);
});

test("the handle tells each step", async ({ page }) => {
  await open(page);
  const details = await page.evaluate(async () => {
    const seen = [];
    window.addEventListener("steady:step", (e) => seen.push(e.detail));
    await window.steady.step();
    await window.steady.runToSteady();
    await window.steady.back();
    return seen;
  });
  expect(details[0]).toMatchObject({ by: "deployment-controller", method: "POST", code: 201, rule: "new_replica_set.create" });
  expect(details.length).toBeGreaterThan(10);
  const pods = await page.evaluate(async () => (await window.steady.objects("pods")).length);
  expect(pods).toBe(3);
});

test("machinery: finest actions, each told", async ({ page }) => {
  await open(page);
  await page.getByRole("radiogroup", { name: "How deep a step goes" }).getByRole("radio", { name: "Machinery" }).click();
  await expect(page.locator(".next li").first()).toContainText("ACTION");
  await step(page).click();
  await expect(said(page)).not.toContainText("created");
  await accessible(page, ".controls");
});

test("the body of a server-side apply is shown, and what a version changed", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.kubectl("apply --server-side --force-conflicts -f manifest.yaml"));
  await page.getByRole("tab", { name: "Request" }).click();
  await expect(page.locator(".exchange")).toContainText("application/apply-patch+yaml");
  await expect(page.locator(".exchange .yaml").first()).toContainText("replicas: 3");
  await page.evaluate(() => window.steady.kubectl("scale deployment web --replicas=5"));
  await page.getByRole("button", { name: /^Deployment web/ }).click();
  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.locator(".version").first()).toContainText(/replicas.*3.*→.*5/);
  await accessible(page, ".inspector");
});

test("a mark of the timeline says what it was", async ({ page }) => {
  await open(page);
  for (let i = 0; i < 3; i++) await step(page).click();
  await expect(said(page)).toContainText("because");
  const words = await said(page).textContent();
  const box = await at(page).boundingBox();
  // The marks stand 15 pixels apart, the first 8 from the edge.
  await page.mouse.move(box.x + 8 + 15 * 4, box.y + 20);
  await expect(at(page)).toHaveAttribute("title", new RegExp(words.split(",")[0].replace(/[/.]/g, ".")));
});

// The next moment of the run is what a person did, and the cluster has nothing of its own to do before it.
test("Step, the arrow and Run go over what was done, and say so", async ({ page }) => {
  await open(page);
  await expect(page.locator(".next li")).not.toHaveCount(0);
  await page.getByRole("button", { name: "Step back" }).click();
  await expect(at(page)).toHaveAttribute("aria-valuenow", "0");
  const redo = page.getByRole("button", { name: "Redo", exact: true });
  await expect(redo).toHaveAttribute("title", "Again: You: deployment.apps/web created");
  await expect(page.locator(".next")).toContainText("deployment.apps/web created");
  // What is shown is the past, and nothing has changed since.
  await expect(page.locator(".changes")).toContainText("You are looking at the past");
  await page.getByRole("button", { name: "To steady" }).click();
  await expect(page.locator(".toast")).toContainText("Step does it again");
  await expect(at(page)).toHaveAttribute("aria-valuenow", "0");
  await redo.click();
  await expect(at(page)).toHaveAttribute("aria-valuenow", "1");
  await page.keyboard.press("ArrowLeft");
  await expect(redo).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(at(page)).toHaveAttribute("aria-valuenow", "1");
  await page.keyboard.press("ArrowLeft");
  await expect(redo).toBeVisible();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(async () => Number(await at(page).getAttribute("aria-valuenow"))).toBeGreaterThan(2);
});

test("a typo of an image is warned of at its line, pulled in vain, and told with what may be meant", async ({ page }) => {
  await open(page);
  const editor = page.getByRole("textbox", { name: "Manifest" });
  await editor.click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Backspace");
  await page.keyboard.insertText("apiVersion: v1\nkind: Pod\nmetadata:\n  name: typo\nspec:\n  containers:\n    - name: web\n      image: ngnix:1.27\n");
  const warned = page.locator(".changes .warned");
  await expect(warned).toContainText("Docker Hub has no official image “ngnix”. Did you mean nginx:1.27?");
  await expect(page.locator(".left .cm-lintRange-warning")).toHaveText("image: ngnix:1.27");
  // The message leads to its line.
  await page.keyboard.press("ControlOrMeta+Home");
  await warned.getByRole("button", { name: "Line 8" }).click();
  await expect(page.locator(".left .cm-activeLine")).toContainText("ngnix");
  await accessible(page, ".left");
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByRole("button", { name: "To steady" }).click();
  await expect(page.locator(".shorts")).toContainText("Did you mean nginx:1.27?");
  await accessible(page);
  // The warning has the correction.
  await page.locator(".left .cm-lintRange-warning").hover();
  await page.getByRole("button", { name: "Change to nginx:1.27" }).click();
  await expect(warned).toHaveCount(0);
});
