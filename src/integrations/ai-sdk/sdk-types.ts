/** The AI SDK's model interface, taken from the types of `ai`, so that no other package is needed. */
import type { LanguageModel } from "ai";

/** A language model of the AI SDK 7 (specification v4). */
export type SdkModel = Extract<Exclude<LanguageModel, string>, { readonly specificationVersion: "v4" }>;
/** A call of a model, as the AI SDK passes it to middleware. */
export type SdkCall = Parameters<SdkModel["doStream"]>[0];
export type SdkPrompt = SdkCall["prompt"];
export type SdkMessage = SdkPrompt[number];
export type SdkGenerateResult = Awaited<ReturnType<SdkModel["doGenerate"]>>;
export type SdkStreamResult = Awaited<ReturnType<SdkModel["doStream"]>>;
export type SdkContent = SdkGenerateResult["content"][number];
export type SdkStreamPart = SdkStreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
