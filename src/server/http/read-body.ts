/**
 * Reads the body of a request with limits on bytes, speed, depth and number of values. JSON that would be changed by
 * parsing is refused: duplicate fields, numbers that are too long, `__proto__`. Refusals never quote the body.
 */
import { RefusedRequest } from "./answer-error.ts";
import type { BodyBudgetLimits, BodyShare } from "./body-budget.ts";
import { createBodyTooLargeError } from "./body-limit.ts";
import { JsonScan, type ShapeLimits } from "./scan-json.ts";

export interface BodyLimits extends ShapeLimits, BodyBudgetLimits {
  readonly bytes: number;
  /** How long to wait for a client in total, besides the time that its bytes take at the slowest allowed rate. */
  readonly maxWaitMs: number;
  readonly slowestBytesPerSecond: number;
}

export const BODY_LIMITS: BodyLimits = {
  bytes: 4_000_000,
  depth: 64,
  values: 250_000,
  fields: 10_000,
  maxWaitMs: 10_000,
  slowestBytesPerSecond: 10_000,
  heldBytes: 128_000_000,
  heldBytesPerCaller: 64_000_000,
};

type SpeedLimits = Pick<BodyLimits, "maxWaitMs" | "slowestBytesPerSecond">;

/** Counts only the time spent waiting for the client, not the time that the consumer takes. */
export async function* readBodyChunks(request: Request, limits: SpeedLimits): AsyncGenerator<Uint8Array> {
  const { maxWaitMs, slowestBytesPerSecond } = limits;
  const reader = request.body?.getReader();
  if (reader === undefined) return;
  let [waitedMs, bytes] = [0, 0];
  try {
    for (;;) {
      const startedAt = performance.now();
      const next = await readWithin(reader.read(), maxWaitMs + (bytes / slowestBytesPerSecond) * 1_000 - waitedMs);
      if (next.done) return;
      waitedMs += performance.now() - startedAt;
      bytes += next.value.byteLength;
      yield next.value;
    }
  } finally {
    void discardRest(reader);
  }
}

/** Reads the rest of a refused body, because a client that is still sending would not see the response. */
async function discardRest(reader: ReadableStreamDefaultReader): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The connection is closed.
  }
}

async function readWithin<Result>(promise: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([promise, late]);
  } catch (error) {
    // The connection broke within the body. The client is gone, and nothing failed here.
    throw error instanceof RefusedRequest ? error : new RefusedRequest("request-invalid", "The body was cut off.");
  } finally {
    clearTimeout(timer);
  }
}

export interface ReadOptions {
  /** The part of the budget that the body uses until the request is answered. */
  readonly share: Pick<BodyShare, "add">;
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined;
}

export async function readBodyBytes(
  request: Request,
  limits: SpeedLimits & Pick<BodyLimits, "bytes">,
  { share, onChunk }: ReadOptions,
): Promise<Uint8Array> {
  const { bytes } = limits;
  const body = new GrowingBytes(bytes);
  for await (const chunk of readBodyChunks(request, limits)) {
    if (body.length + chunk.byteLength > bytes) throw createBodyTooLargeError(bytes);
    share.add(chunk.byteLength);
    onChunk?.(chunk);
    body.add(chunk);
  }
  return body.take();
}

/** Bytes in one buffer, because thousands of small chunks would take many times their length. */
class GrowingBytes {
  readonly #most: number;
  #buffer = Buffer.alloc(0);
  length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Uint8Array): void {
    const length = this.length + chunk.byteLength;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(this.#most, Math.max(length, this.#buffer.length * 2)));
      this.#buffer.copy(grown, 0, 0, this.length);
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.length);
    this.length = length;
  }

  take(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }
}

/** Returns true for an empty body without a content type. Throws at the first byte of any other. */
export async function hasNoBody(request: Request, limits: BodyLimits): Promise<boolean> {
  if (request.headers.has("content-type")) return false;
  for await (const chunk of readBodyChunks(request, limits)) {
    if (chunk.byteLength > 0) throw new RefusedRequest("media-type-unsupported", "Send the body as application/json.");
  }
  return true;
}

export async function readJsonBody(
  request: Request,
  limits: BodyLimits,
  share: ReadOptions["share"],
): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json *(?:;|$)/i.test(type)) {
    throw new RefusedRequest("media-type-unsupported", "Send the body as application/json.");
  }
  const scan = new JsonScan(limits);
  const bytes = await readBodyBytes(request, limits, { share, onChunk: (chunk) => scan.add(chunk) });
  return readScanned(decodeBody(bytes), scan);
}

export function parseJson(text: string, limits: ShapeLimits): unknown {
  const scan = new JsonScan(limits);
  scan.add(Buffer.from(text));
  return readScanned(text, scan);
}

function readScanned(text: string, scan: JsonScan): unknown {
  const value = parseBody(text);
  if (countNames(value) !== scan.names) throw new RefusedRequest("request-invalid", "The body has a duplicate field.");
  return value;
}

function decodeBody(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RefusedRequest("request-invalid", "The body is not UTF-8.");
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedRequest("request-invalid", "The body is not JSON.");
  }
}

/** Counts the fields of all objects and refuses values that JSON cannot represent. */
function countNames(root: unknown): number {
  let names = 0;
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      throw new RefusedRequest("request-invalid", "The body has a number above 2^53. Send it as a string.");
    }
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) names += countOwn(value);
    for (const item of Object.values(value))
      if (typeof item === "object" || typeof item === "number") waiting.push(item);
  }
  return names;
}

function countOwn(value: object): number {
  if (Object.hasOwn(value, "__proto__")) {
    throw new RefusedRequest("request-invalid", "The body has a field named __proto__.");
  }
  return Object.keys(value).length;
}

function tooSlow(): RefusedRequest {
  return new RefusedRequest("request-too-slow", "The body arrived too slowly.", { headers: { connection: "close" } });
}
