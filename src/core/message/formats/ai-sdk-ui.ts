/**
 * AI SDK UI messages, as `useChat` shows and resends them. A user or system message is one message. An assistant
 * message grows during its turn, so it becomes messages `id#0`, `id#1`, … at its step borders: the model's parts of a
 * step, then the tool results. Only the messages of the last step may still grow. Decoding adds no other borders.
 */
import { type Fields, invalidMessage, isObject } from "../../check-value.ts";
import { noteExtras, takeId, toJsonObject } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type { Message, Part, Role } from "../message.ts";
import { encodeUiMessages } from "./ai-sdk-ui-encode.ts";
import { decodeUiPart } from "./ai-sdk-ui-part.ts";
import { decodeTool, isToolPart } from "./ai-sdk-ui-tool.ts";
import type { DecodeContext, Format } from "./format.ts";
import { extrasField, optionalField } from "./wire-item.ts";
import { WireObject } from "./wire-object.ts";

const NAME = "ai-sdk-ui";
const MESSAGE_KEYS = ["id", "role", "metadata", "parts"];
const ROLES = ["system", "user", "assistant"] as const;

export const aiSdkUiFormat: Format = { name: NAME, recognize, decode, encode: encodeUiMessages };

function recognize(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !isRole(item.role) || !Array.isArray(item.parts)) return "no";
  if (!item.parts.every((part) => isObject(part) && typeof part.type === "string")) return "no";
  return item.parts.length === 0 ? "possible" : "sure";
}

function isRole(value: unknown): value is (typeof ROLES)[number] {
  return ROLES.some((role) => role === value);
}

function decode(item: unknown, context: DecodeContext): readonly Message[] {
  const source = new WireObject(NAME, item, context.path);
  const { role, metadata } = source.fields;
  if (!isRole(role)) throw invalidMessage(source.pathOf("role"), `one of ${ROLES.join(", ")}`, role);
  const { id, note = true } = takeId(source.fields.id, context);
  const said = optionalField("saidAt", findTime(source.fields));
  const notes = { id: note, metadata: metadata === undefined ? undefined : source.json("metadata") };
  const extras = source.extras(MESSAGE_KEYS, notes);
  if (role !== "assistant") return [{ id, role, parts: source.list("parts", decodeUiPart), ...said, ...extras }];
  const drafts = splitSteps(source);
  // Notes about the whole item are on its last message, because earlier ones must not change when the item grows.
  return drafts.map(({ notes: stepNotes, ...draft }, index) => {
    const own = noteExtras(NAME, { id: true, parts: stepNotes });
    const whole = index === drafts.length - 1 ? extras.extras : undefined;
    return { id: `${id}#${index}`, ...draft, ...said, ...extrasField(own, whole) };
  });
}

interface Draft {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly notes?: JsonObject | undefined;
}

/** A step in progress: the number of `step-start` parts before it, the model's parts, and the results. */
interface Step {
  starts: number;
  readonly parts: Part[];
  readonly answers: Part[];
}

function splitSteps(source: WireObject): readonly Draft[] {
  const drafts: Draft[] = [];
  let step: Step | undefined;
  const close = () => {
    drafts.push(...closeStep(step, drafts.length === 0));
    step = undefined;
  };
  source.list("parts", (part) => {
    const { type } = part.fields;
    if (type === "steering-message") {
      close();
      drafts.push(decodeSteering(part));
      return;
    }
    if (type === "step-start" && step !== undefined && step.parts.length > 0) close();
    step ??= { starts: 0, parts: [], answers: [] };
    addPart(step, part);
  });
  close();
  return drafts.length === 0 ? [{ role: "assistant", parts: [] }] : drafts;
}

function addPart(step: Step, source: WireObject): void {
  if (source.fields.type === "step-start") {
    if (Object.keys(source.fields).length === 1) step.starts += 1;
    else step.parts.push(source.toUnknown());
  } else if (isToolPart(source.fields)) {
    const { calls, answers } = decodeTool(source);
    step.parts.push(...calls);
    step.answers.push(...answers);
  } else {
    step.parts.push(decodeUiPart(source));
  }
}

/** Notes the number of `step-start` parts, unless it is 0 for the first step and 1 for any other. */
function closeStep(step: Step | undefined, isFirst: boolean): readonly Draft[] {
  if (step === undefined) return [];
  const { starts, parts, answers } = step;
  const notes = starts === (isFirst ? 0 : 1) ? undefined : { starts };
  const said: Draft = { role: "assistant", parts, notes };
  return answers.length === 0 ? [said] : [said, { role: "tool", parts: answers }];
}

/** A user message that reached the model between two steps of one assistant message. */
function decodeSteering(source: WireObject): Draft {
  const { type: _type, parts: _, ...steering } = source.fields;
  // The id is required, although it is kept with the unknown fields.
  source.text("id");
  const parts = source.list("parts", decodeUiPart);
  return { role: "user", parts, notes: { steering: toJsonObject(steering, source.path) } };
}

/** The AI SDK has no field for the time; its documentation shows `createdAt` in the metadata. */
function findTime({ metadata, createdAt }: Fields): number | undefined {
  const value = isObject(metadata) && metadata.createdAt !== undefined ? metadata.createdAt : createdAt;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  // Accepts only times with a zone; otherwise the result would depend on the machine.
  const isZoned = typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value);
  const time = value instanceof Date ? value.getTime() : isZoned ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
