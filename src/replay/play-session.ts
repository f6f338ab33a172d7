/** Sends one recorded session as a policy would, request by request, and adds up what that costs and forgets. */
import type { Message } from "../core/message/message.ts";
import { addNeeds, type NeedCount, type Needs, NO_NEEDS, type RecallJudge } from "./judge-recall.ts";
import type { PolicyPrompt, PolicyRun } from "./policy-run.ts";
import { costOfInput, costOfOutput, costOfSummary, type PriceTag } from "./prices.ts";
import type { BlockBook, PromptBlock } from "./prompt-blocks.ts";
import { type CacheOutcome, PromptCache } from "./prompt-cache.ts";
import { hasInput, type RecordedSession } from "./recorded-session.ts";

export interface PolicyResult {
  readonly requests: number;
  readonly inputTokens: number;
  readonly readTokens: number;
  readonly outputTokens: number;
  readonly writes: CacheWrites;
  readonly inputUsd: number;
  /** Of the requests whose usage was recorded. */
  readonly checkedUsd: number;
  readonly outputUsd: number;
  readonly summaryUsd: number;
  readonly peakTokens: number;
  readonly compactions: number;
  /** Prompts that were checked by the rules of the provider, and the rules that they broke. */
  readonly checked: number;
  readonly complaints: number;
  readonly overBudget: number;
  /** What later requests needed, at the policy's own compactions and at every tenth request. */
  readonly atCuts: Needs;
  readonly atMarks: Needs;
  /** Names that were needed and that only recalled passages contained. */
  readonly broughtBack: number;
  readonly points: readonly RequestPoint[];
}

/** Tokens written to the cache, by cause. */
export interface CacheWrites {
  /** New messages. */
  readonly growth: number;
  /** Content that was sent before, after a pause longer than the cache keeps it. */
  readonly expired: number;
  /** Content behind a change of the past. */
  readonly rewrite: number;
}

/** One request, for plots. */
export interface RequestPoint {
  readonly tokens: number;
  /** Dollars of this and all earlier requests. */
  readonly usd: number;
  readonly isCut: boolean;
}

export interface PlayOptions {
  readonly run: PolicyRun;
  readonly price: PriceTag;
  readonly book: BlockBook;
  readonly judge: RecallJudge;
  /** Instructions and tool definitions, which the recording lacks, as blocks. */
  readonly prefix: readonly PromptBlock[];
  /** True if the provider had the prefix's first block in its cache before the session. */
  readonly isPrefixCached: boolean;
  /** Tokens of the provider for each token that is counted here. */
  readonly factor: number;
}

/** Recall is measured at every tenth request, whatever the policy did. */
const MARK_EVERY = 10;

export async function playSession(session: RecordedSession, options: PlayOptions): Promise<PolicyResult> {
  const { run, price, prefix, isPrefixCached } = options;
  const cache = new PromptCache(price.cache);
  const player = new Player(session, options, cache);
  const [first] = session.requests;
  if (isPrefixCached && first !== undefined) cache.send(prefix.slice(0, 1), first.timeMs);
  let reported: CacheOutcome | undefined;
  try {
    for (const [position, { index, timeMs }] of session.requests.entries()) {
      const prompt = await run.send({ history: session.messages.slice(0, index), timeMs, reported });
      reported = player.take(prompt, { position, index, timeMs });
    }
  } finally {
    await run.close?.();
  }
  return player.result;
}

interface Position {
  readonly position: number;
  readonly index: number;
  readonly timeMs: number;
}

class Player {
  result: PolicyResult = EMPTY_RESULT;
  readonly #session: RecordedSession;
  readonly #options: PlayOptions;
  readonly #cache: PromptCache;
  #previous: readonly PromptBlock[] = [];
  #previousIndex = 0;
  #previousMs = 0;

  constructor(session: RecordedSession, options: PlayOptions, cache: PromptCache) {
    this.#session = session;
    this.#options = options;
    this.#cache = cache;
  }

