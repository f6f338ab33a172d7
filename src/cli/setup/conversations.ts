/**
 * What commands ask of a server, in the types of the engine: the compiler knows answers only as the protocol declares
 * them, so the conversion is made here once.
 */
import type { Client } from "../../client/index.ts";
import type { Entry } from "../../core/log/entry.ts";
import type { CompactionPreview, CompactOutcome, NotCompacted } from "../../engine/compaction/manual-compaction.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import { splitLines } from "../../engine/transfer/split-lines.ts";
import { OFFLINE_MODEL_ID } from "../../models/offline-model.ts";
import type { EntryRange, SearchHit, SessionSummary } from "../../ports/store.ts";
import type { CommandOption, Invocation } from "../terminal/command.ts";
import { SERVER_OPTIONS, withServer } from "./connect-server.ts";
import { ENGINE_OPTIONS, readEngineSetup } from "./engine-setup.ts";

/** Items that a server returns at once. */
export const LARGEST_PAGE = 1_000;

export type Conversations = Pick<Palimpsest, "sessions" | "search" | "exportSession" | "importSession">;

export function withConversations<Result>(
  invocation: Invocation,
  use: (conversations: Conversations) => Promise<Result>,
  options: { readonly createsStore?: boolean | undefined } = {},
): Promise<Result> {
  return withServer(invocation, options, ({ client }) => use(openConversations(client)));
}

function openConversations(client: Client): Conversations {
  return {
    sessions: ({ limit = LARGEST_PAGE } = {}) => listSessions(client, limit),
    search: async (text, { limit, role, order, sessionId } = {}) => {
      const query = { query: text, ...withoutAbsent({ limit, role, order, sessionId }) };
      return (await client.search({ query })).hits as unknown as readonly SearchHit[];
    },
    exportSession: (id, { secrets } = {}) =>
      client.exportSession({ params: { id }, query: withoutAbsent({ secrets }) }),
    importSession: (source, { id } = {}) => {
      const lines = splitLines(typeof source === "function" ? source() : source);
      return client.importSession({ query: withoutAbsent({ id }), lines });
    },
  };
}

async function listSessions(client: Client, limit: number): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  for (let before: string | undefined; found.length < limit; ) {
    const query = { limit: Math.min(LARGEST_PAGE, limit - found.length), ...withoutAbsent({ before }) };
    const { sessions, next } = await client.listSessions({ query });
    found.push(...(sessions as unknown as readonly SessionSummary[]));
    if (next === undefined) break;
    before = next;
  }
  return found;
}

/** What a model would see now. */
export type SeenView = Pick<Prompt, "instructions" | "messages"> & Pick<Prompt["report"], "tokens" | "limitTokens">;
/** A preview without the methods that only work in the process that made it. */
export type ShownPreview = Omit<CompactionPreview, "edit" | "apply">;

type SameMethods = Pick<
  Session,
  "id" | "message" | "entries" | "explain" | "plan" | "figures" | "getSummaryHistory" | "undo"
>;

export interface OneSession extends SameMethods {
  view(): Promise<SeenView>;
  compact(instructions: string | undefined): Promise<CompactOutcome>;
  preview(instructions: string | undefined): Promise<ShownPreview | NotCompacted>;
}

export const SESSION_OPTIONS: Readonly<Record<string, CommandOption>> = { ...SERVER_OPTIONS, ...ENGINE_OPTIONS };

export interface SessionRequest {
  readonly id: string;
  /** Whether problems with the models that were found are reported. */
  readonly writesSummaries?: boolean | undefined;
}

/** With --server, that server's policy, models and window apply, and no configuration is read here. */
export function withSession<Result>(
  invocation: Invocation,
  { id, writesSummaries = false }: SessionRequest,
  use: (session: OneSession) => Promise<Result>,
): Promise<Result> {
  const readOptions = async () => {
    const { engine, found } = await readEngineSetup(invocation);
    for (const complaint of writesSummaries ? found.complaints : []) invocation.terminal.note(complaint);
    const { createChatModels } = await import("./serve-options.ts");
    return { engine, models: createChatModels(found.models) };
  };
  return withServer(invocation, { readOptions }, async ({ client }) => use(await openSession(client, id)));
}

