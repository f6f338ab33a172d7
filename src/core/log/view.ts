/**
 * The part of the log that the model sees: the head, the messages above its view floor, and those kept below it. Each
 * has the original message and the shown one, with the tokens of the shown one.
 */
import { showMedia } from "../message/media-output.ts";
import type { Message } from "../message/message.ts";
import { hasProviderCompaction } from "../message/provider-compaction.ts";
import { omitPassages } from "../recall/recall-block.ts";
import type { Entry, EntryId, MessageEntry, ProducingRequest, PromptId, RecallEntry } from "./entry.ts";
import {
  findKeptSeqs,
  findPreambleSeqs,
  findUnquotedSeqs,
  findViewFloorSeq,
  type Head,
  type LivePrune,
} from "./head.ts";
import { applyPrunes } from "./prune.ts";

export interface ViewMessage {
  readonly seq: number;
  readonly message: Message;
  /** The message after live prunes; the same object if there are none. */
  readonly shown: Message;
  readonly tokens: number;
  readonly fate: "verbatim" | "pinned" | "pruned" | "cut";
  readonly reason: string;
  /** The entry that determined its fate. */
  readonly entryId?: EntryId | undefined;
  /** The request that produced its thinking, if known. */
  readonly producedUnder?: ProducingRequest | undefined;
}

export interface View {
  readonly head: Head;
  /** The messages below the view floor that are kept, in order: preamble, pins and last requests. */
  readonly kept: readonly ViewMessage[];
  /** All messages above the view floor, in order. */
  readonly messages: readonly ViewMessage[];
  /** Notes that callers gave with prompts, and recalled passages, in order. */
  readonly notes: readonly ViewNote[];
  /** Seqs above the view floor whose text was erased. */
  readonly erasedSeqs: readonly number[];
  /** Messages that a policy leaves out of a prompt, in order. Absent from the view of the log. */
  readonly omitted?: readonly OmittedMessage[] | undefined;
}

export interface OmittedMessage {
  readonly seq: number;
  readonly reason: string;
}

/** A note of an earlier prompt as the model reads it. */
export interface ViewNote {
  readonly seq: number;
  /** Follows the messages up to this seq. */
  readonly afterSeq: number;
  /** Empty for a recalled block whose passages are all left out. Such a note is not shown. */
  readonly text: string;
  readonly message: Message;
  /** Set if the note describes changes of the workspace since this prompt. */
  readonly sincePromptId?: PromptId | undefined;
  /** Set if the note quotes earlier messages. */
  readonly recalled?: RecalledNote | undefined;
}

export type RecalledViewNote = ViewNote & { readonly recalled: RecalledNote };

/** A recalled block as its entry stores it. */
export type RecalledNote = Pick<RecallEntry, "id" | "promptId" | "passages" | "text">;

export function findNotes(entries: readonly Entry[]): readonly ViewNote[] {
  return entries.flatMap((entry) => {
    if (entry.type === "recall") return placeRecall(entry);
    if (entry.type !== "note" || entry.kind !== "prompt") return [];
    const { id, seq, afterSeq, text, sincePromptId } = entry;
    const since = sincePromptId === undefined ? {} : { sincePromptId };
    return [{ seq, afterSeq, text, message: createNoteMessage(id, text), ...since }];
  });
}

/** An erased recall shows nothing. */
function placeRecall({ id, seq, afterSeq, text, promptId, passages }: RecallEntry): readonly ViewNote[] {
  if (text === "") return [];
  const recalled = { id, promptId, passages, text };
  return [{ seq, afterSeq, text, message: createNoteMessage(id, text), recalled }];
}

/** The model reads notes and recalled passages as user messages. */
export function createNoteMessage(id: string, text: string): Message {
  return { id, role: "user", parts: [{ type: "text", text }] };
}

/** Returns the notes whose place is still in view. Their recalled blocks lose pruned, dismissed and pinned passages. */
export function findLiveNotes(notes: readonly ViewNote[], head: Head): readonly ViewNote[] {
  const floor = findViewFloorSeq(head);
  const unquoted = findUnquotedSeqs(head);
  const pruned = new Set(head.prunes.map(({ seq }) => seq));
  const live = floor === 0 ? notes : notes.filter(({ afterSeq }) => afterSeq > floor);
  return live.map((note) => showPassages(note, { unquoted, isPruned: pruned.has(note.seq) }));
}

interface HiddenPassages {
  readonly unquoted: ReadonlySet<number>;
  readonly isPruned: boolean;
}

