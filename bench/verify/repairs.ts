/**
 * Damages a summary (facts removed, values changed, an invented sentence added), repairs it under its original budget,
 * and checks the result: no claim without a source, every protected fact that fits, and how much of the undamaged text
 * is left.
 */

import { repairSummary } from "../../src/core/summary/verify/repair-summary.ts";
import { verifySummary } from "../../src/core/summary/verify/verify-summary.ts";
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { BenchValue } from "../bench.ts";
import { factsOf, removeWords } from "./forgotten-facts.ts";
import { drawEdit, TARGETS } from "./near-miss.ts";
import { containsWords, roundShare, type Subject, type Subjects } from "./subjects.ts";

export interface RepairResult {
  readonly rows: readonly Readonly<Record<string, BenchValue>>[];
  readonly cleanShare: number;
  readonly completeShare: number;
  readonly keptShare: number;
}

interface RepairTally {
  cases: number;
  clean: number;
  complete: number;
  inBudget: number;
  sentences: number;
  kept: number;
  trimmed: number;
}

export function measureRepairs(subjects: Subjects): RepairResult {
  const tally: RepairTally = { cases: 0, clean: 0, complete: 0, inBudget: 0, sentences: 0, kept: 0, trimmed: 0 };
  while (tally.cases < subjects.cases) judge(subjects.drawWithRecord(), subjects.random, tally);
  const row = (name: string, part: number, whole: number) => ({
    measure: "repair",
    case: name,
    cases: whole,
    found: roundShare(part, whole),
  });
  return {
    rows: [
      row("no unsupported claim left", tally.clean, tally.cases),
      row("every protected fact present", tally.complete, tally.cases),
      row("inside the budget", tally.inBudget, tally.cases),
      row("true sentences kept, if nothing had to be trimmed", tally.kept, tally.sentences),
      row("prose trimmed to make room", tally.trimmed, tally.cases),
    ],
    cleanShare: roundShare(tally.clean, tally.cases),
    completeShare: roundShare(tally.complete, tally.cases),
    keptShare: roundShare(tally.kept, tally.sentences),
  };
}

function judge(subject: ReturnType<Subjects["drawWithRecord"]>, random: SeededRandom, tally: RepairTally): void {
  const { conversation, text } = subject;
  const protectedFacts = factsOf(subject);
  const budgetTokens = countTokens(text) + 40;
  const spoiled = damageSummary({ ...subject, text: forgetSome(text, protectedFacts, random) }, random);
  const report = verifySummary(spoiled, conversation.messages, { protectedFacts });
  const count = (piece: string): number => countTokens(piece);
  const repaired = repairSummary(spoiled, report, { budgetTokens, protectedFacts, count });
  const after = verifySummary(repaired.text, conversation.messages, { protectedFacts });
  tally.cases += 1;
  tally.clean += Number(after.unsupported.length === 0);
  tally.complete += Number(after.missing.length === 0);
  tally.inBudget += Number(count(repaired.text) <= budgetTokens);
  tally.trimmed += Number(repaired.isTrimmed);
  if (repaired.isTrimmed) return;
  const cut = report.unsupported;
  for (const sentence of sentencesOf(spoiled)) {
    if (cut.some((claim) => claim.start < sentence.end && claim.end > sentence.start)) continue;
    tally.sentences += 1;
    tally.kept += Number(repaired.text.includes(sentence.text));
  }
}

function forgetSome(text: string, facts: readonly { readonly text: string }[], random: SeededRandom): string {
  const present = facts.filter((fact) => containsWords(text.toLowerCase(), fact.text));
  let left = text;
  for (const fact of random.shuffle(present).slice(0, random.integer(3))) left = removeWords(left, fact.text);
  return left;
}

function damageSummary(subject: Subject, random: SeededRandom): string {
  let { text } = subject;
  for (let edits = 1 + random.integer(3); edits > 0; edits -= 1) {
    text = drawEdit({ ...subject, text }, random.pick(TARGETS), random)?.text ?? text;
  }
  if (random.next() < 0.5) return text;
  const lines = text.split("\n");
  const invented = random.pick([
    "It took 73913 runs in src/qqx/zzy.ts.",
    "Moved to 31 December 1971.",
    "See lib/qqx.py.",
  ]);
  return lines.toSpliced(random.integer(lines.length + 1), 0, invented).join("\n");
}

interface SentenceSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function sentencesOf(text: string): readonly SentenceSpan[] {
  return [...text.matchAll(/[^\n]+?(?:[.!?;](?=\s|$)|(?=\n|$))/g)]
    .map((match) => ({ text: match[0].trim(), start: match.index, end: match.index + match[0].length }))
    .filter((sentence) => /\p{L}{2}/u.test(sentence.text));
}
