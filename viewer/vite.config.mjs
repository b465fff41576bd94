// Builds the page into one text: style and program stand inside the markup, and the markup stays open at its end, so that
// the parts of a recording can follow. The text says which sources it was built from.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { defineConfig } from "vite";

const OUT = "../crates/formats/src/page/viewer.html";

/** FNV-1a over everything that the page is built from; `cargo xtask test` computes the same. */
function digest(folder = import.meta.dirname) {
  let hash = 0xcbf29ce484222325n;
  const sources = readdirSync(`${folder}/src`).sort().map((name) => `src/${name}`);
  for (const name of ["index.html", "package-lock.json", "tsconfig.json", "vite.config.mjs", ...sources]) {
    const text = readFileSync(`${folder}/${name}`, "utf8").replaceAll("\r\n", "\n");
    for (const byte of new TextEncoder().encode(`${name}\n${text}`)) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    }
  }
  return hash.toString(16).padStart(16, "0");
}

function oneText() {
  return {
    name: "one-text",
    enforce: "post",
    writeBundle(_options, bundle) {
      const files = Object.values(bundle);
      const style = files.filter((file) => file.fileName.endsWith(".css")).map((file) => file.source).join("\n");
      const program = files.filter((file) => file.type === "chunk").map((file) => file.code).join("\n");
      const markup = files.find((file) => file.fileName.endsWith(".html")).source;
      const body = markup
        .replace(/<script[^>]*src=[^>]*><\/script>/g, "")
        .replace(/<link[^>]*stylesheet[^>]*>/g, "")
        .replace(/\s*<\/body>\s*<\/html>\s*$/, "\n");
      const text = body
        .replace("</head>", () => `<meta name="clearance-sources" content="${digest()}" />\n<style>${style}</style>\n</head>`)
        + `<script type="module">${program.replaceAll("</script", "<\\/script")}</script>\n`;
      mkdirSync("../crates/formats/src/page", { recursive: true });
      writeFileSync(OUT, text);
    },
  };
}

export default defineConfig({
  base: "./",
  build: { outDir: "dist", assetsInlineLimit: 1 << 20, cssCodeSplit: false, modulePreload: false, target: "es2022" },
  plugins: [oneText()],
});
