/**
 * Assembles the conversation part of a prompt, repaired so that every provider accepts it. Adding a message does not
 * process earlier ones again. A chained hash over all parts shows whether an earlier message changed.
 */
import { findPreambleSeqs, findViewFloorSeq } from "../log/head.ts";
import type { View, ViewMessage, ViewNote } from "../log/view.ts";
import { chainUnit } from "../message/hash-message.ts";
import { hasOnlyThinking, type Message } from "../message/message.ts";
import type { Repair } from "../message/repair.ts";
import { createRepairer, type RepairedItem, type Repairer } from "../message/repair-messages.ts";
import type { SummaryRenderer } from "../plan/plan-settings.ts";
import type { SectionName } from "../sections/section.ts";
import { runSteps } from "../tokens/count-text.ts";
import { addToLedger, EMPTY_LEDGER, type Ledger, replaceInLedger, sumLedger } from "../tokens/ledger.ts";
import { createCoverMessages, createPinnedSeparator } from "./cover-message.ts";

export interface AssembledItem {
  readonly section: SectionName;
  readonly message: Message;
  /** The messages of the log that the item shows. Empty for text that Palimpsest wrote. */
  readonly sources: readonly Message[];
  readonly tokens: number;
}

/** Whether the item is part of the system text: instructions, or a summary in the system role. */
export function isSystemText({ section, message }: AssembledItem): boolean {
  return section === "instructions" || (section === "summary" && message.role === "system");
}

export interface SectionTotal {
  readonly tokens: number;
  readonly units: number;
  readonly hash: string;
}

export interface AssembledPrompt {
  /** The newest shown note that a caller gave with a prompt. */
  readonly newestNote: string | undefined;
  /** The items that the next prompt will also have, in order. */
  readonly items: readonly AssembledItem[];
  /** Returns the items at the end that the next prompt may not have, such as stand-ins for missing results. */
  closing(): readonly AssembledItem[];
  /** Counts the parts at the end that can change in the next prompt: stand-ins and the results of their round. */
  countVolatile(): number;
  readonly repairs: readonly Repair[];
  /** Returns the view's message for a source of an item; undefined for text that Palimpsest wrote. */
  originOf(source: Message): ViewMessage | undefined;
  readonly tokens: number;
  sectionTotal(section: SectionName): SectionTotal;
  sectionTokens(section: SectionName): number;
  /** Returns the hash of the first `units` parts of a section. It changes only if one of these parts changes. */
  chainAt(section: SectionName, units: number): string | undefined;
}

export interface Assembler extends AssembledPrompt {
  push(message: ViewMessage): void;
  pushNote(note: ViewNote): void;
}

export type CountMessage = (message: Message) => number;

export function startAssembly(view: View, count: CountMessage, renderer?: SummaryRenderer): Assembler {
  return runSteps(assembleInSteps(view, count, renderer));
}

const MESSAGES_PER_STEP = 250;

/** Does the same as `startAssembly` in steps of a few milliseconds. Includes messages that arrive between steps. */
export function* assembleInSteps(
  view: View,
  count: CountMessage,
  renderer?: SummaryRenderer,
): Generator<undefined, Assembler> {
  const assembler = new PromptAssembler(view, count);
  const preamble = new Set(findPreambleSeqs(view.head));
  const isPreamble = (item: ViewMessage) => preamble.has(item.seq);
  for (const item of [...view.kept, ...view.messages].filter(isPreamble)) assembler.place("instructions", item);
  for (const cover of createCoverMessages(view.head, renderer)) assembler.placeOurs("summary", cover);
  const pinned = view.kept.filter((item) => item.fate === "pinned" && !isPreamble(item));
  for (const item of pinned) assembler.place("pinned", item);
  if (pinned.length > 0) assembler.placeOurs("pinned", createPinnedSeparator());
  for (const item of view.kept) if (item.fate !== "pinned" && !isPreamble(item)) assembler.push(item);
  let placed = 0;
  let notes = 0;
  const placeNotes = (beforeSeq: number) => {
    for (; notes < view.notes.length; notes += 1) {
      const note = view.notes[notes];
      if (note === undefined || note.afterSeq >= beforeSeq) return;
      assembler.pushNote(note);
    }
  };
  for (const item of view.messages) {
    placeNotes(item.seq);
    if (!isPreamble(item)) assembler.push(item);
    placed += 1;
    if (placed % MESSAGES_PER_STEP === 0) yield undefined;
  }
  placeNotes(Number.POSITIVE_INFINITY);
  return assembler;
}

export function countVolatile(items: readonly AssembledItem[], closing: readonly AssembledItem[]): number {
  if (closing.length === 0) return 0;
  // Rendering can reorder the results of a round until all of them are present.
  const settled = items.findLastIndex(({ message }) => message.role !== "tool" && !hasOnlyThinking(message));
  return [...items.slice(settled + 1), ...closing].reduce((sum, item) => sum + item.message.parts.length, 0);
}

