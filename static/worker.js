// A worker of the page: loads the wasm, gives it a slice of time after the other, and carries messages, which are JSON lists.
// Its name says what it does: it is the `engine` of the page, or the `explorer`, which works out every order, or a `searcher`,
// which an explorer has started to help it. The page, or the explorer, hears
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
  call();
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
  call();
  plan();
});
// An explorer has as many workers of the same wasm help as the machine has cores. It says what each of them is to hear, and with
// another `turn` that the earlier ones are to end. They end with this worker, too.
let helpers = [], turn = 0;
const call = () => {
  const calls = role.calls?.();
  if (calls === undefined) return;
  const { turn: now, say } = JSON.parse(calls);
  if (now !== turn) for (const helper of helpers.splice(0)) {
    helper.onmessage = helper.onerror = null;
    helper.terminate();
  }
  turn = now;
  for (const [n, text] of say) (helpers[n] ??= helper(n)).postMessage(text);
};
const helper = (n) => {
  const heard = (said) => guarded(() => {
    tell(role.hearHelper(n, said));
    call();
    plan();
  });
  let worker;
  try {
    worker = new Worker(script(self.location.href), { type: "module", name: "searcher" });
  } catch (error) {
    // A browser whose workers cannot start others: the explorer goes on alone.
    queueMicrotask(() => heard(JSON.stringify([{ Failed: String(error) }])));
    return { postMessage() {}, terminate() {} };
  }
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = ({ message }) => heard(JSON.stringify([{ Failed: message ?? "a worker that helps cannot be loaded" }]));
  return worker;
};
// Trusted Types, where a host has the page's policy in its answers: this file alone starts from here.
const policy = globalThis.trustedTypes?.createPolicy("steady", { createScriptURL: (url) => {
  if (url !== self.location.href) throw new TypeError(`no script of Steady: ${url}`);
  return url;
} });
const script = (url) => policy?.createScriptURL(url) ?? url;
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
  const { default: init, EngineRole, ExplorerRole, SearcherRole } = await import(js);
  await ahead;
  exports = await init({ module_or_path: loading });
  role = self.name === "engine" ? new EngineRole()
    : self.name === "searcher" ? new SearcherRole()
    : new ExplorerRole(navigator.hardwareConcurrency ?? 1);
  tell(role.ready());
  heard.splice(0).forEach(hear);
  if (isTime) beside();
} catch (error) {
  fail(error);
}
