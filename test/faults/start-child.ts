/** Starts a script as a process and reads its JSON lines. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { COMPILE_CACHE } from "../support/compile-cache.ts";

export interface RunningChild<Line extends { readonly type: string }> {
  readonly process: ChildProcess;
  /** All lines so far. */
  readonly lines: readonly Line[];
  /** Resolves with the first line of this type. */
  first<Type extends Line["type"]>(type: Type): Promise<Extract<Line, { readonly type: Type }>>;
  /** Resolves when the process has ended, with its exit code, its signal and its error output. */
  readonly ended: Promise<ChildEnd>;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly complaint: string;
}

export interface ChildOptions {
  readonly script: string;
  readonly task: unknown;
  /** A program that runs the script, with its arguments: strace, for example. */
  readonly before?: readonly string[] | undefined;
}

export function startChild<Line extends { readonly type: string }>({
  script,
  task,
  before = [],
}: ChildOptions): RunningChild<Line> {
  const [program = process.execPath, ...args] = [...before, process.execPath, script, JSON.stringify(task)];
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE };
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env });
  const lines: Line[] = [];
  const waiting = new Map<string, (line: Line) => void>();
  let complaint = "";
  child.stderr.on("data", (text) => {
    complaint += String(text);
  });
  // Writing to a killed process fails, and the error is ignored.
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line = parseLine<Line>(text);
    if (line === undefined) return;
    lines.push(line);
    waiting.get(line.type)?.(line);
  });
  const ended = new Promise<ChildEnd>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, complaint }));
  });
  const first = <Type extends Line["type"]>(type: Type) =>
    new Promise<Extract<Line, { readonly type: Type }>>((resolve, reject) => {
      const isIt = (line: Line): line is Extract<Line, { readonly type: Type }> => line.type === type;
      const known = lines.find(isIt);
      if (known !== undefined) return resolve(known);
      waiting.set(type, (line) => isIt(line) && resolve(line));
      void ended.then(() => reject(new Error(`The process ended before it said ${type}: ${complaint}`)));
    });
  return { process: child, lines, first, ended };
}

/** A killed process may leave half a line, which is ignored. */
function parseLine<Line>(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
