/**
 * Runs one of the repository's tools on the repository's own Node, however the script was started: tools in
 * node_modules/.bin come before others of the same name. Output goes straight to the terminal.
 */
import { spawnSync } from "node:child_process";
import { delimiter, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

export interface ToolRun {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Returns the exit code, or 1 if the tool could not be started. */
export function runTool(tool: string, { args, env }: ToolRun): number {
  const PATH = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`;
  const isWindows = process.platform === "win32";
  const run = spawnSync(tool, [...args], {
    cwd: root,
    env: { ...process.env, ...env, PATH },
    stdio: "inherit",
    shell: isWindows,
  });
  if (run.error !== undefined) process.stderr.write(`${tool}: ${run.error.message}\n`);
  return run.status ?? 1;
}
