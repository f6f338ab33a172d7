/**
 * What an error says, whoever made it: its status, its headers and its words. Errors come as the AI SDK's, as responses,
 * as plain objects, as strings, and inside each other; this file finds the words in all of them and judges none.
 *
 * It reads only fields that hold the provider's answer, never the request that an error may carry along: a prompt that
 * quotes an error must not become one. The work is bounded, because a provider may answer with anything.
 */
import { isObject } from "../core/message/formats/decode-value.ts";

export interface VendorError {
  /** The HTTP status, or a status that the body names. */
  readonly status: number | undefined;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Messages, bodies and codes, one a line. */
  readonly text: string;
}

const MAX_DEPTH = 8;
const MAX_NODES = 200;
const MAX_TEXT_LENGTH = 16_000;

/** Fields with words or with further errors inside. */
const WORD_KEYS = [
  "name",
  "message",
  "responseBody",
  "body",
  "text",
  "data",
  "error",
  "errors",
  "lastError",
  "cause",
  "reason",
  "code",
  "type",
  "detail",
  "details",
  "metadata",
  "raw",
  "response",
] as const;

/** Figures that stand beside the words. They are written as JSON would, so that one pattern reads both. */
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
    for (const key of WORD_KEYS) this.visit(readField(value, key), depth + 1);
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

/** A getter of somebody else's class may throw; then the field says nothing. */
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
