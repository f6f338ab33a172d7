/**
 * Turns any sequence of messages into one that every provider accepts, without losing text: an orphan result becomes a
 * note in a user message, an unanswered call gets a stand-in for its result, a repeated call id gets a new one. Each
 * repair is reported. The repairer reads forward only, so prompts stay prefixes of each other; only the items that
 * `closing()` returns for the end of the sequence change when more messages come.
 */
import { invariant } from "../errors.ts";
import { type DistinctMessages, dropRepeatedMessages } from "./drop-repeated-messages.ts";
import { isJsonObject } from "./json.ts";
import {
  type CallId,
  continuesCalls,
  hasOnlyThinking,
  listCallIds,
  type Message,
  type Part,
  type ToolOutput,
  type ToolResultPart,
  type UnknownPart,
  withParts,
} from "./message.ts";
import { outputText } from "./message-text.ts";
import { EMPTY_MESSAGE_TEXT } from "./own-notes.ts";
import type { Repair, RepairKind } from "./repair.ts";
import { makeWellFormed } from "./well-formed.ts";

export interface RepairedItem {
  readonly message: Message;
  /** The messages that it shows: several if messages were joined, none if Palimpsest wrote it. */
  readonly sources: readonly Message[];
}

export interface Repairer {
  /** `before`: whether the log's previous message is shown. Messages that a fold makes adjacent are not an error. */
  push(message: Message, before?: "shown" | "left-out"): void;
  /** Adds a message that Palimpsest wrote. It has no source, and does not count as a user message. */
  pushOurs(message: Message): void;
  /** Adds text that does not end a round: it waits for the results of open calls. */
  pushNote(message: Message): void;
  /** Grows at its end only; its last item is replaced if further calls, or text after reasoning, join it. */
  readonly items: readonly RepairedItem[];
  readonly repairs: readonly Repair[];
  /** Returns stand-ins for missing results, waiting notes, and missing text, so that the sequence can be sent now. */
  closing(): readonly RepairedItem[];
}

/** Providers refuse a message with only reasoning. */
const ONLY_THOUGHT_TEXT = "(no visible text)";
export const MISSING_RESULT_TEXT = "(no result was recorded for this call)";

/**
 * Returns messages that providers accept, and a list of the repairs.
 *
 * @example
 * ```ts
 * const { messages: valid, repairs } = repairMessages(messages);
 * ```
 */
export function repairMessages(messages: readonly Message[]): DistinctMessages {
  const repairer = createRepairer();
  const unique = dropRepeatedMessages(messages);
  for (const message of unique.messages) repairer.push(message);
  const items = [...repairer.items, ...repairer.closing()];
  return { messages: items.map((item) => item.message), repairs: [...unique.repairs, ...repairer.repairs] };
}

interface OpenCall {
  readonly callId: CallId;
  /** The call's id in the prompt: its own, or a new one if that was used before. */
  readonly shownId: CallId;
  /** Shown while there is no result. Created once, so that it is counted once. */
  readonly standIn: ToolResultPart;
}

class SequenceRepairer implements Repairer {
  readonly items: RepairedItem[] = [];
  readonly repairs: Repair[] = [];
  readonly #timesUsed = new Map<CallId, number>();
  /** New ids of calls that the provider ran, so that their results still match. */
  readonly #providerNames = new Map<CallId, CallId>();
  #open: OpenCall[] = [];
  #answered = new Map<CallId, ToolOutput>();
  /** The message being placed, as in the log. */
  #original: Message = { id: "", role: "user", parts: [] };
  /** Notes and stray results that arrived while calls were open; they must not separate a call from its result. */
  #waiting: RepairedItem[] = [];
  /** Assistant messages without content. The assistant's next message replaces them; without one they are shown. */
  #blank: Message[] = [];

  push(original: Message, before: "shown" | "left-out" = "shown"): void {
    const message = makeWellFormed(original);
    this.#original = original;
    if (message !== original)
      this.note("broken-text", original, "Contains a lone surrogate, which no provider accepts.");
    if (message.role === "tool") this.#pushResults(message);
    else if (message.role === "assistant") this.#pushAssistant(message);
    else this.#pushWords(message, before);
  }

  pushOurs(message: Message): void {
    this.#closeOpenCalls(message);
    this.#add(message, []);
  }

