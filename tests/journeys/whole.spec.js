// What strangers met with manifests of their own: a whole application, a refusal, Jobs, schedules that never end, a phone.
import { accessible, expect, open, test, opened } from "./page.js";

const scenario = async (page, name) => {
  await page.locator(".scenarios .menu-button").click();
  await page.getByRole("option", { name }).click();
};

const meta = (name, app = name) => `metadata: {name: ${name}, labels: {app: ${app}}}`;
const template = (app, image, more = "") => `
  selector: {matchLabels: {app: ${app}}}
  template:
    metadata: {labels: {app: ${app}}}
    spec:
      containers: [{name: main, image: "${image}"${more}}]`;
const service = (name, more = "") => `apiVersion: v1
kind: Service
${meta(name)}
spec: {${more}selector: {app: ${name}}, ports: [{port: 80}]}`;

const APPLICATION = [
  `apiVersion: v1\nkind: ConfigMap\n${meta("settings")}\ndata: {LEVEL: info}`,
  `apiVersion: v1\nkind: Secret\n${meta("password")}\nstringData: {WORD: x}`,
  `apiVersion: apps/v1\nkind: Deployment\n${meta("front")}\nspec:\n  replicas: 3${template("front", "nginx:1.27")}`,
  `apiVersion: apps/v1\nkind: Deployment\n${meta("back")}\nspec:\n  replicas: 2${template("back", "team/api:1",
    ", envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: password}}]")}`,
  `apiVersion: apps/v1\nkind: DaemonSet\n${meta("logs")}\nspec:${template("logs", "team/logs:1")}`,
  `apiVersion: apps/v1\nkind: StatefulSet\n${meta("db")}\nspec:\n  replicas: 2\n  serviceName: db${template("db", "postgres:17",
    ", env: [{name: POSTGRES_PASSWORD, value: x}]")}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`,
  service("front"), service("back"), service("db", "clusterIP: None, "),
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\n${meta("shop")}\nspec: {defaultBackend: {service: {name: front, port: {number: 80}}}}`,
  `apiVersion: batch/v1\nkind: CronJob\n${meta("report")}
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: busybox, command: [sleep, "5"]}]`,
].join("\n---\n");

const apply = (page, text) => page.evaluate((text) => window.steady.apply(text), text);
const toSteady = (page) => page.evaluate(() => window.steady.runToSteady());

test("a whole application fits the graph, and no head lies on another", async ({ page }) => {
  await open(page);
  await scenario(page, /An empty cluster/);
  expect((await apply(page, APPLICATION)).stderr).toBe("");
  await toSteady(page);
  await expect(page.locator(".pill.met")).toBeVisible();
  await expect(page.locator(".card")).not.toHaveCount(0);
  // Cards move to their places.
  await page.waitForTimeout(500);
  const inside = await page.evaluate(() => {
    const canvas = document.querySelector(".canvas").getBoundingClientRect();
    const out = (r) => r.left < canvas.left || r.right > canvas.right || r.top < canvas.top || r.bottom > canvas.bottom;
    return [...document.querySelectorAll(".card .box")].filter((e) => out(e.getBoundingClientRect())).length;
  });
  expect(inside).toBe(0);
  const heads = await page.locator("text.title").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().toJSON()));
  heads.sort((a, b) => a.left - b.left);
  for (const [i, head] of heads.entries()) expect(head.right).toBeLessThan(heads[i + 1]?.left ?? Infinity);
  // What controllers keep about others is there when it is asked for.
  const slices = page.locator(".card", { hasText: "EndpointSlice" });
  await expect(slices).toHaveCount(0);
  await page.getByRole("button", { name: /records$/ }).click();
  await expect(slices).not.toHaveCount(0);
  await accessible(page, ".graph");
});

test("a refusal begins with its reason, and the rest is folded", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.steady.kubectl("get pods"));
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  // The browser would give a text that takes another's place that one's style, which the page's policy refuses.
  await page.keyboard.press("Backspace");
  await page.keyboard.insertText("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicaz: 3}\n");
  await page.locator(".apply .solid").click();
  const told = page.locator(".changes.bad");
  await expect(told).toContainText("It was refused:");
  await expect(told.locator("span").first()).toContainText('unknown field "spec.replicaz"');
  await expect(told.locator("span").first()).not.toContainText("map[");
  await expect(told.locator("pre")).toBeHidden();
  await told.locator("summary").click();
  await expect(told.locator("pre")).toContainText("map[");
});

test("a Job whose command never ends is counted and said, and one that has ended is not suspended", async ({ page }) => {
  await open(page);
  await scenario(page, /An empty cluster/);
  await page.evaluate(() => window.steady.kubectl("create job never --image=busybox -- sleep infinity"));
  await page.evaluate(() => window.steady.kubectl("create job one --image=busybox -- sleep 5"));
  await toSteady(page);
  await expect(page.locator(".pill.unmet")).toContainText("Stuck");
  await expect(page.locator(".pill")).toContainText("1/2 succeeded");
  await expect(page.locator(".shorts")).toContainText("does not end by itself");
  await page.locator(".card", { hasText: "one" }).first().click();
  await expect(page.locator(".inspector .chips")).toContainText("1 of 1 succeeded");
  await expect(page.locator(".actions").getByRole("button", { name: "Suspend" })).toHaveCount(0);
});

test("to steady ends where schedules overlap, and the clock runs to a moment", async ({ page }) => {
  await open(page);
  await scenario(page, /slower than its schedule/);
  await page.getByRole("button", { name: "Allow both" }).click();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await expect(page.locator(".toast")).toContainText("10 runs of schedules", { timeout: 30_000 });
  const clock = page.locator(".clock .menu-button");
  await expect(clock).toContainText("2026-01-01");
  await clock.click();
  await page.getByRole("menuitemradio", { name: "To 2026-01-01 01:00:00" }).click();
  await expect(clock).toContainText("01:00:", { timeout: 30_000 });
  await expect(page.locator(".card", { hasText: "CronJob" })).toContainText("next 01:01");
});

test("a step with nothing to do says so, and a text that is older than the cluster is marked", async ({ page }) => {
  await open(page);
  await scenario(page, /One on every node/);
  await expect(page.locator(".pill")).toContainText("2/3 ready");
  await expect(page.locator(".card", { hasText: "DaemonSet" })).toContainText("2 / 3");
  await expect(page.locator(".changes")).toContainText("nothing");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".toast")).toContainText("Nothing is left to do");
  // What is tried is in the text, too; what is done in another way is not.
  await page.getByRole("button", { name: "Undo the update" }).click();
  await expect(page.locator(".cm-content")).toContainText("fluentd:v1.17");
  await expect(page.locator(".cm-content")).not.toContainText("sim.steady/ready");
  await expect(page.locator(".changes")).toContainText("nothing");
  await page.evaluate(() => window.steady.kubectl("set image daemonset agent agent=fluent/fluentd:v1.16"));
  await expect(page.locator(".changes")).toContainText("Apply would put back");
  await expect(page.locator(".changes")).not.toContainText("generation");
});

test("on a phone the story stands above the graph, and nothing lies on the cards", async ({ page }) => {
  for (const viewport of [{ width: 390, height: 844 }, { width: 720, height: 450 }]) {
    await page.setViewportSize(viewport);
    await open(page);
    await expect(page.locator(".brief")).toContainText("each Step is one command");
    const [over, canvas] = await page.locator(".over, .canvas").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().toJSON()));
    expect(over.bottom).toBeLessThanOrEqual(canvas.top + 1);
    const wide = await page.locator(".over > *").evaluateAll((all) => Math.max(...all.map((e) => e.getBoundingClientRect().right)));
    expect(wide).toBeLessThanOrEqual(over.right);
    await accessible(page, ".graph");
  }
});

test("a shared link opens with the selected object and its Deployment in sight", async ({ page, context }) => {
  await open(page);
  await page.evaluate(() => window.steady.runToSteady());
  await page.evaluate(() => { window.steady.kubectl("scale deployment web --replicas=14"); return window.steady.runToSteady(); });
  await page.getByRole("button", { name: /^Deployment web/ }).click();
  const link = await page.evaluate(() => window.steady.link());
  const other = await context.newPage();
  await other.setViewportSize({ width: 1100, height: 700 });
  await other.addInitScript(() => localStorage.clear());
  await other.goto(link);
  await opened(other);
  const card = other.getByRole("button", { name: /^Deployment web/ });
  await expect(card).toBeVisible();
  // The cards are drawn anew while the run is repeated.
  const below = () => card.evaluate((c) => c.getBoundingClientRect().top - (c.closest(".canvas")?.getBoundingClientRect().top ?? Infinity));
  await expect.poll(below).toBeGreaterThan(0);
});
