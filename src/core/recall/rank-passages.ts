/**
 * Ranks sentences by how well they answer a question: BM25 over its concepts, with neighboring sentences counted in
 * part. Prefers the kind of answer that the question asks for, and the newer of equal sentences. Never returns a
 * question, but a similar question raises the score of the sentence after it.
 */
import type { MessageId } from "../message/message.ts";
import { runSteps } from "../tokens/count-text.ts";
import type { Passage } from "./read-passages.ts";
import { type Concept, findAnswerKinds, findAskedDay, hasKind, readQuestion, wasSaidOn } from "./read-question.ts";
import type { RecallIndex } from "./recall-index.ts";

export interface RankOptions {
  /** Messages that are not searched, such as the question itself. */
  readonly without?: ReadonlySet<MessageId> | undefined;
  /** Statistics of the whole log, if only candidates are indexed. */
  readonly corpus?: TermStatistics | undefined;
  /** Maximum number of results. */
  readonly most: number;
}

/** The number of messages of a log that have each term. */
export interface TermStatistics {
  readonly messageCount: number;
  readonly counts: ReadonlyMap<string, number>;
}

export interface RankedPassage {
  readonly passage: Passage;
  readonly place: number;
  readonly score: number;
  /** Share of the question's concepts that the passage and its neighbors have, by weight. */
  readonly coverage: number;
  /** Number of the question's names in the passage. */
  readonly namesHit: number;
}

export interface Ranking {
  readonly concepts: readonly Concept[];
  /** Best first. */
  readonly ranked: readonly RankedPassage[];
  /** Number of the question's names that no searched passage has. */
  readonly unknownNames: number;
}

export function rankPassages(index: RecallIndex, question: string, options: RankOptions): Ranking {
  return runSteps(rankPassagesInSteps(index, question, options));
}

export function* rankPassagesInSteps(
  index: RecallIndex,
  question: string,
  options: RankOptions,
): Generator<undefined, Ranking> {
  const { concepts, ranked, unknownNames } = yield* scorePassagesInSteps(index, question, options);
  return { concepts, ranked: ranked.slice(0, options.most), unknownNames };
}

/** All passages with a score, best first, and for each concept the passages that have it. */
export interface ScoredPassages extends Ranking {
  readonly hits: readonly ConceptHits[];
  /** For each concept, the score of a passage of average length that has the word itself. */
  readonly fullScores: readonly number[];
  /** Score of a word that occurs once. */
  readonly rarest: number;
  /** Returns the factor of a passage for its speaker. */
  readonly gainOf: SpeakerGain;
}

type SpeakerGain = (place: number) => number;

/** Yields between steps, because a common word may be in a hundred thousand sentences. */
export function* scorePassagesInSteps(
  index: RecallIndex,
  question: string,
  options: Omit<RankOptions, "most">,
): Generator<undefined, ScoredPassages> {
  const concepts = readQuestion(question, index);
  const rarity = createRarity(index, options.corpus);
  const hits: ConceptHits[] = [];
  for (const concept of concepts) {
    yield undefined;
    hits.push(findHits(index, concept, rarity));
  }
  const fullScores = concepts.map(({ speaker, term, weight }) => rarity(speaker ?? term) * weight);
  const rarest = weighRarity(options.corpus?.messageCount ?? index.size, 1);
  const most = fullScores.reduce((sum, score) => sum + score, 0);
  const kinds = findAnswerKinds(question);
  const isPersonal = PERSONAL.test(question);
  const day = findAskedDay(question);
  const gainOf = findSpeakerGain(index, question, concepts);
  const ranked: RankedPassage[] = [];
  for (const place of yield* findCandidates(index, hits)) {
    const passage = index.passageAt(place);
    if (!isQuotable(passage, options)) continue;
    const own = scoreAround(index, place, hits);
    if (own <= 0) continue;
    const fits = kinds.filter((kind) => hasKind(passage.text, kind)).length;
    const factor =
      (1 + KIND_GAIN * fits) *
      (isPersonal && passage.saidBy === "user" ? PERSONAL_GAIN : 1) *
      (passage.saidBy === "tool" ? TOOL_FACTOR : 1) *
      (day !== undefined && wasSaidOn(passage.saidAt, day) ? DAY_GAIN : 1) *
      gainOf(place) *
      (1 + (RECENCY_GAIN * place) / index.size);
    const namesHit = concepts.filter(({ isName }, at) => isName && hits[at]?.has(place) === true).length;
    ranked.push({ passage, place, score: own * factor, coverage: own / most, namesHit });
  }
  ranked.sort((left, right) => right.score - left.score || right.place - left.place);
  const isSource = (place: number): boolean => isQuotable(index.passageAt(place), options);
  const isUsed = (found: ConceptHits | undefined): boolean => [...(found?.keys() ?? [])].some(isSource);
  const unknownNames = concepts.filter(({ isName }, at) => isName && !isUsed(hits[at])).length;
  return { concepts, ranked, unknownNames, hits, fullScores, rarest, gainOf };
}

