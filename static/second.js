// The second part of a wasm in two (crates/split): fetched and compiled beside what the first one does, or at once when that comes
// upon a function of the second. The page and its workers have one each. Without an address the wasm is whole.
export function secondPart(url) {
  let compiled, placed = !url, fetching;
  // A mark says how it came.
  const place = (module, exports, how) => {
    new WebAssembly.Instance(module, { first: exports });
    placed = true;
    performance.mark("steady:second", { detail: how });
  };
  const compile = async (priority) => {
    fetching = new AbortController();
    compiled ??= await WebAssembly.compileStreaming(fetch(url, { priority, signal: fetching.signal }));
  };
  const missing = (error) => placed || console.info("Steady's second part:", error);
  return {
    // Fetches it, because it will be needed at once.
    ahead: () => (placed ? undefined : compile("high").catch(missing)),
    // Fetches it, again and again as long as it does not come and `goesOn`. Gives a promise of the first attempt's end.
    beside: (exports, goesOn = () => true) => new Promise(async (tried) => {
      for (let wait = 1000; !placed && goesOn(); wait = Math.min(2 * wait, 60_000)) {
        try {
          await compile("low");
          if (!placed) place(compiled, exports, "beside");
        } catch (error) {
          missing(error);
          tried();
          await new Promise((again) => setTimeout(again, wait));
        }
      }
      tried();
    }),
    // Has it in place when it comes back, or throws: in the middle of a call there is no leaving and coming back later.
    atOnce: (exports) => {
      if (placed) return;
      if (compiled) return place(compiled, exports, "ahead");
      fetching?.abort();
      const request = new XMLHttpRequest(), isPage = typeof document !== "undefined";
      request.open("GET", url, false);
      // A page gets nothing but text at once: here every character is a byte.
      if (isPage) request.overrideMimeType("text/plain; charset=x-user-defined");
      else request.responseType = "arraybuffer";
      request.send();
      if (request.status !== 200) throw new Error(`${url}: ${request.status} ${request.statusText}`);
      const bytes = isPage ? Uint8Array.from(request.responseText, (c) => c.charCodeAt(0) & 0xff) : request.response;
      place(new WebAssembly.Module(bytes), exports, "at once");
    },
  };
}
