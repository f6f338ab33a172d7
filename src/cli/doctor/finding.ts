/** One thing that was looked at: how it is, and what to do where it is not as it should be. */
export interface Finding {
  readonly name: string;
  readonly state: "good" | "warning" | "bad";
  readonly text: string;
  /** What to do; of everything that is not good. */
  readonly advice?: string | undefined;
}

export function good(name: string, text: string): Finding {
  return { name, state: "good", text };
}

export function warning(name: string, text: string, advice: string): Finding {
  return { name, state: "warning", text, advice };
}

export function bad(name: string, text: string, advice: string): Finding {
  return { name, state: "bad", text, advice };
}

/** What somebody else's failure says, in one line. */
export function sayFailure(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
