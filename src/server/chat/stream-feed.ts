/**
 * A turn's stream as it is sent to one other server: read like any client reads it, from the place that was asked for,
 * and said in pieces. Where all of it is said there is a pause, in which a fast model says much that costs one piece.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ChatStream, StreamPlace } from "./chat-stream.ts";
import type { TurnMessage } from "./turn-message.ts";

export interface FeedOptions {
  readonly follower: string;
  readonly attempt: number;
  readonly turn: string;
  readonly place: StreamPlace;
  readonly stream: ChatStream;
  readonly say: (message: TurnMessage) => Promise<void>;
  /** Aborted when nobody wants it any more. */
  readonly signal: AbortSignal;
}

const JOIN_MS = 50;
/** Silence after which those who follow are told that the turn is alive. */
export const FEED_BEAT_MS = 1_000;

/** Resolves when the stream has ended, or nobody wants it. Never rejects, as `say` never does. */
export async function feedStream({ follower, attempt, turn, ...options }: FeedOptions): Promise<void> {
  const { place, stream, say, signal } = options;
  const reached = { ...place };
  let from = { ...reached };
  for await (const chunks of stream.read(signal, { place: reached, quietMs: FEED_BEAT_MS })) {
    const to = { ...reached };
    await say({ type: "chunks", follower, attempt, turn, from, to, chunks: [...chunks] });
    from = to;
    if (stream.isRead(reached)) await pause(JOIN_MS, undefined, { ref: false });
  }
  if (!signal.aborted) await say({ type: "end", follower, attempt, at: from, isGone: false });
}
