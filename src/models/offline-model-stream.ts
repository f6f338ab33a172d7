/**
 * A finished text as the AI SDK streams one, a word or two at a time, so that what shows a model's answer as it comes
 * shows this one the same way. Pieces are made when they are asked for.
 */
import type { SdkModel } from "./offline-model-prompt.ts";

type SdkStream = Awaited<ReturnType<SdkModel["doStream"]>>["stream"];
type SdkStreamPart = SdkStream extends ReadableStream<infer StreamPart> ? StreamPart : never;
export type SdkEnd = Omit<Extract<SdkStreamPart, { readonly type: "finish" }>, "type">;

export interface StreamOptions {
  readonly modelId: string;
  readonly end: SdkEnd;
  /** Before each piece. */
  readonly pause?: (() => Promise<unknown>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const TEXT_ID = "answer";

export function streamAnswer(text: string, { modelId, end, pause, signal }: StreamOptions): SdkStream {
  const parts = partsOf(text, { modelId, end });
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

function* partsOf(text: string, { modelId, end }: Pick<StreamOptions, "modelId" | "end">): Generator<SdkStreamPart> {
  yield { type: "stream-start", warnings: [] };
  yield { type: "response-metadata", modelId };
  yield { type: "text-start", id: TEXT_ID };
  for (const [delta] of text.matchAll(PIECE)) yield { type: "text-delta", id: TEXT_ID, delta };
  yield { type: "text-end", id: TEXT_ID };
  yield { type: "finish", ...end };
}

/** About a word with the space after it; where there are no spaces, a few characters. */
const PIECE = /\s*\S{1,12}\s*/gsu;
