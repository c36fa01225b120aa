// Writes static/first.html, what index.html shows until the wasm runs: the page itself, as it opens for the first time and
// after each of the first steps, in both languages and with nothing in it that can be used yet. `cargo xtask first` calls
// this with the page that is built in dist/.
//
// What is the same in all languages and after all steps stands there once. Other elements have the attribute `data-in` with
// their language or `data-at` with the steps after which they are seen (static/shell.css and static/early.js hide the rest).
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

/** How many steps the first screen takes. */
const STEPS = 5;
const LANGUAGES = { en: "en-US", "zh-CN": "zh-CN" };
/** Windows in which the graph is laid out as static/shell.css says of the picture with this class. */
const PICTURES = { right: [1440, 900], down: [390, 844], tight: [720, 450] };

const file = new URL("first.html", import.meta.url);
const browser = await chromium.launch({ executablePath: process.env.CHROME || undefined, args: ["--no-sandbox", "--disable-gpu"] });

/** In the page: what `selector` finds, as a tree of `[tag, attributes, children, key]` and texts. */
function read(selector) {
  const drop = "dialog, .canvas > *, .inspected > *, .strip > *, #tab-kubectl-panel, .readings-about, .toast, .focus";
  const keep = ["class", "lang", "open", "selected", "d", "viewBox", "width", "height", "cx", "cy", "r", "x", "y", "rx", "points",
    "data-pane", "hidden", "transform", "text-anchor", "dx", "marker-end", "id"];
  const of = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent;
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(drop)) return null;
    const attributes = keep.filter((name) => node.hasAttribute(name)).map((name) => [name, node.getAttribute(name)])
      // Styles ask for these.
      .filter(([name, value]) => name !== "id" || ["explore-button", "rehearse-button"].includes(value));
    for (const name of ["aria-selected", "aria-checked", "aria-pressed"]) {
      if (node.hasAttribute(name) && !node.matches(".word, .card")) attributes.push([name, node.getAttribute(name)]);
    }
    if (node.matches(".said > [role=status]")) attributes.push(["role", "status"]);
    // The page opens without the glossary: a text with terms is one text.
    const children = [];
    const add = (child) => {
      if (typeof child === "string" && typeof children.at(-1) === "string") children.push(children.pop() + child);
      else if (child !== null) children.push(child);
    };
    for (const child of node.childNodes) add(child.matches?.(".term-whole") ? child.querySelector(".term").textContent : of(child));
    return [node.localName, attributes, children, node.dataset.object];
  };
  const node = document.querySelector(selector);
  return node && of(node);
}

/** In the page: the graph's size, from the left edge of its first object and the top one of that. */
function bounds() {
  const places = [...document.querySelectorAll(".world .card")].map((card) => {
    const { e: x, f: y } = card.transform.baseVal.consolidate().matrix, { width, height } = card.querySelector(".box").getBBox();
    return [x + width, y + height];
  });
  return [0, 1].map((i) => Math.max(...places.map((place) => place[i])));
}

