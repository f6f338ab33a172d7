/**
 * AI SDK UI messages, as `useChat` shows and resends them. A user or system message is one message. An assistant
 * message grows during its turn, so it becomes messages `id#0`, `id#1`, … at its step borders: the model's parts of a
 * step, then the tool results. Only the messages of the last step may still grow. It adds no borders of its own.
 */

import {
  type Fields,
  invalidMessage,
  isObject,
  pathOf,
  requireArray,
  requireObject,
  requireString,
} from "../../check-value.ts";
import { noteExtras, takeExtras, takeId, toJsonObject, toJsonValue } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type { Message, Part, Role } from "../message.ts";
import { encodeUiMessages } from "./ai-sdk-ui-encode.ts";
import { carry, decodeUiPart } from "./ai-sdk-ui-part.ts";
import { decodeTool, isToolPart } from "./ai-sdk-ui-tool.ts";
import type { DecodeContext, Format } from "./format.ts";
import { extrasField, field } from "./wire-item.ts";

const NAME = "ai-sdk-ui";
const MESSAGE_KEYS = ["id", "role", "metadata", "parts"];
const ROLES = ["system", "user", "assistant"] as const;

export const aiSdkUiFormat: Format = { name: NAME, recognise, decode, encode: encodeUiMessages };

function recognise(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !isRole(item.role) || !Array.isArray(item.parts)) return "no";
  if (!item.parts.every((part) => isObject(part) && typeof part.type === "string")) return "no";
  return item.parts.length === 0 ? "possible" : "sure";
}

function isRole(value: unknown): value is (typeof ROLES)[number] {
  return ROLES.some((role) => role === value);
}

function decode(item: unknown, context: DecodeContext): readonly Message[] {
  const { path } = context;
  const source = requireObject(item, path);
  const { role } = source;
  if (!isRole(role)) throw invalidMessage(pathOf(path, "role"), `one of ${ROLES.join(", ")}`, role);
  const { id, note = true } = takeId(source.id, context);
  const partsPath = pathOf(path, "parts");
  const parts = requireArray(source.parts, partsPath);
  const metadata = source.metadata === undefined ? undefined : toJsonValue(source.metadata, pathOf(path, "metadata"));
  const said = field("saidAt", findTime(source));
  const extras = extrasField(
    takeExtras(source, { knownKeys: MESSAGE_KEYS, name: NAME, path }),
    noteExtras(NAME, { id: note, metadata }),
  );
  if (role !== "assistant") {
    const decoded = parts.map((part, index) => decodeUiPart(part, pathOf(partsPath, index)));
    return [{ id, role, parts: decoded, ...said, ...extras }];
  }
  const drafts = splitSteps(parts, partsPath);
  // Notes about the whole item are on its last message, because earlier ones must not change when the item grows.
  return drafts.map(({ notes, ...draft }, index) => {
    const own = noteExtras(NAME, { id: true, parts: notes });
    const whole = index === drafts.length - 1 ? extras.extras : undefined;
    return { id: `${id}#${index}`, ...draft, ...said, ...extrasField(own, whole) };
  });
}

interface Draft {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly notes?: JsonObject | undefined;
}

/** A step in progress: how many starts announced it, the model's parts, and the results. */
interface Step {
  starts: number;
  readonly parts: Part[];
  readonly answers: Part[];
}

function splitSteps(parts: readonly unknown[], path: string): readonly Draft[] {
  const drafts: Draft[] = [];
  let step: Step | undefined;
  for (const [index, part] of parts.entries()) {
    const place = pathOf(path, index);
    const source = requireObject(part, place);
    if (source.type === "steering-message") {
      drafts.push(...closeStep(step, drafts.length === 0), decodeSteering(source, place));
      step = undefined;
      continue;
    }
    if (source.type === "step-start" && step !== undefined && step.parts.length > 0) {
      drafts.push(...closeStep(step, drafts.length === 0));
      step = undefined;
    }
    step ??= { starts: 0, parts: [], answers: [] };
    addPart(step, { source, path: place });
  }
  drafts.push(...closeStep(step, drafts.length === 0));
  return drafts.length === 0 ? [{ role: "assistant", parts: [] }] : drafts;
}

function addPart(step: Step, { source, path }: { source: Fields; path: string }): void {
  if (source.type === "step-start") {
    if (Object.keys(source).length === 1) step.starts += 1;
    else step.parts.push(carry(source, path));
  } else if (isToolPart(source)) {
    const { calls, answers } = decodeTool(source, path);
    step.parts.push(...calls);
    step.answers.push(...answers);
  } else {
    step.parts.push(decodeUiPart(source, path));
  }
}

/** Every step but the first is announced by one start; anything else is noted. */
function closeStep(step: Step | undefined, isFirst: boolean): readonly Draft[] {
  if (step === undefined) return [];
  const { starts, parts, answers } = step;
  const notes = starts === (isFirst ? 0 : 1) ? undefined : { starts };
  const said: Draft = { role: "assistant", parts, notes };
  return answers.length === 0 ? [said] : [said, { role: "tool", parts: answers }];
}

/** A user message that reached the model between two steps of one assistant message. */
function decodeSteering(source: Fields, path: string): Draft {
  const { type: _, parts, ...steering } = source;
  requireString(source.id, pathOf(path, "id"));
  const partsPath = pathOf(path, "parts");
  const decoded = requireArray(parts, partsPath).map((part, index) => decodeUiPart(part, pathOf(partsPath, index)));
  return { role: "user", parts: decoded, notes: { steering: toJsonObject(steering, path) } };
}

/** The AI SDK has no field for the time; its documentation shows `createdAt` in the metadata. */
function findTime({ metadata, createdAt }: Fields): number | undefined {
  const value = isObject(metadata) && metadata.createdAt !== undefined ? metadata.createdAt : createdAt;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  // Only times with a zone: otherwise the result would depend on the machine.
  const isZoned = typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value);
  const time = value instanceof Date ? value.getTime() : isZoned ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
