/**
 * Asks whether a provider would take a list of messages as it stands: the strict reading of its documented rules. An
 * empty list breaks none of them; what is asked of it comes with its first message. It mends nothing.
 */
import { type Provider, unknownProvider } from "../provider.ts";
import { type Complaint, MALFORMED } from "./complaint.ts";
import { ANTHROPIC_RULES, validateAnthropic } from "./validate-anthropic.ts";
import { GEMINI_RULES, validateGemini } from "./validate-gemini.ts";
import { OPENAI_CHAT_RULES, validateOpenAiChat } from "./validate-openai-chat.ts";
import { OPENAI_RESPONSES_RULES, validateOpenAiResponses } from "./validate-openai-responses.ts";

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
      throw unknownProvider(provider satisfies never);
  }
}

export interface NamedRule {
  readonly name: string;
  readonly says: string;
}

const RULES: Readonly<Record<Provider, readonly NamedRule[]>> = {
  openai: OPENAI_CHAT_RULES,
  "openai-responses": OPENAI_RESPONSES_RULES,
  anthropic: ANTHROPIC_RULES,
  gemini: GEMINI_RULES,
};

/** Every rule that a complaint about this provider may name, with the sentence that states it. */
export function rulesOf(provider: Provider): readonly NamedRule[] {
  const shape = { name: MALFORMED, says: "The value is made of what the provider's list is made of." };
  return [shape, ...RULES[provider].map(({ name, says }) => ({ name, says }))];
}
