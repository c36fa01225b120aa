// The terminal: lines of a shell in which kubectl is a command.
import { test, expect, open, accessible } from "./page.js";

const tab = (page) => page.getByRole("tab", { name: "kubectl" });
const line = (page) => page.getByRole("combobox", { name: "kubectl" });
const entry = (page) => page.locator(".entry").last();
const printed = (page) => entry(page).locator("pre");
const step = (page) => page.locator(".transport .step");
const words = (page) => page.getByRole("listbox", { name: "How the line can go on" });

async function terminal(page) {
  await open(page);
  await tab(page).click();
  await expect(line(page)).toBeFocused();
}

async function run(page, text) {
  await line(page).fill(text);
  await line(page).press("Enter");
}

test("Tab completes, a second Tab lists, and Escape, then Tab, leaves", async ({ page }) => {
  await terminal(page);
  await page.evaluate(() => window.steady.runToSteady());
  await line(page).pressSequentially("kubectl desc");
  await line(page).press("Tab");
  await expect(line(page)).toHaveValue("kubectl describe ");
  await line(page).pressSequentially("no");
  await line(page).press("Tab");
  await expect(line(page)).toHaveValue("kubectl describe nodes ");
  await line(page).press("Tab");
  await expect(line(page)).toHaveValue("kubectl describe nodes node-");
  await expect(words(page)).toHaveCount(0);
  await line(page).press("Tab");
  await expect(words(page).getByRole("option")).toHaveText(["node-1", "node-2", "node-3"]);
  await expect(line(page)).toHaveAttribute("aria-expanded", "true");
  await line(page).press("ArrowDown");
  const active = await line(page).getAttribute("aria-activedescendant");
  await expect(page.locator(`#${active}`)).toHaveText("node-2");
  await accessible(page, ".left");
  await line(page).pressSequentially("3");
  await expect(words(page)).toHaveCount(0);
  await line(page).press("Backspace");
  await line(page).press("Tab");
  await line(page).press("Tab");
  await words(page).getByText("node-3").click();
  await expect(line(page)).toHaveValue("kubectl describe nodes node-3 ");
  await expect(line(page)).toBeFocused();
  await line(page).press("Tab");
  await line(page).press("Tab");
  await expect(words(page)).toBeVisible();
  await line(page).press("Escape");
  await expect(words(page)).toHaveCount(0);
  await line(page).press("Tab");
  await expect(line(page)).not.toBeFocused();
});

test("pipes choose among what kubectl prints, and a button copies it", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await terminal(page);
  await run(page, "kubectl get nodes -o name | grep -v 2 | wc -l");
  await expect(printed(page)).toHaveText("2");
  await run(page, "get nodes -o name | sort -r | head -n 1; echo done");
  await expect(printed(page)).toHaveText("node/node-3\ndone");
  await page.getByRole("button", { name: /^Copy what “get nodes/ }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("node/node-3\ndone\n");
  await run(page, "kubectl get nodes > nodes.txt");
  await expect(printed(page)).toContainText("no file can be written here");
  await run(page, "help");
  await expect(entry(page)).toContainText("Ctrl+R");
  await accessible(page, ".left");
  await line(page).press("Control+l");
  await expect(page.locator(".entry")).toHaveCount(0);
});

test("a watch lives while one steps, and a step back takes back what it printed", async ({ page }) => {
  await terminal(page);
  await run(page, "kubectl get deployments -w");
  await expect(entry(page)).toContainText("It goes on");
  const first = await printed(page).textContent();
  const rows = () => printed(page).evaluate((pre) => pre.textContent.split("\n").length);
  await page.evaluate(() => window.steady.runToSteady());
  await expect(printed(page)).toContainText("3/3");
  const many = await rows();
  expect(many).toBeGreaterThan(4);
  await run(page, "");
  await expect(printed(page)).toContainText("3/3");
  // All steps back at once.
  await page.getByRole("slider", { name: "Timeline" }).press("Home");
  await expect(printed(page)).toHaveText(first);
  // Step does again what a person did next: the set-up of the scenario.
  await step(page).click();
  await page.evaluate(() => window.steady.runToSteady());
  await expect(printed(page)).toContainText("3/3");
  await line(page).press("Control+c");
  await expect(printed(page)).toContainText("^C");
  await expect(entry(page)).not.toContainText("It goes on");
  await run(page, "watch kubectl get pods");
  await expect(printed(page)).toContainText("Every 2.0s: kubectl get pods");
});

