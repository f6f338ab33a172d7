/**
 * Checks options as a caller wrote them, at the border of every room that has public functions: a key that nothing reads
 * is a mistake that would otherwise show as a strange result much later. The text names the key, what was found and the
 * nearest option.
 */
import { PalimpsestError, unknownOption } from "./errors.ts";

export interface OptionRule {
  readonly allowed: string;
  readonly holds: (value: unknown) => boolean;
  readonly isRequired?: boolean | undefined;
  /** Looks inside a value that holds, and throws for the field or item that is wrong. */
  readonly check?: ((value: unknown, place: string) => void) | undefined;
}

export type OptionRules = Readonly<Record<string, OptionRule>>;

export const TEXT: OptionRule = { allowed: "a string", holds: (value) => typeof value === "string" };
export const ID: OptionRule = {
  allowed: "a non-empty string",
  holds: (value) => typeof value === "string" && value !== "",
};
export const FLAG: OptionRule = { allowed: "true or false", holds: (value) => typeof value === "boolean" };
export const TOKENS: OptionRule = {
  allowed: "a whole number of at least 0",
  holds: (value) => Number.isInteger(value) && Number(value) >= 0,
};
export const COUNT: OptionRule = {
  allowed: "a whole number of at least 1",
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
export const AMOUNT: OptionRule = {
  allowed: "a number of at least 0",
  holds: (value) => typeof value === "number" && value >= 0,
};
export const FUNCTION: OptionRule = { allowed: "a function", holds: (value) => typeof value === "function" };
/** Definitions in any provider's shape; what they hold is read where they are counted. */
export const TOOLS: OptionRule = {
  allowed: "a list of tool definitions, or an object of them by name",
  holds: (value) => typeof value === "object" && value !== null,
  check: checkDefinitions,
};
export const ANYTHING: OptionRule = { allowed: "anything", holds: () => true };

export function oneOf(...values: readonly string[]): OptionRule {
  const allowed = `one of ${values.join(", ")}`;
  return { allowed, holds: (value) => typeof value === "string" && values.includes(value) };
}

/** An object whose methods are called after the function returned. */
export function withMethods(...names: readonly string[]): OptionRule {
  const allowed = `an object with ${names.length === 1 ? "the method" : "the methods"} ${names.join(", ")}`;
  const holds = (value: unknown) => {
    if (typeof value !== "object" || value === null) return false;
    return names.every((name) => typeof Reflect.get(value, name) === "function");
  };
  return { allowed, holds };
}

/** An option that has options of its own. */
export function optionsOf(rules: OptionRules): OptionRule {
  return { ...RECORD, check: (value, place) => checkOptions(value, rules, place) };
}

export function required(rule: OptionRule): OptionRule {
  return { ...rule, isRequired: true };
}

/** A tool that a host leaves out under some condition may stand as undefined in an object by name. */
function checkDefinitions(tools: unknown, place: string): void {
  const isList = Array.isArray(tools);
  for (const [name, tool] of Object.entries(tools as object)) {
    if (typeof tool === "function" || (typeof tool === "object" && tool !== null)) continue;
    if (tool === undefined && !isList) continue;
    const path = isList ? `${place}[${name}]` : `${place}.${name}`;
    throw invalidOption(path, tool, "a tool definition, such as { name, description, inputSchema }");
  }
}

/** One argument, called as the caller knows it. */
export function checkArgument(value: unknown, rule: OptionRule, name: string): void {
  if (!rule.holds(value)) throw invalidOption(name, value, rule.allowed);
}

/** `name` is what the options belong to, as the caller writes it: `fit`, `session.prompt`. */
export function checkOptions(options: unknown, rules: OptionRules, name: string): void {
  if (options !== undefined && !RECORD.holds(options)) throw invalidOption(name, options, "an object of options");
  const given: Readonly<Record<string, unknown>> = { ...(options as object | undefined) };
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(rules, key)) throw unknownOption(name, key, Object.keys(rules));
  }
  for (const [key, rule] of Object.entries(rules)) {
    const value = given[key];
    const isLeftOut = value === undefined && rule.isRequired !== true;
    if (!isLeftOut && !rule.holds(value)) throw invalidOption(`${name}: ${key}`, value, rule.allowed);
    if (value !== undefined) rule.check?.(value, `${name}: ${key}`);
  }
}

export function invalidOption(key: string, value: unknown, allowed: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `${key}: expected ${allowed}, found ${describeValue(value)}.`, {
    details: { key, allowed },
  });
}

const MOST_KEYS = 5;

export function describeValue(value: unknown): string {
  if (typeof value === "number" || value === undefined) return String(value);
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value !== "object") return `a value of type ${typeof value}`;
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const keys = Object.keys(value);
  return keys.length === 0
    ? "an empty object"
    : `an object with ${keys.slice(0, MOST_KEYS).join(", ")}${keys.length > MOST_KEYS ? ", …" : ""}`;
}
