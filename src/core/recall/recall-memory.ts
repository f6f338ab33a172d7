/**
 * Keeps an index up to date with a conversation and its files: adds new messages, and removes or replaces others. In a
 * list of the same edition only new messages are read; in any other list all messages are compared.
 */
import type { Message, MessageId } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";
import type { RecallFile } from "./read-passages.ts";
import { RecallIndex } from "./recall-index.ts";

/** A conversation, oldest first. */
export interface FollowedMessages {
  readonly messages: readonly Message[];
  /** Lists with the same edition only grow: no message is changed or removed. */
  readonly edition?: number | undefined;
}

export class RecallMemory {
  #index = new RecallIndex();
  #messages = new Map<MessageId, Message>();
  #files = new Map<string, string>();
  #edition: number | undefined;
  /** Number of messages of the list that were read. */
  #read = 0;
  /** Message being read. If reading is interrupted, the message is read again from its start. */
  #begun: MessageId | undefined;

  get index(): RecallIndex {
    return this.#index;
  }

  /** Yields every one or two milliseconds. Expects the whole conversation each time. */
  *followInSteps(said: FollowedMessages, files: readonly RecallFile[] = []): Generator<undefined, RecallIndex> {
    if (this.#begun !== undefined) this.#index.forget(this.#begun);
    const isGrown = said.edition !== undefined && said.edition === this.#edition;
    if (!isGrown) yield* this.#beginEdition(said);
    this.#forgetFiles(files);
    this.#makeRoom();
    while (this.#read < said.messages.length) {
      const message = said.messages[this.#read];
      if (message !== undefined) yield* this.#readMessage(message);
      this.#read += 1;
    }
    for (const file of files) {
      if (this.#files.get(file.path) === file.text) continue;
      this.#index.forget(file.path);
      this.#files.set(file.path, file.text);
      yield* this.#index.addFileInSteps(file);
    }
    return this.#index;
  }

  /** Removes messages that are no longer in the list. The others are compared when they are read. */
  *#beginEdition({ messages, edition }: FollowedMessages): Generator<undefined, void> {
    this.#edition = undefined;
    const kept = new Set<MessageId>();
    for (const [index, { id }] of messages.entries()) {
      kept.add(id);
      if (index % COMPARED_AT_ONCE === 0) yield undefined;
    }
    let compared = 0;
    for (const id of this.#messages.keys()) {
      if (!kept.has(id)) {
        this.#index.forget(id);
        this.#messages.delete(id);
      }
      compared += 1;
      if (compared % COMPARED_AT_ONCE === 0) yield undefined;
    }
    this.#read = 0;
    this.#edition = edition;
  }

  *#readMessage(message: Message): Generator<undefined, void> {
    const known = this.#messages.get(message.id);
    if (known !== undefined && hasSameContent(known, message)) {
      if (this.#read % COMPARED_AT_ONCE === 0) yield undefined;
      return;
    }
    this.#index.forget(message.id);
    this.#messages.delete(message.id);
    this.#begun = message.id;
    yield* this.#index.addInSteps([message]);
    this.#messages.set(message.id, message);
    this.#begun = undefined;
  }

  #forgetFiles(files: readonly RecallFile[]): void {
    const kept = new Set(files.map(({ path }) => path));
    for (const path of this.#files.keys()) {
      if (kept.has(path)) continue;
      this.#index.forget(path);
      this.#files.delete(path);
    }
  }

  /** Starts a new index when most places belong to removed messages, because places are not reused. */
  #makeRoom(): void {
    if (this.#index.size <= 2 * this.#index.liveCount + MIN_TO_REBUILD) return;
    this.#index = new RecallIndex();
    this.#messages = new Map();
    this.#files = new Map();
    this.#read = 0;
  }
}

const MIN_TO_REBUILD = 1_000;
/** Comparisons between two yields. Each takes less than a microsecond. */
const COMPARED_AT_ONCE = 500;

function hasSameContent(left: Message, right: Message): boolean {
  if (left === right) return true;
  if (left.role !== right.role || left.name !== right.name || left.parts.length !== right.parts.length) return false;
  return left.parts.every((part, place) => {
    const other = right.parts[place];
    if (part === other) return true;
    if (part.type === "text") return other?.type === "text" && other.text === part.text;
    if (part.type !== "tool-result") return other?.type === part.type;
    return other?.type === "tool-result" && outputText(other.output) === outputText(part.output);
  });
}
