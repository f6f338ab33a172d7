/**
 * Makes a summary true and complete without asking anybody: a claim without a source loses its clause, a protected
 * fact that is missing is put back as a line, and where there is no room for both, prose goes from its end.
 *
 * A clause is the item of a list between commas where the claim is all there is to it, what stands in brackets, or
 * else the whole sentence: half a sentence can say the opposite of the whole. Whatever is cut, the marks left behind
 * keep what stood on either side apart, so that no new claim arises between them.
 */

import { splitAtEnds } from "../../language/split-at-ends.ts";
import type { Claim, Fact, VerificationReport } from "../record/record.ts";
import { renderFacts } from "../record/render-facts.ts";
import { findWordsIn } from "./find-words.ts";
import { removeClauses } from "./remove-clauses.ts";

export interface RepairOptions {
  readonly budgetTokens: number;
  readonly protectedFacts: readonly Fact[];
  readonly count: (text: string) => number;
}

export interface RepairedSummary {
  readonly text: string;
  /** Claims that lost their clause. */
  readonly removed: readonly Claim[];
  /** Facts that were put back. */
  readonly restored: readonly Fact[];
  /** Some prose had to go to make room. */
  readonly isTrimmed: boolean;
  /** Even the protected facts alone are above the budget. They are all there; the caller has to make room. */
  readonly isOverBudget: boolean;
}

export function repairSummary(text: string, report: VerificationReport, options: RepairOptions): RepairedSummary {
  const { budgetTokens, protectedFacts, count } = options;
  // One kind of line end, each as long as it was: places in the text stay what they are.
  const prose = removeClauses(text.replaceAll(/[\r\u2028\u2029]/g, "\n"), report.unsupported);
  const pieces = proseOf(prose);
  const build = (kept: number): Draft =>
    assemble(kept === pieces.length ? prose : joinPieces(pieces, kept), protectedFacts);
  const fits = (draft: Draft): boolean => count(draft.text) <= budgetTokens;
  const whole = build(pieces.length);
  const best = fits(whole) ? whole : build(mostThatFit(pieces.length, (kept) => fits(build(kept))));
  return {
    text: best.text,
    removed: report.unsupported,
    restored: best.restored,
    isTrimmed: best !== whole,
    isOverBudget: !fits(best),
  };
}

interface Draft {
  readonly text: string;
  readonly restored: readonly Fact[];
}

function assemble(prose: string, protectedFacts: readonly Fact[]): Draft {
  const finder = findWordsIn(prose);
  const restored = protectedFacts.filter((fact) => !finder.hasFact(fact));
  const block = renderFacts(restored);
  const body = prose.trim();
  return { text: body === "" || block === "" ? `${body}${block}` : `${body}\n\n${block}`, restored };
}

/** The largest number of pieces that fits, by halving; fewer pieces may need more facts, so the result is checked. */
function mostThatFit(all: number, fits: (kept: number) => boolean): number {
  let low = 0;
  let high = all - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

interface Piece {
  readonly text: string;
  readonly line: number;
}

/** Sentences with the line they stand on. */
function proseOf(text: string): readonly Piece[] {
  return text.split("\n").flatMap((line, number) => {
    const sentences = splitAtEnds(line);
    return sentences.length === 0
      ? [{ text: "", line: number }]
      : sentences.map((piece) => ({ text: piece, line: number }));
  });
}

function joinPieces(pieces: readonly Piece[], kept: number): string {
  const lines: string[] = [];
  let last = -1;
  for (const { text, line } of pieces.slice(0, kept)) {
    if (line === last) lines.push(`${lines.pop() ?? ""} ${text}`);
    else lines.push(text);
    last = line;
  }
  return lines.join("\n").trimEnd();
}
