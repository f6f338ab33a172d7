/**
 * Helpers of the benchmarks: command-line options, progress on stderr, the peers' packages, a temporary folder, and
 * facts about the machine. Nothing here measures.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit.ts";

export type Say = (text: string) => void;

/** Prints progress of the benchmark with this name. */
export function sayAs(name: string): Say {
  return (text) => void process.stderr.write(`${name}: ${text}\n`);
}

/** Returns the value after an option. */
export function findValue(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args[index + 1];
}

export function installPeers(say: Say): void {
  const folder = new URL("../peers/", import.meta.url);
  if (existsSync(new URL("node_modules/@langchain/langgraph-checkpoint-sqlite", folder))) return;
  say("installing bench/peers");
  const { status } = spawnSync("npm", ["ci"], { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("npm ci in bench/peers failed. Use --no-peers to measure without them.");
}

/**
 * Creates a folder below `--folder`, or in the system's temporary folder. It is removed even if the run is interrupted.
 */
export function makeFolder(args: readonly string[]): string {
  const parent = findValue(args, "--folder") ?? tmpdir();
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "palimpsest-bench-"));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  return folder;
}

export function loadText(): string {
  return (loadavg()[0] ?? 0).toFixed(2);
}

export function machineText(): string {
  return `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${availableParallelism()} cores`;
}
