/**
 * Quotes whole messages in a recalled block. Each line of a message begins with a mark, so that its text cannot
 * imitate a turn or the end of the block. A message that does not fit is cut at its end.
 */
import type { Message } from "../message/message.ts";
import { describeMedia, outputText } from "../message/message-text.ts";
import { takeHead } from "../message/whole-text.ts";
import { redactSecrets } from "../summary/secrets/redact-secrets.ts";
import { type RecalledPassage, writeOriginal, writeRecallBlock } from "./recall-block.ts";
import { NOTHING_RECALLED, type Recollection } from "./recall-passages.ts";

export interface OriginalsBudget {
  /** Limit of the whole block by `count`. */
  readonly budgetTokens: number;
  readonly count: (text: string) => number;
  readonly limit?: number | undefined;
}

/** Quotes messages in order until the budget is used. The last line names the first message that is left out. */
export function quoteOriginals(messages: readonly Message[], budget: OriginalsBudget): Recollection {
  const longest = budget.budgetTokens * MAX_CHARACTERS_PER_TOKEN;
  const readable = messages.map((message) => readOriginal(message, longest)).filter(({ text }) => text !== "");
  const most = Math.min(readable.length, budget.limit ?? readable.length);
  const chosen: RecalledPassage[] = [];
  for (const passage of readable.slice(0, most)) {
    const whole = writeOriginals([...chosen, passage], readable[chosen.length + 1]?.messageId);
    if (budget.count(whole) <= budget.budgetTokens) {
      chosen.push(passage);
      continue;
    }
    const cut = chosen.length === 0 ? cutOriginal(passage, readable[1]?.messageId, budget) : undefined;
    if (cut !== undefined) chosen.push(cut);
    break;
  }
  if (chosen.length === 0) return NOTHING_RECALLED;
  const text = writeOriginals(chosen, readable[chosen.length]?.messageId);
  return { passages: chosen, text, tokens: budget.count(text) };
}

/** Longer texts exceed the budget in any language, so they need not be counted. */
const MAX_CHARACTERS_PER_TOKEN = 20;

function readOriginal({ id: messageId, role, name, saidAt, parts }: Message, longest: number): RecalledPassage {
  const said = parts.flatMap((part): readonly string[] => {
    switch (part.type) {
      case "text":
        return [part.text];
      case "tool-call":
        return [`${part.tool} ${JSON.stringify(part.input)}`];
      case "tool-result":
        return [outputText(part.output)];
      case "image":
      case "file":
        return [`[${describeMedia(part)}]`];
      default:
        return [];
    }
  });
  const whole = said.join("\n").trim();
  const { text } = redactSecrets(takeHead(whole, longest));
  return { messageId, role, name, saidAt, text, isWhole: whole.length <= longest, words: [], score: 0 };
}

/** Returns the longest beginning that fits, found by halving; undefined if not even a few words fit. */
function cutOriginal(
  passage: RecalledPassage,
  nextId: string | undefined,
  { budgetTokens, count }: OriginalsBudget,
): RecalledPassage | undefined {
  const cutAt = (length: number) => ({ ...passage, text: takeHead(passage.text, length), isWhole: false });
  let [fits, exceeds] = [0, passage.text.length];
  while (exceeds - fits > MIN_STEP_CHARACTERS) {
    const middle = Math.floor((fits + exceeds) / 2);
    if (count(writeOriginals([cutAt(middle)], nextId)) <= budgetTokens) fits = middle;
    else exceeds = middle;
  }
  return fits === 0 ? undefined : cutAt(fits);
}

const MIN_STEP_CHARACTERS = 16;

function writeOriginals(passages: readonly RecalledPassage[], nextId: string | undefined): string {
  return writeRecallBlock(passages, { write: writeOriginal, nextId });
}
