/** Prepares a prompt for a model that binds thinking: leaves out thinking that the model would refuse. */
import { chainUnit } from "../message/hash-message.ts";
import type { Message } from "../message/message.ts";
import type { SectionName } from "../sections/section.ts";
import { type AssembledItem, type AssembledPrompt, type CountMessage, countVolatile } from "./assemble-prompt.ts";
import type { ThinkingWalk } from "./walk-thinking.ts";

/** Section hashes of earlier prompts, so that only new parts are hashed. */
export type SectionChains = Map<SectionName, MessageChain>;

export interface SendOptions {
  readonly count: CountMessage;
  readonly chains: SectionChains;
}

/** Maps messages to their replacements without thinking. */
export function mapReplacedMessages({ steps }: ThinkingWalk): ReadonlyMap<Message, Message> {
  return new Map(steps.flatMap(({ message, sent }) => (sent === message ? [] : [[message, sent] as const])));
}

/** Returns the prompt itself if nothing is left out. */
export function sendThinking(
  prompt: AssembledPrompt,
  replaced: ReadonlyMap<Message, Message>,
  { count, chains }: SendOptions,
): AssembledPrompt {
  if (replaced.size === 0) return prompt;
  const savedBySection = new Map<SectionName, number>();
  const items = prompt.items.map((item): AssembledItem => {
    const message = replaced.get(item.message);
    if (message === undefined) return item;
    const tokens = count(message);
    savedBySection.set(item.section, (savedBySection.get(item.section) ?? 0) + item.tokens - tokens);
    return { ...item, message, tokens };
  });
  const saved = [...savedBySection.values()].reduce((sum, tokens) => sum + tokens, 0);
  const own = new Map<SectionName, readonly string[]>();
  const chainOf = (section: SectionName): readonly string[] => {
    const known = own.get(section);
    if (known !== undefined) return known;
    const messages = items.flatMap((item) => (item.section === section ? [item.message] : []));
    const chain = chainMessages(chains.get(section) ?? EMPTY_CHAIN, messages);
    chains.set(section, chain);
    own.set(section, chain.hashes);
    return chain.hashes;
  };
  const closing = () => prompt.closing();
  const sectionTokens = (section: SectionName) => prompt.sectionTokens(section) - (savedBySection.get(section) ?? 0);
  return {
    items,
    newestNote: prompt.newestNote,
    closing,
    countVolatile: () => countVolatile(items, closing()),
    repairs: prompt.repairs,
    originOf: (source) => prompt.originOf(source),
    tokens: prompt.tokens - saved,
    sectionTotal: (section) => {
      const chain = chainOf(section);
      return { tokens: sectionTokens(section), units: chain.length, hash: chain.at(-1) ?? "" };
    },
    sectionTokens,
    chainAt: (section, units) => (units === 0 ? "" : chainOf(section)[units - 1]),
  };
}

/** Hashes of every prefix of a message list, part by part, so that only new parts are hashed. */
export interface MessageChain {
  readonly messages: readonly Message[];
  readonly hashes: readonly string[];
}

export const EMPTY_CHAIN: MessageChain = { messages: [], hashes: [] };

/** Extends the chain of a list with the same first messages, which are compared by identity. */
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
