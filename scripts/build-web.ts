/**
 * `npm run build:web` builds the page into web/dist and says what the first screen weighs. It fails above the limit, so
 * that weight is a decision and never an accident. A folder given as an argument takes the place of web/dist.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build } from "vite";

/** Compressed bytes of everything that index.html loads by itself. */
const MOST_FIRST_BYTES = 250_000;

// Whoever calls may be a test, and would get the libraries as their developers want them.
process.env.NODE_ENV = "production";
const root = resolve(import.meta.dirname, "../web");
const folder = resolve(process.argv[2] ?? join(root, "dist"));
const startedAt = performance.now();

await build({
  root,
  configFile: false,
  logLevel: "warn",
  plugins: [react()],
  // Two copies of the same library would be sent where versions differ by a patch.
  resolve: { dedupe: ["ai", "react", "react-dom", "zod"] },
  build: {
    outDir: folder,
    emptyOutDir: true,
    target: "es2023",
    // The content policy takes no file that is written into another one.
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
for (const { path, bytes } of later) print(`${kilobytes(bytes)}  ${path} (when it is needed)`);
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
print(`first screen: ${kilobytes(total)} of ${kilobytes(MOST_FIRST_BYTES)}, gzip; built in ${seconds} s`);
if (total > MOST_FIRST_BYTES) {
  process.stderr.write("The first screen is too heavy: load what it does not show later.\n");
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
