/**
 * Scores a gap with two logistic models: one for short conversations, and one for meetings of hundreds of turns, where
 * words change often and topics seldom. `bench/train-topics.ts` learns the weights. Files, tools, time and resets have
 * fixed weights, because the training data has none.
 */
import type { GapReading } from "./gap-reader.ts";
import { LONG_TALK_WEIGHTS, TALK_WEIGHTS, type TopicWeights } from "./topic-weights.ts";
import { hasTrait, type TraitName } from "./turn-traits.ts";

export interface GapScore {
  readonly index: number;
  /** Above 0 if a new topic is likely in a short conversation. */
  readonly talk: number;
  /** The same for a long conversation. */
  readonly longTalk: number;
  readonly reason: string;
}

const RESET = 3;
const SWITCH = 1.5;
const FOLLOW_UP = -0.8;
/** A request in the middle of work on files or with tools usually continues that work. */
const AT_WORK = -0.6;
const FILES = 1.4;
const TOOLS = 0.4;
const OTHER_WORK = 0.5;
const PAUSE = 3;
/** Weight of a change of words that is unusual in its conversation, in deviations above `from`, within limits. */
const UNUSUAL_CHANGE = { weight: 0.5, from: 1, least: -1, most: 1.5 } as const;
/** Weight of an opening whose words occurred some turns ago and not in the last turns. */
const RETURNING = -1;
const SURE_TALK = 2;
const MAX_REASONS = 3;
/** Maximum logarithm of the number of words in a turn. */
const MAX_LOG_WORDS = 5;

export function scoreGap(reading: GapReading): GapScore {
  const byHand = scoreWork(reading);
  const plain = weighFeatures(reading.features, TALK_WEIGHTS) + scoreVocabulary(reading);
  const longTalk = raiseLongScore(weighFeatures(longTalkFeatures(reading, plain), LONG_TALK_WEIGHTS), plain);
  return {
    index: reading.index,
    talk: roundSum(plain + byHand),
    longTalk: roundSum(longTalk + byHand),
    reason: reasonOf(reading),
  };
}

/**
 * Scores an unusual change of words, and words that return after a few turns, with fixed weights. The training data is
 * polite English; other languages and terse texts show few other signs.
 */
export function scoreVocabulary({ deviations, features }: GapReading): number {
  const { weight, from, least, most } = UNUSUAL_CHANGE;
  const returning = Math.max(0, (features.fresh ?? 0) - (features.unheard ?? 0));
  return weight * Math.max(least, Math.min(most, deviations - from)) + RETURNING * returning;
}

/** Returns the features for a long conversation, which include its score as a short one. */
export function longTalkFeatures(
  { features, deviations, cue, traits, words }: GapReading,
  talk: number,
): Readonly<Record<string, number>> {
  return {
    talk,
    deviations,
    turn: cue === "turn" ? 1 : 0,
    length: Math.min(MAX_LOG_WORDS, Math.log1p(words)),
    callsToOrder: hasTrait(traits, "callsToOrder"),
    opensItem: hasTrait(traits, "opensItem"),
    thanked: features["before.thanks"] ?? 0,
  };
}

/** Raises the score for a long conversation if the score for a short one is high. */
export function raiseLongScore(longTalk: number, talk: number): number {
  return Math.max(longTalk, talk - SURE_TALK);
}

export function weighFeatures(features: Readonly<Record<string, number>>, { bias, weights }: TopicWeights): number {
  let sum = bias;
  for (const [name, weight] of weights) sum += weight * (features[name] ?? 0);
  return sum;
}

export function scoreWork({ cue, traits, work }: GapReading): number {
  const { filesApart, toolsApart, hasOtherWork, pause } = work;
  let sum = PAUSE * pause;
  if (cue === "reset") sum += RESET;
  if (cue === "switch") sum += SWITCH;
  if (cue === "follow-up" && !CONTINUING_TRAITS.some((name) => hasTrait(traits, name))) sum += FOLLOW_UP;
  if (filesApart !== undefined || toolsApart !== undefined) sum += AT_WORK;
  if (filesApart !== undefined) sum += FILES * (2 * filesApart - 1);
  if (hasOtherWork) sum += OTHER_WORK;
  return sum + TOOLS * (toolsApart ?? 0);
}

/** Traits by which the learned weights already recognize a turn that continues the last one. */
const CONTINUING_TRAITS: readonly TraitName[] = ["agrees", "denies", "reacts", "pointsBack", "connects"];

/** Rounds, so that machines whose logarithms differ in the last digits agree on the larger sum. */
function roundSum(sum: number): number {
  return Math.round(sum * 10_000) / 10_000;
}

function reasonOf({ features, cue, traits, work }: GapReading): string {
  const said: readonly (readonly [boolean, string])[] = [
    [cue === "reset", "the message drops what came before"],
    [cue === "switch", "the message announces another topic"],
    [work.pause > 0, "time has passed"],
    [(work.filesApart ?? 0) > 0.5, "the work moves to other files"],
    [work.hasOtherWork, "the kind of work changes"],
    [(features.endsThenGoesOn ?? 0) > 0.5, "the previous topic was closed"],
    [(features.cut3 ?? 0) > 0.8, "its words differ from those before"],
    [hasTrait(traits, "requests") === 1, "it opens with a request"],
    [hasTrait(traits, "asks") === 1, "it opens with a question"],
    [cue === "turn", "it opens like a new topic"],
    [(work.toolsApart ?? 0) > 0.5, "other tools are used"],
  ];
  const words = said.flatMap(([holds, reason]) => (holds ? [reason] : []));
  return words.length === 0 ? "several weak signs" : words.slice(0, MAX_REASONS).join("; ");
}
