// Starts the page. Trunk would do this in an inline script, which the Content-Security-Policy
// refuses; Trunk.toml's pattern_script names this file instead and hands it the two built files.
// A theme that was chosen holds before anything is drawn.
try {
  const theme = localStorage.getItem("steady:theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* no storage, no memory */ }

const { js, wasm } = document.getElementById("boot").dataset;
const here = (path) => new URL(path, document.baseURI).href;

// The editor is another module, fetched when the page first asks for it (after its first paint):
// `steadyEditor(element, options)` gives a promise of what `mount` in editor/editor.js returns.
window.steadyEditor = async (element, options) => {
  const { mount } = await import("./editor.js");
  return mount(element, { schemaUrl: new URL("schema.json", import.meta.url).href, ...options });
};

try {
  const page = await import(here(js));
  await page.default({ module_or_path: here(wasm) });
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
