/** Renders a conversation for a provider. Repaired messages pass its strict rules, and new ones only add to the end. */
import { ANYTHING, checkOptions, type OptionRule } from "../../check-options.ts";
import { createProviderError, type Provider } from "../provider.ts";
import { arrangeCompaction } from "../use-compaction.ts";
import { type AiSdkPrompt, renderAiSdk } from "./render-ai-sdk.ts";
import { type AnthropicPrompt, renderAnthropic } from "./render-anthropic.ts";
import { type GeminiPrompt, renderGemini } from "./render-gemini.ts";
import { type OpenAiPrompt, renderOpenAiChat } from "./render-openai-chat.ts";
import { type OpenAiResponsesPrompt, renderOpenAiResponses } from "./render-openai-responses.ts";
import type { PromptSource } from "./split-system.ts";

export type { AiSdkPrompt };

export type RenderTarget = Provider | "ai-sdk";

interface RenderedPrompts {
  readonly openai: OpenAiPrompt;
  readonly "openai-responses": OpenAiResponsesPrompt;
  readonly anthropic: AnthropicPrompt;
  readonly gemini: GeminiPrompt;
  readonly "ai-sdk": AiSdkPrompt;
}

export type RenderedPrompt<Name extends RenderTarget> = RenderedPrompts[Name];

export interface RenderOptions<Name extends RenderTarget> extends PromptSource {
  readonly provider: Name;
}

const RENDERERS: { readonly [Name in RenderTarget]: (source: PromptSource) => RenderedPrompts[Name] } = {
  openai: renderOpenAiChat,
  "openai-responses": renderOpenAiResponses,
  anthropic: renderAnthropic,
  gemini: renderGemini,
  "ai-sdk": renderAiSdk,
};

/** Only unknown keys are checked, not values. */
const RENDER_RULES = {
  instructions: ANYTHING,
  messages: ANYTHING,
  breakpoints: ANYTHING,
  marksFor: ANYTHING,
  marksText: ANYTHING,
  cacheKey: ANYTHING,
  compaction: ANYTHING,
  provider: ANYTHING,
} satisfies Record<keyof RenderOptions<RenderTarget>, OptionRule>;

/**
 * Writes messages in the form that a provider accepts.
 *
 * @example
 * ```ts
 * const request = renderPrompt({ provider: "anthropic", instructions: "Be brief.", messages });
 * ```
 */
export function renderPrompt<Name extends RenderTarget>(options: RenderOptions<Name>): RenderedPrompt<Name> {
  checkOptions(options, RENDER_RULES, "renderPrompt");
  if (!Object.hasOwn(RENDERERS, options.provider)) throw createProviderError(options.provider);
  return RENDERERS[options.provider](arrangeCompaction(options, options.provider));
}
