/**
 * `npm run bench -- <name> [--json] [arguments]` runs one benchmark and prints its result: a table, or with `--json`
 * one JSON object as the last line of stdout. Without a name it lists the benchmarks, and `--help` describes one. It
 * measures nothing itself.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bench, BenchResult, BenchValue } from "./bench.ts";

export function findBenchNames(): readonly string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith(".ts") && isBench(file.name))
    .map((file) => file.name.slice(0, -".ts".length))
    .sort();
}

function isBench(file: string): boolean {
  return /^export (?:async function run|const run)\b/m.test(readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
}

/** Returns the header comment of a benchmark, with its arguments. */
function readHeader(name: string): string {
  const source = readFileSync(`${import.meta.dirname}/${name}.ts`, "utf8");
  const [, comment = ""] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(source) ?? [];
  return comment.replaceAll(/^ \* ?/gm, "");
}

function describeBenches(names: readonly string[]): string {
  const width = Math.max(...names.map((name) => name.length));
  const rows = names.map((name) => {
    const [firstWords = ""] = readHeader(name)
      .replaceAll("\n", " ")
      .split(/[,:;.] /);
    return `  ${name.padEnd(width)}  ${firstWords}.`;
  });
  const usage = "Usage: npm run bench -- <name> [--json] [arguments]";
  return [usage, "", ...rows, "", "npm run bench -- <name> --help describes a benchmark and its arguments."].join("\n");
}

export function formatResult(result: BenchResult): string {
  const figures = Object.entries(result.figures ?? {}).map(([name, value]) => `${name}: ${formatValue(value)}`);
  const blocks = [[result.title], ...tablesOf(result.rows).map(formatTable), figures, result.notes ?? []];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n");
}

/** Rows that begin with another column are of another kind. */
function tablesOf(rows: BenchResult["rows"]): readonly BenchResult["rows"][] {
  return Object.values(Object.groupBy(rows, (row) => Object.keys(row)[0] ?? "")).flatMap((table) =>
    table ? [table] : [],
  );
}

function formatTable(rows: BenchResult["rows"]): readonly string[] {
  if (rows.length === 0) return [];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => formatValue(row[column] ?? null)))];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const isFigure = columns.map((column) => rows.every((row) => typeof (row[column] ?? 0) === "number"));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => (isFigure[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return [lines[0] ?? "", widths.map((width) => "-".repeat(width)).join("  "), ...lines.slice(1)];
}

function formatValue(value: BenchValue): string {
  if (value === null) return "";
  if (typeof value !== "number") return String(value);
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.abs(value) < 10 ? 3 : 1 });
}

async function main(words: readonly string[]): Promise<number> {
  const names = findBenchNames();
  const json = words.includes("--json");
  const [name, ...args] = words.filter((word) => word !== "--json");
  if (name === undefined || words.includes("--help") || words.includes("-h")) {
    process.stdout.write(`${name !== undefined && names.includes(name) ? readHeader(name) : describeBenches(names)}\n`);
    return 0;
  }
  if (!names.includes(name)) {
    process.stderr.write(`There is no benchmark ${name}. There are: ${names.join(", ") || "none yet"}.\n`);
    return 1;
  }
  const { run }: { readonly run: Bench } = await import(pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href);
  const result = await run({ json, args });
  process.stdout.write(`${json ? JSON.stringify(result) : formatResult(result)}\n`);
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
