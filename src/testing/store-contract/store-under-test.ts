/** The store that a caller of the contract provides, and assertions. It works with any test runner. */
import assert from "node:assert/strict";
import type { Store, TenantStore } from "../../ports/store.ts";

/** A store to test, and how its clock moves. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Advances the clock of leases: moves a scripted clock, or waits for a real one. */
  passTime(milliseconds: number): Promise<void>;
  /** Closes the store and opens it again. Absent for stores that keep nothing. */
  readonly reopen?: (() => Promise<Store>) | undefined;
  /** Whether an image in two sessions is stored once (`tenant`, the default) or with each. */
  readonly keepsBlobsBy?: "tenant" | "session" | undefined;
}

/** The functions of a test runner, and how to create the store to test. */
export interface StoreContract {
  /** The function of vitest, jest or node:test. */
  readonly describe: (title: string, body: () => void) => unknown;
  readonly test: (title: string, body: () => Promise<void>) => unknown;
  /** Creates an empty store. The caller removes it after the tests. */
  readonly make: () => Promise<StoreUnderTest>;
  /** Number of histories for each property. */
  readonly runs: number;
}

/** A part of the contract. Its tests share a store, each with its own tenants. */
export interface ContractPart extends StoreContract {
  /** Returns the shared store, created on first use. */
  readonly shared: () => Promise<StoreUnderTest>;
  /** Runs a test with a new tenant of the shared store, which has one empty session. */
  readonly testTenant: (title: string, body: (tenant: TenantStore, under: StoreUnderTest) => Promise<void>) => unknown;
}

/** Asserts that values are equal. An undefined field equals a missing one, as in JSON. */
export function expectSame(actual: unknown, expected: unknown, because?: string): void {
  assert.deepEqual(withoutUndefined(actual), withoutUndefined(expected), because);
}

/** Asserts that a value has at least these fields. */
export function expectMatch(actual: unknown, expected: Readonly<Record<string, unknown>>): void {
  const found: Readonly<Record<string, unknown>> = typeof actual === "object" && actual !== null ? { ...actual } : {};
  expectSame(Object.fromEntries(Object.keys(expected).map((key) => [key, found[key]])), expected);
}

export async function expectError(code: string, work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error) => error instanceof Error && "code" in error && error.code === code);
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutUndefined(field)]));
}
