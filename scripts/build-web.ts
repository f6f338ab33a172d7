/**
 * `npm run build:web` builds the page into web/dist and prints the size of the first screen. It fails above the limit,
 * so that the page does not grow unnoticed. A folder as the argument replaces web/dist.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build } from "vite";

/** Compressed bytes of everything that index.html loads. */
const MAX_FIRST_BYTES = 250_000;

// A test that runs this script would otherwise get the development builds of the libraries.
process.env.NODE_ENV = "production";
const root = resolve(import.meta.dirname, "../web");
const folder = resolve(process.argv[2] ?? join(root, "dist"));
const startedAt = performance.now();

await build({
  root,
  configFile: false,
  logLevel: "warn",
  plugins: [react()],
  // Without this, two copies of a library are sent if their versions differ by a patch.
  resolve: { dedupe: ["ai", "react", "react-dom", "zod"] },
  build: {
    outDir: folder,
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
  },
});

const html = readFileSync(join(folder, "index.html"), "utf8");
const linked = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].flatMap(([, path]) =>
  path === undefined ? [] : [path],
);
const first = ["index.html", ...linked].map((path) => ({ path, bytes: weigh(join(folder, path)) }));
const total = first.reduce((sum, { bytes }) => sum + bytes, 0);
const later = readdirSync(join(folder, "assets"))
  .map((name) => `assets/${name}`)
  .filter((path) => !linked.includes(path))
  .map((path) => ({ path, bytes: weigh(join(folder, path)) }));

for (const { path, bytes } of first) print(`${kilobytes(bytes)}  ${path}`);
for (const { path, bytes } of later) print(`${kilobytes(bytes)}  ${path} (on demand)`);
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
print(`first screen: ${kilobytes(total)} of ${kilobytes(MAX_FIRST_BYTES)}, gzip; built in ${seconds} s`);
if (total > MAX_FIRST_BYTES) {
  process.stderr.write("The first screen is too large. Lazy-load the content that it does not show.\n");
  process.exitCode = 1;
}

function weigh(path: string): number {
  return gzipSync(readFileSync(path)).byteLength;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
