/**
 * Puts the answer of a summarizer that came too late for its prompt in the place of what code wrote meanwhile: when the
 * provider's cache is cold, so that it costs nothing there, and only while nothing else has been folded.
 */

import type { SessionSnapshot } from "../state/find-need.ts";
import { NO_LEASE } from "../state/hold-lease.ts";
import { isCacheWarm } from "../state/is-cache-warm.ts";
import type { SessionState } from "../state/session-state.ts";
import type { CompactionOutcome } from "./compact-now.ts";
import { replaceSummary } from "./summary-history.ts";

/** Undefined where nothing has come, or the cache is warm. */
export async function applyLateSummary(
  state: SessionState,
  snapshot: SessionSnapshot,
): Promise<CompactionOutcome | undefined> {
  const { head } = snapshot.conversation;
  const answer = state.late.find(head.summary?.id);
  if (answer === undefined || isCacheWarm({ ...snapshot, head })) return undefined;
  const grownTokens = answer.record.tokensAfter - (head.summary?.tokensAfter ?? 0);
  if (snapshot.promptTokens + grownTokens > snapshot.limits.limitTokens) {
    state.late.discard();
    return undefined;
  }
  const { attempts } = answer;
  const report = await replaceSummary(state, answer.record, {
    snapshot,
    hold: NO_LEASE,
    attempts,
    phase: "background",
  });
  if (report === undefined) {
    state.late.discard();
    return { type: "again" };
  }
  state.late.take(answer);
  return { type: "written", report };
}
