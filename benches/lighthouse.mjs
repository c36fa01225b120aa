// Lighthouse's scores of the page as it is published, with the files as a host sends them: `cargo xtask bench --only
// lighthouse` builds the page, serves it and calls this. npm fetches Lighthouse into its own cache, once for each machine:
// it brings two hundred packages, which nothing else here needs.
//
//   STEADY_URL=http://… node benches/lighthouse.mjs
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LIGHTHOUSE = "lighthouse@12.8.2";
const RUNS = 3;
const MEASURES = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift", "speed-index"];

const dir = mkdtempSync(join(tmpdir(), "steady-lighthouse-"));
const once = (form) => {
  const file = join(dir, "report.json");
  const flags = ["--quiet", "--output=json", `--output-path=${file}`, "--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage"];
  if (form === "desktop") flags.push("--preset=desktop");
  const npx = process.platform === "win32" ? "npx.cmd" : "npx";
  const { status, stderr } = spawnSync(npx, ["--yes", LIGHTHOUSE, process.env.STEADY_URL, ...flags], {
    env: { ...process.env, CHROME_PATH: process.env.CHROME ?? "" }, encoding: "utf8", shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`Lighthouse failed: ${stderr}`);
  return JSON.parse(readFileSync(file, "utf8"));
};
const score = (report) => report.categories.performance.score;

console.log(`\n### ${LIGHTHOUSE}, the middle one of ${RUNS} runs by performance\n`);
console.log("| form | performance | accessibility | best practices | SEO | FCP | LCP | TBT | CLS | speed index |");
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const form of ["desktop", "mobile"]) {
  const runs = Array.from({ length: RUNS }, () => once(form)).sort((a, b) => score(a) - score(b));
  const report = runs[RUNS >> 1];
  const scores = Object.values(report.categories).map((category) => Math.round(category.score * 100));
  console.log(`| ${[form, ...scores, ...MEASURES.map((name) => report.audits[name].displayValue)].join(" | ")} |`);
}
rmSync(dir, { recursive: true });
