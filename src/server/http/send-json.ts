/** Writes a large value as JSON in steps, so that a long conversation does not block other requests. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { streamText } from "./stream-text.ts";

/** Items serialized at once. */
const STEP = 100;
/** Depth of the longest lists: `result.messages` of an answer in a batch. Deeper values are small. */
const DEPTH = 4;
const PIECE_CHARACTERS = 65_536;

export async function* writeJson(value: object): AsyncGenerator<string> {
  let piece = "";
  for (const part of writeValue(value, DEPTH)) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
    await nextTurn();
  }
  yield piece;
}

export function sendJson(value: object): Response {
  return streamText(writeJson(value), { "content-type": "application/json" });
}

function* writeValue(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || typeof value !== "object" || value === null) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* writeList(value, depth);
  else yield* writeObject(value, depth);
}

function* writeList(items: readonly unknown[], depth: number): Generator<string> {
  yield "[";
  // Items of a short list may contain lists; items of a long one are small and written together.
  const step = items.length > STEP ? STEP : 1;
  for (let start = 0; start < items.length; start += step) {
    if (start > 0) yield ",";
    if (step === 1) yield* writeValue(items[start], depth - 1);
    else yield JSON.stringify(items.slice(start, start + step)).slice(1, -1);
  }
  yield "]";
}

function* writeObject(value: object, depth: number): Generator<string> {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  yield "{";
  for (const [index, [name, field]] of fields.entries()) {
    yield `${index === 0 ? "" : ","}${JSON.stringify(name)}:`;
    yield* writeValue(field, depth - 1);
  }
  yield "}";
}
