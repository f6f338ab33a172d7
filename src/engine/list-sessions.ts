/**
 * Sessions newest first, in pages. One that is being imported is not there yet: its title says so until it is whole,
 * also when whoever imported it has ended in the middle.
 */
import type { SessionId } from "../core/log/entry.ts";
import type { SessionSummary, TenantStore } from "../ports/store.ts";
import { COUNT, type OptionRule } from "./check-options.ts";

/** No title begins with this; what does is out of sight. */
const HIDDEN = "\u0000";

export const TITLE: OptionRule = {
  allowed: "a text that does not begin with NUL",
  holds: (value) => typeof value === "string" && !isHidden(value),
};

/** The title of a session while it is imported, each time another. */
export function importingTitle(nonce: string): string {
  return `${HIDDEN}importing ${nonce}`;
}

export function isHidden(title: string | undefined): boolean {
  return title?.startsWith(HIDDEN) === true;
}

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
    found.push(...page.filter(({ title }) => !isHidden(title)));
    place = page.at(-1);
    if (page.length < wanted) break;
  }
  return found;
}

/** Whether a session is there and whole. */
export async function isStored(store: TenantStore, id: SessionId): Promise<boolean> {
  const session = await store.findSession(id);
  return session !== undefined && !isHidden(session.header.title);
}
