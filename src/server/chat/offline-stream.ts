/**
 * Streams the offline model as UI message chunks without the AI SDK, so that a server without a model needs no optional
 * package. The offline model answers with one text, and reads the conversation from the session.
 */
import type { FinishReason, LanguageModel, UIMessageChunk } from "ai";
import type { Prompt } from "../../engine/prompt/prompt.ts";

export type SdkModel = Extract<Exclude<LanguageModel, string>, { readonly specificationVersion: "v4" }>;
type SdkPrompt = Parameters<SdkModel["doStream"]>[0]["prompt"];
type SdkStreamPart =
  Awaited<ReturnType<SdkModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

export interface OfflineCall {
  readonly model: SdkModel;
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
  readonly onEnd: (finishReason: FinishReason) => void;
}

export async function startOfflineStream({ model, prompt, signal, onEnd }: OfflineCall): Promise<Chunks> {
  const { stream } = await model.doStream({ prompt: writeTexts(prompt), abortSignal: signal });
  return stream.pipeThrough(
    new TransformStream<SdkStreamPart, UIMessageChunk>({
      start: (controller) => controller.enqueue({ type: "start-step" }),
      transform(part, controller) {
        if (part.type === "text-start" || part.type === "text-end")
          controller.enqueue({ type: part.type, id: part.id });
        if (part.type === "text-delta") controller.enqueue({ type: part.type, id: part.id, delta: part.delta });
        if (part.type === "finish") onEnd(part.finishReason.unified);
        if (part.type === "error") throw part.error;
      },
    }),
  );
}

type Chunks = ReadableStream<UIMessageChunk>;

/** Returns the texts of the prompt: the offline model reads nothing else. */
function writeTexts(prompt: Prompt): SdkPrompt {
  const { instructions, messages } = prompt.forStreamText();
  const system = typeof instructions === "string" ? instructions : instructions?.content;
  const said = messages.flatMap(({ role, content }): SdkPrompt => {
    if (role === "tool") return [];
    const texts =
      typeof content === "string" ? [content] : content.flatMap((part) => ("text" in part ? [part.text] : []));
    return [{ role, content: texts.map((text) => ({ type: "text", text })) }];
  });
  return system === undefined ? said : [{ role: "system", content: system }, ...said];
}
