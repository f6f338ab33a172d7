/** Creates ids from a clock and a random source, in the formats of the documents. */
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";

interface IdSources {
  readonly clock: Clock;
  readonly randomHex: (digits: number) => string;
}

export function createIds(sources: IdSources): Ids {
  const { randomHex } = sources;
  const [stamp, stampSession] = [createStamps(sources, 8), createStamps(sources, 6)];
  const stamped = () => stamp().join("-");
  return {
    message: stamped,
    session: () => `sess_${stampSession().join("_")}`,
    entry: (type) => (type === "summary" ? formatUuid(randomHex(32)) : `${type}_${stamped()}`),
    prompt: () => `prompt_${stamped()}`,
  };
}

/**
 * Returns pairs of the time and digits. The digits are random for the first pair of a millisecond and count up from
 * there: an import creates hundreds of ids in a millisecond, and random digits would repeat sooner or later.
 */
function createStamps({ clock, randomHex }: IdSources, digits: number): () => readonly [at: number, digits: string] {
  let [last, number] = [Number.NaN, 0];
  return () => {
    const at = clock.now();
    number = at === last ? (number + 1) % 16 ** digits : Number.parseInt(randomHex(digits), 16);
    last = at;
    return [at, number.toString(16).padStart(digits, "0")];
  };
}

/** Formats 32 random digits as a UUID of version 4 (RFC 9562). */
function formatUuid(digits: string): string {
  const variant = ((Number.parseInt(digits[16] ?? "0", 16) & 3) | 8).toString(16);
  const [low, middle, high] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16)];
  return `${low}-${middle}-4${high}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}
