/**
 * How likely a name is needed again, by how it was used: what a tool was given or somebody said counts for long, what a
 * tool showed for a little while. Both halve with the messages that come after, so that the weight of a name can be
 * carried from summary to summary in two numbers.
 */

import type { NamedUse, NameOrigin } from "../read/read-names.ts";
import { joinUses } from "../read/tool-use.ts";
import type { Fact } from "../record/record.ts";
import { factId } from "./make-fact.ts";

type Use = Pick<Fact, "given" | "shown" | "lastUse" | "home" | "use">;

const GIVEN: Readonly<Record<NameOrigin, number>> = { given: 1, said: 0.5, shown: 0 };
/** Messages after which a use counts for half. */
const GIVEN_HALF_LIFE = 200;
const SHOWN_HALF_LIFE = 20;
/** What was given counts for so much more than what was shown. */
const GIVEN_TIMES = 8;

/** What a fact notes of the use of a name by one message. */
export function describeUse(
  { origin, home, use, share = 1 }: Pick<NamedUse, "origin" | "home" | "use" | "share">,
  message: number,
): Use {
  return {
    given: GIVEN[origin],
    shown: origin === "shown" ? round(share) : 0,
    lastUse: message,
    ...(home === undefined ? {} : { home: factId("identifier", home) }),
    ...(use === undefined ? {} : { use }),
  };
}

/** What was known of a name, and then its use again. */
export function joinUse(known: Fact, again: Fact): Use {
  const lastUse = Math.max(known.lastUse ?? 0, again.lastUse ?? 0);
  const home = (again.given ?? 0) >= 1 || known.home === undefined ? (again.home ?? known.home) : known.home;
  const use = joinUses(known.use, again.use);
  return {
    given: round(decay(known.given, GIVEN_HALF_LIFE, lastUse - (known.lastUse ?? 0)) + (again.given ?? 0)),
    shown: round(decay(known.shown, SHOWN_HALF_LIFE, lastUse - (known.lastUse ?? 0)) + (again.shown ?? 0)),
    lastUse,
    ...(home === undefined ? {} : { home }),
    ...(use === undefined ? {} : { use }),
  };
}

/** By the time of a later message. A name that a summarizer proposed counts as said just now. */
export function weighName({ given, shown, lastUse }: Fact, message: number): number {
  if (lastUse === undefined) return GIVEN_TIMES * Math.log2(1 + GIVEN.said);
  const age = message - lastUse;
  return (
    GIVEN_TIMES * Math.log2(1 + decay(given, GIVEN_HALF_LIFE, age)) + Math.log2(1 + decay(shown, SHOWN_HALF_LIFE, age))
  );
}

function decay(value: number | undefined, halfLife: number, messages: number): number {
  return (value ?? 0) * 2 ** (-messages / halfLife);
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/**
 * Names in the order in which they will likely be needed again: what tools were given before what was only shown, lately
 * used before long ago, often before seldom. A name that takes much room has to be worth it, and bare numbers, most of
 * which are places in something that has changed since, come late.
 */
/** The names stand in the order of their last use; of two that are worth the same the later comes first. */
export function rankNames(names: readonly Fact[]): readonly Fact[] {
  const now = names.reduce((latest, { lastUse }) => Math.max(latest, lastUse ?? 0), 0);
  return names
    .map((fact, place) => ({ fact, place, rank: rankOf(fact, now) }))
    .sort((left, right) => right.rank - left.rank || right.place - left.place)
    .map(({ fact }) => fact);
}

const BARE_NUMBER = /^-?[\d.,%]+$/;
const NUMBER_SHARE = 0.3;
const COST_POWER = 0.6;
/** About what stands between two names. */
const LEAST_CHARACTERS = 12;

function rankOf(fact: Fact, now: number): number {
  const shape = BARE_NUMBER.test(fact.text) ? NUMBER_SHARE : 1;
  return (weighName(fact, now) * shape) / (fact.text.length + LEAST_CHARACTERS) ** COST_POWER;
}
