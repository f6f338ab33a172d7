/**
 * A process that opens a folder and does one thing: `hold` writes and keeps the store open, `write` writes once, `read`
 * only reads. It prints the outcome as one line of JSON.
 */
import { writeSync } from "node:fs";
import { PalimpsestError } from "../../src/core/errors.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { aDraft, appendDrafts, aSession, idsOf } from "./jsonl-folder.ts";

export type ChildTask = "hold" | "write" | "read";

async function run([task = "", folder = "", id = ""]: readonly string[]): Promise<void> {
  const store = openJsonlStore({ folder, fsync: "never", onWarning: () => undefined });
  try {
    const tenant = task === "read" ? store.tenant("local") : await aSession(store);
    if (task !== "read") await appendDrafts(tenant, aDraft(id, `Words of ${id}.`));
    printOutcome({ ids: await idsOf(tenant) });
    if (task === "hold") await new Promise((resolve) => setTimeout(resolve, 600_000));
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
    const { code, message, retryable } = error;
    printOutcome({ code, message, retryable });
  }
  await store.close();
}

function printOutcome(outcome: unknown): void {
  writeSync(1, `${JSON.stringify(outcome)}\n`);
}

if (import.meta.main) await run(process.argv.slice(2));
