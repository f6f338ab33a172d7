/** What a command sees of the terminal: two places to write to, the environment, and the wish to end. */
export interface Terminal {
  /** One line of the result, to the letter, for programs. Resolves when there is room for more. */
  readonly print: (line: string) => Promise<void>;
  /** Lines for whoever watches. */
  readonly note: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGTERM or SIGINT, where a command listens; a second one ends the process. */
  readonly endings: () => AbortSignal;
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
    note: (line) => void process.stderr.write(`${line}\n`),
    environment: process.env,
    endings: listenForEnd,
  };
}

function listenForEnd(): AbortSignal {
  const ending = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => ending.abort());
  return ending.signal;
}
