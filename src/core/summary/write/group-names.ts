/** Groups names into labeled lines, by file, by the use of a file and by origin, and parses such lines. */
import type { MessageId, Role } from "../../message/message.ts";
import { lastSegment } from "../read/tool-use.ts";
import type { NameGroup } from "../record/layout.ts";
import type { Fact, FactId } from "../record/record.ts";

/** A talk between people uses the first two. */
export const NAME_LABELS = {
  said: "said",
  inOutput: "in output",
  userSaid: "names the user said",
  pasted: "names in what was pasted",
  given: "names given to tools",
  shown: "names that tools showed",
  numbers: "numbers given to tools",
} as const;

const FILES = "files that were ";
const WAS = " was ";
const AND_NAMES = ", names";
const NAMES_IN = "names in ";

export function groupNames(names: readonly Fact[], known: KnownFacts): readonly NameGroup[] {
  const listed = new Set(names.map(({ id }) => id));
  const members = membersOf(names, known, listed);
  const groups = new Map<string, { readonly facts: Fact[]; readonly sources: MessageId[] }>();
  const add = (label: string, facts: readonly Fact[], labeled: readonly Fact[] = []): void => {
    const group = groups.get(label) ?? { facts: [], sources: [] };
    group.facts.push(...facts);
    group.sources.push(...[...labeled, ...facts].map(({ source }) => source));
    groups.set(label, group);
  };
  const told = new Set<FactId>();
  for (const name of names) {
    const file = name.use === undefined ? homeOf(name, known, members) : name;
    if (isNumber(name)) add(NAME_LABELS.numbers, [name]);
    else if (file === undefined) add(originOf(name), [name]);
    else if (!told.has(file.id)) {
      told.add(file.id);
      const inside = members.get(file.id) ?? [];
      if (inside.length === 0) add(`${FILES}${file.use}`, [file]);
      else if (listed.has(file.id)) add(`${file.text}${WAS}${file.use}${AND_NAMES}`, inside, [file]);
      else add(`${NAMES_IN}${lastSegment(file.text)} that was ${file.use}`, inside, [file]);
    }
  }
  return [...groups].map(([label, { facts, sources }]) => ({
    label,
    names: facts.map(({ text }) => text),
    ...(label !== NAME_LABELS.numbers && facts.every(({ text }) => !text.includes(" ")) ? { separator: " " } : {}),
    messageIds: [...new Set(sources)],
  }));
}

type KnownFacts = ReadonlyMap<FactId, Fact>;
type Members = ReadonlyMap<FactId, readonly Fact[]>;

/** A file that is not listed gets a line only for this many names. */
const MIN_UNLISTED = 2;

function membersOf(names: readonly Fact[], known: KnownFacts, listed: ReadonlySet<FactId>): Members {
  const members = new Map<FactId, Fact[]>();
  for (const name of names) {
    const isInside = name.use === undefined && name.home !== undefined && !isNumber(name);
    const home = isInside ? known.get(name.home ?? "") : undefined;
    if (home?.use === undefined) continue;
    const group = members.get(home.id);
    if (group === undefined) members.set(home.id, [name]);
    else group.push(name);
  }
  for (const [id, group] of members) if (!listed.has(id) && group.length < MIN_UNLISTED) members.delete(id);
  return members;
}

function homeOf({ home }: Fact, known: KnownFacts, members: Members): Fact | undefined {
  return home !== undefined && members.has(home) ? known.get(home) : undefined;
}

function isNumber({ text }: Fact): boolean {
  return /^-?[\d,]+$/.test(text);
}

function originOf({ given = 0, saidBy }: Fact): string {
  if (saidBy === "user") return given > 0 ? NAME_LABELS.userSaid : NAME_LABELS.pasted;
  return given > 0 || saidBy === "assistant" ? NAME_LABELS.given : NAME_LABELS.shown;
}

export interface ListedName {
  readonly text: string;
  readonly saidBy: Role;
  readonly origin: "given" | "said" | "shown";
  readonly use?: string | undefined;
  readonly home?: string | undefined;
}

type Label = (typeof NAME_LABELS)[keyof typeof NAME_LABELS];

const ORIGINS: Readonly<Record<Label, Pick<ListedName, "saidBy" | "origin">>> = {
  [NAME_LABELS.said]: { saidBy: "user", origin: "said" },
  [NAME_LABELS.inOutput]: { saidBy: "tool", origin: "shown" },
  [NAME_LABELS.userSaid]: { saidBy: "user", origin: "said" },
  [NAME_LABELS.pasted]: { saidBy: "user", origin: "shown" },
  [NAME_LABELS.given]: { saidBy: "assistant", origin: "given" },
  [NAME_LABELS.shown]: { saidBy: "tool", origin: "shown" },
  [NAME_LABELS.numbers]: { saidBy: "assistant", origin: "given" },
};
const OF_A_FILE = { saidBy: "assistant", origin: "given" } as const;

/** Expects a line without its bullet. */
export function readNames(line: string): readonly ListedName[] {
  const inFile = line.indexOf(`${AND_NAMES}: `);
  if (inFile >= 0) {
    const file = line.slice(0, inFile);
    const was = file.lastIndexOf(WAS);
    if (was < 0) return [];
    const [text, use] = [file.slice(0, was), file.slice(was + WAS.length)];
    const inside = splitNames(line.slice(inFile + AND_NAMES.length + 2));
    return [{ text, use, ...OF_A_FILE }, ...inside.map((name) => ({ text: name, home: text, ...OF_A_FILE }))];
  }
  const border = line.indexOf(": ");
  const label = line.slice(0, Math.max(0, border));
  const names = splitNames(line.slice(border + 2));
  if (label.startsWith(FILES)) return names.map((text) => ({ text, use: label.slice(FILES.length), ...OF_A_FILE }));
  if (label.startsWith(NAMES_IN) && !isLabel(label)) return names.map((text) => ({ text, ...OF_A_FILE }));
  return isLabel(label) ? names.map((text) => ({ text, ...ORIGINS[label] })) : [];
}

function isLabel(label: string): label is Label {
  return Object.hasOwn(ORIGINS, label);
}

/** Names that contain a space are separated by semicolons. */
function splitNames(names: string): readonly string[] {
  return names.split(names.includes("; ") ? "; " : " ").filter((name) => name !== "");
}
