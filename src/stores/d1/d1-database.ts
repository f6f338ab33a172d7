/**
 * What a D1 database is to us: statements with values, and several of them as one. It is told by its shape, so that
 * nobody needs Cloudflare's types, and so that whatever answers like one can stand in for it.
 */
export interface D1Database {
  prepare(text: string): D1Statement;
  /** All statements in one transaction, in order; what each gave, in the same order. */
  batch(statements: D1Statement[]): Promise<readonly D1Result[]>;
}

export interface D1Statement {
  bind(...values: unknown[]): D1Statement;
  all(): Promise<D1Result>;
}

export interface D1Result {
  readonly results: readonly unknown[];
}
