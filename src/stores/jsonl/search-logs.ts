/**
 * Looks for words through logs, the newest first, a page at a time, so that nobody waits for a long search and nothing
 * but the hits is kept. It ends as soon as nothing that is left can be newer than what was found.
 */
import type { SessionId } from "../../core/log/entry.ts";
import type { SearchHit, SearchQuery } from "../../ports/store.ts";
import { findInMessage, type ParsedQuery, takeBest } from "../search/find-in-message.ts";
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
  wanted: ParsedQuery,
  { sessions, withLog }: SearchOptions,
): Promise<readonly SearchHit[]> {
  const hits = new NewestHits(wanted.maxHits);
  for (const { id, lastTurn } of sessions ?? namedBy(wanted.query)) {
    if (!hits.wants(lastTurn)) break;
    let throughSeq: number | undefined;
    do {
      throughSeq = await withLog(id, (log) => searchPage(log, { wanted, hits, throughSeq }));
    } while (throughSeq !== undefined);
  }
  return takeBest(hits.list(), wanted).map(({ hit }) => hit);
}

function namedBy({ sessionId }: SearchQuery): readonly Searched[] {
  return sessionId === undefined ? [] : [{ id: sessionId, lastTurn: Number.POSITIVE_INFINITY }];
}

interface Page {
  readonly wanted: ParsedQuery;
  readonly hits: NewestHits;
  readonly throughSeq: number | undefined;
}

/** Where to go on, or undefined at the end. One session is searched with what it inherits, all of them without. */
async function searchPage(log: SessionLog, { wanted, hits, throughSeq }: Page): Promise<number | undefined> {
  const isAlone = wanted.query.sessionId !== undefined;
  const rankOf = (seq: number): number => (isAlone ? seq : log.turnOf(seq));
  const afterSeq = isAlone ? 0 : log.session.facts.baseSeq;
  const seqs = await log.findSeqs({
    afterSeq,
    throughSeq,
    types: ["message"],
    limit: PAGE_MESSAGES,
    newestFirst: true,
  });
  const newer = seqs.filter((seq) => hits.wants(rankOf(seq)));
  for (const entry of await log.readAt(newer, "texts")) {
    const found = entry.type === "message" ? findInMessage(entry, wanted) : undefined;
    if (found === undefined) continue;
    hits.add({ hit: { ...found.hit, sessionId: log.id }, score: found.score, rank: rankOf(entry.seq) });
  }
  const last = seqs.at(-1);
  return last === undefined || newer.length === 0 ? undefined : last - 1;
}

interface PlacedHit {
  readonly hit: SearchHit;
  readonly score: number;
  /** Greater for what is newer. */
  readonly rank: number;
}

/** The newest so many hits. Within one session places and turns both grow, so nothing older is ever wanted again. */
class NewestHits {
  readonly #limit: number;
  readonly #hits: PlacedHit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  wants(rank: number): boolean {
    return this.#hits.length < this.#limit || rank > (this.#hits.at(-1)?.rank ?? 0);
  }

  add(hit: PlacedHit): void {
    const slot = this.#hits.findIndex(({ rank }) => rank < hit.rank);
    this.#hits.splice(slot < 0 ? this.#hits.length : slot, 0, hit);
    if (this.#hits.length > this.#limit) this.#hits.pop();
  }

  /** Newest first. */
  list(): readonly PlacedHit[] {
    return this.#hits;
  }
}
