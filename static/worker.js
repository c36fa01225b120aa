// A worker of the page: loads the wasm, gives it a slice of time after the other, and carries messages, which are JSON lists.
// Its name says what it does: it is the `engine` of the page, or the `explorer`, which works out every order. The page hears
// `{ "Failed": … }` if anything here goes wrong, a trap in the wasm included; then this worker does nothing any more.
//
// Its address names the files of the wasm: `js`, `wasm`, and `second` where the wasm is in two parts (crates/split/); `ahead`
// says that the second one will be needed at once.
const files = new URL(import.meta.url).searchParams;
const [js, wasm, second] = ["js", "wasm", "second"].map((name) => files.get(name) && new URL(files.get(name), import.meta.url).href);

let role, planned = false, timer, dead = false;
const heard = [];

const tell = (said) => said !== "[]" && postMessage(said);
const fail = (error) => {
  if (dead) return;
  dead = true;
  console.error(error);
  postMessage(JSON.stringify([{ Failed: String(error?.message ?? error) }]));
};
const guarded = (work) => {
  if (dead) return;
  try {
    work();
  } catch (error) {
    fail(error);
  }
};

// Tasks that follow each other without the 4 ms that browsers put between nested timers. Messages of the page are heard
// between two of them.
const { port1, port2 } = new MessageChannel();
const goOn = () => guarded(() => {
  planned = false;
  tell(role.goOn());
  plan();
});
const plan = () => {
  clearTimeout(timer);
  const wait = role.due();
  if (wait === undefined || planned) return;
  if (wait > 0) timer = setTimeout(goOn, Math.ceil(wait));
  else {
    planned = true;
    port2.postMessage(0);
  }
};
port1.onmessage = goOn;
const hear = (message) => guarded(() => {
  tell(role.hear(message));
  plan();
});
onmessage = ({ data }) => (role ? hear(data) : heard.push(data));

// The second part is fetched and compiled after the first step could be taken. `placed`: it is there. A mark says how it came.
let compiled, placed = !second, fetching;
const place = (module, exports, how) => {
  new WebAssembly.Instance(module, { first: exports });
  placed = true;
  performance.mark("steady:second", { detail: how });
};
const compile = async (priority) => {
  fetching = new AbortController();
  compiled ??= await WebAssembly.compileStreaming(fetch(second, { priority, signal: fetching.signal }));
};
const missing = (error) => placed || console.info("Steady's second part:", error);
const beside = async (exports) => {
  for (let wait = 1000; !placed && !dead; wait = Math.min(2 * wait, 60_000)) {
    try {
      await compile("low");
      if (!placed) place(compiled, exports, "beside");
    } catch (error) {
      missing(error);
      await new Promise((again) => setTimeout(again, wait));
    }
  }
};
// For the first part, when it has come upon a function of the second: that is there when this comes back. In the middle of
// a command there is no leaving and coming back later. What cannot be had ends this worker, and the page begins another.
globalThis.steadySecond = (exports) => {
  if (placed) return;
  if (compiled) return place(compiled, exports, "ahead");
  fetching?.abort();
  const request = new XMLHttpRequest();
  request.open("GET", second, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`${second}: ${request.status} ${request.statusText}`);
  place(new WebAssembly.Module(request.response), exports, "at once");
};

try {
  const loading = fetch(wasm);
  const ahead = second && files.has("ahead") ? compile("high").catch(missing) : undefined;
  const { default: init, EngineRole, ExplorerRole } = await import(js);
  await ahead;
  const exports = await init({ module_or_path: loading });
  role = self.name === "engine" ? new EngineRole() : new ExplorerRole();
  tell(role.ready());
  heard.splice(0).forEach(hear);
  if (!placed) beside(exports);
} catch (error) {
  fail(error);
}
