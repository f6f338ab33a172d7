/** Rules for single values: the text for errors, the check, the JSON Schema, and the parser of variables. */
import type { JsonObject } from "../core/message/json.ts";

export interface SettingRule<Value = unknown> {
  readonly allowed: string;
  readonly holds: (value: unknown) => value is Value;
  readonly schema: JsonObject;
  /** Parses a text; returns it unchanged if it cannot be parsed, and the check then fails. */
  readonly fromText?: ((text: string) => unknown) | undefined;
  /** For composite values: returns the part that is invalid. */
  readonly findFault?: ((value: unknown) => SettingFault | undefined) | undefined;
  /** True for a field of a group or list item that may be omitted. */
  readonly isOptional?: true | undefined;
}

export interface SettingFault {
  /** Path inside the value, as written after the key: `[0].type`. Empty for the value itself. */
  readonly path: string;
  readonly value: unknown;
  readonly allowed: string;
}

const readSettingNumber = (text: string): unknown => (/^\s*[0-9]*\.?[0-9]+\s*$/.test(text) ? Number(text) : text);
const readWhole = (text: string): unknown => (/^\s*[0-9]+\s*$/.test(text) ? Number.parseInt(text, 10) : text);
const readFlag = (text: string): unknown => FLAGS.get(text.trim().toLowerCase()) ?? text;
const FLAGS: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

export const RATIO: SettingRule<number> = {
  allowed: "a number above 0 and up to 1",
  holds: (value): value is number => typeof value === "number" && value > 0 && value <= 1,
  schema: { type: "number", exclusiveMinimum: 0, maximum: 1 },
  fromText: readSettingNumber,
};

export const FACTOR: SettingRule<number> = {
  allowed: "a number of at least 1",
  holds: (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 1,
  schema: { type: "number", minimum: 1 },
  fromText: readSettingNumber,
};

export function wholeNumberFrom(minimum: number): SettingRule<number> {
  return {
    allowed: `a whole number of at least ${minimum}`,
    holds: (value): value is number => Number.isSafeInteger(value) && Number(value) >= minimum,
    schema: { type: "integer", minimum, maximum: Number.MAX_SAFE_INTEGER },
    fromText: readWhole,
  };
}

export const COUNT = wholeNumberFrom(0);
export const POSITIVE = wholeNumberFrom(1);

export const FLAG: SettingRule<boolean> = {
  allowed: "true or false",
  holds: (value): value is boolean => typeof value === "boolean",
  schema: { type: "boolean" },
  fromText: readFlag,
};

/** May be empty: a suffix after a summary is optional. */
export const TEXT: SettingRule<string> = {
  allowed: "a string",
  holds: (value): value is string => typeof value === "string",
  schema: { type: "string" },
};

export const NON_BLANK: SettingRule<string> = {
  allowed: "a string that is not blank",
  holds: (value): value is string => typeof value === "string" && /\S/u.test(value),
  schema: { type: "string", pattern: "\\S" },
};

export function oneOf<const Name extends string>(...names: readonly Name[]): SettingRule<Name> {
  return {
    allowed: joinQuoted(names),
    holds: (value): value is Name => names.some((name) => name === value),
    schema: { enum: names },
    fromText: (text) => text.trim(),
  };
}

export function listOfNames(what: string): SettingRule<readonly string[]> {
  return {
    allowed: `a list of ${what}`,
    holds: (value): value is readonly string[] => Array.isArray(value) && Array.from(value).every(NON_BLANK.holds),
    schema: { type: "array", items: NON_BLANK.schema },
    fromText: splitList,
  };
}

export function someOf<const Name extends string>(...names: readonly Name[]): SettingRule<readonly Name[]> {
  const name = oneOf(...names);
  return {
    allowed: `a list of ${names.map((each) => JSON.stringify(each)).join(", ")}`,
    holds: (value): value is readonly Name[] => Array.isArray(value) && Array.from(value).every(name.holds),
    schema: { type: "array", items: name.schema },
    fromText: splitList,
  };
}

export function optional<Value>(rule: SettingRule<Value>): SettingRule<Value> {
  return { ...rule, isOptional: true };
}

/** Accepts the value or its text, for environment variables that may also be in a file. */
export function allowText<Value>(rule: SettingRule<Value>, pattern: string): SettingRule<Value | string> {
  const { fromText = (text: string) => text } = rule;
  return {
    allowed: rule.allowed,
    holds: (value): value is Value | string => rule.holds(typeof value === "string" ? fromText(value) : value),
    schema: { anyOf: [rule.schema, { type: "string", pattern }] },
  };
}

export function findFault(rule: SettingRule, value: unknown): SettingFault | undefined {
  if (rule.findFault !== undefined) return rule.findFault(value);
  return rule.holds(value) ? undefined : { path: "", value, allowed: rule.allowed };
}

/** Writes `"a"`, `"b"` or `"c"`. */
export function joinQuoted(names: readonly string[]): string {
  const texts = names.map((name) => JSON.stringify(name));
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
