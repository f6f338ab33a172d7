/** The conversations of a server that runs somewhere. What it refuses is told with the codes that commands know. */
import { ClientError, createClient } from "../client/index.ts";
import { ERROR_CODES, type ErrorCode, PalimpsestError } from "../core/errors.ts";
import { splitLines } from "../engine/split-lines.ts";
import type { SearchHit, SessionSummary } from "../ports/store.ts";
import { adviseOnToken } from "./advise-on-token.ts";
import type { Conversations } from "./conversations.ts";

/** Sessions that a server gives at once. */
const PAGE = 1_000;
const AWAY: readonly string[] = ["unreachable", "connection-lost", "stopping", "too-many-requests"];

export function openRemote({
  url,
  token,
}: {
  readonly url: string;
  readonly token: string | undefined;
}): Conversations {
  const client = createClient({ url, token });
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

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}

async function* translatedEach(lines: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const { code, message, retryable, status = 0 } = error;
  const context = { cause: error, ...(retryable ? {} : { retryable: false as const }) };
  if (Object.hasOwn(ERROR_CODES, code)) return new PalimpsestError(code as ErrorCode, message, context);
  if (AWAY.includes(code) || status >= 500)
    return new PalimpsestError("store-unavailable", `--server: ${message}`, context);
  const advice = adviseOnToken(code) ?? "";
  return new PalimpsestError("config-invalid", `--server: ${`${message} ${advice}`.trim()} (${code})`, context);
}
