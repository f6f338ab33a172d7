/** Compares a summarizer's answer with the conversation it was given, and a verified summary with the answer. */

import { isInOtherLanguage } from "../../core/language/other-language.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import type { SummaryRule } from "../../core/summary/answers/accept-summary.ts";
import { cleanMarkup, createOrderTestInSteps, withoutOrders } from "../../core/summary/answers/clean-answer.ts";
import { countWords } from "../../core/summary/answers/recognize-answer.ts";
import { findJunk, repeatsWords } from "../../core/summary/answers/recognize-junk.ts";
import { findUnsupportedInSteps } from "../../core/summary/answers/source-words.ts";
import { FACTS_HEADING, withoutAddedLines } from "../../core/summary/record/layout.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { messageTexts } from "../../core/summary/text/message-texts.ts";
import type { WrittenSummary } from "../../core/summary/verify/complete-record.ts";
import type { SummaryOutcome } from "../../ports/summarizer.ts";

type Answer = Pick<SummaryOutcome & { readonly type: "summary" }, "text" | "keyPoints" | "facets">;

/**
 * Returns the rule that rejects an answer, or the answer without active markup and without orders that no message
 * contains. With instructions, does not compare languages, because they may request another language.
 */
export function* judgeAnswerInSteps(
  answer: Answer,
  task: SummaryTask,
  { instructions }: { readonly instructions?: string | undefined },
): Generator<undefined, SummaryRule | WrittenSummary> {
  const points = (answer.keyPoints ?? []).map(cleanMarkup);
  const { entities = [], participants = [] } = answer.facets ?? {};
  const whole = [answer.text, ...points].join("\n");
  const isOrder = yield* createOrderTestInSteps([whole, ...entities, ...participants], readSaid(task));
  const isJunk = (item: string): boolean =>
    withoutOrders(item, isOrder) !== item || repeatsWords(item) || findJunk(item) !== undefined;
  const keep = (items: readonly string[]): readonly string[] => items.filter((item) => !isJunk(item));
  const written: WrittenSummary = {
    text: withoutOrders(answer.text, isOrder),
    keyPoints: keep(points),
    proposed: answer.facets && { ...answer.facets, entities: keep(entities), participants: keep(participants) },
  };
  const left = [written.text, ...keep(points)].join("\n");
  const hasOrders = written.text !== answer.text;
  if (hasOrders && isTooLittle(written.text, answer.text, MIN_SHARE_WITHOUT_ORDERS)) return "orders";
  if (isInOtherLanguage(left, readSaid(task))) return instructions === undefined ? "language" : written;
  const rule = yield* findUnsupportedInSteps(left, readSource(task));
  return rule === undefined || (rule === "language" && instructions !== undefined) ? written : rule;
}

/** Yields the previous summary and the spoken texts, no tool output: it may be in another language. */
function* readSaid({ stretch, previous }: SummaryTask): Generator<string, void> {
  if (previous !== undefined) yield previous.text;
  for (const message of stretch) yield* messageTexts(message).spoken;
}

function* readSource(task: SummaryTask): Generator<string, void> {
  yield* readSaid(task);
  for (const message of task.stretch) {
    const { spoken: _, ...others } = messageTexts(message);
    yield* [message.name ?? "", ...Object.values(others).flat()];
  }
}

/** Rejects a summary if verification left too little of the model's text. Facts added by code do not count. */
export function checkLength(record: SummaryRecord, written: WrittenSummary): SummaryRule | undefined {
  const [prose = ""] = withoutAddedLines(record).split(FACTS_HEADING);
  const share = (record.verification?.removedClaims ?? 0) === 0 ? 0 : MIN_VERIFIED_SHARE;
  return isTooLittle(prose, written.text, share) ? "unsupported" : undefined;
}

const MIN_WORDS = 4;
const MIN_VERIFIED_SHARE = 0.2;
const MIN_SHARE_WITHOUT_ORDERS = 0.5;

function isTooLittle(left: string, before: string, minShare: number): boolean {
  const [words, all] = [countWords(left), countWords(before)];
  return words < Math.min(MIN_WORDS, all) || words < all * minShare;
}
