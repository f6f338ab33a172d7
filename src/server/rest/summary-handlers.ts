/** Compactions and summaries over HTTP. Proposals wait here, a while and not too many of them, until they are applied. */
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { AnyMessage } from "../../core/message/read-messages.ts";
import type { CompactionPreview } from "../../engine/compaction/manual-compaction.ts";
import type { SUMMARY_ROUTES } from "../../protocol/summary-routes.ts";
import type { seenQuery } from "../../protocol/values.ts";
import type { Handlers } from "../app/handler.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { sendAnswer } from "../http/write-answer.ts";
import type { AskedTurn } from "../prompts/turn-request.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ServerParts } from "./server-parts.ts";
import { withoutIds } from "./without-ids.ts";

type Name = keyof typeof SUMMARY_ROUTES;

/** Of each tenant: nobody's proposals make another's go. */
const MOST_PREVIEWS = 100;
/** What the rolling chat's own summary may take. */
const ROLLING_TOKENS = 500;

interface Waiting {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly preview: CompactionPreview;
}

export function createSummaryHandlers({ findTurnRequest }: Pick<ServerParts, "findTurnRequest">): Handlers<Name> {
  /** A query says which prompt a compaction makes room for; without one it is as the last prompt was. */
  const openSession = async (tenant: Tenant, id: string, query: z.output<typeof seenQuery>) => {
    const session = await tenant.engine.load(id);
    const isNamed = Object.values(query).some((value) => value !== undefined);
    return { session, as: isNamed ? await findTurnRequest({ tenant, session }, query as AskedTurn) : undefined };
  };
  const waiting = new Map<string, Waiting>();
  const keep = (held: Waiting): object => {
    const previewId = randomUUID();
    const own = [...waiting].filter(([, { tenantId }]) => tenantId === held.tenantId);
    const [oldest] = own.length >= MOST_PREVIEWS ? own : [];
    if (oldest !== undefined) waiting.delete(oldest[0]);
    waiting.set(previewId, held);
    const { edit: _, apply: __, isStale: ___, ...shown } = held.preview;
    return { previewId, ...shown };
  };
  const require = (previewId: string, { tenantId, sessionId }: Omit<Waiting, "preview">): Waiting => {
    const held = waiting.get(previewId);
    if (held?.tenantId === tenantId && held.sessionId === sessionId) return held;
    throw new RefusedRequest("not-found", "There is no such proposal any more; ask for a new one.");
  };
  return {
    compact: async ({ tenant, params, query, body, signal }) => {
      const { session, as } = await openSession(tenant, params.id, query);
      return session.compact({ ...body, as, signal });
    },
    previewCompaction: async ({ tenant, params, query, body, signal }) => {
      const { session, as } = await openSession(tenant, params.id, query);
      const preview = await session.compact({ ...body, as, preview: true, signal });
      return preview.type === "preview" ? keep({ tenantId: tenant.id, sessionId: params.id, preview }) : preview;
    },
    editPreview: async ({ engine, tenant, params, body }) => {
      const held = require(params.previewId, { tenantId: tenant.id, sessionId: params.id });
      waiting.delete(params.previewId);
      await engine.load(params.id);
      // What was erased since is quoted by nobody.
      if (await held.preview.isStale()) return { type: "stale" };
      return keep({ ...held, preview: held.preview.edit(body.text) });
    },
    applyPreview: async ({ tenant, params }) => {
      const { preview } = require(params.previewId, { tenantId: tenant.id, sessionId: params.id });
      waiting.delete(params.previewId);
      return preview.apply();
    },
    listSummaries: async ({ engine, params, query }) => {
      const summaries = await (await engine.load(params.id)).getSummaryHistory();
      if (query.ids !== false) return { summaries };
      return { summaries: summaries.map((version) => ({ ...version, record: withoutIds(version.record) })) };
    },
    editSummary: async ({ engine, params, body }) => (await engine.load(params.id)).editSummary(body.text),
    resummarize: async ({ engine, params, body, signal }) =>
      (await engine.load(params.id)).resummarize(body.instructions, { signal }),
    expandSummary: async ({ engine, params }) =>
      sendAnswer(await (await engine.load(params.id)).expand(params.summaryId)),
    verifySummary: async ({ engine, params }) => (await engine.load(params.id)).verify(params.summaryId),
    summarize: async ({ engine, body, signal }) => {
      const { messages: given, ...options } = body;
      const messages = listOf(given) as readonly AnyMessage[];
      const written = await engine.summarize(messages, { ...options, signal });
      return { summary: written.record.text, ...written };
    },
    summarizeContext: async ({ engine, body, signal }) => {
      const messages = listOf(body.messages) as readonly AnyMessage[];
      const options = { previous: body.previousSummary, budgetTokens: ROLLING_TOKENS, strategy: "brief" } as const;
      const { record } = await engine.summarize(messages, { ...options, signal });
      return { summary: record.text, ...(record.model === undefined ? {} : { model: record.model }) };
    },
  };
}

function listOf<Item>(input: Item | readonly Item[]): readonly Item[] {
  return Array.isArray(input) ? input : [input as Item];
}
