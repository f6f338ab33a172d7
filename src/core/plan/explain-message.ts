/** Answers "why does it not know that?": where one message is now, and why. */
import type { MessageEntry } from "../log/entry.ts";
import type { View } from "../log/view.ts";
import { type Fate, makePlan } from "./plan.ts";

export interface Explanation {
  readonly messageId: string;
  readonly seq: number;
  readonly fate: Fate;
  readonly reason: string;
  readonly entryId?: string | undefined;
  /** Whether the model sees any of its own words in the next prompt. */
  readonly isShown: boolean;
  /** Whether it is so for the next prompt alone, which would be too large otherwise: nothing of that is in the log yet. */
  readonly isAhead?: boolean | undefined;
}

export function explainMessage(view: View, entry: MessageEntry): Explanation {
  const { seq } = entry;
  const messageId = entry.message.id;
  if (entry.erased === true) return { messageId, seq, fate: "deleted", reason: "deleted by its owner", isShown: false };
  const run = makePlan(view).runs.find((candidate) => candidate.firstSeq <= seq && candidate.lastSeq >= seq);
  const shown = [...view.kept, ...view.messages].some((item) => item.seq === seq);
  const { fate = "verbatim", reason = "newer than the view", entryId } = run ?? {};
  return { messageId, seq, fate, reason, entryId, isShown: shown };
}
