/** Sessions over HTTP. Each handler translates and delegates, and decides nothing. */

import type { z } from "zod";
import { countEntryCharacters } from "../../core/log/count-characters.ts";
import { ENTRY_TYPES, type Entry } from "../../core/log/entry.ts";
import type { ToolsInput } from "../../core/message/input-types.ts";
import { describeTools } from "../../engine/context/describe-tools.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ExportTranscriptOptions } from "../../engine/transfer/export-transcript.ts";
import type { ImportResult } from "../../engine/transfer/import-session.ts";
import type { EntryRange, SessionSummary } from "../../ports/store.ts";
import type { SESSION_ROUTES } from "../../protocol/session-routes.ts";
import type { seenQuery } from "../../protocol/values.ts";
import { checkStillValid, createForkCheck } from "../access/permissions.ts";
import type { Handlers } from "../app/handler.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { sendLines, sendPieces } from "../http/json-lines.ts";
import { peekImport } from "../http/peek-import.ts";
import { spoolLines } from "../http/spool-lines.ts";
import type { TurnFields } from "../prompts/turn-request.ts";
import type { Tenant } from "../tenants/tenants.ts";
import type { ServerParts } from "./server-parts.ts";
import { renderFor, withoutIds } from "./shape-answers.ts";

type Name = keyof typeof SESSION_ROUTES;

