// What somebody else has written: names, messages and values full of markup, marks that turn the direction of text, control
// characters and sheer size. Nothing of it runs, turns what stands around it, or makes the page wider.
import { readFile } from "node:fs/promises";
import { test, expect, open, accessible } from "./page.js";

const MARKUP = '<img src="x" onerror="window.ran = 1"><script>window.ran = 2</script><svg onload="window.ran = 3"></svg>{{7*7}}${7*7}';
/** An override to the right without an end, isolates without an end, an end without a beginning, Hebrew and Arabic. */
const TURNED = "\u202egpj.\u2067\u05d0\u05d1\u05d2 \u0627\u0644\u0639 \u2069\u2069\u200f\u202e";
const CONTROLS = "\u0001\u0007\u0008\u001b[31mred\u001b[0m\u007f\u0085\u2028\u2029";
const UNSEEN = "a\u200bb\u200c\u200d\u2060\ufeff\u00ad";
const LONG = "w".repeat(3000);
const ALL = [MARKUP, TURNED, CONTROLS, UNSEEN, LONG];
/** The longest name of an annotation: a prefix of 253 characters and a name of 63. */
const KEY = `${["a", "b", "c"].map((c) => c.repeat(63)).join(".")}.${"d".repeat(61)}/${"k".repeat(63)}`;
/** The longest name of an object. */
const NAME = ["x", "y", "z", "0"].map((c) => c.repeat(c === "0" ? 61 : 63)).join(".");

const manifest = (...objects) => objects.map((o) => JSON.stringify(o)).join("\n---\n");
const config = (name, data, annotations = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, annotations }, data });
const annotated = Object.fromEntries([[KEY, LONG], ...ALL.map((text, i) => [`team/${"markup turned controls unseen long".split(" ")[i]}`, text])]);

/** Nothing has run, no element came of a text, and nothing is wider than the window. */
async function whole(page) {
  const found = await page.evaluate(() => {
    const roots = [document];
    for (const root of roots) for (const element of root.querySelectorAll("*")) if (element.shadowRoot) roots.push(element.shadowRoot);
    const all = roots.flatMap((root) => [...root.querySelectorAll("body *, .cm-editor *")]);
    const wide = ["html", "body", ".app", "main", ".left", ".graph", ".inspector", ".bottom", ".next", ".said", ".toast", "dialog[open] .sheet"];
    return {
      ran: window.ran,
      made: all.filter((e) => e.matches("img[src=x], [onerror], [onload], script:not([src])")).length,
      wide: wide.filter((s) => [...document.querySelectorAll(s)].some((e) => {
        const scrolls = ["auto", "scroll", "visible"].includes(getComputedStyle(e).overflowX);
        return e.getBoundingClientRect().right > innerWidth + 1 || (scrolls && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0);
      })),
      scrolled: document.scrollingElement.scrollLeft + document.querySelector(".app").scrollLeft,
    };
  });
  expect(found).toEqual({ ran: undefined, made: 0, wide: [], scrolled: 0 });
}

/** Whether these words, which stand in an element, are drawn from left to right. */
const leftToRight = (locator, words) => locator.evaluate((element, words) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const at = node.data.lastIndexOf(words);
    if (at < 0) continue;
    const places = [...words].map((_, i) => {
      const range = document.createRange();
      range.setStart(node, at + i);
      range.setEnd(node, at + i + 1);
      return range.getBoundingClientRect();
    }).filter((place) => place.width > 0);
    return places.every((place, i) => i === 0 || place.left >= places[i - 1].left - 1 || place.top > places[i - 1].top + 2);
  }
  return `no “${words}” in ${element.textContent.slice(0, 200)}`;
}, words);

