// The journeys: a person's whole path through the built page. `cargo xtask test --only journeys`
// builds it, serves it and sets STEADY_URL and CHROME; `npx playwright test` alone serves dist/ as
// it is.
import { defineConfig } from "@playwright/test";

const port = 4173;
const { STEADY_URL, CHROME, CI } = process.env;

export default defineConfig({
  testDir: "tests/journeys",
  outputDir: "test-results",
  forbidOnly: !!CI,
  // As many as CI has cores.
  workers: 2,
  // A machine under load may be slower than a journey waits. One that passes only when it is tried
  // again is listed as flaky at the end: that is a defect, of the page or of the journey.
  retries: CI ? 2 : 0,
  // How long a machine takes says nothing of the page.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    baseURL: STEADY_URL ?? `http://127.0.0.1:${port}/`,
    viewport: { width: 1440, height: 900 },
    locale: "en-US",
    // What it answers, a journey cannot hold back or change. tests/journeys/offline.spec.js has it.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
    // Recording a trace takes a fifth of a journey's time.
    trace: "on-first-retry",
    launchOptions: {
      executablePath: CHROME,
      args: [
        "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
      ],
    },
    channel: CHROME ? undefined : "chrome",
  },
  webServer: STEADY_URL ? undefined : {
    command: `cargo xtask serve --no-build --port ${port}`,
    url: `http://127.0.0.1:${port}/`,
    reuseExistingServer: true,
  },
});
