/**
 * A session's view in memory, kept up to date entry by entry. A message costs what it is; an entry that changes the
 * past costs the view. When an entry lowers the floor or needs messages that are not here, the conversation says that
 * it must be read again instead of guessing.
 */
import {
  type Entry,
  type EpochEntry,
  type MessageEntry,
  movesEpoch,
  type ProducingRequest,
  type PromptId,
  type RequestEntry,
} from "../../core/log/entry.ts";
import { foldEntries, foldEntry, foldRequest } from "../../core/log/fold-entry.ts";
import { findViewFloorSeq, type Head, isClearedOnce } from "../../core/log/head.ts";
import { isUnreadable } from "../../core/log/unreadable-entry.ts";
import {
  buildView,
  findLiveNotes,
  findNotes,
  reviseView,
  type View,
  type ViewMessage,
  type ViewNote,
} from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import type { SummaryRenderer } from "../../core/plan/plan-settings.ts";
import {
  addToFacts,
  countMessagesAfter,
  countView,
  joinFacts,
  type ViewFacts,
} from "../../core/plan/triggers/trigger-facts.ts";
import { type Assembler, assembleInSteps, startAssembly } from "../../core/prompt/assemble-prompt.ts";
import { runSteps } from "../../core/tokens/count-text.ts";
import type { MessageCounts } from "../context/message-counts.ts";

const UNREADABLE = "could not be read from the store; a marker stands in its place";

export interface ConversationOptions {
  readonly counts: MessageCounts;
  /** How the model reads the summary. */
  readonly renderer?: SummaryRenderer | undefined;
}

export class Conversation {
  readonly counts: MessageCounts;
  readonly renderer: SummaryRenderer | undefined;
  #view: View;
  #messages: ViewMessage[];
  #assembler: Assembler | undefined;
  /** Notes on a workspace are shown where they tell what has changed since this prompt. */
  #sincePromptId: PromptId | undefined;
  #isCurrent = true;
  #facts: ViewFacts;
  /** Places of messages that the store could not read; a marker stands for each. */
  #unreadable: ReadonlySet<number>;

  /** `entries` are what a store's `readView` gives: kept messages, those above the floor, and what is not folded in. */
  constructor(head: Head, entries: readonly Entry[], { counts, renderer }: ConversationOptions) {
    this.counts = counts;
    this.renderer = renderer;
    this.#view = buildView(head, [], counts);
    this.#messages = [];
    this.#facts = countView(this.#view);
    this.#unreadable = new Set();
    runSteps(this.#readInSteps(entries));
  }

  /** The same for a view of any length, in steps of a few milliseconds. */
  static *readInSteps(
    head: Head,
    entries: readonly Entry[],
    options: ConversationOptions,
  ): Generator<undefined, Conversation> {
    const conversation = new Conversation(head, [], options);
    yield* conversation.#readInSteps(entries);
    return conversation;
  }

  *#readInSteps(entries: readonly Entry[]): Generator<undefined, void> {
    let { head } = this;
    for (const some of chunksOf(entries)) {
      head = foldEntries(some, head);
      yield undefined;
    }
    const messages = entries.filter(isMessage);
    this.#unreadable = new Set(messages.filter(isUnreadable).map(({ seq }) => seq));
    const views: View[] = [];
    for (const some of chunksOf(messages)) {
      views.push(this.explain(buildView(head, some, this.counts)));
      yield undefined;
    }
    this.#messages = views.flatMap((view) => view.messages);
    const [kept, erasedSeqs] = [views.flatMap((view) => view.kept), views.flatMap((view) => view.erasedSeqs)];
    this.#view = {
      head,
      kept,
      messages: this.#messages,
      notes: findLiveNotes(inPlace(findNotes(entries)), head),
      erasedSeqs,
    };
    this.#facts = views.reduce(
      (facts, view) => joinFacts(facts, countView(view)),
      countView({ ...this.#view, messages: [] }),
    );
  }

