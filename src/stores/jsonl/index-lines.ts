/** Turns lines into statements for the sidecar. A damaged message keeps its seq as a marker, another entry as a gap. */
import { type Entry, isEpochDraft, type SessionId } from "../../core/log/entry.ts";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import { createUnreadableEntryId } from "../../core/log/unreadable-entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import { takeHead } from "../../core/message/whole-text.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { BlobSource } from "../blobs/blob.ts";
import { attachBlobs } from "../blobs/detach-blobs.ts";
import { PREVIEW_CHARACTERS } from "../sql/append-batch.ts";
import { findNumberColumn, readNumberColumn, type Statement, sql } from "../sql/driver.ts";
import type { MarkedPlace } from "../sql/sql-statements.ts";
import { findSearchable, toStoredCounts, toStoredEntry } from "../sql/stored-entry.ts";
import { toStoredFork, toStoredHead } from "../sql/stored-session.ts";
import { toStoredText } from "../sql/stored-text.ts";
import { SQLITE_STATEMENTS } from "../sqlite/sqlite-statements.ts";
import type { FileName } from "./folder-layout.ts";
import { checksumOf, type LinePlace } from "./line.ts";
import type { LostEntry, ScannedLine } from "./read-batches.ts";
import { writeHeadPlace, writeLinePlace, writeLost } from "./read-lines.ts";
import type { Sidecar } from "./sidecar.ts";
import {
  deleteLostMarkers,
  insertEntry,
  type SessionUpdate,
  updateFigures,
  updateSession,
} from "./sidecar-statements.ts";
import type { EntryLine, SessionLine, StoredLine } from "./stored-line.ts";

interface SessionChange extends Mutable<SessionUpdate> {
  readonly id: SessionId;
  /** Undefined until the session is written. */
  key: number | undefined;
  /** False until a line has shown where the session begins. */
  hasHeader: boolean;
  readonly isFork: boolean;
  /** Seq of the last entry that can be read. */
  readableSeq: number;
  readonly ids: Set<string>;
  /** Whether the sidecar had the session before these lines. */
  readonly isStored: boolean;
  lastEpochOffset: number;
  headOffset: number;
}

type Mutable<Fields> = { -readonly [Key in keyof Fields]: Fields[Key] };

export interface LineIndexerOptions {
  readonly sidecar: Sidecar;
  readonly file: { readonly key: number; readonly name: FileName; readonly blobs: BlobSource };
  /** Indexes the file of a fork's parent first. */
  readonly indexParent: (id: SessionId) => Promise<void>;
  readonly onSkip: (place: LinePlace, reason: string) => void;
  /** Returns whether lines of this session belong to the file. */
  readonly holds: (id: SessionId) => boolean;
  /** True if the caller has checked that no entry has these ids. */
  readonly hasNewIds?: boolean | undefined;
}

export class LineIndexer {
  readonly #options: LineIndexerOptions;
  readonly #sessions = new Map<SessionId, SessionChange>();
  #statements: Statement[] = [];

  constructor(options: LineIndexerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#statements.length;
  }

