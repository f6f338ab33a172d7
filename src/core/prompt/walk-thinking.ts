/**
 * Newer Claude models refuse thinking if anything before it differs from the request that produced it. This file hashes
 * a prompt message by message and leaves out thinking whose request had another prefix. A walk can continue another one.
 */
import { listCandidateIds } from "../budget/find-model.ts";
import type { PrefixHashes, ProducingRequest } from "../log/entry.ts";
import type { Head } from "../log/head.ts";
import type { ViewMessage } from "../log/view.ts";
import { hashText } from "../message/hash-message.ts";
import { canonicalJson } from "../message/json.ts";
import type { Message, Part } from "../message/message.ts";
import type { RepairedItem } from "../message/repair-messages.ts";
import { NO_VISIBLE_TEXT } from "./notes.ts";

/** The parts of a request, besides messages, to which a model binds thinking. */
export interface ThinkingRules {
  readonly model: string;
  /** The format of the rendered prompt. Other formats can order blocks differently. */
  readonly provider: string;
  /** The whole system text that does not come from messages. */
  readonly instructions: string;
  readonly tools: string;
}

export type LeftOutReason =
  /** The prompt that the message answers is unknown: it was imported, or appended without `promptId`. */
  | "unknown-prompt"
  | "other-model"
  | "instructions"
  | "tools"
  /** A compaction changed something before it. */
  | "summary"
  /** An undo, a pin, a prune or another entry changed something before it. */
  | "view"
  /** Something else before it changed: a file, a note for one request, a stand-in for a result. */
  | "messages"
  /** The format of the request cannot represent it. */
  | "format";

export interface LeftOutThinking {
  readonly reason: LeftOutReason;
  readonly blocks: number;
  readonly tokens: number;
}

interface Step {
  readonly message: Message;
  readonly sent: Message;
  /** Hash of everything up to here, as sent. */
  readonly hash: string;
  /** Hash of the prompt that this message answers, if all messages since belong to the same tool loop. */
  readonly loop: string | undefined;
  /** The request that produced the thinking that is left out. */
  readonly refused?: { readonly producedUnder: ProducingRequest | undefined } | undefined;
}

export interface ThinkingWalk {
  readonly rules: ThinkingRules;
  readonly start: PrefixHashes;
  readonly steps: readonly Step[];
}

export interface WalkOptions {
  readonly rules: ThinkingRules;
  readonly originOf: (source: Message) => ViewMessage | undefined;
  /** An earlier walk, which may begin with the same messages. */
  readonly previous?: ThinkingWalk | undefined;
}

export function walkThinking(items: readonly RepairedItem[], { rules, originOf, previous }: WalkOptions): ThinkingWalk {
  const start = isSameStart(previous?.rules, rules) && previous !== undefined ? previous.start : hashStart(rules);
  const known = previous?.start === start ? previous.steps : [];
  const firstOther = items.findIndex(({ message }, index) => message !== known[index]?.message);
  const steps = known.slice(0, firstOther === -1 ? items.length : firstOther);
  for (const item of items.slice(steps.length)) {
    const before = steps.at(-1) ?? { hash: start.hash, loop: undefined };
    steps.push(takeStep(item, { before, rules, origins: item.sources.map(originOf) }));
  }
  return { rules, start, steps };
}

/** Returns the hashes of the whole prompt, including the last messages, which only this prompt has. */
export function hashPrompt({ start, steps }: ThinkingWalk, last: readonly Message[]): PrefixHashes {
  return { ...start, hash: last.reduce(addMessage, steps.at(-1)?.hash ?? start.hash) };
}

export function listLeftOutThinking(
  { rules, start, steps }: ThinkingWalk,
  { head, countPart }: { readonly head: Head; readonly countPart: (part: Part) => number },
): readonly LeftOutThinking[] {
  const found = new Map<LeftOutReason, { blocks: number; tokens: number }>();
  for (const { message, sent, refused } of steps) {
    if (refused === undefined) continue;
    const gone = thinkingOf(message).filter((part) => !sent.parts.includes(part));
    const reason = findReason(refused.producedUnder, { rules, start, head });
    const sum = found.get(reason) ?? { blocks: 0, tokens: 0 };
    const tokens = gone.reduce((total, part) => total + countPart(part), sum.tokens);
    found.set(reason, { blocks: sum.blocks + gone.length, tokens });
  }
  return [...found].map(([reason, sum]) => ({ reason, ...sum }));
}

export function sendsThinking({ steps }: ThinkingWalk): boolean {
  return steps.some(({ sent }) => hasThinking(sent));
}

export function hasThinking(message: Message): boolean {
  return message.role === "assistant" && message.parts.some(({ type }) => type === "reasoning");
}

