/**
 * Computes the features of a gap between two units: the overlap of words on both sides, near and far, new and repeated
 * words, traits of the turns around the gap, and the kind of conversation. `bench/train-topics.ts` learns the weights.
 * Ignores speakers, so that conversations with and without names score alike.
 */
import type { TopicUnit } from "./topic-unit.ts";
import { hasTrait, scoreClosing, TRAIT_NAMES, type TraitName } from "./turn-traits.ts";

export interface GapView {
  readonly units: readonly TopicUnit[];
  /** Index in `units` of the unit after the gap. */
  readonly place: number;
  readonly talk: TalkStatistics;
}

export interface TalkStatistics {
  /** Resemblance to customer service, from 0 to about 2. */
  readonly service: number;
  /** Mean logarithm of the lengths of turns. */
  readonly usualLength: number;
  weigh(term: string): number;
}

/** Numbers of units on each side of the gap that are compared. */
const WINDOWS = [1, 2, 3, 5] as const;
/** Number of units after the gap that influence its features. */
export const FEATURE_UNITS_AFTER = 5;
export const FEATURE_UNITS_BEFORE = 12;
const CLOSE_TURNS = 2;
const FADE = 0.9;
const NEW_FROM = 0.7;

const TRAIT_FEATURES = TRAIT_NAMES.map((name) => ({
  name,
  ofNow: `now.${name}`,
  ofBefore: `before.${name}`,
  ofNext: `next.${name}`,
}));
/** Traits that matter two turns before the gap. */
const TRAITS_TWO_BEFORE = ["thanks", "leaves", "welcomes", "hasEnough", "offersMore", "asks"] as const;
/** Features that have a different meaning in customer service. */
const KIND_DEPENDENT = [
  "now.asks",
  "now.asksYou",
  "now.requests",
  "now.asksWhat",
  "now.tellsOfSelf",
  "now.reacts",
  "now.agrees",
  "before.asks",
  "asksAfresh",
  "endsThenGoesOn",
] as const;

export type GapFeatures = Readonly<Record<string, number>>;

export function gapFeatures(view: GapView): GapFeatures {
  const features: Record<string, number> = {};
  addOverlapFeatures(features, view);
  addNewWordFeatures(features, view);
  addTraitFeatures(features, view);
  const { service } = view.talk;
  features.service = service;
  for (const name of KIND_DEPENDENT) features[`service*${name}`] = service * (features[name] ?? 0);
  return features;
}

function addOverlapFeatures(features: Record<string, number>, view: GapView): void {
  const { units, place, talk } = view;
  for (const window of WINDOWS) {
    const before = units.slice(Math.max(0, place - window), place).toReversed();
    const after = units.slice(place, place + window);
    features[`cut${window}`] =
      1 - cosineSimilarity(blendUnits(before, termsIn), blendUnits(after, termsIn), talk.weigh);
    features[`fieldCut${window}`] =
      1 - cosineSimilarity(blendUnits(before, fieldsIn), blendUnits(after, fieldsIn), () => 1);
  }
  const cohesion = Math.min(cohesionAt(view, place - CLOSE_TURNS), cohesionAt(view, place + CLOSE_TURNS));
  features.contrast = Math.max(0, (features.cut2 ?? 0) + cohesion - 1);
}

/** Returns the overlap of the two turns before a place and the two after it, which is high next to a clean break. */
function cohesionAt({ units, talk }: GapView, place: number): number {
  const before = units.slice(Math.max(0, place - CLOSE_TURNS), Math.max(0, place)).toReversed();
  return cosineSimilarity(
    blendUnits(before, termsIn),
    blendUnits(units.slice(place, place + CLOSE_TURNS), termsIn),
    talk.weigh,
  );
}

function addNewWordFeatures(features: Record<string, number>, { units, place, talk }: GapView): void {
  const [now, before] = [units[place], units[place - 1]];
  if (now === undefined || before === undefined) return;
  const recent = namesIn(units.slice(Math.max(0, place - 4), place), termsIn);
  const known = namesIn(units.slice(Math.max(0, place - FEATURE_UNITS_BEFORE), place), termsIn);
  const later = namesIn(units.slice(place + 1, place + 4), termsIn);
  const { weigh } = talk;
  features.fresh = 1 - shareIn(now.opening, recent, weigh);
  features.unheard = 1 - shareIn(now.opening, known, weigh);
  features.taken = shareIn(now.opening, later, weigh);
  features.unheardTaken = features.unheard * features.taken;
  features.linked = shareIn(now.opening, namesIn([before], termsIn), weigh);
  features.carried = shareIn(before.terms.keys(), namesIn(units.slice(place, place + 3), termsIn), weigh);
  features.fieldFresh = 1 - fieldShare(now, units.slice(Math.max(0, place - 3), place));
  features.fieldTaken = fieldShare(now, units.slice(place + 1, place + 4));
  features.fieldLinked = fieldShare(now, [before]);
  features.noField = now.fields.size === 0 ? 1 : 0;
}

