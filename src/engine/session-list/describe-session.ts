/** One session as the list of sessions shows it. */
import type { SessionSummary, TenantStore } from "../../ports/store.ts";
import { isHidden } from "./hidden-session.ts";

export async function describeSession(store: TenantStore, id: string): Promise<SessionSummary | undefined> {
  const summary = await store.describeSession(id);
  return summary === undefined || isHidden(summary.title) ? undefined : summary;
}
