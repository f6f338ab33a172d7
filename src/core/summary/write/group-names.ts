/**
 * Groups names into lines whose labels describe them: by file and its use, else by kind and origin. A line has at most
 * ten names. Also parses such lines.
 */
import type { Role } from "../../message/message.ts";
import { lastSegment } from "../read/tool-use.ts";
import type { NameGroup } from "../record/layout.ts";
import type { Fact, FactId } from "../record/record.ts";

export interface ListedName {
  readonly text: string;
  readonly saidBy: Role;
  readonly origin: "given" | "said" | "shown";
  readonly use?: string | undefined;
  readonly home?: string | undefined;
}

/** Labels of a `talk` conversation. */
export const TALK_LABELS = { said: "said", inOutput: "in output" } as const;

/** A name without a file is labeled by its kind and origin: "paths that tools showed". */
const KINDS = ["numbers", "hashes", "addresses", "paths", "names"] as const;
const ORIGINS: ReadonlyMap<string, Pick<ListedName, "saidBy" | "origin">> = new Map([
  ["the user said", { saidBy: "user", origin: "said" }],
  ["in what was pasted", { saidBy: "user", origin: "shown" }],
  ["given to tools", { saidBy: "assistant", origin: "given" }],
  ["that tools showed", { saidBy: "tool", origin: "shown" }],
]);
const LABELS: ReadonlyMap<string, Pick<ListedName, "saidBy" | "origin">> = new Map([
  [TALK_LABELS.said, { saidBy: "user", origin: "said" }],
  [TALK_LABELS.inOutput, { saidBy: "tool", origin: "shown" }],
  ...KINDS.flatMap((kind) => [...ORIGINS].map(([origin, from]) => [`${kind} ${origin}`, from] as const)),
]);

const FILES = "files that were ";
const WAS = " was ";
const AND_NAMES = ", names";
const NAMES_IN = "names in ";

/** Maximum number of names on a line, including its file. */
export const MAX_NAMES_PER_LINE = 10;

export type KnownFacts = ReadonlyMap<FactId, Fact>;

export function groupNames(names: readonly Fact[], known: KnownFacts): readonly NameGroup[] {
  const listed = new Set(names.map(({ id }) => id));
  const members = membersOf(names, known, listed);
  const groups = new Map<string, { readonly facts: Fact[]; readonly file?: Fact | undefined }>();
  const add = (label: string, facts: readonly Fact[], file?: Fact): void => {
    const group = groups.get(label) ?? { facts: [], file };
    group.facts.push(...facts);
    groups.set(label, group);
  };
  const told = new Set<FactId>();
  for (const name of names) {
    const file = name.use === undefined ? homeOf(name, known, members) : name;
    if (file === undefined) add(labelOf(name), [name]);
    else if (!told.has(file.id)) {
      told.add(file.id);
      const inside = members.get(file.id) ?? [];
      if (inside.length === 0) add(`${FILES}${file.use}`, [file]);
      else if (listed.has(file.id)) add(`${file.text}${WAS}${file.use}${AND_NAMES}`, inside, file);
      else add(namesIn(file), inside, file);
    }
  }
  return [...groups].flatMap(([label, { facts, file }]) => writeGroup(label, facts, file));
}

/** Returns lines of at most ten names, the first ones first. Only the first line has the whole path of a file. */
export function writeGroup(label: string, facts: readonly Fact[], file?: Fact): readonly NameGroup[] {
  const most = file === undefined ? MAX_NAMES_PER_LINE : MAX_NAMES_PER_LINE - 1;
  const groups: NameGroup[] = [];
  for (let start = 0; start < facts.length; start += most) {
    const names = facts.slice(start, start + most);
    groups.push({
      label: start === 0 || file === undefined ? label : namesIn(file),
      names: names.map(({ text }) => text),
      ...(names.every(({ text }) => !/[\s,]/.test(text)) ? { separator: " " } : {}),
      messageIds: [...new Set([...(file === undefined ? [] : [file]), ...names].map(({ source }) => source))],
    });
  }
  return groups;
}

function namesIn({ text, use }: Fact): string {
  return `${NAMES_IN}${lastSegment(text)} that was ${use}`;
}

/** Returns the group that a name belongs to, and whether the group is a file, which explains its names. */
export function findGroup(name: Fact, known: KnownFacts): { readonly key: string; readonly isFile: boolean } {
  const home = name.home === undefined ? undefined : known.get(name.home);
  if (name.use !== undefined) return { key: FILES, isFile: true };
  return home?.use === undefined || isNumber(name)
    ? { key: labelOf(name), isFile: false }
    : { key: home.id, isFile: true };
}

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

/** A number says nothing without its line. */
export function isNumber({ text }: Fact): boolean {
  return /^-?[\d,.]+$/.test(text);
}

function labelOf(name: Fact): string {
  return `${kindOf(name)} ${originOf(name)}`;
}

function kindOf(name: Fact): (typeof KINDS)[number] {
  if (isNumber(name)) return "numbers";
  if (name.text.includes("://")) return "addresses";
  if (/^(?=.*\d)[0-9a-f]{7,64}$/.test(name.text)) return "hashes";
  return /[/\\]/.test(name.text) ? "paths" : "names";
}

function originOf({ given = 0, saidBy }: Fact): string {
  if (saidBy === "user") return given > 0 ? "the user said" : "in what was pasted";
  return given > 0 || saidBy === "assistant" ? "given to tools" : "that tools showed";
}

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
  const from = LABELS.get(label);
  if (from !== undefined) return names.map((text) => ({ text, ...from }));
  return label.startsWith(NAMES_IN) ? names.map((text) => ({ text, ...OF_A_FILE })) : [];
}

/** Names that contain a space are separated by semicolons. */
function splitNames(names: string): readonly string[] {
  return names.split(names.includes("; ") ? "; " : " ").filter((name) => name !== "");
}
