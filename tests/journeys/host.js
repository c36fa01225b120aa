// A page of another origin, for journeys in which Steady is a part of it: a server of its own on a free port.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);
const TYPES = { js: "text/javascript", html: "text/html; charset=utf-8", mjs: "text/javascript" };

/** Serves this page at `/`, and the repository's files elsewhere, until `close()`. */
export async function host(html = "") {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://host").pathname;
    try {
      const body = path === "/" ? html : path === "/favicon.ico" ? "" : await readFile(new URL(`.${path}`, ROOT));
      response.writeHead(200, { "content-type": TYPES[path.split(".").pop()] ?? "text/html; charset=utf-8" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { origin, close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
}

/** What is asked of that origin is no complaint. */
export function allow(complaints, origin) {
  const rest = complaints.filter((c) => !c.startsWith(`elsewhere: ${origin}`));
  complaints.splice(0, complaints.length, ...rest);
}
