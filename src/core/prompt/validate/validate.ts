/** Checks whether a provider would accept a list of messages, by a strict reading of its documented rules. */
import { decodeInput } from "../../message/formats/decode-input.ts";
import { FORMAT_NAMES, type FormatName } from "../../message/formats/format.ts";
import { FORMATS } from "../../message/formats/formats.ts";
import { isOwnMessage } from "../../message/formats/read-messages.ts";
import type { Message } from "../../message/message.ts";
import { fallbackId } from "../../message/message-ids.ts";
import { createProviderError, type Provider } from "../provider.ts";
import { renderPrompt } from "../render/render-prompt.ts";
import type { Complaint } from "./complaint.ts";
import { validateAnthropic } from "./validate-anthropic.ts";
import { validateGemini } from "./validate-gemini.ts";
import { validateOpenAiChat } from "./validate-openai-chat.ts";
import { validateOpenAiResponses } from "./validate-openai-responses.ts";

/**
 * Accepts the provider's own list or request. A list in another format is checked as it would be sent.
 *
 * @example
 * ```ts
 * for (const { path, text } of validate(history, "anthropic")) console.log(`${path}: ${text}`);
 * ```
 */
export function validate(messages: unknown, provider: Provider): readonly Complaint[] {
  switch (provider) {
    case "openai":
      return validateOpenAiChat(toWireForm(messages, provider));
    case "openai-responses":
      return validateOpenAiResponses(toWireForm(messages, provider));
    case "anthropic":
      return validateAnthropic(toWireForm(messages, provider));
    case "gemini":
      return validateGemini(toWireForm(messages, provider));
    default:
      throw createProviderError(provider satisfies never);
  }
}

// A list in another format (ours, the AI SDK's, LangChain's or another provider's) is rendered as a prompt first. A
// list in the provider's own format, or in no known format, is checked unchanged.
const FORMAT_OF: Readonly<Record<Provider, FormatName>> = {
  openai: "openai-chat",
  "openai-responses": "openai-responses",
  anthropic: "anthropic",
  gemini: "gemini",
};

export function toWireForm(value: unknown, provider: Provider): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  const { recognize } = FORMATS[FORMAT_OF[provider]];
  if (value.every((item) => recognize(item) !== "no")) return value;
  const messages = value.every(isOwnMessage) ? value : readForeign(value);
  return messages === undefined ? value : renderPrompt({ instructions: undefined, messages, provider });
}

/** Decodes a list with a format that accepts every item and is sure of at least one. */
function readForeign(items: readonly unknown[]): readonly Message[] | undefined {
  const format = FORMAT_NAMES.find((name) => {
    const views = items.map((item) => FORMATS[name].recognize(item));
    return views.includes("sure") && !views.includes("no");
  });
  if (format === undefined) return undefined;
  try {
    return decodeInput(items, { fallbackId, format }).messages.flat();
  } catch {
    // A list that cannot be decoded is checked unchanged.
    return undefined;
  }
}
