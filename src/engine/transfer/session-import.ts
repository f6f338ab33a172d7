/** Writes one session of a file: creates it, or finds what of it is stored, and appends what is new. */
import { PalimpsestError } from "../../core/errors.ts";
import type { EntryDraft, MessageDraft, SessionId } from "../../core/log/entry.ts";
import { hashMessage, hashText } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type {
  TranscriptMessage,
  TranscriptParent,
  TranscriptSession,
  TranscriptSummary,
} from "../../ports/transcript.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import { forkSession } from "../session/fork-session.ts";
import { createVisibleSession, findVisible } from "../session-list/list-sessions.ts";
import { createDraft } from "../state/append-messages.ts";
import { SessionState } from "../state/session-state.ts";
import { createImportConflict } from "./claim-import.ts";
import { createImportedRecord, createSummaryNote } from "./imported-summary.ts";
import { StoredLog } from "./stored-log.ts";
import type { ImportedSession, ImportProblem } from "./transcript-import.ts";

export interface WriterParts {
  readonly context: EngineContext;
  readonly counts: MessageCounts;
  readonly report: (problem: ImportProblem) => void;
}

interface WriterOptions {
  readonly id: SessionId | undefined;
  readonly title: string | undefined;
  readonly parent: SessionImport | undefined;
}

const SUFFIX_DIGITS = 12;

export class SessionImport {
  readonly #parts: WriterParts;
  readonly #event: TranscriptSession;
  readonly #options: WriterOptions;
  /** The session that is written; a branch of it once the file and the log differ. */
  #id: SessionId;
  #isOpen = false;
  /** Absent as soon as everything that comes is new. */
  #stored: StoredLog | undefined;
  /** Set if the session is created where the file leaves the log of another one. */
  #createsAt: SessionId | undefined;
  #drafts: EntryDraft[] = [];
  #characters = 0;
  /** Messages with the parts that the file adds to stored ones, until the end of the log is reached. */
  #grown: TranscriptMessage[] = [];
  #title: string | undefined;
  #isNew = false;
  /** Set until the session is created. */
  #isMissing = false;
  #firstAt: number | undefined;
  readonly #figures = { messages: 0, added: 0, calls: 0, results: 0, summaries: 0 };

  constructor(parts: WriterParts, event: TranscriptSession, options: WriterOptions) {
    this.#parts = parts;
    this.#event = event;
    this.#options = options;
    this.#id = options.id ?? event.session;
    this.#title = options.title ?? readTitle(event.title);
  }

