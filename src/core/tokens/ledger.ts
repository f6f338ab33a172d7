/**
 * Running totals of tokens by section, so that the size of a prompt is known without counting the conversation again.
 *
 * A ledger has the counts of one counter; callers apply the learned factor to its sums.
 */
import { invariant } from "../errors.ts";
import { SECTION_ORDER, type SectionName } from "../sections/section.ts";

export interface Ledger {
  readonly tokens: Readonly<Record<SectionName, number>>;
}

export interface LedgerChange {
  readonly section: SectionName;
  readonly tokens: number;
}

export interface LedgerReplacement extends Pick<LedgerChange, "section"> {
  readonly removedTokens: number;
  readonly addedTokens: number;
}

const NO_TOKENS = Object.fromEntries(SECTION_ORDER.map((name) => [name, 0])) as Record<SectionName, number>;

export const EMPTY_LEDGER: Ledger = { tokens: NO_TOKENS };

export function addToLedger(ledger: Ledger, { section, tokens }: LedgerChange): Ledger {
  return replaceInLedger(ledger, { section, removedTokens: 0, addedTokens: tokens });
}

export function replaceInLedger(ledger: Ledger, { section, removedTokens, addedTokens }: LedgerReplacement): Ledger {
  invariant(removedTokens >= 0 && addedTokens >= 0, `token counts of ${section} are not negative`);
  const after = ledger.tokens[section] - removedTokens + addedTokens;
  invariant(after >= 0, `${section} has at least the ${removedTokens} tokens that are removed from it`);
  return { tokens: { ...ledger.tokens, [section]: after } };
}

/** Returns the tokens of the whole prompt: all sections except the reserve. */
export function sumLedger(ledger: Ledger): number {
  return SECTION_ORDER.reduce((total, name) => (name === "reserve" ? total : total + ledger.tokens[name]), 0);
}
