/**
 * Weighs what speaks for a new topic at a gap into one confidence, and says in words what weighed most. The weights are
 * those of a logistic model, fitted once to marked dialogues and then rounded and mended by hand where those had
 * nothing to say (files, tools, time, resets). Words alone must break clearly; a cue alone is never believed where the
 * words go on as before.
 */
import type { GapEvidence } from "./gap-evidence.ts";
import type { TopicUnit } from "./topic-unit.ts";

export interface ScoredGap {
  readonly evidence: GapEvidence;
  readonly unit: TopicUnit;
  /** How this cut stands out from the other cuts of the conversation, in their deviations. */
  readonly deviations: number;
  readonly usualCut: number;
  /** Gaps that were looked at before this one. */
  readonly gapsBefore: number;
}

export interface GapScore {
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reason: string;
}

interface Weighed {
  readonly weight: number;
  /** Only what can speak for a boundary has words. */
  readonly words?: string | undefined;
}

const BIAS = -2.2;
const CUE_WEIGHTS = { reset: 3, switch: 2, turn: 0.5, "follow-up": -0.8 } as const;
const CUE_WORDS = {
  reset: "what came before is dropped",
  switch: "somebody says that they turn to something else",
  turn: "the message opens like a new matter",
  "follow-up": undefined,
} as const;
const MOST_REASONS = 3;
const STRONGEST_DEVIATION = 3;
/** From so many gaps on, breaks of words alone must stand out more: meetings have hundreds of breaks and few topics. */
const SHORT_TALK_GAPS = 20;
const LONG_TALK_GAPS = 300;

export function scoreGap(gap: ScoredGap): GapScore {
  const weighed = weigh(gap);
  const sum = weighed.reduce((total, { weight }) => total + weight, BIAS);
  const confidence = Math.round(1_000 / (1 + Math.exp(-sum))) / 1_000;
  return { confidence, reason: reasonOf(weighed) };
}

function weigh({ evidence, unit, deviations, usualCut, gapsBefore }: ScoredGap): readonly Weighed[] {
  const { cut, fresh, taken, bridge, files, tools, pause, substance } = evidence;
  const standsOut = Math.max(-2, Math.min(STRONGEST_DEVIATION, deviations)) / STRONGEST_DEVIATION;
  const words = 2.2 * standsOut + substance * (1.4 * cut + 1.4 * (cut - usualCut)) + 0.6 * fresh * taken;
  return [
    { weight: words, words: "the words have little in common with what came before" },
    { weight: -1.2 * bridge },
    { weight: -1.8 * talkLength(gapsBefore) },
    { weight: unit.asks ? 0.5 : 0, words: "a question opens it" },
    { weight: unit.byUser ? 0.6 : 0 },
    ...(unit.cue === undefined ? [] : [{ weight: CUE_WEIGHTS[unit.cue], words: CUE_WORDS[unit.cue] }]),
    { weight: 0.8 * files, words: "other files are worked on" },
    { weight: 0.4 * tools, words: "other tools are used" },
    { weight: 2.4 * pause, words: "time has passed" },
  ];
}

/** 0 in a short talk, 1 in a long one. */
function talkLength(gaps: number): number {
  const length = Math.log(Math.max(1, gaps) / SHORT_TALK_GAPS) / Math.log(LONG_TALK_GAPS / SHORT_TALK_GAPS);
  return Math.max(0, Math.min(1, length));
}

function reasonOf(weighed: readonly Weighed[]): string {
  const words = weighed
    .filter(({ weight, words: said }) => weight >= 0.3 && said !== undefined)
    .toSorted((one, other) => other.weight - one.weight)
    .flatMap(({ words: said }) => said ?? [])
    .slice(0, MOST_REASONS)
    .join("; ");
  return words === "" ? "nothing in particular" : words;
}
