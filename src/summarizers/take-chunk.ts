/**
 * Takes as much from the front of a stretch as one request holds. Pieces end between rounds; a round that is larger
 * than a piece is taken message by message, and of a message that is larger than a piece the middle is left out, with a
 * marker. Where pieces are not wanted, the oldest messages are left out until the newest fit.
 */
import type { Message } from "../core/message/message.ts";
import type { StrategyInput } from "../core/summary/strategies/strategy.ts";
import { type Unit, unitOf } from "./measure-stretch.ts";
import type { BuiltRequest } from "./summary-task.ts";

export interface Chunk {
  readonly built: BuiltRequest;
  readonly rest: readonly Unit[];
}

export type Limits = Pick<StrategyInput, "transcriptTokens" | "messageCharacters">;

export interface ChunkRoom {
  /** What the messages may take. */
  readonly stretchTokens: number;
  /** What the whole request may take. */
  readonly limitTokens: number;
  build(messages: readonly Message[], limits: Limits): Promise<BuiltRequest>;
}

/** Undefined where not even a little of one message fits. */
export async function takeChunk(units: readonly Unit[], room: ChunkRoom): Promise<Chunk | undefined> {
  let count = plannedCount(units, room.stretchTokens);
  for (;;) {
    const built = await room.build(units.slice(0, count).flatMap(messagesOf), { transcriptTokens: "all" });
    if (built.tokens <= room.limitTokens) return { built, rest: units.slice(count) };
    if (count <= 1) return takeLess(units, room);
    count = Math.max(1, Math.min(count - 1, Math.floor((count * room.limitTokens) / built.tokens)));
  }
}

function plannedCount(units: readonly Unit[], stretchTokens: number): number {
  let left = stretchTokens;
  const over = units.findIndex(({ tokens }) => {
    left -= tokens;
    return left < 0;
  });
  return over < 0 ? units.length : Math.max(1, over);
}

/** The first unit alone is too large. */
async function takeLess([first, ...rest]: readonly Unit[], room: ChunkRoom): Promise<Chunk | undefined> {
  if (first === undefined) return undefined;
  if (first.items.length > 1) return takeChunk([...first.items.map((item) => unitOf([item])), ...rest], room);
  const built = await cutToFit(messagesOf(first), room);
  return built === undefined ? undefined : { built, rest };
}

const CHARACTERS_A_TOKEN = 4;
/** Less than a line of a message is not worth a call. */
const FEWEST_CHARACTERS = 40;
/** Counts do not fall as evenly as lengths do; a little less is tried, so that few tries are needed. */
const STEP = 0.95;

async function cutToFit(messages: readonly Message[], room: ChunkRoom): Promise<BuiltRequest | undefined> {
  let messageCharacters = room.stretchTokens * CHARACTERS_A_TOKEN;
  while (messageCharacters >= FEWEST_CHARACTERS) {
    const built = await room.build(messages, { transcriptTokens: "all", messageCharacters });
    const over = built.tokens - room.limitTokens;
    if (over <= 0) return built;
    messageCharacters = Math.floor((messageCharacters * STEP * room.stretchTokens) / (room.stretchTokens + over));
  }
  return undefined;
}

/** All of it in one request, without the oldest messages where that is too much. */
export async function takeNewest(units: readonly Unit[], room: ChunkRoom): Promise<Chunk | undefined> {
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

function messagesOf({ items }: Unit): readonly Message[] {
  return items.map(({ message }) => message);
}