/** A session is seen as it was last prompted: for the same model, the sample with its instructions and its window. */
async function openSession(client: Client, id: string): Promise<OneSession> {
  const params = { id };
  const query = withoutAbsent({ model: await findLastModel(client, id) });
  const figures = () => client.readBudget({ params, query });
  const readCompaction = async (instructions: string | undefined) => {
    const { windowTokens, reserveTokens } = await figures();
    return { params, query: { ...query, windowTokens, reserveTokens }, body: withoutAbsent({ instructions }) };
  };
  return {
    id,
    message: async (messageId) => asEngine((await client.readMessage({ params: { id, messageId } })).message),
    entries: (range = {}) => readEntries(client, id, range),
    explain: async (messageId) => asEngine(await client.explainMessage({ params: { id, messageId }, query })),
    plan: async () => asEngine(await client.readPlan({ params, query })),
    figures: async () => {
      const { windowTokens, reserveTokens, compaction, ...budget } = await figures();
      const { targetTokens, ...status } = compaction;
      const { triggerTokens } = status;
      const window = { windowTokens, reserveTokens, triggerTokens, targetTokens };
      return asEngine({ budget, compaction: status, window });
    },
    getSummaryHistory: async () => asEngine((await client.listSummaries({ params })).summaries),
    undo: async (entryId) => asEngine(await client.undo({ params, body: withoutAbsent({ entryId }) })),
    view: () => readView(client, id, query),
    compact: async (instructions) => asEngine(await client.compact(await readCompaction(instructions))),
    preview: async (instructions) => {
      const outcome = await client.previewCompaction(await readCompaction(instructions));
      if (outcome.type !== "preview") return asEngine(outcome);
      // A command cannot apply a preview later, so its id is of no use.
      const { previewId: _, ...shown } = outcome;
      return asEngine(shown);
    },
  };
}

/** The offline model answers if there is no other, so it is not a choice. */
async function findLastModel(client: Client, id: string): Promise<string | undefined> {
  const [last] = await readEntries(client, id, { types: ["request"], newestFirst: true, limit: 1 });
  const model = last?.type === "request" ? last.model : undefined;
  return model === OFFLINE_MODEL_ID ? undefined : model;
}

function asEngine<Result>(answer: unknown): Result {
  return answer as Result;
}

function withoutAbsent<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

async function readView(client: Client, id: string, as: { readonly model?: string }): Promise<SeenView> {
  const { prompt, report } = await client.readView({ params: { id }, query: { provider: "ai-sdk", ...as } });
  const { instructions, messages } = prompt as unknown as Pick<SeenView, "messages"> & {
    readonly instructions?: unknown;
  };
  const { tokens, limitTokens } = report;
  return { instructions: readInstructions(instructions), messages, tokens, limitTokens };
}

/** Instructions with a cache mark are a message. */
function readInstructions(instructions: unknown): string | undefined {
  if (typeof instructions === "string") return instructions;
  if (typeof instructions !== "object" || instructions === null || !("content" in instructions)) return undefined;
  return typeof instructions.content === "string" ? instructions.content : undefined;
}

async function readEntries(client: Client, id: string, range: EntryRange): Promise<readonly Entry[]> {
  const { types, limit = Number.POSITIVE_INFINITY, newestFirst = false } = range;
  let { afterSeq, throughSeq } = range;
  const found: Entry[] = [];
  while (found.length < limit) {
    const size = Math.min(LARGEST_PAGE, limit - found.length);
    const query = withoutAbsent({ afterSeq, throughSeq, types: types?.join(","), limit: size, newestFirst });
    const { entries, nextSeq } = await client.readEntries({ params: { id }, query });
    found.push(...(entries as unknown as readonly Entry[]));
    if (nextSeq === undefined) break;
    if (newestFirst) throughSeq = nextSeq - 1;
    else afterSeq = nextSeq;
  }
  return found;
}
