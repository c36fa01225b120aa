// Starts the page and its engine. Trunk would start the page in an inline script, which the Content-Security-Policy
// refuses; Trunk.toml's pattern_script names this file instead and hands it the two built files. The engine is another wasm,
// in a worker (static/worker.js). As they are published both are in two parts, and `crates/split` names their files.
import { secondPart } from "./second.js";

const { js, wasm, second, engineJs, engineWasm, engineSecond, worker } = document.getElementById("boot").dataset;
const here = (path) => new URL(path, document.baseURI).href;
// Where a script is named by an address, the Content-Security-Policy lets this policy alone through (Trusted Types), and the
// policy lets two scripts through.
const policy = window.trustedTypes?.createPolicy("steady", {
  createScriptURL: (url) => {
    if (![here("worker.js"), worker && here(worker)].includes(url.split("?")[0])) throw new TypeError(`no script of Steady: ${url}`);
    return url;
  },
});
const script = (path) => policy?.createScriptURL(here(path)) ?? here(path);

// Whoever comes with a link or comes back to work, and whoever explores, needs both parts of the wasm at once. For others the
// second part of the page comes when the page stands, and after it that of the engine.
const resumes = "resumes" in document.documentElement.dataset;
let enginesTurn;
const isEnginesTurn = new Promise((resolve) => (enginesTurn = resolve));
// Starts a worker, which does what its name says: `engine` or `explorer`. An engine that could not be had twice in parts is
// taken whole.
let engines = 0;
window.steadyWorker = (name) => {
  if (name === "engine") engines += 1;
  const files = new URLSearchParams(engineSecond && engines <= 2
    ? { js: engineJs, wasm: engineWasm, second: engineSecond }
    : { js: "./steady-worker.js", wasm: "./steady-worker_bg.wasm" });
  if (resumes || name !== "engine") files.set("ahead", "");
  const worker = new Worker(script(`worker.js?${files}`), { type: "module", name });
  isEnginesTurn.then(() => worker.postMessage("steady:second"));
  return worker;
};
const part = secondPart(second && here(second));
let exports;
window.steadyStands = () => setTimeout(() => part.beside(exports).then(enginesTurn));
// For the first part, when it has come upon a function of the second. Without that the call has no end, and what it was about to
// do is half done: nothing of the page can be used any more.
window.steadySecond = (exports) => {
  try {
    part.atOnce(exports);
  } catch (error) {
    window.steadyFailed(error?.message ?? error, true);
    throw error;
  }
};

// The engine's worker is started beside the page, which takes it over with what has come from it by then.
let engine;
const startEngine = () => {
  const early = [], worker = window.steadyWorker("engine");
  worker.onmessage = ({ data }) => early.push(data);
  worker.onerror = ({ message }) => early.push(JSON.stringify([{ Failed: message ?? "the engine's worker cannot be loaded" }]));
  engine = { worker, early };
};
window.steadyEngine = () => {
  const started = engine;
  engine = undefined;
  return started;
};

const schemaUrl = new URL("schema.json", import.meta.url).href;
const isChinese = () => document.documentElement.lang.startsWith("zh");

// The editor is another module, fetched when its place is in sight first (after the first paint; on a phone, when somebody
// goes there): `steadyEditor(element, options)` gives a promise of what `mount` in editor/editor.js returns.
const inSight = (element) => new Promise((resolve) => {
  const observer = new IntersectionObserver((seen) => {
    if (!seen.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    resolve();
  });
  observer.observe(element);
});
window.steadyEditor = async (element, options) => {
  await inSight(element);
  const { mount } = await import("./editor.js");
  return mount(element, { schemaUrl, ...options });
};

// Kubernetes' own texts, for `kubectl explain`: what the editor explains from. `null` if they cannot be had.
window.steadyTexts = async () => {
  try {
    const answer = await fetch(schemaUrl);
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
};

// The text of a lesson of the course, by its id. `null` if it cannot be had.
window.steadyLesson = async (id) => {
  try {
    const answer = await fetch(`lessons/${encodeURIComponent(id)}.yaml`);
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
};

// What gives files to the person, fetched when one is asked for: a PNG if there is a scale, else the text as it is.
window.steadySave = async (name, type, text, scale) => {
  const { save, png } = await import("./export.js");
  await (scale ? png(name, text, scale) : save(name, type, text));
};
// Says that the page cannot start; or that it cannot go on, because a part of it is missing.
window.steadyFailed = (why, isMissing) => {
  const text = typeof WebAssembly === "undefined"
    ? ["This browser has WebAssembly switched off, and Steady is made of it.", "此浏览器关闭了 WebAssembly，而 Steady 需要它。"]
    : isMissing ? [`A part of Steady could not be loaded (${why}). Reload the page to go on from the last moment that was kept.`, `Steady 的一部分无法加载（${why}）。请重新加载页面，从最近一次保存的时刻继续。`]
    : [`Steady could not start (${why}). Reload the page to try again: your work is kept.`, `Steady 无法启动（${why}）。请重新加载页面再试：你的工作不会丢失。`];
  if (isMissing) document.getElementById("app").inert = true;
  document.querySelector("body > .shell-note")?.remove();
  document.body.append(Object.assign(document.createElement("p"), { className: "shell-note", role: "alert", textContent: text[isChinese() ? 1 : 0] }));
};

// The first screen needs styles and a font, which the wasm would compete with: it is fetched once that screen was drawn. A
// tab in the background draws nothing, and a browser may not say what it has drawn.
const drawn = resumes || document.hidden
  ? Promise.resolve()
  : new Promise((resolve) => {
    new PerformanceObserver(resolve).observe({ type: "paint", buffered: true });
    requestAnimationFrame(() => setTimeout(resolve, 200));
  });

let started;
const isStarted = new Promise((resolve) => (started = resolve));
try {
  await drawn;
  const first = fetch(here(wasm));
  startEngine();
  const ahead = resumes ? part.ahead() : undefined;
  const page = await import(here(js));
  await ahead;
  exports = await page.default({ module_or_path: first });
  started();
} catch (error) {
  console.error(error);
  window.steadyFailed(error?.message ?? error);
}

// A published page works offline after one visit (static/sw.js). The worker fetches every file of the page, so it begins
// when the page stands and has its second part.
const offline = async () => {
  const registration = await navigator.serviceWorker.register(script(worker));
  if (!registration) return;
  const ready = () => {
    // Without a controller this is the first visit: there is no old page.
    if (!registration.waiting || !navigator.serviceWorker.controller) return;
    window.steadyUpdate = () => {
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
      registration.waiting.postMessage("steady:update");
    };
    window.dispatchEvent(new Event("steady:update"));
  };
  const follow = () => registration.installing?.addEventListener("statechange", (e) => e.target.state === "installed" && ready());
  registration.addEventListener("updatefound", follow);
  follow();
  ready();
  // Somebody who leaves the tab open for days hears of a new version, too.
  setInterval(() => registration.update().catch(() => {}), 3_600_000);
};
const alone = document.documentElement.dataset.shape !== "embedded";
if (worker && alone && "serviceWorker" in navigator && window.isSecureContext) {
  Promise.all([isStarted, isEnginesTurn]).then(() => {
    const soon = window.requestIdleCallback ?? setTimeout;
    soon(() => offline().catch((error) => console.info("Steady offline:", error)), { timeout: 5000 });
  });
}
