/** What a command sees of the terminal: two places to write to, what is typed, the environment, and the wish to end. */
import { createInterface } from "node:readline";

export interface Terminal {
  /** One line of the result, to the letter, for programs. Resolves when there is room for more. */
  readonly print: (line: string) => Promise<void>;
  /** Lines for whoever watches. */
  readonly note: (line: string) => void;
  /** A piece of a line, as it comes. Where there is none, lines are all there is. */
  readonly write?: ((text: string) => Promise<void>) | undefined;
  /** What somebody types, line by line, or what a program hands over. */
  readonly input?: (() => LineInput) | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGTERM or SIGINT, where a command listens; a second one ends the process, the same one after a second. */
  readonly endings: () => AbortSignal;
}

export interface LineInput {
  /** Whether a person sits there. */
  readonly isInteractive: boolean;
  /** The next line; undefined at the end. */
  next(prompt: string): Promise<string | undefined>;
  /** Called when a person wants what goes on to stop (Ctrl-C); returns how to hear no more of it. */
  onInterrupt(listener: () => void): () => void;
  close(): void;
}

export function createTerminal(): Terminal {
  // Whoever reads the result may have seen enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  return {
    print: async (line) => {
      if (process.stdout.write(`${line}\n`)) return;
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    },
    write: async (text) => {
      if (process.stdout.write(text)) return;
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    },
    input: openInput,
    note: (line) => void process.stderr.write(`${line}\n`),
    environment: process.env,
    endings: listenForEnd,
  };
}

/** Ctrl-C under npm comes twice: the terminal sends it to every process, and npm passes it on. */
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

/** npm that is killed passes no signal on, and the shell that it starts may end without doing so. */
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

function openInput(): LineInput {
  const isInteractive = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, ...(isInteractive ? { output: process.stdout } : {}) });
  const waiting: string[] = [];
  let [isEnded, wake] = [false, (): void => undefined];
  lines.on("line", (line) => {
    waiting.push(line);
    wake();
  });
  lines.on("close", () => {
    isEnded = true;
    wake();
  });
  return {
    isInteractive,
    async next(prompt) {
      if (isInteractive) {
        lines.setPrompt(prompt);
        lines.prompt();
      }
      while (waiting.length === 0 && !isEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return waiting.shift();
    },
    onInterrupt(listener) {
      lines.on("SIGINT", listener);
      return () => void lines.off("SIGINT", listener);
    },
    close: () => lines.close(),
  };
}
