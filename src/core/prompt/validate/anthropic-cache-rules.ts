/** What Anthropic asks of cache marks: how many a request may have, and where none may be. */
import { isObject } from "../../message/formats/decode-value.ts";
import type { AnthropicPrompt } from "./anthropic-prompt.ts";
import { isThought } from "./anthropic-thinking-rules.ts";
import type { Fault } from "./complaint.ts";
import type { Placed } from "./wire-value.ts";

const MAX_MARKS = 4;

export function findTooManyMarks(prompt: AnthropicPrompt): readonly Fault[] {
  const marked = markable(prompt).filter(isMarked);
  const fifth = marked[MAX_MARKS];
  return fifth === undefined ? [] : [{ path: fifth.path, detail: `There are ${marked.length}.` }];
}

export function findCacheFaults({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (isThought(block) && isMarked(block) ? [{ path: block.path }] : [])),
  );
}

function markable({ system, turns, tools }: AnthropicPrompt): readonly Placed[] {
  const blocks = turns.flatMap((turn) => turn.blocks.flatMap((block) => [...block.inner, block]));
  return [...tools, ...system, ...blocks];
}

function isMarked({ source }: Placed): boolean {
  return isObject(source.cache_control);
}
