/** From a need to what is done about it: what is ready is used, what cannot wait is done now, what can is weighed. */

import { countOpenThinking } from "../state/find-need.ts";
import { IS_PREPARING } from "../state/preparation.ts";
import type { SessionState } from "../state/session-state.ts";
import { compactIfWorthwhile } from "./act-softly.ts";
import { type CompactionOutcome, type CompactionTask, compactNow } from "./compact-now.ts";
import { applyPrepared, findPrepared, waitForPreparation } from "./prepare-compaction.ts";

export async function compactForNeed(state: SessionState, action: CompactionTask): Promise<CompactionOutcome> {
  const { epoch } = action.snapshot.conversation.head;
  if (action.need.need === "hard" && !(await waitForPreparation(state, action.waiting))) {
    return { type: "held", reason: IS_PREPARING };
  }
  const ready = findPrepared(state, epoch);
  if (ready !== undefined) return applyPrepared(state, action, ready);
  // What could wait does not cost an open turn its thinking unweighed.
  const isWeighed = action.snapshot.settings.gate || countOpenThinking(action.snapshot) > 0;
  const isBlocking = action.need.need === "hard" || !isWeighed;
  return isBlocking ? compactNow(state, action) : compactIfWorthwhile(state, action);
}