test("the lines are kept over a reload: with a beginning, by a search, and several lines", async ({ page }) => {
  await terminal(page);
  for (const text of ["kubectl get pods", "kubectl get svc", "echo one"]) await run(page, text);
  await expect(page.locator(".entry")).toHaveCount(3);
  await page.reload();
  await expect(page.locator("#app > .shell")).toHaveCount(0);
  await tab(page).click();
  await line(page).press("ArrowUp");
  await expect(line(page)).toHaveValue("echo one");
  await line(page).press("ArrowDown");
  await expect(line(page)).toHaveValue("");
  await line(page).pressSequentially("kubectl");
  await line(page).press("ArrowUp");
  await expect(line(page)).toHaveValue("kubectl get svc");
  await line(page).press("ArrowUp");
  await expect(line(page)).toHaveValue("kubectl get pods");
  await line(page).press("Control+c");
  await expect(line(page)).toHaveValue("");
  await line(page).press("Control+r");
  await line(page).pressSequentially("one");
  await expect(page.locator(".found")).toContainText("echo one");
  await accessible(page, ".left");
  await line(page).press("Enter");
  await expect(printed(page)).toHaveText("one");
});

test("a line that is not finished goes on in the next, also when it is pasted", async ({ page }) => {
  await terminal(page);
  await run(page, "kubectl apply -f - <<EOF");
  await expect(page.locator(".begun")).toHaveText("> kubectl apply -f - <<EOF");
  await expect(page.locator(".entry")).toHaveCount(0);
  for (const text of ["apiVersion: v1", "kind: ConfigMap", "metadata: {name: typed}", "EOF"]) await run(page, text);
  await expect(printed(page)).toHaveText("configmap/typed created");
  await line(page).evaluate((el) => {
    const data = new DataTransfer();
    data.setData("text/plain", "$ kubectl get cm typed \\\n    -o name\n$ kubectl get ns default -o name\nkubectl get");
    el.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await expect(page.locator(".entry pre")).toHaveText(["configmap/typed created", "configmap/typed", "namespace/default"]);
  await expect(line(page)).toHaveValue("kubectl get");
});

test("explain prints Kubernetes' own texts, which are loaded when they are asked for", async ({ page }) => {
  await terminal(page);
  await run(page, "kubectl explain pods.spec.containers | head -n 12");
  await expect(printed(page)).toContainText("FIELD: containers <[]Container>");
  await expect(printed(page)).toContainText("List of containers belonging to the pod.");
  await run(page, "kubectl explain deployment --recursive");
  await expect(printed(page)).toContainText("maxSurge\t<IntOrString>");
  await run(page, "kubectl explain pods.spec.restartPolicy");
  await expect(printed(page)).toContainText("ENUM:");
});

test("kubectl edit opens the object in the editor, Save writes it, and the manifest comes back", async ({ page }) => {
  await terminal(page);
  await run(page, "kubectl edit deployment web");
  await expect(page.locator(".editing")).toContainText("kubectl edit deployment web");
  const editor = page.getByRole("textbox", { name: "Manifest" });
  await expect(editor).toContainText("Please edit the object below");
  await accessible(page, ".left");
  await editor.click();
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "Find" }).fill("replicas: 3");
  await page.getByRole("textbox", { name: "Replace" }).fill("replicas: 2");
  await page.getByRole("button", { name: "replace all" }).click();
  await page.keyboard.press("Escape");
  await expect(page.locator(".changes")).toContainText("replicas");
  await page.getByRole("button", { name: /^Save/ }).click();
  await expect(printed(page)).toHaveText("deployment.apps/web edited");
  await expect(line(page)).toBeFocused();
  await page.evaluate(() => window.steady.runToSteady());
  expect(await page.evaluate(async () => (await window.steady.objects("pods")).length)).toBe(2);
  const link = await page.evaluate(() => window.steady.link());
  const digest = await page.evaluate(() => window.steady.digest());
  await page.getByRole("tab", { name: "Manifest" }).click();
  await expect(editor).not.toContainText("Please edit");
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.getByText("Opened the link")).toBeVisible();
  expect(await page.evaluate(() => window.steady.digest())).toBe(digest);
});

test("the namespace of the context holds for the lines after it", async ({ page }) => {
  await terminal(page);
  await run(page, "kubectl create namespace team && kubectl config set-context --current --namespace=team");
  await expect(printed(page)).toContainText('Context "steady" modified.');
  await run(page, "kubectl get pods");
  await expect(printed(page)).toHaveText("No resources found in team namespace.");
});

test("which commands in a container are steps is said at the first one, and in the help", async ({ page }) => {
  await terminal(page);
  await page.evaluate(() => window.steady.runToSteady());
  const note = page.locator(".exec-note");
  await run(page, "kubectl get pods");
  await expect(note).toHaveCount(0);
  const at = page.getByRole("slider", { name: "Timeline" });
  const before = await at.getAttribute("aria-valuenow");
  await run(page, "kubectl exec deploy/web -- cat /etc/hostname");
  await expect(note).toContainText("What only looks is no step.");
  await expect(at).toHaveAttribute("aria-valuenow", before);
  await run(page, "kubectl exec deploy/web -- sh -c 'echo hello >/tmp/greeting'");
  await expect(at).not.toHaveAttribute("aria-valuenow", before);
  await expect(note).toHaveCount(1);
  await run(page, "help");
  await expect(entry(page)).toContainText("Of kubectl exec these are commands that write a file");
});