/**
 * A question that names one speaker is about what this speaker says. Of several, the first is usually the subject, as in
 * "What did Ida tell Tom?", unless the question is about all of them.
 */
function findSpeakerGain(index: RecallIndex, question: string, concepts: readonly Concept[]): SpeakerGain {
  const [first, ...others] = concepts.flatMap(({ speaker }) => speaker ?? []);
  if (first === undefined) return () => 1;
  let places: ReadonlySet<number> = new Set(index.postingsOf(first));
  let gain = SPEAKER_GAIN;
  for (const other of others) {
    // The words of one name, such as "Harbor Master", have places in common.
    const shared = new Set(index.postingsOf(other).filter((place) => places.has(place)));
    if (shared.size > 0) places = shared;
    else gain = ABOUT_ALL.test(question) ? 1 : FIRST_SPEAKER_GAIN;
  }
  return (place) => (places.has(place) ? gain : 1);
}

const ABOUT_ALL =
  /(?<!\p{L})\p{Lu}\p{L}* (?:and|und|y|et|e|&) \p{Lu}|(?<!\p{L})(?:both|beide\p{L}*|amb[oa]s|tous les deux)(?!\p{L})|都|両方|二人/u;

function isQuotable(passage: Passage | undefined, { without }: Pick<RankOptions, "without">): passage is Passage {
  return passage !== undefined && !passage.isQuestion && without?.has(passage.source) !== true;
}

const PERSONAL = /\b(?:i|me|my|mine)\b|\b(?:ich|mich|mir|mein\w*)\b|\b(?:yo|mi|mis|tengo)\b|我|私/iu;
const KIND_GAIN = 0.25;
const PERSONAL_GAIN = 1.1;
const DAY_GAIN = 1.4;
const SPEAKER_GAIN = 1.6;
const FIRST_SPEAKER_GAIN = 1.2;
const TOOL_FACTOR = 0.85;
const RECENCY_GAIN = 0.03;

/** The usual saturation of BM25. Sentences differ less in length than documents. */
const SATURATION = 1.6;
const LENGTH_SHARE = 0.25;
/** Lower limit of relative length, so that one or two words ("Thanks, Ida!") do not outrank a sentence. */
const MIN_RELATIVE_LENGTH = 0.8;

/** Scores of the passages that match one concept, by their places in the index. */
export type ConceptHits = ReadonlyMap<number, number>;

