import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";

const FOLDER = "join";
const LIST = `${FOLDER}/bundle.json`;

/**
 * Write the digest of each file where it is loaded: the worker's in the script, the script's and the style's in the page.
 * A browser then runs the files of one build, or nothing. Last, write what the bundle consists of: every file's SHA-256.
 * The SHA-256 of this list is the bundle's digest.
 */
function bundleList(): Plugin {
  let out = "";
  return {
    name: "bundle-list",
    apply: (config, { command }) => command === "build" && !config.build?.ssr,
    configResolved(config) {
      out = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const script = (name: string): string => {
        const paths = readdirSync(join(out, FOLDER)).filter((each) => each.startsWith(`${name}-`) && each.endsWith(".js"));
        if (paths.length !== 1) throw new Error(`There must be one script of the name ${name}.`);
        return `${FOLDER}/${paths[0]}`;
      };
      const integrity = (path: string): string =>
        `sha384-${createHash("sha384").update(readFileSync(join(out, path))).digest("base64")}`;
      const rewrite = (path: string, pattern: RegExp, count: number, put: (found: string, name: string) => string): void => {
        const text = readFileSync(join(out, path), "utf8");
        if (text.match(pattern)?.length !== count) throw new Error(`${path} does not load what it should.`);
        writeFileSync(join(out, path), text.replace(pattern, put));
      };
      rewrite(script("join"), /WORKER_INTEGRITY/g, 1, () => integrity(script("worker")));
      const loaded = /(?:src|href)="\.\/(join\/[^"]*\.(?:js|css))"/g;
      rewrite("join.html", loaded, 2, (found, path) => `${found} integrity="${integrity(path)}"`);
      const found = readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map((each) => relative(out, join(each.parentPath, each.name)))
        .filter((path) => path !== LIST)
        .sort();
      const digest = (path: string) => createHash("sha256").update(readFileSync(join(out, path))).digest("hex");
      const files = Object.fromEntries(found.map((path) => [path, digest(path)]));
      writeFileSync(join(out, LIST), `${JSON.stringify({ files }, null, 1)}\n`);
    },
  };
}

const names = {
  entryFileNames: `${FOLDER}/[name]-[hash].js`,
  chunkFileNames: `${FOLDER}/[name]-[hash].js`,
  assetFileNames: `${FOLDER}/[name]-[hash][extname]`,
};

export default defineConfig(({ isSsrBuild }) => ({
  base: "./", // the folder may lie at any address
  plugins: [bundleList()],
  ssr: { noExternal: true }, // what tests build for Node stands by itself
  worker: { format: "es", rollupOptions: { output: names } },
  build: {
    target: "es2022",
    outDir: "../../src/graphldp/collector/web",
    emptyOutDir: true, // files of an older build would go on to be served
    assetsInlineLimit: 0, // the page's policy takes no data: addresses
    modulePreload: { polyfill: false },
    rollupOptions: isSsrBuild ? {} : { input: "join.html", output: names },
  },
}));
