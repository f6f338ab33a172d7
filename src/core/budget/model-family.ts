/** Finds the facts that providers document for a model, by its name. The first matching rule applies. */
import type { MediaFamily } from "../tokens/media-tokens.ts";
import type { CacheRules, ModelFamily } from "./model-info.ts";

export function findFamily(canonicalId: string): ModelFamily {
  const rule = FAMILIES.find(({ pattern }) => pattern.test(canonicalId)) ?? UNKNOWN;
  const bindsThinking = rule.family.provider === "anthropic" && !MODELS_WITHOUT_BINDING.test(canonicalId);
  const [, minimumTokens] = rule.minimums?.find(([pattern]) => pattern.test(canonicalId)) ?? [];
  const { cache } = rule.family;
  return { ...rule.family, bindsThinking, cache: minimumTokens === undefined ? cache : { ...cache, minimumTokens } };
}

/** Claude models that do not bind thinking. Other Claude models are assumed to bind it. */
const MODELS_WITHOUT_BINDING =
  /^claude-(?:instant|v?[1-4](?!\d)|(?:opus|sonnet|haiku)-[34](?!\d)|(?:opus|sonnet|haiku|fable|mythos)-5(?!\d)(?!-[1-9]\d?(?!\d))|mythos-preview)/;

interface FamilyRule {
  readonly pattern: RegExp;
  readonly family: Omit<ModelFamily, "bindsThinking">;
  /** The smallest cached prefix, if models of one family differ. The first matching pattern applies. */
  readonly minimums?: readonly (readonly [pattern: RegExp, tokens: number])[] | undefined;
}

const MINUTE_MS = 60_000;

/** The caller marks up to four breakpoints. A prefix stays cached for five minutes after each read. */
const ANTHROPIC_CACHE: CacheRules = {
  minimumTokens: 4_096,
  readRatio: 0.1,
  writeRatio: 1.25,
  ttlMs: 5 * MINUTE_MS,
  breakpoints: 4,
};

/** The provider finds prefixes of at least 1,024 tokens itself, and keeps unused ones for five to ten minutes. */
const AUTOMATIC_CACHE: CacheRules = {
  minimumTokens: 1_024,
  readRatio: 0.1,
  writeRatio: 1,
  ttlMs: 5 * MINUTE_MS,
  breakpoints: 0,
};

/** The provider caches up to the newest message and at three breakpoints that the caller sets, for half an hour. */
const PAID_WRITES: CacheRules = { ...AUTOMATIC_CACHE, writeRatio: 1.25, ttlMs: 30 * MINUTE_MS, breakpoints: 3 };
const HALF_PRICE: CacheRules = { ...AUTOMATIC_CACHE, readRatio: 0.5 };
const QUARTER_PRICE: CacheRules = { ...AUTOMATIC_CACHE, readRatio: 0.25 };

/** Gemini finds prefixes of at least 4,096 tokens itself. Models with another minimum have a rule of their own. */
const GEMINI_CACHE: CacheRules = { ...AUTOMATIC_CACHE, minimumTokens: 4_096 };

function openai(cache: CacheRules, media: MediaFamily): FamilyRule["family"] {
  return { provider: "openai", counter: "o200k", exactCounter: true, startFactor: 1, media, cache };
}

/** o200k undercounts Claude models up to 4.6 by 15–22 %; newer ones produce a third more tokens. */
function claude(startFactor: number, media: MediaFamily): FamilyRule["family"] {
  return { provider: "anthropic", counter: "o200k", exactCounter: false, startFactor, media, cache: ANTHROPIC_CACHE };
}

function gemini(media: MediaFamily): FamilyRule["family"] {
  return { provider: "google", counter: "o200k", exactCounter: false, startFactor: 1.05, media, cache: GEMINI_CACHE };
}

/** Families without a published JavaScript tokenizer: o200k undercounts by up to 4 %. */
function other(provider: string): FamilyRule["family"] {
  const cache = AUTOMATIC_CACHE;
  return { provider, counter: "o200k", exactCounter: false, startFactor: 1.05, media: "unknown", cache };
}

