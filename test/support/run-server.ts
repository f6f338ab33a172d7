/** Runs a server with a command: npm, npx or the packed program, in its own process group as in a terminal. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { expect } from "vitest";
import { repositoryRoot } from "./read-repository.ts";

export interface RunningServer extends AsyncDisposable {
  /** The started process; the server may be a child of it. */
  readonly command: ChildProcess;
  readonly port: number;
  readonly serverPid: number;
  /** Exit code and signal of the command. */
  readonly ended: Promise<readonly unknown[]>;
  readonly err: () => string;
  /** Sends a signal to every process of the group. */
  readonly signalAll: (signal: NodeJS.Signals) => void;
}

export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Working directory. */
  readonly cwd: string;
  /** Home folder of the server. */
  readonly home: string;
}

const READY = /^\{"event":"ready".*\}$/m;

export async function runServer({ program, args, cwd, home }: ServerCommand): Promise<RunningServer> {
  const PATH = `${join(repositoryRoot, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`;
  const command = spawn(program, [...args, "--port", "0", "--home", home, "--json"], {
    cwd,
    env: { ...process.env, PATH },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const signalAll = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-(command.pid ?? Number.NaN), signal);
    } catch {
      // All processes of the group have ended.
    }
  };
  let [out, err] = ["", ""];
  command.stdout.on("data", (chunk) => {
    out += chunk;
  });
  command.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const ended = once(command, "exit");
  await expect.poll(() => `${out}${err}`, { timeout: 60_000 }).toMatch(READY);
  const [line = ""] = READY.exec(out) ?? [];
  const { port, pid } = JSON.parse(line);
  const dispose = async (): Promise<void> => signalAll("SIGKILL");
  return {
    command,
    port: Number(port),
    serverPid: Number(pid),
    ended,
    err: () => err,
    signalAll,
    [Symbol.asyncDispose]: dispose,
  };
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  const outcome = Promise.race([once(server, "listening").then(() => true), once(server, "error").then(() => false)]);
  server.listen(port, "127.0.0.1");
  const isFree = await outcome;
  server.close();
  return isFree;
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
