// Starts the page. Trunk would do this in an inline script, which the Content-Security-Policy
// refuses; Trunk.toml's pattern_script names this file instead and hands it the two built files.
const { js, wasm, second, worker } = document.getElementById("boot").dataset;
const here = (path) => new URL(path, document.baseURI).href;

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
// `steadyWhen(work)` calls a function once the whole of the wasm is there.
let whole;
const isWhole = new Promise((resolve) => (whole = resolve));
window.steadyWhen ??= (work) => isWhole.then(work);

// As it is published the wasm is in two parts (crates/split/): what opening the page runs, and the rest, which is
// fetched and compiled beside the page after its first paint. `placed`: it is there; `given`: why it was given up.
let compiled, placed = false, fetching, given;
const compile = async (priority) => {
  fetching = new AbortController();
  compiled ??= await WebAssembly.compileStreaming(fetch(here(second), { priority, signal: fetching.signal }));
};
const place = (module, exports, how) => {
  new WebAssembly.Instance(module, { first: exports });
  placed = true;
  whole();
  performance.mark("steady:second", { detail: how });
};
const beside = async (exports) => {
  for (let wait = 1000; !placed && !given; wait = Math.min(2 * wait, 60_000)) {
    try {
      await compile("low");
      if (!placed && !given) place(compiled, exports, "beside");
    } catch (error) {
      if (!placed) console.info("Steady's second part:", error);
      await new Promise((again) => setTimeout(again, wait));
    }
  }
};

// For the first part, when it has come upon a function of the second: that is there when this comes back. In the
// middle of a command there is no leaving and coming back later, so nothing else happens meanwhile; and if it
// cannot be had, somebody has to say whether to go on trying.
window.steadySecond = (exports) => {
  if (given) throw given;
  if (compiled && !placed) return place(compiled, exports, "ahead");
  fetching?.abort();
  while (!placed) {
    try {
      const request = new XMLHttpRequest();
      request.open("GET", here(second), false);
      request.overrideMimeType("text/plain; charset=x-user-defined");
      request.send();
      if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
      const bytes = Uint8Array.from(request.responseText, (c) => c.charCodeAt(0));
      place(new WebAssembly.Module(bytes), exports, "at once");
    } catch (error) {
      const [ask, words] = isChinese()
        ? ["Steady 的一部分无法加载。“确定”重试；“取消”则页面停在这里。", "Steady 的一部分无法加载，页面已停止。请稍后重新加载：您的工作不会丢失。"]
        : ["A part of Steady could not be loaded. OK tries again; Cancel stops the page here.", "A part of Steady could not be loaded, and the page has stopped. Reload it later: your work is kept."];
      if (confirm(`${ask}\n\n${error.message}`)) continue;
      const note = Object.assign(document.createElement("p"), { className: "shell-note", role: "alert", textContent: words });
      document.body.append(note);
      throw (given = error);
    }
  }
};

// Whoever comes with a link or comes back to work needs both parts at once.
const resumes = "resumes" in document.documentElement.dataset;

// The first screen needs styles and a font, which the wasm would compete with: it is fetched once that screen was drawn. A
// tab in the background draws nothing, and a browser may not say what it has drawn.
const drawn = resumes || document.hidden
  ? Promise.resolve()
  : new Promise((resolve) => {
    new PerformanceObserver(resolve).observe({ type: "paint", buffered: true });
    requestAnimationFrame(() => setTimeout(resolve, 200));
  });

try {
  await drawn;
  const first = fetch(here(wasm));
  const ahead = second && resumes ? compile("high").catch((error) => console.info("Steady's second part:", error)) : undefined;
  const page = await import(here(js));
  await ahead;
  const exports = await page.default({ module_or_path: first });
  if (second) requestAnimationFrame(() => setTimeout(() => beside(exports)));
  else whole();
} catch (error) {
  console.error(error);
  const text = typeof WebAssembly === "undefined"
    ? ["This browser has WebAssembly switched off, and Steady is made of it.", "此浏览器关闭了 WebAssembly，而 Steady 需要它。"]
    : [`Steady could not start (${error?.message ?? error}). Reload the page to try again.`, `Steady 无法启动（${error?.message ?? error}）。请重新加载页面再试。`];
  document.body.append(Object.assign(document.createElement("p"), { className: "shell-note", role: "alert", textContent: text[isChinese() ? 1 : 0] }));
}

// A published page works offline after one visit (static/sw.js). The worker fetches every file of the page, so it begins
// when the page has all that it needs by itself.
const offline = async () => {
  const registration = await navigator.serviceWorker.register(here(worker));
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
  isWhole.then(() => {
    const soon = window.requestIdleCallback ?? setTimeout;
    soon(() => offline().catch((error) => console.info("Steady offline:", error)), { timeout: 5000 });
  });
}