test("objects full of markup, turned text and control characters are shown as text, in every tab", async ({ page }) => {
  test.slow();
  await open(page);
  const out = await page.evaluate((text) => window.steady.apply(text), manifest(
    config("hostile", Object.fromEntries(ALL.map((text, i) => [`v${i}`, text])), annotated),
    config(NAME, { a: "b" }),
    { apiVersion: "v1", kind: "Pod", metadata: { name: "hostile", annotations: annotated }, spec: { containers: [
      { name: "c", image: "busybox", command: ["sh", "-c", `echo '${MARKUP}'; echo '${TURNED}'; sleep 9999`], env: ALL.map((value, i) => ({ name: `E${i}`, value })) }] } },
    { apiVersion: "v1", kind: "Event", metadata: { name: "hostile", namespace: "default" }, reason: "Hostile", type: "Warning", count: 1,
      message: `${MARKUP} ${TURNED}`, involvedObject: { apiVersion: "v1", kind: "Pod", name: "hostile", namespace: "default" }, source: { component: TURNED } },
  ));
  expect(out.exit, out.stderr).toBe(0);
  await page.evaluate(() => window.steady.runToSteady());
  await whole(page);
  for (const name of [/^ConfigMap hostile/, new RegExp(`^ConfigMap ${NAME.slice(0, 20)}`), /^Pod hostile/]) {
    await page.getByRole("button", { name }).first().click();
    const tabs = page.locator(".inspector").getByRole("tab");
    for (const tab of await tabs.all()) {
      if (!(await tab.isVisible())) continue;
      await tab.click();
      await expect(tab).toHaveAttribute("aria-selected", "true");
      await page.waitForTimeout(150);
      await whole(page);
    }
  }
  await page.locator(".inspector").getByRole("tab", { name: "YAML" }).click();
  await expect(page.locator(".inspected")).toContainText("<img src=");
  await accessible(page, ".inspector");
  // What stands after a turned text on its line is not turned.
  expect(await page.locator(".app").evaluate((app) => ["b", "code", "span", "em", "small"].map((name) => {
    const element = app.appendChild(document.createElement(name));
    const { unicodeBidi } = getComputedStyle(element);
    element.remove();
    return unicodeBidi;
  }))).toEqual(Array(5).fill("isolate"));
  // Everything is as it was written.
  const [pod] = await page.evaluate(async () => (await window.steady.objects("pods")).filter((p) => p.metadata.name === "hostile"));
  for (const [key, text] of Object.entries(annotated)) expect(pod.metadata.annotations[key]).toBe(text);
});

test("what the terminal prints and refuses is text", async ({ page }) => {
  await open(page);
  await page.evaluate((text) => window.steady.apply(text), manifest(config("hostile", { markup: MARKUP, turned: TURNED, controls: CONTROLS, unseen: UNSEEN }, annotated)));
  await page.getByRole("tab", { name: "kubectl" }).click();
  const line = page.getByRole("combobox", { name: "kubectl" });
  const run = async (text) => {
    await line.fill(text);
    await line.press("Enter");
    await expect(page.locator(".entry").last()).toContainText(text.slice(0, 8));
    await whole(page);
  };
  for (const text of [
    "kubectl get configmap hostile -o yaml", "kubectl get configmap hostile -o json", "kubectl describe configmap hostile",
    `echo '${MARKUP}'`, `echo '${TURNED}'`, `kubectl get pods '${MARKUP}'`, `kubectl get '${TURNED}'`, `'${MARKUP}'`, `kubectl get pods -l '${MARKUP}'`,
    `kubectl get configmap hostile -o jsonpath='{.data}'`,
  ]) await run(text);
  await expect(page.locator(".log")).toContainText("<img src=");
  // A line under a turned one begins where all begin.
  await run("echo after");
  const last = page.locator(".entry pre").last();
  expect(await leftToRight(last, "after")).toBe(true);
  await accessible(page, ".left");
});

test("a manifest of nonsense is refused with its own words, as text", async ({ page }) => {
  await open(page);
  for (const text of [MARKUP, TURNED, CONTROLS, UNSEEN, `kind: ${JSON.stringify(MARKUP)}\napiVersion: v1\n`,
    manifest(config("bad", {}, { [MARKUP]: "a" })), manifest({ ...config("x", {}), metadata: { name: TURNED } }), manifest({ ...config("x", {}), [TURNED]: 1 })]) {
    const editor = page.getByRole("textbox", { name: "Manifest" });
    await editor.click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("Backspace");
    await page.keyboard.insertText(text);
    await page.locator(".apply .solid").click();
    await whole(page);
  }
  expect(await page.evaluate(() => window.steady.step())).toBe(true);
});

test("a run's name of markup and turned text: in the list, and in what is said of it", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.step());
  await expect.poll(() => page.evaluate(async () => (await indexedDB.databases()).map((d) => d.name))).toContain("steady");
  await page.waitForTimeout(1500);
  await page.getByRole("button", { name: "Scenarios" }).click();
  await page.getByRole("button", { name: "Your runs" }).click();
  const dialog = page.getByRole("dialog", { name: "Your runs" });
  for (const name of [MARKUP.slice(0, 70), TURNED.slice(0, 70), UNSEEN, "W".repeat(80)]) {
    await dialog.getByRole("button", { name: /^Rename/ }).first().click();
    await page.getByLabel("Name of the run").fill(name);
    await page.keyboard.press("Enter");
    await expect(dialog.getByRole("listitem").locator("b")).toHaveText([name], { useInnerText: false });
    await whole(page);
    await dialog.getByRole("button", { name: /^Delete/ }).first().click();
    const undo = dialog.locator(".run-undo");
    await expect(undo).toBeVisible();
    // What stands before the name and after it stays where it was.
    expect(await leftToRight(undo, "Deleted:"), name).toBe(true);
    const places = await undo.evaluate((p) => {
      const range = document.createRange();
      range.setStart(p.firstChild, 0);
      range.setEnd(p.firstChild, "Deleted:".length);
      return [p, range, p.querySelector("button")].map((x) => x.getBoundingClientRect().left);
    });
    expect(places[1] - places[0], name).toBeLessThan(40);
    expect(places[2], name).toBeGreaterThan(places[1]);
    await whole(page);
    await undo.getByRole("button", { name: "Undo" }).click();
    await expect(dialog.getByRole("listitem")).toHaveCount(1);
  }
  await accessible(page, "dialog.runs");
});

