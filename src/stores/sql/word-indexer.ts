/**
 * Indexes the words of sessions in the background, after the first search for candidates. Appending costs nothing.
 * A search reads the texts that are not indexed yet, so a failure here loses no message.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { readWordKeysInSteps, WORD_KEYS_VERSION } from "../../core/recall/word-keys.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import { WordRows } from "../shared/word-places.ts";
import { allowLoss, type Row, readNumberColumn, readTextColumn, type SqlDriver } from "./driver.ts";
import type { KeyedSession, SqlStatements } from "./sql-statements.ts";

const DELAY_MS = 100;
const PAUSE_MS = 5;
/** On a busy server each write waits for a turn of the event loop, and one session after another would fall behind. */
const SESSIONS_AT_ONCE = 4;
/** Limits of one write. A database in this process takes a few milliseconds for it. */
const LOCAL = { texts: 40, bytes: 20_000, rows: 800 };
const REMOTE = { texts: 400, bytes: 200_000, rows: 5_000 };

interface WordIndexerOptions {
  readonly driver: SqlDriver;
  readonly statements: SqlStatements;
  readonly isReadOnly?: boolean | undefined;
}

export class WordIndexer {
  readonly #driver: SqlDriver;
  readonly #statements: SqlStatements;
  readonly #waiting = new Map<number, KeyedSession>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #isClosed: boolean;

  constructor({ driver, statements, isReadOnly = false }: WordIndexerOptions) {
    this.#driver = driver;
    this.#statements = statements;
    this.#isClosed = isReadOnly;
  }

  /** Indexes a session soon; a few sessions are indexed at a time. The timer does not keep the process alive. */
  schedule(session: KeyedSession): void {
    if (this.#isClosed) return;
    this.#waiting.set(session.key, session);
    if (this.#timer !== undefined || this.#running !== undefined) return;
    this.#timer = setTimeout(() => this.#start(), DELAY_MS);
    this.#timer.unref();
  }

  /** Indexes one last portion of a waiting session, which is usually all that is missing. */
  async close(): Promise<void> {
    const [session] = this.#timer === undefined ? [] : this.#waiting.values();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#closing.abort();
    await this.#running;
    if (session !== undefined) await this.#indexSession(session).catch(() => undefined);
  }

  #start(): void {
    this.#timer = undefined;
    this.#running = this.#indexAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #indexAll(): Promise<void> {
    await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, () => this.#indexWaiting()));
  }

  async #indexWaiting(): Promise<void> {
    for (const session of this.#waiting.values()) {
      if (this.#isClosed) return;
      this.#waiting.delete(session.key);
      // Searches still read its texts, and the next search schedules it again.
      await this.#indexSession(session).catch(() => undefined);
    }
  }

  async #indexSession(session: KeyedSession): Promise<void> {
    const claim = { mark: randomUUID(), version: WORD_KEYS_VERSION };
    const begun = await this.#write([this.#statements.beginWords(session, claim)]);
    if (begun === undefined) return;
    let throughSeq: number | undefined = readNumberColumn(begun, "through_seq");
    if (readNumberColumn(begun, "version") !== claim.version) throughSeq = await this.#restart(session, claim);
    while (throughSeq !== undefined) {
      throughSeq = await this.#indexPortion(session, { mark: claim.mark, afterSeq: throughSeq });
      if (this.#isClosed) return;
      // Without the signal, the process could end in the pause while close() waits.
      await pause(PAUSE_MS, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  /** Removes the rows of another version in steps. */
  async #restart(session: KeyedSession, claim: { readonly mark: string; readonly version: number }) {
    const { rows } = this.#size;
    const remove = allowLoss([this.#statements.removeWords(session, rows)]);
    while (((await this.#driver.batch(remove))?.[0]?.length ?? 0) > 0 && !this.#isClosed) await pause(PAUSE_MS);
    const restarted = await this.#write([this.#statements.restartWords(session, claim)]);
    return restarted && readNumberColumn(restarted, "through_seq");
  }

  /** Returns the seq through which the session is indexed; undefined at its end, or if a write replaced the mark. */
  async #indexPortion(
    session: KeyedSession,
    { mark, afterSeq }: { readonly mark: string; readonly afterSeq: number },
  ): Promise<number | undefined> {
    const { texts, bytes, rows: most } = this.#size;
    const [[progress] = [], found = []] = await this.#driver.read([
      this.#statements.findWordProgress(session),
      this.#statements.readWordTexts(session, { afterSeq, texts, bytes }),
    ]);
    if (progress === undefined) return undefined;
    const { rows, count } = await this.#readRows(found, most);
    const isEnd = found.length === 0;
    const throughSeq = isEnd ? readNumberColumn(progress, "last_seq") : readSeq(found[count - 1]);
    if (throughSeq <= afterSeq) return undefined;
    // Only the rows of a single message may need several writes.
    for (let from = 0; from === 0 || from < rows.length; from += most) {
      const isLast = from + most >= rows.length;
      const added = { mark, rows: rows.slice(from, from + most), throughSeq: isLast ? throughSeq : undefined };
      if ((await this.#write(this.#statements.addWords(session, added))) === undefined) return undefined;
    }
    return isEnd ? undefined : throughSeq;
  }

  /** Reads the words of the first messages that fit into one write, and at least of one. */
  async #readRows(found: readonly Row[], most: number) {
    const rows = new WordRows<number>();
    let count = 0;
    for (const row of found) {
      const keys = await runInSteps(readWordKeysInSteps(readTextColumn(row, "text")));
      if (count > 0 && rows.size + keys.size > most) break;
      rows.add(readSeq(row), keys);
      count += 1;
    }
    const list = [...rows.list()].sort((left, right) => left.block - right.block || left.word - right.word);
    return { rows: list, count };
  }

  get #size() {
    return this.#driver.isRemote === true ? REMOTE : LOCAL;
  }

  async #write(statements: Parameters<SqlDriver["batch"]>[0]): Promise<Row | undefined> {
    return (await this.#driver.batch(allowLoss(statements)))?.[0]?.[0];
  }
}

function readSeq(row: Row | undefined): number {
  return row === undefined ? 0 : readNumberColumn(row, "seq");
}
