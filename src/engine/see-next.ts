/**
 * The view that the next prompt would show, for whoever asks what became of a message. Where all that was said does not
 * fit, or the policy sends only some of it, that is not the view of the log: strip, plan and explanation are made of this
 * one, so that what they show is what would be sent. Nothing is written.
 *
 * Of a log with thousands of messages that nobody has folded they tell what the log says: to look ahead would take as
 * long as folding them, and everybody waits meanwhile.
 */
import type { View } from "../core/log/view.ts";
import { shownView } from "./finish-prompt.ts";
import { floorOfError } from "./floor-of-error.ts";
import { makeReady } from "./hand-out-prompt.ts";
import { requestOf, type SeenAs } from "./prompt-request.ts";
import type { SessionState } from "./session-state.ts";

export interface SeenNext {
  readonly view: View;
  /** Whether some of it is for the next prompt alone: no entry of the log says so yet. */
  readonly isAhead: boolean;
}

const MOST_FORESEEN = 2_000;

export async function seeNext(state: SessionState, as: SeenAs | undefined): Promise<SeenNext> {
  const stored = (await state.current()).view;
  if (stored.messages.length > MOST_FORESEEN) return { view: stored, isAhead: false };
  const request = requestOf(state, as);
  try {
    const finish = await makeReady(state, { request, workspace: state.workspace.gathered });
    const view = finish.moment.conversation.explain(shownView(finish));
    return { view, isAhead: finish.passing !== undefined };
  } catch (error) {
    // Nothing can be sent at all; what the log says is what there is to see.
    if (floorOfError(error) === undefined) throw error;
    return { view: stored, isAhead: false };
  }
}
