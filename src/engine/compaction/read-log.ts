/** Reads messages and summaries of a session from its log, in pages, so that a long log blocks nothing. */
import { PalimpsestError } from "../../core/errors.ts";
import { type CacheComparison, compareCacheUse } from "../../core/log/cache-use.ts";
import type { MessageEntry } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import { groupRecordedTurns, type RecordedTurn } from "../../core/summary/offline/group-recorded-turns.ts";
import type { SummaryRecord, VerificationReport } from "../../core/summary/record/record.ts";
import { verifySummaryInSteps } from "../../core/summary/verify/verify-summary.ts";
import { runInSteps, yieldToEventLoop } from "../../ports/run-in-steps.ts";
import type { SessionState } from "../state/session-state.ts";

/** A summary of the session's history, with its effect on the provider's cache. */
export interface SummaryVersion {
  readonly record: SummaryRecord;
  /** Whether the model sees this summary now. */
  readonly isLive: boolean;
  /** Cache figures of the provider before and after it was written; kept for the newest changes of a session. */
  readonly cache: CacheComparison;
}

/** A summary with the messages that it covers. */
export interface ExpandedSummary {
  readonly record: SummaryRecord;
  /** The original messages that it was written from, besides the previous summary. */
  readonly messages: readonly Message[];
  readonly erasedIds: readonly string[];
}

export async function readSummaryHistory(state: SessionState): Promise<readonly SummaryVersion[]> {
  const entries = await state.readEntries("summary");
  const { summary, cacheUse } = (await state.current()).head;
  return entries.map(({ id, record, epoch }) => {
    return { record, isLive: id === summary?.id, cache: compareCacheUse(cacheUse, epoch) };
  });
}

export async function expandSummary(state: SessionState, summaryId: string): Promise<ExpandedSummary> {
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

export function verifyExpandedSummary({ record, messages }: ExpandedSummary): Promise<VerificationReport> {
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
  for await (const entry of state.readMessages({ afterSeq: firstSeq - 1, throughSeq })) {
    if (ids.has(entry.id)) found.push(entry);
  }
  return found;
}

export async function readTranscript(state: SessionState): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for await (const { erased, message } of state.readMessages()) {
    if (erased !== true) messages.push(structuredClone(message));
  }
  return messages;
}

export async function readTurns(state: SessionState): Promise<readonly RecordedTurn[]> {
  const messages = await readTranscript(state);
  const entries = await state.readEntries("summary");
  const { summary } = (await state.current()).head;
  const chain = findChain(
    summary?.id,
    entries.map(({ record }) => record),
  );
  return groupRecordedTurns(messages, chain);
}

/** Returns the chain of the newest summary, oldest first, without undone or rewritten records. */
function findChain(newestId: string | undefined, records: readonly SummaryRecord[]): readonly SummaryRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const chain: SummaryRecord[] = [];
  for (let record = byId.get(newestId ?? ""); record !== undefined; record = byId.get(record.parentId ?? "")) {
    chain.unshift(record);
    byId.delete(record.id);
  }
  return chain;
}
