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

const NEWER = { fate: "verbatim", reason: "newer than the view", entryId: undefined } as const;
const OUT_OF_VIEW: readonly Fate[] = ["summarised", "truncated", "cleared"];
const DELETED = { fate: "deleted", reason: "deleted by its owner", entryId: undefined } as const;

/** A deleted message that is out of the view for another reason has that fate, as in the plan. */
export function explainMessage(view: View, entry: MessageEntry): Explanation {
  const { seq } = entry;
  const run = makePlan(view).runs.find((candidate) => candidate.firstSeq <= seq && candidate.lastSeq >= seq);
  const isDeleted = entry.erased === true && (run === undefined || !OUT_OF_VIEW.includes(run.fate));
  const { fate, reason, entryId } = isDeleted ? DELETED : (run ?? NEWER);
  const isShown = !isDeleted && [...view.kept, ...view.messages].some((item) => item.seq === seq);
  return { messageId: entry.message.id, seq, fate, reason, entryId, isShown };
}
