/** From a need to what is done about it: what is ready is used, what cannot wait is done now, what can is weighed. */
import { actSoftly } from "./act-softly.ts";
import { type Acted, type Action, compactNow } from "./compact-now.ts";
import { countOpenThinking } from "./find-need.ts";
import { IS_PREPARING } from "./preparation.ts";
import { applyPrepared, findReady, waitForPreparation } from "./prepare-compaction.ts";
import type { SessionState } from "./session-state.ts";

export async function actOnNeed(state: SessionState, action: Action): Promise<Acted> {
  const { epoch } = action.moment.conversation.head;
  if (action.need.need === "hard" && !(await waitForPreparation(state, action.waiting))) {
    return { type: "held", reason: IS_PREPARING };
  }
  const ready = findReady(state, epoch);
  if (ready !== undefined) return applyPrepared(state, action, ready);
  // What could wait does not cost an open turn its thinking unweighed.
  const isWeighed = action.moment.settings.gate || countOpenThinking(action.moment) > 0;
  const isBlocking = action.need.need === "hard" || !isWeighed;
  return isBlocking ? compactNow(state, action) : actSoftly(state, action);
}
