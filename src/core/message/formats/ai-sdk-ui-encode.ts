/**
 * Encodes messages as AI SDK UI messages. Messages whose ids share the text before `#` become one UI message again, and
 * a tool result goes into the part of its call. A result without its call becomes a text that says so, so that it is
 * never lost.
 */
import type { Fields } from "../../check-value.ts";
import { findWireExtras, readBaseId, wireName, withExtras } from "../decode-value.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Message, Part, ToolResultPart } from "../message.ts";
import { encodeUiPart } from "./ai-sdk-ui-part.ts";
import { encodeTool, type ToolDraft, writeUiOutput } from "./ai-sdk-ui-tool.ts";
import { optionalField } from "./wire-item.ts";

const NAME = "ai-sdk-ui";
/** Keys of a message's extras that are notes, not fields. */
const NOTE_KEYS = ["id", "role", "metadata", "parts"];
/** Limits the number of `step-start` parts, which comes from a note that a client can change. */
const MAX_STARTS = 1_000;

/** A UI message in progress. Tool parts are written last, when their results are known. */
interface MessageDraft {
  readonly id: string;
  readonly base: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: (Fields | ToolDraft)[];
  /** The decoder's notes about the whole message; undefined for messages of another origin. */
  notes: JsonObject | undefined;
}

interface Work {
  readonly drafts: MessageDraft[];
  readonly usedIds: Set<string>;
  /** Calls without a result, by call id; a newer message's call replaces an older one's. */
  readonly waiting: Map<string, { readonly messageId: string; readonly tools: ToolDraft[] }>;
  readonly approvals: Map<string, ToolDraft>;
}

export function encodeUiMessages(messages: readonly Message[]): readonly unknown[] {
  const work: Work = { drafts: [], usedIds: new Set(), waiting: new Map(), approvals: new Map() };
  for (const message of messages) addMessage(work, message);
  return work.drafts.filter((draft) => draft.parts.length > 0 || draft.notes !== undefined).map(finish);
}

function addMessage(work: Work, message: Message): void {
  const steering = findPartsNote(message)?.steering;
  if (message.role === "assistant") {
    addAssistant(work, message);
  } else if (message.role === "tool") {
    addAnswers(work, message);
  } else if (isJsonObject(steering)) {
    const parts = message.parts.flatMap(encodePlainPart);
    joinDraft(work, message).parts.push({ ...steering, type: "steering-message", parts });
  } else {
    const draft = openDraft(work, { id: message.id, base: message.id, role: message.role });
    takeNotes(draft, message);
    draft.parts.push(...message.parts.flatMap(encodePlainPart));
  }
}

/** User and system messages cannot hold calls and results. */
function encodePlainPart(part: Part): readonly Fields[] {
  return part.type === "tool-call" || part.type === "tool-result" ? [] : encodeUiPart(part);
}

function addAssistant(work: Work, message: Message): void {
  const draft = joinDraft(work, message);
  const noted = findPartsNote(message)?.starts;
  const starts = typeof noted === "number" ? Math.min(noted, MAX_STARTS) : draft.parts.length === 0 ? 0 : 1;
  for (let count = 0; count < starts; count += 1) draft.parts.push({ type: "step-start" });
  for (const part of message.parts) {
    if (part.type === "tool-call") draft.parts.push(openTool(work, { call: part }, message.id));
    else if (part.type === "tool-result") addAnswer(work, { result: part, message });
    else if (!addApproval(work, part)) draft.parts.push(...encodeUiPart(part));
  }
}

function addAnswers(work: Work, message: Message): void {
  const last = work.drafts.at(-1);
  if (last !== undefined && isOfDraft(message, last)) takeNotes(last, message);
  for (const part of message.parts) {
    if (part.type === "tool-result") addAnswer(work, { result: part, message });
    else addApproval(work, part);
  }
}

