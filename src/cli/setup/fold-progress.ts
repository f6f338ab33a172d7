/** Shows how much of a long session is folded, while a command waits for its first fold. */
import type { Client } from "../../client/index.ts";
import { isObject } from "../../core/check-value.ts";

export interface FoldProgress {
  readonly sessionId: string;
  readonly note: (line: string) => void;
}

/** Returns a function that ends the notes. A server that cannot send events is used without them. */
export function showFoldProgress(client: Client, { sessionId, note }: FoldProgress): () => Promise<void> {
  const ending = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const { name, data } of client.events({ query: { sessionId }, signal: ending.signal })) {
      if (name === "catch-up" && isObject(data)) note(describeProgress(sessionId, data));
    }
  };
  const following = follow().catch(() => undefined);
  return async () => {
    ending.abort();
    await following;
  };
}

function describeProgress(sessionId: string, { foldedThroughSeq, lastSeq }: Readonly<Record<string, unknown>>): string {
  const percent = Math.floor((100 * Number(foldedThroughSeq)) / Number(lastSeq));
  return `${sessionId}: summarizing earlier messages, ${percent} % (${foldedThroughSeq} of ${lastSeq} entries).`;
}