const FAMILIES: readonly FamilyRule[] = [
  {
    pattern: /^claude-(?:opus-(?:4-[789]|[5-9])|sonnet-[5-9]|haiku-[5-9]|fable|mythos)/,
    family: claude(1.6, "claude-large"),
    minimums: [
      [/^claude-(?:opus-[5-9]|fable|mythos)/, 512],
      [/^claude-opus-4-7/, 2_048],
      [/^claude-(?:opus-4-8|sonnet-5)/, 1_024],
    ],
  },
  {
    pattern: /^claude/,
    family: claude(1.25, "claude"),
    minimums: [
      [/^claude-(?:opus-4-[56]|haiku-4-5)/, 4_096],
      [/^claude-(?:3-haiku|3-5-haiku|haiku-3|sonnet-4-6)/, 2_048],
      [/^claude-(?:opus|sonnet|3-)/, 1_024],
    ],
  },
  {
    // OpenAI has not published the tokenizer of GPT-6.
    pattern: /^gpt-[6-9]/,
    family: { ...openai(PAID_WRITES, "openai-patches"), exactCounter: false, startFactor: 1.05 },
  },
  { pattern: /^gpt-5\.[6-9]/, family: openai(PAID_WRITES, "openai-patches") },
  { pattern: /^gpt-5(?:\.\d)?-nano/, family: openai(AUTOMATIC_CACHE, "openai-nano") },
  { pattern: /^gpt-5(?:\.\d)?-mini/, family: openai(AUTOMATIC_CACHE, "openai-mini") },
  { pattern: /^gpt-5\.[2-5]/, family: openai(AUTOMATIC_CACHE, "openai-patches") },
  { pattern: /^gpt-5/, family: openai(AUTOMATIC_CACHE, "openai-tiles") },
  { pattern: /^gpt-4\.1-nano/, family: openai(QUARTER_PRICE, "openai-nano") },
  { pattern: /^(?:gpt-4\.1-mini|o4-mini|codex-mini)/, family: openai(QUARTER_PRICE, "openai-mini") },
  { pattern: /^(?:gpt-4\.1|o3|o4)/, family: openai(QUARTER_PRICE, "openai-tiles") },
  { pattern: /^(?:gpt-4o|chatgpt-4o|gpt-4\.5|gpt-oss|gpt-audio|o1)/, family: openai(HALF_PRICE, "openai-tiles") },
  {
    pattern: /^gpt-(?:4|3\.?5)/,
    family: { ...openai({ ...AUTOMATIC_CACHE, readRatio: 1 }, "openai-tiles"), counter: "cl100k" },
  },
  { pattern: /^gemini-(?:1|2)/, family: gemini("gemini-2"), minimums: [[/^gemini-2\.5/, 2_048]] },
  { pattern: /^gemini/, family: gemini("gemini-3") },
  { pattern: /^gemma/, family: other("google") },
  { pattern: /^(?:deepseek|r1-)/, family: other("deepseek") },
  { pattern: /^(?:mistral|ministral|mixtral|codestral|devstral|magistral|pixtral)/, family: other("mistral") },
  { pattern: /^grok/, family: other("x-ai") },
  { pattern: /^(?:kimi|moonshot)/, family: other("moonshotai") },
  { pattern: /^(?:command|c4ai)/, family: other("cohere") },
  { pattern: /^(?:llama|meta-llama)/, family: other("meta") },
  { pattern: /^(?:qwen|qwq)/, family: other("qwen") },
  { pattern: /^glm/, family: other("z-ai") },
  { pattern: /^minimax/, family: other("minimax") },
  { pattern: /^nova/, family: other("amazon") },
  { pattern: /^sonar/, family: other("perplexity") },
];

const UNKNOWN: FamilyRule = { pattern: /^/, family: other("unknown") };
