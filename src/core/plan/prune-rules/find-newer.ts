/** Finds results that are outdated: the same call had the same result again, or the file was read again or written. */
import { canonicalJson } from "../../message/json.ts";
import type { MessageId } from "../../message/message.ts";
import { type FileAccess, findFileAccess, type PartPlace, type ToolUse } from "./tool-use.ts";

export interface NewerResult {
  readonly type: "same" | "read-again" | "written";
  readonly messageId: MessageId;
}

export function findNewerResults(uses: readonly ToolUse[]): ReadonlyMap<PartPlace, NewerResult> {
  return new Map([...findWritten(uses), ...findSame(uses)]);
}

function findSame(uses: readonly ToolUse[]): ReadonlyMap<PartPlace, NewerResult> {
  const found = new Map<PartPlace, NewerResult>();
  const byCall = Map.groupBy(
    uses.filter(({ call }) => call !== undefined),
    ({ tool, call }) => `${tool} ${canonicalJson(call?.input)}`,
  );
  for (const alike of byCall.values()) {
    if (alike.length < 2) continue;
    const newest = new Map<string, ToolUse>();
    for (const use of alike.toReversed()) {
      const result = canonicalJson({ failed: use.part.failed, output: use.part.output });
      const newer = newest.get(result);
      if (newer === undefined) newest.set(result, use);
      else found.set(use.place, { type: "same", messageId: newer.item.message.id });
    }
  }
  return found;
}

interface SeenAccess extends FileAccess {
  readonly tool: string;
  readonly messageId: MessageId;
}

/** Goes through the results from newest to oldest, and remembers the accesses of each path. */
function findWritten(uses: readonly ToolUse[]): ReadonlyMap<PartPlace, NewerResult> {
  const found = new Map<PartPlace, NewerResult>();
  const seen = new Map<string, Map<string, SeenAccess>>();
  for (const { part, place, tool, call, item } of uses.toReversed()) {
    const access = part.failed ? undefined : findFileAccess(call);
    if (access === undefined) continue;
    const newer = [...(seen.get(access.paths[0] ?? "")?.values() ?? [])];
    const replacement = access.kind === "read" ? findReplacement({ ...access, tool }, newer) : undefined;
    if (replacement !== undefined) found.set(place, replacement);
    for (const path of access.paths) remember(seen, path, { ...access, tool, messageId: item.message.id });
  }
  return found;
}

/** Keeps only the newer of two equal accesses, so that repeated reads of a file do not take longer and longer. */
function remember(seen: Map<string, Map<string, SeenAccess>>, path: string, access: SeenAccess): void {
  const { kind, tool, rest, lines, paths } = access;
  const key = kind === "write" ? paths.join("\n") : `${tool} ${rest} ${lines.first} ${lines.last} ${paths.join("\n")}`;
  const accesses = seen.get(path) ?? new Map<string, SeenAccess>();
  seen.set(path, accesses);
  if (!accesses.has(key)) accesses.set(key, access);
}

/** Prefers a newer read, which shows the text again, to a newer write, which only makes the text outdated. */
function findReplacement(
  read: FileAccess & { readonly tool: string },
  newer: readonly SeenAccess[],
): NewerResult | undefined {
  const about = newer.filter(({ paths }) => read.paths.every((path) => paths.includes(path)));
  const again = about.find((access) => showsAgain(access, read));
  if (again !== undefined) return { type: "read-again", messageId: again.messageId };
  const written = about.find(({ kind }) => kind === "write");
  return written && { type: "written", messageId: written.messageId };
}

function showsAgain(newer: SeenAccess, read: FileAccess & { readonly tool: string }): boolean {
  const isSameQuestion = newer.kind === "read" && newer.tool === read.tool && newer.rest === read.rest;
  return isSameQuestion && newer.lines.first <= read.lines.first && newer.lines.last >= read.lines.last;
}
