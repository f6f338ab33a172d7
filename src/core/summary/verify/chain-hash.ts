/**
 * Proves what a summary was made of without keeping it: the hash of the hash before it and of the new stretch. The
 * same chain over the same words gives the same hash, so it is the key under which a summary can be found again.
 */
import { hashMessage, hashText } from "../../message/hash-message.ts";
import type { Message } from "../../message/message.ts";

/** `previous` is the parent's hash; the first of a chain has none. Message by message equals all at once. */
export function chainHash(previous: string | undefined, messages: readonly Message[]): string {
  return messages.reduce((hash, message) => hashText(`${hash}\n${hashMessage(message)}`), previous ?? CHAIN_START);
}

const CHAIN_START = hashText("");
