/** Reads the gaps of marked dialogues as the detector does, with whether a topic starts there, as training data. */
import { GapReader, type GapReading } from "../../src/core/topics/gap-reader.ts";
import { type MarkedDialogue, messagesOf } from "./marked-dialogue.ts";

export interface MarkedGap {
  readonly reading: GapReading;
  readonly isStart: boolean;
}

export interface DialogueGaps {
  readonly dialogue: MarkedDialogue;
  readonly gaps: readonly MarkedGap[];
}

export function readGaps(dialogue: MarkedDialogue): DialogueGaps {
  const reader = new GapReader();
  const readings = messagesOf(dialogue).flatMap((message) => reader.add(message));
  const starts = new Set(dialogue.starts);
  const gaps = [...readings, ...reader.readOpen()].map((reading) => ({ reading, isStart: starts.has(reading.index) }));
  return { dialogue, gaps };
}

/** Returns the gaps whose sum is at least `from` and that no near gap outranks; of equal ones the first. */
export function pickPeaks(
  { gaps }: DialogueGaps,
  { sums, from, near }: { readonly sums: readonly number[]; readonly from: number; readonly near: number },
): readonly number[] {
  return gaps.flatMap(({ reading }, place) => {
    const sum = sums[place] ?? Number.NEGATIVE_INFINITY;
    const isPeak =
      sum >= from &&
      sums.slice(Math.max(0, place - near), place).every((earlier) => earlier < sum) &&
      sums.slice(place + 1, place + 1 + near).every((later) => later <= sum);
    return isPeak ? [reading.index] : [];
  });
}
