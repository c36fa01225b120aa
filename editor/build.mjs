// Trunk's pre_build hook for what npm brings: the editor's bundle and the fonts, into the staging
// directory (or dist/ when run by hand).
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = process.env.TRUNK_STAGING_DIR ?? join(root, "dist");
const release = process.env.TRUNK_PROFILE !== "debug";

await mkdir(join(out, "fonts"), { recursive: true });
const [bundle] = await Promise.all([
  build({
    // What formats the text is a file of its own.
    entryPoints: ["editor", "format"].map((name) => join(root, `editor/${name}.js`)),
    outdir: out,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: release,
    sourcemap: release ? false : "inline",
    legalComments: "none",
    loader: { ".yaml": "text" },
    logLevel: "warning",
    metafile: true,
  }),
  // Latin only: other scripts use the system's fonts. static/fonts.css names these files.
  ...["inter", "jetbrains-mono"].map((font) => {
    const file = `${font}-latin-wght-normal.woff2`;
    return copyFile(join(root, `node_modules/@fontsource-variable/${font}/files/${file}`), join(out, "fonts", file));
  }),
]);

// Their licences ask to travel with them.
const bundled = Object.keys(bundle.metafile.inputs).map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
const packages = [...new Set([...bundled, "@fontsource-variable/inter", "@fontsource-variable/jetbrains-mono"])];
const texts = packages.filter(Boolean).sort().map(async (name) =>
  `${name}\n\n${await readFile(join(root, "node_modules", name, "LICENSE"), "utf8")}`);
await writeFile(join(out, "licenses.txt"), (await Promise.all(texts)).join("\n\n----\n\n"));
