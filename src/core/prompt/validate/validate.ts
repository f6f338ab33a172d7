/**
 * Asks whether a provider would take a list of messages as it stands: the strict reading of its documented rules. An
 * empty list breaks none of them; what is asked of it comes with its first message. It mends nothing.
 */
import type { Provider } from "../provider.ts";
import type { Complaint } from "./complaint.ts";
import { validateAnthropic } from "./validate-anthropic.ts";
import { validateGemini } from "./validate-gemini.ts";
import { validateOpenAiChat } from "./validate-openai-chat.ts";
import { validateOpenAiResponses } from "./validate-openai-responses.ts";

/** `messages` is the provider's own list, or the part of its request that holds the list and the system text. */
export function validate(messages: unknown, provider: Provider): readonly Complaint[] {
  switch (provider) {
    case "openai":
      return validateOpenAiChat(messages);
    case "openai-responses":
      return validateOpenAiResponses(messages);
    case "anthropic":
      return validateAnthropic(messages);
    case "gemini":
      return validateGemini(messages);
    default:
      return provider satisfies never;
  }
}
