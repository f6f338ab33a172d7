/**
 * Follows a conversation and the files beside it: what is new is read, what is gone or was changed is forgotten, and the
 * rest costs a comparison. So an answer costs what is new since the one before it.
 */
import type { Message, MessageId } from "../message/message.ts";
import { outputText } from "../message/output-text.ts";
import type { RecallFile } from "./passage.ts";
import { RecallIndex } from "./recall-index.ts";

export class RecallMemory {
  #index = new RecallIndex();
  #messages = new Map<MessageId, Message>();
  #files = new Map<string, string>();

  get index(): RecallIndex {
    return this.#index;
  }

  /** In steps of a millisecond or two. Takes the whole conversation each time, oldest first. */
  *followInSteps(messages: readonly Message[], files: readonly RecallFile[] = []): Generator<undefined, RecallIndex> {
    this.#forgetOthers(messages, files);
    for (const message of messages) {
      const known = this.#messages.get(message.id);
      if (known !== undefined && saysSame(known, message)) continue;
      this.#index.forget(message.id);
      this.#messages.set(message.id, message);
      yield* this.#index.addInSteps([message]);
    }
    for (const file of files) {
      if (this.#files.get(file.path) === file.text) continue;
      this.#index.forget(file.path);
      this.#files.set(file.path, file.text);
      yield* this.#index.addFileInSteps(file);
    }
    return this.#index;
  }

  #forgetOthers(messages: readonly Message[], files: readonly RecallFile[]): void {
    const kept = new Set([...messages.map(({ id }) => id), ...files.map(({ path }) => path)]);
    for (const source of [...this.#messages.keys(), ...this.#files.keys()]) {
      if (kept.has(source)) continue;
      this.#index.forget(source);
      this.#messages.delete(source);
      this.#files.delete(source);
    }
    // Places of what was forgotten are never used again; when they are most, it is cheaper to begin anew.
    if (this.#index.size > 2 * this.#index.liveCount + LEAST_TO_REBUILD) this.#startAnew();
  }

  #startAnew(): void {
    this.#index = new RecallIndex();
    this.#messages = new Map();
    this.#files = new Map();
  }
}

const LEAST_TO_REBUILD = 1_000;

function saysSame(left: Message, right: Message): boolean {
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
