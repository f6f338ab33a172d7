/**
 * `structured`: a narrative with lists beside it, as strict JSON. Mechanical messages are left out, bulky tool output is
 * shortened, and the transcript is capped from its oldest side; the previous summary stands outside the cap. Where the
 * summarizer's own prompt is small, rules and schema are short, so that messages have room beside them.
 */
import { PREVIEW_RESULTS } from "./build-transcript.ts";
import { commonRules, foldRule, transcriptBody, withWishes } from "./request-text.ts";
import type { Strategy, StretchMeta } from "./strategy.ts";
import { SHORT_SCHEMA, SUMMARY_SCHEMA, sketchSchema } from "./structured-schema.ts";

export const TRANSCRIPT_MAX_TOKENS = 8_000;

/** Braces, quotes and the names of the fields; an answer that is stopped inside them is lost. */
const JSON_OVERHEAD = 1.5;

const TASK = `You summarise conversations. Answer with one strict JSON object that matches the schema below, and with nothing else: no markdown, no code fence, no word before or after it.
Copy identifiers (file names, class names, function signatures), numbers, dates and versions verbatim.
Where there is nothing to say for a list, give an empty array; never make something up to fill it.
Add nothing that is not in the source.`;

export const structured: Strategy = (input) => {
  const capTokens = Math.min(TRANSCRIPT_MAX_TOKENS, input.promptTokens);
  const { text, report } = transcriptBody(input, { withoutNoise: true, results: PREVIEW_RESULTS, capTokens });
  const isSmall = input.promptTokens < SMALL_PROMPT_TOKENS;
  const schema = isSmall ? SHORT_SCHEMA : SUMMARY_SCHEMA;
  const shape = isSmall ? sketchSchema(schema) : JSON.stringify(schema);
  const maxOutputTokens = Math.ceil(input.budgetTokens * JSON_OVERHEAD);
  const rules = `${TASK}${lengthRule(maxOutputTokens)}${foldRule(input)}\n\nThe schema:\n${shape}\n\n${commonRules(input.nonce)}`;
  return {
    strategy: "structured",
    instructions: withWishes(rules, input),
    input: { type: "transcript", text: `${metaHeader(input.meta)}\n${text}` },
    maxOutputTokens,
    schema,
    temperature: 0,
    tools: "none",
    report,
  };
};

/** Below this the full schema, which a request carries twice, would take most of the prompt. */
const SMALL_PROMPT_TOKENS = 5_000;
/** A summary with full lists takes about so much; where less is allowed the model has to know. */
const LONG_ANSWER_TOKENS = 4_000;
const WORDS_A_TOKEN = 0.5;

function lengthRule(maxOutputTokens: number): string {
  if (maxOutputTokens >= LONG_ANSWER_TOKENS) return "";
  return `\nThe whole answer has at most ${Math.floor(maxOutputTokens * WORDS_A_TOKEN)} words; leave out the least important first.`;
}

function metaHeader({ totalMessages, totalTokens, depth }: StretchMeta): string {
  return `<meta total_messages=${totalMessages} total_tokens=${totalTokens} depth=${depth} />`;
}
