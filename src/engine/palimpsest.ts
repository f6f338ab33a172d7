/** The engine, for the host. Each method checks its arguments and calls the file that does the work. */
import {
  ANYTHING,
  COUNT,
  checkArgument,
  checkOptions,
  FLAG,
  ID,
  invalidOption,
  NEW_ID,
  oneOf,
  TEXT,
} from "../core/check-options.ts";
import { isUsableId } from "../core/check-value.ts";
import { PalimpsestError, sessionNotFound } from "../core/errors.ts";
import type { SessionId } from "../core/log/entry.ts";
import type { AnyMessage } from "../core/message/formats/read-messages.ts";
import { EXPORT_FORMATS } from "../core/message/formats/tool-formats.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import type { DeadLetter } from "../ports/jobs.ts";
import type { SearchHit, SessionSummary, Store } from "../ports/store.ts";
import type { TranscriptSource } from "../ports/transcript.ts";
import {
  BackgroundWork,
  CLOSE_RULES,
  type CloseOptions,
  type EngineParts,
  type WorkOptions,
} from "./background/background.ts";
import { OpenSessions } from "./background/open-sessions.ts";
import { type SummarizeOptions, type SummarizeResult, summarizeMessages } from "./compaction/summarize-messages.ts";
import type { EngineContext } from "./context/engine-context.ts";
import { ignoreCatchingUp } from "./context/errors.ts";
import { EVENT_NAMES, type EventName, type Listener } from "./context/events.ts";
import { eraseQuotations } from "./recall/erase-quotations.ts";
import { measureRecall } from "./recall/measure-recall.ts";
import type { RecallResult } from "./recall/recall-session.ts";
import type { Session } from "./session/session.ts";
import { readQuery, SEARCH_ALL_RULES, type SearchOptions, WORK_RULES } from "./session/session-options.ts";
import {
  createVisibleSession,
  type DeleteSessionOptions,
  deleteSession,
  describeSession,
  findForks,
  findVisible,
  isVisibleSession,
  listSessions,
  PAGE_RULES,
  type SessionDeletion,
  type SessionPage,
  searchSessions,
  TITLE_RULE,
} from "./session-list/list-sessions.ts";
import { type BranchPoint, findBranchPoints, readFamily } from "./session-list/read-family.ts";
import { type RecallAllOptions, recallSessions } from "./session-list/recall-sessions.ts";
import { type ExportOptions, exportSession } from "./transfer/export-session.ts";
import { type ExportTranscriptOptions, exportTranscript } from "./transfer/export-transcript.ts";
import {
  IMPORT_RULES,
  type ImportOptions,
  type ImportResult,
  importSession,
  type LineSource,
} from "./transfer/import-session.ts";
import { IMPORT_TRANSCRIPT_RULES, type ImportTranscriptOptions, storeTranscript } from "./transfer/store-transcript.ts";
import type { TranscriptImport } from "./transfer/transcript-import.ts";

/** The id and title of a new session. */
export interface CreateOptions {
  readonly id?: SessionId | undefined;
  readonly title?: string | undefined;
}

const CREATE_RULES = { id: NEW_ID, title: TITLE_RULE };
const DELETE_RULES = { forks: FLAG };
const EXPORT_RULES = { secrets: oneOf("redact", "keep") };
const EXPORT_TRANSCRIPT_RULES = { ...EXPORT_RULES, format: oneOf(...EXPORT_FORMATS) };
const SUMMARIZE_RULES = {
  previous: TEXT,
  budgetTokens: COUNT,
  strategy: oneOf("brief"),
  instructions: TEXT,
  signal: ANYTHING,
};
const EVENT = oneOf(...EVENT_NAMES);

/**
 * An open engine: it opens, lists, searches and deletes sessions. `openPalimpsest` returns it.
 *
 * @example
 * ```ts
 * const palimpsest = await openPalimpsest();
 * const session = await palimpsest.session("support-42");
 * palimpsest.on("compaction", ({ tokensBefore, tokensAfter }) => console.log(tokensBefore, tokensAfter));
 * await palimpsest.close();
 * ```
 */
export class Palimpsest {
  readonly #store: Store;
  readonly #background: BackgroundWork;
  readonly #sessions: OpenSessions;
  #isClosed = false;

  constructor(context: EngineContext, parts: EngineParts) {
    this.#store = parts.store;
    this.#background = new BackgroundWork(context, parts);
    this.#sessions = new OpenSessions(this.#background.contextFor(), () => this.create());
    this.#background.serve(this.#sessions);
  }

