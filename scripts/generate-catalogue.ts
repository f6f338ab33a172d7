/**
 * Writes `src/core/budget/catalogue.generated.json`: windows, output limits and prices of the chat models of well-known
 * providers. Prices and most windows come from `@pydantic/genai-prices`, OpenAI's limits from `gpt-tokenizer`, and the
 * rest from the short tables below, which quote the providers' pages.
 *
 * Run it with `npm run catalogue` after updating the packages; the result is committed, so that a build needs neither.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { calcPrice, findProvider, type ModelInfo as PricedModel, type TieredPrices } from "@pydantic/genai-prices";
import * as openaiModels from "gpt-tokenizer/models";
import { normalizeModelId } from "../src/core/budget/find-model.ts";
import type { CatalogueRow } from "../src/core/budget/model-info.ts";

/**
 * The providers to list, and which models of a provider's list are its own. OpenRouter has models of vendors without a
 * list.
 */
const SOURCES: readonly { readonly provider: string; readonly own: RegExp }[] = [
  { provider: "anthropic", own: /^claude-/ },
  { provider: "openai", own: /^(?:gpt-|chatgpt-|o\d|codex-)/ },
  { provider: "google", own: /^(?:gemini|gemma)-/ },
  { provider: "mistral", own: /./ },
  { provider: "deepseek", own: /./ },
  { provider: "x-ai", own: /./ },
  { provider: "moonshotai", own: /./ },
  { provider: "cohere", own: /./ },
  { provider: "perplexity", own: /^sonar/ },
  { provider: "minimax", own: /./ },
  { provider: "aws", own: /^(?:global\.)?amazon\.nova/ },
  { provider: "openrouter", own: /^(?:qwen|z-ai|meta-llama)\// },
];

const NO_CHAT =
  /embed|moderation|whisper|tts|audio|realtime|image|transcribe|ocr|voxtral|voice|-live|omni|sonic|guard|rerank|-instruct-0914|turbo-instruct|^ft:|\.ft-|:free$|:extended$|vision-preview/;

/** Windows that the price list rounds, from the providers' pages. */
const EXACT_WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^gemini-1\.5-pro/, 2_097_152],
  [/^gemini-(?:1\.5|2|3)/, 1_048_576],
];

/** Windows that the price list lacks, from the providers' pages. */
const MISSING_WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^(?:mistral-(?:large|medium-(?:3|latest)|nemo|small-(?:3|latest))|pixtral|ministral|devstral-small)/, 128_000],
  [/^command-[ar]/, 128_000],
  [/^magistral/, 40_000],
  [/^kimi-k2$/, 131_072],
];

/** Models that the price list does not have yet, from the providers' pages on 2026-11-16. */
const MISSING_MODELS: Readonly<Record<string, CatalogueRow>> = {
  "claude-haiku-5-5": [1_000_000, 1_000_000, 128_000, 0.1, 0.5, 0.01, 0.125],
  "claude-mythos-5": [1_000_000, 1_000_000, 128_000, 10, 50, 1, 12.5],
  "claude-mythos-5-1": [1_000_000, 1_000_000, 128_000, 10, 50, 0.25, 12.5],
  "claude-sonnet-5-5": [1_000_000, 1_000_000, 128_000, 2, 10, 0.1, 2.5],
};

/** The longest reply, from the providers' pages. */
const OUTPUTS: readonly (readonly [RegExp, number])[] = [
  [/^claude-(?:opus-(?:4-[6-9]|[5-9])|sonnet-[5-9]|fable|mythos)/, 128_000],
  [/^claude-(?:opus-4-5|sonnet-4|haiku-4|3-7)/, 64_000],
  [/^claude-opus-4/, 32_000],
  [/^claude-3-5/, 8_192],
  [/^claude/, 4_096],
  [/^gpt-6/, 128_000],
  [/^gemini-(?:2\.5|3)/, 65_536],
];

/** Default if no source has the limit. */
const OUTPUT_OTHERWISE = 8_192;

/** For GPT-5 and later, the input is the window minus the longest reply; other providers count both together. */
const OPENAI_REPLY_ROOM = 128_000;

interface OpenaiLimits {
  readonly context_window?: number;
  readonly max_input_tokens?: number;
  readonly max_output_tokens?: number;
}

const openai: ReadonlyMap<string, OpenaiLimits> = new Map(
  Object.entries(openaiModels).flatMap(([name, spec]) =>
    typeof spec === "object" && "context_window" in spec ? [[name, spec] as const] : [],
  ),
);

