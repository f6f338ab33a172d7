/**
 * Measures the entry points of the built package: the size of the modules that an import loads, and its CPU time. Each
 * import runs in a process of its own. Needs `npm run build`; argument: names of entry points, by default all.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { BenchRequest, BenchResult } from "./bench.ts";

const ROOT = join(import.meta.dirname, "..");
const RUNS = 5;

interface Loaded {
  readonly cpuMs: number;
  /** Addresses of the loaded modules. */
  readonly urls: readonly string[];
}

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const names = Object.keys(exports).filter((name) => args.length === 0 || args.includes(name.replace(/^\.\/?/, "")));
  return {
    name: "entry-points",
    title: `CPU time and modules of one import, on Node ${process.version}; the median of ${RUNS} processes.`,
    rows: names.map((name) => measure(name, join(ROOT, exports[name].default))),
    notes: [
      "CPU time excludes the start of Node: it is measured around the import.",
      "The sizes are those of the package's own modules, whole and gzipped one by one. Packages are counted as modules.",
    ],
  };
}

function measure(name: string, file: string): Readonly<Record<string, string | number>> {
  process.stderr.write(`entry-points: ${name}\n`);
  const { urls } = load(file, true);
  const times = Array.from({ length: RUNS }, () => load(file, false).cpuMs).toSorted((left, right) => left - right);
  const dist = pathToFileURL(join(ROOT, "dist/")).href;
  const own = urls.filter((url) => url.startsWith(dist)).map((url) => readFileSync(fileURLToPath(url)));
  const others = urls.filter((url) => url.includes("/node_modules/"));
  const sum = (sizes: readonly number[]) => Math.round(sizes.reduce((total, size) => total + size, 0) / 1_000);
  return {
    entryPoint: name.replace(/^\./, "palimpsest"),
    importCpuMs: Math.round(times[Math.floor(RUNS / 2)] ?? 0),
    ownModules: own.length,
    ownKb: sum(own.map(({ length }) => length)),
    gzippedKb: sum(own.map((source) => gzipSync(source).length)),
    packageModules: others.length,
  };
}

/** The hook that lists modules takes time itself, so times are measured without it. */
function load(file: string, isListed: boolean): Loaded {
  const hook = `const { registerHooks } = await import("node:module");
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });`;
  const script = `const urls = [];
    ${isListed ? hook : ""}
    const before = process.cpuUsage();
    await import(${JSON.stringify(pathToFileURL(file).href)});
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000, urls }), () => process.exit());`;
  const loaded: Loaded = JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }),
  );
  return loaded;
}
