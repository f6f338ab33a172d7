/**
 * Puts the answer of a summarizer that came too late for its prompt in the place of what code wrote meanwhile: when the
 * provider's cache is cold, so that it costs nothing there, and only while nothing else has been folded.
 */

import type { Moment } from "../state/find-need.ts";
import { NO_HOLD } from "../state/hold-lease.ts";
import { isCacheWarm } from "../state/is-cache-warm.ts";
import type { SessionState } from "../state/session-state.ts";
import type { Acted } from "./compact-now.ts";
import { replaceSummary } from "./summary-history.ts";

/** Undefined where nothing has come, or the cache is warm. */
export async function applyLate(state: SessionState, moment: Moment): Promise<Acted | undefined> {
  const { head } = moment.conversation;
  const answer = state.late.find(head.summary?.id);
  if (answer === undefined || isCacheWarm({ ...moment, head })) return undefined;
  const grownTokens = answer.record.tokensAfter - (head.summary?.tokensAfter ?? 0);
  if (moment.promptTokens + grownTokens > moment.limits.limitTokens) {
    state.late.discard();
    return undefined;
  }
  const { attempts } = answer;
  const report = await replaceSummary(state, answer.record, { moment, hold: NO_HOLD, attempts, phase: "background" });
  if (report === undefined) {
    state.late.discard();
    return { type: "again" };
  }
  state.late.take(answer);
  return { type: "written", report };
}
