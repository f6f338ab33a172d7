/**
 * Removes one protected fact from a summary and checks whether it is reported as missing. A fact is removed in two
 * ways: every line or item with it is deleted, or its words stay, apart and in another order. The comparison is a
 * search for the exact words, with the rate at which each of the two misses a fact that is there.
 */

import { chooseProtected } from "../../src/core/summary/rank/rank-facts.ts";
import type { Fact } from "../../src/core/summary/record/record.ts";
import { verifySummary } from "../../src/core/summary/verify/verify-summary.ts";
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { BenchValue } from "../bench.ts";
import { containsWords, roundShare, type Subject, type Subjects } from "./subjects.ts";

export interface ForgottenCase {
  readonly fact: Fact;
  readonly subject: Subject;
  readonly text: string;
  readonly isFound: boolean;
}

export interface ForgottenResult {
  readonly rows: readonly Readonly<Record<string, BenchValue>>[];
  readonly deletedFound: number;
  readonly paraphrasedFound: number;
  readonly missed: readonly ForgottenCase[];
}

export function measureForgotten(subjects: Subjects): ForgottenResult {
  const deleted: ForgottenCase[] = [];
  const paraphrased: ForgottenCase[] = [];
  const intact = { facts: 0, missing: 0, notExact: 0 };
  for (let made = 0, tries = 0; made < subjects.cases && tries < subjects.cases * 20; tries += 1) {
    const subject = subjects.drawWithRecord();
    const facts = factsOf(subject);
    const lowered = subject.text.toLowerCase();
    const present = facts.filter(({ text }) => containsWords(lowered, text));
    if (present.length === 0) continue;
    if (tries % 10 === 0) {
      intact.facts += facts.length;
      intact.missing += missingFrom(subject, subject.text).length;
      intact.notExact += facts.length - present.length;
    }
    const fact = drawFact(present, subjects.random);
    const text = removeWords(subject.text, fact.text);
    deleted.push({ fact, subject, text, isFound: isMissed(subject, text, fact) });
    const scattered = `${text}\n${scatter(fact, subjects.random)}`;
    paraphrased.push({ fact, subject, text: scattered, isFound: isMissed(subject, scattered, fact) });
    made += 1;
  }
  return {
    rows: [...rowsOf("forgotten fact", deleted), ...rowsOf("fact in scattered words", paraphrased), intactRow(intact)],
    deletedFound: shareFound(deleted),
    paraphrasedFound: shareFound(paraphrased),
    missed: [...deleted, ...paraphrased].filter(({ isFound }) => !isFound),
  };
}

type OurSubject = ReturnType<Subjects["drawWithRecord"]>;

/** Returns the facts that the summary must contain. */
export function factsOf({ record, text }: OurSubject): readonly Fact[] {
  const sheet = record.facets.sheet ?? { facts: [], turns: 0 };
  const budgetTokens = Math.max(countTokens(text), record.tokensAfter);
  return chooseProtected(sheet, { budgetTokens, count: (piece) => countTokens(piece) }).facts;
}

/** Draws a kind first, because most facts are names. */
function drawFact(facts: readonly Fact[], random: SeededRandom): Fact {
  const kind = random.pick([...new Set(facts.map((fact) => fact.kind))]);
  return random.pick(facts.filter((fact) => fact.kind === kind));
}

function missingFrom({ record, conversation }: OurSubject, text: string): readonly Fact[] {
  return verifySummary({ ...record, text }, conversation.messages).missing;
}

function isMissed(subject: OurSubject, text: string, fact: Fact): boolean {
  return missingFrom(subject, text).some(({ id }) => id === fact.id);
}

/** Removes the lines that contain the words; in a list on one line, only the item. */
export function removeWords(text: string, words: string): string {
  const kept = text.split("\n").flatMap((line) => {
    if (!holds(line, words)) return [line];
    const items = line.split(/(?<=[;,]) /);
    const others = items.filter((item) => !holds(item, words));
    const isList = items.length > 3 && others.length > 0 && others.length < items.length;
    return isList ? [others.join(" ")] : [];
  });
  return kept.join("\n");
}

/** Ignores punctuation at the end of the words. */
function holds(line: string, words: string): boolean {
  const bare = words.replace(/[\s.!;:,]+$/u, "");
  return containsWords(line.toLowerCase(), bare === "" ? words : bare);
}

/** Returns two lines that contain only pieces of a fact: some of its words, or parts of a name. */
function scatter({ text }: Fact, random: SeededRandom): string {
  const pieces = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const isName = pieces.length < 4 && !/\s/.test(text);
  const parts = isName ? pieces.flatMap((piece) => [piece.slice(0, 3), piece.slice(3, -1)]) : pieces;
  const words = random.shuffle(parts).filter((word, place) => word !== "" && (place % 5 !== 4 || isName));
  const half = Math.ceil(words.length / 2);
  return `- later: something on ${words.slice(0, half).join(" and ")}\n- also: ${words.slice(half).join(", ") || "more"} came up`;
}

function rowsOf(measure: string, cases: readonly ForgottenCase[]): readonly Readonly<Record<string, BenchValue>>[] {
  const kinds = [...new Set(cases.map(({ fact }) => fact.kind))].toSorted();
  const row = (name: string, some: readonly ForgottenCase[]): Readonly<Record<string, BenchValue>> => ({
    measure,
    case: name,
    cases: some.length,
    found: shareFound(some),
    exactSubstring: roundShare(some.filter(({ text, fact }) => !text.includes(fact.text)).length, some.length),
  });
  return [
    row("all", cases),
    ...kinds.map((kind) =>
      row(
        kind,
        cases.filter(({ fact }) => fact.kind === kind),
      ),
    ),
  ];
}

function intactRow(intact: { readonly facts: number; readonly missing: number; readonly notExact: number }) {
  return {
    measure: "present fact called missing",
    case: "unchanged summaries",
    cases: intact.facts,
    found: roundShare(intact.missing, intact.facts),
    exactSubstring: roundShare(intact.notExact, intact.facts),
  };
}

function shareFound(cases: readonly ForgottenCase[]): number {
  return roundShare(cases.filter(({ isFound }) => isFound).length, cases.length);
}
