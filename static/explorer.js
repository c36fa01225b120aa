// The explorer's worker: loads its wasm, gives it a slice of time after the other, and carries messages.
// The page hears `{ "Failed": … }` if anything here goes wrong, a trap in the wasm included.
import init, { Explorer } from "./steady-explorer.js";

const SLICE = 40; // milliseconds, after which the page is heard
let explorer, going = false, dead = false;
const heard = [];

const tell = (said) => said !== "[]" && postMessage(said);
const guarded = (work) => {
  if (dead) return;
  try {
    work();
  } catch (error) {
    dead = true;
    postMessage(JSON.stringify([{ Failed: String(error?.message ?? error) }]));
  }
};

// Tasks that follow each other without the 4 ms that browsers put between nested timers.
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => guarded(() => {
  tell(explorer.goOn(SLICE));
  going = explorer.busy();
  if (going) port2.postMessage(0);
});
const hear = (message) => guarded(() => {
  tell(explorer.hear(message));
  if (!going && explorer.busy()) {
    going = true;
    port2.postMessage(0);
  }
});
onmessage = ({ data }) => (explorer ? hear(data) : heard.push(data));

try {
  await init({ module_or_path: new URL("./steady-explorer_bg.wasm", import.meta.url) });
  explorer = new Explorer();
  tell(explorer.ready());
  heard.splice(0).forEach(hear);
} catch (error) {
  dead = true;
  postMessage(JSON.stringify([{ Failed: String(error?.message ?? error) }]));
}
