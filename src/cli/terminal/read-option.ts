/** Reads options with a limited set of values, and refuses the others. */
import { NEW_ID } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Invocation } from "./command.ts";

export function invalidCliOption(key: string, text: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError("config-invalid", `--${key}: ${text}`, { details: { key }, cause });
}

export function readChoice<Name extends string>({ text }: Invocation, key: string, names: readonly Name[]) {
  const given = text(key);
  const found = names.find((name) => name === given);
  if (given === undefined || found !== undefined) return found;
  throw invalidCliOption(key, `expected one of ${names.join(", ")}, found ${given}.`);
}

/** Reads the id of a tenant or a session. */
export function readId({ text }: Invocation, key: string): string | undefined {
  const given = text(key);
  if (given === undefined || NEW_ID.holds(given)) return given;
  throw invalidCliOption(key, `expected ${NEW_ID.allowed}, found ${JSON.stringify(given.slice(0, 40))}.`);
}

export function readCount(
  { text }: Invocation,
  key: string,
  { otherwise, most = Number.POSITIVE_INFINITY }: { readonly otherwise: number; readonly most?: number | undefined },
): number {
  const given = text(key);
  if (given === undefined) return otherwise;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  const range = most === Number.POSITIVE_INFINITY ? "of at least 1" : `from 1 to ${most}`;
  throw invalidCliOption(key, `expected a whole number ${range}, found ${given}.`);
}
