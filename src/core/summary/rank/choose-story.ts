/**
 * Starts choosing the lines of a story, with what they cost in the text and with what the text says beside the story.
 */

import { contentWords } from "../../language/content-words.ts";
import { createFaithCheck } from "../claims/is-faithful.ts";
import type { ConversationKind } from "../read/conversation-kind.ts";
import { BULLET } from "../record/layout.ts";
import type { LineChooser } from "./choose-lines.ts";
import { startChoosing } from "./choose-lines.ts";
import type { Salience, SalientLine } from "./salience.ts";

export interface Choosing {
  readonly kind: ConversationKind;
  /** What the text says beside the story. */
  readonly said: readonly string[];
  readonly count: (text: string) => number;
}

/** A day is written once for all lines of it. */
const DATE_TOKENS = 7;

export function chooseStory(salience: Salience, { kind, said, count }: Choosing): Generator<undefined, LineChooser> {
  const placesOf = (text: string): readonly number[] =>
    contentWords(text).flatMap((word) => salience.places.get(salience.wordOf?.(word) ?? word) ?? []);
  const dates = new Set<string>();
  const cost = ({ candidate: { body, date } }: SalientLine): number => {
    const isNew = date !== undefined && !dates.has(date);
    if (isNew) dates.add(date);
    return count(`${BULLET}${body}\n`) + (isNew ? DATE_TOKENS : 0);
  };
  return startChoosing(salience, { kind, said, placesOf, cost, isFaithful: createFaithCheck() });
}
