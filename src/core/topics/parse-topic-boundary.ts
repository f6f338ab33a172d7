/**
 * Reads a topic boundary from whatever the detector wrote: clean JSON, JSON in a fence or among words, or pieces of
 * JSON that broke off. What cannot be understood, or names a message that was not shown, is no boundary: the safe
 * answer keeps everything.
 */
import { type Fields, isObject } from "../check-value.ts";
import { firstShownIndex, type TopicMessagesOptions } from "./format-topic-messages.ts";
import { NO_BOUNDARY, type TopicBoundary } from "./topic-boundary.ts";

export interface ParseTopicOptions extends TopicMessagesOptions {
  /** How many messages the conversation has; those that were shown are its newest. */
  readonly messageCount: number;
}

/** A sentence or two; an answer beyond it is no answer to our question. */
const LONGEST_ANSWER = 100_000;
const LONGEST_TEXT = 1_000;

export function parseTopicBoundary(answer: string, options: ParseTopicOptions): TopicBoundary {
  if (answer.length > LONGEST_ANSWER) return NO_BOUNDARY;
  const fields = parseObject(answer) ?? findPieces(answer);
  return fields === undefined ? NO_BOUNDARY : decodeBoundary(fields, options);
}

/** All between the outermost braces, so that fences and words around them do not matter. */
function parseObject(answer: string): Fields | undefined {
  const text = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1);
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const INDEX_PIECE = /(?<!\\)"boundary_?index"\s{0,20}:\s{0,20}(\d{1,9}|null)(?![\d.])/i;
const CONFIDENCE_PIECE = /(?<!\\)"confidence"\s{0,20}:\s{0,20}(\d{1,3}(?:\.\d{1,20})?)(?!\d)/i;
const REASON_PIECE = /(?<!\\)"boundary_?reason"\s{0,20}:\s{0,20}"((?:[^"\\]|\\.){0,1000})"/i;

/** What can be found of the fields when the whole cannot be read. Without an index there is nothing. */
function findPieces(answer: string): Fields | undefined {
  const index = INDEX_PIECE.exec(answer)?.[1];
  if (index === undefined) return undefined;
  return {
    boundary_index: index === "null" ? null : Number(index),
    confidence: Number(CONFIDENCE_PIECE.exec(answer)?.[1] ?? 0),
    boundary_reason: REASON_PIECE.exec(answer)?.[1],
  };
}

function decodeBoundary(fields: Fields, options: ParseTopicOptions): TopicBoundary {
  const index = fieldOf(fields, ["boundary_index", "boundaryIndex"]);
  if (index !== null && !isShownIndex(index, options)) return NO_BOUNDARY;
  return {
    boundaryIndex: index,
    boundaryReason: textOf(fieldOf(fields, ["boundary_reason", "boundaryReason"])),
    confidence: confidenceOf(fieldOf(fields, ["confidence"])),
    summary: textOf(fieldOf(fields, ["summary"])),
  };
}

function fieldOf(fields: Fields, names: readonly string[]): unknown {
  const name = names.find((candidate) => Object.hasOwn(fields, candidate));
  return name === undefined ? undefined : fields[name];
}

function isShownIndex(index: unknown, options: ParseTopicOptions): index is number {
  if (typeof index !== "number" || !Number.isSafeInteger(index)) return false;
  return index >= firstShownIndex(options.messageCount, options) && index < options.messageCount;
}

/** A number that is no confidence (0.9 written as 90) is not to be trusted with leaving messages out. */
function confidenceOf(value: unknown): number {
  return typeof value === "number" && value >= 0 && value <= 1 ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, LONGEST_TEXT).toWellFormed().trim() : "";
}
