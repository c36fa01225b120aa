// What a browser fetches of dist/, by part: `cargo xtask bench --only size` builds it and calls this.
// Hosts compress as they please: gzip and brotli are the best of either.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const parts = [
  ["the first part of the page's wasm", /^steady-(?!worker).*_bg\.wasm$/, true],
  ["the first part of the engine's", /^steady-worker-[0-9a-f]+_bg\.wasm$/, true],
  ["JavaScript", /^(steady-(?!worker\.js).*|boot|second|worker|early)\.js$/, true],
  ["styles", /\.css$/, true],
  ["index.html and icon", /^(index\.html|icon\.svg)$/, true],
  ["the second part of the page's wasm (after the page stands)", /^steady-(?!worker).*_second\.wasm$/, false],
  ["the second part of the engine's (after the first step)", /^steady-worker.*_second\.wasm$/, false],
  ["fonts (later, by what is shown)", /\.woff2$/, false],
  ["editor (after the first paint)", /^editor\.js$/, false],
  ["schema (with the editor)", /^schema\.json$/, false],
];

const squeezed = (body) => {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return [body.length, gzipSync(body, { level: 9 }).length, brotliCompressSync(body, { params }).length];
};
const add = (a, b) => a.map((n, i) => n + b[i]);
const row = (name, sizes) => console.log(`| ${name} | ${sizes.map((n) => (n / 1000).toFixed(1)).join(" | ")} |`);

const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((f) => f.isFile() && !f.parentPath.includes("/.stage"));
let page = [0, 0, 0], counted = true;
console.log("| part | KB | gzip KB | brotli KB |\n| --- | ---: | ---: | ---: |");
for (const [name, which, counts] of parts) {
  const sizes = files.filter((f) => which.test(f.name))
    .map((f) => squeezed(readFileSync(`${f.parentPath}/${f.name}`))).reduce(add, [0, 0, 0]);
  if (!counts && counted) row("**before the first step**: the above", page);
  counted = counts;
  row(name, sizes);
  if (counts) page = add(page, sizes);
}