  /** Opens a session, or creates it. Without an id, creates a new one. */
  async session(id?: SessionId): Promise<Session> {
    if (id === undefined) return this.create();
    checkArgument(id, ID, "session");
    const { store, clock } = this.#context;
    const known = this.#sessions.find(id);
    if (known !== undefined) return known;
    // A session with an id of an earlier version can still be opened.
    if (!isUsableId(id) && !(await isVisibleSession(store, id))) checkArgument(id, NEW_ID, "session");
    const created = await createVisibleSession(store, { id, createdAt: clock.now() });
    if (created === "hidden") throw sessionNotFound(id);
    return this.#hold(id, created === "exists");
  }

  /** Creates a session. Throws `session-exists` for an existing id. */
  async create(options: CreateOptions = {}): Promise<Session> {
    checkOptions(options, CREATE_RULES, "create");
    const { store, clock, ids } = this.#context;
    const { title } = options;
    const id = options.id ?? ids.session();
    const created = await createVisibleSession(store, { id, title, createdAt: clock.now() });
    if (created === "created") return this.#hold(id, false);
    if (options.id === undefined) return this.create(options);
    throw new PalimpsestError("session-exists", `The session ${JSON.stringify(id)} already exists.`);
  }

  /** Opens an existing session. Throws `session-not-found`. */
  async load(id: SessionId): Promise<Session> {
    checkArgument(id, ID, "load");
    const stored = await findVisible(this.#context.store, id);
    if (stored === undefined) throw sessionNotFound(id);
    const session = await this.#hold(id, true);
    // Reads what another process has appended before the next call needs it.
    void session.refresh(stored.lastSeq);
    return session;
  }

  /** Opens the session that was used last, or creates one if there is none or it cannot be opened. */
  async restore(): Promise<Session> {
    this.#assertOpen();
    try {
      const [newest] = await this.sessions({ limit: 1 });
      if (newest === undefined) return this.create();
      const session = await this.load(newest.id);
      await session.liveSummary().catch(ignoreCatchingUp);
      return session;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const text = `The most recently used session could not be opened, so a new one was created: ${reason}`;
      this.#sessions.context.emitter.emit("warning", { sessionId: undefined, text });
      return this.create();
    }
  }

  /** Lists sessions, the most recently used first, in pages. */
  async sessions(page: SessionPage = {}): Promise<readonly SessionSummary[]> {
    checkOptions(page, PAGE_RULES, "sessions");
    return listSessions(this.#context.store, page);
  }

  /** Returns one session as in the list. Throws `session-not-found`. */
  async describe(id: SessionId): Promise<SessionSummary> {
    checkArgument(id, ID, "describe");
    const summary = await describeSession(this.#context.store, id);
    if (summary === undefined) throw sessionNotFound(id);
    return summary;
  }

  /** Lists the direct forks of a session. */
  async forks(id: SessionId): Promise<readonly SessionId[]> {
    checkArgument(id, ID, "forks");
    return this.#context.store.listForks(id);
  }

  /** Returns every place at which the conversation branches, with the sessions of each branch. */
  async branches(id: SessionId): Promise<readonly BranchPoint[]> {
    checkArgument(id, ID, "branches");
    const family = await readFamily(this.#context.store, id);
    if (family.length === 0) throw sessionNotFound(id);
    return findBranchPoints(id, family);
  }

  async rename(id: SessionId, title: string): Promise<void> {
    checkArgument(id, ID, "rename: id");
    checkArgument(title, TITLE_RULE, "rename: title");
    const { store } = this.#context;
    if (!(await isVisibleSession(store, id)) || !(await store.renameSession(id, title))) throw sessionNotFound(id);
  }

  /** Deletes a session and what only it can reach. With forks but no option `forks`, only returns the forks' ids. */
  async deleteSession(id: SessionId, options: DeleteSessionOptions = {}): Promise<SessionDeletion> {
    checkArgument(id, ID, "deleteSession");
    checkOptions(options, DELETE_RULES, "deleteSession");
    this.#assertOpen();
    await this.#sessions.find(id)?.settle();
    const { store } = this.#sessions.context;
    const forkIds = await findForks(store, id);
    // What other sessions quote goes first, because only the session's own log says where it is.
    if (forkIds.length === 0 || options.forks === true)
      await eraseQuotations(store, (other) => this.#sessions.readState(other), { sources: [id, ...forkIds] });
    const outcome = await deleteSession(store, id, options);
    for (const each of outcome.type === "deleted" ? outcome.sessionIds : []) {
      this.#sessions.forget(each);
      this.#background.announceDeletion(each);
    }
    return outcome;
  }

  /** Exports a session as lines of JSON with a checksum in the last line. Secrets are redacted by default. */
  exportSession(id: SessionId, options: ExportOptions = {}): AsyncIterable<string> {
    checkArgument(id, ID, "exportSession");
    checkOptions(options, EXPORT_RULES, "exportSession");
    return exportSession(this.#context.store, id, options);
  }

  /** Exports a session as a file of another tool, in pieces of text. Secrets are redacted by default. */
  exportTranscript(id: SessionId, options: ExportTranscriptOptions): AsyncIterable<string> {
    checkArgument(id, ID, "exportTranscript");
    checkOptions(options, EXPORT_TRANSCRIPT_RULES, "exportTranscript");
    return exportTranscript(this.#context, id, options);
  }

  /** Imports an export, all or nothing, after checking all of it. */
  async importSession(lines: LineSource, options: ImportOptions = {}): Promise<ImportResult> {
    checkOptions(options, IMPORT_RULES, "importSession");
    return importSession(this.#context, lines, options);
  }

  /**
   * Imports a session file of another tool, or messages as JSON. The format is recognized. A record that cannot be read is
   * skipped and reported. Importing a file again, or a longer version of it, adds only what is new.
   */
  async importTranscript(source: TranscriptSource, options: ImportTranscriptOptions = {}): Promise<TranscriptImport> {
    checkOptions(options, IMPORT_TRANSCRIPT_RULES, "importTranscript");
    return storeTranscript(this.#context, source, options);
  }

  async search(text: string, options: SearchOptions = {}): Promise<readonly SearchHit[]> {
    const query = readQuery(text, options, { name: "search", rules: SEARCH_ALL_RULES });
    return searchSessions(this.#context.store, query);
  }

  /** Quotes messages of several sessions that match the query. */
  async recall(query: string, options: RecallAllOptions = {}): Promise<RecallResult> {
    const { store, compareMeaning, clock } = this.#context;
    const search = () => recallSessions({ store, compareMeaning, now: clock.now() }, query, options);
    return measureRecall({ sessionId: undefined, source: "call", context: this.#context }, search, (found) => found);
  }

  /** Creates a message id, as the engine does for messages without one: `{epoch_ms}-{8 hex}`. */
  newMessageId(): string {
    return this.#sessions.context.ids.message();
  }

  /** Summarizes messages that the host keeps itself. Stores nothing. */
  async summarize(messages: readonly AnyMessage[], options: SummarizeOptions): Promise<SummarizeResult> {
    checkOptions(options, SUMMARIZE_RULES, "summarize");
    return summarizeMessages(this.#context, messages, options);
  }

  /** Returns the current policy settings for a model, by default for the engine's own model. */
  settings(model?: string): PlanSettings {
    const { settingsFor, defaults } = this.#context;
    return settingsFor(model ?? defaults.model);
  }

  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    checkArgument(name, EVENT, "on");
    if (typeof listener !== "function") throw invalidOption("on", listener, "a function that is called with the event");
    if (name === "session-grown" || name === "session-deleted") this.#background.listen();
    return this.#sessions.context.emitter.on(name, listener);
  }

  /** Runs jobs of every tenant, and submits jobs for this tenant's pending work, until it is stopped. */
  async work(options: WorkOptions = {}): Promise<void> {
    checkOptions(options, WORK_RULES, "work");
    this.#assertOpen();
    await this.#background.work(options);
  }

  /** Lists jobs that failed too often, oldest first. */
  async deadLetters(): Promise<readonly DeadLetter[]> {
    this.#assertOpen();
    return this.#background.readDeadLetters();
  }

  /** Stops background work and closes the store, even one that was passed in. Warns if jobs do not stop in time. */
  async close(options: CloseOptions = {}): Promise<void> {
    checkOptions(options, CLOSE_RULES, "close");
    this.#isClosed = true;
    this.#sessions.abandon();
    await this.#background.close(() => this.#sessions.settle(), options);
    await this.#store.close();
  }

  async #hold(id: SessionId, isOld: boolean): Promise<Session> {
    this.#background.listen();
    const isHeld = this.#sessions.find(id) !== undefined;
    const session = await this.#sessions.hold(id);
    if (isOld && !isHeld) this.#background.resume(session);
    return session;
  }

  get #context(): EngineContext {
    this.#assertOpen();
    return this.#sessions.context;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new PalimpsestError("closed", "This engine is closed. Open a new one.");
  }
}
