/**
 * How much of a request each message of a stretch would take, round by round, so that pieces can be planned before any
 * is built.
 */
import { groupRounds } from "../core/message/group-messages.ts";
import type { Message } from "../core/message/message.ts";
import { STRATEGIES } from "../core/summary/strategies/strategies.ts";
import type { RequestInput } from "../core/summary/strategies/strategy.ts";
import { countTextInSteps } from "../core/tokens/count-text.ts";
import type { Counter } from "../core/tokens/counter.ts";
import { breathe } from "./breathe.ts";
import type { SummaryTask, TranscriptStrategy } from "./summary-task.ts";

/** What stays together: a round, or one message of a round that is too large. */
export interface Unit {
  readonly items: readonly MeasuredMessage[];
  readonly tokens: number;
}

export interface MeasuredMessage {
  readonly message: Message;
  /** 0 where the strategy leaves it out as noise. */
  readonly tokens: number;
}

export interface Measure {
  readonly strategy: TranscriptStrategy;
  /** The widest prompt that any of the models takes. */
  readonly promptTokens: number;
}

/** Undefined where the caller gave up meanwhile. */
export async function measureStretch(task: SummaryTask, measure: Measure): Promise<readonly Unit[] | undefined> {
  const size = sizeBy(task, measure);
  const emptyTokens = await size([]);
  const units: Unit[] = [];
  for (const { items: messages } of groupRounds(task.request.stretch)) {
    const items: MeasuredMessage[] = [];
    for (const message of messages) {
      items.push({ message, tokens: Math.max(0, (await size([message])) - emptyTokens) });
      if (task.signal.aborted) return undefined;
    }
    units.push(unitOf(items));
  }
  return units;
}

export function unitOf(items: readonly MeasuredMessage[]): Unit {
  return { items, tokens: sumTokens(items) };
}

export function sumTokens(sized: readonly { readonly tokens: number }[]): number {
  return sized.reduce((sum, { tokens }) => sum + tokens, 0);
}

function sizeBy({ request, meta }: SummaryTask, { strategy, promptTokens }: Measure) {
  const { nonce, counter, capTokens: budgetTokens } = request;
  const input = { nonce, counter, meta, promptTokens, budgetTokens, transcriptTokens: "all" } as const;
  return (stretch: readonly Message[]): Promise<number> =>
    breathe(countInput(STRATEGIES[strategy]({ ...input, stretch }).input, counter));
}

function* countInput(input: RequestInput, counter: Counter): Generator<undefined, number> {
  if (input.type !== "messages") return yield* countTextInSteps(input.text, counter);
  let tokens = input.messages.length * counter.messageOverheadTokens;
  for (const { text } of input.messages) tokens += yield* countTextInSteps(text, counter);
  return tokens;
}
