/** Cuts the middle of oversized parts, all to one size, the level. Both ends of a text stay. */
import { findPreambleSeqs } from "../log/head.ts";
import type { Prune } from "../log/prune.ts";
import type { View, ViewMessage } from "../log/view.ts";
import { findNewestTurn } from "../message/group-messages.ts";
import type { CallId, Message, Part, ToolCallPart } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";
import { type CutMarks, createLongMarks, SHORT_MARKS } from "../message/own-notes.ts";
import { addNamesToMarker, keepFailureLines } from "./fill-cut-marker.ts";
import { sumTokens } from "./tentative-view.ts";

/** No part is cut to fewer tokens, because less would not be readable. */
const MIN_TOKENS = 16;
const SHORT_LEVEL_TOKENS = 100;
/** Tokens of a marker. A part is cut only if it exceeds the level by more than this. */
const MARKER_TOKENS = 16;
const LONG_MARKER_TOKENS = 48;

export interface FindCutsOptions {
  readonly goalTokens: number;
  readonly shownTokens: number;
  readonly countPart: (part: Part, message: Message) => number;
}

interface CuttablePart {
  readonly item: ViewMessage;
  readonly part: Part;
  readonly partIndex: number;
  readonly tokens: number;
  /** Tokens of the original. Every cut starts from the original, even if an earlier cut is shown. */
  readonly wholeTokens: number;
  readonly call: ToolCallPart | undefined;
}

/** Yields alternative sets of cuts: first of tool results alone, then of all parts, to smaller and smaller sizes. */
export function* findCuts(view: View, options: FindCutsOptions): Generator<readonly Prune[]> {
  const parts = findCuttableParts(view, { ...readContext(view), countPart: options.countPart });
  const results = parts.filter(({ part }) => part.type === "tool-result");
  if (results.length < parts.length) yield* cutResults(view, results, options);
  const rest = options.shownTokens - sumTokens(parts);
  for (const level of lowerLevels(findLevel(parts, Math.max(0, options.goalTokens - rest)))) {
    const prunes = parts
      .filter((part) => part.tokens > level + (isShort(level, part.part) ? MARKER_TOKENS : LONG_MARKER_TOKENS))
      .map((part) => cutPart(part, level, view.head.summary?.text));
    if (prunes.length > 0) yield prunes;
  }
}

/** Cuts tool results first, because a tool can be called again. */
function* cutResults(
  view: View,
  results: readonly CuttablePart[],
  { goalTokens, shownTokens }: FindCutsOptions,
): Generator<readonly Prune[]> {
  const wanted = findLevel(results, Math.max(0, goalTokens - shownTokens + sumTokens(results)));
  const level = Math.max(SHORT_LEVEL_TOKENS, wanted);
  const prunes = results
    .filter(({ tokens }) => tokens > level + LONG_MARKER_TOKENS)
    .map((part) => cutPart(part, level, view.head.summary?.text));
  if (prunes.length > 0) yield prunes;
}

function* lowerLevels(highest: number): Generator<number> {
  for (let level = highest; level > MIN_TOKENS; level = Math.floor(level * 0.7)) yield level;
  yield MIN_TOKENS;
}

export interface FindOversizedCutsOptions {
  /** A part larger than this cannot be sent at all. */
  readonly roomTokens: number;
  readonly levelTokens: number;
  readonly countPart: FindCutsOptions["countPart"];
}

export function findOversizedCuts(view: View, options: FindOversizedCutsOptions): readonly Prune[] {
  const { roomTokens, levelTokens, countPart } = options;
  // A part is no larger than its message, whose count is known.
  const isLarge = (item: ViewMessage) => item.tokens > roomTokens;
  const large = { ...view, kept: view.kept.filter(isLarge), messages: view.messages.filter(isLarge) };
  const parts = findCuttableParts(large, { ...readContext(view), countPart });
  const oversized = parts.filter(({ part, tokens }) => tokens > roomTokens && isText(part));
  return oversized.map((part) => cutPart(part, Math.max(MIN_TOKENS, levelTokens), view.head.summary?.text));
}

interface CuttingOptions extends Pick<FindCutsOptions, "countPart"> {
  readonly openTurn: ReadonlySet<ViewMessage>;
  readonly calls: ReadonlyMap<CallId, ToolCallPart>;
}

