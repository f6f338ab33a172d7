/**
 * Converts an AI SDK prompt to messages, as far as they can be quoted: texts and tool results. Prompts have no ids, so
 * a message is named by its place (`#3` is the third that is not system text), or by the id in its provider options,
 * `palimpsest: { messageId }`.
 */
import type { LanguageModel } from "ai";
import type { JsonValue } from "../core/message/json.ts";
import type { Message, Part, ToolOutput } from "../core/message/message.ts";

/** The current model interface of the AI SDK, taken from `ai` so that no other package is needed. */
export type SdkModel = Extract<Exclude<LanguageModel, string>, { readonly specificationVersion: "v4" }>;
export type SdkCall = Parameters<SdkModel["doStream"]>[0];
type SdkMessage = SdkCall["prompt"][number];
type SdkPart = Exclude<SdkMessage["content"], string>[number];

export function readOfflinePrompt(prompt: SdkCall["prompt"]): readonly Message[] {
  let place = 0;
  return prompt.map((message) => {
    if (message.role !== "system") place += 1;
    const parts: readonly Part[] =
      message.role === "system" ? [{ type: "text", text: message.content }] : message.content.flatMap(readSdkPart);
    return { id: findGivenId(message) ?? `#${place}`, role: message.role, parts };
  });
}

function findGivenId({ providerOptions }: SdkMessage): string | undefined {
  const id = providerOptions?.palimpsest?.messageId;
  return typeof id === "string" && id !== "" ? id : undefined;
}

function readSdkPart(part: SdkPart): readonly Part[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type !== "tool-result") return [];
  const { toolCallId: callId, toolName: tool, output } = part;
  return [
    { type: "tool-result", callId, tool, output: readToolOutput(output), failed: output.type.startsWith("error") },
  ];
}

function readToolOutput(output: Extract<SdkPart, { readonly type: "tool-result" }>["output"]): ToolOutput {
  switch (output.type) {
    case "text":
    case "error-text":
      return { type: "text", text: output.value };
    case "json":
    case "error-json":
      return { type: "json", value: output.value as JsonValue };
    case "execution-denied":
      return { type: "text", text: output.reason ?? "" };
    case "content": {
      const texts = output.value.flatMap((item) => (item.type === "text" ? [item.text] : []));
      return { type: "text", text: texts.join("\n") };
    }
    default:
      return output satisfies never;
  }
}

type SdkStream = Awaited<ReturnType<SdkModel["doStream"]>>["stream"];
type SdkStreamPart = SdkStream extends ReadableStream<infer StreamPart> ? StreamPart : never;
export type SdkEnd = Omit<Extract<SdkStreamPart, { readonly type: "finish" }>, "type">;

export interface StreamOptions {
  readonly modelId: string;
  readonly end: SdkEnd;
  /** Awaited before each chunk. */
  readonly pause?: (() => Promise<unknown>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const TEXT_ID = "answer";

/** Streams a finished text like a model of the AI SDK, a word or two at a time. Chunks are created on demand. */
export function streamAnswer(text: string, { modelId, end, pause, signal }: StreamOptions): SdkStream {
  const parts = listStreamParts(text, { modelId, end });
  return new ReadableStream<SdkStreamPart>({
    async pull(controller) {
      try {
        signal?.throwIfAborted();
        const next = parts.next();
        if (next.done === true) return controller.close();
        if (next.value.type === "text-delta") await pause?.();
        controller.enqueue(next.value);
      } catch (error) {
        controller.error(signal?.aborted === true ? signal.reason : error);
      }
    },
  });
}

function* listStreamParts(
  text: string,
  { modelId, end }: Pick<StreamOptions, "modelId" | "end">,
): Generator<SdkStreamPart> {
  yield { type: "stream-start", warnings: [] };
  yield { type: "response-metadata", modelId };
  yield { type: "text-start", id: TEXT_ID };
  for (const [delta] of text.matchAll(CHUNK)) yield { type: "text-delta", id: TEXT_ID, delta };
  yield { type: "text-end", id: TEXT_ID };
  yield { type: "finish", ...end };
}

/** About one word with its trailing space; without spaces, a few characters. */
const CHUNK = /\s*\S{1,12}\s*/gsu;
