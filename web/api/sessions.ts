/** Conversations as a whole: found, begun, read in, left for another, named, saved and ended. */
import { readRefusal } from "../../src/client/client-error.ts";
import { client } from "./client.ts";
import { type Fields, readFields, readNumber, readText } from "./fields.ts";
import { fetchSigned } from "./token.ts";
import type { SessionLine } from "./values.ts";

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

/** Those that were forked directly from a session. */
export async function listForks(id: string, signal?: AbortSignal): Promise<readonly SessionLine[]> {
  return (await client.listForks({ params: { id }, signal })).sessions.map(readSession);
}

/** Where a conversation goes several ways, in the order of the places. */
export interface Branch {
  /** The ways part after this message. */
  readonly atSeq: number;
  readonly sessionIds: readonly string[];
  /** Which of them the conversation itself goes. */
  readonly current: number;
}

export async function listBranches(id: string, signal?: AbortSignal): Promise<readonly Branch[]> {
  return (await client.listWays({ params: { id }, signal })).ways;
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
  return readSession(answer.session).id;
}

/** False when the sample is at its end. */
export async function isSampleOver(id: string, signal?: AbortSignal): Promise<boolean> {
  return (await client.readSample({ params: { id }, signal })).isOver;
}

export async function playSample(id: string): Promise<boolean> {
  const answer = await client.playSample({ params: { id }, body: {} });
  return answer.isOver !== true;
}

/** Under its own id unless another one is given. */
export async function importLines(lines: AsyncIterable<string>, id?: string): Promise<string> {
  const answer = readFields(await client.importSession({ lines, query: { id } }));
  return readText(answer.sessionId) || readText(answer.id);
}

interface ToldElsewhere {
  readonly title: string;
  readonly messages: readonly Fields[];
  readonly format?: string | undefined;
}

/** In one request, so that there is all of it or nothing. */
export async function importMessages({ title, messages, format }: ToldElsewhere): Promise<string> {
  const lines = messages.map((message) => JSON.stringify(message));
  return (await client.importMessages({ lines, query: { title, format } })).sessionId;
}

export async function renameSession(id: string, title: string): Promise<void> {
  await client.renameSession({ params: { id }, body: { title } });
}

export async function forkSession(id: string, atSeq?: number): Promise<string> {
  return (await client.forkSession({ params: { id }, body: { atSeq } })).id;
}

/** False where others go on from it, which go too where that is asked for. */
export async function deleteSession(id: string, { forks = false } = {}): Promise<boolean> {
  const outcome = await client.deleteSession({ params: { id }, query: { forks } });
  return outcome.type === "deleted";
}

/** A link that a browser saves: what is in it is written by the server, line by line. */
export function exportAddress(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}/export`;
}

interface SavedFile {
  readonly bytes: Blob;
  readonly name: string;
}

/** The same file, byte for byte, for when a token has to go with the request. */
export async function loadExport(id: string): Promise<SavedFile> {
  const response = await fetchSigned(exportAddress(id));
  if (!response.ok) throw await readRefusal(response);
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return { bytes: await response.blob(), name: name ?? "conversation.jsonl" };
}
