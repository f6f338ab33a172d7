/** Creates facts: one line of limited length, with an id that ignores case, spacing and final punctuation. */
import { hashText } from "../../message/hash-message.ts";
import type { MessageId } from "../../message/message.ts";
import { cleanMarkup } from "../answers/clean-answer.ts";
import type { ActionItem, Facets, Fact, FactId, FactKind, FactStatus } from "../record/record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";

export interface FactDraft
  extends Pick<Fact, "kind" | "text" | "source" | "saidBy" | "owner" | "due" | "isStanding" | "isGuess"> {
  readonly turn: number;
  /** Identifies the fact instead of its text. */
  readonly identity?: string | undefined;
  readonly status?: FactStatus | undefined;
  readonly named?: Pick<Fact, "given" | "shown" | "lastUse" | "home" | "use"> | undefined;
}

/** Returns undefined if no word is left, or if the first one is too long to be a word. */
export function makeFact(draft: FactDraft): Fact | undefined {
  const { kind, text, source, saidBy, turn, owner, due } = draft;
  const line = shortenLine(text, MAX_CHARACTERS_BY_KIND[kind] ?? MAX_FACT_CHARACTERS);
  if (line === "") return undefined;
  const extras = {
    ...(owner === undefined ? {} : { owner }),
    ...(due === undefined ? {} : { due }),
    ...(draft.isStanding === true ? { isStanding: true } : {}),
    ...(draft.isGuess === true ? { isGuess: true } : {}),
  };
  const id = factId(kind, draft.identity ?? line);
  const status = draft.status ?? STATUS[kind] ?? "live";
  return { id, kind, text: line, source, saidBy, status, lastTurn: turn, uses: 1, ...extras, ...draft.named };
}

export function factId(kind: FactKind, text: string): FactId {
  return hashText(`${kind}\n${factWords(text)}`).slice(0, 12);
}

export function factWords(text: string): string {
  const lower = text.toLowerCase();
  // Most lines need no folding, and replacing every space is slow.
  const line = (isUnfolded(lower) ? lower.replaceAll(WHITE_SPACE, " ") : lower).trim();
  let end = line.length;
  while (end > 0 && ".!;:,".includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

const WHITE_SPACE = /[\s\p{Cc}]+/gu;
const SPACE = 0x20;
const FIRST_CONTROL_AGAIN = 0x7f;
const LAST_LATIN_SPACE = 0xa0;
const FIRST_WIDE_SPACE = 0x1680;

function isUnfolded(line: string): boolean {
  for (let place = 0; place < line.length; place += 1) {
    const code = line.charCodeAt(place);
    if (code < SPACE || (code >= FIRST_CONTROL_AGAIN && code <= LAST_LATIN_SPACE)) return true;
    if (code === SPACE && line.charCodeAt(place + 1) === SPACE) return true;
    if (code >= FIRST_WIDE_SPACE && line.charAt(place).trim() === "") return true;
  }
  return false;
}
const MAX_FACT_CHARACTERS = 300;
const MAX_CHARACTERS_BY_KIND: Partial<Record<FactKind, number>> = {
  "pin-note": 2_000,
  "user-message": 2_000,
  goal: 500,
  command: 200,
  error: 200,
};
const STATUS: Partial<Record<FactKind, FactStatus>> = { "open-item": "open", question: "open" };

/** Cuts between words, because half a path is another path. */
function shortenLine(text: string, longest: number): string {
  const line = text
    .slice(0, longest * 4)
    .toWellFormed()
    .replaceAll(WHITE_SPACE, " ")
    .trim();
  if (line.length <= longest && text.length <= longest * 4) return line;
  const space = line.lastIndexOf(" ", longest);
  return space <= 0 ? "" : `${line.slice(0, space)} …`;
}

const MARKS = ".,;:!?–—(";

/** Returns true if a fact contains another as a clause: "Remember: never delete it." contains "Never delete it.". */
export function containsClause(text: string, other: string): boolean {
  const [whole, clause] = [factWords(text), factWords(other)];
  if (clause === "" || clause.length >= whole.length) return false;
  for (let place = whole.indexOf(clause); place >= 0; place = whole.indexOf(clause, place + 1)) {
    const before = whole.slice(0, place).trimEnd();
    const after = whole.charAt(place + clause.length);
    const isOpened = before === "" || (MARKS.includes(before.slice(-1)) && before.length < place);
    if (isOpened && (after === "" || MARKS.includes(after))) return true;
  }
  return false;
}

export interface ReadFacetsOptions {
  /** The last message of the stretch, which is recorded as the source. */
  readonly source: MessageId;
  readonly turn: number;
}

export type ProposedLists = Partial<Omit<Facets, "sheet" | "actionItems">> & {
  readonly actionItems?: readonly (Omit<ActionItem, "status"> & Partial<Pick<ActionItem, "status">>)[] | undefined;
};

/** Creates facts from the lists of a summarizer. `keepSupportedFacts` drops unsupported ones. */
export function readFacets(facets: ProposedLists, { source, turn }: ReadFacetsOptions): readonly Fact[] {
  type Draft = Omit<FactDraft, "source" | "saidBy" | "turn">;
  const drafts: readonly Draft[] = [
    ...(facets.goal === undefined ? [] : [{ kind: "goal", text: facets.goal } as const]),
    ...(facets.constraints ?? []).map((text) => ({ kind: "constraint", text }) as const),
    ...(facets.decisions ?? []).map((text) => ({ kind: "decision", text }) as const),
    ...(facets.actionItems ?? []).map(
      ({ task, ...item }) => ({ kind: "open-item", text: task, ...item, status: item.status ?? "open" }) as const,
    ),
    ...(facets.unresolved ?? []).map((text) => ({ kind: "question", text }) as const),
    ...(facets.entities ?? []).map((text) => ({ kind: "identifier", text }) as const),
    ...(facets.participants ?? []).map((text) => ({ kind: "participant", text }) as const),
    ...(facets.done ?? []).map((text) => ({ kind: "open-item", text, status: "done" }) as const),
  ];
  return drafts.flatMap((draft) => {
    const text = cleanMarkup(redactSecrets(draft.text).text);
    return makeFact({ ...draft, text, source, saidBy: "assistant", turn }) ?? [];
  });
}
