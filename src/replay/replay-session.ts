/**
 * Replays one recorded session under several policies, and beside them what was recorded: the dollars of the reported
 * usage, and what the simulator makes of the contexts that were really sent.
 */
import type { ModelInfo } from "../core/budget/model-info.ts";
import type { Provider } from "../core/prompt/provider.ts";
import type { PolicyInput } from "../policies/policy-input.ts";
import { RecallJudge } from "./judge-recall.ts";
import { type PlayOptions, type PolicyResult, playSession } from "./play-session.ts";
import type { PolicyRun } from "./policy-run.ts";
import { costOfUsage, type PriceTag, withLongCache } from "./prices.ts";
import type { BlockBook, PromptBlock } from "./prompt-blocks.ts";
import { hasInput, type RecordedSession } from "./recorded-session.ts";
import { type OpenEngine, runPalimpsest } from "./run-palimpsest.ts";
import { runFullHistory, runRecorded } from "./run-recorded.ts";
import { SharedSummarizer, type SummaryMode } from "./shared-summarizer.ts";

export interface ReplayPolicy {
  readonly name: string;
  readonly policy: PolicyInput;
}

/** Names in a report that are not policies. */
export const FULL_HISTORY = "full history";
export const AS_RECORDED = "as recorded";

export interface ReplaySettings {
  readonly open: OpenEngine;
  readonly book: BlockBook;
  /** Finds a model with its prices; undefined if it has none. */
  readonly findModel: (id: string) => (ModelInfo & { readonly prices: PriceTag["prices"] }) | undefined;
  /** The model of every session; by default the recorded one, and `defaultModel` if that has no known price. */
  readonly model?: string | undefined;
  readonly defaultModel: string;
  readonly windowTokens?: number | undefined;
  readonly summaries: SummaryMode;
  readonly policies: readonly ReplayPolicy[];
  readonly signal?: AbortSignal | undefined;
}

export interface SessionReplay {
  readonly name: string;
  readonly format: string;
  readonly model: string;
  readonly windowTokens: number;
  readonly hasTimes: boolean;
  readonly requests: number;
  readonly messages: number;
  readonly policies: Readonly<Record<string, PolicyResult>>;
  readonly recorded: RecordedCost | undefined;
}

/** The cost of the requests whose usage was recorded. */
export interface RecordedCost {
  readonly requests: number;
  readonly inputUsd: number;
  readonly outputUsd: number;
  /** What the simulator makes of the same requests. */
  readonly simulatedUsd: number;
  /** The dollars that the recording itself gives, if it does. */
  readonly statedUsd: number | undefined;
  readonly inputTokens: number;
  readonly readTokens: number;
  readonly writeTokens: number;
}

export async function replaySession(session: RecordedSession, settings: ReplaySettings): Promise<SessionReplay> {
  const model = chooseModel(session, settings);
  const scene = setScene(session, settings, model);
  const policies: Record<string, PolicyResult> = {};
  const play = async (name: string, run: PolicyRun) => {
    settings.signal?.throwIfAborted();
    policies[name] = await playSession(session, { ...scene, run });
  };
  await play(FULL_HISTORY, runFullHistory(settings.book));
  await play(AS_RECORDED, runRecorded(session, settings.book));
  const windowTokens = Math.min(settings.windowTokens ?? model.windowTokens, model.windowTokens);
  for (const { name, policy } of settings.policies) {
    await play(name, await openPolicy(policy, { settings, scene, windowTokens, family: model.provider }));
  }
  return {
    ...{ name: session.name, format: session.format, model: model.id, windowTokens, hasTimes: session.hasTimes },
    ...{ requests: session.requests.length, messages: session.messages.length, policies },
    recorded: priceRecording(session, { price: scene.price, simulated: policies[AS_RECORDED] }),
  };
}

type PricedModel = ModelInfo & { readonly prices: PriceTag["prices"] };
type Scene = Omit<PlayOptions, "run">;

function chooseModel({ requests }: RecordedSession, { model, defaultModel, findModel }: ReplaySettings): PricedModel {
  const recorded = requests.findLast(({ usage }) => usage?.model !== undefined)?.usage?.model;
  for (const id of [model ?? recorded, defaultModel]) {
    const found = id === undefined ? undefined : findModel(id);
    if (found !== undefined) return found;
  }
  throw new Error(`The catalogue has no prices for ${defaultModel}.`);
}

