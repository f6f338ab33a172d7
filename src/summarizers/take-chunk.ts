/**
 * Takes as much from the front of a stretch as fits into one request. Chunks end between rounds; a round that is larger
 * than a chunk is split between messages, and a message that is larger loses its middle, with a marker. Without chunks,
 * the oldest messages are left out until the rest fits. Messages are measured first, so that chunks can be planned.
 */

import { groupRounds } from "../core/message/group-messages.ts";
import type { Message } from "../core/message/message.ts";
import { sumTokens } from "../core/plan/tentative-view.ts";
import { STRATEGIES } from "../core/summary/strategies/strategies.ts";
import type { RequestInput, StrategyInput } from "../core/summary/strategies/strategy.ts";
import { countTextInSteps } from "../core/tokens/count-text.ts";
import type { Counter } from "../core/tokens/counter.ts";
import { runInSteps } from "../ports/run-in-steps.ts";
import type { BuiltRequest, SummarizerTask, TranscriptStrategy } from "./summary-task.ts";

/** A request for the first units of a stretch, and the units that are left. */
export interface Chunk {
  readonly built: BuiltRequest;
  readonly rest: readonly ChunkUnit[];
}

export type TranscriptLimits = Pick<StrategyInput, "transcriptTokens" | "messageCharacters">;

export interface ChunkRoom {
  readonly stretchTokens: number;
  readonly limitTokens: number;
  build(messages: readonly Message[], limits: TranscriptLimits): Promise<BuiltRequest>;
}

/** Returns undefined if not even a part of one message fits. */
export async function takeChunk(units: readonly ChunkUnit[], room: ChunkRoom): Promise<Chunk | undefined> {
  let count = plannedCount(units, room.stretchTokens);
  for (;;) {
    const built = await room.build(units.slice(0, count).flatMap(messagesOf), { transcriptTokens: "all" });
    if (built.tokens <= room.limitTokens) return { built, rest: units.slice(count) };
    if (count <= 1) return takeLess(units, room);
    count = Math.max(1, Math.min(count - 1, Math.floor((count * room.limitTokens) / built.tokens)));
  }
}

function plannedCount(units: readonly ChunkUnit[], stretchTokens: number): number {
  let left = stretchTokens;
  const over = units.findIndex(({ tokens }) => {
    left -= tokens;
    return left < 0;
  });
  return over < 0 ? units.length : Math.max(1, over);
}

async function takeLess([first, ...rest]: readonly ChunkUnit[], room: ChunkRoom): Promise<Chunk | undefined> {
  if (first === undefined) return undefined;
  if (first.items.length > 1) return takeChunk([...first.items.map((item) => unitOf([item])), ...rest], room);
  const built = await cutToFit(messagesOf(first), room);
  return built === undefined ? undefined : { built, rest };
}

const CHARACTERS_A_TOKEN = 4;
/** Less than a line is not worth a call. */
const MIN_CHARACTERS = 40;
/** Token counts do not shrink as evenly as lengths, so each try takes a little less. */
const STEP = 0.95;

async function cutToFit(messages: readonly Message[], room: ChunkRoom): Promise<BuiltRequest | undefined> {
  let messageCharacters = room.stretchTokens * CHARACTERS_A_TOKEN;
  while (messageCharacters >= MIN_CHARACTERS) {
    const built = await room.build(messages, { transcriptTokens: "all", messageCharacters });
    const over = built.tokens - room.limitTokens;
    if (over <= 0) return built;
    messageCharacters = Math.floor((messageCharacters * STEP * room.stretchTokens) / (room.stretchTokens + over));
  }
  return undefined;
}

/** Takes everything in one request, without the oldest messages if they do not fit. */
export async function takeNewest(units: readonly ChunkUnit[], room: ChunkRoom): Promise<Chunk | undefined> {
  const messages = units.flatMap(messagesOf);
  let transcriptTokens = room.stretchTokens;
  while (transcriptTokens >= 0) {
    const built = await room.build(messages, { transcriptTokens });
    const over = built.tokens - room.limitTokens;
    if (over <= 0) return { built, rest: [] };
    transcriptTokens -= over;
  }
  return undefined;
}

function messagesOf({ items }: ChunkUnit): readonly Message[] {
  return items.map(({ message }) => message);
}

/** Messages that stay together: a round, or one message of a round that is too large. */
export interface ChunkUnit {
  readonly items: readonly MeasuredMessage[];
  readonly tokens: number;
}

export interface MeasuredMessage {
  readonly message: Message;
  /** 0 if the strategy leaves it out as noise. */
  readonly tokens: number;
}

export interface StretchMeasure {
  readonly strategy: TranscriptStrategy;
  /** The largest prompt that any of the models accepts. */
  readonly promptTokens: number;
}

/** Returns undefined if the caller aborted. */
export async function measureStretch(
  task: SummarizerTask,
  measure: StretchMeasure,
): Promise<readonly ChunkUnit[] | undefined> {
  const size = sizeBy(task, measure);
  const emptyTokens = await size([]);
  const units: ChunkUnit[] = [];
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

export function unitOf(items: readonly MeasuredMessage[]): ChunkUnit {
  return { items, tokens: sumTokens(items) };
}

function sizeBy({ request, meta }: SummarizerTask, { strategy, promptTokens }: StretchMeasure) {
  const { nonce, counter, capTokens: budgetTokens } = request;
  const input = { nonce, counter, meta, promptTokens, budgetTokens, transcriptTokens: "all" } as const;
  return (stretch: readonly Message[]): Promise<number> =>
    runInSteps(countInput(STRATEGIES[strategy]({ ...input, stretch }).input, counter));
}

function* countInput(input: RequestInput, counter: Counter): Generator<undefined, number> {
  if (input.type !== "messages") return yield* countTextInSteps(input.text, counter);
  let tokens = input.messages.length * counter.messageOverheadTokens;
  for (const { text } of input.messages) tokens += yield* countTextInSteps(text, counter);
  return tokens;
}
