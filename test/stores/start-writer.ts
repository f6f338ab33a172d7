/** Starts a writer as a process of its own and listens to what it says. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repositoryRoot } from "../support/read-repository.ts";
import type { WriterLine, WriterTask } from "./store-writer.ts";

export interface RunningWriter {
  readonly process: ChildProcess;
  /** Everything that was said so far. */
  readonly lines: readonly WriterLine[];
  /** The first line of a kind, when it comes. */
  first(type: WriterLine["type"]): Promise<WriterLine>;
  /** When the process has ended, however it did: how, and what it complained about. */
  readonly ended: Promise<{ readonly code: number | null; readonly complaint: string }>;
}

export function startWriter(task: WriterTask): RunningWriter {
  const script = join(repositoryRoot, "test/stores/store-writer.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(task)], { stdio: ["pipe", "pipe", "pipe"] });
  const lines: WriterLine[] = [];
  const waiting = new Map<string, (line: WriterLine) => void>();
  let complaint = "";
  child.stderr.on("data", (text) => {
    complaint += String(text);
  });
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (text) => {
    const line = parseLine(text);
    if (line === undefined) return;
    lines.push(line);
    waiting.get(line.type)?.(line);
  });
  const ended = new Promise<{ code: number | null; complaint: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, complaint }));
  });
  const first = (type: WriterLine["type"]) =>
    new Promise<WriterLine>((resolve, reject) => {
      const known = lines.find((line) => line.type === type);
      if (known !== undefined) return resolve(known);
      waiting.set(type, resolve);
      void ended.then(() => reject(new Error(`The writer ended before it said ${type}: ${complaint}`)));
    });
  return { process: child, lines, first, ended };
}

/** A process that is killed may leave half a line; that was not said. */
function parseLine(text: string): WriterLine | undefined {
  try {
    return JSON.parse(text) as WriterLine;
  } catch {
    return undefined;
  }
}
