/** Decodes input of any known format into messages with ids. If anything is wrong, an error names the path. */
import { PalimpsestError } from "../../errors.ts";
import type { Message } from "../message.ts";
import { detectFormat, type IsCover } from "./detect-format.ts";
import type { FormatName } from "./format.ts";
import { requireFormat } from "./formats.ts";
import { matchCallsByName } from "./match-calls-by-name.ts";

/** Number of messages in which a result without an id looks for its call. */
export const RECENT_MESSAGES = 64;

export interface DecodedInput {
  readonly format: FormatName;
  readonly messages: readonly (readonly Message[])[];
}

export interface DecodeInputOptions {
  readonly fallbackId: (index: number) => string;
  readonly format?: FormatName | undefined;
  /** The format of earlier items of the same list. It is kept as long as it can read the new ones. */
  readonly earlierFormat?: FormatName | undefined;
  /** Set if the list may begin with a cover, which tells otherwise equal formats apart. */
  readonly isCover?: IsCover | undefined;
  /** The messages right before the input. Results that name only their function may answer calls in them. */
  readonly before?: readonly Message[] | undefined;
  readonly firstIndex?: number | undefined;
}

export function decodeInput(input: unknown, options: DecodeInputOptions): DecodedInput {
  const steps = decodeInputInSteps(input, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const DECODED_AT_ONCE = 200;

/** Like `decodeInput`, but yields between steps. */
export function* decodeInputInSteps(input: unknown, options: DecodeInputOptions): Generator<undefined, DecodedInput> {
  const items = Array.isArray(input) ? input : [input];
  const format = options.format ?? chooseFormat(items, options);
  const firstIndex = options.firstIndex ?? 0;
  const contextOf = (index: number) => ({
    path: Array.isArray(input) ? `messages[${index + firstIndex}]` : "message",
    fallbackId: options.fallbackId(index + firstIndex),
  });
  const { decode, matchesCallsByName } = requireFormat(format);
  const messages: (readonly Message[])[] = [];
  for (const [index, item] of items.entries()) {
    messages.push(decode(item, contextOf(index)));
    if (index % DECODED_AT_ONCE === DECODED_AT_ONCE - 1) yield undefined;
  }
  return { format, messages: matchesCallsByName === true ? matchAcross(messages, options.before ?? []) : messages };
}

function chooseFormat(
  items: readonly unknown[],
  { earlierFormat: earlier, isCover }: Pick<DecodeInputOptions, "earlierFormat" | "isCover">,
): FormatName {
  if (earlier === "palimpsest") return earlier;
  const found = detectFormat(items, isCover) ?? "ai-sdk-model";
  if (earlier === undefined || found === earlier) return found;
  const { recognize } = requireFormat(earlier);
  return items.every((item) => recognize(item) !== "no") ? earlier : found;
}

/** Matches results that name only their function over the whole list, then splits it into the same groups again. */
function matchAcross(
  groups: readonly (readonly Message[])[],
  before: readonly Message[],
): readonly (readonly Message[])[] {
  const matched = matchCallsByName([...before, ...groups.flat()]).slice(before.length);
  let start = 0;
  return groups.map((group) => {
    start += group.length;
    return matched.slice(start - group.length, start);
  });
}

export function requireMessages(messages: readonly Message[]): readonly Message[] {
  if (messages.length > 0) return messages;
  throw new PalimpsestError("message-invalid", "messages: expected at least one message, found none.");
}