function addAnswer(work: Work, { result, message }: { result: ToolResultPart; message: Message }): void {
  const tool = work.waiting.get(result.callId)?.tools.find((draft) => draft.result === undefined);
  if (tool !== undefined) tool.result = result;
  else findSpeaker(work, message).parts.push({ type: "text", text: describeOrphan(result) });
}

function describeOrphan(result: ToolResultPart): string {
  const tool = result.tool === undefined ? "a tool" : `the tool ${result.tool}`;
  const what = result.failed ? "Error" : "Result";
  return `${what} of ${tool} (call ${result.callId}; the call itself is not shown):\n${writeUiOutput(result)}`;
}

function openTool(work: Work, tool: ToolDraft, messageId: string): ToolDraft {
  const { callId } = tool.call;
  const known = work.waiting.get(callId);
  if (known?.messageId === messageId) known.tools.push(tool);
  else work.waiting.set(callId, { messageId, tools: [tool] });
  return tool;
}

/** Adds an approval to the part of its call. Returns false for parts that are not approvals. */
function addApproval(work: Work, part: Part): boolean {
  const value = findApproval(part);
  if (value === undefined) return false;
  const { approvalId: id, toolCallId } = value;
  if (typeof id !== "string") return true;
  if (value.type === "tool-approval-request") {
    const tool = typeof toolCallId === "string" ? work.waiting.get(toolCallId)?.tools.at(-1) : undefined;
    if (tool === undefined) return true;
    tool.request = value;
    work.approvals.set(id, tool);
  } else {
    const tool = work.approvals.get(id);
    if (tool !== undefined) tool.response = value;
  }
  return true;
}

function findApproval(part: Part): JsonObject | undefined {
  if (part.type !== "unknown" || part.format !== "ai-sdk-model" || !isJsonObject(part.value)) return undefined;
  const isApproval = part.value.type === "tool-approval-request" || part.value.type === "tool-approval-response";
  return isApproval ? part.value : undefined;
}

function joinDraft(work: Work, message: Message): MessageDraft {
  const last = work.drafts.at(-1);
  const base = readBaseId(message.id);
  const isSame = last !== undefined && isOfDraft(message, last);
  const draft = isSame
    ? last
    : openDraft(work, { id: work.usedIds.has(base) ? message.id : base, base, role: "assistant" });
  takeNotes(draft, message);
  return draft;
}

function takeNotes(draft: MessageDraft, { extras }: Message): void {
  const notes = findWireExtras(extras, NAME);
  if (notes !== undefined) draft.notes = { ...draft.notes, ...notes };
}

function isOfDraft(message: Message, draft: MessageDraft): boolean {
  const base = readBaseId(message.id);
  return draft.role === "assistant" && draft.base === base && message.id !== base;
}

/** Finds the message for a result without a call: the assistant's last one, or a new one for this result alone. */
function findSpeaker(work: Work, message: Message): MessageDraft {
  const last = work.drafts.at(-1);
  if (last?.role === "assistant") return last;
  return openDraft(work, { id: message.id, base: readBaseId(message.id), role: "assistant" });
}

function openDraft(work: Work, draft: Pick<MessageDraft, "id" | "base" | "role">): MessageDraft {
  const opened: MessageDraft = { ...draft, parts: [], notes: undefined };
  work.usedIds.add(draft.id);
  work.drafts.push(opened);
  return opened;
}

function finish({ id, role, parts, notes = {} }: MessageDraft): unknown {
  const written = parts.map((part) => (isTool(part) ? encodeTool(part) : part));
  const item = { id: notes.id === "" ? "" : id, role, ...optionalField("metadata", notes.metadata), parts: written };
  return withExtras(item, { extras: { [wireName(NAME)]: notes }, name: NAME, knownKeys: NOTE_KEYS });
}

function isTool(part: Fields | ToolDraft): part is ToolDraft {
  return "call" in part && !("type" in part);
}

function findPartsNote(message: Message): JsonObject | undefined {
  const note = findWireExtras(message.extras, NAME)?.parts;
  return isJsonObject(note) ? note : undefined;
}
