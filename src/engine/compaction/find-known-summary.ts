/**
 * A summary of the same words that was paid for before: after an undo, or in a fork. The hash of a chain says what a
 * record was made of, so the same hash and the same wishes mean the same request, and nobody is asked again.
 */
import type { SummaryTask } from "../../core/plan/staircase.ts";
import { chainHashInSteps } from "../../core/summary/record/chain-hash.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import type { TenantStore } from "../../ports/store.ts";
import { runInSteps } from "../context/run-in-steps.ts";

const RECORDS_LOOKED_AT = 20;

export interface KnownSummaryQuery {
  readonly store: TenantStore;
  readonly sessionId: string;
  readonly instructions: string | undefined;
}

export async function findKnownSummary(
  { stretch, previous, capTokens }: SummaryTask,
  { store, sessionId, instructions }: KnownSummaryQuery,
): Promise<SummaryRecord | undefined> {
  const range = { types: ["summary"], newestFirst: true, limit: RECORDS_LOOKED_AT } as const;
  const entries = await store.readEntries(sessionId, range);
  if (entries.length === 0) return undefined;
  const hash = await runInSteps(chainHashInSteps(previous?.coverage.chainHash, stretch));
  // Records keep the wish without secrets.
  const wish = instructions === undefined ? undefined : redactSecrets(instructions).text;
  const records = entries.flatMap((entry) => (entry.type === "summary" ? [entry.record] : []));
  return records.find(
    (record) =>
      record.coverage.chainHash === hash &&
      record.parentId === previous?.id &&
      record.instructions === wish &&
      record.model !== undefined &&
      record.strategy !== "edited" &&
      record.text !== "" &&
      record.tokensAfter <= capTokens,
  );
}
