/**
 * Removes secrets from all parts of a message before code or a model reads it for a summary. The log keeps the
 * original. Returns the same object for a message without secrets, and caches the result.
 */

import { textPieces } from "../../language/text-pieces.ts";
import { FormCache } from "../../message/known-forms.ts";
import type { Message, Part, SourcePart, ToolOutput } from "../../message/message.ts";
import { removeOwnNotes } from "../../message/own-notes.ts";
import { inlineProviderCompactions } from "../../message/provider-compaction.ts";
import { runSteps } from "../../tokens/count-text.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { redactValue } from "./redact-value.ts";

const known = new FormCache<Message>();

export function redactMessage(message: Message): Message {
  return runSteps(redactOnceInSteps(message));
}

/** Drops placeholders and cut markers, and includes texts of compactions by providers. Yields within long messages. */
export function* redactMessagesInSteps(messages: readonly Message[]): Generator<undefined, readonly Message[]> {
  const redacted: Message[] = [];
  for (const message of messages) {
    redacted.push(yield* redactOnceInSteps(removeOwnNotes(inlineProviderCompactions(message))));
    if (redacted.length % STEP_MESSAGES === 0) yield undefined;
  }
  return redacted;
}

const STEP_MESSAGES = 16;

function* redactOnceInSteps(message: Message): Generator<undefined, Message> {
  const before = known.get(message);
  if (before !== undefined) return before;
  const redacted = yield* redactMessageInSteps(message);
  known.set(message, redacted);
  known.set(redacted, redacted);
  return redacted;
}

/** Redacts without a cache, for exports, which read each of possibly millions of messages only once. */
export function* redactMessageInSteps(message: Message): Generator<undefined, Message> {
  const parts: Part[] = [];
  for (const part of message.parts) parts.push(yield* redactPart(part));
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
}

function* redactPart(part: Part): Generator<undefined, Part> {
  switch (part.type) {
    case "text":
    case "reasoning":
      return withText(part, yield* redactText(part.text));
    case "tool-call": {
      const input = redactValue(part.input);
      const inputText = part.inputText === undefined ? undefined : yield* redactText(part.inputText);
      if (input === part.input) return inputText === part.inputText ? part : { ...part, inputText };
      const { inputText: _, ...rest } = part;
      return { ...rest, input };
    }
    case "tool-result": {
      const output = yield* redactOutput(part.output);
      return output === part.output ? part : { ...part, output };
    }
    case "image":
    case "file":
      return redactMedia(part);
    case "source":
      return redactSource(part);
    case "unknown": {
      const value = redactValue(part.value);
      return value === part.value ? part : { ...part, value };
    }
    default:
      return part satisfies never;
  }
}

function withText<Some extends { readonly text: string }>(part: Some, text: string): Some {
  return text === part.text ? part : { ...part, text };
}

function* redactOutput(output: ToolOutput): Generator<undefined, ToolOutput> {
  switch (output.type) {
    case "text":
      return withText(output, yield* redactText(output.text));
    case "json": {
      const value = redactValue(output.value);
      return value === output.value ? output : { ...output, value };
    }
    case "parts": {
      const parts: (typeof output.parts)[number][] = [];
      for (const part of output.parts) {
        parts.push(part.type === "text" ? withText(part, yield* redactText(part.text)) : part);
      }
      return parts.every((part, index) => part === output.parts[index]) ? output : { ...output, parts };
    }
    default:
      return output satisfies never;
  }
}

function redactSource(part: SourcePart): SourcePart {
  let redacted = part;
  for (const key of ["url", "title", "name"] as const) {
    const before = part[key] ?? "";
    const text = redactSecrets(before).text;
    if (text !== before) redacted = { ...redacted, [key]: text };
  }
  return redacted;
}

function redactMedia<Some extends Part & { readonly type: "image" | "file" }>(part: Some): Some {
  if (part.source.type !== "url") return part;
  const url = redactSecrets(part.source.url).text;
  return url === part.source.url ? part : { ...part, source: { ...part.source, url } };
}

function* redactText(text: string): Generator<undefined, string> {
  const pieces: string[] = [];
  let isSame = true;
  for (const piece of textPieces(text)) {
    if (pieces.length > 0) yield undefined;
    const redacted = redactSecrets(piece).text;
    isSame &&= redacted === piece;
    pieces.push(redacted);
  }
  return isSame ? text : pieces.join("");
}
