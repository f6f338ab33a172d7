/** A session's view in memory, updated entry by entry. It is outdated after an entry that needs other messages. */
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
import { findViewFloorSeq, type Head, isOneTimeClearActive } from "../../core/log/head.ts";
import { isUnreadable } from "../../core/log/unreadable-entry.ts";
import {
  buildView,
  findLiveNotes,
  findNotes,
  hideRecalls,
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
  countViewFacts,
  sumViewFacts,
  type ViewFacts,
} from "../../core/plan/triggers/trigger-facts.ts";
import { type Assembler, assembleInSteps, startAssembly } from "../../core/prompt/assemble-prompt.ts";
import { runSteps } from "../../core/tokens/count-text.ts";
import type { MessageCounts } from "../context/message-counts.ts";

const UNREADABLE = "could not be read from the store; a marker replaces it";

export interface ConversationOptions {
  readonly counts: MessageCounts;
  readonly renderer?: SummaryRenderer | undefined;
  /** The last seq of a log that was read to its end: `entries` lack the summaries, which are in the head already. */
  readonly readThroughSeq?: number | undefined;
}

export class Conversation {
  readonly counts: MessageCounts;
  readonly renderer: SummaryRenderer | undefined;
  #view: View;
  #messages: ViewMessage[];
  #assembler: Assembler | undefined;
  /** Notes on workspace changes are shown from this prompt on. */
  #sincePromptId: PromptId | undefined;
  #isCurrent = true;
  #facts: ViewFacts;
  /** Seqs of messages that the store could not read; a marker replaces each. */
  #unreadable: ReadonlySet<number>;

  /** `entries` come from the store's `readView`: kept messages, those above the floor, and entries not folded in yet. */
  constructor(head: Head, entries: readonly Entry[], { counts, renderer }: ConversationOptions) {
    this.counts = counts;
    this.renderer = renderer;
    this.#view = buildView(head, [], counts);
    this.#messages = [];
    this.#facts = countViewFacts(this.#view);
    this.#unreadable = new Set();
    runSteps(this.#readInSteps(entries));
  }

  static *readInSteps(
    head: Head,
    entries: readonly Entry[],
    options: ConversationOptions,
  ): Generator<undefined, Conversation> {
    const conversation = new Conversation(head, [], options);
    yield* conversation.#readInSteps(entries, options.readThroughSeq);
    return conversation;
  }

  *#readInSteps(entries: readonly Entry[], readThroughSeq = 0): Generator<undefined, void> {
    let { head } = this;
    for (const some of splitIntoChunks(entries)) {
      head = foldEntries(some, head);
      yield undefined;
    }
    if (readThroughSeq > head.foldedThroughSeq) head = { ...head, foldedThroughSeq: readThroughSeq };
    const messages = entries.filter((entry) => entry.type === "message");
    this.#unreadable = new Set(messages.filter(isUnreadable).map(({ seq }) => seq));
    const views: View[] = [];
    for (const some of splitIntoChunks(messages)) {
      views.push(this.explain(buildView(head, some, this.counts)));
      yield undefined;
    }
    this.#messages = views.flatMap((view) => view.messages);
    const [kept, erasedSeqs] = [views.flatMap((view) => view.kept), views.flatMap((view) => view.erasedSeqs)];
    this.#view = {
      head,
      kept,
      messages: this.#messages,
      notes: findLiveNotes(sortBySeq(findNotes(entries)), head),
      erasedSeqs,
    };
    this.#facts = views.reduce(
      (facts, view) => sumViewFacts(facts, countViewFacts(view)),
      countViewFacts({ ...this.#view, messages: [] }),
    );
  }

  /** Figures for triggers, updated message by message. */
  get facts(): ViewFacts {
    return this.#facts;
  }

