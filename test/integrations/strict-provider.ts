/**
 * A provider on a real socket that checks each request strictly, answers questions with two parallel tool calls and
 * results with a text, and can hold or break a stream.
 */
import { decodeInput } from "../../src/core/message/formats/decode-input.ts";
import type { FormatName } from "../../src/core/message/formats/format.ts";
import { isJsonObject, type JsonObject } from "../../src/core/message/json.ts";
import { repairMessages } from "../../src/core/message/repair-messages.ts";
import { countTokens } from "../../src/core/public/index.ts";
import { createAnthropicDouble } from "../../src/testing/anthropic-double.ts";
import { anthropic } from "../../src/testing/anthropic-wire.ts";
import { readPrefix } from "../../src/testing/read-prefix.ts";
import {
  type RecordedRequest,
  startAnswer,
  startWireServer,
  type WireReply,
  type WireServer,
} from "../../src/testing/wire-server.ts";

/** `hold`: the next text stream stays open in its middle. `break`: its connection is reset there. */
export interface NextStream {
  readonly type: "hold" | "break";
}

export interface StrictProvider extends AsyncDisposable, Pick<WireServer, "url" | "requests"> {
  /** The complaints about all requests. */
  readonly faults: readonly string[];
  /** Tokens of each request, by the estimate that the engines of the contract use. */
  readonly sizes: readonly number[];
  /** Requests that do not begin with the whole request before them. */
  readonly brokenPrefixes: number;
  readonly parallelCalls: number;
  /** Sets how the next text stream stops. */
  next(stream: NextStream): void;
}

export function writeWords(count: number, seed: number): string {
  return Array.from({ length: count }, (_, index) => `word${(seed * 31 + index * 7) % 997}`).join(" ");
}

const ZERO = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Anthropic's Messages API with thinking that is bound to everything before it. */
export async function startStrictAnthropic({ stepsPerTurn = 2 } = {}): Promise<StrictProvider> {
  const double = createAnthropicDouble();
  const record = new RequestRecord("anthropic", (body) => readPrefix(body).chain);
  const next: NextStream[] = [];
  let turn = 0;
  let step = 0;
  const server = await startWireServer({
    wires: { anthropic },
    reply: (request) => {
      const verdict = double.judge(request);
      record.add(request.body, verdict.type === "refusal" ? [`${verdict.path}: ${verdict.message}`] : []);
      if (verdict.type === "refusal") return refuse(verdict.message);
      step = endsWithResults(request.body) ? step + 1 : 1;
      const isAnswered = step >= stepsPerTurn;
      const thought = { type: "thinking", thinking: `Thought ${turn}: ${writeWords(12, turn)}` };
      const answer = { type: "text", text: `Answer ${turn}: ${writeWords(60, turn)}` };
      const calls = [0, 1].map((place): JsonObject => {
        const input = { topic: `topic ${turn}.${place}` };
        return { type: "tool_use", id: `toolu_${turn}_${place}`, name: "lookup", input };
      });
      if (!isAnswered) record.parallelCalls += 1;
      turn += 1;
      const blocks = double.issue(request, [thought, ...(isAnswered ? [answer] : calls)]);
      const stream = isAnswered ? next.shift() : undefined;
      const id = `msg_${turn}`;
      const wireAnswer = { id, pieces: [], stop: isAnswered ? "end" : "tool-call", blocks, usage: ZERO } as const;
      if (stream === undefined) return { type: "answer", answer: wireAnswer };
      return playPart(stream, (stage) => startAnswer(wireAnswer, stage, anthropic));
    },
  });
  return finishProvider(server, record, next);
}

function refuse(message: string): WireReply {
  const body = JSON.stringify(anthropic.error({ status: 400, code: "invalid_request_error", message }));
  return { type: "raw", status: 400, body };
}

function endsWithResults(body: JsonObject): boolean {
  const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  const block = isJsonObject(last) && Array.isArray(last.content) ? last.content.at(-1) : undefined;
  return isJsonObject(block) && block.type === "tool_result";
}

/** Sends the first chunks of a stream up to its first text, and then holds or resets it. */
export function playPart(
  { type }: NextStream,
  start: (stage: Parameters<Extract<WireReply, { type: "custom" }>["play"]>[0]) => Iterable<string>,
): WireReply {
  return {
    type: "custom",
    async play(stage) {
      for (const chunk of start(stage)) {
        stage.response.write(chunk);
        if (chunk.includes("Answer")) break;
      }
      if (type === "hold") return;
      await new Promise((resolve) => stage.response.write("", resolve));
      setImmediate(() => stage.response.socket?.resetAndDestroy());
    },
  };
}

/** Leaves out the fields of tools that are for the API and not for the model. */
function omitApiFields(key: string, value: unknown): unknown {
  return key === "strict" || (key === "type" && value === "function") ? undefined : value;
}

export class RequestRecord {
  readonly faults: string[] = [];
  readonly sizes: number[] = [];
  readonly #format: FormatName;
  readonly #readPrefix: (body: JsonObject) => readonly string[];
  #last: readonly string[] = [];
  brokenPrefixes = 0;
  parallelCalls = 0;

  constructor(format: FormatName, readPrefixOf: (body: JsonObject) => readonly string[]) {
    this.#format = format;
    this.#readPrefix = readPrefixOf;
  }

  add(body: JsonObject, faults: readonly string[]): void {
    this.faults.push(...faults);
    const { messages, input, system, instructions, tools } = body;
    const decoded = decodeInput(messages ?? input, { format: this.#format, fallbackId: String }).messages.flat();
    const texts = [system, instructions, tools].map((value) => JSON.stringify(value, omitApiFields) ?? "");
    // As the engine counts them: parallel calls, which are separate items on the wire, are one message.
    this.sizes.push(countTokens(repairMessages(decoded).messages) + countTokens(texts.join("")));
    const prefix = this.#readPrefix(body);
    if (this.#last.some((hash, index) => prefix[index] !== hash)) this.brokenPrefixes += 1;
    this.#last = prefix;
  }
}

export function finishProvider(server: WireServer, record: RequestRecord, next: NextStream[]): StrictProvider {
  return {
    url: server.url,
    requests: server.requests as readonly RecordedRequest[],
    faults: record.faults,
    sizes: record.sizes,
    get brokenPrefixes() {
      return record.brokenPrefixes;
    },
    get parallelCalls() {
      return record.parallelCalls;
    },
    next: (stream) => next.push(stream),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
