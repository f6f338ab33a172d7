/**
 * Hashes the parent's hash and the new stretch, so that a record proves its sources without storing them. The same
 * chain over the same texts has the same hash, so a summary can be found by it.
 */
import { hashMessage, hashText } from "../../message/hash-message.ts";
import type { Message } from "../../message/message.ts";
import { runSteps } from "../../tokens/count-text.ts";

/** `previous` is the parent's hash. Hashing messages one by one gives the same result as all at once. */
export function chainHash(previous: string | undefined, messages: readonly Message[]): string {
  return runSteps(chainHashInSteps(previous, messages));
}

export function* chainHashInSteps(
  previous: string | undefined,
  messages: readonly Message[],
): Generator<undefined, string> {
  let hash = previous ?? CHAIN_START;
  for (const [index, message] of messages.entries()) {
    hash = hashText(`${hash}\n${hashMessage(message)}`);
    if (index % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) yield undefined;
  }
  return hash;
}

const HASHED_AT_ONCE = 100;

const CHAIN_START = hashText("");