test("files that are dropped are text, whatever their names and contents", async ({ page }) => {
  await open(page);
  const drop = (files) => page.evaluate((files) => {
    const data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([text], name, { type: "text/html" }));
    for (const type of ["dragover", "drop"]) window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);
  await drop([[`${MARKUP}.yaml`, manifest(config("dropped", { a: MARKUP }, { "team/a": TURNED }))], [`${TURNED}.html`, `# ${MARKUP}`]]);
  await expect(page.getByRole("textbox", { name: "Manifest" })).toContainText("dropped");
  await whole(page);
  await drop([["x.html", `<html><body>${MARKUP}</body></html>`]]);
  await page.waitForTimeout(500);
  await whole(page);
  expect(await page.evaluate(() => window.steady.step())).toBe(true);
});

test("a value of a megabyte: it is shown, kept whole in files, and the page goes on", async ({ page }) => {
  test.slow();
  await open(page);
  // As much as an object may have (Kubernetes' pkg/apis/core/types.go, MaxSecretSize), in one line and with markup at its end.
  const value = `${"m".repeat(1024 * 1024 - 400)}${MARKUP}`;
  // Not with apply: kubectl keeps all of it in an annotation, which is refused.
  const create = (name, value) => page.evaluate((line) => window.steady.kubectl(line), `create configmap ${name} --from-literal='value=${value}'`);
  const out = await create("large", value);
  expect(out.exit, out.stderr).toBe(0);
  await page.getByRole("button", { name: /^ConfigMap large/ }).click();
  await page.locator(".inspector").getByRole("tab", { name: "YAML" }).click();
  await expect(page.locator(".inspected")).toContainText("kind: ConfigMap");
  await whole(page);
  expect(await page.evaluate(() => window.steady.step())).toBe(true);
  const [kept] = await page.evaluate(async () => (await window.steady.objects("configmaps")).filter((c) => c.metadata.name === "large"));
  expect(kept.data.value === value).toBe(true);
  // One more byte than an object may have is refused with the reason.
  const over = await create("over", "m".repeat(1024 * 1024 + 1));
  expect(over.exit).not.toBe(0);
  expect(over.stderr).toMatch(/Too long|must have at most/);
  await page.getByRole("tab", { name: "kubectl" }).click();
  const line = page.getByRole("combobox", { name: "kubectl" });
  await line.fill("kubectl get configmap large -o yaml | wc -c");
  await line.press("Enter");
  await expect(page.locator(".entry pre").last()).toHaveText(/^\d{7}$/, { timeout: 60_000 });
  await whole(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("dialog").getByRole("button", { name: "All objects, YAML", exact: true }).click()]);
  expect((await readFile(await file.path(), "utf8")).replace(/\s/g, "")).toContain("m".repeat(1024 * 1024 - 400));
});

test("a link and a file keep hostile texts as they are", async ({ page, context }) => {
  await open(page);
  await page.evaluate((text) => window.steady.apply(text), manifest(config("hostile", Object.fromEntries(ALL.map((text, i) => [`v${i}`, text])), annotated)));
  const [link, digest] = await page.evaluate(() => Promise.all([window.steady.link(), window.steady.digest()]));
  const other = await context.newPage();
  await open(other, link);
  await expect.poll(() => other.evaluate(() => window.steady.digest())).toBe(digest);
  const [there] = await other.evaluate(async () => (await window.steady.objects("configmaps")).filter((c) => c.metadata.name === "hostile"));
  expect(Object.values(there.data)).toEqual(ALL);
  for (const [key, text] of Object.entries(annotated)) expect(there.metadata.annotations[key]).toBe(text);
  await whole(other);
  await other.close();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const saved = async (name) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("dialog").getByRole("button", { name, exact: true }).click()]);
    return readFile(await file.path(), "utf8");
  };
  // The declared objects make the same ones in another cluster.
  const declared = await saved("What was declared, YAML");
  const svg = await saved("Graph, SVG");
  expect(svg).not.toMatch(/<img|<script|onload=/);
  const next = await context.newPage();
  await open(next, "#22-empty");
  const out = await next.evaluate((yaml) => window.steady.apply(yaml), declared);
  expect(out.exit, out.stderr).toBe(0);
  const [again] = await next.evaluate(async () => (await window.steady.objects("configmaps")).filter((c) => c.metadata.name === "hostile"));
  expect(again.data).toEqual(there.data);
});
