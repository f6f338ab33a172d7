/** Compares a summarizer's answer with the conversation it was given, and a verified summary with the answer. */

import { isInOtherLanguage } from "../../core/language/other-language.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import { type SummaryRule, sharesNoWords } from "../../core/summary/answers/accept-summary.ts";
import { countWords } from "../../core/summary/answers/recognize-answer.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { FACTS_HEADING } from "../../core/summary/record/render-facts.ts";
import { messageTexts } from "../../core/summary/text/message-texts.ts";
import type { WrittenSummary } from "../../core/summary/verify/complete-record.ts";
import type { SummaryOutcome } from "../../ports/summarizer.ts";

/** With instructions, does not compare languages: they may request another one. */
export function findMismatch(
  answer: string,
  task: SummaryTask,
  { instructions }: { readonly instructions?: string | undefined },
): SummaryRule | undefined {
  if (sharesNoWords(answer, readSource(task))) return "unsupported";
  return instructions === undefined && isInOtherLanguage(answer, readSaid(task)) ? "language" : undefined;
}

/** Leaves out tool output, which is often in another language than the conversation. */
function* readSaid({ stretch, previous }: SummaryTask): Generator<string, void> {
  if (previous !== undefined) yield previous.text;
  for (const message of stretch) yield* messageTexts(message).spoken;
}

export function joinAnswer({ keyPoints = [] }: SummaryOutcome & { readonly type: "summary" }, text: string): string {
  return [text, ...keyPoints].join("\n");
}

function* readSource({ stretch, previous }: SummaryTask): Generator<string, void> {
  if (previous !== undefined) yield previous.text;
  for (const message of stretch) yield* Object.values(messageTexts(message)).flat();
}

/** Rejects a summary of which verification removed nearly everything: facts added by code are not a model's summary. */
export function checkLength({ text, verification }: SummaryRecord, written: WrittenSummary): SummaryRule | undefined {
  if ((verification?.removedClaims ?? 0) === 0) return undefined;
  const [prose = ""] = text.split(FACTS_HEADING);
  const words = countWords(prose);
  return words < MIN_WORDS || words < countWords(written.text) * MIN_SHARE ? "unsupported" : undefined;
}

const MIN_WORDS = 4;
const MIN_SHARE = 0.2;
