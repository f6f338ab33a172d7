/**
 * The models that write summaries in this bench, as functions from a request to an answer. `forgetful` repeats only the
 * end of its input: the worst case of a small model. `attentive` repeats every planted fact in its input verbatim, so a
 * lost fact was never shown to it or was dropped afterwards.
 */
import type { JsonObject } from "../../src/core/public/index.ts";
import { containsFact, type PlantedFact } from "./planted-facts.ts";
import { textsIn } from "./texts-in.ts";

export type ModelManner = "forgetful" | "attentive";

const NEWEST_CHARACTERS = 600;

export function writeScriptedSummary(
  body: JsonObject,
  { manner, facts }: { readonly manner: ModelManner; readonly facts: readonly PlantedFact[] },
): string {
  const shown = textsIn(body.messages).join("\n");
  const keptFacts = manner === "forgetful" ? [] : facts.filter((fact) => containsFact(shown, fact));
  const summary = [...keptFacts.map(({ sentence }) => sentence), `Lately: ${newestOf(shown)}`].join("\n");
  return body.response_format === undefined ? summary : JSON.stringify(structured(summary));
}

/** Returns the last words of the conversation, without the summarizer's instruction after it. */
function newestOf(shown: string): string {
  const lines = shown.split("\n").filter((line) => /done:|tests|looking|edited|would|took|days for/i.test(line));
  return lines.slice(-8).join(" ").replace(/\s+/g, " ").slice(-NEWEST_CHARACTERS).trimStart() || "the work goes on.";
}

function structured(summary: string): JsonObject {
  const context = { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] };
  return { summary, keyPoints: [], context };
}
