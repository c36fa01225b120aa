// <steady-run>: a run of Steady in anybody's page. The element shows Steady's own page in a frame, for four reasons: its
// styles and the host's cannot disturb each other; its policy stays its own, so that the host need not allow WebAssembly;
// the 3 MB of it are fetched and cached once for all elements; and neither focus nor keys nor scrolling of the host are
// touched. The page is wherever somebody has put the files of `cargo xtask build`: `src` says where.
const OPTIONS = ["scenario", "panes", "at", "until", "controls"];
const MESSAGES = { language: "lang", theme: "theme" };

export class SteadyRun extends HTMLElement {
  static observedAttributes = ["src", "link", "language", "theme", "manifest", "title", ...OPTIONS];

  #frame;
  #ready = false;
  #waiting = [];
  #hear = ({ source, origin, data }) => {
    // A message counts only if the frame of this very element has sent it.
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#page()?.origin) return;
    if (data?.steady === "ready") {
      this.#ready = true;
      for (const message of this.#waiting.splice(0)) this.#tell(message);
    }
    if (data?.steady === "ready" || data?.steady === "step") {
      this.dispatchEvent(new CustomEvent(`steady-${data.steady}`, { detail: data.detail ?? null, bubbles: true, composed: true }));
    }
  };

  connectedCallback() {
    if (!this.shadowRoot) {
      const style = document.createElement("style");
      style.textContent = ":host{display:block;height:400px}iframe{display:block;width:100%;height:100%;border:0}";
      this.#frame = document.createElement("iframe");
      this.#frame.loading = "lazy";
      this.#frame.allow = "clipboard-write";
      this.attachShadow({ mode: "open" }).append(style, this.#frame);
    }
    addEventListener("message", this.#hear);
    this.#load();
  }

  disconnectedCallback() {
    removeEventListener("message", this.#hear);
    this.#ready = false;
  }

  attributeChangedCallback(name, before, now) {
    if (!this.#frame || before === now) return;
    if (name === "manifest") {
      if (now) this.apply(now);
    } else if (MESSAGES[name]) {
      this.#tell({ steady: MESSAGES[name], value: now ?? "" });
    } else if (name === "title") {
      this.#frame.title = now ?? "Steady";
    } else {
      this.#load();
    }
  }

  /** Takes a step. */
  step() { this.#tell({ steady: "step" }); }
  /** Goes one step back. */
  back() { this.#tell({ steady: "back" }); }
  /** Goes back to the beginning. */
  restart() { this.#tell({ steady: "restart" }); }
  /** Runs until nobody has a next command. */
  toSteady() { this.#tell({ steady: "to-steady" }); }
  /** Stops a run. */
  stop() { this.#tell({ steady: "stop" }); }
  /** Applies a manifest, as `kubectl apply -f`. */
  apply(manifest) { this.#tell({ steady: "apply", value: String(manifest) }); }

  #page() {
    const src = this.getAttribute("src");
    return src === null ? undefined : new URL(src, document.baseURI);
  }

  #load() {
    const page = this.#page();
    if (!page) return;
    const query = new URLSearchParams({ embed: "" });
    const language = this.getAttribute("language"), theme = this.getAttribute("theme");
    if (language) query.set("lang", language);
    if (theme) query.set("theme", theme);
    for (const name of OPTIONS) if (this.hasAttribute(name)) query.set(name, this.getAttribute(name));
    // A whole address of a run may be given as well as what stands behind its `#`.
    const link = (this.getAttribute("link") ?? "").replace(/^[^#]*#/, "");
    page.search = query;
    page.hash = link;
    this.#frame.title = this.getAttribute("title") ?? "Steady";
    // With another hash alone the page is not loaded anew: it opens that run itself.
    if (this.#frame.src.split("#")[0] === page.href.split("#")[0]) {
      this.#frame.src = page.href;
      return;
    }
    this.#ready = false;
    this.#frame.src = page.href;
    const manifest = this.getAttribute("manifest");
    this.#waiting = manifest ? [{ steady: "apply", value: manifest }] : [];
  }

  #tell(message) {
    if (!this.#ready) this.#waiting.push(message);
    else this.#frame.contentWindow?.postMessage(message, this.#page().origin);
  }
}

if (!customElements.get("steady-run")) customElements.define("steady-run", SteadyRun);