  take(prompt: PolicyPrompt, { position, index, timeMs }: Position): CacheOutcome {
    const { price, prefix, factor, book } = this.#options;
    const blocks = [...prefix, ...prompt.blocks.map((block) => ({ ...block, tokens: block.tokens * factor }))];
    const outcome = this.#cache.send(blocks, timeMs);
    const outputTokens = book.tokensOf(this.#replyAt(position)) * factor;
    const isExpired = timeMs - this.#previousMs > price.cache.ttlMs;
    const facts = { outcome, previous: this.#previous, newTokens: this.#newTokens(index), isExpired };
    const writes = divideWrites(blocks, facts);
    const summaryUsd = costOfSummary(prompt.summaries, price);
    const costs = { inputUsd: costOfInput(outcome, price), outputUsd: costOfOutput(outputTokens, price), summaryUsd };
    const checkedUsd = hasInput(this.#session.requests[position]) ? costs.inputUsd : 0;
    this.#add(prompt, { outcome, writes, outputTokens, ...costs, checkedUsd });
    this.#judge(prompt, { position, index, timeMs });
    this.#previous = blocks;
    this.#previousIndex = index;
    this.#previousMs = timeMs;
    return outcome;
  }

  #add(prompt: PolicyPrompt, step: Step): void {
    const before = this.result;
    const { outcome, writes, inputUsd, checkedUsd, outputUsd, summaryUsd } = step;
    const tokens = outcome.readTokens + outcome.writeTokens + outcome.plainTokens;
    const usd = (before.points.at(-1)?.usd ?? 0) + inputUsd + outputUsd + summaryUsd;
    this.result = {
      ...addResults(before, {
        ...EMPTY_RESULT,
        ...{
          requests: 1,
          inputTokens: tokens,
          readTokens: outcome.readTokens,
          outputTokens: step.outputTokens,
          writes,
        },
        ...{ inputUsd, checkedUsd, outputUsd, summaryUsd, peakTokens: tokens, compactions: prompt.isCut ? 1 : 0 },
        overBudget: prompt.isOverBudget === true ? 1 : 0,
      }),
      points: [...before.points, { tokens: Math.round(tokens), usd, isCut: prompt.isCut }],
    };
  }

  #judge({ blocks, isCut, recalledText, countComplaints }: PolicyPrompt, { position, index }: Position): void {
    const isMark = position % MARK_EVERY === MARK_EVERY - 1;
    if (!isCut && !isMark) return;
    const { judge } = this.#options;
    const needs = judge.judge(blocks, index);
    const result = this.result;
    const others = recalledText === undefined ? blocks : blocks.filter(({ text }) => !recalledText.includes(text));
    const withoutRecall: NeedCount = recalledText === undefined ? needs.names : judge.judgeNames(others, index);
    this.result = {
      ...result,
      atCuts: isCut ? addNeeds(result.atCuts, needs) : result.atCuts,
      atMarks: isMark ? addNeeds(result.atMarks, needs) : result.atMarks,
      checked: result.checked + (countComplaints === undefined ? 0 : 1),
      complaints: result.complaints + (countComplaints?.() ?? 0),
      broughtBack: result.broughtBack + needs.names.found - withoutRecall.found,
    };
  }

  /** Returns the messages of the reply: those up to the next one that is not the assistant's. */
  #replyAt(position: number): readonly Message[] {
    const { messages, requests } = this.#session;
    const start = requests[position]?.index ?? 0;
    const rest = messages.slice(start, requests[position + 1]?.index);
    const end = rest.findIndex(({ role }) => role !== "assistant");
    return end < 0 ? rest : rest.slice(0, end);
  }

  #newTokens(index: number): number {
    const { book, factor } = this.#options;
    return book.tokensOf(this.#session.messages.slice(this.#previousIndex, index)) * factor;
  }
}

interface Step {
  readonly outcome: CacheOutcome;
  readonly writes: CacheWrites;
  readonly inputUsd: number;
  readonly checkedUsd: number;
  readonly outputUsd: number;
  readonly summaryUsd: number;
  readonly outputTokens: number;
}

interface WriteFacts {
  readonly outcome: CacheOutcome;
  readonly previous: readonly PromptBlock[];
  /** Tokens of the messages since the previous request. */
  readonly newTokens: number;
  readonly isExpired: boolean;
}

function divideWrites(
  blocks: readonly PromptBlock[],
  { outcome, previous, newTokens, isExpired }: WriteFacts,
): CacheWrites {
  const changed = blocks.findIndex(({ content }, index) => content !== previous[index]?.content);
  const shared = sumTokens(changed < 0 ? blocks : blocks.slice(0, changed));
  const rest = changed < 0 ? [] : blocks.slice(changed);
  const grown = previous.length === 0 ? sumTokens(rest) : Math.min(sumTokens(rest), newTokens);
  const growth = Math.min(outcome.writeTokens, grown);
  const expired = isExpired ? Math.min(outcome.writeTokens - growth, Math.max(0, shared - outcome.readTokens)) : 0;
  return { growth, expired, rewrite: outcome.writeTokens - growth - expired };
}

function sumTokens(blocks: readonly PromptBlock[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

export const EMPTY_RESULT: PolicyResult = {
  requests: 0,
  inputTokens: 0,
  readTokens: 0,
  outputTokens: 0,
  writes: { growth: 0, expired: 0, rewrite: 0 },
  inputUsd: 0,
  checkedUsd: 0,
  outputUsd: 0,
  summaryUsd: 0,
  peakTokens: 0,
  compactions: 0,
  checked: 0,
  complaints: 0,
  overBudget: 0,
  atCuts: NO_NEEDS,
  atMarks: NO_NEEDS,
  broughtBack: 0,
  points: [],
};

/** Adds two results, except their points. */
export function addResults(left: PolicyResult, right: PolicyResult): PolicyResult {
  return {
    requests: left.requests + right.requests,
    inputTokens: left.inputTokens + right.inputTokens,
    readTokens: left.readTokens + right.readTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    writes: {
      growth: left.writes.growth + right.writes.growth,
      expired: left.writes.expired + right.writes.expired,
      rewrite: left.writes.rewrite + right.writes.rewrite,
    },
    inputUsd: left.inputUsd + right.inputUsd,
    checkedUsd: left.checkedUsd + right.checkedUsd,
    outputUsd: left.outputUsd + right.outputUsd,
    summaryUsd: left.summaryUsd + right.summaryUsd,
    peakTokens: Math.max(left.peakTokens, right.peakTokens),
    compactions: left.compactions + right.compactions,
    checked: left.checked + right.checked,
    complaints: left.complaints + right.complaints,
    overBudget: left.overBudget + right.overBudget,
    atCuts: addNeeds(left.atCuts, right.atCuts),
    atMarks: addNeeds(left.atMarks, right.atMarks),
    broughtBack: left.broughtBack + right.broughtBack,
    points: [],
  };
}

export function totalUsd({ inputUsd, outputUsd, summaryUsd }: PolicyResult): number {
  return inputUsd + outputUsd + summaryUsd;
}
