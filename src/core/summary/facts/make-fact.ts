/**
 * Makes a fact from words: one line, bounded, with an id that is the same whenever the same thing is said again in
 * other capitals, other spacing or another full stop.
 */
import { hashText } from "../../message/hash-message.ts";
import type { MessageId, Role } from "../../message/message.ts";
import type { Fact, FactId, FactKind, FactStatus } from "../record/record.ts";

export interface FactDraft {
  readonly kind: FactKind;
  readonly text: string;
  readonly source: MessageId;
  readonly saidBy: Role;
  readonly turn: number;
  /** What makes it the same fact, where that is not its text. */
  readonly identity?: string | undefined;
  readonly status?: FactStatus | undefined;
  readonly owner?: string | undefined;
  readonly due?: string | undefined;
  /** What is known of the use of a name. */
  readonly named?: Pick<Fact, "given" | "shown" | "lastUse" | "home" | "use"> | undefined;
}

/** Undefined where no words are left, or where the first of them is too long to be one. */
export function makeFact(draft: FactDraft): Fact | undefined {
  const { kind, text, source, saidBy, turn, owner, due } = draft;
  const line = shortenLine(text, LONGEST_TEXT[kind] ?? LONGEST_FACT);
  if (line === "") return undefined;
  const extras = { ...(owner === undefined ? {} : { owner }), ...(due === undefined ? {} : { due }) };
  const id = factId(kind, draft.identity ?? line);
  const status = draft.status ?? STATUS[kind] ?? "live";
  return { id, kind, text: line, source, saidBy, status, lastTurn: turn, uses: 1, ...extras, ...draft.named };
}

export function factId(kind: FactKind, text: string): FactId {
  return hashText(`${kind}\n${factWords(text)}`).slice(0, 12);
}

/** How the words of two facts are compared. */
export function factWords(text: string): string {
  const lower = text.toLowerCase();
  // Most lines are folded already, and replacing each space by itself is slow.
  const line = (isUnfolded(lower) ? lower.replaceAll(WHITE, " ") : lower).trim();
  let end = line.length;
  while (end > 0 && ".!;:,".includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

const WHITE = /[\s\p{Cc}]+/gu;
const SPACE = 0x20;
const FIRST_CONTROL_AGAIN = 0x7f;
const LAST_LATIN_SPACE = 0xa0;
const FIRST_WIDE_SPACE = 0x1680;

/** Whether a line has white space other than single spaces, or a control character. */
function isUnfolded(line: string): boolean {
  for (let place = 0; place < line.length; place += 1) {
    const code = line.charCodeAt(place);
    if (code < SPACE || (code >= FIRST_CONTROL_AGAIN && code <= LAST_LATIN_SPACE)) return true;
    if (code === SPACE && line.charCodeAt(place + 1) === SPACE) return true;
    if (code >= FIRST_WIDE_SPACE && line.charAt(place).trim() === "") return true;
  }
  return false;
}
const LONGEST_FACT = 300;
const LONGEST_TEXT: Partial<Record<FactKind, number>> = { "pin-note": 2_000, goal: 500, command: 200, error: 200 };
const STATUS: Partial<Record<FactKind, FactStatus>> = { "open-item": "open", question: "open" };

/** Cut between words, never inside one: half a path is another path. */
function shortenLine(text: string, longest: number): string {
  const line = text
    .slice(0, longest * 4)
    .toWellFormed()
    .replaceAll(WHITE, " ")
    .trim();
  if (line.length <= longest && text.length <= longest * 4) return line;
  const space = line.lastIndexOf(" ", longest);
  return space <= 0 ? "" : `${line.slice(0, space)} …`;
}
