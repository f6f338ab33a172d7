/** Reads the summaries of a session, and the messages that each one stands for. */
import { PalimpsestError } from "../../core/errors.ts";
import { type CacheComparison, compareCacheUse } from "../../core/log/cache-use.ts";
import type { MessageEntry } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import type { SummaryRecord, VerificationReport } from "../../core/summary/record/record.ts";
import { verifySummaryInSteps } from "../../core/summary/verify/verify-summary.ts";
import { runInSteps, yieldToEventLoop } from "../../ports/run-in-steps.ts";
import type { SessionState } from "../state/session-state.ts";

const PAGE = 500;

export interface SummaryVersion {
  readonly record: SummaryRecord;
  /** Whether the model sees this summary now. */
  readonly isLive: boolean;
  /** Cache figures of the provider before and after it was written; kept for the newest changes of a session. */
  readonly cache: CacheComparison;
}

export interface Expanded {
  readonly record: SummaryRecord;
  /** The original messages that it was written from, beside the summary before it. */
  readonly messages: readonly Message[];
  readonly erasedIds: readonly string[];
}

export async function readSummaryHistory(state: SessionState): Promise<readonly SummaryVersion[]> {
  const { store } = state.context;
  const entries = await store.readEntries(state.id, { types: ["summary"] });
  const { summary, cacheUse } = (await state.current()).head;
  return entries.flatMap((entry) => {
    if (entry.type !== "summary") return [];
    return [{ record: entry.record, isLive: entry.id === summary?.id, cache: compareCacheUse(cacheUse, entry.epoch) }];
  });
}

export async function expandSummary(state: SessionState, summaryId: string): Promise<Expanded> {
  const record = await requireRecord(state, summaryId);
  const entries = await readStretch(state, record);
  const [messages, erasedIds]: [Message[], string[]] = [[], []];
  for (const { id, erased, message } of entries) {
    if (erased === true) erasedIds.push(id);
    else messages.push(structuredClone(message));
    await yieldToEventLoop();
  }
  return { record, messages, erasedIds };
}

export function verifyExpanded({ record, messages }: Expanded): Promise<VerificationReport> {
  return runInSteps(verifySummaryInSteps(record, messages));
}

export async function requireRecord(state: SessionState, summaryId: string): Promise<SummaryRecord> {
  const entry = await state.context.store.findEntry(state.id, summaryId);
  if (entry?.type === "summary") return entry.record;
  throw new PalimpsestError("message-not-found", `There is no summary ${JSON.stringify(summaryId)} in this session.`);
}

export async function readStretch(state: SessionState, record: SummaryRecord): Promise<readonly MessageEntry[]> {
  const ids = new Set(record.messageIds);
  const { firstSeq, lastSeq: throughSeq } = record.coverage;
  const found: MessageEntry[] = [];
  for (let afterSeq = firstSeq - 1; ; ) {
    const range = { afterSeq, throughSeq, types: ["message"], limit: PAGE } as const;
    const page = await state.context.store.readEntries(state.id, range);
    for (const entry of page) if (entry.type === "message" && ids.has(entry.id)) found.push(entry);
    if (page.length < PAGE) return found;
    await yieldToEventLoop();
    afterSeq = page.at(-1)?.seq ?? throughSeq;
  }
}
