/** `palimpsest serve` in its own process, with a scripted provider as its model. */
import { expect } from "vitest";
import { type CliProcess, startCli } from "./start-cli.ts";

export interface ServedProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly store: string;
  /** Log lines so far. */
  logged(): readonly LogLine[];
  /** Its standard error. */
  readonly err: () => string;
  /** Stops it and returns its exit code. */
  end(): Promise<number | null>;
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number };

export interface ServeOptions {
  readonly args?: readonly string[] | undefined;
  /** The home folder must be set here or in the arguments. */
  readonly environment: Readonly<Record<string, string>>;
}

const END_MS = 5_000;

export async function startServe({ args = [], environment }: ServeOptions): Promise<ServedProcess> {
  const process = startCli(["serve", "--port", "0", "--json", ...args], { environment });
  await expect
    .poll(() => process.out().includes("\n") || process.child.exitCode !== null, { timeout: 60_000 })
    .toBe(true);
  if (process.child.exitCode !== null) throw new Error(process.err());
  const { url, pid, store } = JSON.parse(process.out());
  return {
    url,
    pid,
    store,
    logged: () => readLog(process),
    err: process.err,
    end: () => end(process),
    [Symbol.asyncDispose]: () => stop(process),
  };
}

function readLog({ err }: CliProcess): readonly LogLine[] {
  return err()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line));
}

async function end({ child, ended }: CliProcess): Promise<number | null> {
  child.kill("SIGTERM");
  return (await ended).code;
}

/** Stops it gracefully, so that it saves its compiled modules for the next process, and kills it if it does not end. */
async function stop({ child, ended }: CliProcess): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await ended;
  clearTimeout(timer);
}
