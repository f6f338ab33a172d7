/** Starts a writer process and reads its lines. */
import { join } from "node:path";
import { type RunningChild, startChild } from "../faults/start-child.ts";
import type { WriterLine, WriterTask } from "./store-writer.ts";

export type RunningWriter = RunningChild<WriterLine>;

/** `before` is a program, with arguments, that starts the writer. */
export function startWriter(task: WriterTask, before: readonly string[] = []): RunningWriter {
  return startChild({ script: join(import.meta.dirname, "store-writer.ts"), task, before });
}
