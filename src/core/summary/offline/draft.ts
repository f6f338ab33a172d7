/**
 * A summary while it is being put together: the facts that must be in it, what is done, the lines chosen for the story
 * and how many names beyond those. Writing it out leaves out names that the rest of the text has said already.
 */
import { extractClaims } from "../claims/extract-claims.ts";
import { textPieces } from "../facts/text-pieces.ts";
import type { Claim, Fact } from "../record.ts";
import type { LineChooser } from "./choose-lines.ts";
import { EMPTY_LAYOUT, type Layout, type NameGroup, writeLayout } from "./layout.ts";

export interface Draft {
  /** Most important first. */
  readonly required: Fact[];
  /** Newest last. */
  readonly done: string[];
  readonly chooser: LineChooser;
  /** Names that may be listed beside those that are required, most important first, and how many of them are. */
  readonly names: readonly Fact[];
  extraNames: number;
  readonly labelOf: (name: Fact) => string;
}

export interface WrittenDraft {
  readonly text: string;
  /** Whether the text names this. */
  readonly hasName: (name: Fact) => boolean;
}

export function* writeDraft(draft: Draft): Generator<undefined, WrittenDraft> {
  const layout = layoutOf(draft);
  const keys = new Set<string>();
  for (const piece of textPieces(writeLayout(layout))) {
    for (const claim of extractClaims(piece)) keys.add(keyOf(claim));
    yield undefined;
  }
  const listed = listNames(draft, keys);
  yield undefined;
  const text = writeLayout({ ...layout, names: groupNames(listed, draft.labelOf) });
  return { text, hasName: (name) => listed.includes(name) || isNamed(name, keys) };
}

/** Adds what it lists to the keys. */
function listNames({ required, names, extraNames }: Draft, keys: Set<string>): readonly Fact[] {
  const listed: Fact[] = [];
  const list = (name: Fact): void => {
    if (isNamed(name, keys)) return;
    listed.push(name);
    for (const key of keysOf(name)) keys.add(key);
  };
  for (const fact of required) if (fact.kind === "identifier") list(fact);
  const most = listed.length + extraNames;
  for (const name of extraNames === 0 ? [] : names) {
    if (listed.length >= most) break;
    list(name);
  }
  return listed;
}

function isNamed(name: Fact, keys: ReadonlySet<string>): boolean {
  const own = keysOf(name);
  return own.length > 0 && own.every((key) => keys.has(key));
}

/** A draft is written several times, and its names are the same each time. */
const known = new WeakMap<Fact, readonly string[]>();

function keysOf(name: Fact): readonly string[] {
  const keys = known.get(name) ?? extractClaims(name.text).map(keyOf);
  known.set(name, keys);
  return keys;
}

function groupNames(names: readonly Fact[], labelOf: (name: Fact) => string): readonly NameGroup[] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const label = labelOf(name);
    const group = groups.get(label);
    if (group === undefined) groups.set(label, [name.text]);
    else group.push(name.text);
  }
  return [...groups].map(([label, members]) => ({ label, names: members }));
}

function layoutOf({ required, done, chooser }: Draft): Layout {
  const texts = (...kinds: readonly Fact["kind"][]): readonly string[] =>
    required.filter(({ kind }) => kinds.includes(kind)).map(writeFact);
  return {
    ...EMPTY_LAYOUT,
    goals: texts("goal"),
    constraints: texts("pin-note", "constraint"),
    decisions: texts("decision"),
    known: texts("definition"),
    open: texts("open-item", "question"),
    done,
    story: chooser.chosen.map(({ line }) => line.candidate).sort((left, right) => left.order - right.order),
  };
}

/** The words of a fact as they were said; who and until when, where that is known. */
export function writeFact({ text, owner, due }: Fact): string {
  const who = [owner, due === undefined ? undefined : `due ${due}`].filter((piece) => piece !== undefined).join("; ");
  return who === "" ? text : `${text} (${who})`;
}

/** About what a name costs. */
export const NAME_TOKENS = 6;

/** Gives up what matters least, until so many tokens are likely gone. False where nothing is left to give up. */
export function giveUp(draft: Draft, overTokens: number): boolean {
  if (draft.extraNames > 0) {
    draft.extraNames = Math.max(0, draft.extraNames - Math.max(1, Math.floor(overTokens / NAME_TOKENS)));
    return true;
  }
  if (draft.chooser.drop(overTokens)) return true;
  if (draft.done.shift() !== undefined) return true;
  return draft.required.pop() !== undefined;
}

function keyOf({ kind, keys }: Claim): string {
  return `${kind}:${keys[0]}`;
}