  pushNote(message: Message): void {
    if (this.#open.length > 0) this.#waiting.push({ message, sources: [] });
    else this.pushOurs(message);
  }

  closing(): readonly RepairedItem[] {
    const thought = this.#findThought();
    if (thought !== undefined) return [{ message: textAfter(thought.message), sources: [] }];
    if (this.#blank.length > 0) return this.#blank.map(emptyItem);
    if (this.#open.length === 0) return [];
    return [{ message: missingResults(this.#open, this.items), sources: [] }, ...this.#waiting];
  }

  note(kind: RepairKind, message: Message, text: string): void {
    this.repairs.push({ kind, messageId: message.id, text });
  }

  #pushWords(message: Message, before: "shown" | "left-out"): void {
    this.#closeOpenCalls(message);
    const last = this.items.at(-1);
    const isRepeated = message.role === "user" && last?.message.role === "user" && last.sources.length > 0;
    if (isRepeated && before === "shown") {
      this.note("repeated-user", message, "Follows another user message; some providers receive both as one.");
    }
    const parts = message.parts.map((part) => this.#wordsOnly(part, message));
    this.#add(this.#withContent(message, parts), [this.#original]);
  }

  #pushAssistant(message: Message): void {
    const isUnanswered = this.#open.length > 0 && this.#answered.size === 0 && this.#waiting.length === 0;
    const isBare = continuesCalls(message) && !message.parts.every(isBlank);
    const joins = (isUnanswered && isBare) || this.#findThought() !== undefined;
    if (message.parts.every(isBlank)) {
      // A replacement text would come before the thinking of the same turn, which providers refuse.
      this.note("empty-message", message, "Contains nothing that a provider accepts.");
      if (joins) this.#addSource(this.#original);
      else {
        if (this.#blank.length === 0) this.#closeOpenCalls(message);
        this.#blank.push(this.#original);
      }
      return;
    }
    const blank = this.#blank;
    this.#blank = [];
    if (!joins) this.#closeOpenCalls(message);
    const parts = message.parts.flatMap((part) => this.#assistantPart(part, message));
    const repaired = this.#withContent(message, parts);
    if (joins) this.#join(repaired, message);
    else this.#add(repaired, [...blank, this.#original]);
  }

  #addSource(source: Message): void {
    const last = this.items.pop();
    invariant(last !== undefined, "only a message before it can take in a source");
    this.#add(last.message, [...last.sources, source]);
  }

  #join(repaired: Message, source: Message): void {
    const last = this.items.pop();
    invariant(last !== undefined, "only a message before it can be joined");
    const text = "Belongs to the calls or thoughts before it and is sent as one message with them.";
    this.note("joined-calls", source, text);
    this.#add({ ...last.message, parts: [...last.message.parts, ...repaired.parts] }, [
      ...last.sources,
      this.#original,
    ]);
  }

  #assistantPart(part: Part, message: Message): Part[] {
    if (part.type === "tool-result" && part.byProvider !== true) {
      this.note("misplaced-part", message, "A tool result was in an assistant message; it is shown as text.");
      return [{ type: "text", text: resultAsText(part, "Result of a tool") }];
    }
    if (part.type === "tool-result") {
      const callId = this.#providerNames.get(part.callId) ?? part.callId;
      return [callId === part.callId ? part : { ...part, callId }];
    }
    if (part.type !== "tool-call") return [part];
    const shownId = this.#nameCall(part.callId, message);
    if (part.byProvider === true) this.#providerNames.set(part.callId, shownId);
    else this.#open.push({ callId: part.callId, shownId, standIn: standInFor(shownId, part.tool) });
    return [shownId === part.callId ? part : { ...part, callId: shownId }];
  }

  #nameCall(callId: CallId, message: Message): CallId {
    const used = (this.#timesUsed.get(callId) ?? 0) + 1;
    this.#timesUsed.set(callId, used);
    if (used === 1) return callId;
    this.note("duplicate-call", message, `The call id ${JSON.stringify(callId)} was used before.`);
    return this.#nameCall(`${callId}_${used}`, message);
  }

  #pushResults(message: Message): void {
    if (this.#findThought() !== undefined || this.#blank.length > 0) this.#closeOpenCalls(message);
    const kept: Part[] = [];
    const strays: Part[] = [];
    for (const part of message.parts) {
      if (part.type !== "tool-result") strays.push(this.#strayPart(part, message));
      else if (!this.#take(part, kept)) strays.push(this.#strayResult(part, message));
    }
    if (kept.length > 0) this.#add(withParts(message, kept), [this.#original]);
    if (strays.length > 0 || kept.length === 0) this.#waiting.push(this.#noteOf(message, strays, kept.length > 0));
    if (this.#open.length === 0) this.#releaseNotes();
  }

  #noteOf(message: Message, strays: readonly Part[], split: boolean): RepairedItem {
    const words: Message = { ...message, id: split ? `${message.id}~note` : message.id, role: "user" };
    return { message: this.#withContent(words, strays), sources: split ? [] : [this.#original] };
  }

  #releaseNotes(): void {
    this.items.push(...this.#waiting);
    this.#waiting = [];
  }

  #take(part: ToolResultPart, kept: Part[]): boolean {
    const index = this.#open.findIndex((call) => call.callId === part.callId);
    const call = this.#open[index];
    if (call === undefined) return false;
    this.#open.splice(index, 1);
    this.#answered.set(part.callId, part.output);
    kept.push(call.shownId === part.callId ? part : { ...part, callId: call.shownId });
    return true;
  }

  #strayResult(part: ToolResultPart, message: Message): Part {
    const earlier = this.#answered.get(part.callId);
    if (earlier === undefined) {
      this.note("orphan-result", message, `No open call ${JSON.stringify(part.callId)}; the result is shown as text.`);
      return { type: "text", text: resultAsText(part, "Result of an earlier tool call") };
    }
    this.note("duplicate-result", message, `The call ${JSON.stringify(part.callId)} was already answered.`);
    const same = JSON.stringify(earlier) === JSON.stringify(part.output);
    return { type: "text", text: same ? "(The same tool result came twice.)" : resultAsText(part, "Another result") };
  }

  #strayPart(part: Part, message: Message): Part {
    this.note("misplaced-part", message, `A ${part.type} part was among tool results; it is shown after them.`);
    return this.#asWords(part);
  }

  #wordsOnly(part: Part, message: Message): Part {
    if (part.type !== "tool-call" && part.type !== "tool-result" && part.type !== "reasoning") return part;
    const text = `A ${part.type} part was in a ${message.role} message; it is shown as text.`;
    this.note("misplaced-part", message, text);
    return this.#asWords(part);
  }

  #asWords(part: Part): Part {
    if (part.type === "reasoning") return { type: "text", text: part.text };
    if (part.type === "tool-result") return { type: "text", text: resultAsText(part, "Result of a tool") };
    if (part.type === "unknown") return approvalAsText(part);
    if (part.type !== "tool-call") return part;
    return { type: "text", text: `[Call of ${part.tool}: ${part.inputText ?? JSON.stringify(part.input)}]` };
  }