export function createSessionHandlers({ images, prompts, findDefaults, findTurnRequest }: ServerParts): Handlers<Name> {
  /** View, plan, strip, explanations and budget all describe the chat's next prompt. */
  const findNextPrompt = async (tenant: Tenant, id: string, query: z.output<typeof seenQuery>) => {
    const session = await tenant.engine.load(id);
    return { session, as: await findTurnRequest({ tenant, session }, query as TurnFields) };
  };
  return {
    listSessions: async ({ engine, query }) => {
      const sessions = await engine.sessions({ limit: query.limit, after: readCursor(query.before) });
      const last = sessions.length === query.limit ? sessions.at(-1) : undefined;
      return { sessions, ...(last === undefined ? {} : { next: writeCursor(last) }) };
    },
    createSession: async ({ engine, body }) => engine.describe((await engine.create(body)).id),
    readSession: ({ engine, params }) => engine.describe(params.id),
    renameSession: async ({ engine, params, body }) => {
      await engine.rename(params.id, body.title);
      return engine.describe(params.id);
    },
    deleteSession: async ({ engine, tenant, params, query }) => {
      // Uploads are removed first: if the process is killed before the deletion, no file is left over.
      await images.forget({ tenantId: tenant.id, sessionId: params.id });
      const outcome = await engine.deleteSession(params.id, query);
      if (outcome.type === "deleted") {
        for (const sessionId of outcome.sessionIds) {
          const key = { tenantId: tenant.id, sessionId };
          prompts.forget(key);
          await images.forget(key);
        }
      }
      return outcome;
    },
    forkSession: async ({ engine, params, body }) => {
      const fork = await (await engine.load(params.id)).fork(body.atSeq);
      return engine.describe(fork.id);
    },
    exportSession: async ({ engine, caller, params, query, signal }) => {
      await engine.load(params.id);
      const check = () => checkStillValid(caller);
      const { format, secrets } = query;
      const name = `${params.id}.jsonl`;
      if (format === undefined) return sendLines(engine.exportSession(params.id, { secrets }), { signal, check, name });
      const pieces = engine.exportTranscript(params.id, { format, secrets } as ExportTranscriptOptions);
      return sendPieces(pieces, { signal, check, name: `${params.id}${findExtension(format)}` });
    },
    importSession: async ({ engine, query, request, share }) => {
      const body = await peekImport(request, share);
      if (!body.isExport) {
        const imported = await engine.importTranscript(body.bytes, query as object);
        return { ...imported, entries: imported.added };
      }
      await using lines = await spoolLines(body.bytes, share);
      return describeExport(await engine.importSession(lines.read, { id: query.id }));
    },
    readEntries: async ({ engine, params, query }) => {
      const { types: list, ids, ...range } = query;
      const types = list?.split(",").map(readEntryType);
      const page = await readPage(await engine.load(params.id), { ...range, types });
      return ids === false ? { ...page, entries: page.entries.map(withoutSummaryIds) } : page;
    },
    readMessages: async ({ engine, params, query }) =>
      readPage(await engine.load(params.id), { ...query, types: ["message"] }),
    appendMessages: async ({ engine, tenant, params, body }) => {
      const { messages, ...options } = body;
      const key = { tenantId: tenant.id, sessionId: params.id };
      return (await engine.load(params.id)).append(await images.resolve(key, messages), options as object);
    },
    syncMessages: async ({ engine, tenant, caller, params, body }) => {
      const key = { tenantId: tenant.id, sessionId: params.id };
      const messages = await images.resolve(key, body.messages);
      const options = { beforeFork: createForkCheck(caller) };
      const { session, throughSeq: _, ...outcome } = await (await engine.load(params.id)).sync(messages, options);
      return { ...outcome, sessionId: session.id };
    },
    readMessage: async ({ engine, params }) => ({
      message: await (await engine.load(params.id)).message(params.messageId),
    }),
    deleteMessage: async ({ engine, tenant, params }) => {
      const session = await engine.load(params.id);
      const message = await session.message(params.messageId);
      // Uploads are removed first: if the process is killed before the deletion, no file is left over, and the message
      // still has its images.
      await images.forgetShown({ tenantId: tenant.id, sessionId: params.id }, message);
      const outcome = await session.delete(params.messageId);
      for (const sessionId of outcome.sessionIds) {
        const key = { tenantId: tenant.id, sessionId };
        prompts.forget(key);
        await images.forgetShown(key, message);
      }
      return outcome;
    },
    explainMessage: async ({ tenant, params, query }) => {
      const { session, as } = await findNextPrompt(tenant, params.id, query);
      return session.explain(params.messageId, as);
    },
    readView: async ({ tenant, params, query: { provider, ...query } }) => {
      const { session, as } = await findNextPrompt(tenant, params.id, query);
      const prompt = await session.prompt({ ...as, preview: true });
      return { ...writePrompt(prompt, provider), tools: describeTools(as.tools) };
    },
    makePrompt: async ({ engine, tenant, params, body, signal }) => {
      const key = { tenantId: tenant.id, sessionId: params.id };
      const next = body.next && (await images.resolve(key, body.next));
      const defaults = await findDefaults({ tenant, sessionId: params.id }, body);
      // The session checks the definitions.
      const tools = body.tools as ToolsInput | undefined;
      const prompt = await (await engine.load(params.id)).prompt({ ...body, ...defaults, tools, next, signal });
      const answer = writePrompt(prompt, body.provider ?? "ai-sdk");
      if (body.preview !== true) prompts.keep(key, prompt, answer.prompt);
      return answer;
    },
    endPrompt: async ({ engine, params, body }) => {
      await (await engine.load(params.id)).ended(params.promptId, body.reason);
      return {};
    },
    readPlan: async ({ tenant, params, query }) => {
      const { session, as } = await findNextPrompt(tenant, params.id, query);
      return session.plan(as);
    },
    readStrip: async ({ tenant, params, query: { firstSeq, lastSeq, buckets, ...query } }) => {
      const { session, as } = await findNextPrompt(tenant, params.id, query);
      return session.strip({ firstSeq, lastSeq, buckets }, as);
    },
    readBudget: async ({ tenant, params, query }) => {
      const { session, as } = await findNextPrompt(tenant, params.id, query);
      const { budget, compaction, window } = await session.figures(as);
      const { windowTokens, reserveTokens, targetTokens } = window;
      return { ...budget, windowTokens, reserveTokens, compaction: { ...compaction, targetTokens } };
    },
    pinMessage: async ({ engine, params, body }) => {
      const session = await engine.load(params.id);
      return session.pin("note" in body ? { note: body.note } : body.messageId);
    },
    unpinMessage: async ({ engine, params }) => ({
      unpinned: await (await engine.load(params.id)).unpin(params.pinId),
    }),
    dismissMessage: async ({ engine, params, body }) => ({
      dismissed: await (await engine.load(params.id)).dismiss(body.messageId),
    }),
    clearHistory: async ({ engine, params, body }) => {
      await (await engine.load(params.id)).clear(body);
      return {};
    },
    undo: async ({ engine, params, body }) => (await engine.load(params.id)).undo(body.entryId),
  };
}