/** Scores each passage for a concept by its best matching term. */
function findHits(index: RecallIndex, { terms, weight, speaker }: Concept, rarityOf: Rarity): ConceptHits {
  const hits = new Map<number, number>();
  for (const [term, share] of terms) {
    const postings = index.postingsOf(term);
    // A mention of a speaker is not worth more than a sentence by that speaker, although it is rarer.
    const rarity = rarityOf(speaker ?? term) * share * weight;
    for (let at = 0; at < postings.length; ) {
      const place = postings[at] ?? 0;
      let count = 0;
      for (; postings[at] === place; at += 1) count += 1;
      const length =
        1 - LENGTH_SHARE + LENGTH_SHARE * Math.max(MIN_RELATIVE_LENGTH, index.lengthAt(place) / index.meanLength);
      const score = (rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
      if (score > (hits.get(place) ?? 0)) hits.set(place, score);
    }
  }
  return hits;
}

type Rarity = (term: string) => number;

/**
 * Rarity among the indexed passages, or in the whole log if the index has only candidates from it. The log's statistics
 * lack words that only replace a word of the question; for these, the candidates are counted.
 */
function createRarity(index: RecallIndex, corpus: TermStatistics | undefined): Rarity {
  return (term) => {
    const found = index.postingsOf(term).length;
    if (corpus === undefined) return weighRarity(index.size, found);
    return weighRarity(corpus.messageCount, Math.max(corpus.counts.get(term) ?? found, 1));
  };
}

function weighRarity(size: number, count: number): number {
  return Math.log(1 + (size - Math.min(count, size) + 0.5) / (count + 0.5));
}

const MAX_CANDIDATES = 400;

/** Returns the passages with the highest scores and their neighbors. */
function* findCandidates(index: RecallIndex, hits: readonly ConceptHits[]): Generator<undefined, ReadonlySet<number>> {
  const sums = new Map<number, number>();
  for (const each of hits) {
    yield undefined;
    for (const [place, score] of each) sums.set(place, (sums.get(place) ?? 0) + score);
  }
  yield undefined;
  const candidates = new Set<number>();
  for (const place of takeHighestSums(sums)) {
    for (let near = place - 1; near <= place + REACH; near += 1) {
      if (near >= 0 && near < index.size) candidates.add(near);
    }
  }
  return candidates;
}

/** Returns the passages with the highest sums; of those with equal sums at the limit, the first. */
function takeHighestSums(sums: ConceptHits): readonly number[] {
  const least = Float64Array.from(sums.values()).sort().at(-MAX_CANDIDATES) ?? 0;
  const [above, equal]: [number[], number[]] = [[], []];
  for (const [place, score] of sums) if (score >= least) (score > least ? above : equal).push(place);
  return [...above, ...equal].slice(0, MAX_CANDIDATES);
}

const REACH = 2;
const SAME_MESSAGE = 0.3;
const ANSWERS_QUESTION = 1;
const MESSAGE_BEFORE = 0.2;

/** Sums, for each concept, the best score of the passage or a share of its neighbors' scores. */
function scoreAround(index: RecallIndex, place: number, hits: readonly ConceptHits[]): number {
  const shares = AROUND_OFFSETS.map((offset) => findShare(index, place, offset));
  let sum = 0;
  for (const each of hits) {
    let best = each.get(place) ?? 0;
    for (let at = 0; at < shares.length; at += 1) {
      const share = shares[at] ?? 0;
      if (share > 0) best = Math.max(best, share * (each.get(place + (AROUND_OFFSETS[at] ?? 0)) ?? 0));
    }
    sum += best;
  }
  return sum;
}

const AROUND_OFFSETS = Array.from({ length: 2 * REACH + 1 }, (_, at) => at - REACH).filter((offset) => offset !== 0);

/** Returns the share of a neighbor's scores that counts for a passage; 0 if they do not belong together. */
function findShare(index: RecallIndex, place: number, offset: number): number {
  const [passage, other] = [index.passageAt(place), index.passageAt(place + offset)];
  if (other === undefined || passage === undefined) return 0;
  if (other.source === passage.source) return SAME_MESSAGE;
  if (offset > 0) return 0;
  return other.isQuestion ? ANSWERS_QUESTION : MESSAGE_BEFORE;
}