/** Whether two names refer to the same model. */
export function isSameModel(left: string, right: string): boolean {
  if (left === right) return true;
  const names = new Set(listCandidateIds(left));
  return listCandidateIds(right).some((name) => names.has(name));
}

interface StepFacts {
  readonly before: Pick<Step, "hash" | "loop">;
  readonly rules: ThinkingRules;
  readonly origins: readonly (ViewMessage | undefined)[];
}

function takeStep({ message }: RepairedItem, { before, rules, origins }: StepFacts): Step {
  const said = origins.flatMap((origin) => origin?.message.parts ?? []);
  const firstOther = message.parts.findIndex((part, index) => part !== said[index]);
  const isWhole = firstOther === -1 && message.parts.length === said.length;
  if (!hasThinking(message)) {
    const inLoop = isWhole && (message.role === "tool" || message.role === "assistant");
    const loop = inLoop ? before.loop : undefined;
    return { message, sent: message, hash: addMessage(before.hash, message), loop };
  }
  const producedUnder = findProducer(origins);
  const prompt = producedUnder?.prefix?.hash;
  const isBound = prompt !== undefined && prompt === (producedUnder?.isLaterStep === true ? before.loop : before.hash);
  const isOwn = producedUnder !== undefined && isSameModel(producedUnder.model, rules.model);
  // A part that is sent differently changes the prefix of the thinking after it.
  const sent = removeThinking(message, !(isBound && isOwn) ? 0 : firstOther === -1 ? message.parts.length : firstOther);
  const loop = sent === message && isWhole ? prompt : undefined;
  const refused = sent === message ? {} : { refused: { producedUnder } };
  return { message, sent, hash: addMessage(before.hash, sent), loop, ...refused };
}

/** Thinking and its text or calls may be stored as several messages, all of which answer one prompt. */
function findProducer(origins: readonly (ViewMessage | undefined)[]): ProducingRequest | undefined {
  const thinking = origins.filter((origin) => origin !== undefined && hasThinking(origin.message));
  const [first, ...others] = thinking.map((origin) => origin?.producedUnder);
  const isOne = others.every((other) => other?.prefix?.hash === first?.prefix?.hash && other?.model === first?.model);
  return isOne ? first : undefined;
}

export function countThinking(message: Message): number {
  return thinkingOf(message).length;
}

const withoutAny = new WeakMap<Message, Message>();

/** Removes thinking at or after part `fromPart`. Returns the same object for the same message, to count it once. */
export function removeThinking(message: Message, fromPart = 0): Message {
  if (message.parts.every((part, index) => part.type !== "reasoning" || index < fromPart)) return message;
  const known = fromPart === 0 ? withoutAny.get(message) : undefined;
  if (known !== undefined) return known;
  const rest = message.parts.filter((part, index) => part.type !== "reasoning" || index < fromPart);
  const isEmpty = rest.every(({ type }) => type === "reasoning");
  const parts: readonly Part[] = isEmpty ? [...rest, { type: "text", text: NO_VISIBLE_TEXT }] : rest;
  const sent = { ...message, parts };
  if (fromPart === 0) withoutAny.set(message, sent);
  return sent;
}

function findReason(
  producedUnder: ProducingRequest | undefined,
  { rules, start, head }: Pick<ThinkingWalk, "rules" | "start"> & { readonly head: Head },
): LeftOutReason {
  if (producedUnder === undefined) return "unknown-prompt";
  const { model, prefix, viewEpoch } = producedUnder;
  if (!isSameModel(model, rules.model)) return "other-model";
  if (prefix === undefined) return "unknown-prompt";
  if (prefix.instructions !== start.instructions) return "instructions";
  if (prefix.tools !== start.tools) return "tools";
  if (head.compactedEpoch > viewEpoch) return "summary";
  return head.epoch === viewEpoch ? "messages" : "view";
}

function thinkingOf({ parts }: Message): readonly Part[] {
  return parts.filter(({ type }) => type === "reasoning");
}

const HASH_DIGITS = 16;

function hashStart({ provider, instructions, tools }: ThinkingRules): PrefixHashes {
  const hash = hashText(canonicalJson([provider, instructions, tools]));
  const print = hashText(canonicalJson([provider, instructions])).slice(0, HASH_DIGITS);
  return { hash, instructions: print, tools: tools.slice(0, HASH_DIGITS) };
}

function isSameStart(left: ThinkingRules | undefined, right: ThinkingRules): boolean {
  const isSameText = left?.instructions === right.instructions && left.tools === right.tools;
  return isSameText && left.provider === right.provider && left.model === right.model;
}

const hashes = new WeakMap<Message, string>();

function addMessage(before: string, message: Message): string {
  const { role, parts, name } = message;
  const hash = hashes.get(message) ?? hashText(canonicalJson({ role, parts, name }));
  hashes.set(message, hash);
  return hashText(`${before}\n${hash}`);
}
