/**
 * Checks options and records against rules. Options are checked wherever a public function takes them: a key that
 * nothing reads is a mistake that would otherwise show as a strange result much later.
 */
import {
  type Fields,
  invalidValue,
  isObject,
  isUsableId,
  pathOf,
  unknownOption,
  type ValuePlace,
} from "./check-value.ts";
import type { PalimpsestError } from "./errors.ts";

export interface OptionRule {
  readonly allowed: string;
  readonly holds: (value: unknown) => boolean;
  /** By default, options may be left out, and fields of a record are required. */
  readonly isRequired?: boolean | undefined;
  /** Checks the inside of a value that passes `holds`, and throws for the field or item that is wrong. */
  readonly check?: ((value: unknown, place: ValuePlace) => void) | undefined;
}

export type OptionRules = Readonly<Record<string, OptionRule>>;

export const TEXT = createRule("a string", (value) => typeof value === "string");
export const ID = createRule("a non-empty string", (value) => typeof value === "string" && value !== "");
export const NEW_ID: OptionRule = {
  allowed: 'an id of 1 to 200 characters without control characters, other than ".", ".." and "seq:" with a number',
  holds: (value) => typeof value === "string" && isUsableId(value),
};
export const FLAG = createRule("true or false", (value) => typeof value === "boolean");
export const WHOLE_NUMBER = createRule(
  "a whole number of at least 0",
  (value) => Number.isInteger(value) && Number(value) >= 0,
);
export const COUNT = wholeNumberFrom(1);
export const MILLISECONDS: OptionRule = {
  // Timers take at most 31 bits.
  allowed: "a whole number from 1 to 2147483647",
  holds: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 2_147_483_647,
};
export const RECORD = createRule("an object", isObject);
export const SIGNAL = createRule("an AbortSignal", (value) => {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
});
export const AMOUNT = createRule("a number of at least 0", (value) => typeof value === "number" && value >= 0);
export const FUNCTION = createRule("a function", (value) => typeof value === "function");
/** Tool definitions in any provider's format; their contents are read where they are counted. */
export const TOOLS: OptionRule = {
  allowed: "a list of tool definitions, or an object of them by name",
  holds: (value) => typeof value === "object" && value !== null,
  check: checkDefinitions,
};
export const ANYTHING = createRule("anything", () => true);

function createRule(allowed: string, holds: OptionRule["holds"]): OptionRule {
  return { allowed, holds };
}

export function wholeNumberFrom(least: number): OptionRule {
  const allowed = `a whole number of at least ${least}`;
  return { allowed, holds: (value) => Number.isSafeInteger(value) && Number(value) >= least };
}

export function oneOf(...values: readonly string[]): OptionRule {
  const allowed = `one of ${values.join(", ")}`;
  return { allowed, holds: (value) => typeof value === "string" && values.includes(value) };
}

export function withMethods(...names: readonly string[]): OptionRule {
  const allowed = `an object with ${names.length === 1 ? "the method" : "the methods"} ${names.join(", ")}`;
  const holds = (value: unknown) => {
    if (typeof value !== "object" || value === null) return false;
    return names.every((name) => typeof Reflect.get(value, name) === "function");
  };
  return { allowed, holds };
}

export function optionsOf(rules: OptionRules): OptionRule {
  return { ...RECORD, check: (value, { path }) => checkOptions(value, rules, path) };
}

export function required(rule: OptionRule): OptionRule {
  return { ...rule, isRequired: true };
}

export function optional(rule: OptionRule): OptionRule {
  return { ...rule, isRequired: false };
}

/** A rule that depends on where the value is, or on more than one field of it. */
export function checkedBy(check: (value: unknown, place: ValuePlace) => void): OptionRule {
  return { ...ANYTHING, check };
}

export function allOf(...rules: readonly OptionRule[]): OptionRule {
  return checkedBy((value, place) => {
    for (const rule of rules) checkValue(value, rule, place);
  });
}

export function listOf(rule: OptionRule): OptionRule {
  const check = (value: unknown, place: ValuePlace) => checkEach((value as readonly unknown[]).entries(), rule, place);
  return { allowed: "a list", holds: Array.isArray, check };
}

function checkEach(entries: Iterable<[string | number, unknown]>, rule: OptionRule, place: ValuePlace): void {
  for (const [key, item] of entries) checkValue(item, rule, { ...place, path: pathOf(place.path, key) });
}

/** An object with any keys and one kind of value. */
export function mapOf(rule: OptionRule): OptionRule {
  return { ...RECORD, check: (value, place) => checkEach(Object.entries(value as Fields), rule, place) };
}

/** A record. Fields are required unless `optional`; unknown ones pass. `shapeOf<Head>` needs a rule for each field. */
export function shapeOf<Value = OptionRules>(fields: Readonly<Record<keyof Value, OptionRule>>): OptionRule {
  const rules = Object.entries<OptionRule>(fields);
  return {
    ...RECORD,
    check: (value, place) => {
      const record = value as Fields;
      for (const [key, rule] of rules) {
        const field = Object.hasOwn(record, key) ? record[key] : undefined;
        if (field === undefined && rule.isRequired === false) continue;
        checkValue(field, rule, { ...place, path: pathOf(place.path, key) });
      }
    },
  };
}

/** A record whose `type` selects the rule. */
export function variantOf(variants: OptionRules): OptionRule {
  const known = oneOf(...Object.keys(variants));
  return {
    ...RECORD,
    check: (value, place) => {
      const { type } = value as Fields;
      checkValue(type, known, { ...place, path: pathOf(place.path, "type") });
      const rule = variants[String(type)];
      if (rule !== undefined) checkValue(value, rule, place);
    },
  };
}

/** In an object keyed by name, a tool may be undefined: the host may omit it under some condition. */
function checkDefinitions(tools: unknown, place: ValuePlace): void {
  const isList = Array.isArray(tools);
  for (const [name, tool] of Object.entries(tools as object)) {
    if (typeof tool === "function" || (typeof tool === "object" && tool !== null)) continue;
    if (tool === undefined && !isList) continue;
    const path = pathOf(place.path, isList ? Number(name) : name);
    throw invalidOption(path, tool, "a tool definition, such as { name, description, inputSchema }");
  }
}

/** Checks one argument; `name` is what the caller calls it. */
export function checkArgument(value: unknown, rule: OptionRule, name: string): void {
  checkValue(value, rule, { path: name, code: "config-invalid" });
}

/** `name` is what the options belong to, as the caller writes it: `fit`, `session.prompt`. */
export function checkOptions(options: unknown, rules: OptionRules, name: string): void {
  if (options !== undefined && !isObject(options)) throw invalidOption(name, options, "an object of options");
  const given = new Map(Object.entries(options ?? {}));
  for (const key of given.keys()) {
    if (!Object.hasOwn(rules, key)) throw unknownOption(name, key, Object.keys(rules));
  }
  for (const [key, rule] of Object.entries(rules)) {
    const value = given.get(key);
    if (value !== undefined || rule.isRequired === true) checkArgument(value, rule, `${name}: ${key}`);
  }
}

export function invalidOption(key: string, value: unknown, allowed: string): PalimpsestError {
  return invalidValue({ path: key, code: "config-invalid" }, allowed, value);
}

export function checkValue(value: unknown, rule: OptionRule, place: ValuePlace): void {
  if (!rule.holds(value)) throw invalidValue(place, rule.allowed, value);
  rule.check?.(value, place);
}
