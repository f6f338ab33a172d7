/**
 * Measures every entry point of the built package as a minified bundle with its own modules. Packages that it imports
 * are left out; modules that are loaded on use are counted separately. Those that run in browsers and workers are
 * bundled for them. Arguments select entry points: `./core ./fit`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import type { BenchRequest, BenchResult } from "./bench.ts";

const ROOT = resolve(import.meta.dirname, "..");
const IN_BROWSERS = ["./client", "./core", "./fit"];

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  // Below the repository, so that packages are found.
  const folder = mkdtempSync(join(ROOT, "node_modules/.palimpsest-built-"));
  try {
    execFileSync(process.execPath, [join(ROOT, "scripts/build.ts"), join(folder, "dist")], { cwd: ROOT });
    const rows: BenchResult["rows"][number][] = [];
    for (const [name, { default: file }] of Object.entries(readExports())) {
      if (args.length > 0 && !args.includes(name)) continue;
      const platform = IN_BROWSERS.includes(name) ? "browser" : "node";
      rows.push({
        "entry point": `palimpsest${name.slice(1)}`,
        ...(await measureBundle(join(folder, file), platform)),
      });
    }
    const notes = [`${IN_BROWSERS.join(", ")} are bundled for browsers, the others for Node.`];
    return { name: "bundles", title: "Minified bundles of the entry points.", rows, notes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readExports(): Readonly<Record<string, { readonly default: string }>> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return exports;
}

async function measureBundle(file: string, platform: "node" | "browser") {
  const external = (id: string) => /^(?:node:|[@a-z])/i.test(id) && !id.startsWith(ROOT);
  const built = await rolldown({ input: file, platform, external, logLevel: "silent" });
  const { output } = await built.generate({ format: "esm", minify: true });
  await built.close();
  const chunks = output.filter((each) => each.type === "chunk");
  const [entry] = chunks;
  const isStatic = (fileName: string) => fileName === entry?.fileName || entry?.imports.includes(fileName) === true;
  const sum = (wanted: boolean) =>
    chunks.flatMap(({ code, fileName }) => (isStatic(fileName) === wanted ? [code] : [])).join("\n");
  const code = sum(true);
  return { kB: toKB(code.length), "kB gzip": toKB(gzipSync(code).length), "kB on use": toKB(sum(false).length) };
}

function toKB(bytes: number): number {
  return Math.round(bytes / 100) / 10;
}
