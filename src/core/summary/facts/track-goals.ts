/**
 * Tracks the goals of the user as a stack: a standing aim and the open tasks. A new request replaces the open task; a
 * nested one is put on top of it. `GoalChanges` describes what a stretch does to the goals of the chain before it.
 */
import { contentStems } from "../../language/words.ts";
import type { MessageId } from "../../message/message.ts";
import { type GoalStep, isAdjustment, isErrand, readGoalSentence } from "../read/find-requests.ts";
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

/** Sentences of a message after which none finishes a task. */
const MAX_BEFORE_FINISH = 3;

export function createGoalTracker(textOf: (sentences: readonly string[]) => string): GoalTracker {
  const goals: Goal[] = [];
  let closed = 0;
  let dropped: string | undefined;
  let returnsTo: string | undefined;
  let isNestedFirst: boolean | undefined;
  let replacesAll = false;
  const close = (): void => {
    const last = goals.at(-1);
    // The first words of a stretch may merely continue an earlier task.
    if (last === undefined || last.isGuess === true) closed += 1;
    if (last?.isStanding === false) goals.pop();
  };
  const open = (goal: Goal, isNested: boolean): void => {
    isNestedFirst ??= isNested;
    if (!isNested && (goals.length > 1 || goals.some(({ text }) => isErrand(text)))) close();
    goals.push({ ...goal, isStanding: goal.isStanding && goals.length === 0 });
    if (goals.length > MAX_GOALS) goals.splice(1, 1);
  };
  const replaceAll = (goal: Goal): void => {
    isNestedFirst ??= false;
    replacesAll = true;
    goals.splice(0, goals.length, goal);
  };
  const steps: Readonly<Record<Exclude<GoalStep, OpeningStep>, (sentence: string) => void>> = {
    finish: close,
    "give-up": close,
    "finish-subject": (sentence) => {
      if (sharesWord(sentence, goals.at(-1)?.text ?? "")) close();
    },
    "give-up-subject": (sentence) => {
      const place = goals.findLastIndex(({ text }) => sharesWord(sentence, text));
      if (place >= 0) goals.splice(place);
      else dropped = sentence;
    },
    return: (sentence) => {
      const place = goals.findLastIndex(({ text }) => sharesWord(sentence, text));
      if (place >= 0) goals.splice(place + 1);
      else if (goals.length > 1) goals.pop();
      // With one goal of this stretch, an earlier one is below it only if it is nested.
      else if (isNestedFirst === true || goals.every(({ isGuess }) => isGuess === true)) {
        goals.pop();
        returnsTo = sentence;
      }
    },
  };
  return {
    goals,
    readUser(sentences, place) {
      let hasOpened = false;
      let isApproved = false;
      for (const [index, sentence] of sentences.entries()) {
        const { steps: found, isNested, isApproval } = readGoalSentence(sentence);
        isApproved ||= isApproval === true;
        for (const step of found) {
          // "That is all." behind a request ends the message, not the task.
          if (step === "finish" && (hasOpened || index > MAX_BEFORE_FINISH) && !found.some(isOpening)) continue;
          if (!isOpening(step)) steps[step](sentence);
          else if (!hasOpened && !isAdjustment(sentence, goals.at(-1)?.text ?? "")) {
            hasOpened = true;
            const goal = { text: textOf(sentences.slice(index)), isStanding: step !== "open", place };
            if (isApproved && !found.includes("finish")) close();
            if (step === "replace") replaceAll(goal);
            else open(goal, isNested);
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
      replaceAll({ text, isStanding: true, place });
    },
    changes: () => {
      const isGuess = goals[0]?.isGuess === true;
      if (closed === 0 && returnsTo === undefined && dropped === undefined && isNestedFirst === undefined && !isGuess)
        return undefined;
      return {
        closed,
        ...(isGuess ? { isGuess } : {}),
        ...(isNestedFirst === true ? { isNested: true } : {}),
        ...(dropped === undefined ? {} : { dropped }),
        ...(replacesAll ? { replacesAll } : {}),
        ...(returnsTo === undefined ? {} : { returnsTo }),
      };
    },
  };
}

type OpeningStep = "open" | "open-standing" | "replace";

function isOpening(step: GoalStep): step is OpeningStep {
  return step === "open" || step === "open-standing" || step === "replace";
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
  if (changes.replacesAll === true && opens) return [];
  const kept = [...before];
  for (let count = 0; count < changes.closed; count += 1) if (kept.at(-1)?.isStanding !== true) kept.pop();
  const { dropped } = changes;
  const place = dropped === undefined ? -1 : kept.findLastIndex(({ text }) => sharesWord(dropped, text));
  if (place >= 0) kept.splice(place);
  if (changes.returnsTo !== undefined) returnTo(changes.returnsTo, kept);
  if (!opens || changes.isNested === true) return kept;
  // A task that is not nested replaces the open ones. The first goal stays, unless it is an errand.
  return kept.slice(0, 1).filter(({ text, isStanding }) => isStanding === true || !isErrand(text));
}

/** Removes the goals above the one that a sentence names, or the newest one if others are below it. */
function returnTo(sentence: string, goals: Fact[]): void {
  const place = goals.findLastIndex(({ text }) => sharesWord(sentence, text));
  if (place >= 0) goals.splice(place + 1);
  else if (goals.length > 1) goals.pop();
}
