/**
 * The chat's transport, which also tells when the provider is asked again, and when something comes of it. `useChat`
 * keeps no transient part and does not say when the next one that is shown has come.
 */
import { DefaultChatTransport, type HttpChatTransportInitOptions, type UIMessage, type UIMessageChunk } from "ai";

/** Undefined when there is no more to say of it. */
export type HeedRetry = (words: string | undefined) => void;

/** With these a try answers, or the turn begins or ends. */
// biome-ignore format: those of the turn, and those of an answer.
const OVER: readonly string[] = [
  "start", "finish", "abort", "error",
  "text-delta", "reasoning-delta", "tool-input-start", "tool-input-available",
] satisfies UIMessageChunk["type"][];

export class RetryTransport extends DefaultChatTransport<UIMessage> {
  readonly #heed: HeedRetry;

  constructor(heed: HeedRetry, options: HttpChatTransportInitOptions<UIMessage>) {
    super(options);
    this.#heed = heed;
  }

  protected override processResponseStream(
    stream: ReadableStream<Uint8Array<ArrayBufferLike>>,
  ): ReadableStream<UIMessageChunk> {
    const look = (chunk: UIMessageChunk) => {
      if (chunk.type === "data-retry") this.#heed(sayRetry(Object(chunk.data)));
      else if (OVER.includes(chunk.type)) this.#heed(undefined);
    };
    const looking = new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform(chunk, controller) {
        look(chunk);
        controller.enqueue(chunk);
      },
    });
    return super.processResponseStream(stream).pipeThrough(looking);
  }
}

function sayRetry({ attempt, attempts, reason }: Readonly<Record<string, unknown>>): string {
  return `Asked again (${String(attempt)} of ${String(attempts)}): ${String(reason)}`;
}
