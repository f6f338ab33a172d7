/** Worker thread that writes summaries by code. Summaries take turns, so that a long one does not delay a short one. */
import { parentPort } from "node:worker_threads";
import { type CodeSummary, writeByCodeInSteps } from "../../core/summary/offline/write-by-code.ts";
import { findCounter } from "../../counters/load-counter.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { ThreadAnswer, ThreadRequest } from "./summary-thread.ts";

parentPort?.on("message", async ({ id, ...request }: ThreadRequest) => {
  // The caller writes the summary again, and reports the failure if it fails too.
  const summary = await writeSummary(request).catch(() => undefined);
  parentPort?.postMessage({ id, summary } satisfies ThreadAnswer);
});

async function writeSummary({ task, counterId }: Omit<ThreadRequest, "id">): Promise<CodeSummary | undefined> {
  const counter = await findCounter(counterId);
  return counter && runInSteps(writeByCodeInSteps(task, counter));
}
