/**
 * A pool of connections to one database. The statements of a call are pipelined: a read or a batch is one round trip.
 * Calls wait for a server that is briefly unavailable. A batch whose answer was lost may have been written, so it is
 * sent again only if its statements are repeatable.
 */
import { setTimeout } from "node:timers/promises";
import type { Pool, PoolClient, QueryResult } from "pg";
import { PalimpsestError } from "../../core/errors.ts";
import type { Row, SqlDriver, Statement } from "../sql/driver.ts";
import type { PgModule } from "./load-pg.ts";
import { findReason, hasUnknownOutcome, isConstraintViolation, isTransient, toStoreError } from "./postgres-failure.ts";
import { PreparedStatements, type Query, toPlainQuery } from "./prepared-statement.ts";

export interface PostgresDriverOptions {
  readonly url: string;
  readonly connections: number;
  readonly retryForMs: number;
  /** Timeout of a statement; its connection is closed with it. */
  readonly statementTimeoutMs: number;
}

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 500;
/** Timeout for opening a connection or waiting for a free one. */
const CONNECTION_TIMEOUT_MS = 10_000;
const MAX_CONTENTIONS = 10;

type Results = readonly (readonly Row[])[];

interface SentStatements {
  readonly begin: Query;
  readonly statements: readonly Statement[];
  readonly tenant: string | undefined;
}

/** One tenant; undefined for all. */
interface Scope {
  readonly tenant: string | undefined;
}

export type RunStatement = (statement: Statement) => Promise<readonly Row[]>;

export class PostgresDriver implements SqlDriver {
  readonly name: string;
  readonly isRemote = true;
  readonly #retryForMs: number;
  readonly #pool: Pool;
  readonly #statements = new PreparedStatements();
  readonly #running = new Set<Promise<unknown>>();
  readonly #scopes = new WeakMap<PoolClient, Scope>();
  #isClosed = false;

