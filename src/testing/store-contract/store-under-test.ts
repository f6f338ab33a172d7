/** What a contract needs of a store's author, and what it says about values. It knows no test runner of its own. */
import assert from "node:assert/strict";
import type { Store } from "../../ports/store.ts";

export interface StoreUnderTest {
  readonly store: Store;
  /** Lets the clock that leases run on go on: a scripted clock is moved, a real one waited for. */
  passTime(milliseconds: number): Promise<void>;
  /** Closes the store and opens it again from what it left. Stores that forget have none. */
  readonly reopen?: (() => Promise<Store>) | undefined;
  /** Whether one image in two sessions is kept once (`tenant`, the default) or with each of them. */
  readonly keepsBlobsBy?: "tenant" | "session" | undefined;
}

export interface StoreContract {
  /** Of vitest, jest or node:test. */
  readonly describe: (title: string, body: () => void) => unknown;
  readonly test: (title: string, body: () => Promise<void>) => unknown;
  /** A store with nothing in it. Whoever makes it also cleans up after the tests. */
  readonly make: () => Promise<StoreUnderTest>;
  /** How many histories each property tries. */
  readonly runs: number;
}

/** One part of the contract: tests that share a store and have tenants of their own in it. */
export interface ContractPart extends StoreContract {
  /** The store that tests share; made when the first one asks for it. */
  readonly shared: () => Promise<StoreUnderTest>;
}

/** Equal values; a key that is undefined is the same as none, because JSON knows no difference. */
export function same(actual: unknown, expected: unknown, because?: string): void {
  assert.deepEqual(withoutUndefined(actual), withoutUndefined(expected), because);
}

/** A value that has at least these fields, with these values. */
export function matches(actual: unknown, expected: Readonly<Record<string, unknown>>): void {
  const found: Readonly<Record<string, unknown>> = typeof actual === "object" && actual !== null ? { ...actual } : {};
  same(Object.fromEntries(Object.keys(expected).map((key) => [key, found[key]])), expected);
}

export async function failsWith(code: string, work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error) => error instanceof Error && "code" in error && error.code === code);
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutUndefined(field)]));
}