function setScene(session: RecordedSession, { book, findModel }: ReplaySettings, model: PricedModel): Scene {
  const price = priceOf(session, model);
  const judge = new RecallJudge(session.messages, book);
  // What was reported beyond the messages are instructions and tools, as the recording model counted them.
  const recordedModel = session.requests.find(({ usage }) => usage?.model !== undefined)?.usage?.model;
  const recordedFactor = (recordedModel === undefined ? undefined : findModel(recordedModel))?.startFactor ?? 1;
  const prefix = findPrefix(session, { book, factor: recordedFactor });
  return { price, judge, book, prefix, isPrefixCached: prefix.length > 1, factor: model.startFactor };
}

function priceOf({ requests }: RecordedSession, { id, prices, cache }: PricedModel): PriceTag {
  const price = { model: id, prices, cache };
  return requests.some(({ usesLongCache }) => usesLongCache === true) ? withLongCache(price) : price;
}

/** The first block was in the cache before the first request, the second was not. */
function findPrefix(
  { name, requests, messages }: RecordedSession,
  { book, factor }: { readonly book: BlockBook; readonly factor: number },
): readonly PromptBlock[] {
  const [first] = requests;
  const { inputTokens = 0, cacheReadTokens = 0 } = first?.usage ?? {};
  const sent = book.tokensOf(messages.slice(0, first?.index ?? 0)) * factor;
  const tokens = Math.max(0, Math.round(inputTokens - sent));
  const shared = Math.min(tokens, cacheReadTokens);
  const blocks = [book.opaqueBlock(`shared ${shared}`, shared), book.opaqueBlock(name, tokens - shared)];
  return blocks.filter((block) => block.tokens > 0);
}

interface PolicyScene {
  readonly settings: ReplaySettings;
  readonly scene: Scene;
  readonly windowTokens: number;
  /** The maker of the model. */
  readonly family: string;
}

const PROVIDER_OF: Readonly<Record<string, Provider>> = { anthropic: "anthropic", openai: "openai", google: "gemini" };

/** The budget of the conversation is what instructions and tools leave of the window, in tokens of the counter. */
function openPolicy(policy: PolicyInput, { settings, scene, windowTokens, family }: PolicyScene): Promise<PolicyRun> {
  const { open, book, summaries } = settings;
  const { prefix, factor, price } = scene;
  const prefixTokens = prefix.reduce((sum, { tokens }) => sum + tokens, 0);
  const budgetTokens = Math.max(MIN_BUDGET_TOKENS, Math.floor((windowTokens - prefixTokens) / factor));
  const summarizer = new SharedSummarizer(summaries, book);
  const provider = PROVIDER_OF[family] ?? "anthropic";
  return runPalimpsest({ open, budgetTokens, book, summarizer, price, provider, reusesPrompt: true, policy });
}

const MIN_BUDGET_TOKENS = 2_000;

interface Pricing {
  readonly price: PriceTag;
  readonly simulated: PolicyResult | undefined;
}

/** Prices the requests whose usage was recorded. */
function priceRecording(session: RecordedSession, { price, simulated }: Pricing): RecordedCost | undefined {
  const usages = session.requests.filter(hasInput).flatMap(({ usage }) => usage ?? []);
  if (simulated === undefined || usages.length === 0) return undefined;
  const costs = usages.map((usage) => costOfUsage(usage, price));
  const stated = session.requests.map(({ costUsd }) => costUsd).filter((usd) => usd !== undefined);
  return {
    requests: usages.length,
    inputUsd: sum(costs.map(({ inputUsd }) => inputUsd)),
    outputUsd: sum(costs.map(({ outputUsd }) => outputUsd)),
    simulatedUsd: simulated.checkedUsd,
    statedUsd: stated.length === 0 ? undefined : sum(stated),
    inputTokens: sum(usages.map(({ inputTokens = 0 }) => inputTokens)),
    readTokens: sum(usages.map(({ cacheReadTokens = 0 }) => cacheReadTokens)),
    writeTokens: sum(usages.map(({ cacheWriteTokens = 0 }) => cacheWriteTokens)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
