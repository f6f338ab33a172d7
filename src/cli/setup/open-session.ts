/** Opens one session on the server of a command, and reads its entries page by page. */
import type { Client } from "../../client/index.ts";
import type { Entry } from "../../core/log/entry.ts";
import { OFFLINE_MODEL_ID } from "../../models/offline-model.ts";
import type { EntryRange } from "../../ports/store.ts";
import type { CommandOption, Invocation } from "../terminal/command.ts";
import { SERVER_OPTIONS, withServer } from "./connect-server.ts";
import { ENGINE_OPTIONS, readEngineSetup } from "./engine-setup.ts";
import { showFoldProgress } from "./fold-progress.ts";

export const MAX_PER_PAGE = 1_000;

export const SESSION_OPTIONS: Readonly<Record<string, CommandOption>> = { ...SERVER_OPTIONS, ...ENGINE_OPTIONS };

export interface OpenSession {
  readonly client: Client;
  readonly params: { readonly id: string };
  /** The model of the session's last prompt, for previews of the next one. */
  readonly query: { readonly model: string | undefined };
}

/**
 * With --server, that server's policy, models and window apply, and no configuration is read here. Problems with models
 * are reported only if a summary is written (`writesSummaries`).
 */
export function withSession<Result>(
  invocation: Invocation,
  { id, writesSummaries = false }: { readonly id: string; readonly writesSummaries?: boolean },
  use: (session: OpenSession) => Promise<Result>,
): Promise<Result> {
  const readOptions = () => readServerSetup(invocation, writesSummaries);
  return withServer(invocation, { readOptions }, async ({ client }) => {
    const endNotes = await showFoldProgress(client, { sessionId: id, note: invocation.terminal.note });
    try {
      const model = await findLastModel(client, id);
      return await use({ client, params: { id }, query: { model } });
    } finally {
      await endNotes();
    }
  });
}

/** Returns engine and models for a server in this process. */
export async function readServerSetup(invocation: Invocation, reportsProblems: boolean) {
  const { engine, found } = await readEngineSetup(invocation);
  for (const complaint of reportsProblems ? found.complaints : []) invocation.terminal.note(complaint);
  const { createChatModels } = await import("./serve-options.ts");
  return { engine, models: createChatModels(found.models) };
}

/** Ignores the offline model: it answers only if there is no other, so the user did not choose it. */
export async function findLastModel(client: Client, id: string): Promise<string | undefined> {
  const [last] = await readEntries({ client, params: { id } }, { types: ["request"], newestFirst: true, limit: 1 });
  const model = last?.type === "request" ? last.model : undefined;
  return model === OFFLINE_MODEL_ID ? undefined : model;
}

export async function readEntries(
  { client, params }: Pick<OpenSession, "client" | "params">,
  { types, limit = Number.POSITIVE_INFINITY, newestFirst = false, ...range }: EntryRange,
): Promise<readonly Entry[]> {
  let { afterSeq, throughSeq } = range;
  const found: Entry[] = [];
  while (found.length < limit) {
    const size = Math.min(MAX_PER_PAGE, limit - found.length);
    const query = { afterSeq, throughSeq, types: types?.join(","), limit: size, newestFirst };
    const { entries, nextSeq } = await client.readEntries({ params, query });
    // The protocol declares entries loosely; the server writes them in this type.
    found.push(...(entries as unknown as readonly Entry[]));
    if (nextSeq === undefined) break;
    if (newestFirst) throughSeq = nextSeq - 1;
    else afterSeq = nextSeq;
  }
  return found;
}