function findExtension(format: string): string {
  if (format === "aider") return ".md";
  return format === "claude-code" || format === "codex" || format === "pi" ? ".jsonl" : ".json";
}

/** Describes an export in the same shape as a file of another tool. */
function describeExport({ sessionId, entries, messages }: ImportResult) {
  const format = "palimpsest";
  const session = { sessionId, format, messages, added: messages, calls: 0, results: 0, summaries: 0 };
  return { sessionId, format, entries, messages, added: messages, sessions: [session], skipped: 0, problems: [] };
}

function writePrompt(prompt: Prompt, provider: Parameters<typeof renderFor>[1]) {
  const { plan, ...report } = prompt.report;
  return { id: prompt.id, prompt: renderFor(prompt, provider), report: { ...report, plan } };
}

/** A page of long messages ends early. */
const PAGE_CHARACTERS = 4_000_000;
/** Entries read at once: few at first, because each may have a million characters. */
const FIRST_ENTRIES = 8;
const MAX_ENTRIES = 128;

/** Reads a page of entries, with the seq at which the next one starts if there may be more. */
async function readPage(session: Session, { limit, ...range }: EntryRange & { readonly limit: number }) {
  const entries: Entry[] = [];
  let rest: Pick<EntryRange, "afterSeq" | "throughSeq"> = {};
  let characters = 0;
  for (let count = FIRST_ENTRIES; ; count = Math.min(MAX_ENTRIES, count * 2)) {
    const wanted = Math.min(count, limit - entries.length);
    const read = await session.entries({ ...range, ...rest, limit: wanted });
    entries.push(...read);
    characters += countEntryCharacters(read);
    const last = entries.at(-1);
    if (last === undefined || read.length < wanted) return { entries };
    if (entries.length === limit || characters > PAGE_CHARACTERS) return { entries, nextSeq: last.seq };
    rest = range.newestFirst === true ? { throughSeq: last.seq - 1 } : { afterSeq: last.seq };
  }
}

function withoutSummaryIds(entry: Entry) {
  return entry.type === "summary" ? { ...entry, record: withoutIds(entry.record) } : entry;
}

function readEntryType(text: string): Entry["type"] {
  const found = ENTRY_TYPES.find((type) => type === text);
  if (found !== undefined) return found;
  throw new RefusedRequest("request-invalid", `types: expected one or more of ${ENTRY_TYPES.join(", ")}.`);
}

/** Encodes the last session of a page as a cursor that the client sends back. */
function writeCursor({ id, updatedAt }: SessionSummary): string {
  return Buffer.from(JSON.stringify([updatedAt, id])).toString("base64url");
}

function readCursor(text: string | undefined): { readonly id: string; readonly updatedAt: number } | undefined {
  if (text === undefined) return undefined;
  try {
    const [updatedAt, id] = JSON.parse(Buffer.from(text, "base64url").toString());
    if (typeof id === "string" && Number.isFinite(updatedAt)) return { id, updatedAt };
  } catch {
    // Refused below.
  }
  throw new RefusedRequest("request-invalid", "before: expected the `next` of the previous page.");
}
