/**
 * Lets through what a summarizer may add to the facts of a chain: facts whose names, numbers and dates are in their
 * source. Constraints and goals bind whoever reads the summary, so they have to stand in the user's own words too;
 * otherwise a page that a tool fetched could give orders through the summarizer.
 */
import type { Message } from "../../message/message.ts";
import { finish } from "../../tokens/count-text.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { readSourceInSteps, type SourceOptions } from "../claims/read-source.ts";
import { findSupport } from "../claims/source-index.ts";
import { withoutSummary } from "../record/cover-text.ts";
import type { Fact } from "../record/record.ts";
import { renderFact } from "../record/render-facts.ts";
import { messageTexts } from "../text/message-texts.ts";
import { findWordsIn } from "./find-words.ts";

export function keepSupportedFacts(
  facts: readonly Fact[],
  messages: readonly Message[],
  options: Pick<SourceOptions, "previous" | "derived"> = {},
): readonly Fact[] {
  const source = finish(readSourceInSteps(messages, options));
  const users = messages.filter(({ role }) => role === "user");
  const said = findWordsIn(wordsOf(users));
  const spoken = messages.filter(({ role }) => role === "user" || role === "assistant");
  const told = findWordsIn(wordsOf(spoken));
  return facts.filter((fact) => {
    if (BINDING.has(fact.kind) && !said.hasWords(fact.text)) return false;
    if (STATED.has(fact.kind) && !told.hasWords(fact.text)) return false;
    return extractClaims(renderFact(fact)).every((claim) => findSupport(source, claim) !== "none");
  });
}

/** What they said themselves. */
function wordsOf(messages: readonly Message[]): string {
  return messages.flatMap((message) => messageTexts(message).said.map(withoutSummary)).join("\n");
}

/** What is decided, to do or open lasts as long as the chain, so somebody must have said it; what a tool gave is no voice. */
const STATED: ReadonlySet<string> = new Set(["decision", "definition", "open-item", "question"]);
const BINDING: ReadonlySet<string> = new Set(["pin-note", "constraint", "goal"]);
