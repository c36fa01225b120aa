// The service worker: after one visit everything works without a network. Written by hand, for it does two things:
// it keeps the files of one build, and it answers from them. crates/pack writes the list and its version into the
// next line. A new version keeps its files beside the old ones, and waits until no tab has the old page any more or
// somebody asks for it (static/boot.js).
const [VERSION, FILES] = ["", []];

const PREFIX = `steady ${self.registration.scope} `;
const NAME = PREFIX + VERSION;
/** These names have a hash of what is in the file. Trunk writes it without the zeros at its beginning. */
const HASHED = /-[0-9a-f]{12,16}[._]/;
const PAGE = new URL("index.html", self.registration.scope).href;

async function keep() {
  const cache = await caches.open(NAME);
  // One after the other: a visitor who does something meanwhile needs the network more.
  for (const file of FILES) {
    const url = new URL(file, self.registration.scope).href;
    if (await cache.match(url)) continue;
    const old = HASHED.test(file) && (await caches.match(url));
    const response = old || (await fetch(url, { cache: HASHED.test(file) ? "default" : "no-cache" }));
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    // A redirect that is followed cannot answer a navigation.
    await cache.put(url, response.redirected ? new Response(await response.blob(), response) : response);
  }
}

/** The files of earlier versions go, but for those of the last one: another tab may still have its page. */
async function tidy() {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(request, url) {
  const cache = await caches.open(NAME);
  const kept = (await cache.match(url)) ?? (await caches.match(url));
  if (!kept) return fetch(request);
  // An answer that is kept has an address of its own, and a worker's script would take that for its own: what stands behind `?`
  // would be lost.
  return new URL(request.url).search && request.destination === "worker" ? new Response(kept.body, kept) : kept;
}

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(tidy()));
self.addEventListener("message", ({ data }) => data === "steady:update" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || !url.href.startsWith(self.registration.scope)) return;
  // The page is one file, whatever its address asks of it; other pages beside it are not ours.
  const here = url.pathname === new URL(self.registration.scope).pathname;
  const file = request.mode === "navigate" && here ? PAGE : url.origin + url.pathname;
  if (file === PAGE || FILES.some((name) => new URL(name, self.registration.scope).href === file)) {
    event.respondWith(answer(request, file));
  }
});
