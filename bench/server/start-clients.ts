/** Starts the clients of a stream in their own process, and forwards their reports. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { atExit } from "../shared/at-exit.ts";
import type { StreamReport, StreamTask } from "./stream-clients.ts";

export interface StartedClients {
  /** Returns the next report; rejects if the process ends without one. */
  next(): Promise<StreamReport>;
  /** Lets the clients continue or end. */
  go(): void;
  ended(): Promise<unknown>;
}

export function startClients(task: StreamTask): StartedClients {
  const script = fileURLToPath(new URL("./stream-clients.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(task)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const closed = once(child, "close");
  child.once(
    "close",
    atExit(() => child.kill("SIGKILL")),
  );
  return { next: () => nextReport(child, closed), go: () => void child.send("go"), ended: () => closed };
}

async function nextReport(child: ChildProcess, closed: Promise<unknown>): Promise<StreamReport> {
  const message = await Promise.race([once(child, "message"), closed.then(() => undefined)]);
  if (message === undefined) throw new Error("the clients ended without a report");
  return message[0] as StreamReport;
}
