/**
 * What benchmarks share around their measuring: options of the command line, progress on stderr, the packages of others,
 * a folder that is gone at the end, and what a reader must know of the machine. Nothing here measures.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit.ts";

export type Say = (text: string) => void;

/** Progress of the benchmark with this name. */
export function sayAs(name: string): Say {
  return (text) => void process.stderr.write(`${name}: ${text}\n`);
}

/** What stands behind an option. */
export function findValue(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args[index + 1];
}

export function installPeers(say: Say): void {
  const folder = new URL("../peers/", import.meta.url);
  if (existsSync(new URL("node_modules/@langchain/langgraph-checkpoint-sqlite", folder))) return;
  say("installing bench/peers");
  const { status } = spawnSync("npm", ["ci"], { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("npm ci in bench/peers failed; --no-peers measures without them");
}

/** Below what `--folder` names, or else where the machine keeps such things. Whoever loses patience leaves nothing behind. */
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
