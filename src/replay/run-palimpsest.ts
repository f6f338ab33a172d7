/**
 * Palimpsest as a host uses it: a session of one policy with the recording's own times, which gets each reply with the
 * usage that the simulated provider reports.
 */
import { FORMATS } from "../core/message/formats/formats.ts";
import type { Message } from "../core/message/message.ts";
import type { Provider } from "../core/prompt/provider.ts";
import { validate } from "../core/prompt/validate/validate.ts";
import type { Palimpsest } from "../engine/palimpsest.ts";
import type { Prompt } from "../engine/prompt/prompt.ts";
import type { Session } from "../engine/session/session.ts";
import type { PolicyInput } from "../policies/policy-input.ts";
import type { Summarizer, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";
import type { PolicyPrompt, PolicyRequest, PolicyRun } from "./policy-run.ts";
import { costOfSummary, type PriceTag } from "./prices.ts";
import type { BlockBook } from "./prompt-blocks.ts";
import type { PaidSummary, SharedSummarizer } from "./shared-summarizer.ts";

/** Opens an engine that keeps its sessions in memory. */
export type OpenEngine = (options: EngineOptions) => Promise<Palimpsest>;

export interface EngineOptions {
  readonly model: string;
  readonly counter: "o200k";
  readonly models: Readonly<Record<string, { readonly startFactor: number }>>;
  readonly budgetTokens: number;
  readonly clock: { readonly now: () => number };
  readonly summarizer?: Summarizer | undefined;
  readonly policy?: PolicyInput | undefined;
}

export interface PalimpsestRunOptions {
  readonly open: OpenEngine;
  readonly budgetTokens: number;
  readonly book: BlockBook;
  readonly summarizer: SharedSummarizer;
  readonly price: PriceTag;
  /** The provider whose rules the prompts are checked by. */
  readonly provider: Provider;
  /** True if a summary is requested after the conversation's own prompt when that is cheaper. */
  readonly reusesPrompt: boolean;
  readonly policy?: PolicyInput | undefined;
}

export async function runPalimpsest(options: PalimpsestRunOptions): Promise<PolicyRun> {
  const { open, budgetTokens, price, summarizer, policy } = options;
  const paid: PaidSummary[] = [];
  const time = { nowMs: 0 };
  const palimpsest = await open({
    model: price.model,
    // All policies use the same counter, so there is no factor to learn.
    counter: "o200k",
    models: { [price.model]: { startFactor: 1 } },
    budgetTokens,
    clock: { now: () => time.nowMs },
    ...(summarizer.mode === "priced" ? { summarizer: bill(options, paid) } : {}),
    ...(policy === undefined ? {} : { policy }),
  });
  return new PalimpsestRun({ ...options, palimpsest, session: await palimpsest.session(), paid, time });
}

interface RunState extends PalimpsestRunOptions {
  readonly palimpsest: Palimpsest;
  readonly session: Session;
  readonly paid: PaidSummary[];
  readonly time: { nowMs: number };
}

class PalimpsestRun implements PolicyRun {
  readonly #running: RunState;
  #appended = 0;
  #last: Prompt | undefined;

  constructor(running: RunState) {
    this.#running = running;
  }

  async send({ history, timeMs, reported }: PolicyRequest): Promise<PolicyPrompt> {
    const { session, time, paid, provider } = this.#running;
    const news = history.slice(this.#appended);
    const answers = this.#last === undefined ? 0 : countAnswers(news);
    // The reply arrived right after its request; later messages arrived up to now.
    if (answers > 0) await this.#appendReply(news.slice(0, answers), reported);
    time.nowMs = timeMs;
    if (news.length > answers) await session.append(news.slice(answers), { format: "palimpsest" });
    this.#appended = history.length;
    const prompt = await session.prompt();
    this.#last = prompt;
    const { compaction, recalled, tokens, limitTokens } = prompt.report;
    return {
      blocks: this.#blocksOf(prompt),
      isCut: compaction !== undefined,
      summaries: paid.splice(0),
      recalledText: recalled?.text,
      isOverBudget: tokens > limitTokens,
      countComplaints: () => validate(prompt.as(provider), provider).length,
    };
  }

  close(): Promise<void> {
    return this.#running.palimpsest.close();
  }

  async #appendReply(reply: readonly Message[], reported: PolicyRequest["reported"]): Promise<void> {
    const { session, book } = this.#running;
    await session.append(reply, {
      format: "palimpsest",
      promptId: this.#last?.id,
      usage: usageOf(reported, book.tokensOf(reply)),
    });
    await session.settle();
  }

  #blocksOf(prompt: Prompt) {
    const { book } = this.#running;
    return prompt.messages.flatMap((item, index) => {
      const place = { path: `messages[${index}]`, fallbackId: `p${index}` };
      return FORMATS["ai-sdk-model"].decode(item, place).flatMap((message) => book.blocksOf(message));
    });
  }
}

function countAnswers(news: readonly Message[]): number {
  const next = news.findIndex(({ role }) => role !== "assistant");
  return next < 0 ? news.length : next;
}

function usageOf(reported: PolicyRequest["reported"], outputTokens: number) {
  if (reported === undefined) return undefined;
  const { plainTokens, readTokens, writeTokens } = reported;
  return {
    inputTokens: plainTokens + readTokens + writeTokens,
    cacheReadTokens: readTokens,
    cacheWriteTokens: writeTokens,
    outputTokens,
  };
}

/** Wraps the shared summarizer as a `Summarizer`, and records the cost of each summary in `paid`. */
function bill({ summarizer, price, reusesPrompt }: PalimpsestRunOptions, paid: PaidSummary[]): Summarizer {
  const priceOf = ({ stretch, previous, ownPrompt }: Pick<SummaryRequest, "stretch" | "previous" | "ownPrompt">) =>
    summarizer.price(stretch, {
      previous,
      warmTokens: reusesPrompt && ownPrompt?.isWarm === true ? ownPrompt.tokens : undefined,
    });
  return {
    name: "shared",
    estimateCost: (request) => costOfSummary(priceOf(request), price),
    async summarize(request): Promise<SummaryOutcome> {
      const { stretch, previous, capTokens, ownPrompt } = request;
      const bills = priceOf(request);
      paid.push(...bills);
      const record = summarizer.summarize(stretch, { previous, capTokens });
      return {
        type: "summary",
        text: record.text,
        endedBy: "stop",
        origin: {
          strategy: "shared",
          model: price.model,
          calls: 1,
          usage: { inputTokens: bills[0]?.inputTokens, outputTokens: bills[0]?.outputTokens },
          costUsd: costOfSummary(bills, price),
          request: ownPrompt !== undefined && (bills[0]?.cachedTokens ?? 0) > 0 ? "own-prompt" : "transcript",
          chunks: 1,
          cuts: [],
          noiseIds: [],
          trimmedIds: [],
        },
      };
    },
  };
}
