/**
 * What the page asks of the server about conversations, in the page's own values. Nothing outside of this folder speaks
 * to the client, so that there is one border at which what came is read.
 */
import { client } from "./client.ts";
import { type Fields, readFields, readList, readNumber, readText } from "./fields.ts";
import { bySeq, type LogEntry, readEntry, showMessage } from "./read-entries.ts";
import { readFate, readStrip } from "./read-strip.ts";
import { readSummary } from "./read-summaries.ts";
import { readCompactionState, readView } from "./read-view.ts";
import { findSizes, keepSizes } from "./session-sizes.ts";
import type { CompactionState, Explanation, Hit, Model, Preview, SessionLine, Strip, Summary, View } from "./values.ts";

const SHOWN_TYPES = "message,summary,truncate,clear";

export interface Page {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  readonly isFull: boolean;
}

export interface PageRange {
  readonly afterSeq?: number | undefined;
  readonly throughSeq?: number | undefined;
  readonly limit: number;
  readonly newestFirst?: boolean | undefined;
}

export interface SessionPage {
  readonly sessions: readonly SessionLine[];
  readonly hasMore: boolean;
}

const PAGE_SESSIONS = 100;

/** The newest. */
export async function listSessions(signal?: AbortSignal): Promise<readonly SessionLine[]> {
  return (await listSessionPages(1, signal)).sessions;
}

/** So many pages of them, the newest first. */
export async function listSessionPages(pages: number, signal?: AbortSignal): Promise<SessionPage> {
  const sessions: SessionLine[] = [];
  let before: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const answer = await client.listSessions({ query: { limit: PAGE_SESSIONS, before }, signal });
    sessions.push(...answer.sessions.map(readSession));
    before = answer.next;
    if (before === undefined) return { sessions, hasMore: false };
  }
  return { sessions, hasMore: true };
}

export async function readOneSession(id: string, signal?: AbortSignal): Promise<SessionLine> {
  return readSession(await client.readSession({ params: { id }, signal }));
}

export async function createSession(body: { readonly title?: string }): Promise<SessionLine> {
  return readSession(await client.createSession({ body }));
}

function readSession(value: unknown): SessionLine {
  const session = readFields(value);
  const { parentId, atSeq } = readFields(session.fork);
  return {
    id: readText(session.id),
    title: readText(session.title),
    preview: readText(session.preview),
    updatedAt: readNumber(session.updatedAt),
    createdAt: readNumber(session.createdAt),
    messageCount: readNumber(session.messageCount),
    fork: session.fork === undefined ? undefined : { parentId: readText(parentId), atSeq: readNumber(atSeq) },
  };
}

export async function openSample(): Promise<string> {
  const answer = await client.openSample({ body: {} });
  const { id } = readSession(answer.session);
  keepSizes(id, { windowTokens: readNumber(answer.windowTokens), reserveTokens: readNumber(answer.reserveTokens) });
  return id;
}

/** False when the sample is at its end. */
export async function playSample(id: string): Promise<boolean> {
  const answer = await client.playSample({ params: { id }, body: {} });
  return answer.isOver !== true;
}

export async function importLines(lines: AsyncIterable<string>): Promise<string> {
  const answer = readFields(await client.importSession({ lines }));
  return readText(answer.sessionId) || readText(answer.id);
}

interface Appended {
  readonly messages: readonly Fields[];
  readonly format?: string | undefined;
}

export async function appendMessages(id: string, { messages, format }: Appended): Promise<void> {
  await client.appendMessages({ params: { id }, body: { messages: [...messages], format } });
}

export async function readPage(id: string, range: PageRange, signal?: AbortSignal): Promise<Page> {
  const query = { ...range, types: SHOWN_TYPES, ids: false };
  const entries = readList((await client.readEntries({ params: { id }, query, signal })).entries);
  return { entries: entries.map(readEntry).toSorted(bySeq), isFull: entries.length >= range.limit };
}

export const PROVIDERS = {
  "ai-sdk": "AI SDK",
  openai: "OpenAI chat",
  "openai-responses": "OpenAI responses",
  anthropic: "Anthropic",
  gemini: "Gemini",
} as const;
export type ProviderName = keyof typeof PROVIDERS;

export interface StripRange {
  readonly firstSeq?: number | undefined;
  readonly lastSeq?: number | undefined;
  readonly buckets: number;
}

export async function loadStrip(id: string, range: StripRange, signal?: AbortSignal): Promise<Strip> {
  return readStrip(await client.readStrip({ params: { id }, query: range, signal }));
}