  /** Sessions whose newest head is older than their newest change of the past, because the line of a head was lost. */
  get headless(): readonly SessionId[] {
    const isHeadless = ({ headOffset, lastEpochOffset, isStored, isFork }: SessionChange) =>
      headOffset < lastEpochOffset || (headOffset < 0 && !isStored && isFork);
    return [...this.#sessions.values()].filter(isHeadless).map(({ id }) => id);
  }

  /** Returns the statements for all lines since the last call. */
  take(): readonly Statement[] {
    for (const change of this.#sessions.values()) {
      this.#statements.push(updateSession(change));
      change.messages = 0;
      change.firstMessage = undefined;
    }
    const statements = this.#statements;
    this.#statements = [];
    return statements;
  }

  async add({ line, lost, ...place }: ScannedLine): Promise<void> {
    if (typeof line === "string") return this.#skip(place, line, lost);
    if (!this.#options.holds(line.sessionId)) return this.#skip(place, "it belongs to another file", undefined);
    switch (line.kind) {
      case "session":
        return this.#addSession(line);
      case "entry":
        return this.#addEntry(line, place);
      case "head":
        return this.#addHead(line, place);
      case "lease": {
        const change = await this.#find(line);
        change.fence = Math.max(change.fence, line.fence);
        return;
      }
      case "counts": {
        const key = await this.#requireKey(await this.#find(line));
        const segment = { tenant: this.#place(line.sessionId).tenant, key, throughSeq: Number.MAX_SAFE_INTEGER };
        this.#statements.push(...SQLITE_STATEMENTS.addCounts(segment, ...toStoredCounts(line.counterId, line.counts)));
        return;
      }
      default:
        return line satisfies never;
    }
  }

  async #skip(place: LinePlace, reason: string, lost: LostEntry | undefined): Promise<void> {
    this.#options.onSkip(place, reason);
    const change = lost === undefined ? undefined : await this.#findOnlySession();
    if (change === undefined || lost === undefined) return;
    change.lastSeq += 1;
    if (lost !== "other") this.#insertLost(change, change.lastSeq, lost);
  }

  async #addSession({ sessionId, header, inheritedMessages }: SessionLine): Promise<void> {
    const title = header.title === undefined ? null : toStoredText(header.title);
    const existing = this.#sessions.get(sessionId) ?? (await this.#load(sessionId));
    if (existing !== undefined) {
      existing.hasHeader = true;
      const created = sql`${header.createdAt}`;
      this.#statements.push(
        SQLITE_STATEMENTS.renameSession(existing.place, title),
        updateFigures(existing.place, { created_at: created, updated_at: sql`max(updated_at, ${created})` }),
      );
      return;
    }
    const { fork } = header;
    const known = { hasHeader: true, isStored: false, lastSeq: fork?.atSeq ?? 0, isFork: fork !== undefined };
    const change = this.#create(sessionId, known);
    const stored = { title, createdAt: header.createdAt, messageCount: inheritedMessages, epoch: 0 };
    const parent = fork && (await this.#findParent(fork.parentId));
    this.#insertSession(change, { ...stored, fork: fork && parent && toStoredFork(parent, fork) });
    if (fork === undefined || parent !== undefined) return;
    // The parent's file is missing: the fork has its own entries.
    const atSeq = sql`${fork.atSeq}`;
    this.#statements.push(updateFigures(change.place, { last_seq: atSeq, fork_at_seq: atSeq }));
  }

  async #addEntry(line: EntryLine, place: LinePlace): Promise<void> {
    const change = await this.#find(line);
    const { entry } = line;
    const seq = entry.seq === 0 ? change.lastSeq + 1 : entry.seq;
    if (!change.hasHeader && change.readableSeq === 0) this.#begin(change, seq);
    if (seq <= change.readableSeq) return this.#options.onSkip(place, "its seq is taken by another line");
    this.#fillGap(change, seq);
    const stored = toStoredEntry(entry);
    const id = (await this.#isTaken(change, stored.id)) ? `${stored.id} ${place.offset}` : stored.id;
    change.ids.add(id);
    const content = writeLinePlace(this.#options.file.key, place);
    this.#statements.push(insertEntry(change.place, { ...stored, id, seq, content, entryNumber: line.turn ?? null }));
    change.lastSeq = seq;
    change.readableSeq = seq;
    change.updatedAt = Math.max(change.updatedAt ?? entry.at, entry.at);
    if (isEpochDraft(entry)) change.lastEpochOffset = place.offset;
    if (entry.type === "message") await this.#addText(change, { line, id, seq });
  }

  async #addText(
    change: SessionChange,
    { line, id, seq }: { readonly line: EntryLine; readonly id: string; readonly seq: number },
  ): Promise<void> {
    change.messages += 1;
    const entry = await this.#withTexts(line);
    if (entry.type !== "message") return;
    const { message } = entry;
    const preview = () => toStoredText(takeHead(messageText(message), PREVIEW_CHARACTERS));
    change.firstMessage ??= { seq, role: message.role, preview: preview() };
    const searchable = await runInSteps(findSearchable(entry));
    if (searchable !== undefined) {
      this.#statements.push(...SQLITE_STATEMENTS.insertText(change.place, { ...searchable, id }));
    }
  }

  async #withTexts({ entry, blobs }: EntryLine): Promise<Entry> {
    if (entry.type !== "message" || blobs === undefined) return entry;
    const message = await attachBlobs({ ...entry, blobs }, this.#options.file.blobs, { onlyTexts: true });
    return { ...entry, message };
  }

  async #addHead(
    line: StoredLine & { readonly kind: "head" },
    place: Pick<ScannedLine, "offset" | "length" | "bytes">,
  ) {
    const change = await this.#find(line);
    const sum = checksumOf(place.bytes ?? Buffer.alloc(0));
    const text = writeHeadPlace(this.#options.file.key, { ...place, sum });
    this.#statements.push(SQLITE_STATEMENTS.updateHead(change.place, toStoredHead(line.head, text)));
    change.epoch = line.head.epoch;
    change.headOffset = place.offset;
  }

  /** Without its first line a session begins with its first entry, or with the damaged lines before it. */
  #begin(change: SessionChange, seq: number): void {
    const lost = Math.min(change.lastSeq, seq - 1);
    this.#statements.push(...deleteLostMarkers(change.place, 1));
    change.lastSeq = seq - 1 - lost;
    change.readableSeq = change.lastSeq;
  }

