/** Summaries with their source messages, and compactions with their previews. */
import { client } from "./client.ts";
import { toShownMessage } from "./read-entries.ts";
import type { CompactionOutcome, ShownMessage, Summary } from "./values.ts";

/** Oldest first. */
export async function listSummaries(id: string, signal?: AbortSignal): Promise<readonly Summary[]> {
  const { summaries } = await client.listSummaries({ params: { id }, query: { ids: false }, signal });
  return summaries.map(({ record, isLive }) => ({ ...record, isLive }));
}

/** The messages that a summary was made from, word for word. */
export async function expandSummary(
  id: string,
  summaryId: string,
  signal?: AbortSignal,
): Promise<readonly ShownMessage[]> {
  const { messages } = await client.expandSummary({ params: { id, summaryId }, signal });
  return messages.map((message) => toShownMessage(message, id));
}

export async function loadMessages(
  id: string,
  messageIds: readonly string[],
  signal: AbortSignal,
): Promise<readonly ShownMessage[]> {
  const load = async (messageId: string) =>
    toShownMessage((await client.readMessage({ params: { id, messageId }, signal })).message, id);
  return Promise.all(messageIds.map(load));
}

/** The planned effect of a compaction. */
export interface Preview {
  readonly id: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages that stay word for word. */
  readonly kept: number;
  /** Messages that do not: they are summarized, shortened or left out. */
  readonly droppedIds: readonly string[];
  readonly costUsd: number;
  /** Empty if the compaction writes no summary. */
  readonly text: string;
}

/** Returns the preview, or the reason as a sentence if there is nothing to preview. */
export async function previewCompaction(id: string, instructions: string): Promise<Preview | string> {
  return toPreview(await client.previewCompaction({ params: { id }, body: bodyOf(instructions) }));
}

export async function editPreview(id: string, previewId: string, text: string): Promise<Preview | string> {
  return toPreview(await client.editPreview({ params: { id, previewId }, body: { text } }));
}

export async function applyPreview(id: string, previewId: string): Promise<CompactionOutcome> {
  return client.applyPreview({ params: { id, previewId }, body: {} });
}

function toPreview(answer: Awaited<ReturnType<typeof client.previewCompaction>>): Preview | string {
  if (answer.type !== "preview") return describeNoCompaction(answer);
  const { previewId: id, before, after, kept, dropped: droppedIds, costUsd, record } = answer;
  const text = record?.text ?? "";
  return { id, tokensBefore: before.tokens, tokensAfter: after.tokens, kept: kept.length, droppedIds, costUsd, text };
}

type NoCompaction = Exclude<CompactionOutcome, { readonly type: "compacted" }>;

export function describeNoCompaction(outcome: NoCompaction): string {
  if (outcome.type === "stale") return "The conversation changed while this was prepared. Try again.";
  if (outcome.type === "busy") return "Another compaction of this conversation is running.";
  if (outcome.type === "aborted") return "The compaction was canceled.";
  return outcome.reason;
}

export async function compactNow(id: string, instructions: string): Promise<CompactionOutcome> {
  return client.compact({ params: { id }, body: bodyOf(instructions) });
}

export async function resummarize(id: string, instructions: string): Promise<CompactionOutcome> {
  return client.resummarize({ params: { id }, body: bodyOf(instructions) });
}

/** Replaces the text of the live summary. */
export async function editSummary(id: string, text: string): Promise<void> {
  await client.editSummary({ params: { id }, body: { text } });
}

function bodyOf(instructions: string): { readonly instructions?: string } {
  return instructions === "" ? {} : { instructions };
}
