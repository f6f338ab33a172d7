/** Finds a summary of the same messages and instructions that is already paid for, after an undo or in a fork. */
import type { SummaryTask } from "../../core/plan/staircase.ts";
import { chainHashInSteps } from "../../core/summary/record/chain-hash.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { TenantStore } from "../../ports/store.ts";

const MOST_RECORDS = 20;

export interface KnownSummaryQuery {
  readonly store: TenantStore;
  readonly sessionId: string;
  readonly instructions: string | undefined;
}

export async function findKnownSummary(
  { stretch, previous, capTokens }: SummaryTask,
  { store, sessionId, instructions }: KnownSummaryQuery,
): Promise<SummaryRecord | undefined> {
  const range = { types: ["summary"], newestFirst: true, limit: MOST_RECORDS } as const;
  const entries = await store.readEntries(sessionId, range);
  if (entries.length === 0) return undefined;
  const hash = await runInSteps(chainHashInSteps(previous?.coverage.chainHash, stretch));
  // Records keep the instructions without secrets.
  const clean = instructions === undefined ? undefined : redactSecrets(instructions).text;
  const records = entries.flatMap((entry) => (entry.type === "summary" ? [entry.record] : []));
  return records.find(
    (record) =>
      record.coverage.chainHash === hash &&
      record.parentId === previous?.id &&
      record.instructions === clean &&
      record.model !== undefined &&
      record.strategy !== "edited" &&
      record.text !== "" &&
      record.tokensAfter <= capTokens,
  );
}
