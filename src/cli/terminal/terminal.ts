/** The terminal as commands use it: output, input, the environment, and the signals that end the process. */
import { type LineInput, openInput } from "./line-input.ts";

export interface Terminal {
  /** Prints one line of the result unchanged, for programs. Resolves when the next can be written. */
  readonly print: (line: string) => Promise<void>;
  readonly note: (line: string) => void;
  /** Writes a piece of a line at once; absent if only whole lines can be written. */
  readonly write?: ((text: string) => Promise<void>) | undefined;
  /** Replaces the last line of the notes; absent unless a person sees them in a terminal. */
  readonly rewrite?: ((line: string) => void) | undefined;
  /** Opens the lines that a person types or a program sends. */
  readonly input?: (() => LineInput) | undefined;
  /** Writes a line of a server's log; without it the log goes to the standard error of the process. */
  readonly log?: ((line: string) => void) | undefined;
  /** True if the command is all that the process runs, so that it may limit the memory of the process. */
  readonly hasOwnProcess?: boolean | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Returns a signal that SIGTERM or SIGINT aborts. The next one ends the process; repeats within 1 s are ignored. */
  readonly endings: () => AbortSignal;
}

export function createTerminal(): Terminal {
  // The reader of a pipe may stop early.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const write = async (text: string): Promise<void> => {
    if (process.stdout.write(text)) return;
    await new Promise((resolve) => process.stdout.once("drain", resolve));
  };
  return {
    print: (line) => write(`${line}\n`),
    write,
    input: openInput,
    note: (line) => void process.stderr.write(`${line}\n`),
    hasOwnProcess: true,
    rewrite: process.stderr.isTTY ? (line) => void process.stderr.write(`\r\u001b[K${line}`) : undefined,
    environment: process.env,
    endings: listenForEnd,
  };
}

/** Under npm, Ctrl-C arrives twice: from the terminal and from npm. */
const REPEATED_MS = 1_000;

function listenForEnd(): AbortSignal {
  const ending = new AbortController();
  const names = ["SIGTERM", "SIGINT"] as const;
  const end = (signal: NodeJS.Signals): void => {
    ignoreFor(REPEATED_MS, signal);
    // Without listeners the next signal ends the process.
    for (const name of names) process.off(name, end);
    ending.abort();
  };
  for (const name of names) process.on(name, end);
  if (process.env.npm_lifecycle_event !== undefined) watchParent(() => end("SIGTERM"));
  return ending.signal;
}

const PARENT_CHECK_MS = 1_000;

/** If npm is killed, it forwards no signal, and the shell that it started may not either. */
function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS);
  timer.unref();
}

function ignoreFor(milliseconds: number, signal: NodeJS.Signals): void {
  const ignore = (): void => undefined;
  process.on(signal, ignore);
  setTimeout(() => process.off(signal, ignore), milliseconds).unref();
}