function readContext({ kept, messages }: View): Omit<CuttingOptions, "countPart"> {
  const openTurn = new Set(findNewestTurn(messages, ({ message }) => message));
  const parts = [...kept, ...messages].flatMap(({ message }) => message.parts);
  const calls = new Map(parts.flatMap((part) => (part.type === "tool-call" ? [[part.callId, part] as const] : [])));
  return { openTurn, calls };
}

/** Skips what must stay whole: pinned messages, instructions, reasoning in the open turn, and the provider's tools. */
function findCuttableParts(view: View, { countPart, openTurn, calls }: CuttingOptions): readonly CuttablePart[] {
  const preamble = new Set(findPreambleSeqs(view.head));
  return [...view.kept, ...view.messages].flatMap((item) => {
    if (item.fate === "pinned" || preamble.has(item.seq)) return [];
    return item.message.parts.flatMap((part, partIndex): CuttablePart[] => {
      if ((part.type === "reasoning" && openTurn.has(item)) || isByProvider(part)) return [];
      const shown = item.shown.parts[partIndex] ?? part;
      const tokens = countPart(shown, item.message);
      const wholeTokens = shown === part ? tokens : countPart(part, item.message);
      const call = part.type === "tool-result" ? calls.get(part.callId) : undefined;
      return [{ item, part, partIndex, tokens, wholeTokens, call }];
    });
  });
}

/** Only the provider knows the format of tools that it runs itself. */
function isByProvider(part: Part): boolean {
  return (part.type === "tool-call" || part.type === "tool-result") && part.byProvider === true;
}

/** Finds the level L for which the sum of min(tokens, L) equals the room. */
function findLevel(parts: readonly CuttablePart[], roomTokens: number): number {
  const sizes = parts.map((part) => part.tokens).sort((left, right) => left - right);
  let room = roomTokens;
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(room / (sizes.length - index));
    if (size > share) return Math.max(MIN_TOKENS, share);
    room -= size;
  }
  return Math.max(MIN_TOKENS, sizes.at(-1) ?? 0);
}

function cutPart({ item, part, partIndex, wholeTokens, call }: CuttablePart, level: number, known = ""): Prune {
  const isBrief = isShort(level, part);
  const marks = isBrief ? SHORT_MARKS : createLongMarks(item.message);
  const levelCharacters = Math.floor((measureText(part) * level) / Math.max(1, wholeTokens) / countPartStrings(part));
  // A long marker takes its room from the kept text; a short one is too small to matter.
  const keepCharacters = isBrief ? levelCharacters : Math.max(0, levelCharacters - marks.marker.length);
  return {
    seq: item.seq,
    messageId: item.message.id,
    partIndex,
    fate: "cut",
    replacement: chooseReplacement(part, { keepCharacters, marks, call }, known),
    reason: `larger than ${level} tokens, and the prompt did not fit`,
  };
}

/** Each string of a call is cut separately, with its own marker. */
function isShort(level: number, { type }: Part): boolean {
  return level < SHORT_LEVEL_TOKENS || type === "tool-call";
}

interface CutMiddle {
  readonly keepCharacters: number;
  readonly marks: CutMarks;
  readonly call: ToolCallPart | undefined;
}

function chooseReplacement(
  part: Part,
  { keepCharacters, marks, call }: CutMiddle,
  known: string,
): Prune["replacement"] {
  if (isText(part) && (part.type !== "tool-call" || keepCharacters > 0)) {
    const fences = part.type === "text" && /^ {0,3}(?:```|~~~)/m.test(part.text) ? { hasFences: true } : {};
    const middle = { type: "middle", keepCharacters, marker: marks.marker, ...fences } as const;
    return keepFailureLines(part, middle, { marks, call }) ?? addNamesToMarker(part, middle, { known, marks });
  }
  return { type: "text", text: `[${part.type} removed to save room; it can be recalled]` };
}

function isText(part: Part): boolean {
  return part.type === "text" || part.type === "tool-result" || part.type === "tool-call";
}

function measureText(part: Part): number {
  if (part.type === "text") return part.text.length;
  if (part.type === "tool-result") return outputText(part.output).length;
  return part.type === "tool-call" ? (part.inputText ?? JSON.stringify(part.input)).length : 0;
}

function countPartStrings(part: Part): number {
  if (part.type !== "tool-call") return 1;
  return Math.max(1, countStrings(part.input));
}

function countStrings(value: unknown): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, field) => sum + countStrings(field), 0);
}
