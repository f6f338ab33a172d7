/** Shows how much of a long session is folded, while a command waits for its first fold. */
import { setTimeout } from "node:timers/promises";
import type { Client } from "../../client/index.ts";
import { isObject } from "../../core/check-value.ts";

export interface FoldProgress {
  readonly sessionId: string;
  readonly note: (line: string) => void;
}

/** A server that sends no events within this time is used without them. */
const MAX_OPENING_MS = 1_000;

/** Resolves when the server sends events, with a function that ends the notes. */
export async function showFoldProgress(
  client: Client,
  { sessionId, note }: FoldProgress,
): Promise<() => Promise<void>> {
  const ending = new AbortController();
  const { promise: opened, resolve: onOpen } = Promise.withResolvers<void>();
  const follow = async (): Promise<void> => {
    for await (const { name, data } of client.events({ query: { sessionId }, signal: ending.signal, onOpen })) {
      if (name === "catch-up" && isObject(data)) note(describeProgress(sessionId, data));
    }
  };
  const following = follow().catch(() => undefined);
  await Promise.race([opened, following, setTimeout(MAX_OPENING_MS, undefined, { ref: false })]);
  return async () => {
    ending.abort();
    await following;
  };
}

function describeProgress(sessionId: string, { foldedThroughSeq, lastSeq }: Readonly<Record<string, unknown>>): string {
  const percent = Math.floor((100 * Number(foldedThroughSeq)) / Number(lastSeq));
  return `${sessionId}: summarizing earlier messages, ${percent} % (${foldedThroughSeq} of ${lastSeq} entries).`;
}
