/**
 * Looks for words through logs, the newest first, a page at a time, so that nobody waits for a long search and nothing
 * but the hits is kept. It ends as soon as nothing that is left can be newer than what was found.
 */
import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import type { SearchHit, SearchQuery } from "../../ports/store.ts";
import { findInText } from "../search/find-in-text.ts";
import type { SessionLog } from "./session-log.ts";

const PAGE_MESSAGES = 256;

export interface Searched {
  readonly id: SessionId;
  /** No entry of the session is newer. */
  readonly lastTurn: number;
}

/** Runs work on a session's log while its files are held; undefined where it is gone. */
export type WithLog = <Result>(
  id: SessionId,
  work: (log: SessionLog) => Promise<Result>,
) => Promise<Result | undefined>;

export interface SearchOptions {
  /** All of the tenant's, the newest first; undefined to look through the one that the query names. */
  readonly sessions: readonly Searched[] | undefined;
  readonly withLog: WithLog;
}

export async function searchLogs(
  query: SearchQuery,
  { sessions, withLog }: SearchOptions,
): Promise<readonly SearchHit[]> {
  const hits = new NewestHits(query.limit);
  for (const { id, lastTurn } of sessions ?? namedBy(query)) {
    if (!hits.wants(lastTurn)) break;
    let throughSeq: number | undefined;
    do {
      throughSeq = await withLog(id, (log) => searchPage(log, { query, hits, throughSeq }));
    } while (throughSeq !== undefined);
  }
  return hits.list();
}

function namedBy({ sessionId }: SearchQuery): readonly Searched[] {
  return sessionId === undefined ? [] : [{ id: sessionId, lastTurn: Number.POSITIVE_INFINITY }];
}

interface Page {
  readonly query: SearchQuery;
  readonly hits: NewestHits;
  readonly throughSeq: number | undefined;
}

/** Where to go on, or undefined at the end. One session is searched with what it inherits, all of them without. */
async function searchPage(log: SessionLog, { query, hits, throughSeq }: Page): Promise<number | undefined> {
  const isAlone = query.sessionId !== undefined;
  const rankOf = (seq: number): number => (isAlone ? seq : log.turnOf(seq));
  const afterSeq = isAlone ? 0 : log.session.facts.baseSeq;
  const seqs = await log.findSeqs({
    afterSeq,
    throughSeq,
    types: ["message"],
    limit: PAGE_MESSAGES,
    newestFirst: true,
  });
  const wanted = seqs.filter((seq) => hits.wants(rankOf(seq)));
  for (const entry of await log.readAt(wanted, "texts")) {
    const hit = entry.type === "message" ? findInMessage(entry, query) : undefined;
    if (hit !== undefined) hits.add({ ...hit, sessionId: log.id }, rankOf(entry.seq));
  }
  const last = seqs.at(-1);
  return last === undefined || wanted.length === 0 ? undefined : last - 1;
}

/** The newest so many hits. Within one session places and turns both grow, so nothing older is ever wanted again. */
class NewestHits {
  readonly #limit: number;
  readonly #hits: { readonly hit: SearchHit; readonly rank: number }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  wants(rank: number): boolean {
    return this.#hits.length < this.#limit || rank > (this.#hits.at(-1)?.rank ?? 0);
  }

  add(hit: SearchHit, rank: number): void {
    const slot = this.#hits.findIndex((other) => other.rank < rank);
    this.#hits.splice(slot < 0 ? this.#hits.length : slot, 0, { hit, rank });
    if (this.#hits.length > this.#limit) this.#hits.pop();
  }

  list(): readonly SearchHit[] {
    return this.#hits.map(({ hit }) => hit);
  }
}

function findInMessage(entry: MessageEntry, query: SearchQuery): Omit<SearchHit, "sessionId"> | undefined {
  const { role, id } = entry.message;
  if (query.role !== undefined && query.role !== role) return undefined;
  const found = findInText(messageText(entry.message), query.text);
  return found && { ...found, seq: entry.seq, messageId: id, role };
}
