/**
 * Extracts status, headers and text from any error, including nested ones. It reads only fields of the
 * provider's answer, never the request that an error may contain: a prompt that quotes an error must not count as one.
 * The work is bounded, because a provider may answer with anything.
 */
import { isObject } from "../core/check-value.ts";
import { listWords } from "../core/language/list-words.ts";

export interface VendorError {
  /** The HTTP status, or one that the body states. */
  readonly status: number | undefined;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Messages, bodies and codes, one on each line. */
  readonly text: string;
}

const MAX_DEPTH = 8;
const MAX_NODES = 200;
const MAX_TEXT_LENGTH = 16_000;

/** Fields with text or nested errors. */
const TEXT_KEYS = listWords(`name message responseBody body text data error errors lastError cause reason code type
  detail details metadata raw response`);

/** Numeric fields, written like JSON so that one pattern matches both. */
const FIGURE_KEYS = ["n_prompt_tokens", "n_ctx"] as const;
const STATUS_KEYS = ["statusCode", "status"] as const;

export function readVendorError(error: unknown): VendorError {
  const walk = new ErrorWalk();
  walk.visit(error, 0);
  return { status: walk.status, headers: walk.headers, text: walk.lines.join("\n") };
}

class ErrorWalk {
  status: number | undefined;
  readonly headers: Record<string, string> = {};
  readonly lines: string[] = [];
  private readonly seen = new Set<object>();
  private nodes = 0;
  private length = 0;

  visit(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH || ++this.nodes > MAX_NODES) return;
    if (typeof value === "string") this.add(value);
    else if (Array.isArray(value)) this.visitAll(value, depth);
    else if (isObject(value) && !this.seen.has(value)) this.visitObject(value, depth);
  }

  private visitAll(values: readonly unknown[], depth: number): void {
    for (const value of values.slice(0, MAX_NODES)) this.visit(value, depth + 1);
  }

  private visitObject(value: Readonly<Record<string, unknown>>, depth: number): void {
    this.seen.add(value);
    for (const key of STATUS_KEYS) this.status ??= findStatus(readField(value, key));
    for (const key of ["responseHeaders", "headers"]) this.addHeaders(readField(value, key));
    for (const key of FIGURE_KEYS) {
      const figure = readField(value, key);
      if (typeof figure === "number") this.add(`"${key}":${figure}`);
    }
    for (const key of TEXT_KEYS) this.visit(readField(value, key), depth + 1);
  }

  private add(text: string): void {
    const room = MAX_TEXT_LENGTH - this.length;
    if (room <= 0 || text === "") return;
    this.lines.push(text.slice(0, room));
    this.length += Math.min(text.length, room);
  }

  private addHeaders(source: unknown): void {
    if (!isObject(source)) return;
    const pairs = source instanceof Headers ? [...source] : Object.entries(source);
    for (const [name, value] of pairs.slice(0, MAX_NODES)) {
      if (typeof value === "string") this.headers[name.toLowerCase()] ??= value;
    }
  }
}

/** A getter may throw; the field is then ignored. */
function readField(value: Readonly<Record<string, unknown>>, key: string): unknown {
  try {
    return value[key];
  } catch {
    return undefined;
  }
}

function findStatus(value: unknown): number | undefined {
  return typeof value === "number" && value >= 300 && value <= 599 ? value : undefined;
}

/** Limits absurd values; callers have their own limits. */
const MAX_WAIT_MS = 86_400_000;

/** Reads how long to wait: a header in seconds or milliseconds, a date, or Gemini's field in the body. */
export function readRetryAfter({ headers, text }: VendorError, nowMs: number): number | undefined {
  const milliseconds = readDigits(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return clampWait(milliseconds);
  const header = headers["retry-after"]?.trim();
  const seconds = readDigits(header) ?? readDigits(/"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(text)?.[1]);
  if (seconds !== undefined) return clampWait(seconds * 1_000);
  const date = header === undefined || header === "" ? Number.NaN : Date.parse(header);
  return Number.isNaN(date) ? undefined : clampWait(date - nowMs);
}

function readDigits(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

function clampWait(milliseconds: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(0, Math.round(milliseconds)));
}
