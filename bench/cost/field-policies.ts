/**
 * Simple forms of common policies: send everything; slide a window every turn; mask old tool results in batches;
 * summarize when the window is full. Rounds stay whole, and the newest is always sent.
 */
import { groupRounds } from "../../src/core/message/group-messages.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { SummaryRecord } from "../../src/core/summary/record/record.ts";
import type { PolicyPrompt, PolicyRequest, PolicyRun } from "../../src/replay/policy-run.ts";
import type { BlockBook } from "../../src/replay/prompt-blocks.ts";
import type { PaidSummary, SharedSummarizer } from "../../src/replay/shared-summarizer.ts";

export interface FieldOptions {
  readonly windowTokens: number;
  readonly book: BlockBook;
  readonly summarizer: SharedSummarizer;
  /** Lifetime of a cached prompt. */
  readonly ttlMs: number;
  /** True if a summary is requested after the conversation's own prompt when that is cheaper. */
  readonly reusesPrompt: boolean;
}

export const FIELD_POLICIES: Readonly<Record<string, (options: FieldOptions) => PolicyRun>> = {
  "full history": (options) => new FieldRun(options, () => undefined),
  "sliding window": (options) => new FieldRun(options, slide),
  "batch mask": (options) => new FieldRun(options, mask),
  "summarise at window": (options) => new FieldRun(options, summarise),
};

/** Results of this many of the newest rounds stay whole. */
const UNMASKED_ROUNDS = 10;
const DROP_SHARE = 0.5;
const TAIL_SHARE = 0.25;
const MASK = "[Old tool result content cleared]";

/** State of the history: a summary at the start, the first message that is sent, and where masks end. */
interface ShownHistory {
  readonly summary?: SummaryRecord | undefined;
  readonly start: number;
  readonly maskedTo: number;
}

interface Change extends ShownHistory {
  readonly paid?: readonly PaidSummary[] | undefined;
}

/** The state that a policy gets when the window is full. */
interface Overflow {
  readonly run: FieldRun;
  readonly shown: ShownHistory;
  readonly history: readonly Message[];
  /** The first message of each round; the history may be cut only before one of these. */
  readonly borders: readonly number[];
  readonly isWarm: boolean;
}

class FieldRun implements PolicyRun {
  readonly options: FieldOptions;
  readonly #onOverflow: (overflow: Overflow) => Change | undefined;
  readonly #masked = new WeakMap<Message, Message>();
  #shown: ShownHistory = { start: 0, maskedTo: 0 };
  #lastMs: number | undefined;
  #summaryMessage: Message | undefined;

  constructor(options: FieldOptions, onOverflow: (overflow: Overflow) => Change | undefined) {
    this.options = options;
    this.#onOverflow = onOverflow;
  }

  async send({ history, timeMs }: PolicyRequest): Promise<PolicyPrompt> {
    const { windowTokens, book, ttlMs } = this.options;
    const isWarm = this.#lastMs !== undefined && timeMs - this.#lastMs <= ttlMs;
    this.#lastMs = timeMs;
    const change =
      this.tokensOf(this.#shown, history) > windowTokens
        ? this.#onOverflow({ run: this, shown: this.#shown, history, borders: findBorders(history), isWarm })
        : undefined;
    if (change !== undefined) this.#apply(change);
    const blocks = this.#messagesOf(this.#shown, history).flatMap((message) => book.blocksOf(message));
    return { blocks, isCut: change !== undefined, summaries: change?.paid ?? [] };
  }

  tokensOf(shown: ShownHistory, history: readonly Message[]): number {
    return this.options.book.tokensOf(this.#messagesOf(shown, history));
  }

  #apply({ summary, start, maskedTo }: Change): void {
    this.#shown = { summary, start, maskedTo };
    if (summary === undefined) return;
    this.#summaryMessage = {
      id: `summary of ${summary.coverage.count}`,
      role: "user",
      parts: [{ type: "text", text: summary.text }],
    };
  }

  #messagesOf({ summary, start, maskedTo }: ShownHistory, history: readonly Message[]): readonly Message[] {
    const sent = history
      .slice(start)
      .map((message, index) => (start + index < maskedTo ? this.#maskOf(message) : message));
    return summary === undefined || this.#summaryMessage === undefined ? sent : [this.#summaryMessage, ...sent];
  }

  #maskOf(message: Message): Message {
    const known = this.#masked.get(message);
    if (known !== undefined) return known;
    const parts = message.parts.map((part) =>
      part.type === "tool-result" ? { ...part, output: { type: "text", text: MASK } as const } : part,
    );
    const masked = { ...message, parts };
    this.#masked.set(message, masked);
    return masked;
  }
}

function slide({ run, shown, history, borders }: Overflow): Change {
  return dropTo(run.options.windowTokens, { run, shown, history, borders });
}

function mask({ run, shown, history, borders }: Overflow): Change {
  const { windowTokens } = run.options;
  const maskedTo = borders.at(-UNMASKED_ROUNDS) ?? 0;
  const masked = { ...shown, maskedTo };
  if (run.tokensOf(masked, history) <= windowTokens) return masked;
  return dropTo(windowTokens * DROP_SHARE, { run, shown: masked, history, borders });
}

function summarise({ run, shown, history, borders, isWarm }: Overflow): Change | undefined {
  const { windowTokens, summarizer, reusesPrompt } = run.options;
  const { start } = dropTo(windowTokens * TAIL_SHARE, {
    run,
    shown: { ...shown, summary: undefined },
    history,
    borders,
  });
  const stretch = history.slice(shown.start, start);
  if (stretch.length === 0) return undefined;
  const previous = shown.summary;
  const warmTokens = isWarm && reusesPrompt ? run.tokensOf(shown, history) : undefined;
  const paid = summarizer.price(stretch, { previous, warmTokens });
  return { summary: summarizer.summarize(stretch, { previous }), start, maskedTo: 0, paid };
}

/** Drops the oldest rounds until the rest is small enough; the newest stays at any size. */
function dropTo(limitTokens: number, { run, shown, history, borders }: Omit<Overflow, "isWarm">): ShownHistory {
  let { start } = shown;
  let tokens = run.tokensOf(shown, history);
  for (const border of borders.filter((place) => place > shown.start)) {
    if (tokens <= limitTokens) break;
    tokens -= run.tokensOf({ ...shown, summary: undefined, start }, history.slice(0, border));
    start = border;
  }
  return { ...shown, start };
}

function findBorders(history: readonly Message[]): readonly number[] {
  const borders: number[] = [];
  let place = 0;
  for (const { items } of groupRounds(history)) {
    borders.push(place);
    place += items.length;
  }
  return borders;
}
