/** The facts of messages at once, for tests that need not let anything else run. */
import type { Message } from "../core/message/message.ts";
import { extractFactsInSteps } from "../core/summary/facts/extract-facts.ts";
import type { FactSheet } from "../core/summary/record/record.ts";
import { runSteps } from "../core/tokens/count-text.ts";

export function extractFacts(messages: readonly Message[]): FactSheet {
  return runSteps(extractFactsInSteps(messages));
}
