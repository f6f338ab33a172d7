/**
 * Sessions newest first, in pages. One that is being imported is not there yet: its title says so until it is whole,
 * also when whoever imported it has ended in the middle.
 */
import type { SessionId } from "../core/log/entry.ts";
import type { SessionSummary, TenantStore } from "../ports/store.ts";

/** No title that a person would write. */
export const IMPORTING = "\u0000importing";

export interface SessionPage {
  /** Fifty without it. */
  readonly limit?: number | undefined;
  /** The last one of the page before. */
  readonly after?: Pick<SessionSummary, "id" | "updatedAt"> | undefined;
}

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
    found.push(...page.filter(({ title }) => title !== IMPORTING));
    place = page.at(-1);
    if (page.length < wanted) break;
  }
  return found;
}

/** Whether a session is there and whole. */
export async function isStored(store: TenantStore, id: SessionId): Promise<boolean> {
  const session = await store.findSession(id);
  return session !== undefined && session.header.title !== IMPORTING;
}
