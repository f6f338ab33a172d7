/** Serves `createAnthropicDouble` as `/v1/messages`, whole and streamed, until the test ends (`await using`). */
import { normalizeModelId } from "../core/budget/find-model.ts";
import { findFamily } from "../core/budget/model-family.ts";
import { checkOptions, FUNCTION, required } from "../core/check-options.ts";
import { decodeInput } from "../core/message/formats/decode-input.ts";
import { isJsonObject, type JsonObject } from "../core/message/json.ts";
import { loadCounter } from "../counters/load-counter.ts";
import { MessageCounts } from "../engine/context/message-counts.ts";
import {
  type AnthropicDouble,
  type AnthropicDoubleOptions,
  createAnthropicDouble,
  DOUBLE_RULES,
  type Verdict,
} from "./anthropic-double.ts";
import { anthropic } from "./anthropic-wire.ts";
import { listBlocks } from "./read-prefix.ts";
import {
  type RecordedRequest,
  startWireServer,
  type WireReply,
  type WireServer,
  type WireUsage,
} from "./wire-server.ts";

/** A scripted reply: content blocks and usage. */
export interface AnthropicDoubleReply {
  /** Content blocks of the answer. Thinking without a signature gets one. */
  readonly content: readonly JsonObject[];
  /** Usage of the answer. Default: the engine's own count, with an empty cache. */
  readonly usage?: WireUsage | undefined;
}

/** The replies of a double, as a function of the request. */
export interface AnthropicDoubleScript extends AnthropicDoubleOptions {
  /** Called for each accepted request; `index` counts them. */
  readonly reply: (request: RecordedRequest, index: number) => AnthropicDoubleReply;
}

/** A running double: its address, the requests and the verdicts. */
export interface AnthropicDoubleServer extends WireServer {
  readonly double: AnthropicDouble;
  /** The verdict on each request, in the order of `requests`. */
  readonly verdicts: readonly Verdict[];
}

const RULES = { ...DOUBLE_RULES, reply: required(FUNCTION) };

/**
 * Starts a server that answers like Anthropic's Messages API, by its rules.
 *
 * @example
 * ```ts
 * await using provider = await startAnthropicDouble({ reply: () => ({ content: [{ type: "text", text: "Hello." }] }) });
 * console.log(provider.url, provider.verdicts);
 * ```
 */
export async function startAnthropicDouble(script: AnthropicDoubleScript): Promise<AnthropicDoubleServer> {
  checkOptions(script, RULES, "startAnthropicDouble");
  const { reply, ...options } = script;
  const double = createAnthropicDouble(options);
  const verdicts: Verdict[] = [];
  let accepted = 0;
  const answerRequest = async (request: RecordedRequest): Promise<WireReply> => {
    if (request.wire !== "anthropic")
      return replyWithError({ status: 404, code: "not_found_error", message: "Not Found" });
    const verdict = findHeaderFault(request.headers) ?? double.judge(request);
    verdicts.push(verdict);
    if (verdict.type === "refusal") {
      const { status, message } = verdict;
      return replyWithError({
        status,
        code: status === 401 ? "authentication_error" : "invalid_request_error",
        message,
      });
    }
    const { content, usage } = reply(request, accepted++);
    const transformations = verdict.dropped.map((dropped): JsonObject => ({ type: "thinking_dropped", ...dropped }));
    const blocks = double.issue(request, content);
    const counted = usage ?? (await countUsage(request.body, blocks));
    const stop = blocks.some((block) => block.type === "tool_use") ? "tool-call" : "end";
    return {
      type: "answer",
      answer: { pieces: [], stop, blocks, usage: counted, inputTransformations: transformations },
    };
  };
  const provider = await startWireServer({ reply: answerRequest, wires: { anthropic } });
  return {
    ...provider,
    get bytesSent() {
      return provider.bytesSent;
    },
    get openConnections() {
      return provider.openConnections;
    },
    double,
    verdicts,
  };
}

function replyWithError(error: Parameters<typeof anthropic.error>[0]): WireReply {
  return { type: "raw", status: error.status, body: JSON.stringify(anthropic.error(error)) };
}

function findHeaderFault(headers: RecordedRequest["headers"]): Verdict | undefined {
  const fault = (status: 400 | 401, path: string, message: string) =>
    ({ type: "refusal", status, rule: "header", path, message }) as const;
  if (headers["x-api-key"] === undefined && headers.authorization === undefined) {
    return fault(401, "x-api-key", "x-api-key header is required");
  }
  if (headers["anthropic-version"] !== undefined) return undefined;
  return fault(400, "anthropic-version", "anthropic-version: header is required");
}

/** Counts like an engine without calibration, so that this usage does not change a calibration. */
async function countUsage(body: JsonObject, blocks: readonly JsonObject[]): Promise<WireUsage> {
  const family = findFamily(normalizeModelId(String(body.model)));
  const counts = new MessageCounts(await loadCounter(family), family.media);
  const countMessages = (messages: unknown) =>
    decodeInput(messages, { format: "anthropic", fallbackId: String })
      .messages.flat()
      .reduce((tokens, message) => tokens + counts.count(message), 0);
  const system = listBlocks(body.system ?? []).map((block) => (isJsonObject(block) ? String(block.text) : ""));
  const instructions = system.length === 0 ? 0 : counts.countText(system.join("\n\n"));
  const tools = body.tools === undefined ? 0 : counts.countTools(body.tools).tokens;
  const input = countMessages(body.messages) + instructions + tools;
  const output = countMessages([{ role: "assistant", content: blocks }]);
  const scale = (tokens: number) => Math.ceil(tokens * family.startFactor);
  return { inputTokens: scale(input), outputTokens: scale(output), cacheReadTokens: 0, cacheWriteTokens: 0 };
}
