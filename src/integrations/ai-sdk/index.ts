/** Palimpsest for the AI SDK 7: a wrapped model, prompts for agent loops, and storage for chat routes. */
export type { HistoryKeeper } from "../shared/host-messages.ts";
export type { PromptSettings } from "../shared/prompt-settings.ts";
export { persist, prepareStep, type StepOptions } from "./prepare-step.ts";
export type { SdkCall, SdkModel } from "./sdk-types.ts";
export { sessionMiddleware, type WrapModelOptions, wrapModel } from "./wrap-model.ts";
