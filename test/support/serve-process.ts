/** `palimpsest serve`, in its own process or in the one of the tests, which needs a tenth of the processor time. */
import { setTimeout } from "node:timers/promises";
import { runCli } from "../../src/cli/run-cli.ts";
import { type CliProcess, startCli } from "./start-cli.ts";

export interface StartedServe extends AsyncDisposable {
  readonly url: string;
  readonly store: string;
  /** Log lines so far. */
  logged(): readonly LogLine[];
  /** Its standard error. */
  readonly err: () => string;
  /** Stops it and returns its exit code. */
  end(): Promise<number | null>;
}

export interface ServedProcess extends StartedServe {
  readonly pid: number;
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number };

export interface ServeOptions {
  readonly args?: readonly string[] | undefined;
  /** The home folder must be set here or in the arguments. */
  readonly environment: Readonly<Record<string, string>>;
}

const END_MS = 5_000;
const STEP_MS = 10;
const listArguments = (args: readonly string[]) => ["serve", "--port", "0", "--json", ...args];

/** Runs the command in this process: with its arguments, its environment, its log and its end, but no signals. */
export async function startServe({ args = [], environment }: ServeOptions): Promise<StartedServe> {
  const ending = new AbortController();
  const { promise: ready, resolve: print } = Promise.withResolvers<string>();
  let err = "";
  const note = (line: string) => {
    err += `${line}\n`;
  };
  const ended = runCli(listArguments(args), {
    print: async (line) => print(line),
    note,
    log: (line) => note(line.trimEnd()),
    environment,
    endings: () => ending.signal,
  });
  const refused = ended.then(() => Promise.reject(new Error(err)));
  const { url, store } = JSON.parse(await Promise.race([ready, refused]));
  refused.catch(() => undefined);
  const end = (): Promise<number> => {
    ending.abort();
    return ended;
  };
  return {
    url,
    store,
    logged: () => readLog(err),
    err: () => err,
    end,
    [Symbol.asyncDispose]: async () => void (await end()),
  };
}

/** For tests of the process itself. */
export async function startServeProcess({ args = [], environment }: ServeOptions): Promise<ServedProcess> {
  const process = startCli(listArguments(args), { environment });
  while (!process.out().includes("\n") && process.child.exitCode === null) await setTimeout(STEP_MS);
  if (process.child.exitCode !== null) throw new Error(process.err());
  const { url, pid, store } = JSON.parse(process.out());
  return {
    url,
    pid,
    store,
    logged: () => readLog(process.err()),
    err: process.err,
    end: () => end(process),
    [Symbol.asyncDispose]: () => stop(process),
  };
}

function readLog(err: string): readonly LogLine[] {
  return err
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
  const ending = new AbortController();
  const killing = setTimeout(END_MS, undefined, { signal: ending.signal }).then(
    () => child.kill("SIGKILL"),
    () => undefined,
  );
  await ended;
  ending.abort();
  await killing;
}
