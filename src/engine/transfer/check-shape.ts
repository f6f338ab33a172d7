/**
 * Small checks out of which the shape of a record in a file is put together: each looks at one value and throws
 * `message-invalid` with the path of the fault. They copy nothing, and what a shape does not name they leave alone.
 */
import { invalidMessage, pathOf, requireArray, requireObject, requireString } from "../../core/check-value.ts";

/** Where a value stands, and the last place of the log that it may name. */
export interface Spot {
  readonly path: string;
  readonly lastSeq: number;
}

export type Check = (value: unknown, spot: Spot) => void;

/** As far as a date reaches. */
const LATEST_MS = 8.64e15;

export const isText: Check = (value, { path }) => {
  requireString(value, path);
};

export const isName: Check = (value, { path }) => {
  if (requireString(value, path) === "") throw invalidMessage(path, "a text that is not empty", value);
};

export const isFlag: Check = (value, { path }) => {
  if (typeof value !== "boolean") throw invalidMessage(path, "true or false", value);
};

export const isTime: Check = (value, { path }) => {
  if (typeof value !== "number" || !(Math.abs(value) <= LATEST_MS))
    throw invalidMessage(path, "a time in milliseconds", value);
};

export const isAmount: Check = (value, { path }) => {
  if (typeof value !== "number" || !(value >= 0 && value < Infinity))
    throw invalidMessage(path, "a number of at least 0", value);
};

/** What was divided by nothing is no number, and JSON writes `null` for it. */
export const isFigure: Check = (value, spot) => {
  if (value !== null) isAmount(value, spot);
};

export const isJsonObject: Check = (value, { path }) => {
  requireObject(value, path);
};

export function wholeFrom(least: number): Check {
  return (value, { path }) => {
    if (!isWhole(value) || value < least) throw invalidMessage(path, `a whole number from ${least} on`, value);
  };
}

export const isCount = wholeFrom(0);

/** A place that whoever wrote the record had seen. */
export const isPlace: Check = (value, { path, lastSeq }) => {
  if (!isWhole(value) || value < 1 || value > lastSeq)
    throw invalidMessage(path, `a place from 1 to ${lastSeq}`, value);
};

/** The same, or 0 for the beginning. */
export const isReach: Check = (value, spot) => {
  if (value !== 0) isPlace(value, spot);
};

export function optional(check: Check): Check {
  return (value, spot) => {
    if (value !== undefined) check(value, spot);
  };
}

export function listOf(check: Check): Check {
  return (value, { path, lastSeq }) => {
    for (const [index, item] of requireArray(value, path).entries())
      check(item, { path: pathOf(path, index), lastSeq });
  };
}

export function oneOf(...values: readonly string[]): Check {
  return (value, { path }) => {
    if (typeof value !== "string" || !values.includes(value))
      throw invalidMessage(path, `one of ${values.join(", ")}`, value);
  };
}

export function shapeOf(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields);
  return (value, { path, lastSeq }) => {
    const record = requireObject(value, path);
    for (const [key, check] of checks) {
      check(Object.hasOwn(record, key) ? record[key] : undefined, { path: pathOf(path, key), lastSeq });
    }
  };
}

/** A record whose `type` says which of these it is. */
export function variantOf(variants: Readonly<Record<string, Check>>): Check {
  const isKnown = oneOf(...Object.keys(variants));
  return (value, spot) => {
    const { type } = requireObject(value, spot.path);
    isKnown(type, { ...spot, path: pathOf(spot.path, "type") });
    variants[String(type)]?.(value, spot);
  };
}

/** A record with any names, and one kind of value. */
export function mapOf(check: Check): Check {
  return (value, { path, lastSeq }) => {
    for (const [key, item] of Object.entries(requireObject(value, path))) {
      check(item, { path: pathOf(path, key), lastSeq });
    }
  };
}

export function allOf(...checks: readonly Check[]): Check {
  return (value, spot) => {
    for (const check of checks) check(value, spot);
  };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
