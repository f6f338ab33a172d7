/**
 * The lines that a person types, or that a program sends. In a terminal, a pasted text is one input however many lines
 * it has, and a backslash at the end of a line continues the input in the next line.
 */
import { createInterface, type Interface } from "node:readline";

export interface LineInput {
  readonly isInteractive: boolean;
  /** Returns the next input, or undefined at the end. */
  next(prompt: string): Promise<string | undefined>;
  /** Calls the listener on Ctrl-C; returns a function that removes it. */
  onInterrupt(listener: () => void): () => void;
  close(): void;
}

const CONTINUED = "… ";
/** The terminal then marks the beginning and the end of a pasted text. */
const [MARK_PASTES, STOP_MARKING] = ["\u001b[?2004h", "\u001b[?2004l"];

export function openInput(): LineInput {
  const isInteractive = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, ...(isInteractive ? { output: process.stdout } : {}) });
  const waiting: string[] = [];
  let [isEnded, wake] = [false, (): void => undefined];
  const deliver = (text: string): void => {
    waiting.push(text);
    wake();
  };
  lines.on("line", isInteractive ? createLineJoiner(lines, deliver) : deliver);
  lines.on("close", () => {
    isEnded = true;
    if (isInteractive) process.stdout.write(STOP_MARKING);
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

/** Collects lines that belong together. Ctrl-C drops them; the line that is being typed stays. */
function createLineJoiner(lines: Interface, deliver: (text: string) => void): (line: string) => void {
  let [collected, isPasting]: [string[], boolean] = [[], false];
  process.stdout.write(MARK_PASTES);
  process.stdin.on("keypress", (_, key?: { readonly name?: string }) => {
    if (key?.name === "paste-start") isPasting = true;
    if (key?.name === "paste-end") isPasting = false;
  });
  lines.on("SIGINT", () => {
    collected = [];
  });
  return (line) => {
    const isContinued = !isPasting && line.endsWith("\\");
    collected.push(isContinued ? line.slice(0, -1) : line);
    if (isContinued) {
      lines.setPrompt(CONTINUED);
      lines.prompt();
    }
    if (isPasting || isContinued) return;
    deliver(collected.join("\n"));
    collected = [];
  };
}
