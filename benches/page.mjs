// The longest main-thread blocks of the page with very many pods: `cargo xtask bench --only page`
// builds the page as it is published, serves it and calls this.
//
//   STEADY_URL=http://… node benches/page.mjs [replicas…]
//
// A block is a task of the renderer's main thread, as Chromium's tracing has it: how long it took on
// the clock, and how much of that the thread had the CPU.
import { deflateRawSync } from "node:zlib";
import { chromium } from "@playwright/test";

const sizes = process.argv.slice(2).map(Number).filter(Boolean);
const manifest = (n) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: many}
spec:
  replicas: ${n}
  selector: {matchLabels: {app: many}}
  template:
    metadata: {labels: {app: many}}
    spec: {containers: [{name: c, image: nginx}]}
`;

/** Five clients of the Deployment, which send a thousand requests a second together. */
const clients = `apiVersion: v1
kind: Service
metadata: {name: many}
spec: {selector: {app: many}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: clients}
spec:
  replicas: 5
  selector: {matchLabels: {app: clients}}
  template:
    metadata:
      labels: {app: clients}
      annotations: {sim.steady/requests: "200/s http://many/"}
    spec: {containers: [{name: c, image: "busybox:1.37", command: [sleep, infinity]}]}
`;

/** A link to a cluster with room for so many pods, with some manifests applied. */
const link = (n, ...texts) => {
  const start = { scenario: "", seed: 1, nodes: Math.max(3, Math.ceil((n + 5) / 100)) };
  const run = { start, ops: texts.map((text) => ({ k: ["apply -f manifest.yaml", [["manifest.yaml", text]]] })) };
  return `#a${deflateRawSync(JSON.stringify(run)).toString("base64url")}`;
};

const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});

for (const replicas of sizes.length ? sizes : [1000, 10000]) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: "en-US" });
  const cdp = await page.context().newCDPSession(page);
  await page.goto(process.env.STEADY_URL);
  await page.locator(".next[aria-busy=false]").waitFor();
  console.log(`\n### The longest blocks of the page, ${replicas} pods, in Chromium ${browser.version()}\n`);
  console.log("| while | longest block, CPU ms | its wall ms | second, CPU ms | frames: worst / median ms |");
  console.log("| --- | ---: | ---: | ---: | ---: |");

  const traced = async (name, work) => {
    const events = [];
    const collect = (e) => events.push(...e.value);
    cdp.on("Tracing.dataCollected", collect);
    await cdp.send("Tracing.start", {
      transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "__metadata"] },
    });
    await page.evaluate(() => {
      let last = performance.now();
      window.frames_ = [];
      const next = (now) => {
        window.frames_.push(now - last);
        last = now;
        window.frame_ = requestAnimationFrame(next);
      };
      window.frame_ = requestAnimationFrame(next);
    });
    await work();
    const frames = await page.evaluate(() => (cancelAnimationFrame(window.frame_), window.frames_.slice(2).sort((a, b) => a - b)));
    const complete = new Promise((go) => cdp.once("Tracing.tracingComplete", go));
    await cdp.send("Tracing.end");
    await complete;
    cdp.off("Tracing.dataCollected", collect);
    const threads = events.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain");
    const main = new Set(threads.map((e) => `${e.pid}.${e.tid}`));
    const tasks = events.filter((e) => /RunTask$/.test(e.name) && e.dur && main.has(`${e.pid}.${e.tid}`));
    // A task and the one around it are the same block.
    const blocks = tasks.filter((e) => e.name === "ThreadControllerImpl::RunTask" || !tasks.some((t) => t.name !== e.name))
      .map((e) => [e.tdur / 1000, e.dur / 1000]).sort((a, b) => b[0] - a[0]);
    const [first, second] = [...blocks, [0, 0], [0, 0]];
    const drawn = frames.length ? `${frames.at(-1).toFixed(0)} / ${frames[frames.length >> 1].toFixed(1)}` : "";
    console.log(`| ${name} | ${first[0].toFixed(1)} | ${first[1].toFixed(1)} | ${second[0].toFixed(1)} | ${drawn} |`);
  };
  const keys = async (key, times, wait = 90) => {
    for (let i = 0; i < times; i++) {
      await page.keyboard.press(key);
      await page.waitForTimeout(wait);
    }
  };
  const drag = async (dx, dy) => {
    await page.mouse.move(800, 400);
    await page.mouse.down();
    for (let i = 1; i <= 40; i++) await page.mouse.move(800 + dx * i, 400 + dy * i);
    await page.mouse.up();
  };

  await traced("opening the link", async () => {
    await page.evaluate((hash) => (location.hash = hash), link(replicas, manifest(replicas)));
    await page.waitForFunction(async () => (await window.steady.objects("deployments"))[0]?.metadata.name === "many");
  });
  await traced("the first 20 steps", () => keys("ArrowRight", 20));
  await traced("running to steady", () => page.evaluate(() => window.steady.runToSteady()));
  await page.waitForTimeout(2000);
  await traced("20 steps back", () => keys("ArrowLeft", 20));
  await traced("15 steps forth", () => keys("ArrowRight", 15));
  await traced("panning, all in view", () => drag(5, 3));
  await traced("zooming in", async () => {
    await page.mouse.move(700, 350);
    await page.keyboard.down("Control");
    for (let i = 0; i < 30; i++) await page.mouse.wheel(0, -12);
    await page.keyboard.up("Control");
  });
  await traced("panning, near", () => drag(-8, -3));
  await traced("selecting a pod", () => page.mouse.click(700, 300));
  await traced("walking by keys", async () => {
    await page.keyboard.press("g");
    await keys("ArrowRight", 5);
  });
  await traced("its events and history", async () => {
    await page.locator("#tab-events").click();
    await page.locator("#tab-history").click();
    await page.locator("#tab-yaml").click();
  });
  await traced("to the start and to the end", async () => {
    await page.locator(".strip").focus();
    await keys("Home", 1, 500);
    await keys("End", 1, 1500);
  });
  await traced("to the map and 20 steps back", async () => {
    await page.keyboard.press("v");
    await page.locator(".map-world").waitFor();
    await keys("ArrowLeft", 20);
  });
  await traced("15 steps forth on the map", () => keys("ArrowRight", 15));
  await traced("back to the objects", async () => {
    await page.keyboard.press("v");
    await page.locator("g.card").first().waitFor();
  });
  await traced("sharing", async () => {
    await page.locator(".share").click();
    await page.waitForFunction(() => document.querySelector("#share-link")?.value.includes("#"));
  });
  await page.keyboard.press("Escape");
  await traced("opening one with clients", async () => {
    await page.evaluate((hash) => (location.hash = hash), link(replicas, manifest(replicas), clients));
    await page.waitForFunction(async () => (await window.steady.objects("deployments")).length === 2);
  });
  await traced("running it to steady", () => page.evaluate(() => window.steady.runToSteady()));
  await page.evaluate(() => window.steady.kubectl("rollout restart deployment many"));
  await traced("20 steps of its rollout, 1000 requests/s", () => keys("ArrowRight", 20));
  await traced("its rollout to the end", () => page.evaluate(() => window.steady.runToSteady()));
  await traced("20 steps back", () => keys("ArrowLeft", 20));
  await traced("choosing in the chart of its requests", async () => {
    await page.locator(".traffic-chart").focus();
    await keys("ArrowLeft", 20);
  });
  await traced("going to the first that was lost", async () => {
    // Without a lost request there is nothing to go to.
    if (await page.locator(".traffic-first").count()) await page.locator(".traffic-first").click();
    await page.waitForTimeout(1500);
  });
  await page.close();
}
await browser.close();