  constructor({ Pool, types }: PgModule, { url, connections, retryForMs, statementTimeoutMs }: PostgresDriverOptions) {
    this.name = readName(url);
    this.#retryForMs = retryForMs;
    this.#pool = new Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      query_timeout: statementTimeoutMs,
      keepAlive: true,
      allowExitOnIdle: true,
      pipeline: true,
      fallback_application_name: "palimpsest",
      types: {
        getTypeParser: (oid) =>
          NUMBER_OIDS.has(oid) ? Number : types.getTypeParser(oid === BYTES_OID ? BYTES_OID : TEXT_OID),
      },
    });
    // A broken idle connection is replaced on the next use.
    this.#pool.on("error", ignore);
    // Pending queries report a broken connection themselves; an unhandled error event would end the process. A
    // connection may break before its first user gets it.
    this.#pool.on("connect", (connection) => connection.on("error", ignore));
  }

  /** Returns a driver for one tenant; the driver itself sees the whole database. */
  forTenant(tenant: string): SqlDriver {
    return {
      name: this.name,
      read: (statements) => this.read(statements, tenant),
      batch: (statements) => this.batch(statements, tenant),
      close: () => this.close(),
    };
  }

  /** An interrupted read is repeated, because it changes nothing. */
  async read(statements: readonly Statement[], tenant?: string): Promise<Results> {
    return this.#call(async () => {
      const until = performance.now() + this.#retryForMs;
      for (;;) {
        const connection = await this.#connect(until - performance.now());
        try {
          return await this.#send(connection, { begin: BEGIN_READ, statements, tenant });
        } catch (error) {
          if (!isTransient(error) || performance.now() >= until) throw error;
        }
      }
    });
  }

  async batch(statements: readonly Statement[], tenant?: string): Promise<Results | undefined> {
    if (statements.length === 0) return undefined;
    const [first] = statements;
    return this.#call(async () => {
      const until = performance.now() + this.#retryForMs;
      for (let attempt = 1; ; attempt += 1) {
        const connection = await this.#connect(this.#retryForMs);
        try {
          const results = await this.#send(connection, { begin: BEGIN, statements, tenant });
          return first?.isGuard === true && results[0]?.length === 0 ? undefined : results;
        } catch (error) {
          if (isConstraintViolation(error)) return undefined;
          const shouldRetry = hasUnknownOutcome(error)
            ? first?.isRepeatable === true && performance.now() < until
            : // The server rolled back one of two deadlocked batches.
              findReason(error) === "contention" && attempt < MAX_CONTENTIONS;
          if (!shouldRetry) throw toStoreError(error, { name: this.name, isOutcomeUnknown: hasUnknownOutcome(error) });
        }
        await setTimeout(Math.random() * FIRST_PAUSE_MS * attempt);
      }
    });
  }

  /** Runs several statements in one transaction, with decisions between them. An unavailable server is an error. */
  async transaction<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    return this.#call(async () => {
      const connection = await this.#connect(0);
      return this.#useConnection(connection, async () => {
        await sendQueries(connection, [BEGIN]);
        this.#scopes.delete(connection);
        try {
          await sendQueries(connection, [scopeQuery(undefined)]);
          const result = await work(
            async (statement) => (await sendQueries(connection, [toPlainQuery(statement)]))[0] ?? [],
          );
          await sendQueries(connection, [COMMIT]);
          return result;
        } catch (error) {
          // A lost connection has ended its transaction.
          await sendQueries(connection, [ROLLBACK]).catch(() => undefined);
          throw error;
        }
      });
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await this.#pool.end();
  }

  async #call<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new PalimpsestError("closed", `The store ${this.name} was closed; open a new one.`);
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw toStoreError(error, { name: this.name });
    } finally {
      this.#running.delete(running);
    }
  }

  async #connect(retryForMs: number): Promise<PoolClient> {
    const until = performance.now() + retryForMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isTransient(error) || performance.now() >= until) throw error;
      }
      await setTimeout(pauseMs);
    }
  }

  /** Returns the rows of each statement; several run in a transaction. The scope is set first if it changed. */
  async #send(connection: PoolClient, { begin, statements, tenant }: SentStatements): Promise<Results> {
    const queries = statements.map((statement) => this.#statements.prepare(statement));
    const isSingle = queries.length === 1;
    const scope = this.#scopes.get(connection);
    const scoping = scope !== undefined && scope.tenant === tenant ? [] : [scopeQuery(tenant)];
    this.#scopes.delete(connection);
    const results = await this.#useConnection(connection, () =>
      sendQueries(connection, [...scoping, ...(isSingle ? queries : [begin, ...queries, COMMIT])]),
    );
    this.#scopes.set(connection, { tenant });
    const rows = results.slice(scoping.length);
    return isSingle ? rows : rows.slice(1, -1);
  }

  /** A failed connection is not used again: it may be closed, or its server may have become a standby. */
  async #useConnection<Result>(connection: PoolClient, work: () => Promise<Result>): Promise<Result> {
    let isBroken = false;
    try {
      return await work();
    } catch (error) {
      const reason = findReason(error);
      isBroken = reason !== undefined && reason !== "contention";
      throw error;
    } finally {
      connection.release(isBroken);
    }
  }
}

const BEGIN = { text: "BEGIN" };
const BEGIN_READ = { text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" };
const COMMIT = { text: "COMMIT" };
const ROLLBACK = { text: "ROLLBACK" };

/** Sets whose rows a connection may see. With row-level security a pooler must use session mode. */
export function scopeQuery(tenant: string | undefined): Query {
  return {
    name: "palimpsest_scope",
    text: "SELECT set_config('palimpsest.tenant', $1, false), set_config('palimpsest.scope', $2, false)",
    values: [tenant ?? "", tenant === undefined ? "all" : "one"],
  };
}

/** int8, int2, int4, float4 and float8 are read as numbers, bytea as bytes, everything else as text. */
const NUMBER_OIDS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701]);
const TEXT_OID = 25;
const BYTES_OID = 17;

const ignore = () => undefined;

/** Sends all queries at once; the first failure caused the others. */
async function sendQueries(connection: PoolClient, queries: readonly Query[]): Promise<Results> {
  const answers = await Promise.allSettled(queries.map((query) => sendQuery(connection, query)));
  return answers.map((answer) => {
    if (answer.status === "rejected") throw answer.reason;
    return answer.value.rows;
  });
}

function sendQuery(connection: PoolClient, { text, name, values = [] }: Query): Promise<QueryResult<Row>> {
  return connection.query<Row>({ text, ...(name !== undefined && { name }), values: [...values] });
}

/** Returns the address without user and password. */
function readName(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
