/**
 * What servers on one store say to each other about turns. A key names tenant and chat, so that nobody is told of
 * another tenant's. Whoever else can speak on the same channel may say anything, so it is read with care.
 */
import type { UIMessageChunk } from "ai";
import { z } from "zod";
import type { StreamPlace } from "./chat-stream.ts";

const placeSchema = z.object({ index: z.int().min(0), offset: z.int().min(0) });
const id = z.string().max(100);
const key = z.string();

/** Whom it is for: who follows a turn has a name, and counts how often they had to ask. */
const feed = { follower: id, attempt: z.int().min(0) };

const turnMessageSchema = z.discriminatedUnion("type", [
  /** Whoever runs this turn: send it from this place on. Without `turn`: the one that runs now. */
  z.object({ type: z.literal("follow"), ...feed, key, turn: id.optional(), place: placeSchema }),
  /** Nothing more is wanted. */
  z.object({ type: z.literal("leave"), ...feed }),
  /** What is between two places; nothing but a sign of life where they are the same. */
  z.object({
    type: z.literal("chunks"),
    ...feed,
    turn: id,
    from: placeSchema,
    to: placeSchema,
    chunks: z.array(z.looseObject({ type: z.string() })),
  }),
  /** There is no more than that; `isGone` where another turn runs by now, and nobody knows how this one ended. */
  z.object({ type: z.literal("end"), ...feed, at: placeSchema, isGone: z.boolean() }),
  /** Whoever runs this turn: stop it, and say so when what came is stored. */
  z.object({ type: z.literal("cancel"), key, request: id }),
  z.object({ type: z.literal("cancelled"), request: id }),
]);

export type TurnMessage = z.infer<typeof turnMessageSchema>;
export type TurnMessageOf<Type extends TurnMessage["type"]> = Extract<TurnMessage, { readonly type: Type }>;

/** Undefined for what another version says, or somebody else. */
export function readTurnMessage(text: string): TurnMessage | undefined {
  try {
    return turnMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** They were written by a server like this one, as chunks. */
export function chunksOf({ chunks }: TurnMessageOf<"chunks">): readonly UIMessageChunk[] {
  return chunks as unknown as readonly UIMessageChunk[];
}

export function isSamePlace(one: StreamPlace, other: StreamPlace): boolean {
  return one.index === other.index && one.offset === other.offset;
}
