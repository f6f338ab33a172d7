/** Streams a finished text like a model of the AI SDK, a word or two at a time. Chunks are created on demand. */
import type { SdkModel } from "./offline-model-prompt.ts";

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
