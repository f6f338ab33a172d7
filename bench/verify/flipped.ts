/**
 * Turns a sentence of a summary into its opposite (a "not" removed or added, "enabled" changed to "disabled") and
 * checks whether that is found. The sentences are verbatim in the source and have no conditions, so that the opposite
 * is clear.
 */
import { verifySummary } from "../../src/core/summary/verify/verify-summary.ts";
import type { BenchValue } from "../bench.ts";
import { roundShare, type Subjects } from "./subjects.ts";

export interface FlippedResult {
  readonly rows: readonly Readonly<Record<string, BenchValue>>[];
  readonly found: number;
  readonly missed: readonly string[];
}

export function measureFlipped(subjects: Subjects): FlippedResult {
  let cases = 0;
  let found = 0;
  let alarms = 0;
  const missed: string[] = [];
  for (let tries = 0; cases < subjects.cases && tries < subjects.cases * 10; tries += 1) {
    const { text, conversation } = subjects.drawWithRecord();
    const sentences = [...text.matchAll(/(?<=[:.!?] )[A-Z][^.!?\n]{20,160}\.(?=\s|$)/g)];
    const texts = conversation.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    );
    const usable = sentences.filter(
      ({ 0: sentence }) => isPlain(sentence) && texts.some((each) => each.includes(sentence)),
    );
    if (usable.length === 0) continue;
    const { index, 0: sentence } = subjects.random.pick(usable);
    const flipped = flip(sentence);
    const changed = `${text.slice(0, index)}${flipped}${text.slice(index + sentence.length)}`;
    const { unsupported } = verifySummary(changed, conversation.messages, { protectedFacts: [] });
    cases += 1;
    const elsewhere = unsupported.filter((claim) => claim.end <= index || claim.start >= index + flipped.length);
    alarms += elsewhere.filter(({ kind }) => kind === "statement").length;
    const isFound = unsupported.some((claim) => claim.start < index + flipped.length && claim.end > index);
    found += Number(isFound);
    if (!isFound) missed.push(flipped);
  }
  const rows = [
    {
      measure: "statement turned into its opposite",
      case: "all",
      cases,
      found: roundShare(found, cases),
      exactSubstring: 1,
    },
    {
      measure: "true statement called false",
      case: "the rest of the same summaries",
      cases,
      found: roundShare(alarms, cases),
    },
  ];
  return { rows, found: roundShare(found, cases), missed };
}

/** Returns true for a sentence of at least seven words that can be flipped, without words that make its opposite unclear. */
function isPlain(sentence: string): boolean {
  return sentence.split(" ").length > 6 && flip(sentence) !== sentence && !UNCLEAR.test(sentence);
}

const UNCLEAR = /\b(?:if|when|whenever|whether|unless|no|never|nothing|please|what|how|which|that)\b/i;

function flip(sentence: string): string {
  for (const [pattern, other] of FLIPS) if (pattern.test(sentence)) return sentence.replace(pattern, other);
  return sentence;
}

const FLIPS: readonly (readonly [RegExp, string])[] = [
  [/ (?:do|does|did) not /, " "],
  [/ (is|are|was|were|will|can|should|could|would) not /, " $1 "],
  [/ (?:don't|doesn't|didn't) /, " "],
  [/ (is|are|was|were|could|would|should)n't /, " $1 "],
  [/ enabled\b/, " disabled"],
  [/ failed\b/, " passed"],
  [/ (is|are|was|were|will|can|should|could|would) /, " $1 not "],
];
