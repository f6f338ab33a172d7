/**
 * A message as a prompt of ours showed it, taken apart again: what is left of its words, and the prunes that show it as
 * it was given. What we wrote into it (the note of a prune, the marker of a cut) is not read as said.
 */
import type { Prune, Replacement } from "../log/prune.ts";
import type { Message, Part } from "../message/message.ts";
import { readCutMarker } from "./cut-marker.ts";
import { readPlaceholder } from "./prune-rules/placeholder.ts";

export interface TakenOverMessage {
  readonly message: Message;
  readonly prunes: readonly Pick<Prune, "partIndex" | "fate" | "replacement">[];
}

export function takeOverMessage(message: Message): TakenOverMessage {
  const prunes: TakenOverMessage["prunes"][number][] = [];
  const parts = message.parts.map((part, partIndex): Part => {
    const read = readText(part);
    if (read === undefined) return part;
    const { text, fate, replacement } = read;
    prunes.push({ partIndex, fate, replacement });
    return part.type === "tool-result" ? { ...part, output: { type: "text", text } } : { type: "text", text };
  });
  return prunes.length === 0 ? { message, prunes } : { message: { ...message, parts }, prunes };
}

interface ReadPart extends Pick<Prune, "fate"> {
  readonly text: string;
  readonly replacement: Replacement;
}

function readText(part: Part): ReadPart | undefined {
  const text = textOf(part);
  const pruned = text === undefined ? undefined : readPlaceholder(text);
  // Above words of a person a note is a part of them.
  if (pruned !== undefined && (part.type === "tool-result" || pruned.rest === "")) {
    const { note, rest } = pruned;
    const spans = rest === "" ? [] : [[0, rest.length] as const];
    return { text: rest, fate: "pruned", replacement: { type: "excerpt", note, spans } };
  }
  const cut = text === undefined ? undefined : readCutMarker(text);
  return cut && { text: cut.text, fate: "cut", replacement: { type: "span", ...cut.span } };
}

function textOf(part: Part): string | undefined {
  if (part.type === "text") return part.text;
  return part.type === "tool-result" && part.output.type === "text" ? part.output.text : undefined;
}
