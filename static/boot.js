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
const schemaUrl = new URL("schema.json", import.meta.url).href;
window.steadyEditor = async (element, options) => {
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
      const [ask, words] = document.documentElement.lang.startsWith("zh")
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
let resumes = location.hash.length > 1;
try {
  resumes ||= localStorage.getItem("steady:work") !== null;
} catch { /* no storage, no work */ }

try {
  const ahead = second && resumes ? compile("high").catch((error) => console.info("Steady's second part:", error)) : undefined;
  const page = await import(here(js));
  await ahead;
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