function showPassages(note: ViewNote, { unquoted, isPruned }: HiddenPassages): ViewNote {
  if (note.recalled === undefined) return note;
  const { id, text, passages } = note.recalled;
  const shown = omitPassages(
    text,
    passages.map(({ seq, sessionId }) => isPruned || (sessionId === undefined && unquoted.has(seq))),
  );
  return shown === note.text ? note : { ...note, text: shown, message: createNoteMessage(id, shown) };
}

/** Returns the recalled blocks that the prompt shows. */
export function listShownRecalls({ notes }: Pick<View, "notes">): readonly RecalledViewNote[] {
  return notes.filter((note): note is RecalledViewNote => note.recalled !== undefined && note.text !== "");
}

export function countRecalled(view: Pick<View, "notes">, { count }: ViewOptions): number {
  return listShownRecalls(view).reduce((sum, { message }) => sum + count(message), 0);
}

/** Returns the notes with empty recalled blocks, as if all of them were pruned. */
export function hideRecalls(notes: readonly ViewNote[]): readonly ViewNote[] {
  return notes.map((note) => showPassages(note, { unquoted: new Set(), isPruned: true }));
}

/** A message with its seq: an entry of the log, or a message of an earlier view. */
export type PlacedMessage = Pick<MessageEntry, "seq" | "message" | "erased" | "producedUnder"> | ViewMessage;

export interface ViewOptions {
  /** Counts the tokens of a message as shown. */
  readonly count: (shown: Message) => number;
}

/** Builds the view of a head without notes. `placed` must have all messages above the view floor and all kept ones. */
export function buildView(head: Head, placed: readonly PlacedMessage[], options: ViewOptions): View {
  const floor = findViewFloorSeq(head);
  const kept = new Set(findKeptSeqs(head));
  const prunes = Map.groupBy(head.prunes, (prune) => prune.seq);
  const pinOf = mapPinsBySeq(head);
  const preamble = new Set(findPreambleSeqs(head));
  const placeOf = ({ seq, message }: PlacedMessage) => {
    if (preamble.has(seq)) return "instructions at the start of the conversation";
    if (hasProviderCompaction(message)) return "contains a compaction by the provider";
    return seq > floor ? "unchanged" : "one of the last two requests";
  };
  const show = (item: PlacedMessage) => {
    const live = prunes.get(item.seq) ?? [];
    return showMessage(item, { prunes: live, pinId: pinOf.get(item.seq), place: placeOf(item), options });
  };
  const isErased = (item: PlacedMessage) => "erased" in item && item.erased === true;
  const present = placed.filter((item) => !isErased(item));
  return {
    head,
    kept: present.filter((item) => item.seq <= floor && kept.has(item.seq)).map(show),
    messages: present.filter((item) => item.seq > floor).map(show),
    notes: [],
    erasedSeqs: placed.filter((item) => item.seq > floor && isErased(item)).map((item) => item.seq),
  };
}

/** Applies a new head to a view, such as after a compaction. The new view floor must not be lower. */
export function reviseView(view: View, head: Head, options: ViewOptions): View {
  const revised = buildView(head, [...view.kept, ...view.messages], options);
  const floor = findViewFloorSeq(head);
  const erasedSeqs = view.erasedSeqs.filter((seq) => seq > floor);
  return { ...revised, notes: findLiveNotes(view.notes, head), erasedSeqs };
}

function mapPinsBySeq(head: Head): ReadonlyMap<number, EntryId> {
  const pairs = head.pins.flatMap(({ id, target }) => {
    return target.type === "messages" ? target.seqs.map((seq) => [seq, id] as const) : [];
  });
  return new Map(pairs);
}

interface ShowOptions {
  readonly prunes: readonly LivePrune[];
  readonly pinId: EntryId | undefined;
  /** The reason for showing the message, if it is verbatim. */
  readonly place: string;
  readonly options: ViewOptions;
}

function showMessage(placed: PlacedMessage, { prunes, pinId, place, options }: ShowOptions): ViewMessage {
  const { seq, producedUnder } = placed;
  const message = showMedia(placed.message);
  const produced = producedUnder === undefined ? {} : { producedUnder };
  const isPinned = pinId !== undefined;
  const shown = isPinned ? message : applyPrunes(message, prunes);
  const decision = isPinned ? ({ fate: "pinned", reason: "pinned", entryId: pinId } as const) : prunes[0];
  const { fate = "verbatim", reason = place, entryId } = decision ?? {};
  return { seq, message, shown, tokens: options.count(shown), fate, reason, entryId, ...produced };
}
