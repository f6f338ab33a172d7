/**
 * `structured`: a narrative with lists, as strict JSON. Omits noise, shortens tool output, and trims the oldest
 * messages of the transcript. For a small prompt, rules and schema are short.
 */

import { isJsonObject, type JsonObject } from "../../message/json.ts";
import { PREVIEW_RESULTS } from "./build-transcript.ts";
import {
  addInstructions,
  commonRules,
  type Strategy,
  type StretchMeta,
  transcriptBody,
  writeFoldRule,
} from "./strategy.ts";

export const TRANSCRIPT_MAX_TOKENS = 8_000;

/** Factor for braces, quotes and field names, because an answer that is cut off is lost. */
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
  const rules = `${TASK}${lengthRule(maxOutputTokens)}${writeFoldRule(input)}\n\nThe schema:\n${shape}\n\n${commonRules(input.nonce)}`;
  return {
    strategy: "structured",
    instructions: addInstructions(rules, input),
    input: { type: "transcript", text: `${metaHeader(input.meta)}\n${text}` },
    maxOutputTokens,
    schema,
    temperature: 0,
    tools: "none",
    report,
  };
};

/** Below this size the full schema, which a request contains twice, would fill most of the prompt. */
const SMALL_PROMPT_TOKENS = 5_000;
/** Approximate size of full lists. Below it the request asks for a shorter answer. */
const LONG_ANSWER_TOKENS = 4_000;
const WORDS_PER_TOKEN = 0.5;

function lengthRule(maxOutputTokens: number): string {
  if (maxOutputTokens >= LONG_ANSWER_TOKENS) return "";
  return `\nThe whole answer has at most ${Math.floor(maxOutputTokens * WORDS_PER_TOKEN)} words; leave out the least important first.`;
}

function metaHeader({ totalMessages, totalTokens, depth }: StretchMeta): string {
  return `<meta total_messages=${totalMessages} total_tokens=${totalTokens} depth=${depth} />`;
}

export interface TextLimit {
  readonly maxCharacters: number;
}

export interface ListLimit extends TextLimit {
  readonly maxItems: number;
}

/**
 * Limits of a structured summary. Providers with strict decoding reject limits in a schema, so its descriptions state
 * them and `parse-structured-summary.ts` enforces them.
 */
export const SUMMARY_LIMIT: TextLimit = { maxCharacters: 5_000 };
export const KEY_POINTS_LIMIT: ListLimit = { maxItems: 30, maxCharacters: 500 };
export const ACTION_ITEMS_LIMIT: ListLimit = { maxItems: 50, maxCharacters: 400 };
export const OWNER_LIMIT: TextLimit = { maxCharacters: 60 };

/** The limits of lists come from the preset documents, and the limits of items are our own. */
export const CONTEXT_LIMITS = {
  participants: { maxItems: 30, maxCharacters: 500 },
  decisions: { maxItems: 50, maxCharacters: 500 },
  unresolved: { maxItems: 50, maxCharacters: 500 },
  domainEntities: { maxItems: 80, maxCharacters: 500 },
} as const satisfies Readonly<Record<string, ListLimit>>;

export type ContextList = keyof typeof CONTEXT_LIMITS;

const LIST_MEANINGS: Readonly<Record<ContextList, string>> = {
  participants: "Who takes part",
  decisions: "What was decided, with the reason where it was given",
  unresolved: "Questions and problems that are still open",
  domainEntities: "Files, classes, functions, commands, addresses and other names, letter for letter",
};

const ACTION_ITEM: JsonObject = objectOf({
  task: { type: "string", description: `What is to be done, at most ${ACTION_ITEMS_LIMIT.maxCharacters} characters.` },
  owner: nullable("Who does it"),
  due: nullable("Until when"),
});

/** Requires every field and allows no other, as strict decoders demand. */
export const SUMMARY_SCHEMA: JsonObject = objectOf({
  summary: {
    type: "string",
    description: `What happened and where things stand, 1 to ${SUMMARY_LIMIT.maxCharacters} characters.`,
  },
  keyPoints: createListSchema({ type: "string" }, describeList("What must not be forgotten", KEY_POINTS_LIMIT)),
  context: objectOf({
    participants: plainList("participants"),
    decisions: plainList("decisions"),
    actionItems: createListSchema(
      ACTION_ITEM,
      `What is still to be done, at most ${ACTION_ITEMS_LIMIT.maxItems} items.`,
    ),
    unresolved: plainList("unresolved"),
    domainEntities: plainList("domainEntities"),
  }),
});

export const SHORT_SCHEMA: JsonObject = withoutDescriptions(SUMMARY_SCHEMA);

/** Writes the shape as an example: `{"summary":"text","keyPoints":["text"], …}`. */
export function sketchSchema({ properties, items, anyOf }: JsonObject): string {
  if (isJsonObject(properties)) {
    const fields = Object.entries(properties).flatMap(([name, field]) =>
      isJsonObject(field) ? [`${JSON.stringify(name)}:${sketchSchema(field)}`] : [],
    );
    return `{${fields.join(",")}}`;
  }
  if (isJsonObject(items)) return `[${sketchSchema(items)}]`;
  return anyOf === undefined ? '"text"' : '"text" or null';
}

function withoutDescriptions(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]) => {
    // A field may be named "description"; only the keyword of JSON schema is a text.
    if (key === "description" && typeof value === "string") return [];
    return [[key, isJsonObject(value) ? withoutDescriptions(value) : value] as const];
  });
  return Object.fromEntries(entries);
}

function plainList(name: ContextList): JsonObject {
  return createListSchema({ type: "string" }, describeList(LIST_MEANINGS[name], CONTEXT_LIMITS[name]));
}

function describeList(meaning: string, { maxItems, maxCharacters }: ListLimit): string {
  return `${meaning}; at most ${maxItems} items of 1 to ${maxCharacters} characters, and an empty array for none.`;
}

function createListSchema(items: JsonObject, description: string): JsonObject {
  return { type: "array", description, items };
}

function nullable(meaning: string): JsonObject {
  const description = `${meaning}, at most ${OWNER_LIMIT.maxCharacters} characters; null where nobody said.`;
  return { description, anyOf: [{ type: "string" }, { type: "null" }] };
}

function objectOf(properties: JsonObject): JsonObject {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
