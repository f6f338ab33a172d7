/**
 * A session of a server that runs somewhere. The server holds what it answers to the types of the engine, so that what is
 * read here is taken as them.
 */
import { type Client, createClient } from "../client/index.ts";
import type { Entry } from "../core/log/entry.ts";
import type { EntryRange } from "../ports/store.ts";
import type { ServerAddress } from "./conversations.ts";
import type { OneSession, SeenView } from "./one-session.ts";
import { translated } from "./translate-refusal.ts";

/** Entries that a server gives at once. */
const PAGE = 1_000;

export function openRemoteSession(address: ServerAddress, id: string): OneSession {
  const client = createClient(address);
  const params = { id };
  return {
    id,
    message: (messageId) => ask(async () => (await client.readMessage({ params: { id, messageId } })).message),
    entries: (range = {}) => translated(() => readAll(client, id, range)),
    explain: (messageId) => ask(() => client.explainMessage({ params: { id, messageId } })),
    plan: () => ask(() => client.readPlan({ params })),
    figures: () =>
      ask(async () => {
        const { windowTokens, reserveTokens, compaction, ...budget } = await client.readBudget({ params, query: {} });
        const { targetTokens, ...status } = compaction;
        const { triggerTokens } = status;
        return { budget, compaction: status, window: { windowTokens, reserveTokens, triggerTokens, targetTokens } };
      }),
    getSummaryHistory: () => ask(async () => (await client.listSummaries({ params })).summaries),
    undo: (entryId) => ask(() => client.undo({ params, body: entryId === undefined ? {} : { entryId } })),
    view: () => ask(() => readView(client, id)),
    compact: (instructions) => ask(() => client.compact({ params, body: asBody(instructions) })),
    preview: (instructions) => ask(() => preview(client, id, instructions)),
  };
}

/** In the engine's own types: the compiler knows the answer only as the protocol writes it. */
async function ask<Result>(work: () => Promise<unknown>): Promise<Result> {
  return (await translated(work)) as Result;
}

function asBody(instructions: string | undefined) {
  return instructions === undefined ? {} : { instructions };
}

/** A proposal that waits at the server is none of a command's: it says what would be, and ends. */
async function preview(client: Client, id: string, instructions: string | undefined): Promise<unknown> {
  const outcome = await client.previewCompaction({ params: { id }, body: asBody(instructions) });
  if (outcome.type !== "preview") return outcome;
  const { previewId: _, ...shown } = outcome;
  return shown;
}

async function readView(client: Client, id: string): Promise<SeenView> {
  const { prompt, report } = await client.readView({ params: { id }, query: { provider: "ai-sdk" } });
  const { instructions, messages } = prompt as unknown as Pick<SeenView, "messages"> & {
    readonly instructions?: unknown;
  };
  const { tokens, limitTokens } = report;
  return { instructions: readInstructions(instructions), messages, tokens, limitTokens };
}

/** Where a provider's cache is marked they are a message. */
function readInstructions(instructions: unknown): string | undefined {
  if (typeof instructions === "string") return instructions;
  if (typeof instructions !== "object" || instructions === null || !("content" in instructions)) return undefined;
  return typeof instructions.content === "string" ? instructions.content : undefined;
}

async function readAll(client: Client, id: string, range: EntryRange): Promise<readonly Entry[]> {
  const { types, limit = Number.POSITIVE_INFINITY, newestFirst = false } = range;
  let { afterSeq, throughSeq } = range;
  const found: Entry[] = [];
  while (found.length < limit) {
    const query = {
      afterSeq,
      throughSeq,
      types: types?.join(","),
      limit: Math.min(PAGE, limit - found.length),
      newestFirst,
    };
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const { entries, nextSeq } = await client.readEntries({ params: { id }, query: Object.fromEntries(given) });
    found.push(...(entries as unknown as readonly Entry[]));
    if (nextSeq === undefined) break;
    if (newestFirst) throughSeq = nextSeq - 1;
    else afterSeq = nextSeq;
  }
  return found;
}
