/**
 * Palimpsest as a host uses it: a session of the default policy with the log's own times, which gets each reply with
 * the reported usage. Only this file of the bench uses the engine.
 */
import { type OpenOptions, openPalimpsest } from "../../src/compose.ts";
import { FORMATS } from "../../src/core/message/formats/formats.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { Summarizer, SummaryOutcome, SummaryRequest } from "../../src/ports/summarizer.ts";
import type { BlockBook } from "./blocks.ts";
import type { PolicyPrompt, PolicyRequest, PolicyRun } from "./policy.ts";
import { costOfSummary, type PriceTag } from "./prices.ts";
import type { PaidSummary, SharedSummarizer } from "./shared-summarizer.ts";

export interface OurOptions {
  readonly windowTokens: number;
  readonly book: BlockBook;
  readonly summarizer: SharedSummarizer;
  readonly price: PriceTag;
  /** True if a summary is requested after the conversation's own prompt when that is cheaper. */
  readonly reusesPrompt: boolean;
  /** Settings that replace those of the default policy. */
  readonly policy?: OpenOptions["policy"];
}

export async function openOurs(options: OurOptions): Promise<PolicyRun> {
  const { windowTokens, price, summarizer, policy } = options;
  const paid: PaidSummary[] = [];
  const time = { nowMs: 0 };
  const palimpsest = await openPalimpsest({
    model: price.model,
    // All policies use the same counter, so there is no factor to learn.
    counter: "o200k",
    models: { [price.model]: { startFactor: 1 } },
    budgetTokens: windowTokens,
    clock: { now: () => time.nowMs },
    ...(summarizer.mode === "priced" ? { summarizer: bill(options, paid) } : {}),
    ...(policy === undefined ? {} : { policy }),
  });
  return new OurRun({ ...options, palimpsest, session: await palimpsest.session(), paid, time });
}

interface RunState extends OurOptions {
  readonly palimpsest: Palimpsest;
  readonly session: Session;
  readonly paid: PaidSummary[];
  readonly time: { nowMs: number };
}

class OurRun implements PolicyRun {
  readonly #running: RunState;
  #appended = 0;
  #last: Prompt | undefined;

  constructor(running: RunState) {
    this.#running = running;
  }

  async send({ history, timeMs, reported }: PolicyRequest): Promise<PolicyPrompt> {
    const { session, time, paid } = this.#running;
    const news = history.slice(this.#appended);
    const answers = this.#last === undefined ? 0 : countAnswers(news);
    // The reply arrived right after its request; later messages arrived up to now.
    if (answers > 0) await this.#appendReply(news.slice(0, answers), reported);
    time.nowMs = timeMs;
    if (news.length > answers) await session.append(news.slice(answers), { format: "palimpsest" });
    this.#appended = history.length;
    const prompt = await session.prompt();
    this.#last = prompt;
    return { blocks: this.#blocksOf(prompt), isCut: prompt.report.compaction !== undefined, summaries: paid.splice(0) };
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
function bill({ summarizer, price, reusesPrompt }: OurOptions, paid: PaidSummary[]): Summarizer {
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
