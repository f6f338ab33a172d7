/**
 * What a provider would be sent for a list of messages that is not in its own shape: our own messages, or those of the
 * AI SDK, LangChain or another provider, rendered as a prompt. A list that the provider's own format can read, and
 * whatever no format can, is given back as it is, because then its own rules have something to say.
 */

import { decodeInput } from "../../message/formats/decode-input.ts";
import { FORMAT_NAMES, type FormatName } from "../../message/formats/format.ts";
import { FORMATS } from "../../message/formats/formats.ts";
import type { Message } from "../../message/message.ts";
import { fallbackId } from "../../message/message-ids.ts";
import { isOwnMessage } from "../../message/read-messages.ts";
import type { Provider } from "../provider.ts";
import { renderPrompt } from "../render/render-prompt.ts";

const FORMAT_OF: Readonly<Record<Provider, FormatName>> = {
  openai: "openai-chat",
  "openai-responses": "openai-responses",
  anthropic: "anthropic",
  gemini: "gemini",
};

export function asWire(value: unknown, provider: Provider): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  const { recognise } = FORMATS[FORMAT_OF[provider]];
  if (value.every((item) => recognise(item) !== "no")) return value;
  const messages = value.every(isOwnMessage) ? value : readForeign(value);
  return messages === undefined ? value : renderPrompt({ instructions: undefined, messages, provider });
}

/** By a format that knows every item and is sure of one. */
function readForeign(items: readonly unknown[]): readonly Message[] | undefined {
  const format = FORMAT_NAMES.find((name) => {
    const views = items.map((item) => FORMATS[name].recognise(item));
    return views.includes("sure") && !views.includes("no");
  });
  if (format === undefined) return undefined;
  try {
    return decodeInput(items, { fallbackId, format }).messages.flat();
  } catch {
    // A list that cannot be read is judged as it stands.
    return undefined;
  }
}
