// Starts the page. Trunk would do this in an inline script, which the Content-Security-Policy
// refuses; Trunk.toml's pattern_script names this file instead and hands it the two built files.
// A theme that was chosen holds before anything is drawn.
try {
  const theme = localStorage.getItem("steady:theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* no storage, no memory */ }

const { js, wasm, second } = document.getElementById("boot").dataset;
const here = (path) => new URL(path, document.baseURI).href;

// The editor is another module, fetched when the page first asks for it (after its first paint):
// `steadyEditor(element, options)` gives a promise of what `mount` in editor/editor.js returns.
window.steadyEditor = async (element, options) => {
  const { mount } = await import("./editor.js");
  return mount(element, { schemaUrl: new URL("schema.json", import.meta.url).href, ...options });
};

// As it is published the wasm is in two parts (split/): what opening the page runs, and the rest, which is
// fetched and compiled beside the page after its first paint. `placed`: it is there.
let placed = false, fetching;
const place = (module, exports, how) => {
  new WebAssembly.Instance(module, { first: exports });
  placed = true;
  performance.mark("steady:second", { detail: how });
};

const beside = async (exports) => {
  for (let wait = 1000; !placed; wait = Math.min(2 * wait, 60_000)) {
    try {
      fetching = new AbortController();
      const answer = fetch(here(second), { priority: "low", signal: fetching.signal });
      const module = await WebAssembly.compileStreaming(answer);
      if (!placed) place(module, exports, "beside");
    } catch (error) {
      if (placed) return;
      console.info("Steady's second part:", error);
      await new Promise((again) => setTimeout(again, wait));
    }
  }
};

// For the first part, which has come upon a function of the second: it is there when this comes back. In the
// middle of a command there is no leaving and coming back later, so nothing else happens meanwhile, and if it
// cannot be had somebody has to say whether to go on trying.
window.steadySecond = (exports) => {
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
      const chinese = document.documentElement.lang.startsWith("zh");
      if (!confirm(chinese
        ? `Steady 的一部分无法加载（${error.message}）。“确定”重试；“取消”则页面停在这里，之后请重新加载，您的工作不会丢失。`
        : `A part of Steady could not be loaded (${error.message}). OK tries again. Cancel stops the page here; reload it later, your work is kept.`)) throw error;
    }
  }
};

try {
  const page = await import(here(js));
  const exports = await page.default({ module_or_path: here(wasm) });
  if (second) requestAnimationFrame(() => setTimeout(() => beside(exports)));
} catch (error) {
  console.error(error);
  const state = document.getElementById("boot-state");
  if (state) {
    state.setAttribute("role", "alert");
    state.textContent = typeof WebAssembly === "undefined"
      ? "This browser has WebAssembly switched off, and Steady is made of it."
      : `Steady could not start (${error?.message ?? error}). Reload the page to try again.`;
  }
}