  get unreadableCount(): number {
    const { kept, messages } = this.#view;
    return [...kept, ...messages].filter(({ seq }) => this.#unreadable.has(seq)).length;
  }

  /** Adds a reason to each unreadable message of this view, or of one derived from it. */
  explain(view: View): View {
    if (this.#unreadable.size === 0) return view;
    const explained = (item: ViewMessage) => (this.#unreadable.has(item.seq) ? { ...item, reason: UNREADABLE } : item);
    return { ...view, kept: view.kept.map(explained), messages: view.messages.map(explained) };
  }

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

  /** Shows the notes on workspace changes since a prompt, and no older ones. */
  showChangesSince(promptId: PromptId | undefined): void {
    if (this.#sincePromptId === promptId) return;
    this.#sincePromptId = promptId;
    if (this.#view.notes.some(({ sincePromptId }) => sincePromptId !== undefined)) this.#assembler = undefined;
  }

  countChangesSince(promptId: PromptId): number {
    return this.#view.notes.filter(({ sincePromptId }) => sincePromptId === promptId).length;
  }

  withNote(message: Message, note: Pick<ViewNote, "text" | "sincePromptId">): Conversation {
    const copy = this.copy();
    const placed = { seq: this.head.foldedThroughSeq + 1, afterSeq: this.lastSeq, ...note, message };
    copy.#view = { ...copy.#view, notes: sortBySeq([...copy.#view.notes, placed]) };
    return copy;
  }

  /** Returns a copy that shows no recalled passages. */
  withoutRecalled(): Conversation {
    const copy = this.copy();
    copy.#view = { ...copy.#view, notes: hideRecalls(copy.#view.notes) };
    return copy;
  }

  get lastSeq(): number {
    return this.#messages.at(-1)?.seq ?? this.head.foldedThroughSeq;
  }

  get assembler(): Assembler {
    this.#assembler ??= startAssembly(this.view, this.counts.count, this.renderer);
    return this.#assembler;
  }

  /** Does the work of `assembler` ahead, in steps. */
  *assembleInSteps(): Generator<undefined, void> {
    while (this.#assembler === undefined) {
      const { head } = this;
      const assembler = yield* assembleInSteps(this.view, this.counts.count, this.renderer);
      // Entries that came in the meantime may have changed the view.
      if (head === this.head) this.#assembler ??= assembler;
    }
  }

  /** Returns false if the view has to be read again. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

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

  /** Returns a copy with more messages that are not stored. */
  *withMessages(messages: readonly Message[]): Generator<undefined, Conversation> {
    const { head, view } = this;
    const known: MessageEntry[] = [];
    for (const some of splitIntoChunks([...view.kept, ...view.messages])) {
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

  /** Records a prompt of a conversation without a log. */
  noteRequest(entry: Omit<RequestEntry, "seq">): void {
    this.#view = { ...this.#view, head: foldRequest(this.head, entry) };
  }

  #grow(entry: Exclude<Entry, EpochEntry>): void {
    const before = this.head;
    const floor = findViewFloorSeq(before);
    const head = foldEntry(before, entry);
    this.#view = { ...this.#view, head };
    // A clear for one generation ends with it: hidden messages and pins are shown again.
    if (findViewFloorSeq(head) < floor || isOneTimeClearActive(before) !== isOneTimeClearActive(head))
      this.#isCurrent = false;
    if (entry.type === "note" || entry.type === "recall") this.#addNotes(findLiveNotes(findNotes([entry]), head));
    if (entry.type !== "message" || entry.seq <= findViewFloorSeq(head)) return;
    const prunes = head.prunes.filter(({ seq }) => seq === entry.seq);
    const [item] = buildView({ ...head, prunes, pins: [] }, [entry], this.counts).messages;
    if (item === undefined) return;
    this.#messages.push(item);
    this.#facts = addToFacts(this.#facts, item, head);
    // The preamble comes first, so a late part of it needs a new assembly.
    if (head.preamble.includes(entry.seq)) this.#assembler = undefined;
    else this.#assembler?.push(item);
  }

  #addNotes(added: readonly ViewNote[]): void {
    if (added.length === 0) return;
    const last = this.#messages.at(-1)?.seq ?? 0;
    this.#view = { ...this.#view, notes: sortBySeq([...this.#view.notes, ...added]) };
    // If a message was appended in the meantime, the note is placed before it.
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
    this.#facts = countViewFacts(this.#view);
    this.#assembler = undefined;
  }
}

function sortBySeq(notes: readonly ViewNote[]): readonly ViewNote[] {
  return notes.toSorted((left, right) => left.afterSeq - right.afterSeq || left.seq - right.seq);
}

const AT_ONCE = 500;

function* splitIntoChunks<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += AT_ONCE) yield items.slice(start, start + AT_ONCE);
}

/** Whether an entry restores or removes messages that only the store has. */
function needsReading(entry: EpochEntry, before: Head): boolean {
  if (entry.type === "undo" || entry.type === "delete") return true;
  if (entry.type !== "pin" || entry.target.type !== "messages") return false;
  const floor = findViewFloorSeq(before);
  return entry.target.seqs.some((seq) => seq <= floor);
}

/** Makes an entry for a message in no log. Its time is unknown (`at: 0`); an empty hash would mean unreadable. */
export function placeMessage(message: Message, seq: number, producedUnder?: ProducingRequest): MessageEntry {
  return { type: "message", id: message.id, seq, at: 0, message, hash: "not-stored", tokens: {}, producedUnder };
}
