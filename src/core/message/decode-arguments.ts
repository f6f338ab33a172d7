/**
 * Checks the arguments of a tool call against a small schema. Programs rename and retype the arguments of their tools
 * between versions; a mismatch is reported by the argument's name, never by its value.
 */
import { isObject } from "../check-value.ts";
import type { JsonValue } from "./json.ts";

export interface ArgumentRule {
  /** Accepted names of the argument; the first one is used in messages. */
  readonly names: readonly string[];
  readonly values?: readonly string[] | undefined;
  readonly isOptional?: boolean | undefined;
}

export type ArgumentSchema = Readonly<Record<string, ArgumentRule>>;

export type DecodedArguments<Schema extends ArgumentSchema> =
  | { readonly type: "read"; readonly values: { readonly [Name in keyof Schema]?: string } }
  | { readonly type: "drift"; readonly problem: string };

/** Decodes text arguments only. */
export function decodeArguments<Schema extends ArgumentSchema>(
  input: JsonValue,
  schema: Schema,
): DecodedArguments<Schema> {
  const fields = readArgumentFields(input);
  if (fields === undefined) return { type: "drift", problem: "its arguments are not an object" };
  const values: Partial<Record<keyof Schema, string>> = {};
  for (const [key, rule] of Object.entries(schema)) {
    const value = rule.names.map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined)).find(isGiven);
    if (value === undefined && rule.isOptional === true) continue;
    const problem = findProblem(value, rule);
    if (problem !== undefined) return { type: "drift", problem };
    values[key as keyof Schema] = String(value);
  }
  return { type: "read", values };
}

/** Some formats give arguments as a JSON string. */
function readArgumentFields(input: JsonValue): Readonly<Record<string, JsonValue | undefined>> | undefined {
  if (typeof input !== "string") return isObject(input) ? input : undefined;
  try {
    const parsed: JsonValue = JSON.parse(input);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    // Text that is not JSON has no arguments; the caller reports it.
    return undefined;
  }
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function findProblem(value: JsonValue | undefined, { names, values }: ArgumentRule): string | undefined {
  const [name = ""] = names;
  if (value === undefined) return `${name} is missing`;
  if (typeof value !== "string" || value.trim() === "") return `${name} is empty or not text`;
  return values === undefined || values.includes(value) ? undefined : `${name} is not one of ${values.join(", ")}`;
}
