/**
 * A double of Anthropic's Messages API without a socket. It judges required fields, the strict rules of messages, and
 * each thinking block against everything that preceded it when it was issued. Blocks are not bound to accounts.
 */
import { createHash } from "node:crypto";
import { checkOptions, FUNCTION } from "../core/check-options.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/message/json.ts";
import { validate } from "../core/prompt/validate/validate.ts";
import {
  canonicalText,
  findSignature,
  listBlocks,
  type RequestPrefix,
  readPrefix,
  type SentThinking,
  SYSTEM_ITEM,
  TOOLS_ITEM,
} from "./read-prefix.ts";
import { describeThinkingModel, type ThinkingModel } from "./thinking-models.ts";

/** The value of the `anthropic-beta` header that `thinking.block_binding` needs. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/** The headers and the body of a request. */
export interface AnthropicRequest {
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A thinking block that the provider did not pass on to the model. */
export interface DroppedThinking {
  readonly path: string;
  readonly signature: string;
  readonly reason: "model_binding_mismatch" | "prefix_mismatch";
}

/** Whether a request was accepted, with the thinking that was ignored, or which rule it broke. */
export type Verdict =
  | { readonly type: "accepted"; readonly dropped: readonly DroppedThinking[] }
  | {
      readonly type: "refusal";
      readonly status: 400 | 401;
      /** `field`, `header`, `prefix`, `signature`, `open-turn`, `binding-header` or a rule of `validate`. */
      readonly rule: string;
      readonly path: string;
      readonly message: string;
    };

/** Judges requests by the rules of Anthropic's Messages API, without a socket. */
export interface AnthropicDouble {
  /** Judges a request without remembering it. */
  judge(request: AnthropicRequest): Verdict;
  /** Answers a request with these content blocks. Signs their thinking and remembers it with everything before it. */
  issue(request: AnthropicRequest, content: readonly JsonObject[]): readonly JsonObject[];
}

/** The rules of models, if the built-in ones do not fit. */
export interface AnthropicDoubleOptions {
  /** Replaces the built-in rules of models. */
  readonly describeModel?: ((model: string) => ThinkingModel) | undefined;
}

interface IssuedThinking {
  readonly model: string;
  readonly content: string;
  /** The request that produced the block and the blocks of the reply before it. */
  readonly prefix: RequestPrefix;
}

type Refusal = Extract<Verdict, { readonly type: "refusal" }>;

export const DOUBLE_RULES = { describeModel: FUNCTION };

/**
 * Returns a judge of requests with the rules of Anthropic's Messages API.
 *
 * @example
 * ```ts
 * const double = createAnthropicDouble();
 * const verdict = double.judge({ body: { model: "claude-opus-5-5", max_tokens: 100, messages: [] } });
 * ```
 */
export function createAnthropicDouble(options: AnthropicDoubleOptions = {}): AnthropicDouble {
  checkOptions(options, DOUBLE_RULES, "createAnthropicDouble");
  const { describeModel = describeThinkingModel } = options;
  const issued = new Map<string, IssuedThinking>();
  /** For each call that was issued, whether thinking came before it. */
  const thoughtBefore = new Map<string, boolean>();

  return {
    judge(request) {
      const { body } = request;
      return (
        findFieldFault(request) ??
        findMalformed(body) ??
        findMissingHeader(request) ??
        findOpenTurnFault(body, thoughtBefore) ??
        judgeThinking(request, issued, describeModel)
      );
    },
    issue({ body }, content) {
      const before = Array.isArray(body.messages) ? body.messages : [];
      const sent: JsonObject[] = [];
      for (const block of content) {
        if (findSignature(block) === undefined) {
          sent.push(block);
          continue;
        }
        const prefix = readPrefix({ ...body, messages: [...before, { role: "assistant", content: sent }] });
        const signed = signThinking(block, { number: issued.size, prefix });
        issued.set(findSignature(signed) ?? "", { model: String(body.model), content: canonicalText(signed), prefix });
        sent.push(signed);
      }
      const thinks = sent.some((block) => findSignature(block) !== undefined);
      for (const { type, id } of sent) if (type === "tool_use") thoughtBefore.set(String(id), thinks);
      return sent;
    },
  };
}

function findFieldFault(request: AnthropicRequest): Refusal | undefined {
  const { model, max_tokens: maxTokens, messages, thinking } = request.body;
  const fault = (path: string, text: string) => refusal({ rule: "field", path, text });
  if (model === undefined) return fault("model", "Field required");
  if (typeof model !== "string") return fault("model", "Input should be a valid string");
  if (maxTokens === undefined) return fault("max_tokens", "Field required");
  if (typeof maxTokens !== "number" || !Number.isInteger(maxTokens)) {
    return fault("max_tokens", "Input should be a valid integer");
  }
  if (maxTokens < 1) return fault("max_tokens", "Input should be greater than or equal to 1");
  if (messages === undefined) return fault("messages", "Field required");
  if (!Array.isArray(messages)) return fault("messages", "Input should be a valid list");
  if (messages.length === 0) return fault("messages", "at least one message is required");
  const place = messages.findIndex((message) => !isJsonObject(message) || message.content === undefined);
  if (place !== -1) return fault(`messages.${place}.content`, "Field required");
  const budget = isJsonObject(thinking) && thinking.type === "enabled" ? Number(thinking.budget_tokens) : 0;
  // Interleaved thinking may exceed the limit of one answer.
  if (maxTokens > budget || listBetas(request).some((beta) => beta.startsWith("interleaved-thinking")))
    return undefined;
  const message = "`max_tokens` must be greater than `thinking.budget_tokens`.";
  return { ...fault("max_tokens", ""), message };
}

function findMalformed(body: JsonObject): Refusal | undefined {
  const [complaint] = validate(body, "anthropic");
  if (complaint === undefined) return undefined;
  return refusal({ rule: complaint.rule, path: complaint.path, text: complaint.text });
}

function listBetas({ headers }: AnthropicRequest): readonly string[] {
  return headers?.["anthropic-beta"]?.split(",").map((beta) => beta.trim()) ?? [];
}

function findMissingHeader(request: AnthropicRequest): Refusal | undefined {
  const { thinking } = request.body;
  const binding = isJsonObject(thinking) ? thinking.block_binding : undefined;
  if (binding === undefined || listBetas(request).includes(BINDING_BETA)) return undefined;
  const text = `Extra inputs are not permitted. That setting requires the \`${BINDING_BETA}\` value in the \`anthropic-beta\` header.`;
  return refusal({ rule: "binding-header", path: "thinking.block_binding", text });
}

/**
 * With manual thinking, a request that ends with tool results must repeat the thinking that was issued with their
 * calls: at the start of the turn's first assistant message and of its newest one. Adaptive thinking does not require
 * this.
 */
function findOpenTurnFault(body: JsonObject, thoughtBefore: ReadonlyMap<string, boolean>): Refusal | undefined {
  const manual = isJsonObject(body.thinking) && body.thinking.type === "enabled";
  if (!manual || !Array.isArray(body.messages)) return undefined;
  const messages: readonly JsonValue[] = body.messages;
  const turn = [...messages.entries()].slice(messages.findLastIndex(beginsTurn) + 1);
  if (!isToolResults(messages.at(-1))) return undefined;
  const spoken = turn.filter(([, message]) => isJsonObject(message) && message.role === "assistant");
  for (const entry of [spoken[0], spoken.at(-1)]) {
    if (entry === undefined) continue;
    const [first, ...others] = blocksOf(entry[1]);
    const call = [first, ...others].find((block) => isJsonObject(block) && block.type === "tool_use");
    if (first === undefined || !isJsonObject(call) || findSignature(first) !== undefined) continue;
    if (thoughtBefore.get(String(call.id)) === false) continue;
    const found = isJsonObject(first) ? String(first.type) : "unknown";
    const text = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
    return refusal({ rule: "open-turn", path: `messages.${entry[0]}.content.0.type`, text });
  }
  return undefined;
}

function judgeThinking(
  request: AnthropicRequest,
  issued: ReadonlyMap<string, IssuedThinking>,
  describeModel: (model: string) => ThinkingModel,
): Verdict {
  const { body } = request;
  const reader = describeModel(String(body.model));
  const prefix = readPrefix(body);
  const dropped: DroppedThinking[] = [];
  for (const [index, sent] of prefix.thinking.entries()) {
    const { path, signature, block } = sent;
    const known = issued.get(signature);
    const type = String(block.type);
    const invalid = `Invalid \`signature\` in \`${type}\` block`;
    if (known === undefined) return refusal({ rule: "signature", path, text: invalid });
    if (known.content !== canonicalText(block)) {
      const text = "`thinking` or `redacted_thinking` blocks cannot be modified. They must remain as they were issued.";
      return refusal({ rule: "signature", path, text });
    }
    if (!reader.reads(known.model) && String(body.model) !== known.model) {
      dropped.push({ path, signature, reason: "model_binding_mismatch" });
      continue;
    }
    const change = reader.checksPrefix ? findChange({ sent, index, prefix, was: known.prefix }) : undefined;
    if (change === undefined) continue;
    if (!dropsMismatches(body)) {
      const text = `${invalid}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". That setting requires the \`${BINDING_BETA}\` value in the \`anthropic-beta\` header. ${change}`;
      return refusal({ rule: "prefix", path, text });
    }
    dropped.push({ path, signature, reason: "prefix_mismatch" });
  }
  return { type: "accepted", dropped };
}

interface Comparison {
  readonly sent: SentThinking;
  /** Index of the block among the thinking blocks of the request. */
  readonly index: number;
  readonly prefix: RequestPrefix;
  readonly was: RequestPrefix;
}

/** Describes the first change before a block since it was produced; undefined if there is none. */
function findChange({ sent, index, prefix, was }: Comparison): string | undefined {
  const length = was.chain.length;
  if (sent.at !== length || prefix.chain[length - 1] !== was.chain[length - 1]) {
    const place = was.chain.findIndex((hash, item) => prefix.chain[item] !== hash || item >= sent.at);
    return describeChange(place === -1 ? sent.at - 1 : place, prefix);
  }
  // A client may leave out the oldest thinking: the rest must be the end of the original list.
  const earlier = prefix.thinking.slice(0, index);
  const expected = was.thinking.slice(Math.max(was.thinking.length - earlier.length, 0));
  const same =
    expected.length === earlier.length &&
    expected.every((block, item) => block.signature === earlier[item]?.signature && block.at === earlier[item]?.at);
  if (same) return undefined;
  return "The `thinking` block that preceded this one when it was created is missing from this request.";
}

function describeChange(place: number, { messageOf }: RequestPrefix): string {
  if (place === SYSTEM_ITEM) return "The `system` prompt differs from the one this block was created with.";
  if (place === TOOLS_ITEM) return "The `tools` differ from those this block was created with.";
  return `\`messages.${messageOf[place] ?? messageOf.length}\` differs from the one this block was created with.`;
}

function dropsMismatches({ thinking }: JsonObject): boolean {
  const binding = isJsonObject(thinking) ? thinking.block_binding : undefined;
  return isJsonObject(binding) && binding.prefix_mismatch_behavior === "drop_block";
}

function signThinking(
  block: JsonObject,
  { number, prefix }: { readonly number: number; readonly prefix: RequestPrefix },
): JsonObject {
  if (findSignature(block) !== "") return block;
  const proof = createHash("sha256")
    .update(`${number} ${prefix.chain.at(-1)}`)
    .digest("base64");
  return { ...block, [block.type === "thinking" ? "signature" : "data"]: proof };
}

/** Returns whether a message begins a turn: it is the user's and has no tool results. */
function beginsTurn(message: JsonValue): boolean {
  return isJsonObject(message) && message.role === "user" && !isToolResults(message);
}

function isToolResults(message: JsonValue | undefined): boolean {
  return blocksOf(message).some((block) => isJsonObject(block) && block.type === "tool_result");
}

function blocksOf(message: JsonValue | undefined): readonly JsonValue[] {
  return isJsonObject(message) ? listBlocks(message.content) : [];
}

function refusal({
  rule,
  path,
  text,
}: {
  readonly rule: string;
  readonly path: string;
  readonly text: string;
}): Refusal {
  return { type: "refusal", status: 400, rule, path, message: `${path}: ${text}` };
}
