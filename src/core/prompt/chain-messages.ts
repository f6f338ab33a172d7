/** The hash of every beginning of a list of messages, part by part, kept so that a list that grows costs what is new. */
import { chainUnit } from "../message/hash-message.ts";
import type { Message } from "../message/message.ts";

export interface MessageChain {
  readonly messages: readonly Message[];
  /** Of every part, one after the other. */
  readonly hashes: readonly string[];
}

export const EMPTY_CHAIN: MessageChain = { messages: [], hashes: [] };

/** Chains a list that may begin like the one before; messages are compared by identity. */
export function chainMessages(known: MessageChain, messages: readonly Message[]): MessageChain {
  const firstOther = messages.findIndex((message, index) => message !== known.messages[index]);
  const same = firstOther === -1 ? messages.length : firstOther;
  if (same === messages.length && same === known.messages.length) return known;
  const units = known.messages.slice(0, same).reduce((sum, { parts }) => sum + parts.length, 0);
  const hashes = known.hashes.slice(0, units);
  for (const { role, parts } of messages.slice(same)) {
    for (const part of parts) hashes.push(chainUnit(hashes.at(-1) ?? "", role, part));
  }
  return { messages, hashes };
}
