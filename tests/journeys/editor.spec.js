import { test, expect, open, accessible } from "./page.js";

// The editor by itself, on an element of the test's: what the page builds on.
const TEXT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: nginx
        
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  
`;

const MOD = process.platform === "darwin" ? "Meta" : "Control";

test.beforeEach(async ({ page }) => {
  await open(page);
  await page.evaluate(async (text) => {
    const host = document.createElement("section");
    host.id = "editor-under-test";
    for (const [k, v] of Object.entries({ position: "fixed", inset: "0", zIndex: "999", background: "#fff" })) host.style[k] = v;
    document.body.append(host);
    window.log = [];
    window.editor = await window.steadyEditor(host, {
      text, ariaLabel: "Editor under test",
      onChange: (t) => window.log.push(["change", t.length]), onApply: (t) => window.log.push(["apply", t.length]),
    });
  }, TEXT);
});

/** Puts the cursor at the end of a line (from 1). */
async function goTo(page, line) {
  await page.evaluate(() => window.editor.focus());
  await page.keyboard.press(`${MOD}+Home`);
  for (let i = 1; i < line; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
}

/** The page has an editor of its own: this one lies over it. */
const here = (page) => page.locator("#editor-under-test");

const options = (page) => here(page).locator(".cm-tooltip-autocomplete li");

/** The names that completion offers here. */
async function offered(page) {
  await page.keyboard.press("Control+Space");
  await expect(options(page).first()).toBeVisible();
  return here(page).locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents();
}

test("it is styled, named and accessible", async ({ page }) => {
  const content = page.getByRole("textbox", { name: "Editor under test" });
  await expect(content).toBeVisible();
  // CodeMirror's own style sheet holds: without it the gutter would not be beside the text.
  await expect(here(page).locator(".cm-scroller")).toHaveCSS("display", "flex");
  await accessible(page, "#editor-under-test");
  // Its colours are the page's.
  await page.evaluate(() => { document.documentElement.dataset.theme = "dark"; window.editor.setTheme(true); });
  await expect(here(page).locator(".cm-editor")).toHaveCSS("background-color", "rgb(22, 24, 28)");
  await accessible(page, "#editor-under-test");
});

test("fields are completed where they belong", async ({ page }) => {
  await goTo(page, 16);
  const container = await offered(page);
  expect(container).toContain("imagePullPolicy");
  expect(container).toContain("readinessProbe");
  expect(container).not.toContain("image");
  expect(container).not.toContain("replicas");
  await page.keyboard.press("Escape");
  // The other document has another kind.
  await goTo(page, 23);
  const service = await offered(page);
  expect(service).toContain("clusterIP");
  expect(service).not.toContain("replicas");
});

test("completing a field goes on to its values", async ({ page }) => {
  await goTo(page, 16);
  await page.keyboard.type("imagePullP");
  await expect(options(page)).toHaveCount(1);
  // CodeMirror ignores Enter for a moment after the list appears.
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  await expect(options(page)).toHaveText(["Always", "IfNotPresent", "Never"]);
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => window.editor.getText())).toContain("        imagePullPolicy: Always\n---");
});

test("kinds follow the group", async ({ page }) => {
  await page.evaluate(() => window.editor.setText("apiVersion: apps/v1\nkind: \n"));
  await goTo(page, 2);
  const kinds = await offered(page);
  expect(kinds).toContain("Deployment");
  expect(kinds).toContain("ReplicaSet");
  expect(kinds).not.toContain("Pod");
});

test("hovering a field explains it", async ({ page }) => {
  await here(page).getByText("replicas", { exact: true }).hover();
  await expect(here(page).locator(".cm-doc")).toContainText("spec.replicas");
  await expect(here(page).locator(".cm-doc")).toContainText("integer");
  await expect(here(page).locator(".cm-doc")).toContainText("Number of desired pods");
  await here(page).getByText("image", { exact: true }).hover();
  await expect(here(page).locator(".cm-doc")).toContainText("spec.template.spec.containers[].image");
});

test("diagnostics, marked lines and what the person does", async ({ page }) => {
  await page.evaluate(() => {
    window.editor.setDiagnostics([{ line: 6, column: 3, severity: "error", message: "spec.replicas: <b>no</b>" }]);
    window.editor.highlightLines([4, 6, 9999]);
  });
  await expect(here(page).locator(".cm-lintRange-error")).toHaveText(/replicas/);
  await expect(here(page).locator(".cm-marked")).toHaveCount(2);
  await here(page).locator(".cm-lintRange-error").first().hover();
  await expect(here(page).locator(".cm-diagnostic")).toContainText("spec.replicas: <b>no</b>");
  await goTo(page, 6);
  await page.keyboard.type("0");
  await page.keyboard.press(`${MOD}+Enter`);
  expect(await page.evaluate(() => window.log)).toEqual([["change", TEXT.length + 1], ["apply", TEXT.length + 1]]);
  await page.evaluate(() => window.editor.setText("a: b\n"));
  expect(await page.evaluate(() => [window.editor.getText(), window.log.length])).toEqual(["a: b\n", 2]);
});

test("a key that stands twice is marked at both places", async ({ page }) => {
  await page.evaluate(() => window.editor.setText("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, name: b}\ndata:\n  x: '1'\n  'x': '2'\n"));
  await expect(here(page).locator(".cm-lintRange-warning")).toHaveText(["name", "name", "x", "'x'"]);
  await here(page).locator(".cm-lintRange-warning").nth(2).hover();
  await expect(here(page).locator(".cm-diagnostic")).toContainText("The key x stands again in line $2".replace("$2", "6"));
  // What the page finds wrong stays beside it, and the mark goes with the mistake.
  await page.evaluate(() => {
    window.editor.setDiagnostics([{ line: 1, column: 1, severity: "error", message: "no" }]);
    window.editor.setText("apiVersion: v1\n");
  });
  await expect(here(page).locator(".cm-lintRange-warning")).toHaveCount(0);
});

test("Enter indents after a key, and goes on beside a field", async ({ page }) => {
  await page.evaluate(() => window.editor.setText("spec:\n  strategy:"));
  await goTo(page, 2);
  await page.keyboard.press("Enter");
  await page.keyboard.type("type: Recreate");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await page.keyboard.type("x: 1");
  expect(await page.evaluate(() => window.editor.getText())).toBe("spec:\n  strategy:\n    type: Recreate\n    x: 1");
});

test("an empty document begins with a kind", async ({ page }) => {
  await page.evaluate(() => window.editor.setText("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n---\n"));
  await goTo(page, 6);
  const all = await offered(page);
  for (const kind of ["Deployment", "StatefulSet", "CronJob", "Ingress", "NetworkPolicy", "CustomResourceDefinition"]) expect(all).toContain(kind);
  await page.keyboard.type("Deploy");
  await expect(options(page).first()).toContainText("Deployment");
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  // The first place to fill in is selected, wherever it stands.
  await page.keyboard.type("shop");
  const text = await page.evaluate(() => window.editor.getText());
  expect(text).toContain("---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n");
  expect(text).toContain("matchLabels:\n      app: shop\n");
  // Where a document has begun, fields are offered and nothing else.
  await goTo(page, 23);
  expect(await offered(page)).toEqual(["status"]);
});

test("documents fold to their kind and name", async ({ page }) => {
  await goTo(page, 1);
  await page.keyboard.press(process.platform === "darwin" ? "Control+Alt+[" : "Control+Alt+BracketLeft");
  await expect(here(page).locator(".cm-foldPlaceholder")).toHaveText(["… Deployment web", "… Service web"]);
  await accessible(page, "#editor-under-test");
  await here(page).locator(".cm-foldPlaceholder").last().click();
  await expect(here(page).locator(".cm-foldPlaceholder")).toHaveText(["… Deployment web"]);
});

test("a place is gone to, and what may be meant is put in its stead", async ({ page }) => {
  await page.evaluate(() => {
    const instead = { was: "nginx", is: "nginx:1.27", said: "Change to nginx:1.27" };
    window.editor.setDiagnostics([{ line: 15, column: 9, severity: "warning", message: "no tag", instead }]);
    window.editor.goTo({ line: 15, column: 9 });
  });
  await expect(here(page).locator(".cm-activeLine")).toContainText("image: nginx");
  await here(page).locator(".cm-lintRange-warning").hover();
  await here(page).getByRole("button", { name: "Change to nginx:1.27" }).click();
  expect(await page.evaluate(() => window.editor.getText())).toContain("image: nginx:1.27\n");
});

test("Shift+Alt+F and the button format the text, and an error leads to its line", async ({ page }) => {
  const loaded = [];
  page.on("request", (r) => loaded.push(new URL(r.url()).pathname.split("/").pop()));
  const set = (text) => page.evaluate((text) => window.editor.setText(text), text);
  const text = () => page.evaluate(() => window.editor.getText());
  const content = page.locator("#editor-under-test").getByRole("textbox", { name: "Editor under test" });
  await set("# mine\na:\n    b:   0644   # mode\n    c: |\n       one\n         two\n---\nd: {e:   1}\n");
  expect(loaded).not.toContain("format.js");
  await content.click();
  await page.keyboard.press("Shift+Alt+KeyF");
  await expect.poll(text).toBe("# mine\na:\n  b: 0644 # mode\n  c: |\n    one\n      two\n---\nd: {e: 1}\n");
  await page.keyboard.press(`${MOD}+z`);
  expect(await text()).toContain("    b:   0644");
  await page.evaluate(() => document.getElementById("editor-under-test").remove());

  const manifest = page.getByRole("textbox", { name: "Manifest" });
  const put = async (text) => {
    await manifest.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
  };
  const lines = () => manifest.locator(".cm-line").allTextContents();
  await put("apiVersion: v1\nkind: ConfigMap\nmetadata:\n      name: wide # a name\n");
  await page.getByRole("button", { name: "Format", exact: true }).click();
  await expect.poll(lines).toEqual(["apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: wide # a name", ""]);
  await accessible(page, ".left");
  await page.screenshot({ path: "test-results/format.png" });
  await put("apiVersion: v1\nmetadata:\n  - [1\nkind: x\n");
  await page.getByRole("button", { name: "Format", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText(/Not formatted: line \d cannot be read/);
  await expect(manifest).toBeFocused();
});
