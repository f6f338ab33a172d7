/**
 * Names in the order in which they will likely be needed again: lately used before long ago, often before seldom, and
 * what people and assistants named themselves before what only stood in output. Files come before bare numbers.
 */
import type { Role } from "../../message/message.ts";
import type { Fact } from "../record.ts";

/** The facts stand in the order of their last use. */
export function rankNames(names: readonly Fact[]): readonly Fact[] {
  const last = names.length - 1;
  return names
    .map((fact, place) => ({ fact, rank: rankOf(fact, last - place) }))
    .sort((left, right) => right.rank - left.rank)
    .map(({ fact }) => fact);
}

/** After so many other names a use counts for half. */
const HALF_LIFE = 400;
const BY_ROLE: Readonly<Record<Role, number>> = { user: 8, assistant: 8, tool: 1, system: 1 };
const FILE = 1.5;
/** Most numbers are places in something that has changed since. */
const NUMBER = 0.2;

function rankOf({ text, uses, saidBy }: Fact, age: number): number {
  const shape = text.includes("/") ? FILE : /^[\d.,%]+$/.test(text) ? NUMBER : 1;
  return Math.log2(1 + uses) * BY_ROLE[saidBy] * shape * 2 ** (-age / HALF_LIFE);
}
