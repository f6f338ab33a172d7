/**
 * Replaces keys, tokens and passwords with `[secret:kind:hash6]`, which distinguishes secrets and does not
 * reveal them. Matches formats, so a password that is a plain word in a sentence stays.
 */
import { hashText } from "../../message/hash-message.ts";
import { takeHead } from "../../message/whole-text.ts";
import { findPrivateKeys } from "./find-private-keys.ts";
import { SECRET_PATTERNS, type SecretPattern } from "./secret-patterns.ts";

export interface FoundSecret {
  readonly kind: string;
  readonly hash6: string;
}

export interface Redaction {
  readonly text: string;
  /** The secrets that were replaced, each once. */
  readonly secrets: readonly FoundSecret[];
}

export function redactSecrets(text: string): Redaction {
  if (text.length < SHORTEST) return { text, secrets: [] };
  const secrets = new Map<string, FoundSecret>();
  let current = text;
  // Replacing one secret can expose another, so the text is searched several times.
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = redactOnce(current, secrets);
    if (next === current) break;
    current = next;
  }
  return { text: current, secrets: [...secrets.values()] };
}

const MAX_PASSES = 8;
/** No pattern matches a shorter text. */
const SHORTEST = 8;

/** Tests hints before any replacement; the next pass tests the text that a replacement exposes. */
function redactOnce(text: string, secrets: Map<string, FoundSecret>): string {
  const lower = text.toLowerCase();
  const hasHint = ANY_HINT.test(lower);
  let current = redactKeys(text, secrets);
  let known: { readonly hints: SecretPattern["hints"]; readonly isThere: boolean } | undefined;
  for (const pattern of SECRET_PATTERNS) {
    const { hints } = pattern;
    // Patterns with the same hints are neighbors in the table.
    if (known?.hints !== hints) {
      known = { hints, isThere: hints instanceof RegExp ? hints.test(text) : hasHint && hasAny(lower, hints) };
    }
    if (known.isThere) current = redactPattern(current, pattern, secrets);
  }
  return current;
}

/** One pattern for all hints, because most texts contain none. */
const ANY_HINT = new RegExp(
  SECRET_PATTERNS.flatMap(({ hints }) => (hints instanceof RegExp ? [] : hints))
    .map((hint) => hint.replaceAll(/[.=/-]/g, (mark) => `\\${mark}`))
    .join("|"),
);

function hasAny(text: string, hints: readonly string[]): boolean {
  for (const hint of hints) if (text.includes(hint)) return true;
  return false;
}

function redactKeys(text: string, secrets: Map<string, FoundSecret>): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, secret } of findPrivateKeys(text)) {
    if (touchesToken(text, start, end)) continue;
    pieces.push(text.slice(from, start), tokenFor(PRIVATE_KEY, secret, secrets));
    from = end;
  }
  return from === 0 ? text : `${pieces.join("")}${text.slice(from)}`;
}

export const PRIVATE_KEY = "private-key";

function redactPattern(
  text: string,
  { kind, pattern, accepts }: SecretPattern,
  secrets: Map<string, FoundSecret>,
): string {
  const pieces: string[] = [];
  let from = 0;
  for (const match of matchesOf(text, pattern)) {
    const secret = match.groups?.secret ?? match[0];
    const start = match.index + match[0].lastIndexOf(secret);
    if (accepts?.(secret) === false || touchesToken(text, start, start + secret.length)) {
      // The value may be the name of the next secret: "password: password: …".
      if (secret.length <= MAX_NAME_CHARACTERS && start > match.index) pattern.lastIndex = start;
      continue;
    }
    pieces.push(text.slice(from, start), tokenFor(typeof kind === "string" ? kind : kind(secret), secret, secrets));
    from = start + secret.length;
  }
  return from === 0 ? text : `${pieces.join("")}${text.slice(from)}`;
}

/** Unlike `matchAll`, continues at `lastIndex`, which the caller may move back. */
function* matchesOf(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) yield match;
}

/** Longest value that is read again as a name, so that the time stays linear. */
const MAX_NAME_CHARACTERS = 40;

/** Returns true if a match overlaps the token of a redacted secret. */
function touchesToken(text: string, start: number, end: number): boolean {
  const around = text.slice(Math.max(0, start - MAX_TOKEN_CHARACTERS), end + MAX_TOKEN_CHARACTERS);
  const offset = Math.max(0, start - MAX_TOKEN_CHARACTERS);
  for (const match of around.matchAll(TOKEN)) {
    const place = match.index + offset;
    if (place < end && place + match[0].length > start) return true;
  }
  return false;
}

const MAX_TOKEN_CHARACTERS = 60;
const TOKEN = /\[secret:[a-z0-9-]{1,40}:[0-9a-f]{6}\]/g;

function tokenFor(kind: string, secret: string, secrets: Map<string, FoundSecret>): string {
  const hash6 = hashText(secret).slice(0, 6);
  const token = `[secret:${kind}:${hash6}]`;
  secrets.set(token, { kind, hash6 });
  return token;
}

export function secretToken(kind: string, secret: string): string {
  return tokenFor(kind, secret, new Map());
}

const LONGEST = 2_000;
/** Characters that are read beyond the cut, so that a key at the cut is redacted as a whole. */
const MAX_SECRET_CHARACTERS = 4_000;

/** Prepares an external error message for display: redacts secrets and limits the length. */
export function redactForDisplay(text: string, longest = LONGEST): string {
  return takeHead(redactSecrets(takeHead(text, longest + MAX_SECRET_CHARACTERS)).text, longest);
}
