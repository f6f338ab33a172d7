/**
 * Asks whether a provider would take a list of messages as it stands: the strict reading of its documented rules. An
 * empty list breaks none of them; what is asked of it comes with its first message. It mends nothing.
 */
import { type Provider, unknownProvider } from "../provider.ts";
import { asWire } from "./as-wire.ts";
import type { Complaint } from "./complaint.ts";
import { validateAnthropic } from "./validate-anthropic.ts";
import { validateGemini } from "./validate-gemini.ts";
import { validateOpenAiChat } from "./validate-openai-chat.ts";
import { validateOpenAiResponses } from "./validate-openai-responses.ts";

/**
 * `messages` is the provider's own list, or the part of its request that holds the list and the system text. A list in
 * another shape is judged as it would be sent; then paths are those of what would be sent.
 */
export function validate(messages: unknown, provider: Provider): readonly Complaint[] {
  switch (provider) {
    case "openai":
      return validateOpenAiChat(asWire(messages, provider));
    case "openai-responses":
      return validateOpenAiResponses(asWire(messages, provider));
    case "anthropic":
      return validateAnthropic(asWire(messages, provider));
    case "gemini":
      return validateGemini(asWire(messages, provider));
    default:
      throw unknownProvider(provider satisfies never);
  }
}
