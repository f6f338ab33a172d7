/** A caller that gives up: its wait ends at once with a typed error, and what was under way for it writes nothing more. */
import { PalimpsestError } from "../core/errors.ts";

/** Throws where the caller has given up. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedError(signal);
}

/** Ends as the work does, or rejects as soon as the signal is aborted; the work then ends unheard. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  const given = Promise.withResolvers<never>();
  const giveUp = () => given.reject(abortedError(signal));
  signal.addEventListener("abort", giveUp, { once: true });
  work.catch(() => undefined);
  try {
    throwIfAborted(signal);
    return await Promise.race([work, given.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

export function isAborted(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "aborted";
}

function abortedError({ reason }: AbortSignal): PalimpsestError {
  return new PalimpsestError("aborted", "The call was aborted by its signal.", { cause: reason });
}
