/**
 * Generates shrinkable answers of a summarizer: empty, thinking, refusals, templates, floods, and summaries that are
 * partly true and partly invented. A plan becomes text when its stretch is known.
 */
import fc from "fast-check";
import type { Message } from "../../src/core/message/message.ts";
import { messageText } from "../../src/core/message/message-text.ts";
import type { Summarizer, SummaryOutcome, SummaryRequest } from "../../src/ports/summarizer.ts";
import { fractions } from "../../src/testing/generate-histories.ts";
import { weighted } from "../../src/testing/weighted.ts";

export type AnswerPlan =
  /** A text that must never be accepted as a summary. */
  | { readonly type: "useless"; readonly text: string }
  | { readonly type: "repeated"; readonly times: number }
  | { readonly type: "failed"; readonly kind: (SummaryOutcome & { readonly type: "failed" })["kind"] }
  /** A text of this many times its limit. */
  | { readonly type: "oversize"; readonly times: number }
  /** Sentences of the stretch at these positions, and invented claims. */
  | { readonly type: "partly-true"; readonly places: readonly number[]; readonly invented: readonly string[] }
  /** The stretch verbatim. */
  | { readonly type: "copy" };

const USELESS = [
  "",
  " \n\t ",
  "…",
  "<thinking>They talked about the ledger.</thinking>",
  "<thinking>They talked about",
  "## Goal\n(none)\n\n## Constraints\n(none)\n\n## Decisions\n- None",
  "Goal: none\nDecisions: N/A\nOpen: (none)",
  "I'm sorry, but I can't help with that.",
  "I cannot assist with this request.",
  '{"name":"read_file","arguments":{"path":"a.ts"}}',
] as const;

/** None of these occurs in a generated history. */
export const INVENTED = [
  "src/ghosts/poltergeist.ts",
  "/opt/phantom/config.yaml",
  "918273",
  "77.31%",
  "2031-11-23",
  "GHOST-9173",
  "https://ghost.invalid/page",
  "v93.17.4",
  "deadbeefcafe1234",
] as const;

export function answerPlans(): fc.Arbitrary<AnswerPlan> {
  const plainAnswer = fc
    .tuple(fc.array(fractions(), { maxLength: 5 }), fc.array(fc.constantFrom(...INVENTED), { maxLength: 3 }))
    .map(([places, invented]): AnswerPlan => ({ type: "partly-true", places, invented }));
  return weighted<AnswerPlan>([
    [8, plainAnswer],
    [3, fc.constantFrom(...USELESS).map((text): AnswerPlan => ({ type: "useless", text }))],
    [1, fc.integer({ min: 20, max: 200 }).map((times): AnswerPlan => ({ type: "repeated", times }))],
    [2, fc.constantFrom(1.2, 2, 3.5, 6, 40).map((times): AnswerPlan => ({ type: "oversize", times }))],
    [1, fc.constant<AnswerPlan>({ type: "copy" })],
    [
      2,
      fc
        .constantFrom("transport", "validation", "refused", "unavailable")
        .map((kind): AnswerPlan => ({ type: "failed", kind })),
    ],
  ]);
}

export function writeAnswer(plan: AnswerPlan, { stretch, capTokens }: SummaryRequest): SummaryOutcome {
  const origin = {
    strategy: "planned",
    model: "planned-model",
    calls: 1,
    costUsd: 0.01,
    request: "transcript",
    chunks: 1,
    cuts: [],
    noiseIds: [],
    trimmedIds: [],
  } as const;
  if (plan.type === "failed") return { type: "failed", kind: plan.kind, reason: "As planned.", origin };
  return { type: "summary", text: textOf(plan, stretch, capTokens), endedBy: "stop", origin };
}

function textOf(plan: Exclude<AnswerPlan, { type: "failed" }>, stretch: readonly Message[], capTokens: number): string {
  switch (plan.type) {
    case "useless":
      return plan.text;
    case "repeated":
      return "They talked on. ".repeat(plan.times);
    case "copy":
      return stretch.map(messageText).join("\n");
    case "oversize":
      return uniqueWords(Math.ceil(capTokens * plan.times));
    case "partly-true":
      return writeClaims(plan, stretch);
    default:
      return plan satisfies never;
  }
}

function writeClaims({ places, invented }: AnswerPlan & { type: "partly-true" }, stretch: readonly Message[]): string {
  const texts = stretch.map(messageText).flatMap((text) => text.split(/(?<=[.!?])\s+/u));
  const quoted = places.map((place) => texts[Math.floor(place * texts.length)] ?? "");
  const claims = invented.map((claim, index) =>
    index % 2 === 0 ? `They also changed ${claim} on the way.` : `Seen (${claim}) and noted, ${claim}, again.`,
  );
  return ["They talked for a while.", ...quoted, ...claims].join(" ");
}

/** Returns about this many tokens without a repeated sentence. */
function uniqueWords(tokens: number): string {
  const words = ["ledger", "mailer", "gateway", "archive", "monitor", "printer", "scheduler", "importer"];
  const word = (index: number): string => words[index % words.length] ?? "";
  const sentences = Math.ceil(tokens / 9);
  return Array.from({ length: sentences }, (_, index) => {
    const [who, whom] = [word(index), word(Math.floor(index / 8))];
    const how = `${word(Math.floor(index / 64))} and ${word(Math.floor(index / 512))}`;
    return `The ${who} spoke to the ${whom} of the ${how}.`;
  }).join(" ");
}

export interface PlannedSummarizer extends Summarizer {
  /** Requests and answers in order. */
  readonly asked: readonly { readonly request: SummaryRequest; readonly plan: AnswerPlan }[];
}

/** Creates a summarizer that follows the plans in turn, and starts again after the last. */
export function plannedSummarizer(plans: readonly AnswerPlan[]): PlannedSummarizer {
  const asked: { request: SummaryRequest; plan: AnswerPlan }[] = [];
  return {
    name: "planned",
    asked,
    estimateCost: () => 0.01,
    async summarize(request) {
      const plan = plans[asked.length % plans.length] ?? { type: "useless", text: "" };
      asked.push({ request, plan });
      return writeAnswer(plan, request);
    },
  };
}
