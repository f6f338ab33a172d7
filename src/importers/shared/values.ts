/** Reads times, usage and arguments, which every tool writes in its own way. A value that makes no sense is absent. */
import { type Fields, findNumber, findText } from "../../core/check-value.ts";
import type { Usage } from "../../core/log/entry.ts";
import { toJsonValue } from "../../core/message/decode-value.ts";
import type { JsonValue } from "../../core/message/json.ts";

/** Times before 2001 in seconds are milliseconds of 1970, which no tool of today has recorded. */
const FIRST_MS = 1_000_000_000_000;
const LATEST_MS = 8.64e15;

/** Reads an ISO time, or seconds or milliseconds since 1970. */
export function readTime(value: unknown): number | undefined {
  if (typeof value === "string") return asTime(Date.parse(value));
  const given = findNumber(value);
  if (given === undefined || given <= 0) return undefined;
  return asTime(given < FIRST_MS ? given * 1_000 : given);
}

function asTime(at: number): number | undefined {
  return Number.isFinite(at) && Math.abs(at) <= LATEST_MS ? Math.round(at) : undefined;
}

export interface UsageFields {
  readonly model?: unknown;
  /** Tokens of the prompt that were not read from a cache or written to it. */
  readonly plain?: unknown;
  /** Tokens of the whole prompt. */
  readonly input?: unknown;
  readonly output?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
}

/** Returns undefined if no figure is given, so that a missing usage is not zero. */
export function readUsage({ model: named, plain, input, output, ...cache }: UsageFields): Usage | undefined {
  const [cacheReadTokens, cacheWriteTokens] = [asCount(cache.cacheRead), asCount(cache.cacheWrite)];
  const uncached = asCount(plain);
  const whole = uncached === undefined ? undefined : uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const inputTokens = asCount(input) ?? whole;
  const [outputTokens, model] = [asCount(output), findText(named)];
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const figures = { model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}

function asCount(value: unknown): number | undefined {
  const found = findNumber(value);
  return found !== undefined && found >= 0 && Number.isSafeInteger(found) ? found : undefined;
}

export function asAmount(value: unknown): number | undefined {
  const found = findNumber(value);
  return found !== undefined && found >= 0 ? found : undefined;
}

/** Throws `message-invalid` for a value that is nested too deeply. */
export function asJson(value: unknown, path: string): JsonValue {
  return value === undefined ? null : toJsonValue(value, path);
}

/** Keeps arguments that are text and not JSON as they are. */
export function readArguments(
  value: unknown,
  path: string,
): { readonly input: JsonValue; readonly inputText?: string } {
  if (typeof value !== "string") return { input: asJson(value, path) };
  try {
    const input = toJsonValue(JSON.parse(value), path);
    return JSON.stringify(input) === value ? { input } : { input, inputText: value };
  } catch {
    return { input: value, inputText: value };
  }
}

/** Returns the fields with a name, without those that are absent. */
export function pickFields(fields: Fields, names: readonly string[], path: string): Record<string, JsonValue> {
  const given = names.filter((name) => fields[name] !== undefined && fields[name] !== null);
  return Object.fromEntries(given.map((name) => [name, asJson(fields[name], `${path}.${name}`)]));
}