function addTraitFeatures(features: Record<string, number>, { units, place, talk }: GapView): void {
  const [now, before, next, earlier] = [units[place], units[place - 1], units[place + 1], units[place - 2]];
  if (now === undefined || before === undefined) return;
  for (const { name, ofNow, ofBefore, ofNext } of TRAIT_FEATURES) {
    features[ofNow] = hasTrait(now.traits, name);
    features[ofBefore] = hasTrait(before.traits, name);
    features[ofNext] = traitOf(next, name);
  }
  for (const name of TRAITS_TWO_BEFORE) features[`earlier.${name}`] = traitOf(earlier, name);
  features.size = Math.log1p(now.opening.size);
  features.fewTerms = now.opening.size <= 1 ? 1 : 0;
  features.sizeBefore = Math.log1p(before.opening.size);
  features.length = lengthOf(now, talk);
  features.lengthBefore = lengthOf(before, talk);
  features.lengthNext = lengthOf(next, talk);
  features.ends = closingOf(now);
  features.endsNext = closingOf(next);
  features.ended = Math.max(closingOf(before), 0.7 * closingOf(earlier));
  features.endsThenGoesOn = features.ended * (1 - features.ends);
  const isNew = (features.fresh ?? 0) > NEW_FROM ? 1 : 0;
  const asks = hasTrait(now.traits, "asks");
  features.asksFirst = asks * (1 - hasTrait(before.traits, "asks"));
  features.asksAfresh = asks * (1 - hasTrait(now.traits, "refersBack"));
  features.answers = hasTrait(before.traits, "asks") * (1 - asks);
  features.goesOnAfterAnswer = (1 - asks) * traitOf(earlier, "asks");
  features.asksYouNew = hasTrait(now.traits, "asksYou") * (1 - hasTrait(now.traits, "asksBack")) * isNew;
  features.reactsAndAsks = hasTrait(now.traits, "reacts") * asks;
  features.requestsNew = hasTrait(now.traits, "requests") * isNew * (1 - hasTrait(before.traits, "asks"));
}

function traitOf(unit: TopicUnit | undefined, name: TraitName): number {
  return unit === undefined ? 0 : hasTrait(unit.traits, name);
}

function lengthOf(unit: TopicUnit | undefined, { usualLength }: TalkStatistics): number {
  return unit === undefined ? 0 : Math.log1p(unit.words) - usualLength;
}

function closingOf(unit: TopicUnit | undefined): number {
  return unit === undefined ? 0 : scoreClosing(unit.traits, unit.words);
}

const termsIn = (unit: TopicUnit): ReadonlyMap<string, number> => unit.terms;
const fieldsIn = (unit: TopicUnit): ReadonlyMap<number, number> => unit.fields;

/** Sums the weights of units, nearest first; each further unit counts less. */
export function blendUnits<Name>(
  units: readonly TopicUnit[],
  of: (unit: TopicUnit) => ReadonlyMap<Name, number>,
): ReadonlyMap<Name, number> {
  const blended = new Map<Name, number>();
  let weight = 1;
  for (const unit of units) {
    for (const [name, count] of of(unit)) {
      blended.set(name, (blended.get(name) ?? 0) + weight * (count === 1 ? Math.LN2 : Math.log1p(count)));
    }
    weight *= FADE;
  }
  return blended;
}

export function cosineSimilarity<Name>(
  left: ReadonlyMap<Name, number>,
  right: ReadonlyMap<Name, number>,
  weigh: (name: Name) => number,
): number {
  let [dot, leftSquare, rightSquare] = [0, 0, 0];
  for (const [name, count] of left) {
    const value = count * weigh(name);
    leftSquare += value * value;
    const other = right.get(name);
    if (other !== undefined) dot += value * other * weigh(name);
  }
  for (const [name, count] of right) rightSquare += (count * weigh(name)) ** 2;
  return leftSquare === 0 || rightSquare === 0 ? 0 : dot / Math.sqrt(leftSquare * rightSquare);
}

function namesIn<Name>(
  units: readonly TopicUnit[],
  of: (unit: TopicUnit) => ReadonlyMap<Name, number>,
): ReadonlySet<Name> {
  const names = new Set<Name>();
  for (const unit of units) for (const name of of(unit).keys()) names.add(name);
  return names;
}

function shareIn(terms: Iterable<string>, known: ReadonlySet<string>, weigh: (term: string) => number): number {
  let [all, shared] = [0, 0];
  for (const term of terms) {
    const weight = weigh(term);
    all += weight;
    if (known.has(term)) shared += weight;
  }
  return all === 0 ? 0 : shared / all;
}

/** Returns how much of a unit is in subject fields of the given units; 0.5 if it has no fields. */
function fieldShare(unit: TopicUnit, units: readonly TopicUnit[]): number {
  const known = namesIn(units, fieldsIn);
  let [all, shared] = [0, 0];
  for (const [field, weight] of unit.fields) {
    all += weight;
    if (known.has(field)) shared += weight;
  }
  return all === 0 ? 0.5 : shared / all;
}
