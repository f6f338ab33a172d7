/** Runs the CLI in its own process through its real entry point. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "./read-repository.ts";

export interface CliProcess {
  readonly child: ChildProcess;
  /** Output so far. */
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

export interface CliOptions {
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
}

export function startCli(args: readonly string[], { environment = {}, input }: CliOptions = {}): CliProcess {
  const child = spawn(process.execPath, [join(repositoryRoot, "src/cli/main.ts"), ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  child.stdin.end(input ?? "");
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, out, err })),
  );
  return { child, out: () => out, err: () => err, ended };
}
