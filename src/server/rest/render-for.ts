/** A prompt in the shape that somebody asks for by name. */
import type { Provider } from "../../core/prompt/provider.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";

export function renderFor(prompt: Prompt, provider: Provider | "ai-sdk"): object {
  return provider === "ai-sdk" ? prompt.forStreamText() : prompt.as(provider);
}
