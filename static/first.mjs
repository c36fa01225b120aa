// Writes static/first.html, what index.html shows until the wasm runs: the page itself, as it opens for the first time, in
// both languages and with nothing in it that can be used yet. `cargo xtask first` calls this with the page that is
// built in dist/.
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const file = new URL("first.html", import.meta.url);
const browser = await chromium.launch({ executablePath: process.env.CHROME || undefined, args: ["--no-sandbox", "--disable-gpu"] });

/** The page as a tree of `[tag, attributes, children]` and texts. */
async function opened(locale) {
  const page = await browser.newPage({ locale, viewport: { width: 1440, height: 900 } });
  // The editor takes the place of the text that stands there first.
  await page.route(/editor\.js/, (route) => route.abort());
  await page.goto(process.env.STEADY_URL);
  await page.locator(".next[aria-busy=false] li").first().waitFor();
  // What Apply would do is worked out after that.
  await page.locator(".changes .hint").waitFor({ state: "detached" });
  const tree = await page.evaluate(() => {
    const drop = "dialog, .canvas > *, .inspected > *, .strip > *, #tab-kubectl-panel, .readings-about, .toast";
    const keep = ["class", "lang", "open", "selected", "d", "viewBox", "width", "height", "cx", "cy", "r", "x", "y", "rx", "points", "data-pane"];
    const of = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.textContent;
      if (node.nodeType !== Node.ELEMENT_NODE || node.matches(drop)) return null;
      const attributes = keep.filter((name) => node.hasAttribute(name)).map((name) => [name, node.getAttribute(name)]);
      for (const name of ["aria-selected", "aria-checked", "aria-pressed"]) {
        if (node.hasAttribute(name) && !node.matches(".word")) attributes.push([name, node.getAttribute(name)]);
      }
      // A style asks for it.
      if (node.id === "explore-button") attributes.push(["id", node.id]);
      // The page opens without the glossary: a text with terms is one text.
      const children = [];
      const add = (child) => {
        if (typeof child === "string" && typeof children.at(-1) === "string") children.push(children.pop() + child);
        else if (child !== null) children.push(child);
      };
      for (const child of node.childNodes) add(child.matches?.(".term-whole") ? child.querySelector(".term").textContent : of(child));
      return [node.localName, attributes, children];
    };
    return of(document.querySelector(".app"));
  });
  await page.close();
  return tree;
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** One tree of the two: where they differ, both stand there, each with its language. */
function merged(en, zh) {
  if (same(en, zh)) return written(en);
  // There is no element in an option, and the first option is shown.
  const alike = en[0] !== "select" && typeof en !== "string" && typeof zh !== "string" && en[0] === zh[0] && same(en[1], zh[1]) && en[2].length === zh[2].length;
  if (alike) return tag(en, en[2].map((child, i) => merged(child, zh[2][i])).join(""));
  return marked(en, "en") + marked(zh, "zh-CN");
}
const marked = (node, lang) => typeof node === "string"
  ? `<span data-in="${lang}">${escape(node)}</span>`
  : written([node[0], [...node[1], ["data-in", lang]], node[2]]);
const written = (node) => (typeof node === "string" ? escape(node) : tag(node, node[2].map(written).join("")));
function tag([name, attributes], inside) {
  const text = attributes.map(([name, value]) => (value === "" ? ` ${name}` : ` ${name}="${escape(value)}"`)).join("");
  return ["path", "circle", "rect", "line", "input", "ellipse", "polyline"].includes(name) && !inside ? `<${name}${text}${name === "input" ? "" : "/"}>` : `<${name}${text}>${inside}</${name}>`;
}

const [en, zh] = [await opened("en-US"), await opened("zh-CN")];
await browser.close();
const [name, attributes] = en;
const body = en[2].map((child, i) => merged(child, zh[2][i])).join("\n");
const pill = /<p class="pill[^"]*">.*?<\/p>/s;
const state = `<p class="pill busy"><b data-in="en">Loading…</b><b data-in="zh-CN">正在加载…</b><span class="asked"><span data-in="en">your step waits</span><span data-in="zh-CN">单步在等待</span></span></p>`;
if (!pill.test(body)) throw new Error("there is no pill");
const first = tag([name, attributes.map(([key, value]) => [key, key === "class" ? "app shell" : value])], `\n${body.replace(pill, state)}\n`);
writeFileSync(file, `<!-- Written by static/first.mjs. -->\n${first.replace("<div ", "<div inert ")}\n`);
console.log(`static/first.html: ${readFileSync(file).length} bytes`);
