/** Recalled passages of a session: the blocks in its log, and the messages that recall leaves out. */
import { findNumber, readFields, readList, readText } from "../../src/client/fields.ts";
import { client } from "./client.ts";
import { findUndoneIds } from "./read-entries.ts";
import type { Entry } from "./values.ts";

export interface RecalledPassage {
  /** The session that has the message, if it is another one. */
  readonly sessionId: string | undefined;
  readonly seq: number;
  readonly messageId: string;
  readonly words: readonly string[];
  readonly tokens: number;
  /** The speaker and the quoted text, as the model reads them. */
  readonly speaker: string;
  readonly text: string;
}

export interface RecalledBlock {
  /** Id of the entry; undefined for the block that the next prompt would add. */
  readonly id: string | undefined;
  /** The block follows this message. */
  readonly afterSeq: number;
  readonly passages: readonly RecalledPassage[];
}

export interface Recalls {
  /** By the seq of the message that they follow. */
  readonly blocks: ReadonlyMap<number, RecalledBlock>;
  /** Ids of messages that recall leaves out. */
  readonly dismissed: ReadonlySet<string>;
}

export const NO_RECALLS: Recalls = { blocks: new Map(), dismissed: new Set() };

/** Maximum numbers of blocks and of changes that are read, newest first. */
const MAX_RECALLS = 100;
const MAX_CHANGES = 500;

export async function loadRecalls(id: string, signal?: AbortSignal): Promise<Recalls> {
  const newest = (types: string, limit: number) => ({ types, limit, newestFirst: true, ids: false });
  const [recalls, changes] = await Promise.all([
    client.readEntries({ params: { id }, query: newest("recall", MAX_RECALLS), signal }),
    client.readEntries({ params: { id }, query: newest("dismiss,undo", MAX_CHANGES), signal }),
  ]);
  const blocks = recalls.entries.map(readBlock).filter(({ passages }) => passages.length > 0);
  return { blocks: new Map(blocks.map((block) => [block.afterSeq, block])), dismissed: findDismissed(changes.entries) };
}

function findDismissed(entries: readonly Entry[]): ReadonlySet<string> {
  const undone = findUndoneIds(entries.filter(({ type }) => type === "undo"));
  const live = entries.filter(({ type, id }) => type === "dismiss" && !undone.has(id));
  return new Set(live.map((entry) => readText(readFields(entry).messageId)));
}

function readBlock(entry: Entry): RecalledBlock {
  const { afterSeq, text, passages } = readFields(entry);
  return { id: entry.id, afterSeq: findNumber(afterSeq) ?? 0, passages: readPassages(readText(text), passages) };
}

/** Joins the lines of a block with the data of its passages, which have the same order. */
export function readPassages(text: string, passages: unknown): readonly RecalledPassage[] {
  const lines = text.split("\n").flatMap((line) => {
    const [, speaker = "", quoted = ""] = PASSAGE.exec(line) ?? [];
    return quoted === "" ? [] : [{ speaker, text: quoted }];
  });
  return readList(passages).flatMap((value, index) => {
    const [{ sessionId, seq, messageId, words, tokens }, line] = [readFields(value), lines[index]];
    if (line === undefined) return [];
    const why = { words: readList(words).map(readText), tokens: findNumber(tokens) ?? 0 };
    const place = { sessionId: sessionId === undefined ? undefined : readText(sessionId), seq: findNumber(seq) ?? 0 };
    return [{ ...place, messageId: readText(messageId), ...why, ...line }];
  });
}

const PASSAGE = /^- (.+?) \[[^\]]*\]: (.*)$/;

/** Returns whether a text of a prompt is a block of recalled passages. */
export function isRecalledText(text: string): boolean {
  return text.startsWith("[Earlier in this conversation, quoted") && text.endsWith("[End of the earlier passages]");
}
