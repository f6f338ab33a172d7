/**
 * Notes of ours inside a message that was handed in: the placeholder for what was pruned, and the marker of a cut. A
 * prompt had shown the message so. The log keeps it as it came; a summary is made of the words that are left.
 */
import { type ReadMarker, readCutMarker } from "./cut-marker.ts";
import { KnownForms } from "./known-forms.ts";
import type { Message, Part } from "./message.ts";
import { readPlaceholder } from "./placeholder.ts";

export type OwnNote =
  | { readonly type: "placeholder"; readonly note: string; readonly rest: string }
  | ({ readonly type: "cut" } & ReadMarker);

export function readOwnNote(part: Part): OwnNote | undefined {
  const text = textOf(part);
  if (text === undefined) return undefined;
  const pruned = readPlaceholder(text);
  // Above words of a person a note is a part of them.
  if (pruned !== undefined && (part.type === "tool-result" || pruned.rest === "")) {
    return { type: "placeholder", ...pruned };
  }
  const cut = readCutMarker(text);
  return cut && { type: "cut", ...cut };
}

const known = new KnownForms<Message>();

/** The message without notes of ours, for those who read it for a summary. */
export function withoutOwnNotes(message: Message): Message {
  const before = known.get(message);
  if (before !== undefined) return before;
  const parts = message.parts.map(withoutNote);
  const isSame = parts.every((part, index) => part === message.parts[index]);
  const form = isSame ? message : { ...message, parts };
  known.set(message, form);
  return form;
}

function withoutNote(part: Part): Part {
  const read = readOwnNote(part);
  if (read === undefined) return part;
  const text = read.type === "placeholder" ? read.rest : read.text;
  return part.type === "tool-result" ? { ...part, output: { type: "text", text } } : { type: "text", text };
}

function textOf(part: Part): string | undefined {
  if (part.type === "text") return part.text;
  return part.type === "tool-result" && part.output.type === "text" ? part.output.text : undefined;
}
