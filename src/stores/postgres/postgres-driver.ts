/**
 * A pool of connections to one database. Statements of a call are sent together and answered together: a read or a
 * batch is one way there and back, however many statements it has. A server that is away for a moment is waited for; a
 * batch whose answer was lost is never sent again from here, because it may have been written.
 */
import { setTimeout } from "node:timers/promises";
import type { Pool, PoolClient, QueryResult } from "pg";
import { PalimpsestError } from "../../core/errors.ts";
import type { Row, SqlDriver, Statement } from "../sql/driver.ts";
import type { PgModule } from "./load-pg.ts";
import { findReason, isRefusal, OPEN_ENDED, PASSING, toStoreError } from "./postgres-failure.ts";
import { PreparedStatements, type Query, unprepared } from "./prepared-statement.ts";

export interface PostgresDriverOptions {
  readonly url: string;
  /** At most so many at once. */
  readonly connections: number;
  /** How long a server that is away is waited for. */
  readonly patienceMs: number;
  /** After it a statement is given up, and its connection with it. */
  readonly statementTimeoutMs: number;
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;
/** For one connection to be made, or to become free. */
const CONNECTION_TIMEOUT_MS = 10_000;
const MOST_CONTENTIONS = 10;

type Results = readonly (readonly Row[])[];

interface Sent {
  readonly begin: Query;
  readonly statements: readonly Statement[];
  readonly tenant: string | undefined;
}

/** One tenant, or all. */
interface Scope {
  readonly tenant: string | undefined;
}

/** Runs one statement of a transaction. */
export type Run = (statement: Statement) => Promise<readonly Row[]>;

export class PostgresDriver implements SqlDriver {
  readonly name: string;
  readonly #patienceMs: number;
  readonly #pool: Pool;
  readonly #statements = new PreparedStatements();
  readonly #running = new Set<Promise<unknown>>();
  /** Whose rows each connection was told that it may see. */
  readonly #told = new WeakMap<PoolClient, Scope>();
  #isClosed = false;