export async function loadView(id: string, provider: ProviderName, signal?: AbortSignal): Promise<View> {
  const body = { ...findSizes(id), provider, preview: true };
  return readView(await client.makePrompt({ params: { id }, body, signal }));
}

export async function loadCompactionState(id: string, signal?: AbortSignal): Promise<CompactionState> {
  return readCompactionState(await client.readBudget({ params: { id }, signal }));
}

export async function listSummaries(id: string, signal?: AbortSignal): Promise<readonly Summary[]> {
  return readList((await client.listSummaries({ params: { id }, query: { ids: false }, signal })).summaries).map(
    readSummary,
  );
}

export async function explainMessage(id: string, messageId: string, signal?: AbortSignal): Promise<Explanation> {
  const answer = await client.explainMessage({ params: { id, messageId }, signal });
  return {
    messageId,
    seq: readNumber(answer.seq),
    fate: readFate(answer.fate),
    reason: readText(answer.reason),
    isShown: answer.isShown === true,
  };
}

/** What became of it, in words for a notice. */
export async function pinMessage(id: string, messageId: string): Promise<string> {
  const outcome = await client.pinMessage({ params: { id }, body: { messageId } });
  return readText(outcome.type);
}

export async function unpinMessage(id: string, messageId: string): Promise<void> {
  await client.unpinMessage({ params: { id, pinId: messageId } });
}

export async function clearHistory(id: string): Promise<void> {
  await client.clearHistory({ params: { id }, body: {} });
}

export async function undoLast(id: string): Promise<string> {
  return (await client.undo({ params: { id }, body: {} })).type;
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

function readCompacted(value: unknown): Compacted {
  const outcome = readFields(value);
  const report = readFields(outcome.report);
  return {
    type: readText(outcome.type),
    reason: readText(outcome.reason),
    tokensBefore: readNumber(report.tokensBefore),
    tokensAfter: readNumber(report.tokensAfter),
  };
}

export async function searchMessages(query: string, signal?: AbortSignal): Promise<readonly Hit[]> {
  return (await client.search({ query: { query, limit: 30 }, signal })).hits.map(readHit);
}

export async function searchSession(id: string, query: string, signal?: AbortSignal): Promise<readonly Hit[]> {
  const { hits } = await client.searchSession({
    params: { id },
    query: { query, limit: 8, order: "relevance" },
    signal,
  });
  return hits.map(readHit);
}

/** Names of the models that can be asked, the default first. */
export async function listModels(signal?: AbortSignal): Promise<readonly Model[]> {
  return (await client.readSettings({ signal })).models.map(({ id, isOffline }) => ({ id, isOffline }));
}

function readHit(value: unknown): Hit {
  const hit = readFields(value);
  const snippet = readText(hit.snippet);
  const [start, length] = [readNumber(hit.matchStart), readNumber(hit.matchLength)];
  return {
    sessionId: readText(hit.sessionId),
    seq: readNumber(hit.seq),
    messageId: readText(hit.messageId),
    role: readText(hit.role),
    before: snippet.slice(0, start),
    match: snippet.slice(start, start + length),
    after: snippet.slice(start + length),
  };
}

/** The messages that a summary was made from, as they were said. */
export async function expandSummary(id: string, summaryId: string, signal?: AbortSignal) {
  const { messages } = await client.expandSummary({ params: { id, summaryId }, signal });
  return readList(messages).map((message) => showMessage(readFields(message), { sessionId: id }));
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
  if (preview.type !== "preview") return readText(preview.reason) || "Another compaction is under way.";
  const [before, after] = [readFields(preview.before), readFields(preview.after)];
  return {
    id: readText(preview.previewId),
    tokensBefore: readNumber(before.tokens),
    tokensAfter: readNumber(after.tokens),
    kept: readList(preview.kept).length,
    dropped: readList(preview.dropped).length,
    costUsd: readNumber(preview.costUsd),
    text: readText(readFields(preview.record).text),
  };
}

export async function renameSession(id: string, title: string): Promise<void> {
  await client.renameSession({ params: { id }, body: { title } });
}

export async function forkSession(id: string, atSeq?: number): Promise<string> {
  return (await client.forkSession({ params: { id }, body: { atSeq } })).id;
}

export async function deleteSession(id: string): Promise<void> {
  await client.deleteSession({ params: { id } });
}

/** A link that a browser saves: what is in it is written by the server, line by line. */
export function exportAddress(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}/export`;
}

/** Ends the answer that is under way. */
export async function cancelChat(id: string): Promise<void> {
  await client.cancelChat({ params: { id } });
}

export const followEvents = (sessionId: string, signal: AbortSignal) => client.events({ query: { sessionId }, signal });
