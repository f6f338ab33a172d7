/** Ids from a clock and a source of chance, in the forms that the documents ask for. */
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";

export interface IdSources {
  readonly clock: Clock;
  /** So many random hexadecimal digits. */
  readonly randomHex: (digits: number) => string;
}

export function createIds({ clock, randomHex }: IdSources): Ids {
  const stamped = () => `${clock.now()}-${randomHex(8)}`;
  return {
    message: stamped,
    session: () => `sess_${clock.now()}_${randomHex(6)}`,
    entry: (type) => `${type}_${stamped()}`,
    prompt: () => `prompt_${stamped()}`,
  };
}