function main(): void {
  const today = new Date().toISOString().slice(0, 10);
  const rows = new Map<string, CatalogueRow>();
  for (const { provider, own } of SOURCES) {
    for (const model of findProvider({ providerId: provider })?.models ?? []) {
      if (own.test(model.id)) addRow(rows, { id: model.id, priced: model, today });
    }
  }
  for (const name of openai.keys()) {
    const priced = calcPrice({ input_tokens: 1 }, name, { providerId: "openai" })?.model;
    if (/^(?:gpt-[3-9]|o\d|chatgpt|codex-mini)/.test(name)) addRow(rows, { id: name, priced, today });
  }
  for (const [name, row] of Object.entries(MISSING_MODELS)) if (!rows.has(name)) rows.set(name, row);
  writeFileSync("src/core/budget/catalogue.generated.json", render(rows, today));
  process.stdout.write(`${rows.size} models\n`);
}

interface RowSource {
  readonly id: string;
  readonly priced: PricedModel | undefined;
  readonly today: string;
}

function addRow(rows: Map<string, CatalogueRow>, { id, priced, today }: RowSource): void {
  const name = normalizeModelId(id).replace(/-v\d+:\d+$/, "");
  const stated = openai.get(name)?.context_window ?? lookUp(EXACT_WINDOWS, name) ?? priced?.context_window;
  const windowTokens = stated ?? lookUp(MISSING_WINDOWS, name);
  if (NO_CHAT.test(id) || windowTokens === undefined || rows.has(name)) return;
  const limits = [windowTokens, inputOf(name, windowTokens), outputOf(name, windowTokens)] as const;
  rows.set(name, [...limits, ...pricesOf(priced, today)]);
}

function lookUp(table: readonly (readonly [RegExp, number])[], name: string): number | undefined {
  return table.find(([pattern]) => pattern.test(name))?.[1];
}

function inputOf(name: string, windowTokens: number): number {
  const stated = openai.get(name)?.max_input_tokens;
  const room = /^gpt-[5-9]/.test(name) && windowTokens >= 400_000 ? OPENAI_REPLY_ROOM : 0;
  return Math.min(stated ?? windowTokens - room, windowTokens);
}

function outputOf(name: string, windowTokens: number): number {
  const stated = openai.get(name)?.max_output_tokens ?? lookUp(OUTPUTS, name) ?? OUTPUT_OTHERWISE;
  return Math.min(stated, windowTokens);
}

type Prices = readonly [input?: number, output?: number, cacheRead?: number, cacheWrite?: number];

/** Leaves unknown fields out. */
function pricesOf(priced: PricedModel | undefined, today: string): Prices {
  const prices = priced === undefined ? undefined : currentPrices(priced, today);
  const input = basePrice(prices?.input_mtok);
  const output = basePrice(prices?.output_mtok);
  const cacheRead = basePrice(prices?.cache_read_mtok);
  const cacheWrite = basePrice(prices?.cache_write_mtok);
  if (input === undefined || output === undefined) return [];
  if (cacheRead === undefined) return [input, output];
  return cacheWrite === undefined ? [input, output, cacheRead] : [input, output, cacheRead, cacheWrite];
}

function currentPrices({ prices }: PricedModel, today: string) {
  if (!Array.isArray(prices)) return prices;
  const started = prices.filter(({ constraint }) => {
    if (constraint === undefined) return true;
    return constraint.type === "start_date" && constraint.start_date <= today;
  });
  return started.at(-1)?.prices;
}

/** The price without any surcharge for long prompts. */
function basePrice(price: number | TieredPrices | undefined): number | undefined {
  return typeof price === "object" ? price.base : price;
}

function render(rows: ReadonlyMap<string, CatalogueRow>, today: string): string {
  const lines = [...rows]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, row]) => `    ${JSON.stringify(name)}: ${JSON.stringify(row)}`);
  return `{
  "generatedOn": "${today}",
  "source": "${describeSources()}",
  "models": {
${lines.join(",\n")}
  }
}
`;
}

function describeSources(): string {
  return ["@pydantic/genai-prices", "gpt-tokenizer"].map((name) => `${name} ${readVersion(name)}`).join(", ");
}

function readVersion(name: string): string {
  const manifest: unknown = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "";
  return String(version);
}

main();