  /** What triggers count, kept up to date message by message. */
  get facts(): ViewFacts {
    return this.#facts;
  }

  /** How many messages of the view could not be read. */
  get unreadableCount(): number {
    const { kept, messages } = this.#view;
    return [...kept, ...messages].filter(({ seq }) => this.#unreadable.has(seq)).length;
  }

  /** The same view, or one that was made of it, which says what the markers in it are. */
  explain(view: View): View {
    if (this.#unreadable.size === 0) return view;
    const explained = (item: ViewMessage) => (this.#unreadable.has(item.seq) ? { ...item, reason: UNREADABLE } : item);
    return { ...view, kept: view.kept.map(explained), messages: view.messages.map(explained) };
  }

  /** Messages of the view since a place in the log. */
  countAfter(seq: number): number {
    return countMessagesAfter({ messages: this.#messages }, seq);
  }

  get head(): Head {
    return this.#view.head;
  }

  get view(): View {
    return { ...this.#view, messages: this.#messages, notes: this.#view.notes.filter(this.#isShown) };
  }

  readonly #isShown = ({ sincePromptId }: ViewNote): boolean =>
    sincePromptId === undefined || sincePromptId === this.#sincePromptId;

  /** Shows the notes on what has changed in the workspace since a prompt, and no others of that kind. */
  showChangesSince(promptId: PromptId | undefined): void {
    if (this.#sincePromptId === promptId) return;
    this.#sincePromptId = promptId;
    if (this.#view.notes.some(({ sincePromptId }) => sincePromptId !== undefined)) this.#assembler = undefined;
  }

  /** How many notes say what has changed in the workspace since a prompt. */
  countChangesSince(promptId: PromptId): number {
    return this.#view.notes.filter(({ sincePromptId }) => sincePromptId === promptId).length;
  }

  /** Returns a copy with one more note that is not in the log. */
  withNote(message: Message, note: Pick<ViewNote, "text" | "sincePromptId">): Conversation {
    const copy = this.copy();
    const placed = { seq: this.head.foldedThroughSeq + 1, afterSeq: this.lastSeq, ...note, message };
    copy.#view = { ...copy.#view, notes: inPlace([...copy.#view.notes, placed]) };
    return copy;
  }

  /** The place that a note behind the newest message names. */
  get lastSeq(): number {
    return this.#messages.at(-1)?.seq ?? this.head.foldedThroughSeq;
  }

  get assembler(): Assembler {
    this.#assembler ??= startAssembly(this.view, this.counts.count, this.renderer);
    return this.#assembler;
  }

  /** Makes `assembler` cheap to ask for. */
  *assembleInSteps(): Generator<undefined, void> {
    while (this.#assembler === undefined) {
      const { head } = this;
      const assembler = yield* assembleInSteps(this.view, this.counts.count, this.renderer);
      // What came meanwhile may have changed the past.
      if (head === this.head) this.#assembler ??= assembler;
    }
  }

  /** False when the view can no longer be told from what is here: read it again. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** The same, apart: what comes to one does not come to the other. */
  copy(): Conversation {
    const copy = new Conversation(this.head, [], this);
    copy.#view = this.#view;
    copy.#messages = [...this.#messages];
    copy.#facts = this.#facts;
    copy.#sincePromptId = this.#sincePromptId;
    copy.#unreadable = this.#unreadable;
    copy.#isCurrent = this.#isCurrent;
    return copy;
  }

  /** A copy that goes on with messages which nobody has stored. */
  *withMessages(messages: readonly Message[]): Generator<undefined, Conversation> {
    const { head, view } = this;
    const known: MessageEntry[] = [];
    for (const some of chunksOf([...view.kept, ...view.messages])) {
      for (const { seq, message, producedUnder } of some) known.push(placeMessage(message, seq, producedUnder));
      yield undefined;
    }
    const copy = yield* Conversation.readInSteps(head, known, this);
    copy.#view = { ...copy.#view, notes: this.#view.notes };
    copy.#sincePromptId = this.#sincePromptId;
    copy.extend(messages.map((message, index) => placeMessage(message, head.foldedThroughSeq + index + 1)));
    return copy;
  }

  extend(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (movesEpoch(entry)) this.#changePast(entry);
      else if (entry.seq > this.head.foldedThroughSeq) this.#grow(entry);
    }
  }

  /** A prompt was handed out that no log has a place for. */
  noteRequest(entry: Omit<RequestEntry, "seq">): void {
    this.#view = { ...this.#view, head: foldRequest(this.head, entry) };
  }

  #grow(entry: Exclude<Entry, EpochEntry>): void {
    const before = this.head;
    const floor = findViewFloorSeq(before);
    const head = foldEntry(before, entry);
    this.#view = { ...this.#view, head };
    // What a clear for one generation had hidden is back when that has ended, pins included.
    if (findViewFloorSeq(head) < floor || isClearedOnce(before) !== isClearedOnce(head)) this.#isCurrent = false;
    if (entry.type === "note") this.#addNotes(findLiveNotes(findNotes([entry]), head));
    if (entry.type !== "message" || entry.seq <= findViewFloorSeq(head)) return;
    const prunes = head.prunes.filter(({ seq }) => seq === entry.seq);
    const [item] = buildView({ ...head, prunes, pins: [] }, [entry], this.counts).messages;
    if (item === undefined) return;
    this.#messages.push(item);
    this.#facts = addToFacts(this.#facts, item, head);
    // The preamble stands before everything else, so a late piece of it is placed by starting again.
    if (head.preamble.includes(entry.seq)) this.#assembler = undefined;
    else this.#assembler?.push(item);
  }

  #addNotes(added: readonly ViewNote[]): void {
    if (added.length === 0) return;
    const last = this.#messages.at(-1)?.seq ?? 0;
    this.#view = { ...this.#view, notes: inPlace([...this.#view.notes, ...added]) };
    // Where a message came in between, the note stands before it.
    if (added.some(({ afterSeq }) => afterSeq < last)) this.#assembler = undefined;
    else for (const note of added.filter(this.#isShown)) this.#assembler?.pushNote(note);
  }

  #changePast(entry: EpochEntry): void {
    const before: View = { ...this.#view, messages: this.#messages };
    const head = foldEntry(before.head, entry);
    if (entry.epoch <= before.head.epoch) {
      this.#view = { ...before, head };
      return;
    }
    if (needsReading(entry, before.head) || findViewFloorSeq(head) < findViewFloorSeq(before.head))
      this.#isCurrent = false;
    this.#view = this.explain(reviseView(before, head, this.counts));
    this.#messages = [...this.#view.messages];
    this.#facts = countView(this.#view);
    this.#assembler = undefined;
  }
}

function inPlace(notes: readonly ViewNote[]): readonly ViewNote[] {
  return notes.toSorted((left, right) => left.afterSeq - right.afterSeq || left.seq - right.seq);
}

/** What is folded or shown without a rest. */
const AT_ONCE = 500;

function* chunksOf<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += AT_ONCE) yield items.slice(start, start + AT_ONCE);
}

function isMessage(entry: Entry): entry is MessageEntry {
  return entry.type === "message";
}

/** Entries that bring back or take away messages which only the store can tell. */
function needsReading(entry: EpochEntry, before: Head): boolean {
  if (entry.type === "undo" || entry.type === "delete") return true;
  if (entry.type !== "pin" || entry.target.type !== "messages") return false;
  const floor = findViewFloorSeq(before);
  return entry.target.seqs.some((seq) => seq <= floor);
}

export function placeMessage(message: Message, seq: number, producedUnder?: ProducingRequest): MessageEntry {
  return { type: "message", id: message.id, seq, at: 0, message, hash: "", tokens: {}, producedUnder };
}
