/**
 * Finds what users typed: the text of user messages without blocks that programs inject, without code fences and
 * without pastes. It shares no code with the summarizer.
 */
import type { Message } from "../../../src/core/message/message.ts";

/** A text with more lines than this is a paste. */
const MAX_LINES = 20;

/** Blocks in tags of two or more words, such as `<system-reminder>`, which people do not type. */
const INJECTED = /<([a-z]+(?:[-_][a-z]+)+)>[\s\S]*?(?:<\/\1>|$)/g;
const FENCE = /^(`{3,}|~{3,})[\s\S]*?(?:^\1|$(?![\s\S]))/gm;
const BY_PROGRAM =
  /^(?:\[Request interrupted|\[Image[ :]|Base directory for this skill:|Caveat: The messages below|This session is being continued from|Stop hook feedback|API Error)/;

export function typedText({ role, parts }: Message): string {
  if (role !== "user") return "";
  return parts
    .flatMap((part) =>
      part.type === "text" ? [part.text.replaceAll(INJECTED, " ").replaceAll(FENCE, " ").trim()] : [],
    )
    .filter((text) => text !== "" && !BY_PROGRAM.test(text) && text.split("\n").length <= MAX_LINES)
    .join("\n");
}