  /** Finds the last message if it has only reasoning; the assistant's next message belongs to it. */
  #findThought(): RepairedItem | undefined {
    const last = this.items.at(-1);
    return last !== undefined && hasOnlyThinking(last.message) ? last : undefined;
  }

  #closeOpenCalls(next: Message): void {
    const thought = this.#findThought();
    if (thought !== undefined) {
      this.note("empty-message", thought.message, "Contains only reasoning.");
      const { message, sources } = thought;
      const parts = [...message.parts, ...textAfter(message).parts];
      this.items[this.items.length - 1] = { message: { ...message, parts }, sources };
    }
    if (this.#open.length > 0) {
      for (const call of this.#open) {
        this.note("unanswered-call", next, `The call ${JSON.stringify(call.callId)} had no result before this.`);
      }
      this.items.push({ message: missingResults(this.#open, this.items), sources: [] });
    }
    this.#releaseNotes();
    this.#open = [];
    this.#answered = new Map();
    this.items.push(...this.#blank.map(emptyItem));
    this.#blank = [];
  }

  /** Providers refuse blank text next to other parts, and an empty message. */
  #withContent(message: Message, parts: readonly Part[]): Message {
    const filled = parts.filter((part) => !isBlank(part));
    if (filled.length === 0) {
      this.note("empty-message", message, "Contains nothing that a provider accepts.");
      return emptyItem(message).message;
    }
    if (filled.length < parts.length) this.note("blank-part", message, "A part without text is left out.");
    return withParts(message, filled);
  }

  #add(message: Message, sources: readonly Message[]): void {
    this.items.push({ message, sources });
  }
}

export function createRepairer(): Repairer {
  return new SequenceRepairer();
}

function emptyItem(original: Message): RepairedItem {
  return { message: { ...original, parts: [{ type: "text", text: EMPTY_MESSAGE_TEXT }] }, sources: [original] };
}

function textAfter(thought: Message): Message {
  return { id: `${thought.id}~words`, role: "assistant", parts: [{ type: "text", text: ONLY_THOUGHT_TEXT }] };
}

function missingResults(calls: readonly OpenCall[], items: readonly RepairedItem[]): Message {
  const asked = items.findLast((item) => listCallIds(item.message).length > 0)?.message.id ?? "call";
  return { id: `${asked}~missing`, role: "tool", parts: calls.map(({ standIn }) => standIn) };
}

function standInFor(callId: CallId, tool: string): ToolResultPart {
  return { type: "tool-result", callId, tool, output: { type: "text", text: MISSING_RESULT_TEXT }, failed: true };
}

function resultAsText(part: ToolResultPart, label: string): string {
  const tool = part.tool === undefined ? "" : ` ${part.tool}`;
  return `[${label}${tool}] ${outputText(part.output)}`;
}

/** Encrypted reasoning has no text but is not blank. */
function isBlank(part: Part): boolean {
  if (part.type === "text") return part.text.trim() === "";
  return part.type === "reasoning" && part.text.trim() === "" && part.extras === undefined;
}

/** An approval among results becomes text, because only one format has a place for it there. */
function approvalAsText(part: UnknownPart): Part {
  const { value } = part;
  if (!isJsonObject(value) || value.type !== "tool-approval-response") return part;
  return { type: "text", text: value.approved === true ? "(The call was allowed.)" : "(The call was not allowed.)" };
}