  get waiting(): { readonly entries: number; readonly characters: number } {
    return { entries: this.#drafts.length, characters: this.#characters };
  }

  async add(event: TranscriptMessage): Promise<void> {
    const { message } = event;
    this.#countParts(message);
    await this.#open(message);
    if (this.#stored === undefined) return this.#append(event);
    const match = await this.#stored.match(message);
    switch (match.type) {
      case "same":
        return;
      case "grown":
        if (match.rest !== undefined) {
          const usage = match.hasUsage ? undefined : event.usage;
          this.#grown.push({ ...event, message: match.rest, usage });
        }
        return;
      case "new":
        await this.#leaveStored(message);
        return this.#append(event);
      case "diverged":
        await this.#branch(match.atSeq, message);
        return this.add(event);
      default:
        return match satisfies never;
    }
  }

  /** The tool's summary is a note of the log, and live only if the log has nothing that it could be a summary of. */
  async summarize(event: TranscriptSummary): Promise<void> {
    await this.#open(undefined);
    this.#figures.summaries += 1;
    const { context } = this.#parts;
    const note = createSummaryNote(event, { format: this.#event.format, at: event.at ?? this.#defaultAt() });
    const isKnown = (await context.store.findEntry(this.#id, note.id)) !== undefined;
    const isKnownHere = this.#drafts.some(({ id }) => id === note.id);
    if (!isKnown && !isKnownHere) this.#drafts.push(note);
    if (this.#drafts.some(({ type }) => type === "message")) return;
    await this.flush();
    const stored = await context.store.describeSession(this.#id);
    if (stored?.messageCount === 0) await this.#makeLive(event);
  }

  /** Names the session unless it has a title. */
  async rename(given: string): Promise<void> {
    const title = readTitle(given);
    if (title === undefined) return;
    const isOurs = this.#isNew || this.#isMissing;
    const isNamed = this.#title !== undefined || (!isOurs && (await this.#readTitle()) !== undefined);
    if (isNamed) return;
    this.#title = title;
    if (this.#isOpen && !this.#isMissing) await this.#parts.context.store.renameSession(this.#id, title);
  }

  async flush(): Promise<void> {
    const drafts = this.#drafts;
    if (drafts.length === 0) return;
    [this.#drafts, this.#characters] = [[], 0];
    await this.#createIfMissing();
    try {
      await this.#write(drafts);
    } catch (error) {
      if (!isRefusedMessage(error) || drafts.length === 1) throw error;
      for (const draft of drafts) await this.#writeAlone(draft);
    }
  }

  async end(): Promise<void> {
    if (this.#grown.length > 0 && (await this.#stored?.isAtEnd()) === true) await this.#appendGrown();
    for (const { message } of this.#grown) {
      this.#parts.report({ place: `message ${message.id}`, reason: "it has grown, and the stored session continues" });
    }
    await this.flush();
  }

  describe(): readonly ImportedSession[] {
    if (!this.#isOpen) return [];
    const { format, sourceId } = this.#event;
    const known = {
      ...(sourceId === undefined ? {} : { sourceId }),
      ...(this.#title === undefined ? {} : { title: this.#title }),
    };
    return [{ sessionId: this.#id, format, ...known, ...this.#figures }];
  }

  #countParts({ parts }: Message): void {
    this.#figures.messages += 1;
    for (const { type } of parts) {
      if (type === "tool-call") this.#figures.calls += 1;
      if (type === "tool-result") this.#figures.results += 1;
    }
  }

  async #open(first: Message | undefined): Promise<void> {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { store } = this.#parts.context;
    if ((await findVisible(store, this.#id)) !== undefined) {
      this.#stored = new StoredLog(store, this.#id, await this.#findForkSeq(this.#id));
      return;
    }
    const { parent } = this.#event;
    if (parent?.kind === "fork" && (await this.#openFork(parent))) return;
    this.#firstAt = first?.saidAt;
    this.#isMissing = true;
  }

  /** Messages that a fork inherits are not in its part of the file. */
  async #findForkSeq(id: SessionId): Promise<number> {
    const isFork = this.#event.parent?.kind === "fork" || id !== this.#event.session;
    return isFork ? ((await this.#parts.context.store.findSession(id))?.header.fork?.atSeq ?? 0) : 0;
  }

  /** Returns false if the parent is not stored. */
  async #openFork({ session, afterMessageId }: TranscriptParent): Promise<boolean> {
    const { store } = this.#parts.context;
    const parentId = this.#options.parent?.describe()[0]?.sessionId ?? session;
    if ((await findVisible(store, parentId)) === undefined) return false;
    if (afterMessageId === undefined) {
      // The file repeats the parent's messages, and it is not known how many.
      [this.#stored, this.#createsAt, this.#id] = [new StoredLog(store, parentId, 0), this.#id, parentId];
      return true;
    }
    const last = await store.findMessage(parentId, afterMessageId);
    if (last === undefined) return false;
    await this.#fork(parentId, last.seq, this.#id);
    return true;
  }

  async #fork(parentId: SessionId, atSeq: number, id: SessionId): Promise<void> {
    const { context, counts } = this.#parts;
    await forkSession(new SessionState(parentId, context, counts), atSeq, id);
    if (this.#title !== undefined) await context.store.renameSession(id, this.#title);
    this.#isNew = true;
  }

  /** Creates the session with its first entries, so that a file without any leaves none. */
  async #createIfMissing(): Promise<void> {
    if (!this.#isMissing) return;
    this.#isMissing = false;
    const { store } = this.#parts.context;
    const createdAt = this.#event.startedAt ?? this.#firstAt ?? this.#parts.context.clock.now();
    const created = await createVisibleSession(store, { id: this.#id, title: this.#title, createdAt });
    if (created === "hidden") throw createImportConflict(this.#id);
    this.#isNew = created === "created";
  }

  /** Everything from here on is new. */
  async #leaveStored(message: Message): Promise<void> {
    const atSeq = this.#stored?.atSeq ?? 0;
    if (this.#createsAt !== undefined) return this.#branch(atSeq, message);
    await this.#appendGrown();
    this.#stored = undefined;
  }

  /** Continues in a branch with an id that is derived from where and how it branches off, so that it is found again. */
  async #branch(atSeq: number, message: Message): Promise<void> {
    await this.flush();
    const { store } = this.#parts.context;
    const [parentId, digest] = [this.#id, hashText(`${atSeq} ${message.id} ${hashMessage(message)}`)];
    this.#id = this.#createsAt ?? `${parentId}~${digest.slice(0, SUFFIX_DIGITS)}`;
    [this.#createsAt, this.#stored] = [undefined, undefined];
    if ((await findVisible(store, this.#id)) !== undefined) this.#stored = new StoredLog(store, this.#id, atSeq);
    else if (atSeq === 0) this.#isMissing = true;
    else await this.#fork(parentId, atSeq, this.#id);
    // The message is counted again when it is added to the branch.
    this.#uncount(message);
  }

  #uncount({ parts }: Message): void {
    this.#figures.messages -= 1;
    for (const { type } of parts) {
      if (type === "tool-call") this.#figures.calls -= 1;
      if (type === "tool-result") this.#figures.results -= 1;
    }
  }

  async #appendGrown(): Promise<void> {
    const grown = this.#grown;
    this.#grown = [];
    for (const event of grown) await this.#append(event);
  }

  async #append({ message, usage }: TranscriptMessage): Promise<void> {
    const { context, counts } = this.#parts;
    try {
      const tokens = await runInSteps(counts.measureInSteps(message));
      const draft = createDraft({ context, counts: { id: counts.id, count: () => tokens } }, message, { usage });
      this.#drafts.push({ ...draft, at: message.saidAt ?? this.#defaultAt() });
      this.#characters += tokens;
      this.#figures.added += 1;
    } catch (error) {
      if (!isRefusedMessage(error)) throw error;
      this.#parts.report({ place: `message ${message.id.slice(0, 40)}`, reason: error.message.replace(/\.$/, "") });
    }
  }

  #defaultAt(): number {
    return this.#event.startedAt ?? this.#parts.context.clock.now();
  }

  async #write(drafts: readonly EntryDraft[]): Promise<void> {
    const outcome = await this.#parts.context.store.append(this.#id, { entries: drafts });
    if (outcome.type === "appended") return;
    if (outcome.type !== "conflict") throw createImportConflict(this.#id);
    // Another import of the same file has stored another version of a message at the same time.
    const others = drafts.filter(({ id }) => id !== outcome.entryId);
    this.#figures.added -= 1;
    this.#parts.report({ place: `message ${outcome.entryId}`, reason: "the session has another message with this id" });
    if (others.length > 0) await this.#write(others);
  }

  async #writeAlone(draft: EntryDraft): Promise<void> {
    try {
      await this.#write([draft]);
    } catch (error) {
      if (!isRefusedMessage(error)) throw error;
      this.#figures.added -= 1;
      this.#parts.report({ place: `message ${(draft as MessageDraft).id}`, reason: error.message.replace(/\.$/, "") });
    }
  }

  async #makeLive(event: TranscriptSummary): Promise<void> {
    const { context, counts } = this.#parts;
    const state = new SessionState(this.#id, context, counts);
    const { head } = await state.current();
    if (head.summary !== undefined || head.epoch > 0) return;
    const record = createImportedRecord(event, {
      id: context.ids.entry("summary"),
      counter: counts.counter,
      now: context.clock.now(),
    });
    await state.changePast(({ head: { foldedThroughSeq } }) => ({
      changes: [{ type: "summary", record, keptRequests: [], readThroughSeq: foldedThroughSeq }],
    }));
  }

  async #readTitle(): Promise<string | undefined> {
    return (await this.#parts.context.store.describeSession(this.#id))?.title;
  }
}

const MAX_TITLE_CHARACTERS = 500;

/** A title of a file may be anything. One that begins with NUL would hide the session. */
function readTitle(title: string | undefined): string | undefined {
  const shown = title
    ?.toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_TITLE_CHARACTERS);
  return shown === "" ? undefined : shown;
}

function isRefusedMessage(error: unknown): error is PalimpsestError {
  return error instanceof PalimpsestError && error.code === "message-invalid";
}
