/**
 * Writes a draft so that it fits its cap, and says which facts it still lacks. What counts is the count of the text as
 * it is written; what is above the cap is given up, the least salient first.
 */
import { countTextInSteps } from "../../tokens/count-text.ts";
import { countTokens } from "../../tokens/count-tokens.ts";
import type { Counter } from "../../tokens/counter.ts";
import { chooseProtected } from "../rank/protected-facts.ts";
import { rankFacts } from "../rank/rank-facts.ts";
import type { Fact, FactSheet } from "../record/record.ts";
import { type Draft, giveUp, type WrittenDraft, writeDraft, writeFact } from "./draft.ts";

export interface Written extends WrittenDraft {
  readonly tokens: number;
}

export interface Cap {
  readonly capTokens: number;
  readonly counter: Counter;
}

const NOTHING: Written = { text: "", lines: [], tokens: 0, hasName: () => false };

/** Writes the draft, giving up what does not fit. */
export function* fitDraft(draft: Draft, { capTokens, counter }: Cap): Generator<undefined, Written> {
  for (;;) {
    const written = yield* countDraft(draft, counter);
    if (written.tokens <= capTokens) return written;
    if (!giveUp(draft, written.tokens - capTokens)) return NOTHING;
  }
}

/** Writes the draft as it stands. */
export function* countDraft(draft: Draft, counter: Counter): Generator<undefined, Written> {
  const written = yield* writeDraft(draft);
  const tokens = written.text === "" ? 0 : yield* countTextInSteps(written.text, counter);
  yield undefined;
  return { ...written, tokens };
}

export interface ExpectedFacts {
  /** With those that the draft has already. */
  readonly all: readonly Fact[];
  readonly alone: readonly Fact[];
}

/**
 * The protected facts by the measure of whoever checks the text, which goes by the text's own size; undefined where it
 * has them all.
 */
export function expectFacts(draft: Draft, sheet: FactSheet, { text, hasName }: Written): ExpectedFacts | undefined {
  const has = new Set(draft.required.map(({ id }) => id));
  const count = (piece: string): number => countTokens(piece);
  const alone = chooseProtected(sheet, { budgetTokens: countTokens(text), count }).facts;
  const isThere = (fact: Fact): boolean => has.has(fact.id) || (fact.kind === "identifier" && hasName(fact));
  if (alone.every(isThere)) return undefined;
  const wanted = new Set([...has, ...alone.map(({ id }) => id)]);
  return { alone, all: rankFacts(sheet).filter(({ id }) => wanted.has(id)) };
}

/** What the facts say need not be told in the story too. */
export function requireFacts(draft: Draft, facts: readonly Fact[]): void {
  const had = new Set(draft.required);
  draft.required.splice(0, draft.required.length, ...facts);
  for (const fact of facts) {
    if (had.has(fact)) continue;
    draft.chooser.say(writeFact(fact));
    draft.more?.say(writeFact(fact));
  }
}
