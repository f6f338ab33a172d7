/** Estimates how likely a name is to be needed again. Old uses count less, especially in tool outputs. */

import type { NamedUse } from "../read/read-names.ts";
import { joinUses } from "../read/tool-use.ts";
import type { Fact } from "../record/record.ts";
import { NAME_WEIGHTS } from "../weights.ts";
import { factId } from "./make-fact.ts";

type Use = Pick<Fact, "given" | "shown" | "lastUse" | "home" | "use">;

export function describeUse(
  { origin, home, use, share = 1 }: Pick<NamedUse, "origin" | "home" | "use" | "share">,
  message: number,
): Use {
  return {
    given: origin === "shown" ? 0 : NAME_WEIGHTS[origin],
    shown: origin === "shown" ? round(share) : 0,
    lastUse: message,
    ...(home === undefined ? {} : { home: factId("identifier", home) }),
    ...(use === undefined ? {} : { use }),
  };
}

export function joinUse(known: Fact, again: Fact): Use {
  const lastUse = Math.max(known.lastUse ?? 0, again.lastUse ?? 0);
  const home = (again.given ?? 0) >= 1 || known.home === undefined ? (again.home ?? known.home) : known.home;
  const use = joinUses(known.use, again.use);
  return {
    given: round(decay(known.given, NAME_WEIGHTS.givenHalfLife, lastUse - (known.lastUse ?? 0)) + (again.given ?? 0)),
    shown: round(decay(known.shown, NAME_WEIGHTS.shownHalfLife, lastUse - (known.lastUse ?? 0)) + (again.shown ?? 0)),
    lastUse,
    ...(home === undefined ? {} : { home }),
    ...(use === undefined ? {} : { use }),
  };
}

/** Returns the weight at the time of a later message. A name from a summarizer counts as used just now. */
export function weighName({ given, shown, lastUse }: Fact, message: number): number {
  if (lastUse === undefined) return NAME_WEIGHTS.givenFactor * Math.log2(1 + NAME_WEIGHTS.said);
  const age = message - lastUse;
  return (
    NAME_WEIGHTS.givenFactor * Math.log2(1 + decay(given, NAME_WEIGHTS.givenHalfLife, age)) +
    Math.log2(1 + decay(shown, NAME_WEIGHTS.shownHalfLife, age))
  );
}

function decay(value: number | undefined, halfLife: number, messages: number): number {
  return (value ?? 0) * 2 ** (-messages / halfLife);
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/**
 * Ranks names by how likely they are to be needed again, relative to their length; bare numbers rank low. Expects names
 * in the order of their last use, and ranks the later of two equal ones first.
 */
export function rankNames(names: readonly Fact[]): readonly Fact[] {
  const now = names.reduce((latest, { lastUse }) => Math.max(latest, lastUse ?? 0), 0);
  return names
    .map((fact, place) => ({ fact, place, rank: rankOf(fact, now) }))
    .sort((left, right) => right.rank - left.rank || right.place - left.place)
    .map(({ fact }) => fact);
}

const BARE_NUMBER = /^-?[\d.,%]+$/;

function rankOf(fact: Fact, now: number): number {
  const shape = BARE_NUMBER.test(fact.text) ? NAME_WEIGHTS.bareNumber : 1;
  return (
    (weighName(fact, now) * shape) / (fact.text.length + NAME_WEIGHTS.separatorCharacters) ** NAME_WEIGHTS.costPower
  );
}
