/** Creates ids from a clock and a random source, in the formats of the documents. */
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";

interface IdSources {
  readonly clock: Clock;
  readonly randomHex: (digits: number) => string;
}

export function createIds({ clock, randomHex }: IdSources): Ids {
  const stamped = () => `${clock.now()}-${randomHex(8)}`;
  return {
    message: stamped,
    session: () => `sess_${clock.now()}_${randomHex(6)}`,
    entry: (type) => (type === "summary" ? formatUuid(randomHex(32)) : `${type}_${stamped()}`),
    prompt: () => `prompt_${stamped()}`,
  };
}

/** Formats 32 random digits as a UUID of version 4 (RFC 9562). */
function formatUuid(digits: string): string {
  const variant = ((Number.parseInt(digits[16] ?? "0", 16) & 3) | 8).toString(16);
  const [low, middle, high] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16)];
  return `${low}-${middle}-4${high}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}
