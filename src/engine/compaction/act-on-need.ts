/** From a need to what is done about it: what is ready is used, what cannot wait is done now, what can is weighed. */

import { countOpenThinking } from "../state/find-need.ts";
import { IS_PREPARING } from "../state/preparation.ts";
import type { SessionState } from "../state/session-state.ts";
import { actSoftly } from "./act-softly.ts";
import { type Acted, type Action, compactNow } from "./compact-now.ts";
import { applyPrepared, findReady, waitForPreparation } from "./prepare-compaction.ts";

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
