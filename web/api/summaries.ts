/** Summaries, what they were made from, and compactions: looked at first, or carried out. */
import { client } from "./client.ts";
import { type Fields, readFields, readList, readNumber, readText } from "./fields.ts";
import { showMessage } from "./read-entries.ts";
import { readSummary } from "./read-summaries.ts";
import type { Preview, Summary } from "./values.ts";

export async function listSummaries(id: string, signal?: AbortSignal): Promise<readonly Summary[]> {
  return readList((await client.listSummaries({ params: { id }, query: { ids: false }, signal })).summaries).map(
    readSummary,
  );
}

/** The messages that a summary was made from, as they were said. */
export async function expandSummary(id: string, summaryId: string, signal?: AbortSignal) {
  const { messages } = await client.expandSummary({ params: { id, summaryId }, signal });
  return readList(messages).map((message) => showMessage(readFields(message), { sessionId: id }));
}

/** Messages by their ids, as they were said. */
export async function loadMessages(id: string, messageIds: readonly string[], signal: AbortSignal) {
  const load = async (messageId: string) => {
    const { message } = await client.readMessage({ params: { id, messageId }, signal });
    return showMessage(readFields(message), { sessionId: id });
  };
  return Promise.all(messageIds.map(load));
}

/** What a compaction would do; undefined, with the reason, where there is nothing to do. */
export async function previewCompaction(id: string, instructions: string): Promise<Preview | string> {
  const body = instructions === "" ? {} : { instructions };
  return readPreview(await client.previewCompaction({ params: { id }, body }));
}

export async function editPreview(id: string, previewId: string, text: string): Promise<Preview | string> {
  return readPreview(await client.editPreview({ params: { id, previewId }, body: { text } }));
}

export async function applyPreview(id: string, previewId: string): Promise<Compacted> {
  return readCompacted(await client.applyPreview({ params: { id, previewId }, body: {} }));
}

function readPreview(value: unknown): Preview | string {
  const preview = readFields(value);
  if (preview.type === "stale") return "The conversation changed meanwhile; look again.";
  if (preview.type !== "preview") return sayNothingToFold(preview);
  const [before, after] = [readFields(preview.before), readFields(preview.after)];
  return {
    id: readText(preview.previewId),
    tokensBefore: readNumber(before.tokens),
    tokensAfter: readNumber(after.tokens),
    kept: readList(preview.kept).length,
    droppedIds: readList(preview.dropped).map(readText),
    costUsd: readNumber(preview.costUsd),
    text: readText(readFields(preview.record).text),
  };
}

/** What is new stays as it was said; where that is all there is, no reason says more. */
function sayNothingToFold({ type, reason }: Fields): string {
  if (type !== "nothing-to-compact") return readText(reason) || "Another compaction is under way.";
  const said = readText(reason);
  return said === "" || said.startsWith("Nothing stands before")
    ? "Everything old is folded already, and the newest messages stay word for word."
    : said;
}

export interface Compacted {
  readonly type: string;
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export async function compactNow(id: string, instructions: string): Promise<Compacted> {
  const body = instructions === "" ? {} : { instructions };
  return readCompacted(await client.compact({ params: { id }, body }));
}

export async function resummarize(id: string, instructions: string): Promise<Compacted> {
  const body = instructions === "" ? {} : { instructions };
  return readCompacted(await client.resummarize({ params: { id }, body }));
}

/** Other words for the live summary. */
export async function editSummary(id: string, text: string): Promise<void> {
  await client.editSummary({ params: { id }, body: { text } });
}

function readCompacted(value: unknown): Compacted {
  const outcome = readFields(value);
  const report = readFields(outcome.report);
  return {
    type: readText(outcome.type),
    reason: sayNothingToFold(outcome),
    tokensBefore: readNumber(report.tokensBefore),
    tokensAfter: readNumber(report.tokensAfter),
  };
}
