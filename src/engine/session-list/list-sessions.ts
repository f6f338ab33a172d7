/** Lists, describes and searches sessions. Sessions that are being imported are left out; dead imports are deleted. */
import { COUNT, type OptionRule } from "../../core/check-options.ts";
import type { SearchHit, SearchQuery, SessionSummary, TenantStore } from "../../ports/store.ts";
import { isHidden, isStored, sweepHidden } from "./hidden-session.ts";

export interface SessionPage {
  /** Default: fifty. */
  readonly limit?: number | undefined;
  readonly after?: Pick<SessionSummary, "id" | "updatedAt"> | undefined;
}

const PLACE: OptionRule = {
  allowed: "the last summary of the page before, with its id and updatedAt",
  holds: (value) => {
    if (typeof value !== "object" || value === null || !("id" in value) || !("updatedAt" in value)) return false;
    return typeof value.id === "string" && Number.isFinite(value.updatedAt);
  },
};

export const PAGE_RULES = { limit: COUNT, after: PLACE };

const PAGE = 50;

export async function listSessions(
  store: TenantStore,
  { limit = PAGE, after }: SessionPage,
): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let place = after;
  while (found.length < limit) {
    const wanted = limit - found.length;
    const page = await store.listSessions({ limit: wanted, after: place });
    for (const summary of page) {
      if (isHidden(summary.title)) await sweepHidden(store, summary.id);
      else found.push(summary);
    }
    place = page.at(-1);
    if (page.length < wanted) break;
  }
  return found;
}

export async function describeSession(store: TenantStore, id: string): Promise<SessionSummary | undefined> {
  const summary = await store.describeSession(id);
  return summary === undefined || isHidden(summary.title) ? undefined : summary;
}

export async function searchSessions(store: TenantStore, query: SearchQuery): Promise<readonly SearchHit[]> {
  for (let limit = query.limit; ; limit *= 2) {
    const hits = await store.search({ ...query, limit });
    const ids = [...new Set(hits.map(({ sessionId }) => sessionId))];
    const whole = await Promise.all(ids.map((id) => isStored(store, id)));
    const hidden = new Set(ids.filter((_, index) => whole[index] === false));
    for (const id of hidden) await sweepHidden(store, id);
    const found = hits.filter(({ sessionId }) => !hidden.has(sessionId));
    // Hits in hidden sessions took the place of others, so more are needed.
    if (hidden.size === 0 || found.length >= query.limit || hits.length < limit) return found.slice(0, query.limit);
  }
}
