/**
 * A tool part of a UI message holds a call, its approval and its result in one object that changes state. Here they
 * become separate parts: a call, an approval request and response (in the form of model messages), and a result. The
 * call's part stays the same while the state changes, so that a stored message does not change when its result arrives.
 */
import { type Fields, isObject } from "../../check-value.ts";
import { listWords } from "../../language/list-words.ts";
import { findWireExtras, noteExtras, toJsonObject, toJsonValue, withExtras } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Part, ToolCallPart, ToolOutput, ToolResultPart } from "../message.ts";
import { takeOptions, writeOptions } from "./ai-sdk-media.ts";
import { DENIED_TEXT, encodeOutput } from "./ai-sdk-model-part.ts";
import { extrasField, optionalField } from "./wire-item.ts";
import type { WireObject } from "./wire-object.ts";

const NAME = "ai-sdk-ui";

const CALL_KEYS = ["type", "toolCallId", "state", "input", "providerExecuted", "callProviderMetadata", "approval"];
/** Keys that a part has only in these states. */
const RESULT_KEYS: Readonly<Record<string, readonly string[]>> = {
  "output-available": ["output", "preliminary", "resultProviderMetadata"],
  "output-error": ["errorText", "resultProviderMetadata"],
};
/** Keys of the call's extras that are our notes, not fields of the part. */
const NOTE_KEYS = ["type", "input", "state", "approval", "callProviderMetadata"];

const STATES = listWords(
  "input-available approval-requested approval-responded output-available output-error output-denied",
);

export interface DecodedTool {
  /** The call and the parts next to it. */
  readonly calls: readonly Part[];
  /** Parts of the tool message that follows. */
  readonly answers: readonly Part[];
}

export function isToolPart(source: Fields): boolean {
  return source.type === "dynamic-tool" || (typeof source.type === "string" && source.type.startsWith("tool-"));
}

/** A call that is still streaming, or whose state is unknown, is kept unchanged and does not count as a call yet. */
export function decodeTool(source: WireObject): DecodedTool {
  const state = source.text("state");
  if (!STATES.includes(state)) return { calls: [source.toUnknown()], answers: [] };
  const approval = isObject(source.fields.approval) ? readApproval(source.object("approval")) : undefined;
  const call = decodeCall(source, { state, approval });
  const result = decodeResult(source, { state, call, approval });
  const { requests, responses } = approvalParts(call, approval);
  const results = result === undefined ? [] : [result];
  const isBeside = result?.byProvider === true;
  return {
    calls: [call, ...requests, ...(isBeside ? results : [])],
    answers: [...responses, ...(isBeside ? [] : results)],
  };
}

interface Approval {
  readonly id: string;
  readonly approved: boolean | undefined;
  readonly reason: string | undefined;
  /** Fields of the request that model messages also have, under the names that model messages use. */
  readonly request: JsonObject;
  readonly others: JsonObject;
}

interface ToolPlace {
  readonly state: string;
  readonly approval: Approval | undefined;
}

function readApproval(source: WireObject): Approval {
  const {
    id: _,
    approved: __,
    reason,
    requestReason,
    isAutomatic,
    signature,
    inputSchemaInput,
    ...others
  } = source.fields;
  const approved = source.findFlag("approved");
  return {
    id: source.text("id"),
    approved,
    reason: source.findText("reason"),
    request: toJsonObject({ reason: requestReason, isAutomatic, signature, inputSchemaInput }, source.path),
    // Model messages have no place for a reason without a response.
    others: toJsonObject(approved === undefined ? { ...others, reason } : others, source.path),
  };
}

function approvalParts(call: ToolCallPart, approval: Approval | undefined): Record<"requests" | "responses", Part[]> {
  if (approval === undefined) return { requests: [], responses: [] };
  const { id: approvalId, approved, reason } = approval;
  const request = { type: "tool-approval-request", approvalId, toolCallId: call.callId, ...approval.request };
  const response = { type: "tool-approval-response", approvalId, approved, ...optionalField("reason", reason) };
  const byProvider = optionalField("providerExecuted", call.byProvider);
  return {
    requests: [{ type: "unknown", format: "ai-sdk-model", value: request }],
    responses:
      approved === undefined
        ? []
        : [{ type: "unknown", format: "ai-sdk-model", value: { ...response, ...byProvider } }],
  };
}

function decodeCall(source: WireObject, { state, approval }: ToolPlace): ToolCallPart {
  const isDynamic = source.fields.type === "dynamic-tool";
  const isAbsent = source.fields.input === undefined;
  // If parsing failed, older messages have the model's text here and no input.
  const input = isAbsent ? source.fields.rawInput : source.fields.input;
  const byProvider = source.findFlag("providerExecuted");
  const knownKeys = [...CALL_KEYS, ...(RESULT_KEYS[state] ?? []), ...(isDynamic ? ["toolName"] : [])];
  const others = approval === undefined || Object.keys(approval.others).length === 0 ? undefined : approval.others;
  const hasResult = state.startsWith("output-") && !(state === "output-denied" && byProvider === true);
  const derived = deriveState({ hasResponse: approval?.approved !== undefined, hasRequest: approval !== undefined });
  const notes = {
    type: isDynamic ? "dynamic-tool" : undefined,
    input: isAbsent ? "absent" : undefined,
    approval: others,
    state: hasResult || derived === state ? undefined : state,
  };
  return {
    type: "tool-call",
    callId: source.text("toolCallId"),
    tool: isDynamic ? source.text("toolName") : source.text("type").slice("tool-".length),
    input: input === undefined ? null : toJsonValue(input, source.pathOf("input")),
    ...optionalField("byProvider", byProvider),
    ...source.extras(knownKeys, notes, takeOptions(source, "callProviderMetadata")),
  };
}