class PromptAssembler implements Assembler {
  readonly items: AssembledItem[] = [];
  newestNote: string | undefined;
  readonly #repairer: Repairer = createRepairer();
  readonly #origins = new WeakMap<Message, ViewMessage>();
  #ledger: Ledger = EMPTY_LEDGER;
  readonly #chains = new Map<SectionName, string[]>();
  readonly #count: CountMessage;
  /** Progress of hashing: all items before `items`, and `parts` parts of the next one. */
  #hashed = { items: 0, parts: 0 };
  /** Whether only kept user messages separate the next message from hidden ones. */
  #isAfterLeftOut: boolean;
  /** Seqs above the view floor that the view omits, in descending order. */
  readonly #leftOut: number[];

  constructor(view: View, count: CountMessage) {
    this.#count = count;
    this.#isAfterLeftOut = findViewFloorSeq(view.head) > 0;
    const omitted = view.omitted?.map(({ seq }) => seq) ?? [];
    this.#leftOut = [...omitted, ...view.erasedSeqs].sort((left, right) => right - left);
  }

  get tokens(): number {
    return sumLedger(this.#ledger);
  }

  get repairs(): readonly Repair[] {
    return this.#repairer.repairs;
  }

  push(item: ViewMessage): void {
    this.place("history", item);
  }

  pushNote({ message, text, sincePromptId, recalled }: ViewNote): void {
    if (recalled !== undefined && text === "") return;
    if (sincePromptId === undefined && recalled === undefined) this.newestNote = text;
    this.#place("history", () => this.#repairer.pushNote(message));
  }

  place(section: SectionName, item: ViewMessage): void {
    this.#origins.set(item.shown, item);
    for (; (this.#leftOut.at(-1) ?? Number.POSITIVE_INFINITY) < item.seq; this.#leftOut.pop())
      this.#isAfterLeftOut = true;
    const neighbor = this.#isAfterLeftOut ? "left-out" : "shown";
    this.#place(section, () => this.#repairer.push(item.shown, neighbor));
    this.#isAfterLeftOut &&= item.shown.role === "user";
  }

  originOf(source: Message): ViewMessage | undefined {
    return this.#origins.get(source);
  }

  placeOurs(section: SectionName, message: Message): void {
    this.#isAfterLeftOut = true;
    this.#place(section, () => this.#repairer.pushOurs(message));
  }

  #place(section: SectionName, push: () => void): void {
    const lastBefore = this.#repairer.items.at(-1);
    const lengthBefore = this.#repairer.items.length;
    push();
    const grown = this.#repairer.items;
    if (lengthBefore > 0 && grown[lengthBefore - 1] !== lastBefore) this.#replaceLast(grown[lengthBefore - 1]);
    for (const item of grown.slice(lengthBefore)) this.#add(section, item);
  }

  closing(): readonly AssembledItem[] {
    return this.#repairer.closing().map((item) => this.#assembled("history", item));
  }

  countVolatile(): number {
    return countVolatile(this.items, this.closing());
  }

  sectionTotal(section: SectionName): SectionTotal {
    const chain = this.#chainOf(section);
    return { tokens: this.sectionTokens(section), units: chain.length, hash: chain.at(-1) ?? "" };
  }

  sectionTokens(section: SectionName): number {
    return this.#ledger.tokens[section];
  }

  chainAt(section: SectionName, units: number): string | undefined {
    return units === 0 ? "" : this.#chainOf(section)[units - 1];
  }

  #add(section: SectionName, item: RepairedItem): void {
    const assembled = this.#assembled(section, item);
    this.items.push(assembled);
    this.#ledger = addToLedger(this.#ledger, { section, tokens: assembled.tokens });
  }

  #replaceLast(item: RepairedItem | undefined): void {
    const index = this.items.length - 1;
    const before = this.items[index];
    if (item === undefined || before === undefined) return;
    const after = this.#assembled(before.section, item);
    this.items[index] = after;
    const change = { section: before.section, removedTokens: before.tokens, addedTokens: after.tokens };
    this.#ledger = replaceInLedger(this.#ledger, change);
  }

  #assembled(section: SectionName, { message, sources }: RepairedItem): AssembledItem {
    return { section, message, sources, tokens: this.#count(message) };
  }

  #chainOf(section: SectionName): readonly string[] {
    this.#hashNewParts();
    return this.#chains.get(section) ?? [];
  }

  #hashNewParts(): void {
    let { items, parts } = this.#hashed;
    for (; items < this.items.length; items += 1, parts = 0) {
      const item = this.items[items];
      if (item === undefined) break;
      const chain = this.#chains.get(item.section) ?? [];
      this.#chains.set(item.section, chain);
      for (const part of item.message.parts.slice(parts)) {
        chain.push(chainUnit(chain.at(-1) ?? "", item.message.role, part));
      }
      this.#hashed = { items, parts: item.message.parts.length };
    }
  }
}
