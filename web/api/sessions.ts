/** Sessions as a whole: list, create, import, fork, rename, export and delete. */
import { readErrorResponse } from "../../src/client/client-error.ts";
import { client } from "./client.ts";
import { fetchWithToken } from "./token.ts";
import type { Branch, Session } from "./values.ts";

export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly hasMore: boolean;
}

const PAGE_SESSIONS = 100;

/** The first page: the sessions that were used last. */
export async function listSessions(signal?: AbortSignal): Promise<readonly Session[]> {
  return (await listSessionPages(1, signal)).sessions;
}

/** The first pages together, the most recently used session first. */
export async function listSessionPages(pages: number, signal?: AbortSignal): Promise<SessionPage> {
  const sessions: Session[] = [];
  let before: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const answer = await client.listSessions({ query: { limit: PAGE_SESSIONS, before }, signal });
    sessions.push(...answer.sessions);
    before = answer.next;
    if (before === undefined) return { sessions, hasMore: false };
  }
  return { sessions, hasMore: true };
}

export async function readSession(id: string, signal?: AbortSignal): Promise<Session> {
  return client.readSession({ params: { id }, signal });
}

/** Direct forks of a session. */
export async function listForks(id: string, signal?: AbortSignal): Promise<readonly Session[]> {
  return (await client.listForks({ params: { id }, signal })).sessions;
}

/** In the order of the log. */
export async function listBranches(id: string, signal?: AbortSignal): Promise<readonly Branch[]> {
  return (await client.listBranches({ params: { id }, signal })).branches;
}

export async function createSession(body: { readonly title?: string }): Promise<Session> {
  return client.createSession({ body });
}

export async function openSample(): Promise<string> {
  return (await client.openSample({ body: {} })).session.id;
}

export async function isSampleOver(id: string, signal?: AbortSignal): Promise<boolean> {
  return (await client.readSample({ params: { id }, signal })).isOver;
}

/** Plays the next turn; false if it was the last one. */
export async function playSample(id: string): Promise<boolean> {
  return !(await client.playSample({ params: { id }, body: {} })).isOver;
}

export type ImportResult = Awaited<ReturnType<typeof client.importSession>>;

/** Imports a file in any format that the server recognizes. An export may get another id. */
export async function importBlob(file: File, id?: string): Promise<ImportResult> {
  return client.importSession({ lines: [file], query: { id, name: file.name } });
}

export async function renameSession(id: string, title: string): Promise<void> {
  await client.renameSession({ params: { id }, body: { title } });
}

export async function forkSession(id: string, atSeq?: number): Promise<string> {
  return (await client.forkSession({ params: { id }, body: { atSeq } })).id;
}

/** Returns false, and deletes nothing, if the session has forks and `forks` is false. */
export async function deleteSession(id: string, { forks = false } = {}): Promise<boolean> {
  return (await client.deleteSession({ params: { id }, query: { forks } })).type === "deleted";
}

/** Stops the answer that is being streamed. */
export async function cancelChat(id: string): Promise<void> {
  await client.cancelChat({ params: { id } });
}

/** Address of the export, for a link that the browser saves. */
export function exportAddress(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}/export`;
}

interface SavedFile {
  readonly bytes: Blob;
  readonly name: string;
}

/** Loads the export with the token, which a link cannot carry. */
export async function loadExport(id: string): Promise<SavedFile> {
  const response = await fetchWithToken(exportAddress(id));
  if (!response.ok) throw await readErrorResponse(response);
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return { bytes: await response.blob(), name: name ?? "conversation.jsonl" };
}
