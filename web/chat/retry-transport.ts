/**
 * A chat transport that reports when the server retries a request to the provider, and when the retry is over.
 * `useChat` drops transient parts and does not report them.
 */
import { DefaultChatTransport, type HttpChatTransportInitOptions, type UIMessage, type UIMessageChunk } from "ai";

/** Called with undefined when the retry is over. */
export type OnRetry = (status: string | undefined) => void;

/** Chunks that end a retry: the turn starts or ends, or the answer arrives. */
// biome-ignore format: one line for the turn, one for the answer.
const RETRY_ENDS: readonly string[] = [
  "start", "finish", "abort", "error",
  "text-delta", "reasoning-delta", "tool-input-start", "tool-input-available",
] satisfies UIMessageChunk["type"][];

export class RetryTransport extends DefaultChatTransport<UIMessage> {
  readonly #onRetry: OnRetry;

  constructor(onRetry: OnRetry, options: HttpChatTransportInitOptions<UIMessage>) {
    super(options);
    this.#onRetry = onRetry;
  }

  protected override processResponseStream(
    stream: ReadableStream<Uint8Array<ArrayBufferLike>>,
  ): ReadableStream<UIMessageChunk> {
    const inspect = (chunk: UIMessageChunk) => {
      if (chunk.type === "data-retry") this.#onRetry(describeRetry(Object(chunk.data)));
      else if (RETRY_ENDS.includes(chunk.type)) this.#onRetry(undefined);
    };
    const inspecting = new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform(chunk, controller) {
        inspect(chunk);
        controller.enqueue(chunk);
      },
    });
    return super.processResponseStream(stream).pipeThrough(inspecting);
  }
}

function describeRetry({ attempt, attempts, reason }: Readonly<Record<string, unknown>>): string {
  return `Retrying (${String(attempt)} of ${String(attempts)}): ${String(reason)}`;
}
