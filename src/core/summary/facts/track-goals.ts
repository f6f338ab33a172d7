/**
 * Tracks the goals of the user as a stack: a standing aim and the open tasks. A new request replaces the open task; a
 * nested one is put on top of it. `GoalChanges` describes what a stretch does to the goals of the chain before it.
 */
import { contentStems } from "../../language/words.ts";
import type { MessageId } from "../../message/message.ts";
import { type GoalStep, isErrand, readGoalSentence } from "../read/find-requests.ts";
import type { Fact, GoalChanges } from "../record/record.ts";

export interface Goal {
  readonly text: string;
  readonly isStanding: boolean;
  /** True for the first words of the stretch, if they are not a clear request. */
  readonly isGuess?: boolean | undefined;
  readonly place: GoalPlace;
}

interface GoalPlace {
  readonly source: MessageId;
  readonly turn: number;
}

export interface GoalTracker {
  readonly goals: readonly Goal[];
  /** Reads the sentences of one message of the user. */
  readUser(sentences: readonly string[], place: GoalPlace): void;
  /** Notes finished work that the assistant reports. */
  noteDone(text: string): void;
  /** Sets an aim that the user states as such. */
  setAim(text: string, place: GoalPlace): void;
  changes(): GoalChanges | undefined;
}

/** Maximum number of goals: the first one, and the newest others. */
const MAX_GOALS = 3;

export function createGoalTracker(textOf: (sentences: readonly string[]) => string): GoalTracker {
  const goals: Goal[] = [];
  let closed = 0;
  let isNestedFirst: boolean | undefined;
  const close = (): void => {
    const last = goals.at(-1);
    if (last === undefined) closed += 1;
    else if (!last.isStanding) goals.pop();
  };
  const open = (goal: Goal, isNested: boolean): void => {
    isNestedFirst ??= isNested;
    if (!isNested && (goals.length > 1 || goals.some(({ text }) => isErrand(text)))) close();
    goals.push({ ...goal, isStanding: goal.isStanding && goals.length === 0 });
    if (goals.length > MAX_GOALS) goals.splice(1, 1);
  };
  const steps: Readonly<Record<Exclude<GoalStep, "open" | "open-standing">, (sentence: string) => void>> = {
    finish: close,
    "give-up": close,
    "finish-subject": (sentence) => {
      if (sharesWord(sentence, goals.at(-1)?.text ?? "")) close();
    },
    return: () => {
      // With only one goal there is nothing to return to, unless it is nested in a goal of an earlier stretch.
      if (goals.length !== 1 || isNestedFirst === true) close();
    },
  };
  return {
    goals,
    readUser(sentences, place) {
      let hasOpened = false;
      for (const [index, sentence] of sentences.entries()) {
        const { steps: found, isNested } = readGoalSentence(sentence);
        for (const step of found) {
          if (step !== "open" && step !== "open-standing") steps[step](sentence);
          else if (!hasOpened) {
            hasOpened = true;
            const text = textOf(sentences.slice(index));
            open({ text, isStanding: step === "open-standing", place }, isNested);
          }
        }
      }
      if (goals.length > 0 || closed > 0 || isNestedFirst !== undefined) return;
      const text = textOf(sentences);
      if (text === "") return;
      goals.push({ text, isStanding: false, isGuess: true, place });
    },
    noteDone(text) {
      const last = goals.at(-1);
      if (last !== undefined && !last.isStanding && isAbout(text, last.text)) goals.pop();
    },
    setAim(text, place) {
      isNestedFirst ??= false;
      goals.splice(0, goals.length, { text, isStanding: true, place });
    },
    changes: () => {
      const isGuess = goals[0]?.isGuess === true;
      if (closed === 0 && isNestedFirst === undefined && !isGuess) return undefined;
      return { closed, ...(isGuess ? { isGuess } : {}), ...(isNestedFirst === true ? { isNested: true } : {}) };
    },
  };
}

/** Share of a task's words that a report must have to finish it. */
const MIN_WORD_SHARE = 0.6;

function sharesWord(sentence: string, task: string): boolean {
  const words = contentStems(task);
  return [...contentStems(sentence)].some((word) => words.has(word));
}

function isAbout(report: string, task: string): boolean {
  const words = [...contentStems(task)];
  const told = contentStems(report);
  return words.length > 1 && words.filter((word) => told.has(word)).length >= MIN_WORD_SHARE * words.length;
}

/** Returns the goals of the chain that still hold after a stretch with these changes. */
export function keepOpenGoals(before: readonly Fact[], changes: GoalChanges, opens: boolean): readonly Fact[] {
  const kept = [...before];
  for (let count = 0; count < changes.closed; count += 1) if (kept.at(-1)?.isStanding !== true) kept.pop();
  if (!opens || changes.isNested === true) return kept;
  // A task that is not nested replaces the open ones. The first goal stays, unless it is an errand.
  return kept.slice(0, 1).filter(({ text, isStanding }) => isStanding === true || !isErrand(text));
}
