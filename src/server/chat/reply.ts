/**
 * The reply of a turn as its clients have it, and how much of it the log has. It is put together from the very chunks
 * that were streamed, by the AI SDK's own reader, and stored in the pieces that the log reads a UI message as: what a
 * client resends later is then what is there already.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import { aiSdkUiFormat } from "../../core/message/formats/ai-sdk-ui.ts";
import type { Message } from "../../core/message/message.ts";
import { loadAiSdk } from "../prompts/load-ai-sdk.ts";

export class Reply {
  #message: UIMessage;
  #stored: number;

  /** With what was said before, where the turn goes on with a message whose calls were answered elsewhere. */
  constructor(id: string, begun: UIMessage | undefined) {
    this.#message = begun ?? { id, role: "assistant", parts: [] };
    this.#stored = begun === undefined ? 0 : decode(begun).length;
  }

  get id(): string {
    return this.#message.id;
  }

  /** What it said of itself when it was stored. */
  get metadata(): unknown {
    return this.#message.metadata;
  }

  /** Whether a call of the last step waits for somebody who is not here. */
  get isWaiting(): boolean {
    const { parts } = this.#message;
    const step = parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
    return step.some((part) => "toolCallId" in part && WAITING.has(part.state));
  }

  async add(chunks: readonly UIMessageChunk[]): Promise<void> {
    const { readUIMessageStream } = await loadAiSdk();
    const stream = new ReadableStream<UIMessageChunk>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    for await (const message of readUIMessageStream({ message: this.#message, stream })) this.#message = message;
  }

  /** The messages that the log does not have yet. */
  unstored(metadata: unknown): readonly Message[] {
    const messages = decode({ ...this.#message, metadata }).slice(this.#stored);
    return messages.filter(({ parts }) => !parts.every((part) => part.type === "text" && part.text.trim() === ""));
  }

  markStored(): void {
    this.#stored = this.#message.parts.length === 0 ? 0 : decode(this.#message).length;
  }
}

const WAITING: ReadonlySet<string> = new Set(["input-available", "approval-requested", "approval-responded"]);

/** What a tool gave back may be any value; only what JSON can say of it goes over the wire and into the log. */
function decode(message: UIMessage): readonly Message[] {
  const sent: unknown = JSON.parse(JSON.stringify(message));
  return aiSdkUiFormat.decode(sent, { path: "reply", fallbackId: message.id });
}
