/**
 * An assembled prompt as it is sent to a model that binds thinking: the same items, without the thinking that a walk
 * leaves out. Tokens and hashes are those of what is sent.
 */
import type { Message } from "../message/message.ts";
import type { SectionName } from "../sections/section.ts";
import { type AssembledItem, type AssembledPrompt, type CountMessage, countVolatile } from "./assemble-prompt.ts";
import { chainMessages, EMPTY_CHAIN, type MessageChain } from "./chain-messages.ts";
import type { ThinkingWalk } from "./walk-thinking.ts";

/** The hashes of sections in earlier prompts, so that a section that grows costs what is new. */
export type SectionChains = Map<SectionName, MessageChain>;

export interface SendOptions {
  readonly count: CountMessage;
  readonly chains: SectionChains;
}

/** Messages of which thinking is left out, with what is sent in their place. */
export function findReplaced({ steps }: ThinkingWalk): ReadonlyMap<Message, Message> {
  return new Map(steps.flatMap(({ message, sent }) => (sent === message ? [] : [[message, sent] as const])));
}

/** The prompt itself where nothing is left out. */
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
