/**
 * A model provider on a real socket that plays a script: chat completions, responses, messages and generateContent,
 * whole or streamed, and every kind of failure. Replies come in the order of the script, whatever the request. It ends
 * with the test: `await using provider = await startScriptedProvider(script)`.
 */
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import {
  type RecordedRequest,
  type WireServer as ScriptedProvider,
  type Stage,
  startAnswer,
  startWireServer,
  type Wire,
  type WireAnswer,
  type WireReply,
  type WireUsage,
} from "../../src/testing/wire-server.ts";
import type { ScriptedReply } from "./scripted-provider-reply.ts";
import { WIRES, wireError } from "./scripted-provider-wire.ts";

export type { RecordedRequest, ScriptedProvider };

/** A list that is played once in order, or a function that is called for each request. */
export type ProviderScript =
  | readonly ScriptedReply[]
  | ((request: RecordedRequest, index: number) => ScriptedReply | Promise<ScriptedReply>);

export const SCRIPTED_USAGE: WireUsage = {
  inputTokens: 1_200,
  outputTokens: 48,
  cacheReadTokens: 1_024,
  cacheWriteTokens: 100,
};

const PIECE_LENGTH = 12;
const FLOOD_PIECE = "The same words again and again. ".repeat(512);

export function startScriptedProvider(script: ProviderScript): Promise<ScriptedProvider> {
  return startWireServer({
    wires: WIRES,
    reply: async (request, index) => toWireReply(await findReply(script, request, index), request),
  });
}

async function findReply(script: ProviderScript, request: RecordedRequest, index: number): Promise<ScriptedReply> {
  if (typeof script === "function") return script(request, index);
  const body = JSON.stringify({ error: { message: `The script has ${script.length} replies; this is one more.` } });
  return script[index] ?? { type: "raw", status: 400, body };
}

function toWireReply(reply: ScriptedReply, { wire }: RecordedRequest): WireReply {
  if (reply.type === "raw") return reply;
  if (wire === undefined) return { type: "raw", status: 404, body: "{}" };
  switch (reply.type) {
    case "hang":
      return { type: "custom", play: async () => undefined };
    case "error":
      return { ...reply, type: "raw", body: JSON.stringify(wireError(wire, reply)) };
    case "blocks":
      if (wire !== "anthropic") return { type: "raw", status: 400, body: "{}" };
      return { type: "answer", answer: answerOf(reply) };
    case "text":
    case "tool-call":
    case "refusal":
    case "flood":
      return { type: "custom", play: (stage) => sendAnswer(reply, stage, wire) };
    default: {
      const unknown: never = reply;
      throw new TypeError(`Unknown reply ${JSON.stringify(unknown)}`);
    }
  }
}

type ScriptedText = Extract<ScriptedReply, { readonly type: "text" }>;
type AnswerReply = Exclude<ScriptedReply, { readonly type: "hang" | "raw" | "error" }>;

/** Sends an answer slowly, in two halves or in part, as the reply specifies. */
async function sendAnswer(reply: AnswerReply, stage: Stage, wire: Wire): Promise<void> {
  const chunks = startAnswer(answerOf(reply), stage, WIRES[wire]);
  const { heldUntil, ...manner }: Partial<ScriptedText> = reply.type === "text" ? reply : {};
  const startedAt = stage.counts.sent;
  for await (const chunk of heldUntil === undefined ? chunks : hold(chunks, heldUntil)) {
    if (!(await sendChunk(chunk, { ...stage, startedAt, ...manner }))) return;
  }
  stage.response.end();
}

async function* hold(chunks: Iterable<string>, until: Promise<unknown>): AsyncGenerator<string> {
  const all = [...chunks];
  const half = Math.ceil(all.length / 2);
  yield* all.slice(0, half);
  await until;
  yield* all.slice(half);
}

function answerOf(reply: AnswerReply): WireAnswer {
  const usage = SCRIPTED_USAGE;
  switch (reply.type) {
    case "text":
      return { pieces: cutText(reply.text), stop: reply.stop ?? "end", usage: reply.usage ?? usage };
    case "refusal":
      return { pieces: cutText(reply.text), stop: "refusal", usage };
    case "tool-call":
      return { pieces: [], stop: "tool-call", toolCall: reply, usage: reply.usage ?? usage };
    case "blocks": {
      const stop = reply.blocks.some((block) => block.type === "tool_use") ? "tool-call" : "end";
      return { pieces: [], stop, ...reply, usage: reply.usage ?? usage };
    }
    case "flood":
      return { pieces: floodPieces(reply.bytes), stop: "end", usage };
    default: {
      const unknown: never = reply;
      throw new TypeError(`Unknown reply ${JSON.stringify(unknown)}`);
    }
  }
}

/** Returns pieces of a few words each, as a model streams them. */
function cutText(text: string): readonly string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / PIECE_LENGTH);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH).join(""),
  );
}

function* floodPieces(bytes: number): Generator<string> {
  for (let sent = 0; sent < bytes; sent += FLOOD_PIECE.length) yield FLOOD_PIECE;
}

interface Delivery extends Stage {
  /** Bytes sent before this answer. */
  readonly startedAt: number;
  readonly byteEveryMs?: number | undefined;
  readonly resetAfterBytes?: number | undefined;
}

/** Sends a chunk. Returns false when the script or the client has closed the connection. */
async function sendChunk(chunk: string, delivery: Delivery): Promise<boolean> {
  const { response, signal, counts, startedAt, byteEveryMs, resetAfterBytes = Number.POSITIVE_INFINITY } = delivery;
  const bytes = Buffer.from(chunk);
  const step = byteEveryMs === undefined ? bytes.length : 1;
  for (let start = 0; start < bytes.length; start += step) {
    if (response.destroyed || signal.aborted) return false;
    if (counts.sent - startedAt >= resetAfterBytes) {
      response.socket?.resetAndDestroy();
      return false;
    }
    const slice = bytes.subarray(start, start + step);
    counts.sent += slice.length;
    if (!response.write(slice)) await waitForDrain(response);
    if (byteEveryMs === 0) await nextTurn();
    else if (byteEveryMs !== undefined) await pause(byteEveryMs, undefined, { signal });
  }
  return true;
}

/** Resolves when the socket can be written again or is closed. */
function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
