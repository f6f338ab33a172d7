/**
 * The server under load from outside: two hundred sessions that append and prompt on SQLite and on PostgreSQL with two
 * servers and a worker, beside a server of LangGraph's packages; five hundred streams of events; clients that go away in
 * the middle of theirs; how long it takes to be ready. Everything runs as processes of its own on this machine, with
 * stores in a folder that is removed at the end. It judges no answer.
 *
 * `--quick` for seconds instead of minutes, `--long` for minutes each, `--no-peers` without LangGraph, `--folder <path>`
 * measures the disk that the path is on, `--only sqlite,postgres,streams,drops,start` only those parts.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../test/support/start-postgres.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { measureColdStart } from "./server/cold-start.ts";
import { measureDrops } from "./server/drops.ts";
import { measurePostgres, measureSqlite } from "./server/load-part.ts";
import type { MeasureServer, ServerRequest } from "./server/part.ts";
import { measureStreams } from "./server/streams.ts";
import type { StorePart } from "./store/part.ts";
import type { Must } from "./turn-cost/judge-turn-cost.ts";

const PARTS: Readonly<Record<string, MeasureServer>> = {
  sqlite: measureSqlite,
  postgres: measurePostgres,
  streams: measureStreams,
  drops: measureDrops,
  start: measureColdStart,
};

export interface ServerResult extends BenchResult {
  readonly musts: readonly Must[];
}

export async function run({ args }: BenchRequest): Promise<ServerResult> {
  const names = namesOf(args);
  const hasPeers = !args.includes("--no-peers") && names.some((name) => name === "sqlite" || name === "postgres");
  if (hasPeers) installPeers();
  const parent = findValue(args, "--folder") ?? tmpdir();
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "palimpsest-bench-server-"));
  removeAtExit(folder);
  const started = names.includes("postgres") ? await startPostgres({ isDurable: true }) : undefined;
  const postgres = started === undefined || "reason" in started ? undefined : started;
  const request: ServerRequest = { folder, size: sizeOf(args), hasPeers, postgres, say };
  const loads = [loadText()];
  try {
    const measured: StorePart[] = [];
    for (const name of names) {
      say(`${name}, load average ${loadText()}`);
      measured.push((await PARTS[name]?.(request)) ?? { rows: [], musts: [], notes: [] });
    }
    loads.push(loadText());
    return judge(measured, `load average at the start ${loads[0]}, at the end ${loads[1]}`);
  } finally {
    await postgres?.close();
  }
}

function judge(parts: readonly StorePart[], load: string): ServerResult {
  const musts = parts.flatMap((part) => part.musts);
  return {
    name: "server",
    title: "The server under load from outside: requests a second, milliseconds, megabytes of memory",
    rows: parts.flatMap((part) => part.rows),
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "MISSES"}`,
      ),
      ...parts.flatMap((part) => part.notes),
      load,
      `Node ${process.version}, ${cpus()[0]?.model.trim() ?? "unknown processor"}, ${availableParallelism()} cores`,
    ],
    musts,
  };
}

function namesOf(args: readonly string[]): readonly string[] {
  const only = findValue(args, "--only")?.split(",") ?? Object.keys(PARTS);
  const unknown = only.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) throw new Error(`--only: there is no part ${unknown}`);
  return Object.keys(PARTS).filter((name) => only.includes(name));
}

function sizeOf(args: readonly string[]): ServerRequest["size"] {
  if (args.includes("--quick")) return "quick";
  return args.includes("--long") ? "long" : "usual";
}

function findValue(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args[index + 1];
}

/** Nothing is left behind by whoever loses patience. */
function removeAtExit(folder: string): void {
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
}

function installPeers(): void {
  const folder = new URL("peers/", import.meta.url);
  if (existsSync(new URL("node_modules/@langchain/langgraph-checkpoint-sqlite", folder))) return;
  say("installing bench/peers");
  const { status } = spawnSync("npm", ["ci"], { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("npm ci in bench/peers failed; --no-peers measures without them");
}

function loadText(): string {
  return (loadavg()[0] ?? 0).toFixed(2);
}

function say(text: string): void {
  process.stderr.write(`server: ${text}\n`);
}