test("a debug container is gone into, and ends with its shell", async ({ page }) => {
  await terminal(page);
  await page.evaluate(() => window.steady.runToSteady());
  const pod = await page.evaluate(async () => (await window.steady.objects("pods"))[0].metadata.name);
  await run(page, `kubectl debug -it ${pod} --image=busybox -c look`);
  await expect(entry(page)).toContainText("each step, and it looks again");
  await page.evaluate(() => window.steady.runToSteady());
  await expect(printed(page)).toContainText("If you don't see a command prompt, try pressing enter.");
  const inside = page.locator("#kubectl-line");
  await expect(inside).toHaveAccessibleName(new RegExp(pod));
  await inside.fill("wget -qO- localhost | head -1");
  await inside.press("Enter");
  await expect(printed(page)).toContainText("<!DOCTYPE html>");
  await expect(page.locator(".said")).toContainText("wget -qO- localhost");
  await accessible(page, ".left");
  await inside.fill("sleep 1000");
  await inside.press("Enter");
  await inside.press("Control+c");
  await expect(printed(page)).toContainText("^C");
  await inside.press("Control+d");
  await expect(printed(page)).toContainText("Session ended, the ephemeral container will not be restarted");
  await expect(line(page)).toBeVisible();
  await page.evaluate(() => window.steady.runToSteady());
  await run(page, `kubectl get pod ${pod} -o jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}`);
  await expect(printed(page)).toHaveText("130");
});

test("a shell in a container: its prompt, its files, and an end with the container", async ({ page }) => {
  await terminal(page);
  await page.evaluate(() => window.steady.runToSteady());
  await run(page, "kubectl exec -it deploy/web -- bash");
  const inside = page.getByRole("combobox", { name: /^Shell in the container nginx of the pod web-/ });
  await expect(inside).toBeFocused();
  await expect(entry(page)).toContainText("Ctrl+D leaves it");
  await expect(page.locator(".line > span")).toHaveText(/^root@web-.*:\/#$/);
  const type = async (text) => { await inside.fill(text); await inside.press("Enter"); };
  await type("cd /tmp; echo hello >greeting");
  await type("cat gr*; hostname");
  await expect(printed(page)).toHaveText(/^hello\nweb-/);
  await expect(page.locator(".typed").last()).toContainText(/root@web-.*:\/tmp# cat gr\*/);
  await accessible(page, ".left");
  await inside.pressSequentially("cat /etc/hostn");
  await inside.press("Tab");
  await expect(inside).toHaveValue("cat /etc/hostname ");
  await inside.press("Control+c");
  await expect(inside).toHaveValue("");
  await inside.press("ArrowUp");
  await expect(inside).toHaveValue("cat gr*; hostname");
  await inside.fill("");
  await page.screenshot({ path: "test-results/terminal-inside.png" });
  // The pod is deleted; a step back brings its container and the shell back.
  await page.evaluate(() => window.steady.kubectl("delete pods --all --wait=false"));
  await page.evaluate(() => window.steady.runToSteady());
  await expect(printed(page)).toHaveText("command terminated with exit code 137");
  await expect(line(page)).toBeVisible();
  await page.getByRole("slider", { name: "Timeline" }).press("Home");
  while (!(await inside.count())) await page.getByRole("slider", { name: "Timeline" }).press("ArrowRight");
  await inside.press("Control+d");
  await expect(page.locator(".typed").last()).toContainText("exit");
  await run(page, "kubectl get nodes -o name");
  await expect(printed(page)).toContainText("node/node-1");
  await run(page, "kubectl exec --help | grep container");
  await expect(printed(page)).toContainText("-c, --container=''");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  test("the line is large enough, and its keys can be tapped", async ({ page }) => {
    await open(page);
    await page.getByRole("button", { name: "Edit" }).or(page.getByRole("tab", { name: "Edit" })).first().tap();
    await tab(page).tap();
    expect(await line(page).evaluate((el) => parseFloat(getComputedStyle(el).fontSize))).toBeGreaterThanOrEqual(16);
    await line(page).fill("kubectl rollout re");
    await page.getByRole("button", { name: "Complete" }).tap();
    await expect(line(page)).toHaveValue("kubectl rollout res");
    await page.getByRole("button", { name: "Complete" }).tap();
    await words(page).getByText("restart").tap();
    await expect(line(page)).toHaveValue("kubectl rollout restart ");
    await accessible(page, ".left");
    await page.getByRole("button", { name: "End or clear" }).tap();
    await expect(line(page)).toHaveValue("");
  });
});
