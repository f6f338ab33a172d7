/** Searches of all sessions: what is only half imported is not found. */
import type { SearchHit, SearchQuery, TenantStore } from "../../ports/store.ts";
import { isStored, sweepHidden } from "./hidden-session.ts";

export async function searchSessions(store: TenantStore, query: SearchQuery): Promise<readonly SearchHit[]> {
  for (let limit = query.limit; ; limit *= 2) {
    const hits = await store.search({ ...query, limit });
    const ids = [...new Set(hits.map(({ sessionId }) => sessionId))];
    const whole = await Promise.all(ids.map((id) => isStored(store, id)));
    const hidden = new Set(ids.filter((_, index) => whole[index] === false));
    for (const id of hidden) await sweepHidden(store, id);
    const found = hits.filter(({ sessionId }) => !hidden.has(sessionId));
    // What is not shown has taken the place of others that are to be found.
    if (hidden.size === 0 || found.length >= query.limit || hits.length < limit) return found.slice(0, query.limit);
  }
}
