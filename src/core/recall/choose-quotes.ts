/**
 * Chooses up to three sentences as an answer, and returns how well they match: found, near, or nothing. Chooses at most
 * one sentence from each message, skips near duplicates, and stays within a budget. If the conversation never mentions
 * a name in the question, probably nothing answers it.
 */
import { termsOf } from "../language/words.ts";
import { takeHead } from "../message/whole-text.ts";
import { countTokens } from "../tokens/count-tokens.ts";
import type { RankedPassage, Ranking } from "./rank-passages.ts";
import type { Passage } from "./read-passages.ts";

export interface Quote {
  readonly passage: Passage;
  /** The passage or its beginning, as quoted. */
  readonly text: string;
}

export interface QuoteChoice {
  readonly verdict: "found" | "near" | "nothing";
  readonly quotes: readonly Quote[];
}

export interface QuoteOptions {
  readonly most?: number | undefined;
  readonly budgetTokens: number;
}

const MAX_QUOTES = 3;
/** Share of the question's concepts by weight. Unanswerable questions reach 0.28 in the benchmark. */
const FOUND_COVERAGE = 0.3;
const NEAR_COVERAGE = 0.14;
const UNKNOWN_NAME_COVERAGE = 0.5;
/** Sentences below this share of the best score are not quoted. */
const MIN_SHARE_OF_BEST = 0.5;

export function chooseQuotes(ranking: Ranking, { most = MAX_QUOTES, budgetTokens }: QuoteOptions): QuoteChoice {
  const [best] = ranking.ranked;
  const verdict = best === undefined ? "nothing" : judge(best, ranking);
  if (best === undefined || verdict === "nothing") return { verdict: "nothing", quotes: [] };
  const quotes: Quote[] = [];
  const seen: ReadonlySet<string>[] = [];
  let room = budgetTokens;
  for (const { passage, score } of ranking.ranked) {
    if (quotes.length >= most || score < MIN_SHARE_OF_BEST * best.score) break;
    if (quotes.some((quote) => quote.passage.source === passage.source)) continue;
    const terms = new Set(termsOf(passage.text));
    if (seen.some((each) => isNearlySame(each, terms))) continue;
    const text = cutQuote(passage.text);
    const cost = countTokens(text) + CITATION_TOKENS;
    if (cost > room) continue;
    room -= cost;
    seen.push(terms);
    quotes.push({ passage, text });
  }
  return quotes.length === 0 ? { verdict: "nothing", quotes } : { verdict, quotes };
}

const CITATION_TOKENS = 20;

function judge({ coverage, namesHit }: RankedPassage, { unknownNames }: Ranking): QuoteChoice["verdict"] {
  if (unknownNames > 0 && namesHit === 0) return coverage >= UNKNOWN_NAME_COVERAGE ? "near" : "nothing";
  if (coverage >= FOUND_COVERAGE || (namesHit > 0 && coverage >= NEAR_COVERAGE)) return "found";
  return coverage >= NEAR_COVERAGE ? "near" : "nothing";
}

const SAME_SHARE = 0.8;

export function isNearlySame(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const shared = [...left].filter((term) => right.has(term)).length;
  const either = left.size + right.size - shared;
  return either === 0 || shared / either >= SAME_SHARE;
}

const MAX_QUOTE_CHARACTERS = 400;

export function cutQuote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_QUOTE_CHARACTERS ? line : `${takeHead(line, MAX_QUOTE_CHARACTERS).trimEnd()}…`;
}
