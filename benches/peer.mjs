// The same work by Steady and by webernetes, each in a fresh tab of one Chromium, one after the other in one run:
// `cargo xtask bench --only peer` builds pkg/ and calls this.
//
//   node benches/peer.mjs [replicas…]
//
// Work: a Deployment of so many replicas from its apply until all are Ready, and then another image until all run that. What is
// told is the CPU time of the tab's main thread: webernetes keeps real time, so it also waits, which costs nothing here. The image of
// webernetes' pods does nothing but wait to be killed.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { build } from "esbuild";
import { chromium } from "@playwright/test";

const sizes = process.argv.slice(2).map(Number).filter(Boolean);
const replicas = sizes.length ? sizes : [100, 300, 1000];
const PEER = "@ngrok/webernetes";
const { version } = JSON.parse(await readFile(new URL(`../node_modules/${PEER}/package.json`, import.meta.url), "utf8"));

const bundle = await build({
  stdin: {
    contents: `
      import { BaseImage, Cluster } from "${PEER}";
      class Waits extends BaseImage {
        static imageName = "nginx";
        static imageVersion = "1.27";
        defaultCommand = ["wait"];
        async exec(ctx) { return await ctx.waitUntilKilled(); }
      }
      class WaitsToo extends Waits { static imageVersion = "1.28"; }
      window.peer = async (nodes) => {
        const cluster = new Cluster({ nodes });
        for (const image of [Waits, WaitsToo]) cluster.registerImage(image);
        await cluster.init();
        let seen = () => {};
        const informer = cluster.informer("deployments", (_, deployment) => seen(deployment));
        await informer?.start?.();
        return (deployment) => new Promise((done, fail) => {
          const n = deployment.spec.replicas, image = deployment.spec.template.spec.containers[0].image;
          seen = (d) => {
            const s = d.status ?? {};
            const current = d.spec.template.spec.containers[0].image === image && s.observedGeneration === d.metadata.generation;
            if (current && s.readyReplicas === n && s.updatedReplicas === n && s.replicas === n) done();
          };
          cluster.apply([deployment]).catch(fail);
        });
      };`,
    resolveDir: new URL("..", import.meta.url).pathname,
  },
  bundle: true, format: "iife", write: false, define: { global: "globalThis", "process.env.NODE_ENV": "'production'" },
});

const pkg = new URL("../pkg/", import.meta.url);
const pages = {
  "/peer": `<!doctype html><title>peer</title><script src="/peer.js"></script>`,
  "/steady": `<!doctype html><title>steady</title>`,
};
const server = createServer(async ({ url }, response) => {
  const type = { js: "text/javascript", wasm: "application/wasm" }[url.split(".").pop()] ?? "text/html";
  try {
    const body = pages[url] ?? (url === "/peer.js" ? bundle.outputFiles[0].text : await readFile(new URL(`.${url}`, pkg)));
    response.writeHead(200, { "Content-Type": type }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${server.address().port}`;

const deployment = (n, image) => ({
  apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: {
    replicas: n, selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "nginx", image }] } },
  },
});

const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
});

/** Does two pieces of work in a fresh tab; tells the milliseconds of CPU that each took. */
async function measured(path, begin, work, n) {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  await page.goto(address + path);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpu = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return metrics.find((m) => m.name === "TaskDuration").value * 1000;
  };
  await page.evaluate(begin, Math.max(3, Math.ceil(n / 100)));
  const took = [];
  for (const image of ["nginx:1.27", "nginx:1.28"]) {
    const before = await cpu();
    await page.evaluate(work, deployment(n, image));
    took.push((await cpu()) - before);
  }
  await page.close();
  return took;
}

const ours = {
  begin: async (nodes) => {
    const module = await import("/steady.js");
    await module.default();
    window.cluster = new module.Steady({ nodes });
  },
  work: async (deployment) => {
    const out = window.cluster.apply(JSON.stringify(deployment));
    if (out.exit !== 0) throw new Error(out.stderr);
    while (window.cluster.run(1000) === 1000) await new Promise((go) => setTimeout(go));
    const { status } = window.cluster.objects("deployments")[0];
    if (status.readyReplicas !== deployment.spec.replicas || status.updatedReplicas !== deployment.spec.replicas) throw new Error(JSON.stringify(status));
  },
};
const theirs = {
  begin: async (nodes) => { window.work = await window.peer(nodes); },
  work: (deployment) => window.work(deployment),
};

console.log(`\n### Beside ${PEER} ${version}, CPU ms in a cold tab of Chromium ${browser.version()}\n`);
console.log("| replicas | Steady: to Ready | webernetes: to Ready | times less | Steady: rollout | webernetes: rollout | times less |");
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const n of replicas) {
  const [up, over] = await measured("/steady", ours.begin, ours.work, n);
  const [theirUp, theirOver] = await measured("/peer", theirs.begin, theirs.work, n);
  const row = [n, up, theirUp, theirUp / up, over, theirOver, theirOver / over];
  console.log(`| ${row.map((x) => x.toFixed(0)).join(" | ")} |`);
}
await browser.close();
server.close();