/** The page after each step: what is around the graph, the graph, and how large that is. */
async function opened(locale, [width, height]) {
  const page = await browser.newPage({ locale, viewport: { width, height }, reducedMotion: "reduce" });
  // The editor takes the place of the text that stands there first.
  await page.route(/editor\.js/, (route) => route.abort());
  await page.goto(process.env.STEADY_URL);
  const moments = [];
  for (let at = 0; ; at++) {
    await page.locator(".next[aria-busy=false] li").first().waitFor();
    // What Apply would do is worked out after that.
    await page.locator(".changes .hint").waitFor({ state: "detached" });
    await page.locator(".timeline .at", { hasText: String(at + 1) }).waitFor({ state: "attached" });
    await page.waitForTimeout(500);
    const [app, world, heads] = [await page.evaluate(read, ".app"), await page.evaluate(read, ".world > g"), await page.evaluate(read, ".heads > g")];
    moments.push({ app, world, heads, bounds: await page.evaluate(bounds) });
    if (at === STEPS) break;
    await page.evaluate(() => window.steady.step());
  }
  await page.close();
  return moments;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const isElement = (node) => typeof node !== "string";
const unique = (list) => list.filter((one, i) => list.findIndex((other) => same(one, other)) === i);

/** Variants of one node as one text: `{lang, at, node}` for each language and step after which there is the node. `all` are
 * those for which there is what is around it. */
function merged(variants, all, isInSvg) {
  const [{ node: first }] = variants, nodes = variants.map(({ node }) => node);
  const isEverywhere = variants.length === all.length;
  if (isEverywhere && nodes.every((node) => same(node, first))) return written(first);
  // There is no element in an option, and the first option is shown.
  const alike = isElement(first) && first[0] !== "select" && nodes.every((node) => isElement(node) && node[0] === first[0] && same(node[1], first[1]));
  if (alike && isEverywhere) {
    const isSvg = isInSvg || first[0] === "svg";
    if (nodes.every((node) => node[2].length === first[2].length)) {
      return tag(first, first[2].map((_, i) => merged(variants.map((v) => ({ ...v, node: v.node[2][i] })), all, isSvg)).join(""));
    }
    // An object of the graph is known by its name, anything else by all of it.
    const key = (node) => node[3] ?? JSON.stringify(node);
    if (nodes.every((node) => node[2].every(isElement)) && first[0] === "g") {
      return tag(first, inOrder(nodes.map((node) => node[2].map(key))).map((wanted) => {
        const has = variants.map((v) => ({ ...v, node: v.node[2].find((child) => key(child) === wanted) })).filter((v) => v.node);
        return merged(has, all, isSvg);
      }).join(""));
    }
  }
  return unique(nodes).map((node) => {
    const has = variants.filter((v) => same(v.node, node));
    const [langs, ats] = [unique(has.map((v) => v.lang)), unique(has.map((v) => v.at))];
    // For each language the steps, unless they are the same for both.
    const groups = langs.length * ats.length === has.length ? [[langs, ats]] : langs.map((lang) => [[lang], has.filter((v) => v.lang === lang).map((v) => v.at)]);
    return groups.map(([langs, ats]) => {
      const marks = [];
      if (unique(all.map((v) => v.lang)).length > langs.length) marks.push(["data-in", langs[0]]);
      if (unique(all.map((v) => v.at)).length > ats.length) marks.push(["data-at", ats.join(" ")], ...(ats.includes(0) ? [] : [["hidden", ""]]));
      return isElement(node) ? written([node[0], [...node[1], ...marks], node[2]]) : tag([isInSvg ? "tspan" : "span", marks], escape(node));
    }).join("");
  }).join("");
}

/** What is in any of the lists, each once, in an order that all of them have. */
function inOrder(lists) {
  const order = [];
  for (const list of lists) {
    let place = 0;
    for (const one of list) {
      const at = order.indexOf(one);
      if (at < 0) order.splice(place++, 0, one);
      else place = at + 1;
    }
  }
  return order;
}

const written = (node) => (isElement(node) ? tag(node, node[2].map(written).join("")) : escape(node));
function tag([name, attributes], inside) {
  const text = attributes.map(([name, value]) => (value === "" ? ` ${name}` : ` ${name}="${escape(value)}"`)).join("");
  return ["path", "circle", "rect", "line", "input", "ellipse", "polyline"].includes(name) && !inside ? `<${name}${text}${name === "input" ? "" : "/"}>` : `<${name}${text}>${inside}</${name}>`;
}

/** The moments of both languages as variants of what `part` gives of each. */
const variants = (runs, part) => Object.keys(LANGUAGES).flatMap((lang) => runs[lang].map((moment, at) => ({ lang, at, node: part(moment) })));

let canvas = "", app;
for (const [name, window] of Object.entries(PICTURES)) {
  const runs = {};
  for (const [lang, locale] of Object.entries(LANGUAGES)) runs[lang] = await opened(locale, window);
  const moments = Object.values(runs).flat();
  const [width, height] = [0, 1].map((i) => Number(Math.max(...moments.map((moment) => moment.bounds[i])).toFixed(1)));
  const group = (part) => variants(runs, (moment) => [moment[part][0], moment[part][1].filter(([name]) => name !== "transform"), moment[part][2]]);
  const parts = (name === "right" ? ["world", "heads"] : ["world"]).map(group);
  const inside = parts.map((all) => merged(all, all, true)).join("");
  canvas += `<div class="picture ${name}"><svg class="world" viewBox="0 0 ${width} ${height}" width="${width}">${inside}</svg></div>`;
  app ??= variants(runs, (moment) => moment.app);
}
await browser.close();

const body = merged(app, app);
const pill = /<p class="pill[^"]*"[^>]*>.*?<\/p>/gs;
const state = `<p class="pill busy"><b data-in="en">Loading…</b><b data-in="zh-CN">正在加载…</b><span class="asked"><span data-in="en">your step waits</span><span data-in="zh-CN">单步在等待</span></span></p>`;
const empty = '<div class="canvas"></div>';
for (const [what, there] of [["pill", pill.test(body)], ["canvas", body.includes(empty)]]) if (!there) throw new Error(`there is no ${what}`);
let pills = 0;
const first = body.replace(pill, () => (pills++ ? "" : state)).replace(empty, `<div class="canvas">${canvas}</div>`)
  .replace(/^<div class="[^"]*"/, `<div inert class="app shell" data-steps="${STEPS}"`);
writeFileSync(file, `<!-- Written by static/first.mjs. -->\n${first}\n`);
console.log(`static/first.html: ${readFileSync(file).length} bytes`);
