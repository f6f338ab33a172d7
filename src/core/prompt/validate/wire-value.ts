/** Reads values of unknown type for validators, so that no rule meets a value of the wrong type. */
import { type Fields, isObject, pathOf } from "../../check-value.ts";
import type { Fault } from "./complaint.ts";

export interface Placed {
  readonly source: Fields;
  readonly path: string;
}

/** Thrown and caught inside one validator: the value is not a list of the provider. */
export class MalformedValue extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.detail);
    this.fault = fault;
  }
}

/** Returns the list, given alone or under its key in a request. */
export function takeList(value: unknown, key: string): readonly Placed[] {
  const wrapped = isObject(value) && key in value;
  return takeObjects(wrapped ? value[key] : value, key);
}

export function takeObjects(value: unknown, path: string): readonly Placed[] {
  if (!Array.isArray(value)) throw new MalformedValue({ path, detail: "A list is expected here." });
  return value.map((source, index) => {
    if (!isObject(source))
      throw new MalformedValue({ path: pathOf(path, index), detail: "An object is expected here." });
    return { source, path: pathOf(path, index) };
  });
}

export function takeObject({ source, path }: Placed, key: string): Placed {
  const value = source[key];
  if (!isObject(value)) throw new MalformedValue({ path: pathOf(path, key), detail: "An object is expected here." });
  return { source: value, path: pathOf(path, key) };
}

export function takeText({ source, path }: Placed, key: string): string {
  const value = source[key];
  if (typeof value !== "string")
    throw new MalformedValue({ path: pathOf(path, key), detail: "A text is expected here." });
  return value;
}

/** Reads a text or a list of typed objects, as most providers write content. Absent and `null` are an empty list. */
export function takeContent({ source, path }: Placed, key: string): string | readonly Placed[] {
  const value = source[key];
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return value;
  const parts = takeObjects(value, pathOf(path, key));
  for (const part of parts) takeText(part, "type");
  return parts;
}
