/** The prunes that notes of ours inside a message stand for. They show the message as it came. */
import type { Message } from "../message/message.ts";
import { type OwnNote, readOwnNote } from "../message/own-notes.ts";
import type { Prune } from "./prune.ts";

export type OwnPrune = Pick<Prune, "partIndex" | "fate" | "replacement">;

export function findOwnPrunes({ parts }: Message): readonly OwnPrune[] {
  return parts.flatMap((part, partIndex) => {
    const note = readOwnNote(part);
    return note === undefined ? [] : [{ partIndex, ...pruneOf(note) }];
  });
}

function pruneOf(read: OwnNote): Pick<Prune, "fate" | "replacement"> {
  if (read.type === "cut") return { fate: "cut", replacement: { type: "span", ...read.place } };
  const { note, rest } = read;
  const start = note.length + 1;
  const spans = rest === "" ? [] : [[start, start + rest.length] as const];
  return { fate: "pruned", replacement: { type: "excerpt", note, spans } };
}