function decodeResult(
  source: WireObject,
  { state, approval, call }: ToolPlace & { readonly call: ToolCallPart },
): ToolResultPart | undefined {
  const shared = { type: "tool-result", callId: call.callId, tool: call.tool } as const;
  const byProvider = optionalField("byProvider", call.byProvider === true ? true : undefined);
  const { output, preliminary } = source.fields;
  const extrasWith = (notes: JsonObject) =>
    extrasField(takeOptions(source, "resultProviderMetadata"), noteExtras(NAME, notes));
  switch (state) {
    case "output-available": {
      const value = output === undefined ? null : source.json("output");
      const extras = extrasWith({
        preliminary: preliminary === undefined ? undefined : toJsonValue(preliminary, source.path),
        output: output === undefined ? "absent" : undefined,
      });
      return { ...shared, output: toOutput(value), failed: false, ...byProvider, ...extras };
    }
    case "output-error": {
      const text = source.text("errorText");
      const extras = extrasWith({ state: approval?.approved === false ? state : undefined });
      return { ...shared, output: { type: "text", text }, failed: true, ...byProvider, ...extras };
    }
    default:
      return call.byProvider === true ? undefined : decodeDenial(shared, { state, approval });
  }
}

type SharedFields = Pick<ToolResultPart, "type" | "callId" | "tool">;

/** A denied call has a result too; otherwise providers refuse the messages after it. */
function decodeDenial(shared: SharedFields, { state, approval }: ToolPlace): ToolResultPart | undefined {
  const isResponse = state === "approval-responded" && approval?.approved === false;
  if (state !== "output-denied" && !isResponse) return undefined;
  const { reason } = approval ?? {};
  const output: ToolOutput = { type: "text", text: reason ?? DENIED_TEXT };
  const isPlain = state === "output-denied" && approval?.approved === false;
  // The AI SDK recognizes an unhandled denial by this kind of output.
  const denied = {
    type: "execution-denied",
    ...optionalField("fields", reason === undefined ? undefined : { reason }),
  };
  const extras = extrasField(
    noteExtras(NAME, { state: isPlain ? undefined : state }),
    isResponse ? noteExtras("ai-sdk-model", { output: denied }) : undefined,
  );
  return { ...shared, output, failed: true, ...extras };
}

function toOutput(value: JsonValue): ToolOutput {
  return typeof value === "string" ? { type: "text", text: value } : { type: "json", value };
}

export interface ToolDraft {
  readonly call: ToolCallPart;
  request?: JsonObject | undefined;
  response?: JsonObject | undefined;
  result?: ToolResultPart | undefined;
}

export function encodeTool({ call, request, response, result }: ToolDraft): Fields {
  const notes = findWireExtras(call.extras, NAME) ?? {};
  const state = findState({ call, request, response, result });
  const item = {
    ...(notes.type === "dynamic-tool" ? { type: "dynamic-tool", toolName: call.tool } : { type: `tool-${call.tool}` }),
    toolCallId: call.callId,
    state,
    ...(notes.input === "absent" ? {} : { input: call.input }),
    ...optionalField("providerExecuted", call.byProvider),
    ...writeOptions(call.extras, NAME, "callProviderMetadata"),
    ...optionalField("approval", encodeApproval({ call, request, response })),
    ...(result === undefined ? {} : encodeResult(result, state)),
  };
  return withExtras(item, { extras: call.extras, name: NAME, knownKeys: NOTE_KEYS });
}

function findState({ call, request, response, result }: ToolDraft): string {
  const noted = findWireExtras(result?.extras, NAME)?.state ?? findWireExtras(call.extras, NAME)?.state;
  if (typeof noted === "string") return noted;
  if (result === undefined) {
    return deriveState({ hasResponse: response !== undefined, hasRequest: request !== undefined });
  }
  if (!result.failed) return "output-available";
  return response?.approved === false ? "output-denied" : "output-error";
}

/** Returns the state of a call without a result. */
function deriveState({ hasResponse, hasRequest }: { hasResponse: boolean; hasRequest: boolean }): string {
  if (hasResponse) return "approval-responded";
  return hasRequest ? "approval-requested" : "input-available";
}

function encodeResult(result: ToolResultPart, state: string): Fields {
  const notes = findWireExtras(result.extras, NAME) ?? {};
  const options = writeOptions(result.extras, NAME, "resultProviderMetadata");
  if (state === "output-error") return { errorText: writeUiOutput(result), ...options };
  if (state !== "output-available") return {};
  // The AI SDK requires the field even if a tool returned nothing.
  const output = notes.output === "absent" ? undefined : plainOutput(result);
  return { output, ...optionalField("preliminary", notes.preliminary), ...options };
}

function encodeApproval({ call, request, response }: ToolDraft): Fields | undefined {
  if (request === undefined) return undefined;
  const others = findWireExtras(call.extras, NAME)?.approval;
  const { type: _, approvalId, toolCallId: __, reason: requestReason, ...fields } = request;
  const answer = { ...optionalField("approved", response?.approved), ...optionalField("reason", response?.reason) };
  const asked = { ...fields, ...optionalField("requestReason", requestReason) };
  return { ...(isJsonObject(others) ? others : {}), id: approvalId, ...asked, ...answer };
}

/** Returns the tool's output as the value that a UI would receive. */
function plainOutput(result: ToolResultPart): unknown {
  const { output } = result;
  if (output.type === "parts") return JSON.parse(JSON.stringify(encodeOutput(result)));
  return output.type === "text" ? output.text : output.value;
}

export function writeUiOutput(result: ToolResultPart): string {
  const value = plainOutput(result);
  return typeof value === "string" ? value : JSON.stringify(value);
}