  constructor({ Pool, types }: PgModule, { url, connections, patienceMs, statementTimeoutMs }: PostgresDriverOptions) {
    this.name = nameOf(url);
    this.#patienceMs = patienceMs;
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
        getTypeParser: (oid) => (NUMBERS.has(oid) ? Number : types.getTypeParser(oid === BYTES ? BYTES : TEXT)),
      },
    });
    // A connection that breaks while nobody uses it is replaced when somebody needs one.
    this.#pool.on("error", ignore);
    // One that breaks says so to whoever waits for an answer; unheard, it would end the process. It may break with the
    // bytes that say it is open, before anybody who asked for it has had a turn.
    this.#pool.on("connect", (connection) => connection.on("error", ignore));
  }

  /** What a tenant asks; everything that is asked of this driver itself is about the whole database. */
  forTenant(tenant: string): SqlDriver {
    return {
      name: this.name,
      read: (statements) => this.read(statements, tenant),
      batch: (statements) => this.batch(statements, tenant),
      close: () => this.close(),
    };
  }

  /** A read that was interrupted is begun again: nothing has changed by it. */
  async read(statements: readonly Statement[], tenant?: string): Promise<Results> {
    return this.#call(async () => {
      const until = performance.now() + this.#patienceMs;
      for (;;) {
        const connection = await this.#connect(until - performance.now());
        try {
          return await this.#send(connection, { begin: BEGIN_READ, statements, tenant });
        } catch (error) {
          if (!isPassing(error) || performance.now() >= until) throw error;
        }
      }
    });
  }

  async batch(statements: readonly Statement[], tenant?: string): Promise<Results | undefined> {
    if (statements.length === 0) return undefined;
    const [first] = statements;
    return this.#call(async () => {
      const until = performance.now() + this.#patienceMs;
      for (let attempt = 1; ; attempt += 1) {
        const connection = await this.#connect(this.#patienceMs);
        try {
          const results = await this.#send(connection, { begin: BEGIN, statements, tenant });
          return first?.isGuard === true && results[0]?.length === 0 ? undefined : results;
        } catch (error) {
          if (isRefusal(error)) return undefined;
          const isAgain = isOpenEnded(error)
            ? first?.isRepeatable === true && performance.now() < until
            : // Of two that wait for each other the server undoes one, whole.
              findReason(error) === "contention" && attempt < MOST_CONTENTIONS;
          if (!isAgain) throw toStoreError(error, { name: this.name, isOutcomeUnknown: isOpenEnded(error) });
        }
        await setTimeout(Math.random() * FIRST_PAUSE_MS * attempt);
      }
    });
  }

  /** Several statements on one connection, with whatever is decided between them. A server that is away is an error. */
  async transaction<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
    return this.#call(async () => {
      const connection = await this.#connect(0);
      return this.#using(connection, async () => {
        await send(connection, [BEGIN]);
        this.#told.delete(connection);
        try {
          await send(connection, [scopeQuery(undefined)]);
          const result = await work(async (statement) => (await send(connection, [unprepared(statement)]))[0] ?? []);
          await send(connection, [COMMIT]);
          return result;
        } catch (error) {
          // Where the connection is gone, so is the transaction.
          await send(connection, [ROLLBACK]).catch(() => undefined);
          throw error;
        }
      });
    });
  }

  /** Who is waiting for an answer gets it first. */
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

  async #connect(patienceMs: number): Promise<PoolClient> {
    const until = performance.now() + patienceMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isPassing(error) || performance.now() >= until) throw error;
      }
      await setTimeout(pauseMs);
    }
  }

  /** Rows of each; more than one are a transaction. What they may see is said before them, where it was not already. */
  async #send(connection: PoolClient, { begin, statements, tenant }: Sent): Promise<Results> {
    const queries = statements.map((statement) => this.#statements.prepare(statement));
    const isAlone = queries.length === 1;
    const scope = this.#told.get(connection);
    const telling = scope !== undefined && scope.tenant === tenant ? [] : [scopeQuery(tenant)];
    this.#told.delete(connection);
    const results = await this.#using(connection, () =>
      send(connection, [...telling, ...(isAlone ? queries : [begin, ...queries, COMMIT])]),
    );
    this.#told.set(connection, { tenant });
    const rows = results.slice(telling.length);
    return isAlone ? rows : rows.slice(1, -1);
  }

  /** A connection that failed is not used again: it may be gone, or lead to a server that has become a standby. */
  async #using<Result>(connection: PoolClient, work: () => Promise<Result>): Promise<Result> {
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

/**
 * For a connection, until it is told otherwise. A pooler that gives each transaction another connection keeps no such
 * word: with row-level security in force it has to keep connections for a session, or be left out.
 */
export function scopeQuery(tenant: string | undefined): Query {
  return {
    name: "palimpsest_scope",
    text: "SELECT set_config('palimpsest.tenant', $1, false), set_config('palimpsest.scope', $2, false)",
    values: [tenant ?? "", tenant === undefined ? "all" : "one"],
  };
}

/** int8, int2, int4, float4 and float8 are numbers, bytea is bytes; everything else is read as the text that it is. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701]);
const TEXT = 25;
const BYTES = 17;

const ignore = () => undefined;

function isPassing(error: unknown): boolean {
  const reason = findReason(error);
  return reason !== undefined && PASSING.has(reason);
}

function isOpenEnded(error: unknown): boolean {
  const reason = findReason(error);
  return reason !== undefined && OPEN_ENDED.has(reason);
}

/** All at once; the first failure is the one that says why the others failed too. */
async function send(connection: PoolClient, queries: readonly Query[]): Promise<Results> {
  const answers = await Promise.allSettled(queries.map((query) => ask(connection, query)));
  return answers.map((answer) => {
    if (answer.status === "rejected") throw answer.reason;
    return answer.value.rows;
  });
}

function ask(connection: PoolClient, { text, name, values = [] }: Query): Promise<QueryResult<Row>> {
  return connection.query<Row>({ text, ...(name !== undefined && { name }), values: [...values] });
}

/** Where it is, without who comes and with which password. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
