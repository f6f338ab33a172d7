/** Sessions newest first, in pages. One that is being imported is not there yet, and what a dead import left goes. */

import { COUNT, type OptionRule } from "../../core/check-options.ts";
import type { SessionSummary, TenantStore } from "../../ports/store.ts";
import { isHidden, sweepHidden } from "./hidden-session.ts";

export interface SessionPage {
  /** Fifty without it. */
  readonly limit?: number | undefined;
  /** The last one of the page before. */
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
