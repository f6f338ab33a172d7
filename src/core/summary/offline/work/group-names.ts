/**
 * Names in lines that say what they are, many sharing one line so that it stays cheap: the names of a file behind it
 * with what was done to it, files of which nothing else is named by what was done to them, and the rest by whether tools
 * were given them, somebody said them, or tools showed them.
 */
import type { MessageId } from "../../../message/message.ts";
import type { Fact, FactId } from "../../record.ts";
import type { NameGroup } from "../layout.ts";

export function groupNames(names: readonly Fact[], known: ReadonlyMap<FactId, Fact>): readonly NameGroup[] {
  const listed = new Set(names.map(({ id }) => id));
  const members = membersOf(names, { known, listed });
  const groups = new Map<string, Group>();
  const add = (label: string, facts: readonly Fact[], labelled: readonly Fact[] = []): void => {
    const group = groups.get(label) ?? { facts: [], sources: [] };
    group.facts.push(...facts);
    group.sources.push(...[...labelled, ...facts].map(({ source }) => source));
    groups.set(label, group);
  };
  const told = new Set<FactId>();
  for (const name of names) {
    const file = name.use === undefined ? homeOf(name, { known, members }) : name;
    if (isNumber(name)) add(NUMBERS, [name]);
    else if (file === undefined) add(originOf(name), [name]);
    else if (!told.has(file.id)) {
      told.add(file.id);
      const inside = members.get(file.id) ?? [];
      if (inside.length === 0) add(`files that were ${file.use}`, [file]);
      else if (listed.has(file.id)) add(`${file.text} was ${file.use}, names`, inside, [file]);
      else add(`names in ${baseName(file.text)} that was ${file.use}`, inside, [file]);
    }
  }
  return [...groups].map(([label, { facts, sources }]) => ({
    label,
    names: facts.map(({ text }) => text),
    ...(label !== NUMBERS && facts.every(({ text }) => !text.includes(" ")) ? { separator: " " } : {}),
    messageIds: [...new Set(sources)],
  }));
}

interface Group {
  readonly facts: Fact[];
  readonly sources: MessageId[];
}

type Members = ReadonlyMap<FactId, readonly Fact[]>;

interface Listing {
  readonly known: ReadonlyMap<FactId, Fact>;
  readonly listed: ReadonlySet<FactId>;
}

/** A file that is not listed itself is worth a line for several of its names only. */
const FEWEST_UNLISTED = 2;

function membersOf(names: readonly Fact[], { known, listed }: Listing): Members {
  const members = new Map<FactId, Fact[]>();
  for (const name of names) {
    const isInside = name.use === undefined && name.home !== undefined && !isNumber(name);
    const home = isInside ? known.get(name.home ?? "") : undefined;
    if (home?.use === undefined) continue;
    const group = members.get(home.id);
    if (group === undefined) members.set(home.id, [name]);
    else group.push(name);
  }
  for (const [id, group] of members) if (!listed.has(id) && group.length < FEWEST_UNLISTED) members.delete(id);
  return members;
}

function homeOf(
  { home }: Fact,
  { known, members }: { readonly known: ReadonlyMap<FactId, Fact>; readonly members: Members },
): Fact | undefined {
  return home !== undefined && members.has(home) ? known.get(home) : undefined;
}

const NUMBERS = "numbers given to tools";

function isNumber({ text }: Fact): boolean {
  return /^-?[\d,]+$/.test(text);
}

function originOf({ given = 0, saidBy }: Fact): string {
  if (saidBy === "user") return given > 0 ? "names the user said" : "names in what was pasted";
  if (given > 0 || saidBy === "assistant") return "names given to tools";
  return "names that tools showed";
}

function baseName(path: string): string {
  return path.split(/[/\\]/).findLast((segment) => segment !== "") ?? path;
}