  /** Marks seqs without a line as messages that cannot be read, and removes markers that turned out wrong. */
  #fillGap(change: SessionChange, seq: number): void {
    if (seq <= change.lastSeq) this.#statements.push(...deleteLostMarkers(change.place, seq));
    for (let missing = change.lastSeq + 1; missing < seq; missing += 1) this.#insertLost(change, missing, "user");
  }

  #insertLost(change: SessionChange, seq: number, role: "user" | "assistant"): void {
    const id = createUnreadableEntryId(seq);
    const marker = { type: "message", at: change.updatedAt ?? 0, id, hash: "", tokens: null } as const;
    this.#statements.push(insertEntry(change.place, { ...marker, seq, content: writeLost(role), entryNumber: "none" }));
    change.messages += 1;
  }

  async #isTaken(change: SessionChange, id: string): Promise<boolean> {
    if (this.#options.hasNewIds === true) return false;
    if (change.ids.has(id)) return true;
    if (!change.isStored) return false;
    const key = await this.#requireKey(change);
    const rows = await this.#options.sidecar.read(sql`SELECT 1 AS found FROM entries
      WHERE tenant = ${change.place.tenant} AND session_key = ${key} AND id = ${id}`);
    return rows.length > 0;
  }

  #place(id: SessionId): MarkedPlace {
    return { ...this.#options.sidecar.placeOf(id), mark: this.#options.file.name };
  }

  async #find(line: StoredLine): Promise<SessionChange> {
    const { sessionId } = line;
    const known = this.#sessions.get(sessionId) ?? (await this.#load(sessionId));
    if (known !== undefined) return known;
    // Another program's session, or one whose first line is lost.
    const change = this.#create(sessionId, { hasHeader: false, isStored: false, lastSeq: 0, isFork: false });
    const createdAt = line.kind === "entry" ? line.entry.at : 0;
    this.#insertSession(change, { title: null, createdAt, messageCount: 0, epoch: 0, fork: undefined });
    return change;
  }

  async #load(id: SessionId): Promise<SessionChange | undefined> {
    const place = this.#place(id);
    const [row] = await this.#options.sidecar.read(sql`
      SELECT s.session_key, s.last_seq, coalesce(s.fork_at_seq, 0) AS base_seq, (
        SELECT e.seq FROM entries e
        WHERE e.tenant = s.tenant AND e.session_key = s.session_key AND e.content NOT LIKE 'lost %'
        ORDER BY e.seq DESC LIMIT 1
      ) AS readable_seq
      FROM sessions s WHERE s.tenant = ${place.tenant} AND s.id = ${place.id}`);
    if (row === undefined) return undefined;
    const lastSeq = readNumberColumn(row, "last_seq");
    const change = this.#create(id, { hasHeader: true, isStored: true, lastSeq, isFork: false });
    change.key = readNumberColumn(row, "session_key");
    change.readableSeq = findNumberColumn(row, "readable_seq") ?? readNumberColumn(row, "base_seq");
    return change;
  }

  #create(id: SessionId, known: Pick<SessionChange, "hasHeader" | "isStored" | "lastSeq" | "isFork">): SessionChange {
    const change: SessionChange = {
      id,
      place: this.#place(id),
      key: undefined,
      ...known,
      readableSeq: known.lastSeq,
      ids: new Set(),
      messages: 0,
      updatedAt: null,
      firstMessage: undefined,
      epoch: null,
      fence: 0,
      lastEpochOffset: -1,
      headOffset: -1,
    };
    this.#sessions.set(id, change);
    return change;
  }

  #insertSession({ place }: SessionChange, session: Parameters<typeof SQLITE_STATEMENTS.insertSession>[1]): void {
    this.#statements.push(
      SQLITE_STATEMENTS.insertSession(place, session),
      SQLITE_STATEMENTS.insertHead(place, toStoredHead(EMPTY_HEAD)),
    );
  }

  /** Returns the only session of the file, to which damaged lines belong; undefined if the file has several. */
  async #findOnlySession(): Promise<SessionChange | undefined> {
    const [known, ...others] = this.#sessions.values();
    if (known !== undefined) return others.length === 0 ? known : undefined;
    const [id, ...ids] = await this.#options.sidecar.listSessionIds(this.#options.file.name);
    return id === undefined || ids.length > 0 ? undefined : this.#load(id);
  }

  async #findParent(id: SessionId) {
    await this.#flush();
    await this.#options.indexParent(id);
    return this.#options.sidecar.findSession(id);
  }

  async #requireKey(change: SessionChange): Promise<number> {
    if (change.key === undefined) {
      await this.#flush();
      change.key = (await this.#options.sidecar.findSession(change.id))?.key;
    }
    return change.key ?? 0;
  }

  async #flush(): Promise<void> {
    const statements = this.take();
    if (statements.length > 0) await this.#options.sidecar.write(statements);
  }
}
