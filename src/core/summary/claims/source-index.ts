/**
 * Indexes everything that supports a claim: claims of the source by key, words, and computed values. Secrets are
 * indexed by their tokens. A whole name supports its parts (the end of a path, the start of a hash), never the reverse.
 */

import { findMatches } from "../../language/find-matches.ts";
import { coarserDates, dateOfInstant } from "../../language/normalize-date.ts";
import { isNumberWord, normalizeNumber, percentAsShare, readSpokenNumberAt } from "../../language/number-words.ts";
import { batchTexts, PIECE_CHARACTERS } from "../../language/text-pieces.ts";
import type { Message } from "../../message/message.ts";
import type { Claim, ClaimKind } from "../record/record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { messageTexts } from "../text/message-texts.ts";
import { classifyToken, MAX_NAME_CHARACTERS } from "./classify-token.ts";
import { addDerivedDates, addSpeaker, createDerivedDates, type DerivedDates, isDerivedDate } from "./derived-dates.ts";
import { extractClaims } from "./extract-claims.ts";

export interface SourceIndex {
  readonly keys: Set<string>;
  readonly derived: Set<string>;
  readonly words: Set<string>;
  /** Hashes by their first characters, because a summary may abbreviate a hash. */
  readonly hashes: Map<string, string[]>;
  readonly derivedDates: DerivedDates;
}

export type ClaimSupport = "source" | "derived" | "none";

export function createSourceIndex(): SourceIndex {
  const derivedDates = createDerivedDates();
  return { keys: new Set(), derived: new Set(), words: new Set(), hashes: new Map(), derivedDates };
}

/** Adds very long tokens as a whole, because `textPieces` may split them. */
function addLongRuns(index: SourceIndex, text: string): void {
  if (text.length <= PIECE_CHARACTERS) return;
  // A token of at least this length contains one of these places, so the text between them need not be read.
  for (let place = LONG_RUN; place < text.length; place += LONG_RUN) {
    let start = place;
    while (start > 0 && isRunCharacter(text, start - 1)) start -= 1;
    while (place < text.length && isRunCharacter(text, place)) place += 1;
    if (place - start < LONG_RUN) continue;
    for (const { kind, key } of classifyToken(text.slice(start, place))) index.keys.add(`${kind}:${key}`);
  }
}

/** Slightly less than the range in which `textPieces` searches for an end. */
const LONG_RUN = 4_000;
const RUN_CHARACTERS = new Set([...".-/\\~@%+_"].map((character) => character.charCodeAt(0)));

function isRunCharacter(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
  return isLetter || (code >= 48 && code <= 57) || RUN_CHARACTERS.has(code);
}

export function* addMessageInSteps(index: SourceIndex, message: Message): Generator<undefined, void> {
  const { spoken, reasoning, inputs, labels, outputs, attached } = messageTexts(message);
  for (const list of [spoken, reasoning, inputs, labels, outputs, attached]) {
    yield* addTextsInSteps(index, list, message.saidAt);
  }
  addSpeech(index, message);
}

export function addSpeech(index: SourceIndex, { name, saidAt }: Pick<Message, "name" | "saidAt">): void {
  if (name !== undefined) {
    addText(index, name);
    addSpeaker(index.derivedDates, name);
  }
  if (saidAt !== undefined) addInstant(index, saidAt);
}

export function* addTextsInSteps(
  index: SourceIndex,
  texts: readonly string[],
  saidAt?: number,
): Generator<undefined, void> {
  for (const text of texts) addLongRuns(index, text);
  let isFirst = true;
  for (const batch of batchTexts(texts)) {
    if (!isFirst) yield undefined;
    isFirst = false;
    addText(index, batch, saidAt);
  }
}

export function addText(index: SourceIndex, source: string, saidAt?: number): void {
  addRedacted(index, redactSecrets(source).text, saidAt);
}

