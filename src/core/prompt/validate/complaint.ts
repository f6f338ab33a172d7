/** Shared code of the validators: complaints, rules, and functions that check the types of unknown values. */
import { type Fields, isObject, pathOf } from "../../check-value.ts";

/** A rule of a provider that a prompt breaks, and the path of the fault. */
export interface Complaint {
  readonly rule: string;
  readonly path: string;
  readonly text: string;
}

export interface RuleViolation {
  readonly path: string;
  /** A sentence about the value that was found, if the rule's text is not enough. */
  readonly detail?: string | undefined;
}

export interface ProviderRule<Prompt> {
  readonly name: string;
  readonly text: string;
  readonly find: (prompt: Prompt) => readonly RuleViolation[];
}

export function defineRule<Prompt>(
  name: string,
  text: string,
  find: ProviderRule<Prompt>["find"],
): ProviderRule<Prompt> {
  return { name, text, find };
}

export interface Validator<Prompt> {
  /** Throws for a value that is not a prompt. */
  readonly read: (value: unknown) => Prompt;
  readonly rules: readonly ProviderRule<Prompt>[];
}

export const MALFORMED = "malformed";

/** Returns one complaint, `malformed`, if the value is not a prompt of the provider. */
export function findComplaints<Prompt>(value: unknown, { read, rules }: Validator<Prompt>): readonly Complaint[] {
  try {
    const prompt = read(value);
    return rules.flatMap(({ name, text, find }) =>
      find(prompt).map(({ path, detail }) => ({
        rule: name,
        path,
        text: detail === undefined ? text : `${text} ${detail}`,
      })),
    );
  } catch (error) {
    if (!(error instanceof MalformedValue)) throw error;
    return [{ rule: MALFORMED, path: error.path, text: error.message }];
  }
}

/** Returns a fault, at the item or its field `key`, where `check` returns true or a description of the fault. */
export function findFaults<Item extends { readonly path: string }>(
  items: readonly Item[],
  check: (item: Item, index: number, items: readonly Item[]) => boolean | string,
  key?: string,
): readonly RuleViolation[] {
  return items.flatMap((item, index) => {
    const found = check(item, index, items);
    if (found === false) return [];
    const path = key === undefined ? item.path : pathOf(item.path, key);
    return [typeof found === "string" ? { path, detail: found } : { path }];
  });
}

/** Returns faults for repeated values, at the later item or its field `key`. */
export function findRepeats<Item extends { readonly path: string }>(
  items: readonly Item[],
  readValue: (item: Item) => unknown,
  key?: string,
): readonly RuleViolation[] {
  const seen = new Set<unknown>();
  const check = (item: Item) => {
    const value = readValue(item);
    const isRepeated = value !== undefined && seen.has(value);
    seen.add(value);
    return isRepeated && `${JSON.stringify(value)} is repeated.`;
  };
  return findFaults(items, check, key);
}

export function isBlank(text: unknown): boolean {
  return typeof text !== "string" || text.trim() === "";
}

export interface JsonNode {
  readonly source: Fields;
  readonly path: string;
}

class MalformedValue extends Error {
  readonly path: string;

  constructor(path: string, expected: string) {
    super(`Expected ${expected}.`);
    this.path = path;
  }
}

/** Returns the list, which may be the value itself or the field `key` of a request. */
export function takeList(value: unknown, key: string): readonly JsonNode[] {
  const wrapped = isObject(value) && key in value;
  return takeObjects(wrapped ? value[key] : value, key);
}

export function takeObjects(value: unknown, path: string): readonly JsonNode[] {
  if (!Array.isArray(value)) throw new MalformedValue(path, "a list");
  return value.map((item: unknown, index) => placeObject(item, pathOf(path, index)));
}

export function takeObject({ source, path }: JsonNode, key: string): JsonNode {
  return placeObject(source[key], pathOf(path, key));
}

function placeObject(value: unknown, path: string): JsonNode {
  if (!isObject(value)) throw new MalformedValue(path, "an object");
  return { source: value, path };
}

export function takeText({ source, path }: JsonNode, key: string): string {
  const value = source[key];
  if (typeof value !== "string") throw new MalformedValue(pathOf(path, key), "a string");
  return value;
}

/** Reads a text or a list of typed objects, as most providers write content. Absent and `null` are an empty list. */
export function takeContent({ source, path }: JsonNode, key: string): string | readonly JsonNode[] {
  const value = source[key];
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return value;
  const parts = takeObjects(value, pathOf(path, key));
  for (const part of parts) takeText(part, "type");
  return parts;
}
