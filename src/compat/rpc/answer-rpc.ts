/** Answers JSON-RPC 2.0 for any transport: batches in order, notifications not at all. */

import { randomUUID } from "node:crypto";
import { isObject } from "../../core/check-value.ts";
import { RPC_CODES, RPC_PREFIX, type RpcError, type RpcId, type RpcResponse } from "../../protocol/rpc-codes.ts";
import { RPC_METHODS, type RpcMethod, type RpcMethodName } from "../../protocol/rpc-methods.ts";
import { answerError } from "../../server/http/answer-error.ts";
import { writeJson } from "../../server/http/send-json.ts";
import type { RpcContext } from "./rpc-context.ts";
import { RPC_HANDLERS } from "./rpc-handlers.ts";

export const MAX_IN_BATCH = 100;
/** Once the answers of a batch exceed this, the rest is refused: each answer can be a whole conversation. */
const MAX_BATCH_CHARACTERS = 4_000_000;

export type RpcAnswer = RpcResponse | readonly RpcResponse[];

export interface AnswerOptions {
  readonly context: RpcContext;
  /** Called before each request. Throws if there were too many. */
  readonly admit: () => void;
  readonly onFailure: (requestId: string, error: unknown) => void;
}

/** Returns undefined if all requests were notifications. */
export async function answerRpc(payload: unknown, options: AnswerOptions): Promise<RpcAnswer | undefined> {
  if (!Array.isArray(payload)) return answerOne(payload, options);
  if (payload.length === 0) return createRpcError(null, "invalid-request", "A batch must have at least one request.");
  if (payload.length > MAX_IN_BATCH) {
    return createRpcError(null, "invalid-request", `A batch may have at most ${MAX_IN_BATCH} requests.`);
  }
  return answerBatch(payload, options);
}

async function answerBatch(payload: readonly unknown[], options: AnswerOptions): Promise<RpcAnswer | undefined> {
  const answers: RpcResponse[] = [];
  let characters = 0;
  for (const each of payload) {
    const answer = (characters > MAX_BATCH_CHARACTERS && refuseFull(each)) || (await answerOne(each, options));
    if (answer === undefined) continue;
    answers.push(answer);
    for await (const piece of writeJson(answer)) characters += piece.length;
  }
  return answers.length === 0 ? undefined : answers;
}

/** Refuses a request of a batch without running it. Returns undefined for notifications and invalid requests. */
function refuseFull(payload: unknown): RpcResponse | undefined {
  const request = readRpcRequest(payload);
  if ("error" in request || request.id === undefined) return undefined;
  return createRpcError(request.id, "refused", "The answers of this batch are too large. Send this request by itself.");
}

/** Answers a body that is not valid JSON. */
export function refuseUnreadable(message: string): RpcResponse {
  return createRpcError(null, "parse-error", message);
}

async function answerOne(payload: unknown, options: AnswerOptions): Promise<RpcResponse | undefined> {
  const request = readRpcRequest(payload);
  if ("error" in request) return request;
  const { id, method, params } = request;
  const answer = await call(method, params, options);
  if (id === undefined) return undefined;
  return "error" in answer
    ? { jsonrpc: "2.0", id, error: answer.error }
    : { jsonrpc: "2.0", id, result: answer.result };
}

interface ReadRequest {
  /** Undefined for a notification. */
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | readonly unknown[];
}

function readRpcRequest(payload: unknown): ReadRequest | Extract<RpcResponse, { readonly error: RpcError }> {
  if (!isObject(payload)) return createRpcError(null, "invalid-request", "A request must be an object.");
  const { id, method, params = {} } = payload;
  const isId = id === null || typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
  if (id !== undefined && !isId)
    return createRpcError(null, "invalid-request", "id: expected a text, a number or null.");
  const known = id ?? null;
  if (payload.jsonrpc !== "2.0") return createRpcError(known, "invalid-request", 'jsonrpc: expected "2.0".');
  if (typeof method !== "string") return createRpcError(known, "invalid-request", "method: expected a text.");
  if (!isObject(params) && !Array.isArray(params)) {
    return createRpcError(known, "invalid-request", "params: expected an object or a list.");
  }
  return { id, method, params };
}

type Outcome = { readonly result: unknown } | { readonly error: RpcError };

async function call(name: string, given: ReadRequest["params"], options: AnswerOptions): Promise<Outcome> {
  const { context, admit, onFailure } = options;
  try {
    admit();
    const method = findMethod(name);
    if (method === undefined) return { error: errorOf("method-not-found", "Unknown method.") };
    const params = readParams(RPC_METHODS[method], given);
    if ("error" in params) return params;
    const handler = RPC_HANDLERS[method] as (context: RpcContext, params: unknown) => Promise<unknown>;
    return { result: await handler(context, params.value) };
  } catch (error) {
    return { error: explain(error, onFailure) };
  }
}

function findMethod(name: string): RpcMethodName | undefined {
  const bare = name.startsWith(RPC_PREFIX) ? name.slice(RPC_PREFIX.length) : name;
  return Object.hasOwn(RPC_METHODS, bare) ? (bare as RpcMethodName) : undefined;
}

/** Positional parameters follow the order of the table. The error names the parameter and does not repeat its value. */
function readParams(
  { params }: RpcMethod,
  given: ReadRequest["params"],
): { readonly value: unknown } | { readonly error: RpcError } {
  const names = Object.keys(params.shape);
  if (Array.isArray(given) && given.length > names.length) {
    return { error: errorOf("invalid-params", `params: expected a list of length ${names.length} or less.`) };
  }
  const named = Array.isArray(given) ? Object.fromEntries(given.map((value, index) => [names[index], value])) : given;
  const outcome = params.safeParse(named);
  if (outcome.success) return { value: outcome.data };
  const issues = outcome.error.issues.slice(0, 10).map(({ path, message }) => ({ path: path.join("."), message }));
  const [first] = issues;
  const text = `${first?.path || "params"}: ${first?.message ?? "invalid"}`;
  const data = { code: "request-invalid", retryable: false, details: { issues } };
  return { error: { ...errorOf("invalid-params", text), data } };
}

function explain(error: unknown, onFailure: AnswerOptions["onFailure"]): RpcError {
  const requestId = randomUUID();
  const { body, isUnexpected } = answerError(error, requestId);
  if (isUnexpected) onFailure(requestId, error);
  const { message, ...data } = body.error;
  const kind = isUnexpected ? "internal-error" : data.code === "request-invalid" ? "invalid-params" : "refused";
  return { ...errorOf(kind, message), data };
}

function errorOf(kind: keyof typeof RPC_CODES, message: string): RpcError {
  return { code: RPC_CODES[kind], message };
}

function createRpcError(id: RpcId, kind: keyof typeof RPC_CODES, message: string) {
  return { jsonrpc: "2.0", id, error: errorOf(kind, message) } as const;
}
