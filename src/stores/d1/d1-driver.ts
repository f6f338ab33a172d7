/**
 * Runs statements on a D1 database. D1 has no transaction that stays open, so a batch is always sent whole: if its
 * guard refuses, the other statements run and change nothing, because each of them requires the guard's mark.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { Row, SqlDriver, Statement } from "../sql/driver.ts";
import { toStoreError } from "./d1-failure.ts";

export interface D1Database {
  prepare(text: string): D1Statement;
  /** Runs all statements in one transaction and returns their results in order. */
  batch(statements: D1Statement[]): Promise<readonly D1Result[]>;
}

export interface D1Statement {
  bind(...values: unknown[]): D1Statement;
  all(): Promise<D1Result>;
}

export interface D1Result {
  readonly results: readonly unknown[];
}

export class D1Driver implements SqlDriver {
  readonly name: string;
  readonly #database: D1Database;
  #isClosed = false;

  constructor(database: D1Database, name: string) {
    this.name = name;
    this.#database = database;
  }

  async read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.#run(statements, false);
  }

  async batch(statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined> {
    const results = await this.#run(statements, true);
    const isRefused = statements[0]?.isGuard === true && results[0]?.length === 0;
    return isRefused ? undefined : results;
  }

  /** Holds no resources: the binding belongs to the Worker. */
  async close(): Promise<void> {
    this.#isClosed = true;
  }

  async #run(statements: readonly Statement[], isWrite: boolean): Promise<readonly (readonly Row[])[]> {
    if (this.#isClosed) throw new PalimpsestError("closed", `The store ${this.name} was closed; open a new one.`);
    // D1 rejects an empty list.
    if (statements.length === 0) return [];
    try {
      const prepared = statements.map(({ strings, values }) => {
        const statement = this.#database.prepare(strings.join("?"));
        return values.length === 0 ? statement : statement.bind(...values);
      });
      const [only] = prepared;
      const results =
        only !== undefined && prepared.length === 1 ? [await only.all()] : await this.#database.batch(prepared);
      return results.map(readRows);
    } catch (error) {
      throw toStoreError(error, { name: this.name, isWrite });
    }
  }
}

/** D1 returns bytes as a list of numbers and every other value as it was stored. */
function readRows({ results }: D1Result): readonly Row[] {
  return (results as readonly Readonly<Record<string, unknown>>[]).map((row) => {
    const names = Object.keys(row).filter((name) => Array.isArray(row[name]));
    if (names.length === 0) return row as Row;
    const bytes = names.map((name) => [name, Uint8Array.from(row[name] as readonly number[])]);
    return { ...row, ...Object.fromEntries(bytes) } as Row;
  });
}