export function addRedacted(index: SourceIndex, text: string, saidAt?: number): void {
  // In text written as JSON, escapes hide names.
  const texts = text.includes("\\") ? [text, text.replaceAll(/\\[nrt"]/g, " ")] : [text];
  for (const each of texts) {
    for (const claim of extractClaims(each)) {
      addClaim(index, claim);
      if (claim.kind === "date" && saidAt !== undefined) addYear(index, claim, saidAt);
    }
    addWords(index, each);
  }
  if (saidAt === undefined) return;
  addDerivedDates(index.derivedDates, text, saidAt);
}

export function addDerived(index: SourceIndex, text: string): void {
  for (const { kind, keys } of extractClaims(text)) {
    for (const key of keys) {
      index.derived.add(`${kind}:${key}`);
      if (kind === "date") addDate(index.derived, key);
    }
  }
}

/** Returns how the source supports a claim. A date counts as derived only with a suitable line around it. */
export function findSupport(index: SourceIndex, claim: Claim, line?: string): ClaimSupport {
  const { kind, keys } = claim;
  if (keys.some((key) => hasKey(index, kind, key))) return "source";
  if (kind === "number" && keys.some((key) => !key.endsWith("%") && index.words.has(key))) return "source";
  if (WORD_KINDS.has(kind) && hasWord(index, claim)) return "source";
  const shares = kind === "number" ? keys.flatMap((key) => percentAsShare(key) ?? []) : [];
  const isShare = shares.some((share) => index.keys.has(`number:${share}`));
  if (isShare || keys.some((key) => index.derived.has(`${kind}:${key}`))) return "derived";
  return keys.some((key) => isDerivedDate(index.derivedDates, `${kind}:${key}`, line)) ? "derived" : "none";
}

function hasKey({ keys, hashes }: SourceIndex, kind: ClaimKind, key: string): boolean {
  if (keys.has(`${kind}:${key}`)) return true;
  if (kind !== "hash") return false;
  return (hashes.get(key.slice(0, MIN_HASH_CHARACTERS)) ?? []).some((hash) => hash.startsWith(key));
}

/** Also accepts the plural: "two SessionIDs". */
function hasWord({ words }: SourceIndex, { text, keys }: Claim): boolean {
  const spellings = [text.toLowerCase(), ...keys];
  return spellings.some((word) => words.has(word) || (word.endsWith("s") && words.has(word.slice(0, -1))));
}

const WORD = /[A-Za-z0-9_]+/g;
const WORD_KINDS: ReadonlySet<string> = new Set(["hash", "identifier"]);

function addWords(index: SourceIndex, text: string): void {
  let spokenEnd = 0;
  for (const match of findMatches(text, WORD)) {
    const word = match[0].toLowerCase();
    if (word.length <= MAX_NAME_CHARACTERS) index.words.add(word);
    if (match.index < spokenEnd || !isNumberWord(word)) continue;
    const spoken = readSpokenNumberAt(text, match.index);
    if (spoken === undefined) continue;
    spokenEnd = spoken.end;
    for (const key of spoken.keys) index.keys.add(`number:${key}`);
  }
}

function addClaim(index: SourceIndex, { kind, keys, text }: Claim): void {
  if (kind === "number") addNumber(index, text);
  if (keys.every((key) => index.keys.has(`${kind}:${key}`)) && kind !== "path") return;
  for (const key of keys) {
    index.keys.add(`${kind}:${key}`);
    if (kind === "hash") addHash(index, key);
    for (const lesser of keysOfParts(kind, key)) index.keys.add(lesser);
  }
}

/** Adds a number and the values that a suffix such as `50m` or `3bn` can mean. */
function addNumber(index: SourceIndex, text: string): void {
  const match = FIGURES.exec(text);
  if (match === null) return;
  const [, digits = "", unit = ""] = match;
  const figures = normalizeNumber(digits);
  if (figures === undefined) return;
  index.keys.add(`number:${figures}`);
  const power = UNIT_POWERS[unit.toLowerCase()];
  if (power !== undefined) index.keys.add(`number:${normalizeNumber(`${figures}e${power}`)}`);
}

const FIGURES = /^[-+$€£]?([\d.,]{1,40})([A-Za-z]{0,3})$/;
const UNIT_POWERS: Readonly<Record<string, number>> = { k: 3, m: 6, mn: 6, mil: 6, b: 9, bn: 9 };

function addHash({ hashes }: SourceIndex, hash: string): void {
  const start = hash.slice(0, MIN_HASH_CHARACTERS);
  const known = hashes.get(start);
  if (known === undefined) hashes.set(start, [hash]);
  else if (known.length < MAX_HASHES) known.push(hash);
}

const MIN_HASH_CHARACTERS = 7;
const MAX_HASHES = 50;

/** Returns the keys of parts of a name that are names themselves. */
function keysOfParts(kind: ClaimKind, key: string): readonly string[] {
  switch (kind) {
    case "path":
      return partsOfPath(key).map((part) => `path:${part}`);
    case "url":
      return partsOfUrl(key);
    case "date":
      return [...coarserDates(key).map((date) => `date:${date}`), ...numbersIn(key)];
    case "number":
      return [`number:${key.replace("%", "")}`];
    case "version":
      return partsOfVersion(key);
    case "identifier":
      return [...numbersIn(key), ...datesIn(key)];
    case "time":
      return numbersIn(key);
    case "hash":
    case "secret":
    case "statement":
      return [];
    default:
      return kind satisfies never;
  }
}

function partsOfPath(key: string): readonly string[] {
  const parts: string[] = [];
  for (let slash = key.indexOf("/"); slash >= 0 && parts.length < MAX_PARTS; slash = key.indexOf("/", slash + 1)) {
    parts.push(key.slice(0, slash), key.slice(slash + 1));
  }
  return parts;
}

const MAX_PARTS = 48;

/** Returns the URL without its query, and each folder above it. */
function partsOfUrl(key: string): readonly string[] {
  const page = key.split(/[?#]/, 1)[0] ?? "";
  const host = page.split("/", 1)[0] ?? "";
  const parts = [page, ...partsOfPath(page), host.split(".").slice(-2).join(".")];
  return [...parts.map((part) => `url:${part}`), ...parts.map((part) => `path:${part}`)];
}

function partsOfVersion(key: string): readonly string[] {
  const numbers = key.split(/[-+]/, 1)[0]?.split(".") ?? [];
  const shorter = numbers.map((_, index) => numbers.slice(0, index + 1).join("."));
  return [...shorter.map((version) => `version:${version}`), ...shorter.slice(0, 2).map((part) => numberKey(part))];
}

function numbersIn(key: string): readonly string[] {
  return (key.slice(0, MAX_NAME_CHARACTERS).match(/\d+(?:\.\d+)?/g) ?? []).map(numberKey);
}

function datesIn(key: string): readonly string[] {
  const day = /^\d{4}-\d{2}-\d{2}(?=-)/.exec(key)?.[0];
  return day === undefined ? [] : [day, ...coarserDates(day)].map((date) => `date:${date}`);
}

function numberKey(digits: string): string {
  return `number:${normalizeNumber(digits) ?? digits}`;
}

function addDate(keys: Set<string>, key: string): void {
  keys.add(`date:${key}`);
  for (const coarser of coarserDates(key)) keys.add(`date:${coarser}`);
  if (!key.startsWith("-")) keys.add(`number:${key.slice(0, 4)}`);
}

function addInstant(index: SourceIndex, saidAt: number): void {
  const date = dateOfInstant(saidAt);
  if (date === undefined) return;
  addDate(index.keys, date);
  index.keys.add(`time:${new Date(saidAt).toISOString().slice(11, 16)}`);
}

/** Adds the year of the message to a day without a year. */
function addYear(index: SourceIndex, { keys }: Claim, saidAt: number): void {
  const year = dateOfInstant(saidAt)?.slice(0, 4);
  for (const key of keys) {
    if (year !== undefined && key.startsWith("--")) addDate(index.derived, `${year}${key.slice(1)}`);
  }
}
