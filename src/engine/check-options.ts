/**
 * Checks options as a caller wrote them, at the border: a key that the engine does not read is a mistake that would
 * otherwise show as a strange result much later. The text names the key, what was found and the nearest option.
 */
import { PalimpsestError, unknownOption } from "../core/errors.ts";

export interface OptionRule {
  readonly allowed: string;
  readonly holds: (value: unknown) => boolean;
}

export const TEXT: OptionRule = { allowed: "a text", holds: (value) => typeof value === "string" };
export const ID: OptionRule = {
  allowed: "an id, a text that is not empty",
  holds: (value) => typeof value === "string" && value !== "",
};
export const FLAG: OptionRule = { allowed: "true or false", holds: (value) => typeof value === "boolean" };
export const TOKENS: OptionRule = {
  allowed: "a whole number from 0 on",
  holds: (value) => Number.isInteger(value) && Number(value) >= 0,
};
export const COUNT: OptionRule = {
  allowed: "a whole number from 1 on",
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
};
export const MILLISECONDS: OptionRule = {
  // A timer takes no more.
  allowed: "a whole number from 1 to 2147483647",
  holds: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 2_147_483_647,
};
export const RECORD: OptionRule = {
  allowed: "an object",
  holds: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};
export const SIGNAL: OptionRule = {
  allowed: "an AbortSignal",
  holds: (value) => typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value,
};
/** Definitions in any provider's shape; what they hold is read where they are counted. */
export const TOOLS: OptionRule = {
  allowed: "a list of tool definitions, or an object of them by name",
  holds: (value) => (Array.isArray(value) ? value.every(isDefinition) : RECORD.holds(value) && hasDefinitions(value)),
};
export const ANYTHING: OptionRule = { allowed: "anything", holds: () => true };

export function oneOf(...values: readonly string[]): OptionRule {
  const allowed = `one of ${values.join(", ")}`;
  return { allowed, holds: (value) => typeof value === "string" && values.includes(value) };
}

/** Something of the caller's own that is called later, long after whoever handed it over is gone. */
export function withMethods(...names: readonly string[]): OptionRule {
  const allowed = `an object with ${names.length === 1 ? "the method" : "the methods"} ${names.join(", ")}`;
  const holds = (value: unknown) => {
    if (typeof value !== "object" || value === null) return false;
    return names.every((name) => typeof Reflect.get(value, name) === "function");
  };
  return { allowed, holds };
}

function isDefinition(value: unknown): boolean {
  return typeof value === "function" || (typeof value === "object" && value !== null);
}

/** A tool that a host leaves out under some condition may stand as undefined. */
function hasDefinitions(value: unknown): boolean {
  return Object.values(value as object).every((tool) => tool === undefined || isDefinition(tool));
}

/** One argument, called as the caller knows it. */
export function checkArgument(value: unknown, rule: OptionRule, name: string): void {
  if (!rule.holds(value)) throw invalidOption(name, value, rule.allowed);
}

/** `name` is what the options belong to, as the caller writes it: `fit`, `session.prompt`. */
export function checkOptions(options: unknown, rules: Readonly<Record<string, OptionRule>>, name: string): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalidOption(name, options, "an object of options");
  }
  for (const [key, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) throw unknownOption(name, key, Object.keys(rules));
    if (value !== undefined && !rule.holds(value)) throw invalidOption(`${name}: ${key}`, value, rule.allowed);
  }
}

export function invalidOption(key: string, value: unknown, allowed: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `${key}: expected ${allowed}, found ${describeValue(value)}.`, {
    details: { key, allowed },
  });
}

export function describeValue(value: unknown): string {
  if (typeof value === "number" || value === undefined) return String(value);
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return Array.isArray(value) ? "a list" : value === null ? "null" : `a value of type ${typeof value}`;
}
