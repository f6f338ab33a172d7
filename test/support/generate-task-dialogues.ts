/**
 * Dialogues of callers who want one thing after another, generated from a seed: stretches about restaurants, trains,
 * weather and similar topics, joined without a transition. The start of each stretch is known, so that a topic detector
 * can be scored. They are more regular than real dialogues, so a score on them detects regressions, but says little
 * about real use.
 */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import { FAREWELLS, TASK_TOPICS, type TaskTopic } from "./task-dialogue-phrases.ts";

export interface TaskTurn {
  readonly speaker: "user" | "assistant";
  readonly text: string;
}

export interface TaskDialogue {
  readonly turns: readonly TaskTurn[];
  /** Index of the first turn of each stretch except the first. */
  readonly starts: readonly number[];
}

export interface TaskDialogueOptions {
  readonly matters?: readonly TaskTopic[] | undefined;
  readonly stretches?: number | undefined;
}

const MAX_EXCHANGES = 4;
const SHARE_WITH_PARTING = 0.6;
const SHARE_WITH_MENTION = 0.35;
/** Share of stretches that begin in the middle, like in logs that were cut and joined. */
const SHARE_WITHOUT_OPENING = 0.15;

export function generateTaskDialogue(
  random: SeededRandom,
  { matters = TASK_TOPICS, stretches = 3 + random.integer(5) }: TaskDialogueOptions = {},
): TaskDialogue {
  const turns: TaskTurn[] = [];
  const starts: number[] = [];
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    if (turns.length > 0) starts.push(turns.length);
    turns.push(...generateStretch(random, random.pick(matters)));
  }
  return { turns, starts };
}

function generateStretch(random: SeededRandom, matter: TaskTopic): readonly TaskTurn[] {
  const values = new Map(Object.entries(matter.values).map(([name, choices]) => [name, random.pick(choices)]));
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? name);
  const exchanges = random.shuffle(matter.exchanges).slice(0, random.integer(MAX_EXCHANGES));
  const parting = random.next() < SHARE_WITH_PARTING ? random.pick(FAREWELLS) : [];
  const mention = (text: string) =>
    random.next() < SHARE_WITH_MENTION ? text.replace(/( ?[.?!])?$/, ` ${random.pick(matter.mentions)}$1`) : text;
  const hasOpening = exchanges.length === 0 || random.next() >= SHARE_WITHOUT_OPENING;
  const opening = hasOpening ? [random.pick(matter.openings), random.pick(matter.answers)] : [];
  const about = [...opening, ...exchanges.flat()].map(mention);
  const texts = [...about, ...parting];
  const isPlain = random.next() < 0.3;
  return texts.map((text, place) => ({
    speaker: place % 2 === 0 ? "user" : "assistant",
    text: isPlain ? fill(text).toLowerCase() : fill(text),
  }));
}
