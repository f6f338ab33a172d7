/**
 * Finds passages of a session's log: the store returns candidates, and only these are read and ranked, by their words
 * and, with an embedding model, also by their meaning.
 */

import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import type { MessageId } from "../../core/message/message.ts";
import { fuseRankings } from "../../core/recall/fuse-rankings.ts";
import { listQueryWords } from "../../core/recall/query-words.ts";
import type { TermStatistics } from "../../core/recall/rank-passages.ts";
import type { TurnRanking } from "../../core/recall/rank-turns.ts";
import { RecallIndex } from "../../core/recall/recall-index.ts";
import {
  listSearchedPeriods,
  NOTHING_RECALLED,
  quoteRanking,
  type RecallQuery,
  type Recollection,
  rankForRecall,
  readConsidered,
} from "../../core/recall/recall-passages.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { TenantStore } from "../../ports/store.ts";
import type { CompareMeaning } from "../context/engine-context.ts";
import { findPeriodMessages } from "./find-period.ts";

/** Candidates that are ranked, without the messages next to them. Twice as many take twice the time and find no more. */
const MAX_CANDIDATES = 40;

export interface PassageRange {
  readonly afterSeq: number;
  readonly throughSeq: number;
}

export interface FoundPassages extends Recollection {
  /** Seqs of the quoted messages. */
  readonly seqs: ReadonlyMap<MessageId, number>;
}

export interface RecallPlace {
  readonly store: TenantStore;
  readonly sessionId: SessionId;
  readonly compareMeaning?: CompareMeaning | undefined;
}

export async function findPassages(
  place: RecallPlace,
  query: Omit<RecallQuery, "corpus">,
  range: PassageRange,
): Promise<FoundPassages> {
  const { store, sessionId, compareMeaning } = place;
  const words = listQueryWords(query.text);
  const [period] = range.throughSeq <= range.afterSeq ? [] : listSearchedPeriods(query);
  if ((words.size === 0 && period === undefined) || range.throughSeq <= range.afterSeq) return NOTHING_FOUND;
  const found = await store.findCandidates(sessionId, { words: [...words.keys()], ...range, limit: MAX_CANDIDATES });
  const dated = period === undefined ? [] : await findPeriodMessages(place, period, range);
  const messages = mergeMessages(dated, found.messages);
  const index = new RecallIndex();
  await runInSteps(index.addInSteps(messages.map(({ message }) => message)));
  const corpus = describeCorpus(found.counts, { words, size: range.throughSeq - range.afterSeq });
  const full = { ...query, corpus };
  const byWords = await runInSteps(rankForRecall(index, full));
  const ranking = byWords && (await rankByMeaning(byWords, { index, text: query.text, compareMeaning }));
  const recalled = ranking === undefined ? NOTHING_RECALLED : await runInSteps(quoteRanking(index, ranking, full));
  return { ...recalled, seqs: new Map(messages.map(({ id, seq }) => [id, seq])) };
}

const NOTHING_FOUND: FoundPassages = { ...NOTHING_RECALLED, seqs: new Map() };

function mergeMessages(dated: readonly MessageEntry[], found: readonly MessageEntry[]): readonly MessageEntry[] {
  if (dated.length === 0) return found;
  const bySeq = new Map([...found, ...dated].map((entry) => [entry.seq, entry]));
  return [...bySeq.values()].toSorted((left, right) => left.seq - right.seq);
}

interface Comparison extends Pick<RecallPlace, "compareMeaning"> {
  readonly index: RecallIndex;
  readonly text: string;
}

async function rankByMeaning(byWords: TurnRanking, { index, text, compareMeaning }: Comparison): Promise<TurnRanking> {
  const similarities = await compareMeaning?.(text, readConsidered(index, byWords));
  return similarities === undefined ? byWords : fuseRankings(byWords, similarities);
}

function describeCorpus(
  found: ReadonlyMap<string, number>,
  { words, size }: { readonly words: ReadonlyMap<string, string>; readonly size: number },
): TermStatistics {
  const counts = new Map<string, number>();
  for (const [word, term] of words) counts.set(term, Math.max(found.get(word) ?? 0, counts.get(term) ?? 0));
  return { messageCount: size, counts };
}
