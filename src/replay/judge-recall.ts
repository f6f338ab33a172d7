/**
 * Measures how much of what a conversation needs next is in the prompt: of the names and commands in the next thirty
 * tool calls, and of the words in the user's next two messages, that were mentioned before, the share that the prompt
 * contains anywhere. It is a ceiling on what a model could use, not the accuracy of its answers.
 */
import type { Message } from "../core/message/message.ts";
import { findIdentifiers } from "./find-identifiers.ts";
import { type BlockBook, type PromptBlock, textOf } from "./prompt-blocks.ts";

export interface NeedCount {
  readonly needed: number;
  readonly found: number;
}

export interface Needs {
  readonly names: NeedCount;
  readonly commands: NeedCount;
  readonly words: NeedCount;
}

const NEXT_CALLS = 30;
const NEXT_REQUESTS = 2;
const NOTHING: NeedCount = { needed: 0, found: 0 };
export const NO_NEEDS: Needs = { names: NOTHING, commands: NOTHING, words: NOTHING };

export function addNeeds(left: Needs, right: Needs): Needs {
  return {
    names: addCounts(left.names, right.names),
    commands: addCounts(left.commands, right.commands),
    words: addCounts(left.words, right.words),
  };
}

function addCounts(left: NeedCount, right: NeedCount): NeedCount {
  return { needed: left.needed + right.needed, found: left.found + right.found };
}

interface Place<Value> {
  readonly index: number;
  readonly values: ReadonlySet<Value>;
}

export class RecallJudge {
  readonly #firstNamed = new Map<string, number>();
  readonly #firstRun = new Map<string, number>();
  readonly #firstSaid = new Map<string, number>();
  readonly #names: Place<string>[] = [];
  readonly #commands: Place<string>[] = [];
  readonly #words: Place<string>[] = [];

  constructor(messages: readonly Message[], book: BlockBook) {
    for (const [index, message] of messages.entries()) {
      const blocks = book.blocksOf(message);
      for (const { identifiers } of blocks) note(this.#firstNamed, identifiers, index);
      for (const block of blocks) note(this.#firstSaid, findWords(block), index);
      const calls = message.parts.filter(({ type }) => type === "tool-call");
      for (const part of calls) {
        this.#names.push({ index, values: findIdentifiers(textOf(part)) });
        const commands = findCommands(part.type === "tool-call" ? part.input : undefined);
        this.#commands.push({ index, values: commands });
        note(this.#firstRun, commands, index);
      }
      if (message.role !== "user") continue;
      this.#words.push({ index, values: new Set(blocks.flatMap((block) => [...findWords(block)])) });
    }
  }

  judge(prompt: readonly PromptBlock[], index: number): Needs {
    return {
      names: this.judgeNames(prompt, index),
      commands: count(chooseNeeded(this.#commands, this.#firstRun, { index, most: NEXT_CALLS }), (command) =>
        prompt.some(({ text }) => text.includes(command)),
      ),
      words: count(chooseNeeded(this.#words, this.#firstSaid, { index, most: NEXT_REQUESTS }), (word) =>
        prompt.some((block) => findWords(block).has(word)),
      ),
    };
  }

  judgeNames(prompt: readonly PromptBlock[], index: number): NeedCount {
    const needed = chooseNeeded(this.#names, this.#firstNamed, { index, most: NEXT_CALLS });
    return count(needed, (word) => isNamed(prompt, word));
  }
}

function note(first: Map<string, number>, values: Iterable<string>, index: number): void {
  for (const value of values) if (!first.has(value)) first.set(value, index);
}

/** Returns the values of the next places that were mentioned before. */
function chooseNeeded(
  places: readonly Place<string>[],
  first: ReadonlyMap<string, number>,
  { index, most }: { readonly index: number; readonly most: number },
): ReadonlySet<string> {
  const next = places.filter((place) => place.index >= index).slice(0, most);
  const values = new Set(next.flatMap((place) => [...place.values]));
  return new Set([...values].filter((value) => (first.get(value) ?? index) < index));
}

function count(needed: ReadonlySet<string>, isFound: (value: string) => boolean): NeedCount {
  return { needed: needed.size, found: [...needed].filter(isFound).length };
}

function isNamed(prompt: readonly PromptBlock[], word: string): boolean {
  return prompt.some(({ identifiers }) => identifiers.has(word)) || prompt.some(({ text }) => text.includes(word));
}

const MAX_COMMAND = 400;

/** Returns the command lines of a call to a shell. */
function findCommands(input: unknown): ReadonlySet<string> {
  const { command, cmd } = Object(input);
  const text = [command ?? cmd]
    .flat()
    .filter((each) => typeof each === "string")
    .join(" ")
    .trim();
  return new Set(text === "" || text.length > MAX_COMMAND ? [] : [text]);
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}_-]{4,40}/gu;
const wordsOf = new WeakMap<PromptBlock, ReadonlySet<string>>();

/** Returns words of at least five letters, which are rarely function words. */
function findWords(block: PromptBlock): ReadonlySet<string> {
  const known = wordsOf.get(block);
  if (known !== undefined) return known;
  const words = new Set(Array.from(block.text.matchAll(WORD), ([word]) => word.toLowerCase()));
  wordsOf.set(block, words);
  return words;
}
