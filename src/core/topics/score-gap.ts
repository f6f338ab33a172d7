/**
 * Weighs what was read at a gap: once as in a talk of everyday length, once as in a meeting of hundreds of turns, where
 * words break all the time and topics seldom. Both are logistic models; their weights are learned by
 * `bench/train-topics.ts`. What the marked conversations had nothing to teach about (files, tools, time, resets) is
 * weighed by hand. Says in words what weighed most.
 */
import type { GapReading } from "./gap-reader.ts";
import { LONG_TALK_WEIGHTS, TALK_WEIGHTS, type TopicWeights } from "./topic-weights.ts";
import { has, type TraitName } from "./turn-traits.ts";

export interface GapScore {
  readonly index: number;
  /** Above 0 where a new topic is likelier worth telling than not, as in a talk of everyday length. */
  readonly talk: number;
  /** The same as in a long one. */
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
/** How a break of the words stands out in its own conversation, in deviations: from where on, and how far. */
const STANDS_OUT = { weight: 0.5, from: 1, least: -1, most: 1.5 } as const;
/** For an opening that is all words of some turns ago and none of the last ones. */
const RETURNING = -1;
const SURE_TALK = 2;
const MOST_REASONS = 3;
/** Longer turns count as this long. */
const LONGEST_TURN = 5;

export function scoreGap(reading: GapReading): GapScore {
  const byHand = weighByHand(reading);
  const plain = weigh(reading.features, TALK_WEIGHTS) + weighGiven(reading);
  const longTalk = atLeastSure(weigh(longTalkFeatures(reading, plain), LONG_TALK_WEIGHTS), plain);
  return {
    index: reading.index,
    talk: rounded(plain + byHand),
    longTalk: rounded(longTalk + byHand),
    reason: reasonOf(reading),
  };
}

/**
 * Not learned but given: how a break stands out in its own conversation, and words that are taken up again after a few
 * turns. The dialogues to learn from are in English and full of manners, while other languages and plain talk about
 * things show little else.
 */
export function weighGiven({ deviations, features }: GapReading): number {
  const { weight, from, least, most } = STANDS_OUT;
  const returning = Math.max(0, (features.fresh ?? 0) - (features.unheard ?? 0));
  return weight * Math.max(least, Math.min(most, deviations - from)) + RETURNING * returning;
}

/** Features for a conversation of hundreds of turns; one of them is its score as a short one. */
export function longTalkFeatures(
  { features, deviations, cue, traits, words }: GapReading,
  talk: number,
): Readonly<Record<string, number>> {
  return {
    talk,
    deviations,
    turn: cue === "turn" ? 1 : 0,
    length: Math.min(LONGEST_TURN, Math.log1p(words)),
    callsToOrder: has(traits, "callsToOrder"),
    opensItem: has(traits, "opensItem"),
    thanked: features["before.thanks"] ?? 0,
  };
}

/** A change that is plain enough in a short talk is one in a long talk too. */
export function atLeastSure(longTalk: number, talk: number): number {
  return Math.max(longTalk, talk - SURE_TALK);
}

export function weigh(features: Readonly<Record<string, number>>, { bias, weights }: TopicWeights): number {
  let sum = bias;
  for (const [name, weight] of weights) sum += weight * (features[name] ?? 0);
  return sum;
}

export function weighByHand({ cue, traits, work }: GapReading): number {
  const { filesApart, toolsApart, otherWork, pause } = work;
  let sum = PAUSE * pause;
  if (cue === "reset") sum += RESET;
  if (cue === "switch") sum += SWITCH;
  if (cue === "follow-up" && !LEANING.some((name) => has(traits, name))) sum += FOLLOW_UP;
  if (filesApart !== undefined || toolsApart !== undefined) sum += AT_WORK;
  if (filesApart !== undefined) sum += FILES * (2 * filesApart - 1);
  if (otherWork) sum += OTHER_WORK;
  return sum + TOOLS * (toolsApart ?? 0);
}

/** Where one of these is seen, the learned weights know already that the turn leans on what came before. */
const LEANING: readonly TraitName[] = ["agrees", "denies", "reacts", "pointsBack", "connects"];

/** So that machines that differ in the last digits of a logarithm agree on what is larger. */
function rounded(sum: number): number {
  return Math.round(sum * 10_000) / 10_000;
}

function reasonOf({ features, cue, traits, work }: GapReading): string {
  const said: readonly (readonly [boolean, string])[] = [
    [cue === "reset", "what came before is dropped"],
    [cue === "switch", "somebody says that they turn to something else"],
    [work.pause > 0, "time has passed"],
    [(work.filesApart ?? 0) > 0.5, "other files are worked on"],
    [work.otherWork, "the kind of work changes"],
    [(features.endsThenGoesOn ?? 0) > 0.5, "what came before was brought to its end"],
    [(features.cut3 ?? 0) > 0.8, "the words have little in common with what came before"],
    [has(traits, "requests") === 1, "a request opens it"],
    [has(traits, "asks") === 1, "a question opens it"],
    [cue === "turn", "the message opens like a new matter"],
    [(work.toolsApart ?? 0) > 0.5, "other tools are used"],
  ];
  const words = said.flatMap(([holds, reason]) => (holds ? [reason] : []));
  return words.length === 0 ? "several small signs together" : words.slice(0, MOST_REASONS).join("; ");
}
