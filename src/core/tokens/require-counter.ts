/** The counter that a caller gave, or the estimate where none was; a name alone counts nothing, and that is said. */
import { PalimpsestError } from "../errors.ts";
import type { Counter } from "./counter.ts";
import { estimate } from "./estimate.ts";

export function requireCounter(counter: Counter | undefined): Counter {
  if (counter === undefined) return estimate;
  const given: unknown = counter;
  if (typeof given === "object" && given !== null && "countWindow" in given) return counter;
  const found = typeof given === "string" ? `the name ${JSON.stringify(given.slice(0, 64))}` : kindOf(given);
  const text = `counter: expected a counter, found ${found}. Load one: await loadCounter(name), from "palimpsest".`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "counter" } });
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
