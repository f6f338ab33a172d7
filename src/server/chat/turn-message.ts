/** Messages about turns between servers on one store, validated because other programs may write to the channel. */
import type { UIMessageChunk } from "ai";
import { z } from "zod";
import type { StreamPosition } from "./chat-stream.ts";

const positionSchema = z.object({ index: z.int().min(0), offset: z.int().min(0) });
const id = z.string().max(100);
const key = z.string();

/** The mirror that a message is for, and the number of its request. */
const feed = { follower: id, attempt: z.int().min(0) };

const turnMessageSchema = z.discriminatedUnion("type", [
  /** Requests the stream after a position; without `turn`, that of the running turn. */
  z.object({ type: z.literal("follow"), ...feed, key, turn: id.optional(), place: positionSchema }),
  z.object({ type: z.literal("leave"), ...feed }),
  /** Chunks between two positions; a sign of life if they are the same. */
  z.object({
    type: z.literal("chunks"),
    ...feed,
    turn: id,
    from: positionSchema,
    to: positionSchema,
    chunks: z.array(z.looseObject({ type: z.string() })),
  }),
  /** The end of the stream; `isGone` if another turn is running by now. */
  z.object({ type: z.literal("end"), ...feed, at: positionSchema, isGone: z.boolean() }),
  /** Stops a turn; answered by `cancelled` when its output is stored. */
  z.object({ type: z.literal("cancel"), key, request: id }),
  z.object({ type: z.literal("cancelled"), request: id }),
]);

export type TurnMessage = z.infer<typeof turnMessageSchema>;
export type TurnMessageOf<Type extends TurnMessage["type"]> = Extract<TurnMessage, { readonly type: Type }>;

/** Returns undefined for messages of other versions and programs. */
export function readTurnMessage(text: string): TurnMessage | undefined {
  try {
    return turnMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Returns the chunks, which another server has written as such. */
export function takeChunks({ chunks }: TurnMessageOf<"chunks">): readonly UIMessageChunk[] {
  return chunks as unknown as readonly UIMessageChunk[];
}

export function isSamePosition(one: StreamPosition, other: StreamPosition): boolean {
  return one.index === other.index && one.offset === other.offset;
}
