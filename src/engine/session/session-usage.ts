/** Reads the tokens and cost of a session. An unknown price is reported as such, never as zero. */
import type { MessageEntry, RequestEntry, SessionId } from "../../core/log/entry.ts";
import {
  type AnswerUse,
  findAnsweringModel,
  type ModelSpending,
  NO_SPENDING,
  priceUsage,
  readAnswerUse,
} from "../../core/log/spent.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { SessionState } from "../state/session-state.ts";
import { estimateSaved, type SavedTokens } from "./estimate-saved.ts";

/** What the answers of one model have used and cost. */
export interface PricedModel extends ModelSpending {
  readonly costUsd?: number | undefined;
}

/** The usage and price of one answer. */
export interface PricedAnswer extends AnswerUse {
  readonly messageId: string;
  readonly seq: number;
  readonly at: number;
  readonly model?: string | undefined;
  readonly costUsd?: number | undefined;
}

/** What a session has used and cost, by model, summaries included. */
export interface SessionUsage {
  readonly models: readonly PricedModel[];
  readonly summaries: { readonly count: number; readonly costUsd: number };
  readonly costUsd: number;
  /** Whether every answer has reported usage and a known price. */
  readonly isExact: boolean;
  /** Number of answers with an unknown price. */
  readonly unpriced: number;
  /** The newest answers, oldest first. Inherited ones are reported by the session that paid for them. */
  readonly newest: readonly PricedAnswer[];
  /** Undefined if nothing was compacted, or if no answers were asked for. */
  readonly saved?: SavedTokens | undefined;
  readonly inherited?: { readonly sessionId: SessionId; readonly throughSeq: number } | undefined;
}

/**
 * How many of the newest answers to list one by one.
 *
 * @example
 * ```ts
 * await session.usage({ newest: 5 });
 * ```
 */
export interface UsageOptions {
  readonly newest?: number | undefined;
}

export async function readUsage(state: SessionState, { newest = 0 }: UsageOptions): Promise<SessionUsage> {
  const { head } = await state.current();
  const { models, summaries, summariesUsd } = head.spent ?? NO_SPENDING;
  const priced = await Promise.all(models.map((each) => priceModel(state.context, each)));
  const unknown = priced.filter(({ costUsd }) => costUsd === undefined);
  const fork = (await state.context.store.findSession(state.id))?.header.fork ?? head.importedFork;
  const answersUsd = priced.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  return {
    models: priced,
    summaries: { count: summaries, costUsd: summariesUsd },
    costUsd: answersUsd + summariesUsd,
    isExact: unknown.length === 0 && priced.every(({ estimated }) => estimated === 0),
    unpriced: unknown.reduce((sum, { answers }) => sum + answers, 0),
    newest: newest === 0 ? [] : await readNewest(state, { most: newest, afterSeq: fork?.atSeq ?? 0 }),
    ...(newest === 0 ? {} : { saved: await estimateSaved(state, fork?.atSeq ?? 0) }),
    ...(fork === undefined ? {} : { inherited: { sessionId: fork.parentId, throughSeq: fork.atSeq } }),
  };
}

/** Returns what the session has cost, as far as this process knows without reading the store. */
export async function readSpentUsd(state: SessionState): Promise<number> {
  const { head } = state.extendKnown() ?? (await state.current());
  const { models, summariesUsd } = head.spent ?? NO_SPENDING;
  const priced = await Promise.all(models.map((each) => priceModel(state.context, each)));
  return priced.reduce((sum, { costUsd = 0 }) => sum + costUsd, summariesUsd);
}

async function priceModel(context: EngineContext, spending: ModelSpending): Promise<PricedModel> {
  const costUsd = await findCost(context, spending);
  return costUsd === undefined ? spending : { ...spending, costUsd };
}

/** Returns 0 for an answer without tokens, whatever the model. */
async function findCost(
  { catalogue }: EngineContext,
  { model, ...use }: Pick<ModelSpending, "model" | "inputTokens" | "outputTokens"> & Partial<ModelSpending>,
): Promise<number | undefined> {
  if (use.inputTokens + use.outputTokens === 0) return 0;
  return model === undefined ? undefined : priceUsage(use, (await catalogue.find(model)).info);
}

const ENTRIES_PER_ANSWER = 4;

/** Reads only the end of the log, so that the cost does not grow with its length. */
async function readNewest(
  state: SessionState,
  { most, afterSeq }: { readonly most: number; readonly afterSeq: number },
): Promise<readonly PricedAnswer[]> {
  const range = { types: ["message", "request"], newestFirst: true, limit: most * ENTRIES_PER_ANSWER } as const;
  const entries = await state.context.store.readEntries(state.id, { ...range, afterSeq });
  const requests = new Map(entries.flatMap((entry) => (entry.type === "request" ? [[entry.promptId, entry]] : [])));
  const answers: PricedAnswer[] = [];
  for (const entry of entries) {
    if (entry.type !== "message" || answers.length === most) continue;
    const answer = await priceAnswer(state.context, entry, requests.get(entry.promptId ?? ""));
    if (answer !== undefined) answers.push(answer);
  }
  return answers.reverse();
}

async function priceAnswer(
  context: EngineContext,
  entry: MessageEntry,
  request: RequestEntry | undefined,
): Promise<PricedAnswer | undefined> {
  const { id: messageId, seq, at, usage, tokens, promptId } = entry;
  if (promptId === undefined && usage === undefined) return undefined;
  const use = readAnswerUse({ usage, tokens, request });
  if (use === undefined) return undefined;
  const model = findAnsweringModel({ usage, request });
  const costUsd = await findCost(context, { model, ...use });
  return {
    ...{ messageId, seq, at, ...use },
    ...(model === undefined ? {} : { model }),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}
