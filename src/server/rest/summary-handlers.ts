/** Compactions and summaries. Previews are kept, a limited number per tenant, until they are applied. */
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { AnyMessage } from "../../core/message/formats/read-messages.ts";
import type { CompactionPreview } from "../../engine/compaction/manual-compaction.ts";
import type { SUMMARY_ROUTES } from "../../protocol/summary-routes.ts";
import type { seenQuery } from "../../protocol/values.ts";
import type { Handlers } from "../app/handler.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { sendJson } from "../http/send-json.ts";
import type { TurnFields } from "../prompts/turn-request.ts";
import type { Tenant } from "../tenants/tenants.ts";
import type { ServerParts } from "./server-parts.ts";
import { withoutIds } from "./shape-answers.ts";

type Name = Exclude<keyof typeof SUMMARY_ROUTES, "summarizeContext">;

/** Limit for each tenant, so that one tenant cannot evict the previews of another. */
const MAX_PREVIEWS = 100;

interface StoredPreview {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly preview: CompactionPreview;
}

export function createSummaryHandlers({ findTurnRequest }: ServerParts): Handlers<Name> {
  /** The query names the prompt that a compaction is for; without one it is like the last prompt. */
  const openSession = async (tenant: Tenant, id: string, query: z.output<typeof seenQuery>) => {
    const session = await tenant.engine.load(id);
    const isNamed = Object.values(query).some((value) => value !== undefined);
    return { session, as: isNamed ? await findTurnRequest({ tenant, session }, query as TurnFields) : undefined };
  };
  const previews = new Map<string, StoredPreview>();
  const keep = (stored: StoredPreview): object => {
    const previewId = randomUUID();
    const own = [...previews].filter(([, { tenantId }]) => tenantId === stored.tenantId);
    const [oldest] = own.length >= MAX_PREVIEWS ? own : [];
    if (oldest !== undefined) previews.delete(oldest[0]);
    previews.set(previewId, stored);
    const { edit: _, apply: __, isStale: ___, ...shown } = stored.preview;
    return { previewId, ...shown };
  };
  const require = (previewId: string, { tenantId, sessionId }: Omit<StoredPreview, "preview">): StoredPreview => {
    const stored = previews.get(previewId);
    if (stored?.tenantId === tenantId && stored.sessionId === sessionId) return stored;
    throw new RefusedRequest("not-found", "This preview no longer exists. Request a new one.");
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
      const stored = require(params.previewId, { tenantId: tenant.id, sessionId: params.id });
      previews.delete(params.previewId);
      await engine.load(params.id);
      // A preview must not show text that was deleted since.
      if (await stored.preview.isStale()) return { type: "stale" };
      return keep({ ...stored, preview: stored.preview.edit(body.text) });
    },
    applyPreview: async ({ tenant, params }) => {
      const { preview } = require(params.previewId, { tenantId: tenant.id, sessionId: params.id });
      previews.delete(params.previewId);
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
      sendJson(await (await engine.load(params.id)).expand(params.summaryId)),
    verifySummary: async ({ engine, params }) => (await engine.load(params.id)).verify(params.summaryId),
    summarize: async ({ engine, body, signal }) => {
      const { messages: given, ...options } = body;
      const messages = [given].flat() as readonly AnyMessage[];
      const written = await engine.summarize(messages, { ...options, signal });
      return { summary: written.record.text, ...written };
    },
  };
}
