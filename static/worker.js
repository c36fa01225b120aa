// A worker of the page: loads the wasm, gives it a slice of time after the other, and carries messages, which are JSON lists.
// Its name says what it does: it is the `engine` of the page, or the `explorer`, which works out every order. The page hears
// `{ "Failed": … }` if anything here goes wrong, a trap in the wasm included; then this worker does nothing any more.
//
// Its address names the files of the wasm: `js`, `wasm`, and `second` where the wasm is in two parts (crates/split/); `ahead`
// says that the second one will be needed at once.
import { secondPart } from "./second.js";

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
// The page says when it is time for the second part of the wasm: after the first step could be taken.
let exports, isTime = false;
const beside = () => part.beside(exports, () => !dead);
onmessage = ({ data }) => {
  if (data === "steady:second") {
    isTime = true;
    if (role) beside();
  } else if (role) hear(data);
  else heard.push(data);
};

// For the first part, when it has come upon a function of the second. What cannot be had ends this worker, and the page begins
// another.
const part = secondPart(second);
globalThis.steadySecond = part.atOnce;

try {
  const loading = fetch(wasm);
  const ahead = files.has("ahead") ? part.ahead() : undefined;
  const { default: init, EngineRole, ExplorerRole } = await import(js);
  await ahead;
  exports = await init({ module_or_path: loading });
  role = self.name === "engine" ? new EngineRole() : new ExplorerRole();
  tell(role.ready());
  heard.splice(0).forEach(hear);
  if (isTime) beside();
} catch (error) {
  fail(error);
}
