/** Deletes a long session, and measures how long each turn of the event loop takes until it is done, in CPU time. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { DeletionFigures } from "./delete-apart.ts";
import { fillStore } from "./fill-store.ts";
import { mustBe, roundFigure, type StorePart, type StoreRequest, timesOf } from "./part.ts";

/** The longest step grows with the session: FTS5 merges a term in one step, even if the term is in every text. */
const SIZES = [
  { size: 250_000, maxStepMs: 50 },
  { size: 1_000_000, maxStepMs: 150 },
];
const QUICK_DIVISOR = 50;
const OTHER_MESSAGES = 1_000;
/** The time of each step is printed, and a long deletion has many steps. */
const MAX_OUTPUT_BYTES = 2 ** 28;

export async function measureDeletions(request: StoreRequest): Promise<StorePart> {
  const deletions: (DeletionFigures & { readonly messages: number; readonly maxStepMs: number })[] = [];
  for (const { size, maxStepMs } of SIZES) {
    const messages = request.isQuick ? size / QUICK_DIVISOR : size;
    deletions.push({ messages, maxStepMs, ...(await measureDeletion(request, messages)) });
    request.say(`deleted ${messages} messages`);
  }
  return {
    rows: deletions.map(({ messages, ms, stepMs }) => {
      const { p50Ms, p99Ms, maxMs } = timesOf(stepMs);
      const remark = `${roundFigure(ms / 1_000)} s in all; longest step ${roundFigure(maxMs)} ms of CPU time`;
      return { part: "delete", case: "SQLite", messages, p50Ms: roundFigure(p50Ms), p99Ms: roundFigure(p99Ms), remark };
    }),
    musts: deletions.map(({ messages, maxStepMs, stepMs }) =>
      mustBe({
        text: `longest step while a session of ${messages} messages is deleted, CPU time`,
        value: timesOf(stepMs).maxMs,
        unit: " ms",
        atMost: maxStepMs,
      }),
    ),
    notes: ["delete: a step is one turn of the event loop of a separate process"],
  };
}

async function measureDeletion({ folder, say }: StoreRequest, messages: number): Promise<DeletionFigures> {
  const path = join(folder, `delete-${messages}.db`);
  const sessions = [
    { id: "other", messages: OTHER_MESSAGES },
    { id: "long", messages },
  ];
  await fillStore({ path, sessions, say });
  const script = fileURLToPath(new URL("./delete-apart.ts", import.meta.url));
  const options = { maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await promisify(execFile)(process.execPath, [script, path, "long"], options);
  return JSON.parse(stdout) as DeletionFigures;
}
