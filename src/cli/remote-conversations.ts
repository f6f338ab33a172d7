/** The conversations of a server that runs somewhere. What it refuses is told with the codes that commands know. */
import { createClient } from "../client/index.ts";
import { splitLines } from "../engine/transfer/split-lines.ts";
import type { SearchHit, SessionSummary } from "../ports/store.ts";
import type { Conversations, ServerAddress } from "./conversations.ts";
import { translated, translateRefusal } from "./translate-refusal.ts";

/** Sessions that a server gives at once. */
const PAGE = 1_000;

export function openRemote(address: ServerAddress): Conversations {
  const client = createClient(address);
  return {
    sessions: ({ limit = PAGE } = {}) =>
      translated(async () => {
        const found: SessionSummary[] = [];
        let before: string | undefined;
        while (found.length < limit) {
          const query = { limit: Math.min(PAGE, limit - found.length), ...(before === undefined ? {} : { before }) };
          const { sessions, next } = await client.listSessions({ query });
          // The server holds what it answers to the types of the engine.
          found.push(...(sessions as unknown as readonly SessionSummary[]));
          if (next === undefined) break;
          before = next;
        }
        return found;
      }),
    search: (text, { limit, role, order, sessionId } = {}) =>
      translated(async () => {
        const given = Object.entries({ limit, role, order, sessionId }).filter(([, value]) => value !== undefined);
        const { hits } = await client.search({ query: { query: text, ...Object.fromEntries(given) } });
        return hits as unknown as readonly SearchHit[];
      }),
    exportSession: (id, { secrets } = {}) =>
      translatedEach(client.exportSession({ params: { id }, query: secrets === undefined ? {} : { secrets } })),
    importSession: (source, { id } = {}) =>
      translated(async () => {
        const lines = splitLines(typeof source === "function" ? source() : source);
        return client.importSession({ query: id === undefined ? {} : { id }, lines });
      }),
  };
}

async function* translatedEach(lines: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    throw translateRefusal(error);
  }
}
