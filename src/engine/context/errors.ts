/** Errors that several steps throw or recognize. */
import { PalimpsestError } from "../../core/errors.ts";
import type { MessageEntry } from "../../core/log/entry.ts";
import type { Floor } from "../../core/plan/proposal.ts";

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw createAbortError(signal);
}

/** Settles like the work, or rejects as soon as the signal is aborted; the outcome of the work is then ignored. */
export async function rejectOnAbort<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const reject = () => aborted.reject(createAbortError(signal));
  signal.addEventListener("abort", reject, { once: true });
  work.catch(() => undefined);
  try {
    throwIfAborted(signal);
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", reject);
  }
}

export function isAbortError(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "aborted";
}

function createAbortError({ reason }: AbortSignal): PalimpsestError {
  return new PalimpsestError("aborted", "The call was aborted by its signal.", { cause: reason });
}

/** For calls that lost a race: returns the value if another caller deleted the session, and throws other errors. */
export function returnIfGone<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof PalimpsestError && error.code === "session-not-found") return value;
    throw error;
  };
}

/** For calls that only check a session: a session that is still being folded can be read. */
export function ignoreCatchingUp(error: unknown): void {
  if (!(error instanceof PalimpsestError && error.code === "catching-up")) throw error;
}

/** A stored message that does not match its hash is not shown; the store's warning says where its text is. */
export function messageDamaged({ id, seq }: Pick<MessageEntry, "id" | "seq">): PalimpsestError {
  const text =
    `The stored message ${JSON.stringify(id)} (entry ${seq}) cannot be shown: it does not match its hash, so it was ` +
    "damaged or changed outside of Palimpsest. Restore it from a backup; docs/stores.md explains how to read stored data.";
  const details = { reason: "corrupt", messageId: id, seq };
  return new PalimpsestError("store-unavailable", text, { details, retryable: false });
}

/**
 * Returns the floor of a `does-not-fit` error.
 *
 * @example
 * ```ts
 * try {
 *   await session.prompt({ budgetTokens: 500 });
 * } catch (error) {
 *   console.log(floorOfError(error)?.floorTokens);
 * }
 * ```
 */
export function floorOfError(error: unknown): Floor | undefined {
  if (!(error instanceof PalimpsestError) || error.code !== "does-not-fit") return undefined;
  return error.details.floor as Floor;
}
